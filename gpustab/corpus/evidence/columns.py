"""Doubts about rows: a word a line, and words with numbers instead of running text."""

from __future__ import annotations

from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.corpus.formats.vertical import rows_of
from gpustab.errors import option


def a_word_a_line(look: Look) -> Doubt | None:
    """Doubt lines that are rows of one word each, with its lemma and tags.

    The threshold is that of :func:`gpustab.corpus.formats.vertical.rows_of`: 80 % of the lines without tags, comments
    and blanks are cut alike by tabs, into cells without spaces.
    """
    found = rows_of(look.lines)
    if not found:
        return None
    says = f"a word a line: {found.share:.0%} of its lines are {found.cells} cells without spaces"
    way = f"say {option('column', str(found.word))} for the words '{' '.join(row[found.word - 1] for row in found.rows[:5])}'"
    return Doubt("columns", found.share, shown(map(" ".join, found.rows)), True, says, way)
