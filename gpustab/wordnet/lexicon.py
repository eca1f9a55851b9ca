"""WordNet as a lexicon: synonyms of nouns and verbs, antonyms of verbs, phrases, and how often senses were tagged."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gpustab.errors import InputError, option
from gpustab.wordnet.nouns import ENDINGS, base_forms, exception_record, find_wordnet, lemma_record, records

Pos = Literal["n", "v"]
SenseRule = Literal["paper", "first"]

_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": ENDINGS,
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
"""WordNet's rules of detachment."""


class Synset(NamedTuple):
    """Words of one meaning.

    Attributes:
        lemmas: as they are written, ``_`` between the words of a phrase.
        keys: their sense keys, as in ``cntlist.rev``.
        opposites: ``(own lemma, synset, its lemma)`` of every antonym, lemmas counted from 0.
    """

    lemmas: tuple[str, ...]
    keys: tuple[str, ...]
    opposites: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """WordNet's nouns and verbs, and the lemmas of all its parts of speech.

    Attributes:
        index: by part of speech the synsets of every lemma, the most frequent sense first.
        synsets: of nouns and verbs, by number.
        exceptions: by part of speech irregular forms, each with its base forms.
        tagged: how often every sense key was tagged; ``None`` where ``cntlist.rev`` was not asked for.
        folder: where it was read.
    """

    index: Mapping[str, Mapping[str, tuple[int, ...]]]
    synsets: Mapping[str, Mapping[int, Synset]]
    exceptions: Mapping[str, Mapping[str, tuple[str, ...]]]
    tagged: Mapping[str, int] | None
    folder: str = ""

    def senses(self, word: str, pos: str) -> list[int]:
        """Return the synsets of a word: those of the form itself, then of its base forms, as in nltk."""
        text = word.lower()
        forms = [text, *base_forms(text, self.exceptions[pos], _ENDINGS[pos])]
        return list(dict.fromkeys(synset for form in forms for synset in self.index[pos].get(form, ())))

    def has(self, words: str) -> bool:
        """Return whether a word or phrase (``_`` between its words) stands here under any part of speech."""
        return any(self.senses(words, pos) for pos in _FILES)

    def sense(self, word: str, pos: Pos, rule: SenseRule) -> int | None:
        """Return the sense of a word that a rule takes, ``None`` for an unknown word.

        Args:
            word: any form.
            pos: part of speech.
            rule: ``paper``: the synset whose lemmas were tagged most often together, the first of equals (White 2015
                as it was run); ``first``: WordNet's first.
        """
        senses = self.senses(word, pos)
        if rule == "first" or not senses:
            return senses[0] if senses else None
        return max(senses, key=lambda synset: self.count(pos, synset))

    def count(self, pos: Pos, synset: int) -> int:
        """Return how often the lemmas of a synset were tagged with it."""
        if self.tagged is None:
            raise InputError(f"{self.folder}: tag counts were not read, {option('sense', 'paper')} wants them")
        return sum(self.tagged.get(key, 0) for key in self.synsets[pos][synset].keys)

    def lemma_count(self, pos: Pos, synset: int, lemma: str) -> int:
        """Return how often one lemma was tagged with a synset; 0 without tag counts."""
        own = self.synsets[pos][synset]
        return (self.tagged or {}).get(own.keys[own.lemmas.index(lemma)], 0)

    def synonyms(self, pos: Pos, synset: int) -> list[tuple[str, int]]:
        """Return the lemmas of a synset, each with its tag count."""
        return [(lemma, self.lemma_count(pos, synset, lemma)) for lemma in self.synsets[pos][synset].lemmas]

    def antonyms(self, synset: int) -> list[tuple[str, int]]:
        """Return the antonyms of all lemmas of a verbs' synset, each with its tag count."""
        verbs = self.synsets["v"]
        found = [(verbs[other].lemmas[lemma], other) for _, other, lemma in verbs[synset].opposites]
        return [(lemma, self.lemma_count("v", other, lemma)) for lemma, other in dict.fromkeys(found)]


def read_lexicon(folder: str | os.PathLike[str] | None = None, tags: bool = True) -> Lexicon:
    """Read WordNet.

    Args:
        folder: see :func:`~gpustab.wordnet.nouns.find_wordnet`.
        tags: read the tag counts too.

    Raises:
        InputError: if a file is not there, or a line is not what it should be; the message names file and line. Tag
            counts that are not there are an error: zeros would turn the sense that was tagged most into the first.
    """
    wanted = [file for name in _FILES.values() for file in (f"index.{name}", f"{name}.exc")]
    wanted += ["data.noun", "data.verb"]
    place = find_wordnet(folder, wanted)
    if tags and not (place / "cntlist.rev").is_file():
        raise InputError(
            f"{place}: there is no cntlist.rev, without which senses have no tag counts: say {option('sense', 'first')}"
        )
    return Lexicon(
        {pos: dict(records(place / f"index.{name}", lemma_record)) for pos, name in _FILES.items()},
        {pos: dict(records(place / f"data.{_FILES[pos]}", _synset)) for pos in ("n", "v")},
        {pos: dict(records(place / f"{name}.exc", exception_record)) for pos, name in _FILES.items()},
        dict(records(place / "cntlist.rev", _tagged)) if tags else None,
        str(place),
    )


def _synset(fields: list[str]) -> tuple[int, Synset]:
    """``offset file type words [word id]... pointers [symbol offset pos source/target]...``; words counted in hex."""
    words = int(fields[3], 16)
    lemmas = fields[4 : 4 + 2 * words : 2]
    kind = 1 + ("n", "v").index(fields[2])
    ids = fields[5 : 5 + 2 * words : 2]
    keys = [f"{lemma.lower()}%{kind}:{fields[1]}:{int(n, 16):02d}::" for lemma, n in zip(lemmas, ids, strict=True)]
    return int(fields[0]), Synset(tuple(lemmas), tuple(keys), tuple(_opposites(fields[4 + 2 * words :])))


def _opposites(fields: list[str]) -> Iterator[tuple[int, int, int]]:
    for k in range(1, 1 + 4 * int(fields[0]), 4):
        symbol, synset, _, ends = fields[k : k + 4]
        if symbol == "!" and ends != "0000":
            yield int(ends[:2], 16) - 1, int(synset), int(ends[2:], 16) - 1


def _tagged(fields: list[str]) -> tuple[str, int]:
    key, _, count = fields  # key, number, count
    return key, int(count)
