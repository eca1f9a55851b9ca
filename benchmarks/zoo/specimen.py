"""One text of the zoo, how it is cut to size, and whether it is ordinary at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gpustab.corpus.variants import UNSPACED

SHORT, LONG = 2_000, 40_000
"""Characters: less is no corpus, more tells no more."""

_WITHOUT_BLANKS = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True)
class Specimen:
    """A text as people have it.

    Attributes:
        name: of it in the zoo.
        files: their contents by name; one file is given as a file, several as a folder.
        options: how it is read, as somebody would say who knows what it is.
        raises: kinds of doubts, of which one must be raised; none of an ordinary text.
        words: what a refusal must say, one of these, where the file is refused before it is looked at.
        part: of the zoo: ``"seen"`` where rules were set on it, or the set of fresh ones.
    """

    name: str
    files: Mapping[str, str | bytes]
    options: Mapping[str, Any] = field(default_factory=dict)
    raises: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    part: str = "seen"

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


def lines_of(name: str, texts: Iterable[str], layout: str = "lines") -> Iterator[Specimen]:
    """Yield a file with a text in each line, if they are enough for a corpus."""
    kept = _cut(" ".join(text.split()) for text in texts)
    if sum(map(len, kept)) >= SHORT:
        yield Specimen(name, {"text.txt": "\n".join(kept) + "\n"}, {"layout": layout} if layout else {})


def by_script(specimen: Specimen) -> Specimen:
    """Return a text with the doubt that it must raise where most of its letters are of scripts without blanks."""
    text = "".join(text for text in specimen.files.values() if isinstance(text, str))
    signs = len(_WITHOUT_BLANKS.findall(text))
    if 2 * signs <= sum(map(str.isalpha, text)):
        return specimen
    return replace(specimen, raises=("clauses",), words=("without blanks",))
