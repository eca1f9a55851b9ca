"""One word in two spellings: characters that are written in several ways and mean one, and signs that nobody sees.

What is folded never changes what a word means: don’t and don't, ``ﬁnal`` and final, haſt and hast, full-width letters,
letters that a program made bold, a word joiner or a stray control sign within a word. Letters stay: œ, æ, ß, ª and the
joiners of the scripts that write with them (Persian, Hindi). The apostrophes that are letters of some alphabets (U+02BC
of Ukrainian and Breton, U+02BB of Hawaiian) are folded only where the same text has the word with a plain one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

APOSTROPHES = "'’‘‛`´′＇׳\x91\x92"
"""Signs that stand for an apostrophe between letters; the last two are cp1252's, read as latin-1."""
LETTER_APOSTROPHES = "\u02bb\u02bc"
"""Apostrophes that are letters."""
JOINERS = "\u200c\u200d"
"""Zero-width joiner and non-joiner."""
SPACE = "\u200b"
"""Zero-width space: it separates words where a script writes no blanks, and is a stray sign elsewhere."""
DOT, TYPED_DOTS = "·", "\u2219\u22c5\u2022\u2027"
"""The dot within a word of Catalan, Occitan or Franco-Provençal, col·lecció, and what is typed for it between two l."""
GERSHAYIM = "\u05f4"
"""Stands before the last letter of Hebrew abbreviations; a quotation mark is typed for it."""
UNSEEN = "\0-\x08\x0e-\x1b\x7f\u061c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
"""Ranges of stray control signs, marks of direction and joiners that say only where a line may not break."""
UNSPACED = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u3040-\u30ff\u3400-\u9fff"
"""Ranges of letters of scripts without blanks between words."""

_JOINLESS = "\0-\u05ff\u10a0-\u10ff\u1e00-\u1fff"
_STRETCHED = "\u0640"  # Arabic: a line that makes a word longer
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # choose a letter's shape
_FORMS = (  # letters that stand in Unicode twice, for the sake of older encodings
    *((0x17F, 0x17F), (0x132, 0x133), (0x1C4, 0x1CC), (0x1F1, 0x1F3)),
    *((0xFB00, 0xFB06), (0xFB13, 0xFB17), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC)),
    *((0xFF10, 0xFF19), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A), (0xFF66, 0xFFDC)),
)
_MATHEMATICAL = (0x1D400, 0x1D7FF)
_GONE = re.compile(f"[{UNSEEN}{SPACE}{_STRETCHED}{_SELECTORS}]")
_NEEDLESS = re.compile(f"(?<=[{_JOINLESS}])[{JOINERS}]+(?=[{_JOINLESS}])")
_CURLED = re.compile(rf"(?<=[^\W_])(?P<marks>[\u0300-\u036f\u0591-\u05c7]*)[{APOSTROPHES}](?=[^\W_])")


def _class(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(f"{re.escape(chr(a))}-{re.escape(chr(z))}" for a, z in ranges)


_FORM = re.compile(f"[{_class(_FORMS)}]")
_LETTERED = re.compile(f"[{_class([_MATHEMATICAL])}]")
_DOTTED = re.compile(rf"(?<=[lL])[{TYPED_DOTS}](?=[lL])")
_QUOTED = re.compile('(?<=[א-ת])["”](?=[א-ת])')
_ANY = re.compile(
    f'[{TYPED_DOTS}"”ŀ{UNSEEN}{SPACE}{_STRETCHED}{_SELECTORS}{JOINERS}{APOSTROPHES[1:]}{_class(_FORMS)}{_class([_MATHEMATICAL])}]'
)


def fold(word: str) -> str:
    """Return a word in the one spelling that its characters mean.

    Letters of mathematics stay where one stands alone: there they are names.

    >>> [fold(word) for word in ("don’t", "ﬁnal", "ｗｉｄｅ", "reser\u2060vation", "haſt", "𝐛𝐨𝐥𝐝", "𝒳", "œuvre")]
    ["don't", 'final', 'wide', 'reservation', 'hast', 'bold', '𝒳', 'œuvre']
    """
    if not _ANY.search(word):
        return word
    seen = _NEEDLESS.sub("", _GONE.sub("", word))
    seen = _FORM.sub(_plain, _CURLED.sub(r"\g<marks>'", seen))
    seen = _QUOTED.sub(GERSHAYIM, _DOTTED.sub(DOT, seen.replace("ŀ", "l·")))
    if len(seen) > 1:
        seen = _LETTERED.sub(_plain, seen)
    return unicodedata.normalize("NFC", seen) or word


@cache
def _plain_of(letter: str) -> str:
    plain = unicodedata.normalize("NFKC", letter)
    return letter if any(map(str.isspace, plain)) or not plain else plain


def _plain(found: re.Match[str]) -> str:
    return _plain_of(found[0])


def with_plain_apostrophe(word: str) -> str:
    """Return a word with plain apostrophes for those that are letters; at its ends they stay.

    >>> with_plain_apostrophe("donʼt"), with_plain_apostrophe("ʻokina")
    ("don't", 'ʻokina')
    """
    return word[:1] + re.sub(f"[{LETTER_APOSTROPHES}]", "'", word[1:-1]) + word[1:][-1:]


def signs_within(letters: str, inside: str) -> str:
    """Return an expression of a sign that does not end a word, and of the first or any later letters behind it."""
    # Each alternative begins with a set of characters: where a word ends, all are passed over by one look at the next.
    stray = f"[{JOINERS}{UNSEEN}]+{inside}"
    spaces = f"{SPACE}(?<![{UNSPACED}]{SPACE})[{SPACE}{JOINERS}{UNSEEN}]*(?![{UNSPACED}]){inside}"
    dots = f"[{DOT}{TYPED_DOTS}](?<=[lL][{DOT}{TYPED_DOTS}])(?=[lL]){letters}|{DOT}(?<=[nsNS]{DOT})(?=[hH]){letters}"
    quotes = f'[{GERSHAYIM}"”](?<=[א-ת][{GERSHAYIM}"”])(?=[א-ת]){letters}'
    return f"[{APOSTROPHES}]{letters}|{dots}|{quotes}|{stray}|{spaces}"
