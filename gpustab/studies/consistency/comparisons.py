"""The additive model at equal samples, of n sentences, of halves, of several texts; and terms beside general text.

A half split compared with samples of another size says nothing of development. So the parts are as large: whole
documents change places, or in a text of one document blocks of neighbouring sentences. Single sentences never do: those
of a chapter belong together, and a text whose chapters stand in random order would seem to develop. Of several texts
the samples are cut to one number of context words, drawn at random from each: larger samples have higher cosines, and
are told apart better too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.arithmetic import product, row_dot
from gpustab.runs.runs import Runs
from gpustab.small_data.svd import marked_text, svd_vectors
from gpustab.small_data.text import Ids, Samples, Text
from gpustab.spaces.words import some_words
from gpustab.statistics.intervals import Estimate
from gpustab.studies.consistency.claims import P_VALUE
from gpustab.studies.consistency.measures import (
    Array,
    Consistency,
    consistency_of,
    over_runs,
    over_terms,
    size_constant,
    unit,
    words_of_pairs,
)
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Prepared, draw_samples, middle, sentences_of
from gpustab.studies.consistency.tables import CLOSEST, Domain, Size, Split, TextPair

_PERMUTATIONS, _WORDS = 6, 7
"""Streams of the seed."""

DOCUMENTS = 10
"""Documents that can be permuted; of fewer a text of several has no test."""
_BLOCKS = 10
"""Blocks of neighbouring sentences in each half of a text of one document."""

_ROUNDING = 1e-12

_LOST = 0.25
"""Share of a text's terms that may be too rare in context words for the common size."""

_SIZES = (1, 2, 3, 4, 8, 10, 20, 50, 100)
"""Sentences of a sample, besides all that a term has; the paper has 1, 2, 3, 4, 8 and all."""

MATCHED = 10
"""Terms of like frequency that a term is compared with."""


