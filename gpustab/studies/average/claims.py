"""What an average claims: whether averages of runs agree better with each other than single runs do."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate, ratio_of
from gpustab.studies.shared.chance import at_chance
from gpustab.studies.shared.claims import Claim
from gpustab.studies.shared.wording import number_span


class Gain(NamedTuple):
    """How far averages of n runs lie from each other, and how far runs do: mean reduced PIP losses of two.

    Attributes:
        n: runs of an average.
        between: of two averages of n runs, with its error over averages.
        runs: of two runs, with its error over runs.
        chance: of two unrelated spaces.
    """

    n: int
    between: Estimate
    runs: Estimate
    chance: float

    @property
    def part(self) -> Estimate:
        """The one as a part of the other."""
        return ratio_of(self.between, self.runs)

    @property
    def differ(self) -> str:
        """How much averages differ, a clause."""
        low, high = self.part.interval
        span = "one pair of averages, no interval" if self.between.freedom < 2 else number_span(max(low, 0.0), high)
        return (
            f"{self.n} runs differ {number(self.part.value, 2)} times as much as single runs ({span}; independent "
            f"noise would give {1 / sqrt(self.n):.2f})"
        )


def _judge(gain: Gain) -> str:
    if gain.between.freedom < 2 or at_chance(gain.runs, gain.chance) == "yes":
        return "no test"
    low, high = gain.part.interval
    return "yes" if high < 1 else "no" if low > 1 else "undecided"


GAINS = Claim[Gain](
    id="average.agree-better",
    says="Averages of runs agree better with each other than single runs do.",
    rule=(
        "the 95 % interval of the loss of two averages, in parts of that of two runs, lies below 1; no if above; no "
        "test of two averages. The largest averages of which there are three decide"
    ),
    judge=_judge,
    sentences={
        "yes": lambda x: f"Averaging makes the space more stable, by the cosines of all words: averages of {x.differ}.",
        "no": lambda x: f"Averaging makes the space less stable, by the cosines of all words: averages of {x.differ}.",
        "undecided": lambda x: f"These runs are too few to say whether averaging helps: averages of {x.differ}.",
        "no test": lambda x: (
            f"Averages of {x.differ}. So few averages do not show how uncertain that is. Average at least six runs."
            if x.between.freedom < 2
            else "The effect of averaging is not tested. Two runs are hardly more alike than unrelated spaces (loss "
            f"{number(x.runs.value, 2)}; unrelated {number(x.chance, 2)}), and averages of such runs differ less too. "
            "Train longer, or with fewer dimensions."
        ),
    },
)

TOO_FEW = "The gain of averaging cannot be measured: two averages of equally many runs take at least four runs."
"""Said of two or three runs."""
