"""What a reader must be told of the runs themselves, whatever is asked of them: collapsed, copied, far from the others.

Every command that measures runs says this: each of the three makes its numbers, or the errors beside them, worthless.
And what a reader of stability numbers must be told besides, such as few runs or short lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from torch import Tensor

from gpustab import engine
from gpustab.kernels.arithmetic import product
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.pip_loss import mean_cosines
from gpustab.machine.device import Compute
from gpustab.results.page import counted, percent
from gpustab.runs.joining import Joining, in_one_form
from gpustab.runs.key import WHOLE
from gpustab.runs.runs import Runs
from gpustab.spaces.words import some_words
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.shared import copies
from gpustab.studies.shared.belonging import WORDS, all_belong, belonging, said_of_apart, said_of_kin, said_of_kinds
from gpustab.studies.shared.claims import Margin
from gpustab.studies.shared.copies import Copies, are_one, or_others, same_by_sketch, same_pairs
from gpustab.studies.shared.looks import kept_look
from gpustab.studies.shared.ties import HARDLY, decided_by_ties

COLLAPSED = Margin(0.9, "mean cosine above which a space says little: nearly all words point the same way")

UNSCALED = "Rows are not scaled to unit length, so losses may exceed 1 and have no chance level."

_FEW_PAIRS = 24
"""Runs up to which a larger sketch takes as long as all losses."""

_EXACT = 1e-4
"""Relative error of losses up to which nothing is said of it."""
_OF_MANY = 1.96
"""Standard errors on either side of a mean over many runs."""
_FEW_RUNS = 5
_NAMED = 5


class Collapse(NamedTuple):
    """The collapsed runs of a group of so many, with their least and largest mean cosine of two different words."""

    names: tuple[str, ...]
    of: int
    low: float
    high: float

    @property
    def span(self) -> str:
        """The mean cosines, for a sentence."""
        low, high = f"{self.low:.2f}", f"{self.high:.2f}"
        return low if low == high else f"{low} to {high}"


class Flaws(NamedTuple):
    """What makes the numbers of a group, or the errors beside them, worthless.

    Attributes:
        collapse: which runs are collapsed.
        copies: sentences on equal runs, and on such that nearly are.
        far: a sentence on runs that lie far from all others, or on kinds that they fall into, or none.
        names: of these runs, or of those of all kinds but the largest, after the collapsed ones, unless all are.
        apart: a note on a run that lies apart, though not far, or none.
        kinds: whether runs fall into kinds; else those that are named lie far.
    """

    collapse: Collapse | None
    copies: list[str]
    far: list[str]
    names: list[str]
    apart: list[str]
    kinds: bool = False


def of_spaces(runs: Runs, pip: engine.PipPass) -> list[str]:
    """Return sentences on collapsed runs, on equal ones, and on those that lie far from all others."""
    return sentences_of(flaws_of(runs, pip), pip)


def sentences_of(found: Flaws, pip: engine.PipPass) -> list[str]:
    """Return the sentences of :func:`of_spaces` on flaws that are known."""
    return [*unscaled(pip), *found.copies, *_said_of_collapse(found.collapse), *found.far]


def flaws_of(runs: Runs, pip: engine.PipPass) -> Flaws:
    """Return what is wrong with the runs of a group, see :func:`of_spaces`.

    Which runs belong together is asked of those that are not collapsed, unless all are: how far a collapsed run lies
    from others says nothing of these.
    """
    equal, losses, chance = same_pairs(runs, pip), pair_matrix(pip.reduced, len(runs)).cpu(), chance_of(runs, pip)
    means = means_of(pip)
    fallen = collapsed_of(means)
    of = [r for r in range(len(runs)) if r not in fallen] or list(range(len(runs)))
    names, own, losses = [runs.names[r] for r in of], equal.among(of), losses[of][:, of]
    chance = None if chance is None else chance[of][:, of]
    words = int(runs.joint.sum())
    near, silent = own.nearly_one(losses) if words >= WORDS else [], own.same.clone()
    for a, b, _ in near:
        silent[[a, b], [b, a]] = True
    found = belonging(losses, words, silent)
    far = [*_far([names[r] for r, _ in found.far], [ratio for _, ratio in found.far])]
    return Flaws(
        _collapse(runs, means),
        [*_copies(runs, equal), *copies.said_of_all_near(near, names, own.kept()), *said_of_kin(found, names)],
        [said_of_kinds(found.kinds, names, losses, chance)] if found.kinds else far,
        [runs.names[r] for r in fallen if r not in of] + [names[r] for r in found.outside],
        said_of_apart(found, names),
        bool(found.kinds),
    )


def means_of(pip: engine.PipPass) -> list[float]:
    """Return the mean cosine of every run; none where rows are not scaled to unit length."""
    return [] if pip.scale is None else pip.scale.mean_cosine.tolist()


def collapsed_of(means: Sequence[float]) -> list[int]:
    """Return which runs are collapsed, by their mean cosines."""
    return [r for r, mean in enumerate(means) if mean > COLLAPSED]


def chance_of(runs: Runs, pip: engine.PipPass) -> Tensor | None:
    """Return the losses of unrelated spaces of all pairs ``(R, R)``, ``None`` where rows are not scaled."""
    return None if pip.scale is None else pair_matrix(pip.scale.chance, len(runs)).cpu()


def unscaled(pip: engine.PipPass) -> list[str]:
    """Return the sentence on rows that are not scaled to unit length, if they are not."""
    return [UNSCALED] if pip.scale is None else []


def look_at(runs: Runs, compute: Compute) -> list[str]:
    """Return :func:`of_spaces` of runs whose losses were not asked for; nothing for fewer than two joint words.

    A sketch finds the collapsed runs and the copies, and acquits the others of lying far almost surely: of runs exactly
    at the limit, 0.7 % are acquitted. Where it leaves a doubt, a larger one is asked, at last the losses of all pairs.
    Of a run that lies apart, though not far, it says nothing: no sketch tells it, and only who measures losses knows.
    What it found is kept, see :mod:`gpustab.studies.shared.looks`.
    """
    return kept_look(runs, compute, lambda: _look(runs, compute)) if int(runs.joint.sum()) > 1 else []


def _look(runs: Runs, compute: Compute) -> list[str]:
    sketch = engine.sketch_pass(runs, compute)
    same = same_by_sketch(runs, sketch, compute)
    if same is None:
        return of_spaces(runs, engine.pip_pass(runs, compute))
    near = same.nearly_one(sketch.distances.mean(0).sqrt(), 2)  # as a sketch errs
    if near or (
        not all_belong(sketch.distances, same.same)
        and not (len(runs) > _FEW_PAIRS and all_belong(engine.sketch_pass(runs, compute, 16).distances, same.same))
    ):
        return of_spaces(runs, engine.pip_pass(runs, compute))
    means = mean_cosines(sketch.squares, sketch.sums, sketch.words).tolist() if runs.unit else None
    collapse = _collapse(runs, means or [])
    return [*([UNSCALED] if means is None else ()), *_copies(runs, same), *_said_of_collapse(collapse)]


def _collapse(runs: Runs, means: Sequence[float]) -> Collapse | None:
    fallen = collapsed_of(means)
    if not fallen:
        return None
    values = [means[r] for r in fallen]
    return Collapse(tuple(runs.names[r] for r in fallen), len(runs), min(values), max(values))


def _said_of_collapse(found: Collapse | None) -> Iterator[str]:
    if found is None:
        return
    if len(found.names) == found.of:
        whose = f"The space is collapsed in all {found.of} runs"
    else:
        whose = f"The space is collapsed in {len(found.names)} of {found.of} runs ({named(found.names)})"
    yield (
        f"{whose}: the mean cosine of two different words is {found.span}. "
        "A small PIP loss means nothing here. Train longer, or centre the vectors (--centre)."
    )


_NO_FAULT = "though their seeds differ"


def equal_by_nature(runs: Runs, same: Tensor) -> bool:
    """Tell whether it is no fault that all runs are equal: their files record another training seed each.

    Bootstrap runs differ in their documents besides: where even these are equal, something is wrong.
    """
    again = runs.key.sampling in WHOLE and len(runs) > 1
    return again and runs.seeds_differ and are_one(same)


def same_each_time(runs: int) -> str:
    """Return the fact that so many trainings on the same documents, which is all runs, have one result."""
    return (
        f"{'Both' if runs == 2 else f'All {runs}'} runs have the same vectors {_NO_FAULT}: this technique gives the "
        "same result on this text each time. Train bootstrap runs to see what other documents change."
    )


def is_fact(sentence: str) -> bool:
    """Tell whether a sentence on a group's spaces says what they are, and warns of nothing."""
    return sentence == UNSCALED or _NO_FAULT in sentence


