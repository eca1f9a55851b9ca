"""Doubts about words that line ends break where lines do not run on."""

from __future__ import annotations

from gpustab.corpus.broken import HYPHENS
from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_FEWEST, _SHARE = 5, 0.02
"""Lines that break a word, from which it is no accident; of all lines a fiftieth makes as many words that are none."""


def broken_words(look: Look) -> Doubt | None:
    """Doubt lines that end within a word: with a hyphen, where the next one begins with a small letter."""
    if look.layout not in ("lines", "blocks"):  # the lines of records run on
        return None
    pairs = zip(look.filled, look.filled[1:], strict=False)
    broken = [
        f"{one.split()[-1]} | {other.split()[0]}" for one, other in pairs if _breaks(one.rstrip(), other.lstrip())
    ]
    share = len(broken) / max(len(look.filled), 1)
    if len(broken) < _FEWEST or share < _SHARE:
        return None
    says = f"broken words: {share:.0%} of the lines end within a word, and every line is a text of its own"
    ways = f"{option('layout', 'paragraphs')} or {option('layout', 'files')}"
    way = f"say {ways}, where lines run on and such words are joined"
    return Doubt("broken", share, shown(broken), True, says, way)


def _breaks(line: str, following: str) -> bool:
    return line[-1] in HYPHENS[:4] and len(line) > 1 and line[-2].isalpha() and following[0].islower()
