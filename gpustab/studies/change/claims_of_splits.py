"""Whether the rule by which contexts differ beyond sampling finds the same where nothing changed: at random."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.studies.change import tables
from gpustab.studies.change.claims import BEYOND_SAMPLING
from gpustab.studies.change.differences import control_difference
from gpustab.studies.change.tables import Pair
from gpustab.studies.shared.claims import Margin

TOO = Margin(
    0.5,
    "share of the splits at random that differ more than sampling explains, from which periods must surely exceed them",
)


class Placebo(NamedTuple):
    """Two periods that differ more than sampling explains, beside the splits at random of their documents.

    Attributes:
        pair: the periods.
        splits: the splits of which is known how far two samplings lie apart.
        half: half of the 95 % interval of how much farther these periods moved than the splits; NaN if unknown.
    """

    pair: Pair
    splits: Sequence[Pair]
    half: float

    @property
    def found(self) -> int:
        """In how many splits the rule finds a change."""
        return sum(BEYOND_SAMPLING.judge(split) == "more" for split in self.splits)

    @property
    def shows(self) -> str:
        """In how many splits the rule finds a change, a clause; empty without any."""
        return f"; so {self.too} at random" if self.splits else ""

    @property
    def too(self) -> str:
        """How many splits do the same, with the verb."""
        return f"{'does' if self.found == 1 else 'do'} {self.found} of {counted(len(self.splits), 'split')}"


def differ_too(beside: Placebo) -> bool:
    """Tell whether splits differ by the rule of sampling too, and the periods did not surely move farther than these.

    By the same rule at least half of the splits at random differ, and the 95 % interval of how much farther the periods
    moved does not lie above 0. It only takes back what the rule says of periods.
    """
    if not beside.splits or BEYOND_SAMPLING.judge(beside.pair) != "more":
        return False
    farther = beside.pair.corrected - fmean(split.corrected for split in beside.splits)
    return not farther > beside.half and beside.found >= TOO * len(beside.splits)


def said_of_splits(beside: Placebo) -> str:
    """Return that splits differ by the rule of sampling too, a sentence; empty where they do not."""
    if not differ_too(beside):
        return ""
    return f"But by the same rule so {beside.too} of these documents at random, in which nothing changed."


def placebos(pairs: Table[Pair]) -> list[Placebo]:
    """Return every pair of periods that answers the question, beside its splits at random."""
    floors = tables.floor_series(pairs)
    half = control_difference([row for row in pairs.rows() if row.series not in floors]).half
    return [
        Placebo(row, [split for split in tables.splits_of(pairs, row) if split.sampling_floor is not None], half)
        for name in tables.main_series(pairs)
        for row in pairs.rows(series=name)
    ]
