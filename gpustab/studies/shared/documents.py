"""Whether it matters which documents there are: bootstrap runs beside shuffled ones, by rule and sentence."""

from __future__ import annotations

import math
from typing import NamedTuple

from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import number_span

MATTERS = Margin(1.1, "ratio of the losses of bootstrap and shuffled runs from which documents matter: a tenth more")


class Losses(NamedTuple):
    """Mean reduced PIP losses of two groups of one technique.

    Attributes:
        shuffled: of runs that differ in training alone.
        bootstrap: of runs that differ in the documents drawn as well.
    """

    shuffled: Estimate
    bootstrap: Estimate

    @property
    def ratio(self) -> Estimate:
        """The loss of bootstrap runs by that of shuffled ones."""
        return ratio_of(self.bootstrap, self.shuffled)

    @property
    def times(self) -> str:
        """The ratio in words."""
        ratio = self.ratio
        digits = _digits(ratio.half)
        return f"{ratio.value:.{digits}f} times ({number_span(*ratio.interval, digits)})"


def _judge(losses: Losses) -> str:
    low, high = losses.ratio.interval
    return "matter" if low > MATTERS else "hardly" if high < MATTERS else "open"


def _open(losses: Losses) -> str:
    if math.isnan(losses.ratio.interval[0]):
        return (
            "Whether bootstrap runs differ more than shuffled ones cannot be told from two runs: there is no interval. "
            "Train at least three of each."
        )
    return (
        "Whether bootstrap runs differ more than shuffled ones cannot be told from these runs: their loss is "
        f"{losses.bootstrap.minus(losses.shuffled).text('.2g')} higher. More runs would tell."
    )


DOCUMENTS_MATTER = Claim[Losses](
    id="shared.documents-matter",
    says="It matters which documents there are.",
    source="Antoniak & Mimno 2018, §7; Rettenmeier 2020, §2.3",
    rule=f"the 95 % interval of bootstrap by shuffled loss lies above {MATTERS}; hardly: below it",
    judge=_judge,
    sentences={
        "matter": lambda x: (
            f"Resamples of these documents change the cosines of all words {x.times} as much as another training. "
            "Check claims on bootstrap runs."
        ),
        "hardly": lambda x: (
            "Resamples of these documents change the cosines of all words hardly more than another training: "
            f"{x.times} as much."
        ),
        "open": _open,
    },
)


def documents(shuffled: Estimate, bootstrap: Estimate) -> tuple[str, str]:
    """Return whether documents matter, ``"matter"``, ``"hardly"`` or ``"open"``, and the sentence."""
    losses = Losses(shuffled, bootstrap)
    return DOCUMENTS_MATTER.judge(losses), DOCUMENTS_MATTER.sentence(losses)


def ratio_of(above: Estimate, below: Estimate) -> Estimate:
    """Return a ratio with its error, by propagation; it has the fewer degrees of freedom of the two."""
    if not below.value > 0:
        return Estimate(math.nan, math.nan, min(above.freedom, below.freedom))
    value = above.value / below.value
    relative = math.hypot(above.se / above.value if above.value else math.nan, below.se / below.value)
    return Estimate(value, value * relative, min(above.freedom, below.freedom))


def _digits(half: float) -> int:
    return 1 if math.isnan(half) or half >= 0.1 else 2
