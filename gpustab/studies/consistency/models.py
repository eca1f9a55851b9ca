"""The models: what the vectors of each give in one run of a background, and as rows of tables over all runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.word_ranks import ROUNDING
from gpustab.machine.environment import environment
from gpustab.options import record
from gpustab.runs.runs import Runs
from gpustab.small_data import nonce
from gpustab.small_data.additive import centred, mean_context
from gpustab.small_data.svd import marked_corpus, svd_vectors
from gpustab.small_data.text import Samples, Text
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import show
from gpustab.studies.consistency import tables
from gpustab.studies.consistency.comparisons import InGeneral
from gpustab.studies.consistency.measures import (
    NUMBERS,
    Array,
    Consistency,
    LeftOut,
    Own,
    Ranks,
    consistency_of,
    over_runs,
    over_terms,
    places,
    size_constant,
    unit,
)
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Prepared, are_enough, same_documents
from gpustab.studies.consistency.tables import ADDITIVE, CENTRED, TESTED
from gpustab.studies.consistency.tuning import Reporter, every_setting, nonce_settings, pairs_of, that_choose
from gpustab.studies.shared.finished import Finished
from gpustab.studies.shared.same_runs import fingerprints

_TERMS, _NEAREST = 10, 4
"""Terms that are shown with so many nearest words."""


class Model(NamedTuple):
    """What the vectors of one model give; places are left out where the origin was moved."""

    numbers: Consistency
    ranks: Ranks | None
    own: Own | None


class OfRun(NamedTuple):
    """What one run of a background gives; models by their names, of which Nonce2Vec may have diverged."""

    models: dict[str, Model]
    nearest: list[tables.Neighbours]
    updates: list[tables.Updates]
    settings: list[tables.Setting]
    diverged: bool


class BySvd(NamedTuple):
    """The SVD model, and beside it the additive one with its window: windows, not models, may make the difference.

    Of every background run, by the name of the model; ``lost`` samples have no vector in the SVD model.
    """

    models: dict[str, list[Model]]
    lost: int


KINDS = (
    *(LeftOut, Consistency, Ranks, Own, Model, OfRun, BySvd, InGeneral),
    *(tables.Neighbours, tables.Updates, tables.Setting, tables.Size, tables.Split),
)
"""What is kept of finished parts."""


def parts_of(finished: Finished, runs: Runs, prepared: Prepared, options: ConsistencyOptions) -> Finished:
    """Return what keeps one background's parts: they depend on vectors, samples, options and version."""
    if finished.folder is None:
        return finished
    version = environment(prepared.words.device).get("gpustab")
    of_runs = [[digest.hex() for digest in fingerprints(runs)], list(runs.names), record(options), version]
    samples, counts = prepared.samples, prepared.counts
    words = [prepared.group, *(word.decode("utf-8", "replace") for word in prepared.text.words)]
    return finished.of(of_runs, words, prepared.text.tokens, *samples, counts.data, counts.indices, counts.indptr)


def of_run(
    runs: Runs,
    r: int,
    prepared: Prepared,
    outputs: nonce.Outputs | None,
    options: ConsistencyOptions,
    kept: Finished,
    report: Reporter,
) -> OfRun:
    """Measure one run of a background, or take what it gave before the call was stopped."""
    if outputs is not None:
        kept = kept.of(outputs.digest(runs.names[r]) if kept.folder else "")

    def make() -> OfRun:
        output = None if outputs is None else outputs.of(runs, r)
        return _of_run(runs, r, prepared, output, options, kept.of(runs.names[r]), report)

    return kept.part(runs.names[r], make)


