"""Words broken at line ends: joined where the corpus itself has the joined word.

A line that ends ``presi-`` before one that begins ``dent`` may break *president*, or end between the parts of
*self-evident*. The text knows: a break is undone if the joined word stands elsewhere, or arises from two different
breaks, and no less often than the word with its hyphen. Soft hyphens before a line's end only ever break words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.options import JoinBroken

BREAK = "\x7f"
"""Stands for a line's end behind a hyphen: the one ASCII character that no text has; where one has it, it goes."""
HYPHENS = "-‐‑¬⸗=–~"
"""Signs that break a word at a line's end: hyphens, the mark of Word and of OCR, the double hyphens of Fraktur, and
what OCR reads for a hyphen."""

_SOFT = re.compile("(?<!\u00ad)\u00ad++[ \t\r]*+\n[ \t]*")
_NO_LETTER = r"\s!-@\[-`{-~"  # of ASCII: letters beyond it end in marks, which are none either
_HARD = re.compile(f"(?<=[^{_NO_LETTER}])([{HYPHENS}])[ \t\r]*\n[ \t]*(?=[^{_NO_LETTER}])")
_AT_AN_END = re.compile(f"[{HYPHENS}][ \r]?(?:\n|\\Z)")
_AT_AN_END_OF_ASCII = re.compile(f"[{''.join(filter(str.isascii, HYPHENS))}][ \r]?(?:\n|\\Z)")
_PARTS = re.compile(f"([{HYPHENS}]{BREAK}?)")
_PARTS_OF_TOKENS = re.compile(f"([{HYPHENS}]{BREAK})")
_AROUND = re.compile(r"^[^\w]+|[^\w]+$")
_SHOWN = 3
_FEWEST = 5
"""Words that are broken and stand whole as well, from which line ends break words; fewer are accidents."""

_MOST = 8
"""Line ends that one word is broken at, at most: a column of single letters is no word, and has many ways to be one."""


def run_on(text: str, how: JoinBroken) -> str:
    r"""Return a text as one line: blanks for its line ends, except where a word is broken.

    >>> run_on("reser\u00ad\nvation for the presi-\ndent", "auto")
    'reservation for the presi-\x7fdent'
    """
    if "\n" not in text:
        return text
    if "\u00ad" in text and how != "none":
        text = _SOFT.sub("", text)
    if how != "none" and (_AT_AN_END_OF_ASCII if text.isascii() else _AT_AN_END).search(text):
        text = _HARD.sub(r"\1" + BREAK if how == "auto" else "", text.replace(BREAK, ""))
    return text.replace("\n", " ")


class Word(NamedTuple):
    """A token that may hold hyphens: its parts, and the signs between."""

    parts: tuple[str, ...]
    signs: tuple[str, ...]


def taken_apart(token: str, *, hyphens_part: bool) -> Word:
    """Return the parts of a token; where hyphens do not part words, breaks alone do."""
    if token.isalpha():
        return Word((token,), ())
    pieces = (_PARTS if hyphens_part else _PARTS_OF_TOKENS).split(token)
    return Word(tuple(pieces[::2]), tuple(pieces[1::2]))


class Breaks:
    """Decides of each broken word whether it is joined."""

    def __init__(self) -> None:
        self._words, self._hyphenated = Counter[str](), Counter[tuple[str, str]]()
        self._ways: defaultdict[str, set[str]] = defaultdict(set)
        self._joined, self._left = Counter[str](), Counter[str]()

    def see(self, word: Word, times: int) -> None:
        """Take in a token that stands so many times."""
        if not word.signs:
            self._words[_core(word.parts[0])] += times
            return
        for place, part in enumerate(word.parts):
            if not any(sign.endswith(BREAK) for sign in word.signs[max(place - 1, 0) : place + 1]):
                self._words[_core(part)] += times
        for place, sign in enumerate(word.signs):
            pair = word.parts[place], word.parts[place + 1]
            if sign.endswith(BREAK):
                self._ways[_core("".join(pair))].add(pair[0])
            else:
                self._hyphenated[pair] += times

    def mended(self, words: Mapping[int, Word], times: NDArray[np.int64]) -> dict[int, Word]:
        """Return tokens with their breaks joined, or become plain signs."""
        found = {k: self._mended(word, int(times[k])) for k, word in words.items() if word.signs}
        if self._joined.total() >= _FEWEST:
            return found
        self._joined.clear()
        self._left.clear()
        return {k: Word(word.parts, tuple(map(_plain, word.signs))) for k, word in words.items() if word.signs}

    def notes(self, way: str) -> Iterator[str]:
        """Yield what was joined and what was not, with examples; ``way`` joins all."""
        total = self._joined.total() + self._left.total()
        if self._joined:
            yield (
                f"{self._joined.total():,} of {total:,} words broken at line ends are joined, as the text has them "
                "whole: "
                f"{_shown(self._joined)}"
            )
        if self._left:
            yield (
                f"{self._left.total():,} of {total:,} words at line ends keep their hyphen, as the text does not have "
                f"them whole: {_shown(self._left)}; {way} joins them"
            )

    def _mended(self, word: Word, times: int) -> Word:
        parts, signs, place = [word.parts[0]], list[str](), 0
        while place < len(word.signs):
            end = self._joins(parts[-1], word, place)
            others = word.parts[place + 1 : end + 1]
            if others:
                broken = "-".join((parts[-1], *others))
                parts[-1] += "".join(others)
                self._joined[f"{broken} → {parts[-1]}"] += times
                place = end
                continue
            if word.signs[place].endswith(BREAK):
                self._left[f"{parts[-1]}-{word.parts[place + 1]}"] += times
            signs.append(_plain(word.signs[place]))
            parts.append(word.parts[place + 1])
            place += 1
        return Word(tuple(parts), tuple(signs))

    def _joins(self, first: str, word: Word, place: int) -> int:
        """Return up to which part those from one on are one word; ``place`` if they are not."""
        last = place
        while last < min(place + _MOST, len(word.signs)) and word.signs[last].endswith(BREAK):
            last += 1
        ends = range(last, place, -1)
        return next((end for end in ends if self._is_word(first, word.parts[place + 1 : end + 1])), place)

    def _is_word(self, first: str, others: Sequence[str]) -> bool:
        joined = _core(first + "".join(others))
        whole = self._words[joined] or self._words[joined.lower()]
        evidence = whole or len(self._ways.get(joined, ())) - 1
        return evidence > 0 and evidence >= self._hyphenated[first, others[0]]


def _core(token: str) -> str:
    """A token without the signs around it, which it has where blanks alone cut."""
    return token if token.isalnum() else _AROUND.sub("", token)


def _plain(sign: str) -> str:
    return sign.removesuffix(BREAK)


def _shown(words: Counter[str]) -> str:
    return ", ".join(word for word, _ in words.most_common(_SHOWN))
