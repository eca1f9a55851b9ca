"""Two groups of runs, and their words."""

from __future__ import annotations

import math

from docs.examples import over
from gpustab.studies.compare.claims import Differing, Groups
from gpustab.studies.compare.claims_of_spaces import Seen, Spaces
from gpustab.studies.compare.spaces import Agreement
from gpustab.studies.shared.unfit import Unfit


def _groups(one: float, other: float, one_loss: float, other_loss: float, se: float = 0.002, runs: int = 8) -> Groups:
    names = ("sgns/shuffled", "lsa/shuffled")
    shares, losses = (
        (over(one, se, runs), over(other, se, runs)),
        (over(one_loss, se, runs), over(other_loss, se, runs)),
    )
    return Groups(*names, *shares, 10, *losses)


def _spaces(agreement: float, se: float = 0.01, measure: str = "p@10", runs: int = 8) -> Spaces:
    within = (0.71, 0.002, 0.60, 0.002) if measure == "p@10" else (0.15, 0.002, 0.22, 0.002)
    row = Agreement(measure, *within, 0.41, 0.003, agreement, se, runs, 0.006 if measure == "p@10" else 1.0)
    return Spaces("sgns/shuffled", "lsa/shuffled", row, 10)


def _seen(*named: str) -> Seen:
    return Seen("sgns/shuffled", "lsa/shuffled", list(named), 1582)


EXAMPLES = {
    "compare.spaces-differ": [
        _spaces(0.63),
        _spaces(0.52, measure="PIP loss"),
        _spaces(0.98),
        _spaces(0.99, measure="PIP loss"),
        _spaces(0.88, 0.05),
        _spaces(0.99, measure="PIP loss")._replace(row=_spaces(0.99, measure="PIP loss").row._replace(between=0.7)),
        _spaces(1.2),
        _spaces(0.63, math.nan, runs=2),
        _spaces(0.63)._replace(copies=True),
        _spaces(0.63)._replace(row=_spaces(0.63).row._replace(first=0.01)),
        _spaces(0.63, measure="PIP loss")._replace(row=_spaces(0.63, measure="PIP loss").row._replace(second=0.997)),
    ],
    "compare.seen-differently": [
        _seen("arafat"),
        _seen("arafat", "fire", "qantas", "water", "team", "union"),
        _seen(),
        _seen()._replace(noisy="two of the bootstrap runs of LSA share only 14 % of a list"),
    ],
    "compare.more-stable": [
        _groups(0.71, 0.60, 0.13, 0.22),
        _groups(0.60, 0.71, 0.22, 0.13),
        _groups(0.71, 0.60, 0.16, 0.16, 0.01),
        _groups(0.71, 0.60, 0.13, 0.22)._replace(other_loss=over(0.22, 0.1)),
        _groups(0.71, 0.60, 0.22, 0.13),
        _groups(0.602, 0.600, 0.131, 0.132),
        _groups(0.61, 0.60, 0.13, 0.22, 0.02),
        _groups(0.61, 0.60, 0.13, 0.22, math.nan, 2),
        _groups(0.03, 0.86, 0.997, 0.22),
    ],
    "compare.words-differ": [
        Differing("sgns/shuffled", "lsa/shuffled", 1, 12, 1582),
        Differing("sgns/shuffled", "lsa/shuffled", 8, 12, 1582),
        Differing("sgns/shuffled", "lsa/shuffled", 0, 0, 1582),
        Differing("sgns/shuffled", "lsa/shuffled", 0, 0, 1582, Unfit(["run-003 of the shuffled runs of skip-gram"])),
    ],
}
