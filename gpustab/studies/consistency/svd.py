"""The SVD model: marked terms of the samples beside general text (Bloem et al. 2019, §5 and §7, tables 4 and 5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import sample
from gpustab.errors import InputError, option
from gpustab.kernels.arithmetic import product
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.statistics.intervals import Estimate
from gpustab.studies.consistency.measures import Array, unit
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.tables import CLOSEST, Domain
from gpustab.studies.consistency.text import Ids, Text
from gpustab.trainers.ppmi_svd import PpmiSvdParameters, train

MATCHED = 10
"""Terms of like frequency that a term is compared with."""

MARK = "§"
"""Stands in no word of a text: it is no letter."""


def marked_corpus(general: Text, text: Text, samples: Samples, min_count: int) -> tuple[Corpus, Ids]:
    """Return the general text followed by the sentences of all samples, and the ids of the samples' marked terms.

    In a sentence of a sample only its own term is marked, ``term§1``, ``term§2``, ...; a sentence of two samples is
    there twice. Words rarer than ``min_count`` in all of it are left out, marked terms never.

    Args:
        general: text of general language.
        text: that the samples are of.
        samples: P of them.
        min_count: of the words that stay.

    Returns:
        The corpus, and ``(P,)`` ids in its vocabulary.
    """
    number = _numbers(general, text)
    ids = np.array([number[word] for word in text.words], dtype=np.int64)
    lengths = np.diff(text.starts)[samples.members]
    places = np.concatenate([np.arange(*text.starts[s : s + 2]) for s in samples.members.tolist()])
    sample_of = np.repeat(samples.owner, lengths)
    tokens = ids[text.tokens[places]]
    marked = text.tokens[places] == samples.terms[samples.term][sample_of]
    tokens[marked] = len(number) + sample_of[marked]
    names = [*number, *_marks(text, samples)]
    starts = np.concatenate([general.starts, general.starts[-1] + np.cumsum(lengths)])
    return _corpus(general.name, names, len(number), np.concatenate([general.tokens, tokens]), starts, min_count)


def _marks(text: Text, samples: Samples) -> Iterator[bytes]:
    first = np.searchsorted(samples.term, samples.term)
    for p, term in enumerate(samples.terms[samples.term].tolist()):
        yield text.words[term] + f"{MARK}{p - first[p] + 1}".encode()


def _corpus(
    name: str, names: list[bytes], unmarked: int, tokens: Ids, starts: Ids, min_count: int
) -> tuple[Corpus, Ids]:
    """Return the corpus of the words that are frequent enough, and the new ids of the marked ones."""
    counts = np.bincount(tokens, minlength=len(names))
    order = [k for k in range(len(names)) if counts[k] >= (min_count if k < unmarked else 1)]
    order.sort(key=lambda k: (-counts[k], names[k]))
    new = np.full(len(names), -1, dtype=np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    left = new[tokens] >= 0
    texts = np.concatenate([[0], np.cumsum(left)])[starts].astype(np.int64)
    units = np.arange(len(texts), dtype=np.int64)
    corpus = Corpus(name, Vocabulary(names[k] for k in order), new[tokens][left], texts, units, "sentence", {})
    return corpus, new[unmarked:].astype(np.int64)


def svd_vectors(corpus: Corpus, options: ConsistencyOptions) -> Tensor:
    """Return the vectors of all words of a corpus by the trainer of PPMI and SVD, ``(v, d)``.

    Its settings are the defaults of the paper's program but for the dimensions and the window: no subsampling, no
    smoothing of the contexts, no shift, the root of the singular values.

    Raises:
        InputError: if there are not more words than dimensions.
    """
    if options.svd_dim >= len(corpus.vocabulary):
        raise InputError(
            f"{option('svd_dim')} is {options.svd_dim}, and the SVD model has {len(corpus.vocabulary):,} words; wanted "
            "fewer dimensions than words"
        )
    parameters = PpmiSvdParameters(
        dim=options.svd_dim, window=options.svd_window, subsample=0, smoothing=1.0, shift=1.0, eigenvalue_weight=0.5
    )
    return torch.from_numpy(train([sample(corpus, np.arange(len(corpus)))], parameters, [options.seed])[0])


def of_samples(general: Text, text: Text, samples: Samples, options: ConsistencyOptions) -> Tensor:
    """Return the SVD model's vectors of all samples, ``(P, d)``."""
    corpus, marked = marked_corpus(general, text, samples, options.svd_min_count)
    return svd_vectors(corpus, options)[torch.from_numpy(marked)]


def marked_text(general: Text, text: Text, terms: Ids, min_count: int) -> tuple[Corpus, Ids]:
    """Return the general text followed by the sentences with a term, once each and with every term in them marked.

    So the unmarked word of a term has contexts of the general text alone: were a sentence there once for each of its
    terms with the others unmarked, as for samples, a term would be like itself because of its own sentences.

    Args:
        general: text of general language.
        text: that the terms stand in.
        terms: ``(T,)`` word ids.
        min_count: of the words that stay.

    Returns:
        The corpus, and ``(T,)`` ids of the marked terms in its vocabulary.
    """
    number = _numbers(general, text)
    mark = np.full(len(text.words), -1, dtype=np.int64)
    mark[terms] = len(number) + np.arange(len(terms))
    ids = np.where(mark >= 0, mark, [number[word] for word in text.words])
    there = np.zeros(len(text.starts) - 1, dtype=np.bool_)
    there[text.sentence[mark[text.tokens] >= 0]] = True
    lengths = np.diff(text.starts)[there]
    tokens = np.concatenate([general.tokens, ids[text.tokens[there[text.sentence]]]])
    starts = np.concatenate([general.starts, general.starts[-1] + np.cumsum(lengths)])
    names = [*number, *(text.words[term] + MARK.encode() for term in terms.tolist())]
    return _corpus(general.name, names, len(number), tokens, starts, min_count)


def _numbers(general: Text, text: Text) -> dict[bytes, int]:
    """Number the words of both."""
    number = {word: k for k, word in enumerate(general.words)}
    for word in text.words:
        number.setdefault(word, len(number))
    return number


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
    vectors = unit(svd_vectors(corpus, options))
    names = [text.words[term] for term in terms.tolist()]
    there = [k for k, name in enumerate(names) if name in corpus.vocabulary]
    rows = torch.tensor([corpus.vocabulary.index_of(names[k]) for k in there], dtype=torch.long)
    cosines = product(vectors[torch.from_numpy(marked[there])], vectors[rows].T).numpy()
    in_text = text.counts[terms[there]] / len(text.tokens)
    known = {word: k for k, word in enumerate(general.words)}
    counts = general.counts
    of_general = np.array([counts[known[names[k]]] if names[k] in known else 0 for k in there]) / len(general.tokens)
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
    n, excess = len(cosine), cosine - null
    if not n:
        return Domain(group, name, 0, *[math.nan] * 5)
    se = float(excess.std(ddof=1) / math.sqrt(n)) if n > 2 else math.nan
    interval = Estimate.of_runs(float(excess.mean()), se, n).interval
    return Domain(group, name, n, float(cosine.mean()), float(null.mean()), float(excess.mean()), *interval)


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
