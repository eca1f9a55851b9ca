"""Doubts about documents: what one is, how many are copies, and what most of them share."""

from __future__ import annotations

from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_MUCH = 0.3
"""Part of the tokens, from which what documents share decides which words are frequent and stable."""
_COPIES = 0.2
"""Of the documents, how many are copies: more than reprints of a newspaper are."""


def layout(look: Look) -> Doubt | None:
    """Doubt what a document is, where blank lines leave it open."""
    if look.layout == "paragraphs" and look.runs_on and not look.options.layout:
        ways = f"{option('layout', 'files')} for one document, {option('layout', 'lines')} for one a line"
        return Doubt(
            "layout", 1.0, (), False, "documents stand between blank lines, as many lines run on", f"or say {ways}"
        )
    if not look.question:
        return None
    says, _, way = look.question.partition(" say ")
    return Doubt("layout", 1.0, (), True, says, f"say {way}")


def copies(look: Look) -> Doubt | None:
    """Doubt documents most of which were left out as copies of others."""
    share = look.copies / max(look.copies + len(look.sizes), 1)
    if share < _COPIES:
        return None
    says = f"{look.copies:,} of {look.copies + len(look.sizes):,} documents are copies, left out"
    return Doubt(
        "copies", share, shown(look.copied), False, says, f"say {option('drop_duplicates', False)} to keep them"
    )


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
