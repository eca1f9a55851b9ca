"""What similarity does a cosine stand for? Scored pairs of sentences or words give a curve, and how sure it is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.corpus.variants import UNSPACED
from gpustab.encoders.runner import models_of
from gpustab.errors import InputError, option
from gpustab.evaluation.calibration import FEWEST, Calibration, calibrate, explained_beyond
from gpustab.evaluation.sentence_pairs import SentencePairs, read_sentence_pairs
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.kernels.arithmetic import product
from gpustab.kernels.cosine import cosines
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results.page import counted
from gpustab.runs.runs import Runs
from gpustab.statistics.monotone import Floats
from gpustab.studies.calibration.claims import TELLS, said_of
from gpustab.studies.calibration.options import CalibrationOptions
from gpustab.studies.calibration.tables import CALIBRATED, CURVES, NAMED, Calibrated, Named, calibration_of, curve_of
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of
from gpustab.studies.shared.wording import groups_in_words
from gpustab.studies.thresholds.baselines import Baseline, Levels, bases_of, items_of
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.wordnet.options import WordnetOptions

_AT_ONCE = 512
"""Sentences between two words on how far the work is."""
_ROWS = 256
"""Words whose cosines with all others are looked at, to draw pairs from."""
_BINS = 50
_AGAIN, _DISTINCT = 3, 4
"""So often a value that may stand for no score occurs; so many distinct ones there are at least."""
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
"""A word, or a character of a script without blanks between words."""
_VARY = 0.1
"""Part of the pairs, whose share of words is not the commonest one, below which shared words are no test."""


class Scores(NamedTuple):
    """Scored pairs as one model or space sees them.

    Attributes:
        test: where the scores are from.
        kind: sentences or words.
        cosines: ``(n,)``.
        scores: ``(n,)``.
        items: what each pair is of.
        shared: ``(n,)`` share of words that two sentences have in common; ``None`` for words.
        drawn: whether the pairs were drawn evenly over the cosines.
    """

    test: str
    kind: str
    cosines: Floats
    scores: Floats
    items: Sequence[tuple[object, object]]
    shared: Floats | None = None
    drawn: bool = False

    def with_vectors(self) -> Scores:
        """Return the pairs both of whose vectors are numbers."""
        kept = np.flatnonzero(np.isfinite(self.cosines))
        shared = None if self.shared is None else self.shared[kept]
        items = [self.items[k] for k in kept.tolist()]
        return self._replace(cosines=self.cosines[kept], scores=self.scores[kept], items=items, shared=shared)


def calibration(
    groups: Groups = (),
    options: CalibrationOptions | None = None,
    *,
    models: Sequence[Path | str] = (),
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Find what similarity the cosines of encoders, or of spaces, stand for.

    Args:
        groups: of runs of words; of each the first run is calibrated.
        options: what cosines are compared with.
        models: folders of encoders of sentences, in place of groups, see
            :class:`gpustab.formats.checkpoints.encoder.SentenceEncoder`.
        compute: device; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`CalibrationOptions`.

    Returns:
        Tables ``calibrated`` (errors of the curve beside others), ``named`` (cosines of some similarities), ``curves``;
        :func:`calibrations_of` makes objects of them that are applied to cosines.

    Raises:
        InputError: if a file or model cannot be read, or there are fewer than 20 distinct scored pairs.
    """
    options = chosen(CalibrationOptions, options, choices)
    given = [] if isinstance(groups, tuple) and not groups else groups_of(groups)
    if bool(given) == bool(models):
        raise InputError(f"give groups of runs of words, or folders of encoders by {option('model', ...)}")
    with answering("calibration", options, groups, compute, progress) as answer:
        found = _of_models(models, options, answer) if models else _of_spaces(given, options, answer)
        for group, scores in found:
            _add(answer, group, scores, options)
        tables = answer.result.tables
        answer.result.verdict = [said_of(row, tables) for row in CALIBRATED.rows(tables)]
        answer.result.files = dict(_files_of(calibrations_of(answer.result)))
    return answer.result


