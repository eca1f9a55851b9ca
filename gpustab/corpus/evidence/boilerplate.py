"""Doubts about what documents share: licences, mastheads, footers."""

from __future__ import annotations

from gpustab.corpus.evidence.doubt import Doubt
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_MUCH = 0.3
"""Part of the tokens, from which what documents share decides which words are frequent and stable."""


def boilerplate(look: Look) -> Doubt | None:
    """Doubt token sequences that stand in most documents; with less than a tenth of the tokens they are named."""
    if not look.repeated:
        return None
    share, documents, examples = look.repeated
    says = (
        f"boilerplate: {share:.1%} of its words are sequences that {documents:,} of {len(look.sizes):,} documents have"
    )
    return Doubt(
        "boilerplate", share, examples, share >= _MUCH, says, f"say {option('cut_boilerplate')} to leave them out"
    )
