"""Changes of a setting beside the baseline, in percent and in points."""

from __future__ import annotations

from docs.examples import over
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.unfit import Unfit
from gpustab.studies.sweep.claims import Changed
from gpustab.studies.sweep.claims_of_parameters import Effect, Scores
from gpustab.studies.sweep.claims_of_sizes import Order
from gpustab.studies.sweep.tables_of_sizes import Effect as SizeEffect
from gpustab.studies.sweep.tables_of_sizes import Ordered

_CHANGES = [Changed([over(x, 1.0)]) for x in (-12.0, 9.0, -1.9)]
_FAR = Changed([over(-12.0, 1.0)], ["run-002 of epochs = 20"])


def _effect(before: float, after: float, loss_before: float, loss_after: float) -> Effect:
    numbers = (over(x, 0.01) for x in (before, after, loss_before, loss_after))
    return Effect("epochs", 5, 20, "bootstrap", *numbers)


def _size(what: str, change: float, runs: int = 8, beyond: float = 0.1) -> SizeEffect:
    ends = {"bits": (1, 32), "dim": (10, 50), "memory": (10, 1600)}[what]
    return SizeEffect("bootstrap", what, *ends, 0.5, 0.5 + change, change, 0.009, runs, beyond, 0.02, beyond - 0.02)


def _order(measure: str, rho: float) -> Order:
    return Order(Ordered("bootstrap", measure, rho, 0.02, 30, 8), differ=True)


EXAMPLES = {
    "sweep.more-memory-is-steadier": [
        _size("dim", -0.08),
        _size("bits", 0.05),
        _size("memory", -0.014),
        _size("bits", -0.01),
        _size("dim", -0.08, runs=2),
        _size("dim", -0.08, beyond=0.01),
    ],
    "sweep.measure-orders-sizes": [_order("neighbours", 0.9), _order("eigenspace", -0.6), _order("pip", 0.2)],
    "sweep.longer-is-more-stable": [*_CHANGES, _FAR],
    "sweep.longer-is-better": [*_CHANGES[:2], Changed([over(0.4, 1.0)]), _FAR],
    "sweep.parameter-matters": [
        _effect(0.17, 0.26, 0.60, 0.46),
        _effect(0.26, 0.17, 0.46, 0.60),
        _effect(0.17, 0.26, 0.46, 0.60),
        _effect(0.25, 0.26, 0.47, 0.46),
        _effect(0.17, 0.26, 0.60, 0.46)._replace(silent=Unfit(["run-002 of epochs = 20"])),
        _effect(0.021, 0.024, 0.999, 0.998),
        _effect(0.17, 0.26, 0.60, 0.46)._replace(after=Estimate(0.26, float("nan"), 1)),
    ],
    "sweep.scores-change": [
        Scores(
            "epochs",
            [("wordsim353", over(0.41, 0.01), over(0.52, 0.01)), ("simlex999", over(0.2, 0.01), over(0.2, 0.01))],
        ),
        Scores("epochs", [("wordsim353", over(0.51, 0.01), over(0.52, 0.01))]),
        Scores("epochs", []),
    ],
    "sweep.levels-off": [*_CHANGES, _FAR],
}
