"""Near copies: documents that differ from another by a few words, as drafts and reprints do.

Each document keeps of its sequences of four words the least hash in each of 32 bins (one permutation hashing, Li, Owen
& Zhang 2012): two documents agree in as many bins as the share of their sequences that they have in common. One pass
over the words and 128 bytes a document; documents are compared where a bin of theirs is equal and next to it in order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.compact import Ids, stretches
from gpustab.corpus.filed import forget

_SEQUENCE, _BINS = 4, 32
_FEWEST = 20
"""Words of a document that is asked: of fewer, verses and captions come again by themselves."""
_ALIKE = 0.4
"""Of the bins, how many agree: where every tenth word is another, half of the sequences are."""
_AT_ONCE = 1 << 12
"""Pairs that are compared at a time."""
_EMPTY = np.uint32(0xFFFFFFFF)
_ODD = np.uint64(0x9E3779B97F4A7C15)


def near_copies(ids: Ids, starts: NDArray[np.int64], end: int) -> NDArray[np.int64]:
    """Return pairs of documents that are nearly the same, each later document once.

    Args:
        ids: ``(n,)`` tokens.
        starts: ``(m + 1,)`` offsets of the documents into them.
        end: id of the token that ends a text, which is no word.

    Returns:
        ``(p, 2)`` numbers of documents, the later one last.
    """
    asked = np.flatnonzero(np.diff(starts) >= _FEWEST)
    kept = np.full((len(asked), _BINS), _EMPTY)
    place = np.full(len(starts) - 1, -1)
    place[asked] = np.arange(len(asked))
    for first, last in stretches(starts):
        tokens = ids[starts[first] : starts[last]]
        owner = np.repeat(place[first:last], np.diff(starts[first : last + 1]))
        words = (tokens != end) & (owner >= 0)
        _take(kept, tokens[words].astype(np.uint64), owner[words])
        forget(ids)
    found = asked[_pairs(kept)]
    return found[np.unique(found[:, 1], return_index=True)[1]]


def _take(kept: NDArray[np.uint32], words: NDArray[np.uint64], owner: NDArray[np.int64]) -> None:
    """Take in the sequences of some documents."""
    many = len(words) - _SEQUENCE + 1
    if many < 1:
        return
    hashed = np.zeros(many, np.uint64)
    for k in range(_SEQUENCE):
        hashed = (hashed ^ (words[k : many + k] + np.uint64(1))) * _ODD
        hashed ^= hashed >> np.uint64(29)
    inside = owner[:many] == owner[_SEQUENCE - 1 :]
    hashed = hashed[inside] * _ODD
    bins = owner[:many][inside] * _BINS + (hashed >> np.uint64(59)).astype(np.int64)
    np.minimum.at(kept.reshape(-1), bins, (hashed >> np.uint64(20)).astype(np.uint32))


def _pairs(kept: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return ``(p, 2)`` rows that agree in enough bins, of those that stand next to each other in the order of one."""
    near = [np.zeros((0, 2), np.int64)]
    for own in kept.T:
        order = np.argsort(own, kind="stable")
        same = np.flatnonzero((own[order][1:] == own[order][:-1]) & (own[order][1:] != _EMPTY))
        for start in range(0, len(same), _AT_ONCE):
            part = same[start : start + _AT_ONCE]
            pairs = np.stack([order[part], order[part + 1]], axis=1)
            near.append(pairs[_alike(kept[pairs[:, 0]], kept[pairs[:, 1]])])
    return np.unique(np.concatenate(near), axis=0)


def _alike(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Tell of ``(p, bins)`` rows and others whether they agree in enough bins, of those that either fills."""
    agree, filled = (one == other) & (one != _EMPTY), (one != _EMPTY) | (other != _EMPTY)
    alike: NDArray[np.bool_] = agree.sum(1) >= _ALIKE * filled.sum(1)
    return alike
