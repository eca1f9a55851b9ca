"""All doubts that a look can raise: each is one function of a look, with one threshold."""

from __future__ import annotations

from collections.abc import Callable

from gpustab.corpus.evidence.boilerplate import boilerplate
from gpustab.corpus.evidence.columns import a_word_a_line
from gpustab.corpus.evidence.doubt import Doubt
from gpustab.corpus.evidence.look import Look

DOUBTS: tuple[Callable[[Look], Doubt | None], ...] = (a_word_a_line, boilerplate)


def doubts_of(look: Look) -> tuple[Doubt, ...]:
    """Return the doubts that a look raises, the strong ones first."""
    raised = [doubt for ask in DOUBTS if (doubt := ask(look))]
    return tuple(sorted(raised, key=lambda doubt: not doubt.strong))
