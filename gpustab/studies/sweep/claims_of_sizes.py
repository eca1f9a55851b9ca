"""What a sweep claims of sizes: do more bits and dimensions make predictions steadier, and which measure tells it?"""

from __future__ import annotations

import math
from typing import NamedTuple

from gpustab.results.page import number, percent, signed
from gpustab.statistics.intervals import t_quantile
from gpustab.statistics.ranks import spearman_interval
from gpustab.studies.shared.claims import Claim, Margin, below
from gpustab.studies.shared.wording import capital, difference_span, number_span, signed_span
from gpustab.studies.sweep.sizes import MEASURES
from gpustab.studies.sweep.tables_of_sizes import Effect, Ordered

LESZCZYNSKI = "Leszczynski et al. 2020"

ENOUGH_SIZES = Margin(6, "sizes below which no measure's order of them is judged")

_IN_WORDS = {"bits": "bits a number", "dim": "dimensions", "memory": "memory"}
_MAKES = {"memory": "makes"}
_POWER = 5
"""Runs from which planted noise is mostly found: of 0.6 of the vectors' lengths at one of two sizes in some 80 %."""
_KNOWS = (
    "No test unless the probe has more words right than the most frequent class is of: surely over all sizes (95 %, "
    "over runs and words), and at each. One that always tells the same class never changes its mind"
)


def knows(effect: Effect) -> bool:
    """Whether the probe knows something of the classes, at every size."""
    return effect.beyond > effect.beyond_half and effect.worst > 0


def _judge(effect: Effect) -> str:
    if not knows(effect) or effect.runs < 3:
        return "no test"
    return below(effect.estimate, 0) if effect.se else "undecided"  # equal counts of few words prove nothing


def _more(effect: Effect) -> str:
    return f"More {_IN_WORDS[effect.what]} {_MAKES.get(effect.what, 'make')}"


def _points(effect: Effect) -> str:
    low, high = (100 * x for x in effect.estimate.interval)
    return f"{difference_span(low, high, 1)} points"


def _numbers(effect: Effect) -> str:
    if effect.what == "memory":
        moved = "fewer" if effect.change < 0 else "more"
        return (
            f"With every doubling of the memory a word takes, {number(100 * abs(effect.change), 2)} points {moved} of "
            f"the words are told another class ({_points(effect)})."
        )
    name = _IN_WORDS[effect.what]
    return (
        f"With {effect.high} {name} instead of {effect.low}, a probe tells another class of {percent(effect.after)} of "
        f"the words in another {effect.sampling} run, instead of {percent(effect.before)} (difference "
        f"{_points(effect)})."
    )


def _why_not(effect: Effect) -> str:
    if effect.runs < 3:
        return "two runs give no interval. Train at least three."
    low, high = effect.beyond - effect.beyond_half, effect.beyond + effect.beyond_half
    if low > 0:
        how = f"at its worst size the probe is less often right than a guess ({signed(100 * effect.worst, 1)} points)"
    else:
        span = signed_span(100 * low, 100 * high, 1)
        more = "less often right than" if high < 0 else "hardly more often right than"
        how = f"the probe is {more} a guess of the most frequent class ({span} points)"
    return f"{how}. Its changes of mind mean nothing then. Give it words whose classes these vectors know."


STEADIER = Claim[Effect](
    id="sweep.more-memory-is-steadier",
    says="More bits, more dimensions or more memory make the predictions of a classifier on top more stable.",
    source=f"{LESZCZYNSKI}, sections 1 and 3",
    paper=(
        "Leszczynski et al. found that twice the memory makes predictions differ by 5 to 37 % less, of tasks of "
        "sentiment and of named entities"
    ),
    rule=(
        "the 95 % interval of the change of disagreement, over runs left out of all sizes at once, lies below 0; no: "
        f"above. Bits and dimensions: from the least to the largest. Memory: per doubling. {_KNOWS}"
    ),
    judge=_judge,
    sentences={
        "yes": lambda x: f"{_more(x)} predictions more stable. {_numbers(x)}",
        "no": lambda x: f"{_more(x)} predictions less stable. {_numbers(x)}",
        "undecided": lambda x: (
            f"These runs do not say whether {_more(x).lower()} predictions more stable. {_numbers(x)}"
            + " Three runs hardly ever can; train five or more." * (x.runs < _POWER)
        ),
        "no test": lambda x: (
            f"Whether {_more(x).lower()} predictions more stable is not tested. {capital(_why_not(x))}"
        ),
    },
)


class Order(NamedTuple):
    """Whether a measure of spaces tells which size is steadier.

    Attributes:
        row: its ρ.
        differ: whether predictions surely are steadier at some sizes than at others.
    """

    row: Ordered
    differ: bool

    @property
    def interval(self) -> tuple[float, float]:
        """95 % over sizes and runs, by Fisher's z.

        Sizes are taken for a sample of sizes, and the error over runs comes to that over sizes.
        """
        rho, runs = self.row.rho, self.row.runs
        if not abs(rho) < 1:
            rho = math.copysign(1 - 1 / (2 * self.row.sizes**2), rho) if abs(rho) == 1 else math.nan
        low, _ = spearman_interval(rho, self.row.sizes)
        by_sizes = math.atanh(rho) - math.atanh(low)
        by_runs = t_quantile(runs - 1) * self.row.se / (1 - rho**2) if runs > 1 else math.nan
        half = math.hypot(by_sizes, by_runs)
        return math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)


def _order(order: Order) -> str:
    low, high = order.interval
    if not order.differ or order.row.sizes < ENOUGH_SIZES or math.isnan(low):
        return "no test"
    return "yes" if low > 0 else "no" if high < 0 else "undecided"


def _rho(order: Order) -> str:
    row = order.row
    return f"Spearman's ρ {number(row.rho, 2)}, {number_span(*order.interval, 2)}, over {row.sizes} sizes"


def _name(order: Order) -> str:
    return capital(MEASURES[order.row.measure])


FORESEEN = Claim[Order](
    id="sweep.measure-orders-sizes",
    says="A measure of the spaces alone orders sizes as the disagreement of predictions does.",
    source=f"{LESZCZYNSKI}, section 5",
    paper=(
        "Leszczynski et al. found that the eigenspace instability and the nearest neighbours order sizes best, before "
        "the PIP loss"
    ),
    rule=(
        "Spearman's ρ over sizes is surely above 0, by a 95 % interval over sizes and runs; no: surely below, so that "
        f"it orders them the other way round. No test of fewer than {ENOUGH_SIZES:g} sizes, or where predictions do "
        "not surely differ between sizes"
    ),
    judge=_order,
    sentences={
        "yes": lambda x: f"{_name(x)} tells which sizes are steadier ({_rho(x)}).",
        "no": lambda x: f"{_name(x)} tells the wrong sizes to be steadier ({_rho(x)}).",
        "undecided": lambda x: f"{_name(x)} may or may not tell which sizes are steadier ({_rho(x)}).",
    },
)


def differ(effects: list[Effect]) -> bool:
    """Whether predictions surely differ between some sizes."""
    return any(STEADIER.judge(effect) in ("yes", "no") for effect in effects)
