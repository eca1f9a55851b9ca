"""Which of two groups of runs is more stable, over the same words, and which words differ most?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
from gpustab.runs.families import over_common_words
from gpustab.runs.group import Group, loaded
from gpustab.runs.runs import Runs
from gpustab.spaces.words import some_words
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.levels import highest_tenth
from gpustab.statistics.reliability import WordValues, common_error, parts, pooled_error
from gpustab.statistics.windows import standing_out
from gpustab.studies.compare import CompareOptions
from gpustab.studies.compare.claims import MORE_STABLE, WORDS_DIFFER, Differing, Groups, few_runs
from gpustab.studies.shared.frame import Answer, answering, groups_of
from gpustab.studies.shared.same_runs import said_of, same_runs
from gpustab.studies.shared.spaces import flaws_of, named, sentences_of
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

    Args:
        first: one group.
        second: the other.
        options: what is compared.
        compute: device, precision, back end; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`CompareOptions`.

    Returns:
        ``groups``: each one's numbers over the common words; ``contrasts``: their differences; table ``words``.

    Raises:
        InputError: if the groups have fewer than two words in common.
    """
    options = chosen(CompareOptions, options, choices)
    given = groups_of([first, second])
    with answering("compare", options, given, compute, progress) as answer:
        (one, other), rows = over_common_words([loaded(group) for group in given])
        if len(rows[0]) < 2:
            shown = "; ".join(f"{runs.name} has {some_words(list(runs.vocabulary)[:3], 3)}" for runs in (one, other))
            raise InputError(
                f"'{one.name}' and '{other.name}' have {counted(len(rows[0]), 'word')} in common; wanted two or more: "
                f"{shown}"
            )
        _compare(one, other, rows, options, answer)
    return answer.result


class _Measured(NamedTuple):
    """One group over the common words."""

    loss: Estimate
    share: Estimate
    p: Estimate
    words: WordValues
    error: Tensor
    noise: Tensor
    lists: int
    far: list[str]
    few: str


def _compare(one: Runs, other: Runs, rows: list[Tensor], options: CompareOptions, answer: Answer) -> None:
    result = answer.result
    result.notes += said_of(same_runs({runs.name: runs for runs in (one, other)}))
    targets = engine.draw_targets(one, options.targets, options.seed)
    same = rows[1][torch.searchsorted(rows[0], targets)]  # the same words' rows in the other group
    measured = [_measure(runs, words, options.n, answer) for runs, words in ((one, targets), (other, same))]
    n = measured[0].lists
    result.settings["n"] = n
    result.groups = [
        _group(runs, len(rows[0]), len(targets), n, x) for runs, x in zip((one, other), measured, strict=True)
    ]
    numbers = {
        f"p@{n}": [x.p for x in measured],
        "loss": [x.loss for x in measured],
        "of_chance": [x.share for x in measured],
    }
    names = [one.name, other.name]
    result.contrasts = [{"name": name, "groups": names, **_plain(x.minus(y))} for name, (x, y) in numbers.items()]
    groups = Groups(one.name, other.name, measured[0].p, measured[1].p, n, measured[0].share, measured[1].share)
    result.contrasts[0]["verdict"], result.contrasts[-1]["verdict"] = MORE_STABLE.judge(groups), groups.by_loss
    words = list(_words(one, targets, *measured))
    result.tables[WORDS.name] = WORDS.table(words)
    less = [sum(word.surely == place for word in words) for place in ("first", "second")]
    far = [f"{run} of {the_runs(runs.name)}" for runs, x in zip((one, other), measured, strict=True) for run in x.far]
    silent = f"{named(far)} {'lies' if len(far) == 1 else 'lie'}" if far else ""
    noisy = ", and ".join(x.few for x in measured if x.few)
    differing = Differing(one.name, other.name, less[0], less[1], len(words), silent, noisy)
    result.verdict = [MORE_STABLE.sentence(groups), WORDS_DIFFER.sentence(differing)]


def _measure(runs: Runs, targets: Tensor, n: int, answer: Answer) -> _Measured:
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
    few = few_runs(runs.name, float(words.mean.mean()), len(runs))
    untold = bool(flaws.names) or bool(few)
    noise = (
        torch.full_like(error, torch.nan) if untold else parts(words.sd, words.se, len(runs)).noise(len(runs)) - common
    )
    answer.warn(runs.name, sentences_of(flaws, pip))
    loss = _estimate(losses)
    chance = float(pip.scale.chance.square().mean().sqrt()) if pip.scale else 0.0
    return _Measured(loss, loss.over(chance), _estimate(between), words, error, noise, lists.k, flaws.names, few)


def _estimate(pairs: Tensor) -> Estimate:
    statistics = pair_statistics(pairs)
    return Estimate.of_runs(statistics.mean, statistics.se, len(pairs))


def _group(runs: Runs, words: int, targets: int, n: int, measured: _Measured) -> dict[str, Any]:
    return {
        "name": runs.name,
        "runs": list(runs.names),
        "words": words,
        "targets": targets,
        "pip": _plain(measured.loss),
        "of_chance": _plain(measured.share),
        f"p@{n}": _plain(measured.p),
    }


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"mean": estimate.value, "se": estimate.se, "interval": list(estimate.interval)}


def _words(runs: Runs, targets: Tensor, one: _Measured, other: _Measured) -> Iterator[Word]:
    """Yield every word's difference, and where it surely is less stable."""
    difference = one.words.mean - other.words.mean
    error = torch.hypot(one.error, other.error)
    noise = one.noise + other.noise
    known = bool(noise.isfinite().all())
    less = [highest_tenth(x, noise) if known else torch.full_like(x, torch.nan) for x in (-difference, difference)]
    surely = [set(standing_out(x).tolist()) for x in less]
    columns = [x.tolist() for x in (one.words.mean, other.words.mean, difference, error, *less)]
    counts = runs.counts_in_a_run()
    for k, (row, p, q, by, se, first, second) in enumerate(zip(targets.tolist(), *columns, strict=True)):
        where = "first" if k in surely[0] else "second" if k in surely[1] else ""
        yield Word(runs.vocabulary.text(row), counts[row], p, q, by, se, first, second, where)
