"""What a reader of stability numbers must be told, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpustab import engine
from gpustab.kernels.arithmetic import product
from gpustab.results.page import counted
from gpustab.runs.joining import Joining
from gpustab.runs.runs import Runs
from gpustab.spaces.words import some_words
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.shared.spaces import of_spaces, unscaled

_FEW_RUNS = 5


def of_group(
    runs: Runs,
    pip: engine.PipPass,
    found: engine.NeighbourPass,
    lengths: Sequence[int],
    ties: dict[int, int],
    missing: Sequence[bytes] = (),
    *,
    spaces: bool = True,
) -> list[str]:
    """Return the notes on one group, most important first.

    Args:
        runs: the group.
        pip: its PIP losses and their scale.
        found: its neighbours.
        lengths: list lengths that were asked for.
        ties: for every list length, how many lists have a tie at the cut.
        missing: target words that were asked for and are not there.
        spaces: whether collapsed, equal and far runs are told here; not where they are alarms.
    """
    return [
        *(of_spaces(runs, pip) if spaces else unscaled(pip)),
        *_few(len(runs)),
        *_small(runs),
        *_vocabulary(runs.joining),
        *runs.notes,
        *_targets(missing),
        *_pairs(found),
        *_lists(found, lengths, ties),
        *_precision(pip),
    ]


def _small(runs: Runs) -> Iterator[str]:
    if runs.words <= runs.dimension:
        yield (
            f"{counted(runs.words, 'word')} in {counted(runs.dimension, 'dimension')}, few: "
            "neighbour lists soon hold them all, and chance is not small."
        )


def _targets(missing: Sequence[bytes]) -> Iterator[str]:
    if missing:
        yield f"Target words that are not there: {some_words(missing)} ({len(missing):,})"


def _few(runs: int) -> Iterator[str]:
    if runs == 2:
        yield "Two runs are one pair: there is neither SD nor standard error. Train more runs."
    elif runs < _FEW_RUNS:
        yield (
            f"{runs} runs are few: the jackknife error rests on {runs} values, so that the 95 % interval of a mean is "
            f"± {t_quantile(runs - 1):.1f} SE."
        )


def _vocabulary(joining: Joining) -> Iterator[str]:
    if joining.dropped:
        yield (
            f"Words left out, because they are in fewer than {joining.min_runs} runs: {joining.dropped:,} of "
            f"{joining.seen:,} words ({some_words(joining.dropped_sample)} ...)"
        )
    if joining.undefined:
        yield (
            f"Undefined, because their vector is zero in some run: {counted(joining.undefined, 'word')} "
            f"({some_words(joining.undefined_sample)})"
        )


def _pairs(found: engine.NeighbourPass) -> Iterator[str]:
    have = found.present.double()
    shared = (product(have, have.mT) > 0).triu(1)
    runs = len(have)
    pairs, of = int(shared.sum()), runs * (runs - 1) // 2
    if pairs < of:
        yield f"p@n and j@n are means over {pairs} of {of} pairs of runs: the others have no target word in common."


def _lists(found: engine.NeighbourPass, lengths: Sequence[int], ties: dict[int, int]) -> Iterator[str]:
    if max(lengths) > found.k:
        yield f"Neighbour lists were cut to {found.k}, all other words that every run has."
    lists = found.indices.shape[0] * found.indices.shape[1]
    worst = max(ties, key=lambda n: ties[n])
    if ties[worst]:
        yield (
            f"{ties[worst]:,} of {lists:,} neighbour lists have a tie at the cut of n = {worst}: "
            "which of the tied words is counted follows the canonical word order."
        )


def _precision(pip: engine.PipPass) -> Iterator[str]:
    if pip.error > 1e-4:
        yield f"The relative error of the PIP losses may reach {pip.error:.0e} ({pip.precision})."