def by_sentences(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> list[Size]:
    """Return the additive model's numbers from n sentences a sample, and from all that a term has.

    All sizes are of the same terms: those whose samples are as large as the largest size shown, which is the largest
    that two terms and half of those with three sentences reach. The law has its constant from the largest size alone.
    """
    largest = _largest(prepared.samples)
    same_terms = prepared.samples.first(largest)
    sizes: list[tuple[int | None, Samples]] = [(n, same_terms.first(n)) for n in _SIZES if n <= largest]
    every = all_sentences(prepared, same_terms.terms, options)
    sizes += [(None, every)] if (every.sizes > largest).any() else []
    parts = ((n, prepared.of(samples, runs, options)) for n, samples in sizes)
    rows = [_size(n, part, runs) for n, part in parts if part.allowed.any() and bool((part.words > 0).any())]
    constant = next((row.c for row in reversed(rows) if row.n is not None), math.nan)
    return [row._replace(law=row.words / (row.words + constant)) for row in rows]


def all_sentences(prepared: Prepared, terms: Ids, options: ConsistencyOptions) -> Samples:
    """Return samples of all sentences of some terms, dealt out evenly; halves and samples of a file have them all.

    The first n sentences of a sample are those that it has where there are n.
    """
    samples = prepared.samples
    if options.split == "random" and options.sample_file is None:
        most = replace(options, sentences=len(prepared.text.documents))
        samples = draw_samples(prepared.text, prepared.candidates.tolist(), most)
    return samples.take(np.isin(samples.terms, terms)[samples.term[samples.owner]])


def _size(n: int | None, part: Prepared, runs: Runs) -> Size:
    """The numbers of one size; the law comes when all are known."""
    each, words = _of_sums(part, runs), words_of_pairs(part.samples, part.words.cpu().numpy())
    same, null, auc = (over_runs(each, name) for name in ("same", "null", "auc"))
    low, high = same.estimate.interval
    constant, values = size_constant(same.value, words), (same.value, null.value, auc.value)
    what = (part.group, n, float(part.samples.sizes.mean()), len(part.samples.terms))
    return Size(*what, words, *values, low, high, constant, law=math.nan)


def _of_sums(part: Prepared, runs: Runs) -> list[Consistency]:
    """The consistency of the additive model in every run."""
    return [consistency_of(part.sums(runs, r), part.samples, part.allowed) for r in range(len(runs))]


def _largest(samples: Samples) -> int:
    least = _least(samples, samples.sizes)
    return max((n for n in _SIZES if (least >= n).sum() >= max(2, (least >= 3).sum() / 2)), default=1)


def _least(samples: Samples, sizes: Ids | Array) -> Array:
    """The size of every term's smallest sample, ``(T,)``."""
    least = np.full(len(samples.terms), np.inf)
    np.minimum.at(least, samples.term, sizes)
    return least


def halves_and_random(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> list[Split]:
    """Return how alike the halves are beside random parts of whole documents, or blocks; one row.

    ``p`` is the share of the permutations, with the split itself, whose mean cosine over terms is no larger. The terms
    are those with sentences enough in all, and in every split, the true one too, those are left out that have too few
    in a part: were they chosen by the true split, every other one would lose its rare terms, which are the least alike,
    and chapters in random order would differ in 18 of 40 orders. Tokens are counted whatever ``count`` is, since types
    do not add up. Means over background runs come before the comparison.
    """
    text, cut = prepared.text, middle(prepared.text)
    permuted, unit_of = _units(text, cut)
    if unit_of is None:
        return [Split(prepared.group, permuted, 0, *[math.nan] * 4)]
    sentences = sentences_of(text, prepared.candidates.tolist())
    terms = np.array(sorted(sentences), dtype=np.int64)
    term = np.repeat(np.arange(len(terms)), [len(sentences[k]) for k in terms.tolist()])
    members = np.concatenate([sentences[k] for k in terms.tolist()])
    counted = prepared.of(Samples(terms, term, members, np.arange(len(members) + 1)), runs, options)
    vectors = [counted.sums(runs, r) for r in range(len(runs))]
    generator = np.random.default_rng([options.seed, _PERMUTATIONS])
    sizes = np.bincount(unit_of, np.diff(text.starts).astype(np.float64))
    drawn = np.stack([_half(sizes, generator) for _ in range(options.permutations)])
    cosines = []
    for k in range(len(terms)):
        places = np.flatnonzero(term == k)
        first = np.concatenate([members[None, places] < cut, drawn[:, unit_of[members[places]]]])
        mask = torch.from_numpy(first).to(counted.words.device)
        each = [part_cosines(x[torch.from_numpy(places).to(x.device)], mask, options.least) for x in vectors]
        cosines.append(torch.stack(each).mean(0).cpu())
    return [split_row(prepared.group, permuted, cosines)]


def _units(text: Text, cut: int) -> tuple[str, Ids | None]:
    """What changes places, and to which of them every sentence belongs; ``None`` where nothing can."""
    documents = len(np.unique(text.documents))
    if documents >= DOCUMENTS:
        return "documents", text.documents
    if documents > 1:
        return f"{documents} documents", None
    middles = (text.starts[:-1] + text.starts[1:]) / 2
    edges = (
        np.linspace(0, text.starts[cut], _BLOCKS + 1)[1:],
        np.linspace(text.starts[cut], text.starts[-1], _BLOCKS + 1)[1:],
    )
    return "blocks", np.searchsorted(np.concatenate(edges), middles)


def _half(sizes: Ids | Array, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Which units are in the first part: in random order, up to half of the tokens."""
    first = np.zeros(len(sizes), dtype=np.bool_)
    order = generator.permutation(len(sizes))
    first[order] = np.cumsum(sizes[order]) - sizes[order] / 2 < sizes.sum() / 2
    return first


def part_cosines(sums: Tensor, first: Tensor, least: int = 1) -> Tensor:
    """Return the cosine of the sum of some rows and of the sum of the others.

    It is NaN where a part is too small, or its sum is zero and has no direction.

    Args:
        sums: ``(n, d)`` sums of the sentences of one term.
        first: ``(B, n)`` bool: sentences of the first part, B times.
        least: sentences of a part.

    >>> part_cosines(torch.eye(2), torch.tensor([[True, False], [True, True]])).tolist()
    [0.0, nan]
    """
    part = product(first.to(sums.dtype), sums)
    other = sums.sum(0) - part
    cosine = row_dot(unit(part), unit(other))
    both = (first.sum(1) >= least) & ((~first).sum(1) >= least) & part.any(1) & other.any(1)
    return torch.where(both, cosine, torch.nan)


def split_row(group: str, permuted: str, cosines: list[Tensor]) -> Split:
    """Return the row of one kind of permutation, by cosines of every term, ``(B + 1,)``: of the split itself first."""
    table = torch.stack(cosines)  # (T, B + 1); a term with too small a part is left out of that mean
    means, known = table.nanmean(0), table[:, 0].isfinite()
    as_unlike = (table[:, 1:] <= table[:, :1] + _ROUNDING).sum(1).double() + 1  # in float32 1/20 is above 0.05
    p = as_unlike / (table[:, 1:].isfinite().sum(1) + 1)
    return Split(
        group,
        permuted,
        terms=int(known.sum()),
        halves=float(means[0]),
        random=float(means[1:].nanmean()),
        p=int((means <= means[0] + _ROUNDING).sum()) / int(means.isfinite().sum()) if bool(known.any()) else math.nan,
        unlike_terms=float((p[known] <= P_VALUE).double().mean()),
    )


def compare_texts(group: str, parts: Sequence[Prepared], runs: Runs, options: ConsistencyOptions) -> list[TextPair]:
    """Return the numbers of every pair of texts at equal samples, and their differences with intervals.

    The samples of all texts are by the same options: their number, window and subsampling are equal.

    Raises:
        InputError: if the samples of a text are so small that none of a common size are left.
    """
    words = common_words(parts)
    cut = [of_size(part, words, options.seed) for part in parts] if words else []
    lost = [part.text.name for part in cut if len(part.samples.terms) < 2 or not part.allowed.any()]
    if lost or not cut:
        raise InputError(
            f"{some_words([name.encode() for name in lost or [parts[0].text.name]])}: too few context words to compare "
            "texts at equal samples; give more terms or more text"
        )
    each = [(part.text.name, _of_sums(part, runs)) for part in cut]
    return [text_pair(group, words, one, two) for one, two in combinations(each, 2)]


def text_pair(
    group: str, words: int, one: tuple[str, Sequence[Consistency]], two: tuple[str, Sequence[Consistency]]
) -> TextPair:
    """Return two texts, each by its name and its consistency in every run, beside each other; means over the runs.

    The error of a difference has two parts: over the terms of each text, by jackknife, and over the runs, whose
    differences are paired. With one run only the first is known: then the difference is one of this background.
    """
    (text, first), (against, second) = one, two
    terms = [len(each[0].by_term["same"]) for each in (first, second)]
    numbers = list[float]()
    for name in ("same", "null", "auc"):
        apart = difference(first, second, name)
        numbers += [over_runs(first, name).value, over_runs(second, name).value, apart.value, *apart.interval]
    return TextPair._make((group, text, against, words, len(first), *terms, *numbers))


def common_words(parts: Sequence[Prepared]) -> int:
    """Return the largest number of context words that three of four terms have in all samples, in every text."""
    least = (_least(part.samples, part.words.cpu().numpy()) for part in parts)
    return int(min(np.quantile(words, _LOST, method="lower") for words in least))


def of_size(prepared: Prepared, words: int, seed: int) -> Prepared:
    """Return samples with exactly so many of their context words, drawn at random; terms with fewer are left out."""
    samples = prepared.samples
    good = (_least(samples, prepared.words.cpu().numpy()) >= words)[samples.term]
    counts = prepared.counts[np.flatnonzero(good)].tocoo()
    row, column = (np.repeat(part, counts.data.astype(np.int64)) for part in (counts.row, counts.col))
    order = np.lexsort((np.random.default_rng([seed, _WORDS]).random(len(row)), row))
    row, column = row[order], column[order]
    kept = np.arange(len(row)) - np.searchsorted(row, row) < words
    drawn = sparse.coo_matrix((np.ones(int(kept.sum())), (row[kept], column[kept])), counts.shape).tocsr()
    return prepared.with_counts(samples.take(good[samples.owner]), drawn)


def difference(one: Sequence[Consistency], two: Sequence[Consistency], name: str) -> Estimate:
    """Return the difference of two texts in one number, from its values without each term in every run.

    The degrees of freedom of the sum of errors are Welch and Satterthwaite's.
    """
    first, second = over_runs(one, name).estimate, over_runs(two, name).estimate
    errors = [(first.se, first.freedom), (second.se, second.freedom)]
    if len(one) > 1:
        apart = [a.numbers[name].value - b.numbers[name].value for a, b in zip(one, two, strict=True)]
        errors.append((float(np.std(apart, ddof=1)) / math.sqrt(len(apart)), len(apart) - 1))
    variance = sum(se**2 for se, _ in errors)
    below = sum(se**4 / freedom for se, freedom in errors if se > 0)
    freedom = int(variance**2 / below) if below > 0 else min(freedom for _, freedom in errors)
    return Estimate(first.value - second.value, math.sqrt(variance), freedom)


class InGeneral(NamedTuple):
    """Terms of a text beside themselves in general text; those that the SVD model has.

    Attributes:
        cosine: ``(n,)`` of a term in the text to the same word in the general text.
        null: ``(n,)`` mean cosine to the words of :data:`MATCHED` other terms of the most like frequencies.
        in_text: ``(n,)`` relative frequency in the text.
        in_general: ``(n,)`` in the general text.
    """

    cosine: Array
    null: Array
    in_text: Array
    in_general: Array


def in_general(general: Text, text: Text, terms: Ids, options: ConsistencyOptions) -> InGeneral:
    """Return how like terms in the text are to themselves in the general text.

    Beside each stand the other terms that are nearest to it in both frequencies, since a cosine of PPMI-SVD vectors
    depends on them by itself. Terms without a vector, or with one of zeros, in either text are left out.
    """
    corpus, marked = marked_text(general, text, terms, options.svd_min_count)
    vectors = unit(svd_vectors(corpus, options.svd_dim, options.svd_window, options.seed))
    names = [text.words[term] for term in terms.tolist()]
    directed = vectors.any(1).tolist()
    known = {name for name in names if name in corpus.vocabulary and directed[corpus.vocabulary.index_of(name)]}
    there = [k for k, name in enumerate(names) if name in known and directed[marked[k]]]
    rows = torch.tensor([corpus.vocabulary.index_of(names[k]) for k in there], dtype=torch.long, device="cpu")
    cosines = product(vectors[torch.from_numpy(marked[there])], vectors[rows].T).numpy()
    in_text = text.counts[terms[there]] / len(text.tokens)
    counts = dict(zip(general.words, general.counts.tolist(), strict=True))
    of_general = np.array([counts.get(names[k], 0) for k in there]) / len(general.tokens)
    null = matched_null(cosines, np.log(np.stack([in_text, of_general + 1 / len(general.tokens)], 1)))
    return InGeneral(cosines.diagonal(), null, in_text, of_general)


def domains(group: str, terms: InGeneral, options: ConsistencyOptions) -> list[Domain]:
    """Return the terms by groups of frequency (table 5); intervals are of the mean excess over terms."""
    low, high = terms.in_text < options.domain_low, terms.in_text > options.domain_high
    rare, common = terms.in_general < options.general_low, terms.in_general > options.general_high
    groups = {
        "all": np.ones(len(terms.cosine), dtype=np.bool_),
        CLOSEST: high & rare,
        "low in text, low in general": low & rare,
        "low in text, high in general": low & common,
        "high in text, high in general": high & common,
    }
    return [_domain(group, name, terms.cosine[part], terms.null[part]) for name, part in groups.items()]


def _domain(group: str, name: str, cosine: Array, null: Array) -> Domain:
    n, excess = len(cosine), over_terms(cosine - null)
    means = (float(cosine.mean()), float(null.mean())) if n else (math.nan, math.nan)
    return Domain(group, name, n, *means, excess.value, *excess.interval)


def matched_null(cosines: Array, places: Array) -> Array:
    """Return the mean cosine of every term to the terms nearest to it, ``(n,)``.

    Args:
        cosines: ``(n, n)`` of terms of the text (rows) to terms of the general text.
        places: ``(n, 2)`` log frequencies in both.

    >>> cosines = np.array([[1.0, 0.2, 0.0], [0.4, 1.0, 0.0], [0.3, 0.0, 1.0]])
    >>> matched_null(cosines, np.array([[0.0, 0.0], [0.1, 0.0], [9.0, 0.0]])).tolist()
    [0.1, 0.2, 0.15]
    """
    distance = np.square(places[:, None] - places).sum(-1)
    np.fill_diagonal(distance, np.inf)
    near = np.argsort(distance, axis=1, kind="stable")[:, : min(MATCHED, len(cosines) - 1)]
    return np.take_along_axis(cosines, near, 1).mean(1) if near.shape[1] else np.full(len(cosines), np.nan)
