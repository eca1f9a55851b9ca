"""One module per research question; each returns a :class:`gpustab.results.result.Result`."""

from gpustab.studies.average import average
from gpustab.studies.info import info
from gpustab.studies.neighbours import neighbours_of
from gpustab.studies.stability import stability
from gpustab.studies.sweep import sweep

__all__ = ["average", "info", "neighbours_of", "stability", "sweep"]
