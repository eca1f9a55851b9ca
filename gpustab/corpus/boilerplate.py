"""Boilerplate: what most documents share, or what stands around a text: licences, mastheads, the footers of mails.

Repetition tells it, and no list of phrases: windows of six tokens are hashed, and those that stand in more than half
of the documents are sought in all. What they cover is boilerplate where it is long, or where its words hardly stand
elsewhere: "Fellow-Citizens of the Senate and House of Representatives" begins many addresses to Congress, and is
ordinary text, whose words are in use. What one document repeats, a refrain, is none.

Of a few documents repetition says nothing. There the lines tell it that whoever made the edition set around the text:
two that stand between signs and say nearly the same (``*** START OF THE EBOOK ***``, ``*** END OF THE EBOOK ***``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.compact import Ids, counts_of, stretches
from gpustab.corpus.filed import Filed, forget

_WINDOW = 6
_MOST = 0.5
"""Part of the documents above which a sequence stands in most of them."""
_FEWEST = 5
"""Documents, below which repetition says nothing."""
_LONG = 12
"""Tokens of a sequence that no ordinary text repeats from one document to the next."""
_OWN = 1 / 3
"""Part of a shorter sequence's words that stand mostly within it, from which they are not in use."""
_SAMPLE, _TOKENS, _ENDS = 64, 2_000_000, 50_000
"""Documents and tokens in which candidates are sought, and tokens of their ends: without any there, no more is read."""
_FRAME, _OF_A_FRAME = 6_000, 0.25
"""Tokens of a frame at most: the longest licence has 4,000; and part of its words that stand mostly within it: of
another part of the same text it is below a fifth, of a licence a third."""
_LONGEST = 400
"""Characters of a line between signs."""
_LETTER = re.compile(r"[^\W\d_]")
_SIGNS = "*=~#+_-"
_SIGNED = re.compile(rf"^[ \t]*([{_SIGNS}])[^\n]*", re.M)
"""A line that begins with a sign."""
_PRIME = np.uint64(0x9E3779B97F4A7C15)


class Boilerplate(NamedTuple):
    """What stands in most documents.

    Attributes:
        covered: ``(n,)`` which tokens it is.
        documents: how many have any of it.
        sequences: its sequences as word ids, those that cover most first, and in how many places each stands.
        frames: whether it stands around texts, and is not what they share.
    """

    covered: NDArray[np.bool_]
    documents: int
    sequences: list[tuple[tuple[int, ...], int]]
    frames: bool = False


class Mark(NamedTuple):
    """A line between signs, by its tokens."""

    start: int
    end: int
    words: frozenset[int]


