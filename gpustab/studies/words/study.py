"""Why is a word unstable? The stability of words, told from what is known of them, over runs.

After Wendlandt, Kummerfeld & Mihalcea 2018 and Pierrejean & Tanguy 2018; with errors over runs and over words, and the
same judged by runs that were not asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab import engine
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.errors import InputError, marked, option
from gpustab.kernels.arithmetic import product
from gpustab.kernels.overlap import shared_neighbours
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Column, Sheet, Table
from gpustab.results.page import counted, signed
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.spaces.words import show
from gpustab.statistics.intervals import pearson
from gpustab.studies.instability.losses import word_matrices
from gpustab.studies.shared.claims import OBSERVED, Claim
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of, made_of, reading_of, without_copies
from gpustab.studies.shared.spaces import is_fact, look_at
from gpustab.studies.shared.wording import groups_in_words, listed
from gpustab.studies.words.claims import BY_EFFECT, EFFECTS, PARTS_OF, SPEECH, Effect, Part, changed, explained, matters
from gpustab.studies.words.factors import (
    FACTORS,
    PART_OF_SPEECH,
    Design,
    Floats,
    Words,
    design_of,
    of_corpus,
    of_counts,
    of_letters,
    of_wordnet,
    titles,
)
from gpustab.studies.words.options import WordsOptions
from gpustab.studies.words.regression import Known, Regression, fit, regress
from gpustab.wordnet.lexicon import Lexicon, read_lexicon

LOSS = "PIP loss"
_WORDS = 1024
"""Words whose pairs of runs are held at once."""
_HALVES = 4
"""Runs from which on each half of them has a pair."""


class Fitted(NamedTuple):
    """How well all factors together tell the words' stability."""

    group: str
    measure: Annotated[str, Column("stability by", about="as in the table of effects")]
    runs: int
    words: Annotated[int, Column(about="of which all factors are known")]
    r2: Annotated[float, Column("R²", 2, "part of the differences between words that all factors explain")]
    low: Annotated[float, Column(about="95 % interval: errors over runs and over words")]
    high: float
    half_r2: Annotated[float, Column("R² of half", 2, "the same by half of the runs, mean of the two halves")]
    held_out: Annotated[
        float, Column("R² on the others", 2, "of the regression on half of the runs, judged by the other half")
    ]
    most: Annotated[
        float, Column("at most", 2, "Pearson's r of the words' stability in both halves: no factors could reach more")
    ]


class WordRow(NamedTuple):
    """One word: its stability, and what is known of it."""

    group: str
    word: str
    shared: Annotated[float, Column("p@n", about="share of its n neighbours that two runs have in common")]
    loss: Annotated[float, Column("PIP loss", about="reduced, mean over the pairs of runs")]
    frequency: Annotated[float | None, Column(about="occurrences in a run, logarithm to base 10")]
    spread: Annotated[
        float | None, Column(about="documents that have it, by those that chance would give it, logarithm to base 2")
    ]
    place: Annotated[float | None, Column(about="mean place in the text, from 0 to 1")]
    letters: float | None
    senses: Annotated[float | None, Column(about="in WordNet, logarithm to base 2")]
    part_of_speech: Annotated[str, Column(about="under which WordNet has most of its senses")]
    nearest: Annotated[float, Column(about="cosine with its nearest word, mean over runs")]


FITS = Sheet("fits", Fitted, "one row a group and measure of stability")
WORDS = Sheet("words", WordRow, "one row a group and word of which all factors are known", long=True)


class Measured(NamedTuple):
    """The words' numbers by some subsets of the runs, each ``(s, t)``; NaN of a subset without a pair.

    Attributes:
        shared: p@n.
        loss: reduced PIP loss.
        nearest: mean cosine with the nearest word.
    """

    shared: Floats
    loss: Floats
    nearest: Floats


