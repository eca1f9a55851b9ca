"""One text of the zoo, and the third that is left out while thresholds are set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

SHORT, LONG = 2_000, 40_000
"""Characters: less is no corpus, more tells no more."""


@dataclass(frozen=True)
class Specimen:
    """A text as people have it.

    Attributes:
        name: of it in the zoo.
        files: their contents by name; one file is given as a file, several as a folder.
        options: how it is read, as somebody would say who knows what it is.
        raises: kinds of doubts, of which one must be raised; none of an ordinary text.
        words: what a refusal must say, one of these, where the file is refused before it is looked at.
    """

    name: str
    files: Mapping[str, str | bytes]
    options: Mapping[str, Any] = field(default_factory=dict)
    raises: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def left_out(self) -> bool:
        """Whether it belongs to the third that no threshold has seen."""
        return blake2b(self.name.encode(), digest_size=4, key=b"zoo").digest()[0] % 3 == 0

    def write(self, folder: Path) -> Path:
        """Write it into an empty folder, and return what is to be read."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder if len(self.files) > 1 else folder / next(iter(self.files))


def _cut(texts: Iterable[str]) -> list[str]:
    """Return the first texts, as many as a corpus of the zoo has."""
    kept, size = list[str](), 0
    for text in texts:
        if size < LONG and text.strip():
            kept.append(text[: LONG - size])
            size += len(kept[-1])
    return kept


def a_folder(name: str, texts: Iterable[str], **options: str) -> Iterator[Specimen]:
    """Yield a folder of some texts, if they are enough for a corpus."""
    kept = _cut(texts)
    if sum(map(len, kept)) >= SHORT:
        yield Specimen(name, {f"{i:03}.txt": text for i, text in enumerate(kept)}, options or {"layout": "files"})


def lines_of(name: str, texts: Iterable[str]) -> Iterator[Specimen]:
    """Yield a file with a text in each line, if they are enough for a corpus."""
    kept = _cut(" ".join(text.split()) for text in texts)
    if sum(map(len, kept)) >= SHORT:
        yield Specimen(name, {"text.txt": "\n".join(kept) + "\n"}, {"layout": "lines"})
