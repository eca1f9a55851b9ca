"""Which of two groups of runs is more stable, over the same words, and how far do their spaces agree?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Column, Sheet
from gpustab.results.page import counted, percent, thousands
from gpustab.runs.families import over_one_vocabulary, side_by_side
from gpustab.runs.group import Group, loaded
from gpustab.runs.key import Key
from gpustab.runs.runs import Runs
from gpustab.spaces.words import some_words
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.levels import highest_tenth
from gpustab.statistics.reliability import WordValues, common_error, parts, pooled_error
from gpustab.statistics.windows import standing_out
from gpustab.studies.compare import CompareOptions
from gpustab.studies.compare.claims import MORE_STABLE, WORDS_DIFFER, Differing, Groups, few_runs
from gpustab.studies.compare.claims_of_spaces import DIFFER, SEEN_DIFFERENTLY, Seen, Spaces
from gpustab.studies.compare.spaces import (
    SPACES,
    UNLIKE,
    Words,
    by_neighbours,
    drawn_apart,
    of_cosines,
    of_lists,
    unlike_words,
)
from gpustab.studies.shared.chance import at_chance, nothing_in_common
from gpustab.studies.shared.frame import Answer, answering, groups_of
from gpustab.studies.shared.same_runs import said_of, same_runs
from gpustab.studies.shared.spaces import flaws_of, left_out, sentences_of
from gpustab.studies.shared.ties import alarm_of_ties, note_of_ties
from gpustab.studies.shared.unfit import Unfit, together, unfit
from gpustab.studies.shared.wording import the_runs


@dataclass(frozen=True)
class Word:
    """One word in both groups."""

    word: str
    count: Annotated[int | None, Column("count", about="occurrences in a run", text=thousands)]
    p_first: Annotated[
        float, Column("p@n in the first group", 2, "share of its n neighbours that two runs of the first share")
    ]
    p_second: Annotated[float, Column("p@n in the second group", 2, "the same in the second group")]
    difference: Annotated[float, Column("difference", 2, "p@n in the first less that in the second")]
    se: Annotated[float, Column("its standard error", 2, "standard error of the difference")]
    less_first: Annotated[
        float,
        Column(
            about="probability to be in the tenth that is most at a disadvantage in the first; NaN: no test",
            text=percent,
        ),
    ]
    less_second: Annotated[
        float,
        Column(
            about="probability to be in the tenth that is most at a disadvantage in the second; NaN: no test",
            text=percent,
        ),
    ]
    surely: Annotated[str, Column(about="where it surely is at a disadvantage: first, second, or nowhere")]
    p_between: Annotated[
        float, Column("p@n between", 2, "share of its n neighbours that a run of the first and one of the second share")
    ]
    beyond: Annotated[
        float, Column("beyond noise", 2, "mean of p@n in both groups less that between: what training does not explain")
    ]
    beyond_se: Annotated[float, Column("its standard error", 2, "pooled over words of like frequency")]
    unlike: Annotated[
        float,
        Column(
            about="probability to be in the tenth that both groups see most differently; NaN: no test", text=percent
        ),
    ]
    loss_first: Annotated[
        float, Column("PIP loss in the first group", 3, "reduced, root of the mean square over pairs")
    ]
    loss_second: Annotated[float, Column("PIP loss in the second group", 3, "the same in the second group")]
    loss_between: Annotated[
        float, Column("PIP loss between", 3, "the same of a run of the first and one of the second")
    ]

    def less(self, place: str) -> float:
        """Return the probability that the word is in the tenth at a disadvantage in one of the groups."""
        return self.less_first if place == "first" else self.less_second


WORDS = Sheet("words", Word, "one row a common word, in descending frequency", long=True)


def compare(
    first: Runs | Group,
    second: Runs | Group,
    options: CompareOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Compare the stability of two groups over the words that all runs of both have.

    The difference of two means has the interval of Student's t, with the fewer degrees of freedom of the two. Both
    measures decide, p@n and the loss as a share of chance: where they surely say opposite things, that is the verdict.
    A word's difference is judged beside those of 200 words of like frequency: it is named if it is in the tenth that
    differs most one way, about one in twenty wrong. Of groups of one law none is named: the check is the difference of
    two disjoint halves of one group.

    Beside that stands how far the groups agree, whichever is more stable: what a run of each has in common against what
    two runs of one group have, so that the noise of single runs is taken out (:mod:`gpustab.studies.compare.spaces`).

    Args:
        first: one group.
        second: the other.
        options: what is compared.
        compute: device, precision, back end; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`CompareOptions`.

    Returns:
        ``groups``: each one's numbers over the common words; ``contrasts``: their differences; tables ``words``,
        ``spaces`` and ``unlike``.

    Raises:
        InputError: if the groups have fewer than two words in common.
    """
    options = chosen(CompareOptions, options, choices)
    given = groups_of(_named_apart(first, second))
    with answering("compare", options, given, compute, progress) as answer:
        both = [loaded(group) for group in given]
        one, other = over_one_vocabulary(both)
        if one.words < 2:
            shown = "; ".join(f"{runs.name} has {some_words(list(runs.vocabulary)[:3], 3)}" for runs in both)
            raise InputError(
                f"'{one.name}' and '{other.name}' have {counted(one.words, 'word')} in common; wanted two or more: "
                f"{shown}"
            )
        _compare(one, other, [list(left_out(runs.joining)) for runs in both], options, answer)
    return answer.result


