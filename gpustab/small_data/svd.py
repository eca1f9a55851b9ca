"""The SVD model: marked terms beside general text, by PPMI and SVD (Bloem et al. 2019, §5 and §7, tables 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import sample
from gpustab.errors import InputError, option
from gpustab.small_data.text import Ids, Samples, Text
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.trainers.ppmi_svd import PpmiSvdParameters, train

MARK = "§"
"""Stands in no word of a text: it is no letter."""


def marked_corpus(general: Text, text: Text, samples: Samples, min_count: int) -> tuple[Corpus, Ids]:
    """Return the general text followed by the sentences of all samples, and the ids of their marked terms, ``(P,)``.

    In a sentence of a sample only its own term is marked, ``term§1``, ``term§2``, ...; a sentence of two samples is
    there twice. Words rarer than ``min_count`` in all of it are left out, marked terms never.
    """
    number = _numbers(general, text)
    ids = np.array([number[word] for word in text.words], dtype=np.int64)
    lengths = np.diff(text.starts)[samples.members]
    places = np.concatenate([np.arange(*text.starts[s : s + 2]) for s in samples.members.tolist()])
    sample_of, term = np.repeat(samples.owner, lengths), samples.terms[samples.term]
    marked = text.tokens[places] == term[sample_of]
    tokens = np.where(marked, len(number) + sample_of, ids[text.tokens[places]])
    nth = np.arange(len(term)) - np.searchsorted(samples.term, samples.term) + 1
    marks = [text.words[word] + f"{MARK}{k}".encode() for word, k in zip(term.tolist(), nth.tolist(), strict=True)]
    return _corpus(general, number, tokens, lengths, marks, min_count)


def svd_vectors(corpus: Corpus, dim: int, window: int, seed: int) -> Tensor:
    """Return the vectors of all words of a corpus by the trainer of PPMI and SVD, ``(v, d)``.

    Its settings are the defaults of the paper's program but for the dimensions and the window: no subsampling, no
    smoothing of the contexts, no shift, the root of the singular values.

    Raises:
        InputError: if there are not more words than dimensions.
    """
    if dim >= len(corpus.vocabulary):
        raise InputError(
            f"{option('svd_dim')} is {dim}, and the SVD model has {len(corpus.vocabulary):,} words; wanted fewer "
            "dimensions than words"
        )
    parameters = PpmiSvdParameters(dim=dim, window=window, subsample=0, smoothing=1.0, shift=1.0, eigenvalue_weight=0.5)
    return torch.from_numpy(train([sample(corpus, np.arange(len(corpus)))], parameters, [seed])[0])


def marked_text(general: Text, text: Text, terms: Ids, min_count: int) -> tuple[Corpus, Ids]:
    """Return the general text followed by the sentences with a term, once each and with every term in them marked.

    So the unmarked word of a term has contexts of the general text alone: were a sentence there once for each of its
    terms with the others unmarked, as for samples, a term would be like itself because of its own sentences. With it
    come the ids of the marked terms, ``(T,)``; words are left out as by :func:`marked_corpus`.
    """
    number = _numbers(general, text)
    mark = np.full(len(text.words), -1, dtype=np.int64)
    mark[terms] = len(number) + np.arange(len(terms))
    ids = np.where(mark >= 0, mark, [number[word] for word in text.words])
    there = np.zeros(len(text.starts) - 1, dtype=np.bool_)
    there[text.sentence[mark[text.tokens] >= 0]] = True
    lengths = np.diff(text.starts)[there]
    tokens = ids[text.tokens[there[text.sentence]]]
    marks = [text.words[term] + MARK.encode() for term in terms.tolist()]
    return _corpus(general, number, tokens, lengths, marks, min_count)


def _numbers(general: Text, text: Text) -> dict[bytes, int]:
    """Number the words of both."""
    return {word: k for k, word in enumerate(dict.fromkeys([*general.words, *text.words]))}


def _corpus(
    general: Text, number: dict[bytes, int], tokens: Ids, lengths: Ids, marks: Iterable[bytes], min_count: int
) -> tuple[Corpus, Ids]:
    """The general text followed by sentences, of the words that are frequent enough, and the ids of the marked ones."""
    names = [*number, *marks]
    tokens = np.concatenate([general.tokens, tokens])
    starts = np.concatenate([general.starts, general.starts[-1] + np.cumsum(lengths)])
    counts = np.bincount(tokens, minlength=len(names))
    order = [k for k in range(len(names)) if counts[k] >= (min_count if k < len(number) else 1)]
    order.sort(key=lambda k: (-counts[k], names[k]))
    new = np.full(len(names), -1, dtype=np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    left = new[tokens] >= 0
    texts = np.concatenate([[0], np.cumsum(left)])[starts].astype(np.int64)
    units = np.arange(len(texts), dtype=np.int64)
    corpus = Corpus(general.name, Vocabulary(names[k] for k in order), new[tokens][left], texts, units, "sentence", {})
    return corpus, new[len(number) :].astype(np.int64)
