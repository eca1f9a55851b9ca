"""Sentences of a text for encoders: a draw of those that differ, in the order of the text."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpustab.corpus.numbering import number
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import corpus_of
from gpustab.encoders.passages import Passages
from gpustab.errors import InputError, option
from gpustab.options import given
from gpustab.results.page import counted

_MORE = 2
"""So many times the wanted sentences are drawn, since some are repeated."""


class Sentences(NamedTuple):
    """Sentences of a text.

    Attributes:
        name: of the text.
        texts: distinct ones, in the order of the text.
        said: how many of how many they are.
    """

    name: str
    texts: list[str]
    said: str


def draw_sentences(source: str, chosen: Any, count: int, seed: int) -> Sentences:
    """Return sentences of a text, each once; of more than are wanted a draw.

    Args:
        source: see :func:`gpustab.corpus.documents.open_documents`.
        chosen: options of a corpus, of which those that are ``None`` were not chosen.
        count: sentences at most.
        seed: of the draw.

    Raises:
        InputError: if the text cannot be read, or another unit than sentences is chosen.
    """
    wanted = given(chosen)
    if wanted.get("unit", "sentence") != "sentence":
        raise InputError(f"{option('unit', wanted['unit'])}: sentences are compared here")
    options = CorpusOptions(**wanted | {"unit": "sentence", "min_count": 1})
    corpus = corpus_of(number(source, options), options, look=False)
    order = np.random.default_rng(seed).permutation(len(corpus))[: _MORE * count]
    rank = {unit: k for k, unit in enumerate(order.tolist())}
    units = dict[str, int]()
    for unit, written in enumerate(Passages(corpus, options).texts()):
        if unit in rank:
            text = " ".join(written.split())
            units[text] = min(units.get(text, unit), unit, key=rank.__getitem__)
    texts = {unit: text for text, unit in units.items()}
    kept = sorted(sorted(texts, key=rank.__getitem__)[:count])
    read = counted(len(kept), "sentence", "was/were")
    said = f"{read} read, each once, drawn from the {len(corpus):,} of {corpus.name}."
    return Sentences(corpus.name, [texts[unit] for unit in kept], said)
