"""Sentences of a text for encoders: a draw of those that differ, in the order of the text."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from gpustab.corpus.numbering import number
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import corpus_of
from gpustab.encoders.passages import Passages
from gpustab.errors import InputError, option
from gpustab.results.page import counted


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
    given = {name: value for name, value in asdict(chosen).items() if value is not None}
    if given.get("unit", "sentence") != "sentence":
        raise InputError(f"{option('unit', given['unit'])}: sentences are compared here")
    options = CorpusOptions(**given | {"unit": "sentence", "min_count": 1})
    corpus = corpus_of(number(source, options), replace(options, min_count=1), look=False)
    drawn = np.random.default_rng(seed).permutation(len(corpus))
    place = np.empty(len(corpus), np.int64)
    place[drawn] = np.arange(len(corpus))
    first, total = dict[str, int](), 0
    # Of each sentence the first place counts, so that those that are repeated are drawn no oftener.
    for passage in Passages(corpus, options):
        total += 1
        text = " ".join(passage.text.split())
        if place[passage.unit] < _reach(count, len(corpus)):
            first.setdefault(text, passage.unit)
    kept = sorted(sorted(first.values(), key=lambda unit: int(place[unit]))[:count])
    texts = {unit: text for text, unit in first.items()}
    found = [texts[unit] for unit in kept]
    said = (
        f"{counted(len(found), 'sentence')} of {corpus.name} were read, drawn from {total:,}; repeated ones count once."
    )
    return Sentences(corpus.name, found, said)


def _reach(count: int, units: int) -> int:
    """So many units are looked at for so many distinct sentences: some are repeated."""
    return min(units, 2 * count)