def _named_apart(first: Runs | Group, second: Runs | Group) -> list[Runs | Group]:
    """Return two groups; those that nobody named, as :func:`gpustab.load_runs` gives them, are first and second."""
    if first is second or not all(isinstance(group, Runs) and group.key == Key("runs") for group in (first, second)):
        return [first, second]
    return [replace(first, key=Key("first")), replace(second, key=Key("second"))]


class _Measured(NamedTuple):
    """One group over the common words."""

    loss: Estimate
    share: Estimate
    p: Estimate
    words: WordValues
    error: Tensor
    noise: Tensor
    lists: engine.NeighbourPass
    unfit: Unfit
    few: str


def _compare(one: Runs, other: Runs, notes: Sequence[list[str]], options: CompareOptions, answer: Answer) -> None:
    result = answer.result
    same = same_runs({runs.name: runs for runs in (one, other)})
    result.notes += said_of(same)
    targets = engine.draw_targets(one, options.targets, options.seed)
    measured = [
        _measure(runs, targets, options.n, answer, said) for runs, said in zip((one, other), notes, strict=True)
    ]
    n = measured[0].lists.k
    result.settings["n"] = n
    result.groups = [_group(runs, len(targets), n, x) for runs, x in zip((one, other), measured, strict=True)]
    numbers = {
        f"p@{n}": [x.p for x in measured],
        "loss": [x.loss for x in measured],
        "of_chance": [x.share for x in measured],
    }
    names = [one.name, other.name]
    result.contrasts = [{"name": name, "groups": names, **_plain(x.minus(y))} for name, (x, y) in numbers.items()]
    silent = together(x.unfit for x in measured)
    estimates = (measured[0].p, measured[1].p, n, measured[0].share, measured[1].share)
    groups = Groups(one.name, other.name, *estimates, silent.kinds, n / max(one.words - 1, 1))
    result.contrasts[0]["verdict"], result.contrasts[-1]["verdict"] = MORE_STABLE.judge(groups), groups.by_loss
    noisy = ", and ".join(x.few for x in measured if x.few)
    answer.report(f"{one.name} and {other.name}", 0.0)
    apart = drawn_apart(one, other)
    seen = of_lists([x.lists for x in measured], [x.words for x in measured], apart)
    unlike, alike = seen.most_unlike() if not (silent or noisy or same) else _no_test(targets)
    spaces = [by_neighbours(seen, n, one.words, min(len(one), len(other)), apart)]
    losses = [torch.full((len(targets),), torch.nan, dtype=torch.float64, device="cpu")] * 3
    if (one.unit, one.centre) == (other.unit, other.centre):  # as those of one command are
        both = engine.place(side_by_side([one, other]), answer.compute)
        cosines = of_cosines(both, len(one), apart, answer.compute)
        spaces += [cosines.agreement] if cosines.agreement else []
        losses = [x[targets] for x in cosines.losses]
    words = list(_words(one, targets, measured, seen, unlike, losses))
    agreed = [Spaces(one.name, other.name, row, n, bool(same), bool(groups.unlike), silent.kinds) for row in spaces]
    result.tables |= {
        **WORDS.named(words),
        **SPACES.named([x.told for x in agreed]),
        **UNLIKE.named(unlike_words(one, targets, seen, [x.lists for x in measured], alike, unlike)),
    }
    less = [sum(word.surely == place for word in words) for place in ("first", "second")]
    differing = Differing(one.name, other.name, less[0], less[1], len(words), silent, noisy)
    named_words = [row.word for row in UNLIKE.rows(result.tables)]
    result.verdict = [
        MORE_STABLE.sentence(groups),
        WORDS_DIFFER.sentence(differing),
        *map(DIFFER.sentence, agreed),
        SEEN_DIFFERENTLY.sentence(Seen(one.name, other.name, named_words, len(words), silent, noisy, bool(same))),
    ]


