"""Doubts about rows: a word a line, words with numbers, words with their tags."""

from __future__ import annotations

import re
from collections import Counter

from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.corpus.formats.vertical import rows_of
from gpustab.errors import option
from gpustab.formats.text.decimals import is_number_like

_LISTED = 0.8
"""Of the lines, how many are a word with numbers: no prose has so many, and a list may have a head or comments."""
_TAGGED = 0.6
"""Of the words between blanks, how many hold the same sign within: a tagger leaves few without, and prose has 1 %."""
_LONGEST = 50
"""Letters of a word that are looked at."""
_FEW = 3
"""Rows from which an equal form is no accident."""
_JOINED = re.compile(r"(?=[^\s/_|#]*[^\W\d_])[^\s/_|#]++([/_|#])[^\s/_|#]\S*|[^\w\s]([/_|#])\S+")


def a_word_a_line(look: Look) -> Doubt | None:
    """Doubt lines that are rows of one word each, with its lemma and tags.

    The threshold is that of :func:`gpustab.corpus.formats.vertical.rows_of`: 80 % of the lines without tags, comments
    and blanks are cut alike, by tabs or by blanks, into cells without spaces.
    """
    found = rows_of(look.lines)
    if not found:
        return None
    says = f"a word a line: {found.share:.0%} of the lines are {found.cells} cells without spaces"
    column = option("column", str(found.word))
    if look.options.format:
        column = f"{option('format', 'vertical')} and {column}"
    words = " ".join(row[found.word - 1] for row in found.rows[:5])
    return Doubt("columns", found.share, shown(map(" ".join, found.rows)), True, says, f"say {column} for '{words}'")


def words_with_numbers(look: Look) -> Doubt | None:
    """Doubt lists of words with counts, and files of vectors: one word and numbers in each line, every word once."""
    cut = [re.split(r"[\t,;:]\s*|\s+", line.strip()) for line in look.filled]
    rows = [cells for cells in cut if len(cells) > 1 and sum(map(_is_number, cells)) == len(cells) - 1]
    words = {next(cell for cell in row if not _is_number(cell)) for row in rows}
    if len(rows) < _FEW or len(rows) < _LISTED * len(cut) or len(words) < _LISTED * len(rows):
        return None
    share = len(rows) / len(cut)
    vectors = Counter(map(len, rows)).most_common(1)[0][0] > 4
    what = "one word and numbers" if vectors else "one word and a number"
    says = f"words with numbers, no running text: {share:.0%} of the lines are {what}"
    way = "gpustab stability takes files of vectors" if vectors else "give the texts that were counted"
    return Doubt("counts", share, shown(look.filled), True, says, way)


def words_with_tags(look: Look) -> Doubt | None:
    """Doubt words that have their tags behind a sign: ``the/DT``, ``the_DT``, ``bank|NOUN``, and are cut there."""
    if look.options.cut != "words":
        return None
    words = " ".join(look.filled).split()
    joined = [
        (word, found[1] or found[2]) for word in words if len(word) < _LONGEST and (found := _JOINED.fullmatch(word))
    ]
    if len(joined) <= _FEW:
        return None
    sign, n = Counter(sign for _, sign in joined).most_common(1)[0]
    share = n / len(words)
    if share < _TAGGED:
        return None
    says = f"words with their tags: {share:.0%} of the words have '{sign}' within"
    alone = option("tokenizer", rf"(?<!\S)[^\s{sign}]+(?=[{sign}]\S)")
    way = f"say {alone} for the words alone, or {option('tokenizer', 'whitespace')} for words with tags"
    return Doubt("tags", share, shown(word for word, one in joined if one == sign), True, says, way)


def _is_number(cell: str) -> bool:
    return is_number_like(cell.encode())