def calibrations_of(result: Result) -> dict[str, Calibration]:
    """Return the calibrations that a result of this study holds, by model or space."""
    return {
        row.group: calibration_of(row, list(CURVES.rows(result.tables, group=row.group)))
        for row in CALIBRATED.rows(result.tables)
    }


def _files_of(curves: Mapping[str, Calibration]) -> Iterator[tuple[str, str]]:
    """Yield names of files and what stands in them; names that a folder cannot tell apart get a number.

    Large and small letters are one on some machines.
    """
    taken = set[str]()
    for name, one in curves.items():
        plain = name.replace("/", "-")
        may = (plain, *(f"{plain}-{k}" for k in range(2, len(curves) + 2)))
        own = next(stem for stem in may if stem.casefold() not in taken)
        taken.add(own.casefold())
        yield f"calibration-{own}.json", one.to_json()


def _of_models(
    folders: Sequence[Path | str], options: CalibrationOptions, answer: Answer
) -> Iterator[tuple[str, Scores]]:
    if options.scores is None:
        raise InputError(f"no scored pairs of sentences were given; give a file by {option('scores', ...)}")
    pairs = read_sentence_pairs(options.scores, columns=options.word_columns, score_column=options.score_column)
    answer.result.notes += pairs.notes
    models = models_of([Path(folder) for folder in folders])
    for number, model in enumerate(models):
        encoder = SentenceEncoder(model.folder, answer.compute.device)
        tell = lambda part, k=number, name=model.name: answer.report(f"reading by {name}", (k + part) / len(models))  # noqa: E731
        yield model.name, of_encoder(encoder, pairs, tell)
        answer.notes[model.name] = list(encoder.notes)


def of_encoder(encoder: Any, pairs: SentencePairs, tell: Any = lambda _: None) -> Scores:
    """Return scored pairs of sentences as an encoder sees them; the cosine of what has no vector is not finite.

    Args:
        encoder: its ``encode`` gives vectors ``(n, d)`` of n texts.
        pairs: with their scores.
        tell: called with the finished part of the sentences.
    """
    sentences, rows = pairs.sentences, torch.empty(0, 0, device="cpu")
    for start in range(0, len(sentences), _AT_ONCE):
        own = encoder.encode(sentences[start : start + _AT_ONCE]).cpu()
        rows = rows if start else own.new_empty(len(sentences), own.shape[1])
        rows[start : start + len(own)] = own
        tell(min(start + _AT_ONCE, len(sentences)) / len(sentences))
    row = {sentence: k for k, sentence in enumerate(sentences)}
    both = torch.tensor([[row[first], row[second]] for first, second in pairs.pairs], device="cpu")
    found = torch.cat([cosines(*rows[lot.mT].double()) for lot in both.split(_AT_ONCE)]).numpy()
    shared = np.array([shared_words(*pair) for pair in pairs.pairs])
    return Scores(pairs.name, "sentences", found, np.array(pairs.scores), pairs.pairs, shared)


def shared_words(first: str, second: str) -> float:
    """Return what part of the distinct words of two sentences both have, from 0 to 1 (Dice's coefficient).

    Of scripts without blanks between words, as of Chinese, Japanese or Thai, each character counts as a word.

    >>> shared_words("A dog barks.", "The dog slept")
    0.3333333333333333
    >>> shared_words("猫坐", "狗坐")
    0.5
    """
    one, two = (set(_WORD.findall(text.casefold())) for text in (first, second))
    return 2 * len(one & two) / max(1, len(one) + len(two))


