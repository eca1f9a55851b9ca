"""The nouns of WordNet: which senses a word has, and which hypernyms a sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gpustab.errors import InputError

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

    Raises:
        InputError: if a hypernym is no synset, or a synset lies above itself.
    """

    hypernyms: Mapping[int, tuple[int, ...]]
    index: Mapping[str, tuple[int, ...]]
    exceptions: Mapping[str, tuple[str, ...]]
    folder: str = ""

    def senses(self, word: str | bytes, morphy: bool = True) -> list[int]:
        """Return the synsets of a word in small letters, in WordNet's order.

        Args:
            word: the word.
            morphy: look for its base forms too: those of ``noun.exc`` if it stands there, else by the rules of
                detachment, once; all forms that are lemmas count, as in nltk's ``synsets``.
        """
        text = (word.decode("utf-8", "replace") if isinstance(word, bytes) else word).lower()
        forms = [text, *base_forms(text, self.exceptions, ENDINGS)] if morphy else [text]
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
