"""All doubts that a look can raise: each is one function of a look, with one threshold."""

from __future__ import annotations

from collections.abc import Callable, Collection

from gpustab.corpus.evidence.alphabets import dotless
from gpustab.corpus.evidence.damage import DAMAGES
from gpustab.corpus.evidence.documents import boilerplate, copies, layout, near, together, two_languages
from gpustab.corpus.evidence.doubt import Doubt
from gpustab.corpus.evidence.every_line import EVERY_LINE
from gpustab.corpus.evidence.heads import named_lines, record_heads, times
from gpustab.corpus.evidence.lengths import (
    broken_words,
    clauses,
    coded,
    documents_of_one_word,
    few_words,
    long_sentences,
    one_document,
    wrapped_lines,
)
from gpustab.corpus.evidence.look import Look
from gpustab.corpus.evidence.misread import misread, run_together, turned
from gpustab.corpus.evidence.pages import running_heads
from gpustab.corpus.evidence.signs import (
    a_word_a_line,
    markup,
    numbers,
    program,
    rows_of_one_form,
    trees,
    words_with_numbers,
    words_with_tags,
)

_OF_ROWS = (trees, words_with_numbers, a_word_a_line, words_with_tags)
DOUBTS: tuple[Callable[[Look], Doubt | None], ...] = (
    *_OF_ROWS,
    *DAMAGES,
    turned,
    run_together,
    misread,
    record_heads,
    named_lines,
    times,
    *EVERY_LINE,
    running_heads,
    markup,
    program,
    numbers,
    rows_of_one_form,
    documents_of_one_word,
    coded,
    clauses,
    long_sentences,
    wrapped_lines,
    one_document,
    few_words,
    two_languages,
    broken_words,
    boilerplate,
    copies,
    near,
    together,
    layout,
)


NEVER_STRONG: frozenset[Callable[[Look], Doubt | None]] = frozenset(
    {
        *(dotless, misread, running_heads, rows_of_one_form, one_document, long_sentences, wrapped_lines, few_words),
        *(two_languages, copies, near, together),
    }
)
"""Doubts that stop no training, however much of a text they are."""


def strong_doubts_of(look: Look) -> tuple[Doubt, ...]:
    """Return the strong ones of the doubts that a look raises; the others are not asked."""
    return tuple(doubt for doubt in doubts_of(look, without=NEVER_STRONG) if doubt.strong)


def doubts_of(look: Look, *, without: Collection[Callable[[Look], Doubt | None]] = frozenset()) -> tuple[Doubt, ...]:
    """Return the doubts that a look raises, the strong ones first; some are not asked."""
    if rows := [doubt for ask in _OF_ROWS if (doubt := ask(look))]:
        return tuple(rows[:1])  # all else would come of the cells
    damaged = {ask: ask(look) for ask in DAMAGES if ask not in without}
    if strong := [doubt for doubt in damaged.values() if doubt and doubt.strong]:
        return tuple(strong[:1])  # all else would come of what is left of the words
    others = (ask for ask in DOUBTS[len(_OF_ROWS) :] if ask not in without)
    asked = (damaged[ask] if ask in damaged else ask(look) for ask in others)
    return tuple(sorted(filter(None, asked), key=lambda doubt: not doubt.strong))