def _of_spaces(groups: Sequence[Any], options: CalibrationOptions, answer: Answer) -> Iterator[tuple[str, Scores]]:
    wanted = ThresholdsOptions(
        baseline=options.scores,
        word_columns=options.word_columns,
        score_column=options.score_column,
        seed=options.seed,
        **{field.name: getattr(options, field.name) for field in fields(WordnetOptions)},
    )
    bases = bases_of(wanted, None)
    for number, group in enumerate(groups):
        runs = answer.take(group, number / len(groups))
        base, without = bases(runs, items_of(group))
        if base is None:
            raise InputError(f"{groups_in_words([runs.name])}: {without}")
        answer.notes[runs.name] = [*runs.notes, *base.notes]
        if len(runs) > 1:
            answer.notes[runs.name].append(f"The first of its {len(runs)} runs is calibrated, {runs.names[0]}.")
        yield runs.name, of_space(runs, base, options)


def of_space(runs: Runs, base: Baseline, options: CalibrationOptions) -> Scores:
    """Return scored pairs of words as the first run of a group sees them."""
    if isinstance(base, Levels):
        first, second, found, values = _drawn(runs, base, options)
    else:
        first, second, values = base.rows[base.pairs[:, 0]], base.rows[base.pairs[:, 1]], base.values.cpu()
        found = cosines(runs.select(0, first), runs.select(0, second)).cpu()
    items = list(zip(first.tolist(), second.tolist(), strict=True))
    return Scores(base.name, "words", found.numpy(), values.numpy(), items, drawn=isinstance(base, Levels))