def _of_run(
    runs: Runs,
    r: int,
    prepared: Prepared,
    output: nonce.Output | None,
    options: ConsistencyOptions,
    kept: Finished,
    report: Reporter,
) -> OfRun:
    """Measure the additive model, and Nonce2Vec where there are output vectors."""
    device, left = prepared.words.device, prepared.frequencies.rows[prepared.text.tokens[prepared.kept]]
    words, sums = _unit_words(runs, r, prepared), prepared.sums(runs, r)
    models = {
        ADDITIVE: of_model(sums, prepared, words),
        CENTRED: of_model(centred(sums, prepared.words, mean_context(left, runs, r, device)), prepared, None),
    }
    near = nearest(sums, prepared, words, runs.vocabulary, ADDITIVE)
    if output is None:
        return OfRun(models, near, [], [], False)
    settings = nonce_settings(options)
    grid = every_setting(sums, prepared, output, settings, kept, report) if options.grid else []
    pairs = pairs_of(prepared, output, settings)
    vectors = nonce.trained(sums, output, pairs, settings)
    finite = bool(torch.isfinite(vectors).all())
    if finite:
        model = f"Nonce2Vec ({options.nonce_output})"
        models[model] = of_model(vectors, prepared, words)
        near += nearest(vectors, prepared, words, runs.vocabulary, model)
    return OfRun(models, near, updates(prepared, pairs), grid, not finite)