def _copies(runs: Runs, found: Copies) -> Iterator[str]:
    equal = found.same
    pairs = equal.triu().nonzero().tolist()
    if equal_by_nature(runs, equal):
        yield same_each_time(len(runs))
    elif pairs and found.rounded.any():
        for several in found.classes():
            said = copies.said_of_copies(runs.names, found, several)
            yield f"{said}. They look perfectly stable: leave all but one out."
    elif pairs:
        i, j = pairs[0]
        of = len(runs) * (len(runs) - 1) // 2
        yield (
            f"{len(pairs)} of {of} pairs of runs {'is' if len(pairs) == 1 else 'are'} equal up to rotation, such as "
            f"{runs.names[i]} and {runs.names[j]}. Is it the same file twice, or a seed without effect? Equal runs "
            "look perfectly stable."
        )


def _far(names: Sequence[str], ratios: Sequence[float]) -> Iterator[str]:
    if names:
        times = [f"{ratio:.1f}" for ratio in sorted(ratios)]
        span = times[0] if times[0] == times[-1] else f"{times[0]} to {times[-1]}"
        lie, ask, such, them = (
            ("lies", "Is it a run of another kind, or did its", "such a run", "it")
            if len(names) == 1
            else ("lie", "Are they runs of another kind, or did their", "such runs", "them")
        )
        yield (
            f"{named(names)} {lie} {span} times as far from the other runs as these lie from each other. {ask} "
            f"training fail? With {such}, neither a mean nor its error says much. Leave {them} out."
            f"{or_others(max(ratios))}"
        )


