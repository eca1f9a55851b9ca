"""What is unusual about the words of a file, said once per kind; and the name of a space read from a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gpustab.formats.rows import Event
from gpustab.vocabulary import show


def describe_words(words: Sequence[bytes], lines: Sequence[int]) -> Iterator[str]:
    """Yield one sentence for each kind of unusual word: with blanks inside, of white space only, not UTF-8.

    Args:
        words: ``v`` words.
        lines: the line of each word.
    """
    kinds = {
        "hold a space or tab": Event(),
        "are white space only": Event(),
        "are not valid UTF-8 and are kept as their bytes": Event(),
    }
    blanks, white, undecodable = kinds.values()
    for word, line in zip(words, lines, strict=True):
        example = f"'{show(word)}' on line {line}" if not word.isalnum() else ""
        if not example:
            continue  # ASCII letters and digits: nothing unusual
        text = word.decode("utf-8", "surrogateescape")
        if b" " in word or b"\t" in word:
            blanks.add(example)
        if text.isspace():
            white.add(example)
        if any("\udc80" <= character <= "\udcff" for character in text):
            undecodable.add(example)
    yield from (f"{event.count} word(s) {kind}: {event}" for kind, event in kinds.items() if event.count)


def name_of(path: Path) -> str:
    """Return the short name of a space: the file's name without ``.gz`` and one more suffix.

    >>> name_of(Path("vectors/glove.6B.50d.txt.gz"))
    'glove.6B.50d'
    """
    path = path.with_suffix("") if path.suffix == ".gz" else path
    return path.stem or path.name
