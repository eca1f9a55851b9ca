"""Sentences of a text for encoders: a draw of those that differ, in the order of the text."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from heapq import heappush, heappushpop
from typing import Any, NamedTuple

from gpustab.corpus.numbering import number
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import corpus_of
from gpustab.encoders.passages import Passages
from gpustab.errors import InputError, option
from gpustab.options import given
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
    wanted = given(chosen)
    if wanted.get("unit", "sentence") != "sentence":
        raise InputError(f"{option('unit', wanted['unit'])}: sentences are compared here")
    options = CorpusOptions(**wanted | {"unit": "sentence", "min_count": 1})
    corpus = corpus_of(number(source, options), options, look=False)
    texts = least((" ".join(text.split()) for text in Passages(corpus, options).texts()), count, seed)
    read = counted(len(texts), "sentence", "was/were")
    said = f"{read} read, each once, drawn from the {len(corpus):,} of {corpus.name}."
    return Sentences(corpus.name, texts, said)


def least(texts: Iterable[str], count: int, seed: int) -> list[str]:
    """Return the distinct texts of the least hashes, in their order; no more than these are held.

    So every distinct text is drawn with one probability, however often it stands there.

    >>> least(["a", "b", "a", "a", "c"], 2, seed=1), least(["a", "b", "a"], 3, seed=1)
    (['a', 'b'], ['a', 'b'])
    """
    key, kept, farthest = seed.to_bytes(16, "little", signed=True), dict[int, str](), list[int]()
    for text in texts:
        letters = text.encode("utf-8", "surrogatepass")
        own = int.from_bytes(blake2b(letters, digest_size=16, key=key).digest(), "little")
        if own in kept or (len(kept) == count and own > -farthest[0]):
            continue
        kept[own] = text
        if len(kept) <= count:
            heappush(farthest, -own)
        else:
            del kept[-heappushpop(farthest, -own)]
    return list(kept.values())