def beside(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> dict[str, list[Consistency]]:
    """Return the additive model's consistency of made-up words in the same documents, of every run.

    By the names of the sums and of the centred sums; empty where the documents have too few other sentences.
    """
    other = in_documents(prepared, runs, options)
    numbers: dict[str, list[Consistency]] = {}
    if other is None:
        return numbers
    for r in range(len(runs)):
        for name, vectors in sums_of(other, prepared, runs, r).items():
            numbers.setdefault(name, []).append(consistency_of(vectors, other.samples, other.allowed))
    return numbers


def in_documents(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> Prepared | None:
    """Return samples of made-up words in other sentences of the same documents; none where these are too few."""
    text, samples, before = same_documents(prepared.text, prepared.samples, options.seed)
    if not are_enough(samples):
        return None
    unknown = np.full(len(samples.terms), -1, dtype=np.int64)
    frequencies = prepared.frequencies._replace(rows=np.concatenate([prepared.frequencies.rows, unknown]))
    kept = np.where(before >= 0, prepared.kept[before], True)
    return prepared._replace(text=text, frequencies=frequencies, kept=kept).of(samples, runs, options)


def sums_of(samples: Prepared, text: Prepared, runs: Runs, r: int) -> dict[str, Tensor]:
    """Return the sums of samples in one run, ``(P, d)``, and those less the mean of all contexts of the text."""
    sums, device = samples.sums(runs, r), text.words.device
    left = text.frequencies.rows[text.text.tokens[text.kept]]
    return {ADDITIVE: sums, CENTRED: centred(sums, samples.words, mean_context(left, runs, r, device))}


def updates(prepared: Prepared, pairs: nonce.Pairs) -> list[tables.Updates]:
    """Return how many updates the sentences of a sample give, the first, the second, ...: means over the samples."""
    sizes, rows = prepared.samples.sizes, []
    for s in range(int(sizes.max())):
        samples = int((sizes > s).sum())
        rows.append(tables.Updates(prepared.group, s + 1, samples, int((pairs.sentence == s).sum()) / samples))
    return rows


def tuned(
    runs: Runs, prepared: Prepared, outputs: nonce.Outputs, best: tables.Setting, options: ConsistencyOptions
) -> dict[str, list[Model]]:
    """Measure the best setting on the terms that it was not chosen on, and the sums of these terms, in every run."""
    rows, part = prepared.having(~that_choose(len(prepared.samples.terms), options.seed))
    settings = nonce_settings(options)._replace(**{name: getattr(best, name) for name in nonce.GRID})
    name = f"Nonce2Vec ({options.nonce_output}, tuned)"
    models: dict[str, list[Model]] = {TESTED: [], name: []}
    for r in range(len(runs)):
        words, sums, output = _unit_words(runs, r, prepared), prepared.sums(runs, r), outputs.of(runs, r)
        vectors = nonce.trained(sums, output, pairs_of(prepared, output, settings), settings)
        models[TESTED].append(of_model(sums[rows], part, words))
        models[name].append(of_model(vectors[rows], part, words))
    return models


def _unit_words(runs: Runs, r: int, prepared: Prepared) -> Tensor:
    """The background's words in one run, ``(v, d)`` of unit length; those that not all runs have are zero."""
    device = prepared.words.device
    return unit(runs.rows[r][0 : runs.words].to(device)) * runs.joint.to(device)[:, None]


def of_model(vectors: Tensor, prepared: Prepared, words: Tensor | None) -> Model:
    """Measure the vectors of one model, ``(P, d)``.

    Places are among ``words``, ``(v, d)`` of unit length; ``None`` where places among them mean nothing.
    """
    numbers = consistency_of(vectors, prepared.samples, prepared.allowed)
    if words is None:
        return Model(numbers, None, None)
    return Model(numbers, *places(vectors, prepared.samples, words, prepared.term_rows))


def of_samples(general: Text, text: Text, samples: Samples, options: ConsistencyOptions) -> Tensor:
    """Return the SVD model's vectors of all samples, ``(P, d)``."""
    corpus, marked = marked_corpus(general, text, samples, options.svd_min_count)
    return svd_vectors(corpus, options.svd_dim, options.svd_window, options.seed)[torch.from_numpy(marked)]


def by_svd(prepared: Prepared, runs: Runs, vectors: Tensor, options: ConsistencyOptions) -> BySvd:
    """Measure both; ``vectors`` are the SVD model's, ``(P, d)``."""
    narrow = prepared.of(prepared.samples, runs, replace(options, window=options.svd_window))
    sums = [narrow.sums(runs, r) for r in range(len(runs))]
    models = {
        f"{ADDITIVE} (window {options.svd_window})": [of_model(x, prepared, None) for x in sums],
        f"SVD (window {options.svd_window})": [of_model(vectors, prepared, None)],
    }
    return BySvd(models, int((~vectors.any(1)).sum()))


def nearest(
    vectors: Tensor, prepared: Prepared, words: Tensor, vocabulary: Vocabulary, model: str
) -> list[tables.Neighbours]:
    """Return the nearest words of the first two samples of the ten most frequent terms (table 7).

    Terms of which a sample has no direction have none.
    """
    samples, text = prepared.samples, prepared.text
    terms = np.argsort(-text.counts[samples.terms], kind="stable")[:_TERMS]
    rows, directed = [], vectors.any(1).cpu().numpy()
    for k in terms.tolist():
        two = np.flatnonzero(samples.term == k)[:2]
        if not directed[two].all():
            continue
        x = unit(vectors[torch.from_numpy(two).to(vectors.device)])
        cosines, between = product(x, words.double().T), float((x[0] * x[1]).sum())
        top = cosines.topk(min(_NEAREST, len(words)), 1).indices.tolist()
        places = ((cosines > between + ROUNDING).sum(1) + 1).tolist()
        shared = len(set(top[0]) & set(top[-1]))
        term = show(text.words[samples.terms[k]])
        for number, (best, place) in enumerate(zip(top, places, strict=True), 1):
            near = ", ".join(vocabulary.text(w) for w in best)
            rows.append(tables.Neighbours(prepared.group, model, term, number, between, place, shared, near))
    return rows


def model_numbers(
    group: str,
    background: str,
    text: str,
    model: str,
    each: Sequence[Consistency],
    words: float,
    others: Sequence[Consistency] = (),
) -> tables.ModelNumbers:
    """Return the numbers of one model, means over R background runs, each with its interval over terms.

    The constant of the size law is by ``words``, see :func:`~gpustab.studies.consistency.measures.words_of_pairs`;
    ``others`` are other sentences of the same documents, over the same terms, whose AUC stands beside the terms' own.
    """
    what = (group, background, text, model, len(each), len(each[0].by_term["same"]))
    numbers = [value for name in NUMBERS for value in _spread(each, name)]
    rank = float(np.mean([one.rank for one in each]))
    constant = size_constant(over_runs(each, "same").value, words)
    c = constant if model in (ADDITIVE, CENTRED) else None
    return tables.ModelNumbers._make((*what, *numbers, rank, each[0].among, words, c, *_beyond(each, others)))


def _beyond(each: Sequence[Consistency], others: Sequence[Consistency]) -> tuple[float | None, ...]:
    """The AUC of other sentences of the same documents, and the interval of what the terms' own is above it."""
    if not others:
        return None, None, None
    own, other = over_runs(each, "auc"), over_runs(others, "auc")
    return other.value, *own.minus(other).estimate.interval


def _spread(each: Sequence[Consistency], name: str) -> tuple[float, float, float, float | None]:
    """A mean over runs, the ends of its interval over terms, and its SD over runs."""
    mean, values = over_runs(each, name), [one.numbers[name].value for one in each]
    return mean.value, *mean.estimate.interval, float(np.std(values, ddof=1)) if len(each) > 1 else None


def contrast(
    group: str,
    names: tuple[str, str],
    numbers: Mapping[str, Sequence[Consistency]],
    others: Mapping[str, Sequence[Consistency]],
) -> tables.Contrast:
    """Return the difference of two models' cosine and AUC, with intervals over the terms, which are the same.

    Args:
        group: background and text.
        names: of the two models.
        numbers: of every model its consistency.
        others: of some that of other sentences of the same documents; of both, what is beyond them is compared too.
    """
    row = list[float]()
    for name in ("same", "auc"):
        one, two = (over_runs(numbers[model], name) for model in names)
        row += [one.minus(two).value, *one.minus(two).estimate.interval]
    made = tables.Contrast._make((group, *names, *row, len(one.without), None, None))
    if not all(others.get(model) for model in names):
        return made
    first, second = (over_runs(numbers[model], "auc").minus(over_runs(others[model], "auc")) for model in names)
    low, high = first.minus(second).estimate.interval
    return made._replace(beyond_low=low, beyond_high=high)


def word_ranks(group: str, model: str, each: Sequence[Ranks], words: int) -> tables.WordRanks:
    """Return the places among the background's words, means over runs."""
    means = [float(np.mean(values)) for values in zip(*each, strict=True)]
    return tables.WordRanks._make((group, model, *means, words))


def run_numbers(group: str, names: Sequence[str], model: str, each: Sequence[Consistency]) -> list[tables.RunNumbers]:
    """Return the numbers of every background run by itself."""
    of = names if len(names) == len(each) else ("no background",)  # the SVD model has none
    return [
        tables.RunNumbers(group, name, model, *(one.numbers[key].value for key in NUMBERS))
        for name, one in zip(of, each, strict=True)
    ]


def own_vectors(group: str, model: str, each: Sequence[Own]) -> tables.OwnVectors:
    """Return a row of table 6: means over the terms that the background has, and over its runs.

    The interval is of the mean excess over the null level, over terms.
    """
    cosine, null, place = (np.mean(values, axis=0) for values in zip(*each, strict=True))
    has = ~np.isnan(cosine)
    excess = (cosine - null)[has]
    low, high = over_terms(excess).interval
    means = _mean(cosine[has]), _mean(null[has]), _mean(excess)
    return tables.OwnVectors(group, model, len(excess), *means, low, high, _mean(place[has]))


def _mean(values: Array) -> float | None:
    return float(values.mean()) if len(values) else None


def term_numbers(prepared: Prepared, raw: Sequence[Consistency], own: Sequence[Own]) -> list[tables.TermNumbers]:
    """Return the numbers of every term in the additive model, means over runs."""
    means = [np.mean([one.by_term[name] for one in raw], axis=0) for name in ("same", "null", "auc", "rank")]
    means.append(np.mean([one.cosine for one in own], axis=0))
    text, samples = prepared.text, prepared.samples
    sizes = np.bincount(samples.term, samples.sizes).astype(int)
    what = zip(samples.terms.tolist(), text.counts[samples.terms].tolist(), sizes.tolist(), strict=True)
    return [
        tables.TermNumbers(prepared.group, show(text.words[word]), count, size, *map(float, values))
        for (word, count, size), *values in zip(what, *means, strict=True)
    ]
