"""Rows, tables and techniques for the tests of this study; what a test does not name is undefined."""

import math

from gpustab.machine.device import Compute
from gpustab.results.table import names_of
from gpustab.studies.instability import InstabilityOptions
from gpustab.studies.instability.technique import Technique


def row(kind, **values):
    """Return a row of a type; of technique x, if no other is named."""
    return kind(**dict.fromkeys(names_of(kind), math.nan) | {"technique": "x"} | values)


def tables(*sheets):
    """Return tables by name, of sheets each with its rows."""
    return {sheet.name: sheet.table(rows) for sheet, *rows in sheets}


def technique(runs, name="x", compute=None, same=None, **options):
    """Return runs, or several samplings of them, as what chapters are given."""
    groups = runs if isinstance(runs, dict) else {"shuffled": runs}
    return Technique(name, groups, InstabilityOptions(**options), compute or Compute(), same)