def named(runs: Sequence[str]) -> str:
    """Return names of runs for a sentence, the first of many."""
    more = f" and {len(runs) - _NAMED} more" if len(runs) > _NAMED else ""
    return ", ".join(runs[:_NAMED]) + more


def of_group(
    runs: Runs,
    pip: engine.PipPass,
    found: engine.NeighbourPass,
    lengths: Sequence[int],
    ties: dict[int, int],
    missing: Sequence[bytes] = (),
    *,
    flaws: Flaws | None = None,
) -> list[str]:
    """Return the notes on one group, most important first; ``flaws`` are not given where these are alarms."""
    return [
        *([*sentences_of(flaws, pip), *flaws.apart] if flaws else unscaled(pip)),
        *_few(runs),
        *left_out(runs.joining),
        *runs.notes,
        *([f"{counted(len(missing), 'target word', 'is/are')} missing: {some_words(missing)}."] if missing else ()),
        *_pairs(found),
        *_lists(found, lengths, ties),
        *_errors(pip),
    ]


def _errors(pip: engine.PipPass) -> Iterator[str]:
    """Yield how inexact losses are; one of 0, as of copies, has no relative error."""
    if _EXACT < pip.error < 1:
        yield f"The relative error of the PIP losses may reach {pip.error:.0e} ({pip.precision})."


def _few(runs: Runs) -> Iterator[str]:
    count = len(runs)
    if count == 2:
        yield "Two runs are one pair, which has no SD and no standard error. Train more runs."
    elif count < _FEW_RUNS:
        yield (
            f"{count} runs are few: each 95 % interval rests on {count} values, and is "
            f"{t_quantile(count - 1) / _OF_MANY:.1f} times as wide as the same scatter in many runs would make it."
        )
    if runs.words <= runs.dimension:
        yield (
            f"{counted(runs.words, 'word')} in {counted(runs.dimension, 'dimension')} are few: neighbour lists soon "
            "hold them all, and chance is not small."
        )


def left_out(joining: Joining) -> Iterator[str]:
    """Yield a sentence on the words that few runs have, and one on those with a zero vector."""
    if joining.dropped:
        yield (
            f"{counted(joining.dropped, 'word', 'is/are', of=joining.seen)} left out, because fewer than "
            f"{joining.min_runs} runs have them ({some_words(joining.dropped_sample)} ...)."
        )
    if joining.composed:
        yield f"{in_one_form(joining.composed, joining.form)}."
    if joining.undefined:
        yield (
            f"{counted(joining.undefined, 'word', 'is/are')} left out, because of a zero vector in some run "
            f"({some_words(joining.undefined_sample)})."
        )


def _pairs(found: engine.NeighbourPass) -> Iterator[str]:
    have = found.present.double()
    shared = (product(have, have.mT) > 0).triu(1)
    runs = len(have)
    pairs, of = int(shared.sum()), runs * (runs - 1) // 2
    if pairs < of:
        yield f"p@n and j@n are means over {pairs} of {of} pairs of runs. The other pairs share no target word."


def _lists(found: engine.NeighbourPass, lengths: Sequence[int], ties: dict[int, int]) -> Iterator[str]:
    if max(lengths) > found.k:
        yield f"Neighbour lists hold only {found.k} words: no other word is in every run."
    lists = found.indices.shape[0] * found.indices.shape[1]
    worst = max(ties, key=lambda n: ties[n])
    if ties[worst]:
        share = decided_by_ties(found, worst)
        yield (
            f"{counted(ties[worst], 'neighbour list', 'has/have', of=lists)} a tie at the cut of n = {worst}: two "
            "words are equally near there. The more frequent one is taken, or else the first in the alphabet."
        ) + f" So ties decide {percent(share)} of the places." * (share > HARDLY)
