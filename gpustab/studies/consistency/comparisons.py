"""The additive model at equal samples, of n sentences, of halves, of several texts; and terms beside general text.

A half split compared with samples of another size says nothing of development. So the parts are as large: the sentences
of each term change places, or the documents do, which is the stricter test, since the sentences of a document are not
independent. Of several texts the samples are cut to one number of context words, drawn at random from each: larger
samples have higher cosines, and are told apart better too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    LeftOut,
    consistency_of,
    over_runs,
    over_terms,
    size_constant,
    unit,
    words_of_pairs,
)
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Prepared, middle
from gpustab.studies.consistency.tables import CLOSEST, Domain, Size, Split, TextPair

_PERMUTATIONS, _WORDS = 6, 7
"""Streams of the seed."""

_DOCUMENTS = 4
"""Documents that can be permuted."""

_ROUNDING = 1e-12

_LOST = 0.25
"""Share of a text's terms that may be too rare in context words for the common size."""

_SIZES = (1, 2, 3, 4, 8, 10, 20, 50, 100)
"""Sentences of a sample; the paper has 1, 2, 3, 4, 8 and all."""

MATCHED = 10
"""Terms of like frequency that a term is compared with."""


def by_sentences(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> list[Size]:
    """Return the additive model's numbers from n sentences a sample.

    All sizes are of the same terms: those whose samples are as large as the largest size shown, which is the largest
    that two terms and half of those with three sentences reach. The law has its constant from the largest size alone.
    """
    largest = _largest(prepared.samples)
    same_terms = prepared.samples.first(largest)
    parts = ((n, prepared.of(same_terms.first(n), runs, options)) for n in _SIZES if n <= largest)
    rows = [_size(n, part, runs) for n, part in parts if part.allowed.any() and bool((part.words > 0).any())]
    constant = rows[-1].c if rows else math.nan
    return [row._replace(law=row.words / (row.words + constant)) for row in rows]


def _size(n: int, part: Prepared, runs: Runs) -> Size:
    """The numbers of one size; the law comes when all are known."""
    each, words = _of_sums(part, runs), words_of_pairs(part.samples, part.words.cpu().numpy())
    same, null, auc = (over_runs([one.numbers[name] for one in each]) for name in ("same", "null", "auc"))
    low, high = same.estimate.interval
    constant, values = size_constant(same.value, words), (same.value, null.value, auc.value)
    return Size(part.group, n, len(part.samples.terms), words, *values, low, high, constant, law=math.nan)


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
    """Return for permuted sentences and for permuted documents how alike halves and random parts are.

    ``p`` is the share of the permutations, with the split itself, whose mean cosine over terms is no larger. Tokens are
    counted whatever ``count`` is, since types do not add up. Means over background runs come before the comparison.
    """
    samples, text = prepared.samples, prepared.text
    single = samples._replace(term=samples.term[samples.owner], starts=np.arange(len(samples.members) + 1))
    counted = prepared.of(single, runs, options)
    vectors = [counted.sums(runs, r) for r in range(len(runs))]
    cut = middle(text)
    generator = np.random.default_rng([options.seed, _PERMUTATIONS])
    documents = _document_parts(text, options.permutations, generator)
    by_kind = {"sentences": list[Tensor](), "documents": list[Tensor]()}
    for k in range(len(samples.terms)):
        places = np.flatnonzero(single.term == k)
        members = single.members[places]
        halves = members < cut
        by_sentence = np.stack([halves, *(generator.permutation(halves) for _ in range(options.permutations))])
        parts = {"sentences": by_sentence}
        if documents is not None:
            parts["documents"] = np.concatenate([halves[None], documents[:, text.documents[members]]])
        for name, first in parts.items():
            mask = torch.from_numpy(first).to(counted.words.device)
            cosines = [part_cosines(x[torch.from_numpy(places).to(x.device)], mask, options.least) for x in vectors]
            by_kind[name].append(torch.stack(cosines).mean(0).cpu())
    return [split_row(prepared.group, kind, of) for kind, of in by_kind.items() if of]


def part_cosines(sums: Tensor, first: Tensor, least: int = 1) -> Tensor:
    """Return the cosine of the sum of some rows and of the sum of the others, NaN where a part is too small.

    The split itself has no part smaller than ``least``, or the term would not be there; so must the others, or they
    would be less alike because of their sizes.

    Args:
        sums: ``(n, d)`` sums of the sentences of one term.
        first: ``(B, n)`` bool: sentences of the first part, B times.
        least: sentences of a part.

    >>> part_cosines(torch.eye(2), torch.tensor([[True, False], [True, True]])).tolist()
    [0.0, nan]
    """
    part = product(first.to(sums.dtype), sums)
    cosine = row_dot(unit(part), unit(sums.sum(0) - part))
    both = (first.sum(1) >= least) & ((~first).sum(1) >= least)
    return torch.where(both, cosine, torch.nan)


def _document_parts(text: Text, permutations: int, generator: np.random.Generator) -> NDArray[np.bool_] | None:
    """Return which documents are in the first part, ``(B, documents)``: in random order, up to half of the tokens."""
    sizes = np.bincount(text.documents, np.diff(text.starts))
    if (sizes > 0).sum() < _DOCUMENTS:
        return None
    parts = np.zeros((permutations, len(sizes)), dtype=np.bool_)
    for row in parts:
        order = generator.permutation(len(sizes))
        row[order] = np.cumsum(sizes[order]) - sizes[order] / 2 < sizes.sum() / 2
    return parts


def split_row(group: str, permuted: str, cosines: list[Tensor]) -> Split:
    """Return the row of one kind of permutation.

    Args:
        group: what the background and the text are called.
        permuted: what changed places.
        cosines: of every term, ``(B + 1,)``: of the split itself, and of B permutations.
    """
    table = torch.stack(cosines)  # (T, B + 1); a term with too small a part is left out of that mean
    means = table.nanmean(0)
    as_unlike = (table[:, 1:] <= table[:, :1] + _ROUNDING).sum(1) + 1
    return Split(
        group,
        permuted,
        terms=len(table),
        halves=float(means[0]),
        random=float(means[1:].mean()),
        p=float(((means <= means[0] + _ROUNDING).sum()) / table.shape[1]),
        unlike_terms=float((as_unlike <= P_VALUE * table.shape[1]).double().mean()),
    )


def compare_texts(group: str, parts: Sequence[Prepared], runs: Runs, options: ConsistencyOptions) -> list[TextPair]:
    """Return the numbers of every pair of texts at equal samples, and their differences with intervals.

    Args:
        group: what the background is called.
        parts: samples of every text, by the same options: their number, window and subsampling are equal.
        runs: the background.
        options: of the study.

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
    """Return two texts beside each other, means over the runs of one background, with intervals of their differences.

    The error of a difference has two parts: over the terms of each text, by jackknife, and over the runs, whose
    differences are paired. With one run only the first is known: then the difference is one of this background.

    Args:
        group: what the background is called.
        words: context words of every sample.
        one: name of a text, and its consistency in every run.
        two: of the other.
    """
    (text, first), (against, second) = one, two
    terms = [len(each[0].by_term["same"]) for each in (first, second)]
    numbers = [value for name in ("same", "null", "auc") for value in _beside(name, first, second)]
    return TextPair._make((group, text, against, words, len(first), *terms, *numbers))


def _beside(
    name: str, first: Sequence[Consistency], second: Sequence[Consistency]
) -> tuple[float, float, float, float, float]:
    """One number in both texts, its difference, and the ends of the difference's interval."""
    one, two = ([run.numbers[name] for run in text] for text in (first, second))
    apart = difference(one, two)
    return over_runs(one).value, over_runs(two).value, apart.value, *apart.interval


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


def difference(one: Sequence[LeftOut], two: Sequence[LeftOut]) -> Estimate:
    """Return the difference of two texts in one number, from its values without each term in every run.

    The degrees of freedom of the sum of errors are Welch and Satterthwaite's.
    """
    first, second = over_runs(one).estimate, over_runs(two).estimate
    errors = [(first.se, first.freedom), (second.se, second.freedom)]
    if len(one) > 1:
        apart = [a.value - b.value for a, b in zip(one, two, strict=True)]
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
    depends on them by itself.
    """
    corpus, marked = marked_text(general, text, terms, options.svd_min_count)
    vectors = unit(svd_vectors(corpus, options.svd_dim, options.svd_window, options.seed))
    names = [text.words[term] for term in terms.tolist()]
    there = [k for k, name in enumerate(names) if name in corpus.vocabulary]
    rows = torch.tensor([corpus.vocabulary.index_of(names[k]) for k in there], dtype=torch.long)
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
