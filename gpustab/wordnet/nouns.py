"""The nouns of WordNet from its files, where Debian and nltk put them: senses of a word, hypernyms of a sense."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from gpustab.errors import InputError, option

ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("ves", "f"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)
"""Endings of plurals and what stands in their place, WordNet's rules of detachment for nouns."""


def base_forms(text: str, exceptions: Mapping[str, tuple[str, ...]], endings: Sequence[tuple[str, str]]) -> list[str]:
    """Return what a form may be a form of: the exception's base forms if it is one, else by the endings, once.

    >>> base_forms("men", {"men": ("man",)}, ENDINGS), base_forms("dogs", {}, ENDINGS)
    (['man'], ['dog'])
    """
    if text in exceptions:
        return list(exceptions[text])
    return [text[: -len(end)] + new for end, new in endings if text.endswith(end)]


@dataclass(frozen=True, eq=False)
class Nouns:
    """WordNet's nouns.

    Attributes:
        hypernyms: of every synset (a number), those one edge up, instance hypernyms among them.
        index: the synsets of every lemma, the most frequent sense first.
        exceptions: irregular forms, each with its base forms.
        folder: where they were read.
        endings: of plurals and what stands in their place; none where the language has no such rules.
        name: of the wordnet.
        notes: what is to be said of it.

    Raises:
        InputError: if a hypernym is no synset, or a synset lies above itself.
    """

    hypernyms: Mapping[int, tuple[int, ...]]
    index: Mapping[str, tuple[int, ...]]
    exceptions: Mapping[str, tuple[str, ...]]
    folder: str = ""
    endings: Sequence[tuple[str, str]] = ENDINGS
    name: str = "WordNet"
    notes: tuple[str, ...] = ()

    def senses(self, word: str | bytes, morphy: bool = True) -> list[int]:
        """Return the synsets of a word in small letters, in the wordnet's order.

        Args:
            word: the word.
            morphy: look for its base forms too: those of ``noun.exc``, or that the file lists, if it stands there, else
                by the rules of detachment, once; all forms that are lemmas count, as in nltk's ``synsets``.
        """
        text = (word.decode("utf-8", "replace") if isinstance(word, bytes) else word).lower()
        forms = [text, *base_forms(text, self.exceptions, self.endings)] if morphy else [text]
        return list(dict.fromkeys(synset for form in forms for synset in self.index.get(form, ())))

    @cached_property
    def levels(self) -> dict[int, int]:
        """Edges of the longest way from every synset up to a root."""
        found: dict[int, int] = {}
        for start in self.hypernyms:
            self._level(start, found)
        return found

    @property
    def depth(self) -> int:
        """Edges of the longest way from a synset up to a root: 19 in WordNet 3.0."""
        return max(self.levels.values())

    def _level(self, start: int, found: dict[int, int]) -> None:
        """Find the level of a synset and of all above it, without recursion."""
        waiting, open_ = [start], set()
        while waiting:
            synset = waiting[-1]
            above = self._above(synset)
            unknown = [parent for parent in above if parent not in found]
            if synset in found or not unknown:
                found.setdefault(synset, 1 + max((found[parent] for parent in above), default=-1))
                open_.discard(waiting.pop())
                continue
            if synset in open_:
                raise InputError(f"{self.folder}: synset {synset:08d} lies above itself: the files are damaged")
            open_.add(synset)
            waiting += unknown

    def _above(self, synset: int) -> tuple[int, ...]:
        try:
            return self.hypernyms[synset]
        except KeyError:
            raise InputError(
                f"{self.folder}: synset {synset:08d} is named and not there: files of two WordNets?"
            ) from None


T = TypeVar("T")

_DEBIAN = Path("/usr/share/wordnet")
_NLTK = ("~/nltk_data", "/usr/share/nltk_data", "/usr/local/share/nltk_data", "/usr/lib/nltk_data")
_WANTED = ("data.noun", "index.noun", "noun.exc")


def find_wordnet(folder: str | os.PathLike[str] | None = None, wanted: Sequence[str] = _WANTED) -> Path:
    """Return the folder of WordNet's files: the given one, else Debian's (``wordnet-base``) or one of nltk's.

    Args:
        folder: of the files.
        wanted: names of the files that must be there.

    Raises:
        InputError: if there is none, or the given one lacks a file.
    """
    if folder is not None:
        lacking = [name for name in wanted if not (Path(folder) / name).is_file()]
        if lacking:
            raise InputError(f"{folder}: there is no {lacking[0]}, wanted the folder of WordNet's files")
        return Path(folder)
    given = [part for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    places = [_DEBIAN, *(Path(part).expanduser() / "corpora/wordnet" for part in [*given, *_NLTK])]
    for place in places:
        if all((place / name).is_file() for name in wanted):
            return place
    raise InputError(
        "WordNet is not here: apt install wordnet-base, or python -m nltk.downloader wordnet and unzip it, or name its "
        f"folder by {option('wordnet', ...)}"
    )


def read_nouns(folder: str | os.PathLike[str] | None = None) -> Nouns:
    """Read WordNet's nouns.

    Args:
        folder: see :func:`find_wordnet`.

    Raises:
        InputError: if a file is not there, or a line is not what it should be; the message names file and line.
    """
    place = find_wordnet(folder)
    hypernyms = dict(records(place / "data.noun", _synset))
    index = dict(records(place / "index.noun", lemma_record))
    exceptions = dict(records(place / "noun.exc", exception_record))
    nouns = Nouns(hypernyms, index, exceptions, str(place))
    for lemma, senses in index.items():
        if any(sense not in hypernyms for sense in senses):
            raise InputError(
                f"{place / 'index.noun'}: a sense of '{lemma}' is not in data.noun: files of two WordNets?"
            )
    nouns.levels  # noqa: B018  # finds what is damaged above a synset
    return nouns


def records(path: Path, parse: Callable[[list[str]], T]) -> Iterator[T]:
    """Yield what is parsed of every line of one of WordNet's files, without its gloss.

    Raises:
        InputError: naming file and line, where ``parse`` raises ValueError or IndexError.
    """
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith("  ") or not line.strip():
                continue  # the licence
            try:
                yield parse(line.partition(" | ")[0].split())
            except (ValueError, IndexError):
                shown = line[:60].rstrip()
                raise InputError(f"{path}: line {number} is no line of WordNet's {path.name}: '{shown}'") from None


def _synset(fields: list[str]) -> tuple[int, tuple[int, ...]]:
    """``offset file type words [word id]... pointers [symbol offset pos place]...``; words are counted in hex."""
    start = 4 + 2 * int(fields[3], 16)
    pointers = fields[start + 1 :]
    if len(pointers) != 4 * int(fields[start]):
        raise ValueError
    up = [int(pointers[k + 1]) for k in range(0, len(pointers), 4) if pointers[k] in ("@", "@i")]
    return int(fields[0]), tuple(dict.fromkeys(up))


def lemma_record(fields: list[str]) -> tuple[str, tuple[int, ...]]:
    """Return lemma and synsets of ``lemma pos senses pointers [symbol]... senses tagged [offset]...``."""
    senses = int(fields[2])
    if len(fields) != 6 + int(fields[3]) + senses:
        raise ValueError
    return fields[0], tuple(map(int, fields[-senses:]))


def exception_record(fields: list[str]) -> tuple[str, tuple[str, ...]]:
    """Return an irregular form and its base forms."""
    if len(fields) < 2:
        raise ValueError
    return fields[0], tuple(fields[1:])
