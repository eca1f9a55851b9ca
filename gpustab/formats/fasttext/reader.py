"""fastText's model files (``.bin``), read without the fasttext package; the vectors are composed as fastText does.

The vector of a word is the mean of its own row and those of its character n-grams, but ``</s>``, the end of a line, has
its own row alone. This is what fastText itself writes to its ``.vec`` file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import embedding_bag

from gpustab.errors import InputError, marked, option
from gpustab.formats.binary.cursor import Cursor
from gpustab.formats.fasttext.model import MAGIC, FastTextModel, read_model
from gpustab.formats.fasttext.ngrams import ngram_buckets
from gpustab.formats.format import Format
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.rows import RowTable
from gpustab.formats.source import Source
from gpustab.spaces.space import Space

_END_OF_LINE = b"</s>"
_STEP = 256  # words whose rows are gathered at a time: some megabytes, which stay in the cache


def read_fasttext(source: Source, options: LoadOptions = DEFAULTS) -> Space:
    """Read the composed vectors of a fastText model's words, with their counts; labels of a classifier are no words.

    The matrix of an unpacked file is mapped, and only the rows that are needed are touched; that of a compressed
    file is held in memory while the vectors are composed.

    Args:
        source: the opened file.
        options: how to read it; ``allow_truncated`` accepts a file that is cut after its input matrix.

    Returns:
        The space, its vectors ``(v, d)`` float32.

    Raises:
        InputError: if the model is quantised, of an unknown version, cut or damaged.
    """
    try:
        model = read_model(Cursor(source, mapped=True))
        notes = list(_notes(model, options))
        kept = list(range(min(len(model.words), options.limit or len(model.words))))
        if options.wanted is not None:
            kept = [i for i in kept if model.words[i] in options.wanted]
        table = RowTable(model.dimension, len(kept), options, "row")
        for start in range(0, len(kept), _STEP):
            rows = kept[start : start + _STEP]
            words, counts = [model.words[i] for i in rows], [model.counts[i] for i in rows]
            table.add(words, compose(model, rows), rows, counts)
        return table.space(source, "fastText binary", header=(len(model.words), model.dimension), notes=notes)
    except InputError as error:
        raise InputError(f"{source.path}: {marked(error)}") from error


def compose(model: FastTextModel, rows: Sequence[int]) -> NDArray[np.float32]:
    """Return the vectors of some words of a model.

    ``u_w = (x_w + sum_g x_g) / (1 + |G_w|)`` over the n-grams ``g`` of word ``w`` (Bojanowski et al. 2017, section 3.2,
    as a mean), where n-grams that share a bucket count as often as they occur.

    Args:
        model: words and matrix.
        rows: ``b`` numbers of words.

    Returns:
        ``(b, d)`` vectors.
    """
    words = [model.words[i] for i in rows]
    owner, bucket = ngram_buckets(words, model.shortest, model.longest, model.buckets)
    composed = np.array([word != _END_OF_LINE for word in words], dtype=bool)[owner]
    owner = np.concatenate([np.arange(len(words)), owner[composed]])
    row = np.concatenate([np.asarray(rows, dtype=np.int64), len(model.words) + bucket[composed]])
    # Words of one block share many rows: copied once, which also aligns them.
    used, place = np.unique(row[np.argsort(owner, kind="stable")], return_inverse=True)
    starts = np.cumsum(np.bincount(owner, minlength=len(words))) - np.bincount(owner, minlength=len(words))
    table, bags = torch.from_numpy(model.matrix[used]), torch.from_numpy(place)
    vectors: NDArray[np.float32] = embedding_bag(bags, table, torch.from_numpy(starts), mode="mean").numpy()
    return vectors


def _notes(model: FastTextModel, options: LoadOptions) -> Iterator[str]:
    if options.dim not in (None, model.dimension):
        raise InputError(
            f"the vectors have {model.dimension} dimensions, but {option('dim', options.dim)} was asked for"
        )
    if model.cut:
        if not options.allow_truncated:
            raise InputError(f"{model.cut}; the word vectors are complete, {option('allow_truncated')} reads them")
        yield f"allow_truncated: {model.cut}; the word vectors are complete"
    if model.longest > 0:
        yield (
            f"the vectors are composed: the mean of a word's own row and those of its n-grams of {model.shortest} to "
            f"{model.longest} characters; </s> has its own row alone"
        )
    else:
        yield "the vectors are the words' own rows: the model has no n-grams"
    if model.supervised:
        yield f"the model is a classifier; its {model.labels} label(s) are no words and were left out"
    if options.limit and options.limit < len(model.words):
        yield f"limit={options.limit}: {len(model.words) - options.limit} of {len(model.words)} rows were not read"


FASTTEXT = Format("fastText binary", matches=lambda head: head.startswith(MAGIC), read=read_fasttext)