def _no_test(targets: Tensor) -> tuple[Tensor, Tensor]:
    nothing = torch.full(targets.shape, torch.nan, dtype=torch.float64, device="cpu")
    return nothing, torch.empty(0, dtype=torch.long, device="cpu")


def _measure(runs: Runs, targets: Tensor, n: int, answer: Answer, notes: Sequence[str]) -> _Measured:
    compute = answer.compute
    answer.report(runs.name, 0.0)
    placed = engine.place(runs, compute)
    pip = engine.pip_pass(placed, compute)
    lists = engine.neighbour_pass(placed, targets, n, compute, lambda done: answer.report(runs.name, done / len(runs)))
    overlap = engine.overlap_pass(lists, [lists.k], compute, spread=lists.k)
    between = overlap.p[0].cpu()
    words = WordValues(*(x.cpu() for x in overlap.of_words()))
    common = common_error(between, float(words.mean.mean()))  # what all words have in common moves none of them
    error = (pooled_error(words, len(runs)).square() - common).clamp(min=0).sqrt()
    losses = pair_matrix(pip.reduced, len(runs))
    flaws = flaws_of(placed, pip)
    loss = _estimate(losses)
    chance = float(pip.scale.chance.square().mean().sqrt()) if pip.scale else 0.0
    unlike = at_chance(loss, chance) == "yes"
    few = few_runs(runs.name, float(words.mean.mean()), len(runs), unlike=unlike)
    untold = bool(flaws.names) or bool(few)
    noise = (
        torch.full_like(error, torch.nan) if untold else parts(words.sd, words.se, len(runs)).noise(len(runs)) - common
    )
    nothing = [nothing_in_common(f"two of {the_runs(runs.name)}", loss, chance, runs.key.technique)] if unlike else []
    answer.warn(
        runs.name,
        [*sentences_of(flaws, pip), *alarm_of_ties(lists, lists.k), *nothing],
        [*flaws.apart, *note_of_ties(lists, lists.k), *notes],
    )
    return _Measured(
        loss, loss.over(chance), _estimate(between), words, error, noise, lists, unfit(flaws, the_runs(runs.name)), few
    )


def _estimate(pairs: Tensor) -> Estimate:
    statistics = pair_statistics(pairs)
    return Estimate.of_runs(statistics.mean, statistics.se, len(pairs))


def _group(runs: Runs, targets: int, n: int, measured: _Measured) -> dict[str, Any]:
    return {
        "name": runs.name,
        "runs": list(runs.names),
        "words": runs.words,
        "targets": targets,
        "pip": _plain(measured.loss),
        "of_chance": _plain(measured.share),
        f"p@{n}": _plain(measured.p),
    }


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"mean": estimate.value, "se": estimate.se, "interval": list(estimate.interval)}


def _words(
    runs: Runs, targets: Tensor, measured: Sequence[_Measured], seen: Words, unlike: Tensor, losses: Sequence[Tensor]
) -> Iterator[Word]:
    """Yield every word's numbers in both groups and between them, and where it surely is less stable."""
    one, other = measured
    difference = one.words.mean - other.words.mean
    noise = one.noise + other.noise
    known = bool(noise.isfinite().all())
    less = [highest_tenth(x, noise) if known else torch.full_like(x, torch.nan) for x in (-difference, difference)]
    surely = [set(standing_out(x).tolist()) for x in less]
    numbers = {
        "p_first": one.words.mean,
        "p_second": other.words.mean,
        "difference": difference,
        "se": torch.hypot(one.error, other.error),
        "less_first": less[0],
        "less_second": less[1],
        "p_between": seen.shared.between.value,
        "beyond": seen.shared.beyond.value,
        "beyond_se": seen.se,
        "unlike": unlike,
        "loss_first": losses[0],
        "loss_second": losses[1],
        "loss_between": losses[2],
    }
    counts = runs.counts_in_a_run()
    columns = [x.tolist() for x in numbers.values()]
    for k, (row, *values) in enumerate(zip(targets.tolist(), *columns, strict=True)):
        where = "first" if k in surely[0] else "second" if k in surely[1] else ""
        own = dict(zip(numbers, values, strict=True))
        yield Word(word=runs.vocabulary.text(row), count=counts[row], surely=where, **own)
