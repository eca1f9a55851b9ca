"""Doubts about how long words, sentences and documents are."""

from __future__ import annotations

import unicodedata

import numpy as np

from gpustab.corpus.broken import HYPHENS
from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_ONE_WORD = 0.5
"""Of the documents, how many are of one word: lists of words have nearly all, posts and titles few."""
_FEW_DOCUMENTS = 5
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
_ONCE, _ENOUGH, _LOOKED_AT = 0.5, 200, 2000
"""Of so many words, how many are different: clauses hardly come again; of fewer words, words do not either."""


def documents_of_one_word(look: Look) -> Doubt | None:
    """Doubt documents of one word each: lists of words, or running text with a word a line."""
    filled = look.sizes[look.sizes > 0]
    share = float((filled == 1).mean()) if len(filled) else 0.0
    if len(filled) < _FEW_DOCUMENTS or share < _ONE_WORD:
        return None
    once = int((look.counts[look.counts > 0] == 1).sum()) / len(look.counts[look.counts > 0])
    says = f"documents of one word: {share:.0%} of the documents"
    if once > _ALL and not look.copies:
        return Doubt("words", share, shown(look.filled), True, f"{says}, as in a list of words", "give running text")
    way = f"say {option('layout', 'files')} for running text"
    return Doubt("words", share, shown(look.filled), True, says, way)


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
    words = " ".join(look.filled).split()
    long = [word for word in words if len(word) > _LONGEST and _is_cased(word) and "://" not in word]
    long = [word for word in long if sum(map(str.isalnum, word)) > _ALL * len(word)]
    share = sum(map(len, long)) / max(sum(map(len, words)), 1)
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
    says = f"clauses taken for words: the middle one has {sizes[len(sizes) // 2]} letters, and no blanks stand between words"
    signs = option("tokenizer", r"[^\W\d_]")
    way = f"say {signs} to take every sign for a word, or let a segmenter put blanks between the words"
    return Doubt("clauses", letters / all_letters, shown(words), True, says, way)


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


_A_PAGE, _MOST, _REPEATED = 500, 20, 0.8
"""Words from which it is asked, words that are counted, and their share of all: a third in any prose."""
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