def _drawn(runs: Runs, base: Levels, options: CalibrationOptions) -> tuple[Tensor, ...]:
    """Draw pairs evenly over the cosines: pairs at random are hardly ever similar."""
    random = torch.Generator().manual_seed(options.seed)
    chosen_rows = torch.randperm(len(base.rows), generator=random, device="cpu")[:_ROWS].sort().values
    vectors = runs.select(0, base.rows)
    cosine = product(vectors[chosen_rows.to(vectors.device)], vectors.mT).cpu()
    value = torch.cat([base.values[base.block(k, k + 1).long()].cpu() for k in chosen_rows.tolist()])
    row = torch.arange(len(chosen_rows), device="cpu")[:, None].expand_as(cosine)
    column = torch.arange(len(base.rows), device="cpu").expand_as(cosine)
    taken = torch.zeros(len(base.rows), dtype=torch.bool, device="cpu")
    taken[chosen_rows] = True
    known = value.isfinite() & (chosen_rows[:, None] != column) & ~(taken[column] & (column < chosen_rows[:, None]))
    row, column, cosine, value = (part[known] for part in (row, column, cosine, value))
    low, high = cosine.min(), cosine.max()
    bins = ((cosine - low) / (high - low).clamp(min=1e-12) * _BINS).long().clamp(max=_BINS - 1)
    order = torch.randperm(len(cosine), generator=random, device="cpu")
    order = order[bins[order].argsort(stable=True)]
    start = torch.bincount(bins, minlength=_BINS).cumsum(0) - torch.bincount(bins, minlength=_BINS)
    place = torch.arange(len(order), device="cpu") - start[bins[order]]
    picked = order[place < max(1, options.pairs // _BINS)]
    return base.rows[chosen_rows[row[picked]]], base.rows[column[picked]], cosine[picked], value[picked]


def _add(answer: Answer, group: str, scores: Scores, options: CalibrationOptions) -> None:
    """Calibrate one model or space, and add its rows; one whose cosines are all equal has an alarm."""
    given, scores = len(scores.items), scores.with_vectors()
    x, y = scores.cosines, scores.scores
    answer.result.alarms += [f"{groups_in_words([group])}: {said}" for said in _strange(y)]
    if len(x) < given:
        answer.result.notes.append(
            f"{groups_in_words([group])}: {given - len(x):,} of {given:,} scored pairs were left out, since an item of "
            "theirs has no vector, or one that is not finite."
        )
    pairs = len({frozenset(pair) for pair in scores.items})
    if pairs < FEWEST:
        each = f" with {len(x)} ratings" if len(x) > pairs else ""
        raise InputError(f"{scores.test}: {counted(pairs, 'scored pair')} of {group}{each}, wanted at least {FEWEST}")
    answer.result.groups.append({"name": group, "kind": scores.kind, "test": scores.test, "pairs": len(x)})
    if np.ptp(x) <= 1e-6:
        answer.result.alarms.append(
            f"{groups_in_words([group])}: all cosines are {x[0]:.4f}. The vectors are collapsed, and tell nothing."
        )
        return
    try:
        made = calibrate(x, y, scores.items, name=f"{group}, {scores.test}", seed=options.seed)
    except InputError as refused:
        raise InputError(f"{scores.test}: {refused}") from None
    tables, span = answer.result.tables, (float(y.min()), float(y.max()))
    facts = (group, scores.test, scores.kind, made.pairs, made.items, *span, float(x.mean()))
    gain, (shared, more, error) = (made.gain, made.gain_error, made.freedom), _by_words(scores, options.seed)
    if scores.shared is not None and shared is None:
        answer.result.notes.append(
            f"{groups_in_words([group])}: nearly all scored pairs share the same part of their words, so that shared "
            "words are no test beside the cosine."
        )
    calibrated = Calibrated(*facts, *made.errors, *gain, shared, more, error, scores.drawn)
    CALIBRATED.add(tables, [calibrated])
    CURVES.add(tables, curve_of(made, group))
    levels = options.levels or [span[0] + part * (span[1] - span[0]) for part in (0.25, 0.5, 0.75)]
    NAMED.add(tables, [Named(group, level, *made.threshold(level)) for level in levels])
    if _falls(x, y) and not made.knows and TELLS.judge(calibrated) != "falls":
        answer.result.notes.append(
            f"{groups_in_words([group])}: scores fall where the cosine rises. If they are distances, give them with "
            "the other sign."
        )


def _by_words(scores: Scores, seed: int) -> tuple[float | None, float | None, float | None]:
    """Return what shared words alone explain, how much more the cosine does, and its error.

    There is none of pairs of words, nor where nearly all pairs share as much.
    """
    if scores.shared is None or _other_than_most(scores.shared) < _VARY:
        return None, None, None
    beyond = explained_beyond(scores.cosines, scores.shared, scores.scores, scores.items, seed=seed)
    return beyond.other.value, beyond.more.value, beyond.more.se


def _other_than_most(values: Floats) -> float:
    """Return what part of the values is not the commonest one."""
    return 1 - float(np.unique(values, return_counts=True)[1].max()) / len(values)


def _falls(x: Floats, y: Floats) -> bool:
    """Tell whether scores surely fall where cosines rise."""
    correlation = float(np.corrcoef(x, y)[0, 1])
    return bool(correlation < -3 / math.sqrt(len(x)))


def _strange(scores: Floats) -> Iterator[str]:
    """Yield what is to be said of a score that may stand for none: one value again and again, apart from all others.

    It lies three times as far from all others as they spread, or is the only one below 0 and on no scale with them.

    >>> [said.partition(" of ")[0] for said in _strange(np.array([0, 1.5, 4, 5, 2, 999, 999, 999, -1, -1, -1]))]
    ['3 scores', '3 scores']
    >>> list(_strange(np.array([-1.0, 0, 1] * 9))), list(_strange(np.array([0.0, 5, 1.2, 90])))
    ([], [])
    """
    values, times = np.unique(scores, return_counts=True)
    kept = np.ones(len(values), bool)
    for end, beside in ((-1, -2), (0, 1)):
        ends = values[kept]
        if len(ends) < _DISTINCT or times[kept][end] < _AGAIN:
            continue
        gap, spread = abs(ends[end] - ends[beside]), np.ptp(np.delete(ends, end))
        alone = end == 0 and ends[0] < 0 <= ends[1] and not gap <= spread < 2 * gap
        if gap > 3 * spread or alone:
            kept[np.flatnonzero(kept)[end]] = False
            yield (
                f"{times[values == ends[end]][0]:,} scores of {len(scores):,} are {ends[end]:g}, and all others lie "
                "apart. If that stands for no score, leave these pairs out: they decide what is found."
            )
