"""Doubts about how long words, sentences and documents are."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import count, pairwise

import numpy as np

from gpustab.corpus.broken import HYPHENS
from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_ONE_WORD = 0.5
"""Of the documents, how many are of one word: lists of words have nearly all, posts and titles few."""
_FEW_DOCUMENTS = 5
_A_LIST, _OF_A_LIST = 100, 0.1
"""Different words of a list, and what its 20 commonest words are of all at most: of running text a seventh at least."""
_LONG_SENTENCE = 60
"""Words of the middle sentence: three times as many as in the longest-winded prose."""
_ALL = 0.9
"""Of the words, how many stand in one document."""
_A_BOOK = 2000
"""Words from which one document is worth a note."""
_CODED = 0.2
"""Of the text, how much stands in words of more than 50 letters and digits."""
_LONGEST = 50
_NO_CASE = 0.4
"""Of the letters, how many have no small and large form, as those of scripts without blanks."""
_CLAUSE, _OFTEN = 7, 0.25
"""Letters that few words have, and how many clauses of such scripts have more: a third, and of words a tenth."""
_VERSE = 5
"""Signs of a line of Chinese that is a clause: words have four at most."""
_WHOLE = 10
"""Letters of the middle clause that no script with blanks has; shorter ones may be long words, as in Malayalam, and are
told by what stands between: mostly a blank."""
_ONCE, _ENOUGH, _LOOKED_AT = 0.5, 200, 2000
"""Of so many words, how many are different: clauses hardly come again; of fewer words, words do not either."""


def documents_of_one_word(look: Look) -> Doubt | None:
    """Doubt documents of one word each: lists of words, or running text with a word a line."""
    filled, counts = look.sizes[look.sizes > 0], np.sort(look.counts[look.counts > 0])[::-1]
    single = [words[0] for words in look.tokens if len(words) == 1]
    are_words = len(filled) >= _FEW_DOCUMENTS and 2 * sum(map(_is_a_word, single)) >= len(single)
    share = float((filled == 1).mean()) if are_words else 0.0
    lines = look.filled if len(look.filled) >= _FEW_DOCUMENTS else []
    alone = sum(map(_is_a_word, lines)) / max(len(lines), 1)
    once = len(counts) >= _ALL * counts.sum()
    listed = once or (len(counts) >= _A_LIST and counts[:_MOST].sum() < _OF_A_LIST * counts.sum())
    if max(share, alone) >= _ONE_WORD and _is_wide(lines):
        return _clauses(max(share, alone), look.filled, "lines taken for words: no blanks stand between words")
    if max(share, alone) >= _ONE_WORD and listed and not look.copies:
        what = f"{alone:.0%} of the lines" if alone >= share else f"{share:.0%} of the documents"
        says = f"documents of one word: {what}, as in a list of words"
        return Doubt("words", max(share, alone), shown(look.filled), True, says, "give running text")
    if share < _ONE_WORD:
        return None
    way = f"say {option('layout', 'files')} for running text"
    says = f"documents of one word: {share:.0%} of the documents"
    return Doubt("words", share, shown(look.filled), True, says, way)


def _is_a_word(line: str) -> bool:
    """Tell a line that is one word; one without case may be a sentence, and is one if it is short."""
    words = line.split()
    return len(words) == 1 and len(words[0]) <= (_LONGEST if _is_cased(words[0]) else _CLAUSE)


def one_document(look: Look) -> Doubt | None:
    """Doubt a corpus that is one document, or nearly: draws of documents would all be the same."""
    if not len(look.sizes) or look.sizes.sum() < _A_BOOK or look.options.unit != "document":
        return None
    share = float(look.sizes.max() / look.sizes.sum())
    if share < _ALL:
        return None
    says = f"one document holds {share:.0%} of the words"
    way = f"say {option('unit', 'sentence')} to draw sentences"
    return Doubt("document", share, (), False, says, way)


def long_sentences(look: Look) -> Doubt | None:
    """Doubt sentences that are paragraphs, or that nothing ends."""
    if not (look.layout == "blocks" or (look.options.unit == "sentence" and look.layout != "lines")):
        return None
    filled = look.lengths[look.lengths > 0]
    middle = float(np.median(filled)) if len(filled) else 0.0
    if middle < _LONG_SENTENCE:
        return None
    says = f"long sentences: the middle one has {middle:.0f} words"
    way = f"say {option('layout', 'paragraphs')}" if look.layout == "blocks" else f"say {option('unit', 'document')}"
    share = float((filled >= _LONG_SENTENCE).mean())
    return Doubt("sentences", share, shown(look.filled), False, says, way)


def coded(look: Look) -> Doubt | None:
    """Doubt words too long for any language: base64, hashes, genes."""
    long = [word for word in look.spans if len(word) > _LONGEST and _is_cased(word) and "://" not in word]
    long = [word for word in long if sum(map(str.isalnum, word)) > _ALL * len(word)]
    share = sum(len(word) * look.spans[word] for word in long) / max(sum(map(len, look.spaced)), 1)
    if share < _CODED:
        return None
    says = f"words of more than {_LONGEST} signs: {share:.0%} of the text"
    return Doubt("coded", share, shown(long), True, says, "give text that is not coded")


def clauses(look: Look) -> Doubt | None:
    """Doubt clauses that are taken for words, where a script has no blanks between words."""
    words = [word for words in look.tokens for word in words if not _is_cased(word)]
    all_letters = sum(len(word) for tokens in look.tokens for word in tokens)
    letters = sum(map(len, words))
    if len(words) < _FEW_DOCUMENTS or letters < _NO_CASE * all_letters:
        return None
    words = words[:_LOOKED_AT]
    sizes = sorted(sum(unicodedata.category(sign)[0] == "L" for sign in word) for word in words)
    long = sum(size > _CLAUSE for size in sizes) / len(sizes)
    if long < _OFTEN or (len(words) > _ENOUGH and len(set(words)) < _ONCE * len(words)):
        return None
    middle = sizes[len(sizes) // 2]
    if middle < _WHOLE and _blanks_part_words(look.filled[:_LOOKED_AT]):
        return None
    says = f"clauses taken for words: the middle one has {middle} letters, and no blanks stand between words"
    return _clauses(letters / all_letters, words, says)


def _clauses(share: float, text: Sequence[str], says: str) -> Doubt:
    signs = option("tokenizer", rf"[^\W\d_]{_marks_of(text[:_LOOKED_AT])}")
    way = f"say {signs} to take every sign for a word, or let a segmenter put blanks between the words"
    return Doubt("clauses", share, shown(text), True, says, way)


def _marks_of(examples: Sequence[str]) -> str:
    """Return an expression of the vowel signs and tones of the scripts in some text, which stay with their letter.

    >>> _marks_of(["北京"]), _marks_of(["ครู"])
    ('', '[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*')
    """
    blocks = sorted({ord(sign) & ~0x7F for text in examples for sign in text if _kind(sign) == "M"})
    codes = [code for block in blocks for code in range(block, block + 0x80) if _kind(chr(code)) == "M"]
    runs = [(code, next(end for end in count(code) if end + 1 not in codes)) for code in codes if code - 1 not in codes]
    ranges = [chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in runs]
    return f"[{''.join(ranges)}]*" if ranges else ""


def _is_wide(lines: Sequence[str]) -> bool:
    """Tell lines of Chinese or Japanese that are longer than words are: verse, titles."""
    wide = [sum(unicodedata.east_asian_width(sign) == "W" and _kind(sign) == "L" for sign in line) for line in lines]
    return bool(wide) and sum(wide) > _ONE_WORD * sum(map(len, lines)) and float(np.median(wide)) >= _VERSE


def _blanks_part_words(lines: Sequence[str]) -> bool:
    """Tell lines where more words of scripts without case have a blank between them than there are signs of clauses."""
    blanks = stops = 0
    for line in lines:
        pieces = line.split()
        blanks += sum(one[-1] > "\x7f" < other[0] and _kind(one[-1]) in "LM" for one, other in pairwise(pieces))
        stops += sum(_kind(sign) == "P" for sign in line)
    return blanks > stops


def _kind(sign: str) -> str:
    return unicodedata.category(sign)[0]


def _is_cased(word: str) -> bool:
    return word.upper() != word.lower()


_ENDS = ".!?:;…\"'”’»)"


def wrapped_lines(look: Look) -> Doubt | None:
    """Doubt lines that run on in the next and are documents or sentences."""
    if look.layout not in ("lines", "blocks") or len(look.filled) < _FEW_DOCUMENTS:
        return None
    pairs = [pair for pair in zip(look.lines, look.lines[1:], strict=False) if pair[0].strip() and pair[1].strip()]
    on = [after for before, after in pairs if after.lstrip()[:1].islower() and before.rstrip()[-1:] not in _ENDS]
    widths = np.array([len(line) for line in look.filled])
    full = float((widths > 0.75 * np.quantile(widths, 0.9)).mean())
    share = len(on) / max(len(pairs), 1)
    if share < _RUNS_ON or full < _FULL:
        return None
    what = "document" if look.layout == "lines" else "sentence"
    says = f"lines that run on in the next, each a {what}: {share:.0%}"
    return Doubt("wrapped", share, shown(on), False, says, f"say {_layout_of_text(look)}")


def _layout_of_text(look: Look) -> str:
    """Return the layout of text whose lines run on: what stands between blank lines, or all of it."""
    return option("layout", "files" if all(line.strip() for line in look.lines[:-1]) else "paragraphs")


def few_words(look: Look) -> Doubt | None:
    """Doubt text of a few words that come again and again: notes of music, tables of codes."""
    total = int(look.counts.sum())
    if total < _A_PAGE:
        return None
    most = np.sort(look.counts)[::-1][:_MOST]
    share = float(most.sum() / total)
    if share < _REPEATED:
        return None
    words = tuple(look.words[i] for i in np.argsort(-look.counts, kind="stable")[:3])
    return Doubt("few", share, words, False, f"few words: {_MOST} of them are {share:.0%} of all", "give running text")


_A_PAGE, _MOST, _REPEATED = 150, 20, 0.7
"""Words from which it is asked, words that are counted, and their share of all: of prose a third, of any 0.61."""
_RUNS_ON, _FULL = 0.3, 0.6


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
    way = f"say {_layout_of_text(look)}, where lines run on and such words are joined"
    return Doubt("broken", share, shown(broken), True, says, way)


def _breaks(line: str, following: str) -> bool:
    return line[-1] in HYPHENS[:4] and len(line) > 1 and line[-2].isalpha() and following[0].islower()
