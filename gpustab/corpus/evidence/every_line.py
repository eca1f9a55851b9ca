"""Doubts about what nearly every line has: a place before it, the same end, a sign between two texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_LINES, _NEARLY = 20, 0.95
"""Different lines from which it is no accident, and how many of them have it."""
_FEW = 0.1
"""Different names before places, for each line: chapters of a book have one."""
_PLACE = re.compile(r"\W{0,2}((?:\d[ ]?)?[^\W\d_]+\.?)[ ]\W?(\d+)[.:,]\d+\W{0,2}(?=\s|$)")
"""``Gen 1:1``, ``1 Sam. 3,4``, ``(Koran 2:255)``."""
_LAST = 3
"""Words at least that the same end has: verses may end with one or two."""
_DIGITS = re.compile(r"\d+")
_MADE = re.compile(r"[\d()\[\]{}<>|/@#*_=~]|--")
"""Numbers and signs that a program's end has; a refrain, a prayer and the close of a letter have none."""
_BETWEEN = re.compile(r"(?<=\S)[ \t]+([^\w\s.,;:!?'\"()–—-]{2,5}|\|)[ \t]+(?=\S)")


def _lines(look: Look) -> Sequence[str]:
    """Return the different lines; tokens that somebody cut may be as they like."""
    lines = tuple(dict.fromkeys(line.strip() for line in look.filled)) if look.options.cut == "words" else ()
    return lines if len(lines) >= _LINES else ()


def places(look: Look) -> Doubt | None:
    """Doubt lines that begin with a place in a book: ``Gen 1:1``."""
    lines = _lines(look)
    found = [one for line in lines if (one := _PLACE.match(line))]
    share = len(found) / max(len(lines), 1)
    if not lines or share < _NEARLY or len({one[1] for one in found}) > _FEW * len(lines):
        return None
    says = f"lines with a place each: {share:.0%} of the lines begin so, as with '{found[0][0].strip()}'"
    way = f"say {option('drop', f'^{_PLACE.pattern}')} to leave the places out"
    return Doubt("places", share, shown(lines), True, says, way)


def same_end(look: Look) -> Doubt | None:
    """Doubt lines that end with the same words: what a telephone, a mailer or a template puts there."""
    lines = _lines(look)
    ends = [_DIGITS.sub("0", line[-300:]).split() for line in lines]
    often = Counter(tuple(words[-_LAST:]) for words in ends if len(words) > _LAST)
    (last, number), *_ = often.most_common(1) or [((), 0)]
    if not lines or number < _NEARLY * len(lines):
        return None
    own = [words for words in ends if tuple(words[-_LAST:]) == last]
    shortest = min(map(len, own))
    most = next((n for n in range(_LAST, shortest) if len({words[-n - 1] for words in own}) > 1), shortest)
    if most == shortest:  # nothing stands before it: these lines are one, up to numbers
        return None
    end = " ".join(own[0][-most:])
    pattern = r"\s+".join(re.escape(word).replace("0", r"\d+") for word in own[0][-most:])
    says = f"lines with one end: {number / len(lines):.0%} of the lines end with '{end}', where 0 is for numbers"
    dropped = option("drop", rf"{pattern}[ \t]*$")
    strong = bool(_MADE.search(end))
    return Doubt("ends", number / len(lines), shown(lines), strong, says, f"say {dropped} to leave it out")


def two_texts(look: Look) -> Doubt | None:
    """Doubt lines of two texts with a sign between, as of two languages: ``das Haus ||| la maison``."""
    lines = _lines(look)
    signs = Counter(found[0] for line in lines if len(found := _BETWEEN.findall(line)) == 1)
    (sign, number), *_ = signs.most_common(1) or [("", 0)]
    if not lines or number < _NEARLY * len(lines):
        return None
    says = f"two texts in a line: {number / len(lines):.0%} of the lines have '{sign}' once between words"
    strong = sign.isascii() and (len(sign) > 2 or sign[-1] in "=>")  # verses have one bar or two, or one picture
    first, second = (option("drop", way) for way in (rf"{re.escape(sign)}.*", rf"^.*{re.escape(sign)}"))
    return Doubt(
        "columns",
        number / len(lines),
        shown(lines),
        strong,
        says,
        f"say {first} for the first, or {second} for the second",
    )


EVERY_LINE: tuple[Callable[[Look], Doubt | None], ...] = (places, same_end, two_texts)
