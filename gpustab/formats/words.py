"""What is unusual about the words of a file, said once per kind; and the name of a space read from a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpustab.spaces.load_report import Event
from gpustab.spaces.words import show

_NOT_PRINTABLE_ASCII = re.compile(rb"[^!-~]")


class Unusual:
    """The unusual words of a file: with blanks or control characters inside, of white space only, not UTF-8.

    Args:
        words: ``v`` words.
        places: the line or row number of each.
        place: how a place is named: ``"on line"``, ``"in row"``.
    """

    def __init__(self, words: Sequence[bytes], places: Sequence[int], place: str) -> None:
        self.blank = Event()
        self.white = Event()
        self.undecodable = Event()
        self.control = Event()
        search = _NOT_PRINTABLE_ASCII.search
        if not search(b"".join(words)):  # as in most files; one by one takes ten times as long
            return
        for i in [i for i, word in enumerate(words) if search(word)]:
            word = words[i]
            text = word.decode("utf-8", "surrogateescape")
            if text.isprintable() and " " not in text:
                continue
            example = f"'{show(word)}' {place} {places[i]}"
            if b" " in word or b"\t" in word:
                self.blank.add(example)
            if text.isspace():
                self.white.add(example)
            if any(byte < 32 or byte == 127 for byte in word.replace(b"\t", b"")):
                self.control.add(example)
            if any("\udc80" <= character <= "\udcff" for character in text):
                self.undecodable.add(example)

    def sentences(self) -> Iterator[str]:
        """Yield one sentence for each kind that is there."""
        kinds = {
            "hold a space or tab": self.blank,
            "are white space only": self.white,
            "hold control characters": self.control,
            "are not valid UTF-8 and are kept as their bytes": self.undecodable,
        }
        yield from (f"{event.count} word(s) {kind}: {event}" for kind, event in kinds.items() if event.count)


def name_of(path: Path) -> str:
    """Return the short name of a space: the file's name without ``.gz`` or ``.bz2`` and one more suffix.

    >>> name_of(Path("vectors/glove.6B.50d.txt.gz"))
    'glove.6B.50d'
    """
    path = path.with_suffix("") if path.suffix in (".gz", ".bz2") else path
    return path.stem or path.name
