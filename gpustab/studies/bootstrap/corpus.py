"""What the study takes from a corpus: its query words, high words of it; the runs that are trained; and its size.

Query words are given, or chosen by count and documents, or by a topic model.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.spread import counts_in, documents_of, gathering
from gpustab.errors import InputError, first_option, marked, option
from gpustab.installing import install
from gpustab.machine.progress import Progress, no_progress
from gpustab.results.page import percent
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.spaces.words import as_word
from gpustab.studies.bootstrap.options import BootstrapOptions, BootstrapPlan
from gpustab.studies.bootstrap.tables import CorpusRow
from gpustab.studies.shared.frame import made_of, reading_of

TECHNIQUES = ("sgns", "lsa")
_DISTINCT = 0.6
"""A bootstrap draw holds about 0.63 of the units; LSA cannot have more dimensions than there are."""

COMMON = 0.8
"""A topic model is made of words of at most this share of the documents."""

HEAD = 0.5
"""The most frequent words, which together are this share of the text, are no query words: function words mostly."""

PASSAGE = 200
"""Running words of a passage, about a paragraph or two."""

_STEPS = 200
"""Steps of NMF at most."""


class Queries(NamedTuple):
    """Query words, and what must be said of how they were chosen."""

    words: tuple[bytes, ...]
    notes: tuple[str, ...] = ()


def named_queries(options: BootstrapOptions) -> Queries | None:
    """Return the query words that were named, or none.

    Raises:
        InputError: if the file cannot be read, or holds no word.
    """
    if options.query:
        return Queries(tuple(as_word(word) for word in options.query))
    if options.queries is None:
        return None
    from gpustab.formats.options import read_word_list

    words = tuple(dict.fromkeys(read_word_list(Path(options.queries))))
    if not words:
        raise InputError(f"{options.queries}: holds no word")
    return Queries(words)


def chosen_queries(corpus: Corpus, options: BootstrapOptions, progress: Progress) -> Queries:
    """Return high words of a corpus.

    Raises:
        InputError: if no word is left, or a topic model's package is missing.
    """
    progress(f"choosing query words from {corpus.name}", 0.0)
    ways = f"name your words by {option('query')}"
    flattering = "Frequent words are the more stable ones: of random words fewer neighbours hold."
    if options.choose == "idf":
        score = _clustering(corpus)
        order = np.argsort(-score, kind="stable")[: options.count]
        words = tuple(corpus.vocabulary[k] for k in order if score[k] > 0)
        if not words:
            raise InputError(
                f"{corpus.name}: no word gathers in some passages more than in others; give {option('query')}"
            )
        said = (
            f"The command chose the query words: words that gather in some documents and passages of {corpus.name}; "
            f"function words are spread evenly. The most frequent words, which are half of the text, are left "
            f"out. If they are not your words, {ways}. {flattering}"
        )
        return Queries(words, (said,))
    counts = counts_in(corpus, documents_of(corpus))
    frequency, documents = np.asarray((counts > 0).sum(0)).ravel(), counts.shape[0]
    allowed = frequency <= COMMON * documents if documents > 1 else np.ones(len(frequency), bool)
    if not allowed.any():
        why = f"every word is in more than {percent(COMMON)} of the documents"
        raise InputError(f"{corpus.name}: {why}; give {option('query')}")
    numbers, model = _of_topics(counts_in(corpus, corpus.texts), allowed, options)
    said = (
        f"The command chose the query words by a topic model of {corpus.name} ({options.choose}), without words of "
        f"more than {percent(COMMON)} of the documents. If they are not your words, {ways}. {flattering}"
    )
    return Queries(tuple(corpus.vocabulary[k] for k in numbers), (said, model))


def _clustering(corpus: Corpus) -> NDArray[np.float64]:
    """Return how far words gather, beyond chance, in some documents *and* in some passages ``(v,)``; 0 of the head.

    A word's count times its residual inverse document frequency (Church & Gale 1995): how many documents would hold
    it if each running word were drawn at random, over how many do, as a logarithm; the lesser of that of documents
    and that of passages. Words of a period or author gather in documents alone, pronouns in passages more than there.
    """
    documents = documents_of(corpus)
    total = np.bincount(corpus.tokens, minlength=len(corpus.vocabulary))
    gathered = [gathering(counts_in(corpus, bounds), total) for bounds in (documents, _passages(documents))]
    score = total * np.minimum(*gathered) if len(documents) > 2 else total * gathered[1]
    order = np.argsort(-total, kind="stable")
    before = np.cumsum(total[order]) - total[order]
    score[order[before < HEAD * total.sum()]] = 0.0
    return np.asarray(score, np.float64)


def _passages(documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cut every document into passages of about equal length; offsets into the tokens."""
    bounds = [np.linspace(a, b, max(1, round((b - a) / PASSAGE)), endpoint=False) for a, b in pairwise(documents)]
    return np.append(np.concatenate(bounds).astype(np.int64), documents[-1])