def words(
    groups: Groups,
    options: WordsOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Tell the stability of words from their frequency, spread, senses, part of speech and nearest word, by regression.

    Every group of runs has an answer of its own. Stability is p@n, and beside it the word's PIP loss.

    Args:
        groups: from :func:`gpustab.load_groups` or :func:`gpustab.open_groups`.
        options: lists, words, text and WordNet.
        compute: device and precision; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`WordsOptions`.

    Returns:
        Tables ``effects``, ``parts``, ``fits``, ``observations`` and, in files, ``words``.

    Raises:
        InputError: if WordNet's folder or the text was named and cannot be read.
    """
    options = chosen(WordsOptions, options, choices)
    with answering("words", options, groups, compute, progress) as answer:
        given = groups_of(groups)
        lexicon, said = _lexicon(options)
        texts: dict[str, Corpus | str] = {}
        for k, group in enumerate(given):
            part = k / len(given)
            runs = without_copies(answer.take(group, part), answer, "the words")
            answer.report(f"{runs.name}: words", part)
            _of_group(group, runs, options, lexicon, texts, answer)
        answer.result.notes += said
        _answer(answer.result)
    return answer.result


def _lexicon(options: WordsOptions) -> tuple[Lexicon | None, list[str]]:
    """WordNet, or why it is not read; where its folder was named an error says that."""
    if options.wordnet == "none":
        return None, []
    try:
        return read_lexicon(options.wordnet, tags=False), []
    except InputError as error:
        if options.wordnet is not None:
            raise
        return None, [f"Part of speech and senses are not among the factors: {marked(error)}."]


def _corpus(
    group: Runs | Group, options: WordsOptions, texts: dict[str, Corpus | str]
) -> tuple[Corpus | None, list[str]]:
    """The text of a group, or why there is none; each is read once."""
    from gpustab.corpus.tokenise import prepare_corpus

    made = made_of(group) if isinstance(group, Group) else {}
    ways = f"name the text by {option('text')}"
    if options.text is None and (not made or group.key.part or group.key.fraction != 1):
        why = "these runs read a part of their text" if made else "these runs tell no text"
        return None, [f"Spread and place in the text are not among the factors: {why}; {ways}."]
    name, reading = options.text or made["corpus"]["name"], reading_of(made) if made else CorpusOptions(min_count=1)
    key = f"{name} {reading}"
    if key not in texts:
        try:
            texts[key] = prepare_corpus(name, reading, look=False)
        except InputError as error:
            if options.text is not None or isinstance(error.__cause__, OSError):  # it is there, and reading it failed
                raise
            texts[key] = f"The text of the runs cannot be read again ({marked(error)}); {ways}."
    found = texts[key]
    return (found, []) if isinstance(found, Corpus) else (None, [found])


def _of_group(
    group: Runs | Group,
    runs: Runs,
    options: WordsOptions,
    lexicon: Lexicon | None,
    texts: dict[str, Corpus | str],
    answer: Answer,
) -> None:
    """Answer for one group."""
    alarms = look_at(runs, answer.compute)
    corpus, notes = _corpus(group, options, texts)
    targets = engine.draw_targets(runs, options.targets, options.seed)
    targets = targets[runs.joint.cpu()[targets]]
    names = [runs.vocabulary[k] for k in targets.tolist()]
    counts = runs.counts_in_a_run()
    known = [of_letters(names), of_counts([counts[k] for k in targets.tolist()])]
    known += [of_wordnet(names, lexicon)] if lexicon and names else []
    known += [of_corpus(names, corpus)] if corpus and names else []
    notes += [note for one in known for note in one.notes]
    answer.warn(runs.name, alarms, notes)
    summary = {"name": runs.name, "runs": list(runs.names), "words": len(names), "factors": []}
    answer.result.groups.append(summary)
    if len(runs) < 2 or len(names) <= len(FACTORS) + 1:
        few = f"{counted(len(runs), 'run')} and {counted(len(names), 'word')} are too few for a regression."
        answer.notes[runs.name].append(few)
        return
    measured = measure(runs, targets, options.n, answer.compute)
    design = design_of({name: x for one in known for name, x in one.columns.items()} | {"nearest": measured.nearest[0]})
    if design.left_out:
        alike = listed(list(titles(design.left_out)))
        answer.notes[runs.name].append(f"All words are alike in what is left out: {alike}.")
    if lost := int((~design.kept).sum()):
        answer.notes[runs.name].append(
            f"{counted(lost, 'word', 'is/are', of=len(names))} left out, since the text lacks them."
        )
    summary |= {"words": int(design.kept.sum()), "factors": list(titles(list(design.factors)))}
    WORDS.add(answer.result.tables, _words(runs.name, names, known, measured, design.kept))
    silent = any(not is_fact(sentence) for sentence in alarms)
    found = regression_tables(runs.name, design, measured, options, silent=silent)
    sheets: tuple[Sheet[Any], ...] = (EFFECTS, PARTS_OF, FITS)
    for sheet in sheets:
        sheet.add(answer.result.tables, sheet.rows(found))


def subsets_of(runs: int) -> NDArray[np.bool_]:
    """Return all runs, all without each, and the two halves, ``(R + 3, R)``; runs take turns in the halves.

    >>> subsets_of(3).astype(int).tolist()
    [[1, 1, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 0]]
    """
    first = np.arange(runs) % 2 == 0
    return np.vstack([np.ones(runs, bool), ~np.eye(runs, dtype=bool), first, ~first])


def measure(runs: Runs, targets: Tensor, n: int, compute: Compute) -> Measured:
    """Return the words' p@n, loss and nearest cosine by all runs, without each, and by the two halves."""
    runs = engine.place(runs, compute)
    count, some = len(runs), torch.from_numpy(subsets_of(len(runs))).double()
    pairs = (some[:, :, None] * some[:, None, :]).flatten(1)  # (s, R²)
    pairs[:, :: count + 1] = 0
    pairs /= pairs.sum(1, keepdim=True)  # 0 / 0 of a subset without a pair
    lists = engine.neighbour_pass(runs, targets, n, compute)
    basis = engine.gram_pass(runs, compute, torch.float64)
    found = torch.empty(2, len(some), len(targets), dtype=torch.float64, device="cpu")
    for start in range(0, len(targets), _WORDS):
        part = slice(start, start + _WORDS)
        shared = shared_neighbours(lists.indices[:, part], [lists.k])[0].cpu().double() / lists.k
        losses = word_matrices(runs, targets[part].to(runs.device), compute, basis).cpu()
        for k, matrices in enumerate((shared, losses)):
            found[k, :, part] = product(pairs, matrices.flatten(1).mT)
    nearest = product(some / some.sum(1, keepdim=True), lists.cosines[:, :, 0].cpu())
    return Measured(*(x.numpy() for x in (*found, nearest)))


def _words(
    group: str, names: Sequence[bytes], known: Sequence[Words], measured: Measured, kept: NDArray[np.bool_]
) -> Iterator[WordRow]:
    columns = {name: x for one in known for name, x in one.columns.items()}

    def of(name: str, k: int) -> float | None:
        return float(columns[name][k]) if name in columns else None

    for k in np.flatnonzero(kept).tolist():
        own = next((kind for kind in ("verb", "adjective", "adverb", "other") if of(kind, k)), "noun")
        yield WordRow(
            group,
            show(names[k]),
            shared=float(measured.shared[0, k]),
            loss=float(measured.loss[0, k]),
            frequency=of("frequency", k),
            spread=of("spread", k),
            place=of("place", k),
            letters=of("letters", k),
            senses=of("senses", k),
            part_of_speech=own if "verb" in columns else "",
            nearest=float(measured.nearest[0, k]),
        )


def regression_tables(
    group: str, design: Design, measured: Measured, options: WordsOptions, *, silent: bool = False
) -> dict[str, Table]:
    """Return the tables of the regressions of both measures of stability.

    Args:
        group: name of the group.
        design: what is known of the words.
        measured: their numbers by all runs, without each, and by the halves.
        options: length of the lists, and the seed.
        silent: whether nothing may be judged.
    """
    count, kept, tables = len(measured.shared) - 3, design.kept, dict[str, Table]()
    designs = []
    for nearest in measured.nearest[:, kept]:
        x = design.x.copy()
        if "nearest" in design.names:
            x[:, design.names.index("nearest")] = nearest
        designs.append(x)
    with np.errstate(divide="ignore"):
        measures = {f"p@{options.n}": measured.shared[:, kept], LOSS: -np.log(measured.loss[:, kept])}
    for measure_, values in measures.items():
        found = regress(designs[: count + 1], values[: count + 1], design.factors, design.classes, options.seed)
        whose = (group, measure_)
        words_ = 0 if silent else int(kept.sum())
        scale = options.n if measure_ != LOSS else 100.0
        EFFECTS.add(tables, _effects(whose, count, words_, found, design, values[0], scale))
        PARTS_OF.add(tables, _parts(whose, count, words_, found, design))
        halves = _halves(designs[count + 1 :], values[count + 1 :], design, count)
        r2 = found.number("r2")
        FITS.add(tables, [Fitted(*whose, count, int(kept.sum()), r2.value, *r2.interval, *halves)])
    return tables


def _effects(
    whose: tuple[str, str], runs: int, words_: int, found: Regression, design: Design, values: Floats, scale: float
) -> Iterator[Effect]:
    for k, name in enumerate(design.names):
        effect, slope, step = found.number("effects", k), found.number("slopes", k), scale * FACTORS[name].step
        yield Effect(
            *whose,
            name,
            runs,
            words_,
            alone=pearson(design.x[:, k].tolist(), values.tolist()),
            effect=effect.value,
            low=effect.interval[0],
            high=effect.interval[1],
            runs_se=effect.runs_se,
            words_se=effect.words_se,
            change=step * slope.value,
            change_low=step * slope.interval[0],
            change_high=step * slope.interval[1],
            step=FACTORS[name].said,
        )


def _parts(whose: tuple[str, str], runs: int, words_: int, found: Regression, design: Design) -> Iterator[Part]:
    for k, name in enumerate(design.factors):
        part: Known = found.number("partial", k)
        yield Part(*whose, name, runs, words_, part.value, *part.interval)


def _halves(designs: Sequence[Floats], values: Floats, design: Design, runs: int) -> tuple[float, float, float]:
    """R² by half of the runs, the same judged by the other half, and what could be reached there."""
    if runs < _HALVES:
        return math.nan, math.nan, math.nan
    own, others = [], []
    for k in (0, 1):
        made, y = fit(designs[k], values[k], [], design.classes), values[1 - k]
        own.append(made.r2)
        missed = np.square(y - made.predict(designs[k])).sum()
        others.append(1 - missed / np.square(y - y.mean()).sum() if np.ptp(y) else math.nan)
    return float(np.mean(own)), float(np.mean(others)), pearson(values[0].tolist(), values[1].tolist())


def judged(tables: Mapping[str, Table], group: str) -> Iterator[tuple[Claim[Any], Effect | Part, str]]:
    """Yield the claims on the factors of one group, what each judges, and the numbers, by p@n."""
    for row in EFFECTS.rows(tables, group=group):
        if row.factor in BY_EFFECT and row.measure != LOSS:
            yield BY_EFFECT[row.factor], row, changed(row)
    for part in PARTS_OF.rows(tables, group=group, factor=PART_OF_SPEECH):
        if part.measure != LOSS:
            yield SPEECH, part, explained(part)


def _answer(result: Result) -> None:
    """Add the table of observations, and as verdict what is said of every group."""
    for group in result.groups:
        rows = list(judged(result.tables, group["name"]))
        OBSERVED.add(result.tables, [claim.observed(row, group["name"], shows) for claim, row, shows in rows])
        before = f"{groups_in_words([group['name']])}: " if len(result.groups) > 1 else ""
        first = strongest(list(EFFECTS.rows(result.tables, group=group["name"])))
        said = [first] * bool(first) + said_of([(claim, row) for claim, row, _ in rows])
        result.verdict += [before + sentence for sentence in said]
    if not result.verdict and not result.alarms:
        result.verdict = ["Nothing can be said of these words: there is no regression."]


def strongest(rows: Sequence[Effect]) -> str:
    """Return which factors matter by each measure of stability, the largest effect first; empty where none does."""
    said = []
    for name in dict.fromkeys(row.measure for row in rows):
        own = sorted((row for row in rows if row.measure == name and matters(row)), key=lambda row: -abs(row.effect))
        factors = [f"{FACTORS[row.factor].title} ({signed(row.effect)})" for row in own]
        said.append(f"by {name} {listed(factors) if factors else 'none'}")
    if not any(map(matters, rows)):
        return ""
    how = "effects in standard deviations, all else equal"
    return f"These factors matter for stability ({how}): {'; '.join(said)}. What follows is by {rows[0].measure}."


def said_of(rows: Sequence[tuple[Claim[Any], Effect | Part]]) -> list[str]:
    """Return what is said of factors: what is so first, then what is not; what is open only where all is."""
    by_verdict = [(claim.judge(row), claim.sentence(row)) for claim, row in rows]
    told = [sentence for kind in ("yes", "no") for verdict, sentence in by_verdict if verdict == kind]
    untold = [sentence for kind in ("undecided", "no test") for verdict, sentence in by_verdict if verdict == kind]
    return told or untold[:1]
