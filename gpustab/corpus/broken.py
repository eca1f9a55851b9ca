"""Words broken at line ends: joined where the corpus itself has the joined word.

A line that ends ``presi-`` before one that begins ``dent`` may break *president*, or end between the parts of *self-evident*.
The text knows: a break is undone if the joined word stands elsewhere, or arises from two different breaks, and no less often
than the word with its hyphen. Soft hyphens before a line's end only ever break words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gpustab.corpus.options import JoinBroken

BREAK = "\x7f"
"""Stands for a line's end behind a hyphen: the one ASCII character that no text has; where one has it, it is taken out."""
HYPHENS = "-‐‑¬⸗="
"""Signs that break a word at a line's end: hyphens, the mark of Word and of OCR, and the double hyphens of Fraktur."""

_SOFT = re.compile("\u00ad+[ \t\r]*\n[ \t]*")
_NO_LETTER = r"\s!-@\[-`{-~"  # of ASCII: letters beyond it end in marks, which are none either
_HARD = re.compile(f"(?<=[^{_NO_LETTER}])([{HYPHENS}])[ \t\r]*\n[ \t]*(?=[^{_NO_LETTER}])")
_ENDS = ("-\n", "- \n", "¬\n", "‐\n", "⸗\n", "=\n")
_PARTS = re.compile(f"([{HYPHENS}]{BREAK}?)")
_PARTS_OF_TOKENS = re.compile(f"([{HYPHENS}]{BREAK})")
_SHOWN = 3


def run_on(text: str, how: JoinBroken) -> str:
    r"""Return a text as one line: blanks for its line ends, except where a word is broken.

    Args:
        text: with line ends.
        how: whether breaks are marked by :data:`BREAK`, joined or left.

    >>> run_on("reser\u00ad\nvation for the presi-\ndent", "auto")
    'reservation for the presi-\x7fdent'
    """
    if "\n" not in text:
        return text
    if "\u00ad" in text:
        text = _SOFT.sub("", text)
    if how != "none" and any(end in text for end in _ENDS):
        text = _HARD.sub(r"\1" + BREAK if how == "auto" else "", text.replace(BREAK, ""))
    return text.replace("\n", " ")


class Word(NamedTuple):
    """A token that may hold hyphens: its parts, and the signs between."""

    parts: tuple[str, ...]
    signs: tuple[str, ...]


def taken_apart(token: str, *, hyphens_part: bool) -> Word:
    """Return the parts of a token; where hyphens do not part words, breaks alone do."""
    pieces = (_PARTS if hyphens_part else _PARTS_OF_TOKENS).split(token)
    return Word(tuple(pieces[::2]), tuple(pieces[1::2]))


@dataclass
class Breaks:
    """Decides of each broken word whether it is joined.

    Attributes:
        words: how often each word stands unbroken.
        hyphenated: how often two words stand with a hyphen between, within a line.
        ways: the first parts by which each joined word was broken.
    """

    words: Counter[str] = field(default_factory=Counter)
    hyphenated: Counter[tuple[str, str]] = field(default_factory=Counter)
    ways: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    joined: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)

    def see(self, word: Word, times: int) -> None:
        """Take in a token that stands so many times."""
        for place, part in enumerate(word.parts):
            if not _is_break(word.signs[max(place - 1, 0) : place + 1]):
                self.words[part] += times
        for place, sign in enumerate(word.signs):
            pair = word.parts[place], word.parts[place + 1]
            if sign.endswith(BREAK):
                self.ways["".join(pair)].add(pair[0])
            else:
                self.hyphenated[pair] += times

    def mended(self, word: Word, times: int) -> Word:
        """Return a token with its breaks joined, or become plain signs."""
        parts, signs, place = [word.parts[0]], list[str](), 0
        while place < len(word.signs):
            end = self._joins(parts[-1], word, place)
            if end > place:
                shown = "".join((parts[-1], *(f"-{part}" for part in word.parts[place + 1 : end + 1])))
                parts[-1] += "".join(word.parts[place + 1 : end + 1])
                self.joined[f"{shown} → {parts[-1]}"] += times
            else:
                if word.signs[place].endswith(BREAK):
                    self.left[f"{parts[-1]}-{word.parts[place + 1]}"] += times
                end = place + 1
                signs.append(word.signs[place].removesuffix(BREAK))
                parts.append(word.parts[end])
            place = end
        return Word(tuple(parts), tuple(signs))

    def notes(self, way: str) -> Iterator[str]:
        """Yield what was joined and what was not, with examples; ``way`` joins all."""
        total = self.joined.total() + self.left.total()
        if self.joined:
            yield (
                f"{self.joined.total():,} of {total:,} words broken at line ends are joined, as the text has them whole: "
                f"{_shown(self.joined)}"
            )
        if self.left:
            yield (
                f"{self.left.total():,} of {total:,} words at line ends keep their hyphen, as the text does not have "
                f"them whole: {_shown(self.left)}; {way} would join them"
            )

    def _joins(self, first: str, word: Word, place: int) -> int:
        """Return up to which sign the parts from one on are one word; ``place`` if they are not."""
        last = place
        while last < len(word.signs) and word.signs[last].endswith(BREAK):
            last += 1
        for end in range(last, place, -1):
            if self._is_word(first, word.parts[place + 1 : end + 1]):
                return end
        return place

    def _is_word(self, first: str, others: Sequence[str]) -> bool:
        joined = first + "".join(others)
        whole = self.words[joined] or self.words[joined.lower()]
        evidence = whole or (len(self.ways[joined]) if joined in self.ways else 0) - 1
        return evidence > 0 and evidence >= self.hyphenated[first, others[0]]


def _is_break(signs: Iterable[str]) -> bool:
    return any(sign.endswith(BREAK) for sign in signs)


def _shown(words: Counter[str]) -> str:
    return ", ".join(word for word, _ in words.most_common(_SHOWN))
