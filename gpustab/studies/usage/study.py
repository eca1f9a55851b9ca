"""Change of meaning by usage (Giulianelli, Del Tredici & Fernández 2020; Kutuzov & Giulianelli 2020), with its errors.

Every occurrence of a word is a vector that depends on its sentence. Two periods differ in a word where usages of both
lie farther apart than those of one. How far two samplings of one period lie apart is found by dealing out the documents
of both periods anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.evidence import shared_column
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.slices import count_periods
from gpustab.encoders.runner import models_of
from gpustab.errors import InputError, near, option, some_of
from gpustab.evaluation.truth import Truth, read_truth
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.windows import check_layer
from gpustab.formats.options import read_word_list
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results.page import counted
from gpustab.spaces.words import readings, show
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.finished import digest_of
from gpustab.studies.shared.frame import answering
from gpustab.studies.shared.wording import capital
from gpustab.studies.usage.claims import COMPARED, DIFFER, EXAMPLES, FEWEST, PAIRS, TRUTH, USED, shows, untested
from gpustab.studies.usage.compared import Found, Text, compare, examples, pair_of, rank, rows_of, text_of
from gpustab.studies.usage.measures import MEASURES
from gpustab.studies.usage.options import UsageOptions
from gpustab.studies.usage.usages import Sentences, Usages, counts_of, drawn, read_usages

Numbers = NDArray[np.int64]
_READING = 0.8
"""Part of the work that the encoder does."""


def usage(
    corpus: Corpus,
    corpus_options: CorpusOptions,
    folder: Path,
    options: UsageOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    finished: Path | None = None,
    **choices: Any,
) -> Result:
    """Tell which words are used differently from each period to the next, beyond two samplings of one period.

    Args:
        corpus: of documents, read from a source.
        corpus_options: those that it was made with.
        folder: of an encoder, see :class:`gpustab.formats.checkpoints.encoder.SentenceEncoder`.
        options: which usages are compared, and how.
        compute: where the encoder runs; default: the CPU.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        finished: folder where sentences that are read are kept, so that a stopped call goes on from there; who calls
            removes it. Default: nothing is kept.
        **choices: options one by one, see :class:`UsageOptions`.

    Returns:
        Tables ``pairs``, ``words``, ``usages``, ``examples``, ``truth`` and ``observations``.

    Raises:
        InputError: if there are no two periods, no word to look at, or the folder holds no encoder.
    """
    options = chosen(UsageOptions, options, choices)
    if not options.epochs_by:
        raise InputError(f"which periods? Give {option('epochs_by', 'year:1850-1899,1950-1999')}, or a column")
    with answering("usage", options, (), compute, progress) as answer:
        result = answer.result
        text = text_of(corpus, corpus_options, options.epochs_by)
        truths = _truths(options, text.names)
        model = models_of([folder])[0]
        encoder = SentenceEncoder(folder, answer.compute.device)
        layer = check_layer(encoder, options.layer)
        words, said = _words(text, options, truths)
        result.notes += said
        names = [text.corpus.vocabulary[k] for k in words]
        counts = counts_of(text.corpus, words, text.period, len(text.names))
        wanted = drawn(counts, names, options.most, options.seed)
        sentences = Sentences(text.corpus, corpus_options, words, wanted, text.period)
        answer.report(f"reading sentences by {model.name}", 0.0)
        place = None
        if finished is not None:
            asked = [options.epochs_by, names, options.most, options.seed, layer]
            place = finished / digest_of(corpus.hash, asdict(corpus_options), asked, model.digest)
        tell = _told(answer.report, f"reading sentences by {model.name}")
        usages = read_usages(encoder, sentences, layer, place, tell, by_sentence=options.centre == "sentence")
        result.settings |= {"corpus": corpus.name, "model": model.name, "layer": layer}
        found = Found(text, [show(name) for name in names], usages, options)
        USED.add(result.tables, found.used(counts))
        for k, (first, second) in enumerate(pairwise(range(len(text.names)))):
            part = _READING + (1 - _READING) * k / (len(text.names) - 1)
            answer.report(f"{text.names[first]} to {text.names[second]}: dealing out documents", part)
            _between(found, first, second, truths, result)
        result.notes += _notes(usages, text, model.name, layer, options, encoder)
        result.groups = [
            {
                "name": name,
                "documents": int((text.period == k).sum()),
                "usages": found.of_period(k),
                "drawn": text.corpus.drawn,
            }
            for k, name in enumerate(text.names)
        ]
        pairs = list(PAIRS.rows(result.tables))
        used = {(row.period, row.word): row for row in USED.rows(result.tables)}
        decide = [pair for pair in pairs if pair.measure == "apd"]
        result.verdict = [DIFFER.sentence(pair) for pair in decide]
        result.verdict += filter(None, (untested(pair, used) for pair in decide))
        OBSERVED.add(result.tables, [DIFFER.observed(pair, "", shows(pair)) for pair in pairs])
    return result


def _told(report: Progress, what: str) -> Callable[[float], None]:
    return lambda part: report(what, _READING * min(part, 1.0))


def _truths(options: UsageOptions, names: Sequence[str]) -> list[Truth]:
    if options.truth is None:
        return []
    found = read_truth(options.truth, options.truth_columns)
    for column in found:
        asked = f"{column.name}:{'changed' if column.sign > 0 else 'unchanged'}"
        if not column.period and len(names) > 2:
            raise InputError(
                f"{option('truth_columns', asked)}: of which two periods? Name the earlier one: "
                f"{', '.join(f'{asked}:{name}' for name in names[:-1])}"
            )
        if column.period and column.period not in names[:-1]:
            raise InputError(
                f"{option('truth_columns', f'{asked}:{column.period}')}: no two periods begin with it"
                f"{near(column.period, names[:-1])}; there are {', '.join(names[:-1])}"
            )
    return found


def _words(text: Text, options: UsageOptions, truths: Sequence[Truth]) -> tuple[list[int], list[str]]:
    """Return the numbers of the words that are looked at, and what is to be said of them."""
    vocabulary = text.corpus.vocabulary
    asked = [] if options.words is None else read_word_list(options.words)
    asked += [word.encode() for truth in truths for word in truth.values]
    if not asked:
        return _drawn_words(text, options)
    found, lacking, lowercase = dict[int, None](), list[str](), text.options.lowercase
    for word in dict.fromkeys(asked):
        written = word.decode("utf-8", "surrogateescape")
        ways = [written, written.lower()] if lowercase else [written]
        known = [own for way in ways for own in readings(way) if own in vocabulary]
        if known:
            found[vocabulary.index_of(known[0])] = None
        else:
            lacking.append(show(word))
    if not found:
        raise InputError(f"none of {counted(len(lacking), 'word')} is in {text.corpus.name}: {some_of(lacking, 5)}")
    few = counted(len(lacking), "word", "is/are", of=len(found) + len(lacking))
    return list(found), [f"{few} not in the text: {some_of(lacking, 5)}."] if lacking else []


def _drawn_words(text: Text, options: UsageOptions) -> tuple[list[int], list[str]]:
    """Draw words of those that stand in enough documents of every period."""
    size = len(text.corpus.vocabulary)
    starts = text.corpus.texts[text.corpus.documents]
    have = np.zeros((len(text.names), size), np.int64)
    for k, period in enumerate(text.period):
        have[period, np.unique(text.corpus.tokens[starts[k] : starts[k + 1]])] += 1
    enough = np.flatnonzero(have.min(0) >= FEWEST)
    if not len(enough):
        raise InputError(
            f"{text.corpus.name}: no word stands in {int(FEWEST)} documents of every period, as a test wants; take "
            "fewer and longer periods"
        )
    rng = np.random.default_rng(options.seed)
    taken = sorted(rng.choice(enough, min(options.targets, len(enough)), replace=False).tolist())
    return taken, [
        f"{counted(len(taken), 'word', 'was/were', of=len(enough))} drawn at random, of those in {int(FEWEST)} "
        f"documents of every period; {option('words', 'FILE')} names yours."
    ]


def _between(found: Found, first: int, second: int, truths: Sequence[Truth], result: Result) -> None:
    tested = compare(found, first, second)
    rows = list(rows_of(found, tested, first, second))
    COMPARED.add(result.tables, rows)
    for m, measure in enumerate(MEASURES):
        PAIRS.add(result.tables, [pair_of(found, tested, [row for row in rows if row.measure == measure], m)])
    EXAMPLES.add(result.tables, examples(found, rows, first, second))
    for truth in truths:
        if truth.period in ("", found.text.names[first]):
            ranked, said = rank(truth, rows)
            TRUTH.add(result.tables, ranked)
            result.notes += said


def _notes(
    usages: Usages, text: Text, name: str, layer: int, options: UsageOptions, encoder: SentenceEncoder
) -> Iterator[str]:
    """Yield how usages were read, and what has none."""
    if text.corpus.unit == "document" and (shared := shared_column(text.corpus.records)):
        yield (
            f"{capital(shared.says)}. Each is dealt out by itself here. Where those of one are alike, too many words "
            f"are found: {shared.way.partition(' if ')[0]}."
        )
    read: Counter[str] = usages.read
    of = f"{read['kept']:,} usages in {counted(read['windows'], 'window')} of {counted(read['passages'], 'sentence')}"
    yield f"{name} read {of}; a usage is the mean of its pieces in layer {layer} ({option('layer')})."
    what = "of all words of these sentences" if options.centre == "all" else "of the other words of its own sentence"
    yield (
        f"The mean {what} was taken out of every usage ({option('centre')}): all states of a transformer point one "
        "way, which says nothing of a word."
    )
    yield (
        f"Of a word in a period at most {options.most:,} occurrences were read ({option('most')}), spread over as many "
        "documents as could be; the table of usages has the counts. Where documents of one period hold more, as many "
        "are left out of the comparison as make both alike."
    )
    if encoder.tokenizer.encode(encoder.read("Year")) != encoder.tokenizer.encode(encoder.read("year")):
        yield "This encoder tells capitals from small letters: where spelling changed, a word may seem to have."
    for what, noun, whole, why in (
        (
            "cut passages",
            "sentence",
            "passages",
            "is/are longer than the model takes, and read in windows that overlap",
        ),
        ("repeated", "occurrence", "drawn", "is/are left out: the same sentence has it in the same period"),
        ("no vector", "occurrence", "drawn", "has/have no vector: the encoder does not know its signs"),
        ("not found", "occurrence", "drawn", "has/have no place in a sentence, whose rules cut other words there"),
    ):
        if n := read[what]:
            verbs, _, rest = why.partition(" ")
            yield f"{counted(n, noun, verbs, of=read[whole])} {rest}."
    periods = count_periods(text.corpus, options.epochs_by, text.options.unclear_dates)
    yield f"Periods: {periods.summary}."
    if empty := [period.name for period in periods.periods if not period.tokens]:
        yield f"{some_of(empty)}: no document is of {counted(len(empty), 'such period')}, and none is compared."
    if text.corpus.together is not None:
        yield f"Documents of one {text.corpus.drawn} are dealt out together."