def _of_topics(counts: Any, allowed: NDArray[np.bool_], options: BootstrapOptions) -> tuple[Sequence[int], str]:
    """One high word of each topic, the strongest topics first, and what must be said of the model."""
    try:
        from sklearn.decomposition import NMF, LatentDirichletAllocation
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.feature_extraction.text import TfidfTransformer
    except ImportError:
        raise InputError(f"{option('choose', options.choose)} needs sklearn: {install('train')}") from None
    words = np.flatnonzero(allowed)
    counts = counts[:, words]
    counts = counts[np.asarray(counts.sum(1)).ravel() > 0]
    if options.choose == "nmf":
        topics = options.topics or options.count
        model = NMF(min(topics, *counts.shape), random_state=options.seed, init="nndsvd", max_iter=_STEPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it is told below
            model.fit(TfidfTransformer(sublinear_tf=True).fit_transform(counts))
        weights = model.components_
        said = f"NMF on {counts.shape[0]:,} texts: {len(weights)} topics, one word of each."
        if model.n_iter_ >= _STEPS:
            said += f" It had not converged after {_STEPS} steps."
    else:
        topics = options.topics or max(2, min(200, counts.shape[0] // 10))
        model = LatentDirichletAllocation(topics, learning_method="online", max_iter=1, random_state=options.seed)
        shares = model.fit_transform(counts).mean(0)
        weights = model.components_ / model.components_.sum(1, keepdims=True) * shares[:, None]
        filled = int((shares > 1 / (10 * topics)).sum())
        said = (
            f"LDA on {counts.shape[0]:,} texts (one pass, seed {options.seed}): of {topics} topics {filled} hold "
            "more than a tenth of an even share. It has not converged, and another seed gives other words; in the "
            "paper a person chose 20 relevant words from it, which no program can repeat."
        )
    return _highest(weights, words, options.count), said


def _highest(weights: NDArray[np.float64], words: NDArray[np.int64], count: int) -> list[int]:
    """In turns, the highest word of each topic that is not taken yet; topics by their highest weight."""
    order = np.argsort(-weights, axis=1)[:, : count + 1]
    topics = np.argsort(-weights.max(1), kind="stable")
    found: dict[int, None] = {}
    for place in range(order.shape[1]):
        for topic in topics:
            if len(found) < count:
                found[int(words[order[topic, place]])] = None
    return list(found)


_BY_TRAIN = "To choose other settings, train by gpustab train and give the run set."


def train_plan(
    corpus: str,
    plan: BootstrapPlan,
    options: CorpusOptions,
    folder: Path,
    seed: int,
    progress: Progress | None = None,
    announce: Callable[[Any], None] | None = None,
) -> tuple[Corpus, list[str]]:
    """Train what a plan wants and the run set does not have yet, by the trainer of ``gpustab train``.

    Least count, epochs and dimensions fit the whole corpus, as there, and are those of every unit and part of it.

    Args:
        corpus: a path, or ``"sotu"`` or ``"lee"``.
        plan: what is trained.
        options: how the corpus is read; unit and fraction are the plan's.
        folder: the run set.
        seed: of everything random.
        progress: see :func:`gpustab.training.runner.train_runs`.
        announce: likewise.

    Returns:
        The whole corpus, and sentences on what was changed or left out.

    Raises:
        InputError: if the corpus or the plan cannot be used.
        ComputationError: if runs failed; the others are there.
    """
    from gpustab.corpus.tokenise import prepare_corpus
    from gpustab.trainers import check_technique
    from gpustab.training import read_settings, train_runs
    from gpustab.training.fitting import fit

    notes: list[str] = []
    names = list(plan.technique or TECHNIQUES)
    for name in names:
        check_technique(name)
    shared = {"runs": plan.runs, "jobs": plan.jobs, "vary": plan.vary, "samplings": plan.sampling}
    choices = {key: list(x) if isinstance(x, tuple) else x for key, x in shared.items() if x is not None}
    content: dict[str, Any] = {"runs": 10, **choices, "corpus": corpus, "seed": seed}
    open_to_fit = {field.name: getattr(options, field.name) for field in fields(options) if field.name != "min_count"}
    with _reading_is_of_train():
        open_content = content | {"options": open_to_fit, "techniques": names}
        found = fit(open_content, folder, progress or no_progress, look=False)
        whole = found.prepare()
    if found.says:
        notes.append(f"Chosen to fit {found.says}. {_BY_TRAIN}")
    content["jobs"] = found.settings.jobs
    for unit, part in product(plan.unit or ("document",), plan.fraction or (1.0,)):
        own = replace(found.settings.options, unit=unit, fraction=part)
        units = len(whole) if unit == "document" and part == 1 else len(prepare_corpus(corpus, own, look=False))
        for name in names:
            parameters, note = _lowered(name, found.settings.parameters_of(name).model_dump(), units, unit, part)
            notes += note
            plain = {field.name: getattr(own, field.name) for field in fields(own)}
            settings = content | {"options": plain, "techniques": [name]}
            parameters = found.settings.parameters.get(name, {}) | parameters
            train_runs(
                read_settings(settings | ({name: parameters} if parameters else {})),
                folder,
                progress=progress,
                announce=announce,
            )
    return whole, notes


@contextmanager
def _reading_is_of_train() -> Iterator[None]:
    """Say where the options of reading are that an error proposes: this study has none of them."""
    try:
        yield
    except InputError as error:
        if first_option(error) not in {field.name for field in fields(CorpusOptions)}:
            raise
        raise InputError(
            f"{marked(error)}; these are options of gpustab train: train first, and give the run set"
        ) from None


def _lowered(
    name: str, parameters: dict[str, Any], units: int, unit: str, part: float
) -> tuple[dict[str, Any], list[str]]:
    """Fewer dimensions for LSA where a bootstrap draw has fewer distinct units than it has dimensions."""
    if name != "lsa":
        return {}, []
    dim, most = int(parameters["dim"]), int(_DISTINCT * units)
    if dim <= most:
        return {}, []
    if most < 1:
        raise InputError(f"{units} {unit}s are too few for lsa; leave it out by {option('technique')}")
    said = f"LSA has {most} dimensions instead of {dim} on {percent(part)} of the {unit}s: there are only {units:,}."
    return {"dim": most}, [said]


def corpus_of(groups: Sequence[Runs | Group], options: BootstrapOptions) -> Corpus:
    """Return the corpus that query words are chosen from: the one that is named, or that the run set tells.

    Raises:
        InputError: if there is none, or it cannot be read.
    """
    from gpustab.corpus.tokenise import prepare_corpus

    named = f"{option('query')} or {option('queries')}"
    ways = f"name query words by {named}, or a corpus to choose them from by {option('text')}"
    if options.text is not None:
        return prepare_corpus(options.text, look=False)
    for group in groups:
        made = made_of(group) if isinstance(group, Group) else {}
        if made:
            try:
                return prepare_corpus(made["corpus"]["name"], reading_of(made), look=False)
            except InputError as error:
                raise InputError(f"the run set's corpus cannot be read again ({error}); {ways}") from None
    raise InputError(f"these runs do not tell their corpus; {ways}")


def corpora(groups: Sequence[Runs | Group]) -> Iterator[CorpusRow]:
    """Yield table 2 of the paper for what the groups were trained on, as far as their run sets tell."""
    seen = set()
    for group in groups:
        made = made_of(group) if isinstance(group, Group) else {}
        place = (group.key.unit, group.key.fraction, group.key.part)
        if not made or place in seen or not {"units", "tokens"} <= set(made["corpus"]):
            continue
        seen.add(place)
        units, tokens = made["corpus"]["units"], made["corpus"]["tokens"]
        yield CorpusRow(made["corpus"]["name"], *place[:2], units, tokens, tokens / max(units, 1))