def find_boilerplate(ids: Ids, starts: NDArray[np.int64], words: int) -> Boilerplate | None:
    """Return the boilerplate of some documents, or None if there is none.

    Args:
        ids: ``(n,)`` their tokens.
        starts: ``(m + 1,)`` offsets of the documents.
        words: how many different words there are.

    >>> head, rest = list(range(12)), np.arange(100, 240).reshape(7, 20)
    >>> texts = [[*head, *text] for text in rest.tolist()]
    >>> found = find_boilerplate(np.concatenate(texts).astype(np.int32), np.arange(8) * 32, 240)
    >>> int(found.covered.sum()), found.documents, found.sequences[0][1]
    (84, 7, 7)
    """
    filled = np.flatnonzero(np.diff(starts) >= _WINDOW)
    if np.count_nonzero(np.diff(starts)) < _FEWEST or len(filled) < _FEWEST:
        return None
    codes = np.random.default_rng(0).integers(1 << 63, size=words, dtype=np.uint64)
    chosen = filled[np.linspace(0, len(filled) - 1, min(_SAMPLE, len(filled))).astype(int)]
    texts = [ids[starts[k] : starts[k + 1]] for k in chosen]
    if not len(_candidates(texts, codes, _ENDS)):
        return None
    candidates = _candidates(texts, codes, _TOKENS)
    times = np.zeros(len(candidates), np.int64)
    for some in _found(ids, starts, codes, candidates):
        pairs = np.unique(some.which * len(some.starts) + some.documents)
        times += np.bincount(pairs // len(some.starts), minlength=len(candidates))
    frequent = candidates[times > _MOST * np.count_nonzero(np.diff(starts))]
    return _sequences(ids, starts, codes, frequent, words) if len(frequent) else None


class _Some(NamedTuple):
    """Some of the documents, and where windows that are sought begin in them.

    Attributes:
        first: the number of the first of these documents.
        ids: ``(n,)`` their tokens.
        starts: ``(m + 1,)`` their offsets.
        which: ``(p,)`` numbers of windows.
        places: ``(p,)`` where they begin.
        documents: ``(p,)`` in which of these documents.
    """

    first: int
    ids: Ids
    starts: NDArray[np.int64]
    which: NDArray[np.int64]
    places: NDArray[np.int64]
    documents: NDArray[np.int64]


def _found(
    ids: Ids, starts: NDArray[np.int64], codes: NDArray[np.uint64], sought: NDArray[np.uint64]
) -> Iterator[_Some]:
    """Yield where windows are that are sought, by their numbers in order, in some of the documents at a time."""
    for first, last in stretches(starts):
        part, own = ids[starts[first] : starts[last]], starts[first : last + 1] - starts[first]
        windows = _hashes(part, codes)
        which = np.minimum(np.searchsorted(sought, windows), len(sought) - 1)
        places = np.flatnonzero(sought[which] == windows)
        documents = np.searchsorted(own, places, side="right") - 1
        inside = places + _WINDOW <= own[documents + 1]
        places, documents = places[inside], documents[inside]
        yield _Some(first, part, own, which[places], places, documents)
        forget(ids)


def _hashes(ids: Ids, codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a number for each window of tokens, the same for the same words."""
    coded = codes[ids]
    size = max(len(ids) - _WINDOW + 1, 0)
    hashes = np.zeros(size, np.uint64)
    for place in range(_WINDOW):  # overflow is what a hash wants
        hashes = hashes * _PRIME + coded[place : place + size]
    return hashes


def _candidates(texts: Sequence[Ids], codes: NDArray[np.uint64], most: int) -> NDArray[np.uint64]:
    """Return the windows that stand in many of some documents, of which so many tokens are looked at, at both ends."""
    each = most // len(texts)
    ends = [[text] if len(text) <= each else [text[: each // 2], text[-each // 2 :]] for text in texts]
    parts = [np.unique(np.concatenate([_hashes(part, codes) for part in parts])) for parts in ends]
    windows, times = np.unique(np.concatenate(parts), return_counts=True)
    return windows[times > 0.8 * _MOST * len(texts)]  # a sample errs


def _sequences(
    ids: Ids, starts: NDArray[np.int64], codes: NDArray[np.uint64], sought: NDArray[np.uint64], words: int
) -> Boilerplate | None:
    """Return what windows cover, without what is short and in use elsewhere."""
    filed, within = Filed(np.bool_), np.zeros(words, np.int64)
    for some in _found(ids, starts, codes, sought):
        steps = np.zeros(len(some.ids) + 1, np.int64)
        np.add.at(steps, some.places, 1)
        np.add.at(steps, some.places + _WINDOW, -1)
        own = np.cumsum(steps)[:-1] > 0
        within += np.bincount(some.ids[own], minlength=words)
        filed.add(own)
    covered, kept = filed.all(), Filed(np.bool_)
    in_use = 2 * within <= counts_of(ids, words)
    runs, having = Counter[tuple[int, ...]](), set[int]()
    for first, last in stretches(starts):
        part = ids[starts[first] : starts[last]]
        chosen, own = np.zeros(len(part), np.bool_), starts[first : last + 1] - starts[first]
        for begin, end in _runs(covered[starts[first] : starts[last]], own):
            sequence = part[begin:end]
            if end - begin >= _LONG or np.mean(~in_use[np.unique(sequence)]) > _OWN:
                chosen[begin:end] = True
                runs[tuple(sequence.tolist())] += 1
                having.add(first + int(np.searchsorted(own, begin, side="right")))
        kept.add(chosen)
        forget(ids)
        forget(covered)
    if not runs:
        return None
    return Boilerplate(kept.all(), len(having), sorted(runs.items(), key=lambda run: -len(run[0]) * run[1]))


def _runs(covered: NDArray[np.bool_], starts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield first and last of the covered tokens that follow each other in one document.

    Two documents may end and begin with boilerplate: a run ends where a document does.
    """
    edges = np.diff(np.concatenate([[0], covered.view(np.int8), [0]]))
    heads = starts[:-1][starts[:-1] < len(covered)]
    begins = np.union1d(np.flatnonzero(edges > 0), heads[covered[heads]])
    behind = np.flatnonzero(edges < 0)
    ends = np.minimum(
        behind[np.searchsorted(behind, begins, side="right")], starts[np.searchsorted(starts, begins, side="right")]
    )
    yield from zip(begins.tolist(), ends.tolist(), strict=True)


def marks_in(text: str) -> list[str]:
    r"""Return the lines of a text that stand between equal signs, as long as there are few; some go on in a second.

    >>> marks_in("*** START OF THE BOOK ***\nCall me *Ishmael*.\n=== The\nEnd ===\n")
    ['*** START OF THE BOOK ***', '=== The\nEnd ===']
    """
    if "\n" not in text and text.lstrip(" \t")[:1] not in _SIGNS:  # nearly all of many short documents
        return []
    marks = list[str]()
    for found in _SIGNED.finditer(text):
        line, sign = found[0].strip(), found[1]
        both = f"{line}\n{text[found.end() + 1 :].partition(chr(10))[0]}"[:_LONGEST].strip()
        whole = next((one for one in (line, both) if one.endswith(sign)), "")
        if _LETTER.search(whole):
            marks.append(whole)
    return marks if len(marks) <= _SAMPLE else []


def find_frames(ids: Ids, scopes: NDArray[np.int64], marks: Sequence[Mark], words: int) -> Boilerplate | None:
    """Return what stands around texts, on the other side of two marks that say nearly the same.

    Args:
        ids: ``(n,)`` the tokens of a source.
        scopes: ``(s + 1,)`` offsets of its texts, each of which may have a frame.
        marks: in order.
        words: how many different words there are.
    """
    covered, sequences, framed = np.zeros(len(ids), bool), list[tuple[tuple[int, ...], int]](), 0
    within = np.searchsorted([mark.start for mark in marks], scopes).tolist()
    for (first, last), (one, end) in zip(pairwise(scopes.tolist()), pairwise(within), strict=True):
        outer = _frame(ids, first, last, marks[one:end], words)
        framed += bool(outer)
        for begin, behind in outer:
            covered[begin:behind] = True
            sequences.append((tuple(ids[begin:behind].tolist()), 1))
    return Boilerplate(covered, framed, sequences, frames=True) if framed else None


def _frame(ids: Ids, first: int, last: int, marks: Sequence[Mark], words: int) -> list[tuple[int, int]]:
    """Return the parts of one text that are its frame: all but the longest of those before, between and behind."""
    if len(marks) > _SAMPLE:  # headings: their pairs are too many to compare
        return []
    pairs = ((one, two) for one, two in combinations(marks, 2) if _say_the_same(one, two))
    alike = list(islice(pairs, 2))
    if len(alike) != 1:  # as the heads of chapters do
        return []
    ((one, two),) = alike
    parts = [(first, one.start), (one.end, two.start), (two.end, last)]
    body = max(parts, key=lambda part: part[1] - part[0])
    outer = [(first, body[0]), (body[1], last)]
    frame = np.concatenate([ids[begin:end] for begin, end in outer])
    inside = np.bincount(ids[slice(*body)], minlength=words)
    within = np.bincount(frame, minlength=words)
    of_its_own = np.mean((within > inside)[np.unique(frame)]) if len(frame) else 0.0
    small = _LONG <= len(frame) <= min(_FRAME, body[1] - body[0])
    return [part for part in outer if part[0] < part[1]] if small and of_its_own > _OF_A_FRAME else []


def _say_the_same(one: Mark, two: Mark) -> bool:
    shared = len(one.words & two.words)
    return one.words != two.words and shared > 0 and 2 * shared >= max(len(one.words), len(two.words))
