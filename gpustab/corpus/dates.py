"""The years that a date names, as catalogues, archives and programs write dates; nothing is guessed.

Words are taken off a date only where they cannot change its year (months, "printed", circa); lists of words below can
make a date clear, and what they do not know is unclear, never another year.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple

LATEST = 2100
"""No text is younger: a greater number of four digits is of another calendar (2563), or a sign for "open" (9999)."""

_SPAN, _LAST_DAY, _MONTHS, _LONGEST_DAY = 2, 31, 12, 366


class Years(NamedTuple):
    """Years, both ends included; those before Christ are negative.

    >>> read_years("1850"), read_years("1850-55"), str(read_years("44 B.C."))
    (Years(first=1850, last=1850), Years(first=1850, last=1855), '44 BC')
    """

    first: int
    last: int

    def __str__(self) -> str:
        """Return them as :func:`read_years` takes them back: ``1850``, ``1850/1855``, ``44 BC``."""
        if self.first < 0 <= self.last:
            return f"{-self.first} BC - AD {self.last}"
        return "/".join(f"{abs(year):04d}" if year >= 0 else str(-year) for year in dict.fromkeys(self)) + (
            " BC" if self.last < 0 else ""
        )


class UnclearDateError(ValueError):
    """A date of which several years can be meant, or none is known; the message says why."""


def _any(words: str) -> str:
    """Return a pattern of any of some words; a full stop may be left out, and ``*`` is any ending."""
    return "|".join(re.escape(word).replace(r"\.", r"\.?\s?").replace(r"\*", r"\w*") for word in words.split())


_DASHES = re.compile("\\s*[\u2010-\u2015\u2212\ufe58\uff0d\u301c]\\s*|\\s*--+\\s*|(?<=\\d)\\s*~\\s*(?=\\d)")
_MINUS = re.compile("\\s*[-\u2212](?=0*\\d{1,4}(?!\\d))")
_TIME = re.compile(
    r"(?<![\d.])t?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?\s?m\b\.?)?\s*(?:z\b|utc|gmt)?"
    r"\s*(?:[+-](?:0\d|1[0-4]):?[0-5]\d(?!\d))?|(?<=\d{8})t\d{2,6}(?:z|[+-]\d{2}:?\d{2})?\b|(?<=\d\d-\d\d)t\d\d(?![\d:])"
)
_PARTS = _any("half quarter third hälfte viertel drittel moitié quart tiers mitad metà part pol. половин* четверт*")
_FRACTION = re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th|er?|ère|\.|ª|a)?\s*(?:{_PARTS})(?!\w)\.?")
_CENTURY_WORDS = _any(
    "cent* century jahrh* jh. jhd. jhdt. jhts. siècle* siecle* siglo* secc. sec. secol* século* saec* sæc* eeuw* wiek* "
    "w. век* вв. в. стол* st. stol* århundr* vuosisa* yüzyıl* yy. század* sz. αι* 世紀 世纪 세기 c. cc."
)
_CENTURY = rf"(?:{_CENTURY_WORDS})(?![^\W\d_])"
_ORDINAL = r"(?:\d{1,2}|[ivx]+)(?:st|nd|rd|th|\.|:?e|ème|eme|me|er|º|o|ο?ος|-?г?о|'?inci|-?й)?"
_BEFORE_IT = _any("s. sec. secc. saec. sæc. siglo siglos secolo secoli século c. αι.")
_AND = _any("to bis and und u. et y e i и à a or")
_BOTH = rf"(?P<one>{_ORDINAL})(?:(?:\s*[-/]\s*|\s+(?:{_AND})\s+)(?P<two>{_ORDINAL}))?"
_CENTURIES = (
    re.compile(rf"(?<![\w.]){_BOTH}\s*-?\s*{_CENTURY}"),
    re.compile(rf"(?<!\w)(?:{_BEFORE_IT})\s*{_BOTH}(?!\w)"),
    re.compile(r"(?<!\w)(?P<one>(?:\d{1,2}|[ivx]+)e)(?P<two>(?!))?\s+s\."),
)
_TEN = rf"\s?['’]?s|\s?er|ies|-?(?:{_any('ер е x х ых tal* luku* es lar* 年代')})"
_DECADE = re.compile(rf"(?<!\d)(\d{{3}}0)(?:{_TEN})(?!\w)")
_YEARS_OF_TEN = re.compile(rf"(?<!\w)(?:{_any('anni années années años anos lata roky годы')})\s+(\d{{3}}0)(?!\d)")
_PLACES = re.compile(r"(\d{2})(\d?)([-_x?u*.]{1,2})")
_BEFORE_CHRIST = re.compile(
    r"\bb\.?\s?c\.?(?:\s?e\.?)?(?![a-z])|\bv\.?\s?(?:chr|u\.?\s?z)\w*\.?|\bav\.?\s?j\.?\s?-?\s?c\b\.?|"
    r"\ba\.\s?c(?:r|\.|$)\.?|\bdo\s?n\.?\s?[eè]\b\.?|до\s?н\.?\s?э\.?|\bp\.?\s?n\.?\s?e\b\.?|前|\bf\.?\s?kr\.?|\bpř\.?\s?n\.?\s?l\b\.?"
)
_AFTER_CHRIST = re.compile(
    r"\ba\.?\s?d\.?(?![a-z])|\bc\.?\s?e\.?(?![a-z])|\bn\.?\s?(?:chr|u\.?\s?z)\w*\.?|\bap\.?\s?j\.?\s?-?\s?c\b\.?|"
    r"\bd\.\s?c(?:r|\.|$)\.?|\bн\.?\s?э\.?|\bn\.?\s?e\b\.|公元|\banno(?:\s+domini)?\b"
)
_OTHER_CALENDAR = re.compile(
    r"\ba\.?\s?[hp]\b\.?|\bh\.?\s?(?:q\b|\d{3,4}\b)|\bhijri\b|\bhegir\w*|\d\s?h\.?$|هـ|\bs\.?h\b|"
    r"\ba\.\s?m\.|\banno mundi\b|\ba\.?u\.?c\b|\bb\.\s?e\.(?!\w)|(?<!\w)an\s+(?:[ivx]+|\d{1,2})\b|"
    r"令和|平成|昭和|大正|明治|民國|民国|康熙|乾隆|光緒|道光"
)
_OPEN_BEFORE = _any(
    "ante post before after prior until till since vor nach seit avant après apres jusqu* depuis antes después despues "
    "depois desde hasta até dopo fino voor na sinds tot före efter innan przed po od до после с terminus"
)
_OPEN_AFTER = _any("earlier later onward* present")
_OPEN = re.compile(
    rf"(?<!\w)(?:{_OPEN_BEFORE}|a(?=\d{{4}}))(?![^\W\d])(?=\D{{,12}}\d{{4}})|(?<=\d)\W[^\d]{{,6}}(?:{_OPEN_AFTER})(?!\w)|"
    r"^(?:to|bis|à|al?)\s+\d{4}$|[<>≤≥]|\d\s*\+|(?<=\d)\s*ff?\.?$|(?<=\d{4})\s?-\s*[\])]?$|^[\[(]?-\s*[1-9]\d{3}|"
    r"/\s*(?:\.\.)?$|^(?:\.\.)?/"
)
_ABOUT = _any("c. ca. circa cca. cir. um etwa vers env. p. cop. impr.")
_CIRCA = re.compile(rf"(?<![^\W\d_])(?:{_ABOUT})\s*(?=\d)|[©℗~]")
_BRACKETS = re.compile(r"[\[\](){}?\"'’]")
_ROMAN = re.compile(r"(?<!\w)m[mdclxvi]{2,}(?!\w)")
_NUMERAL = re.compile(r"(?<!\w)[ivx]{2,}(?:e|o|º)?(?!\w)")
_VALUE = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ISO = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])|-(?:0[0-9]|1[0-2])-[0-3][0-9])?")
_DIGITS = re.compile(r"\d+")
YEAR_AND_TWO = re.compile(r"([0-9]{4})-([0-9]{2})")
LONGEST = 300
"""Signs of a date; what has more is running text, and is not looked through for years."""


@lru_cache(100_000)
def read_years(text: str) -> Years | None:
    """Return the years that a date names, or ``None`` where it names none.

    The rules, the first that holds. One number of four digits is the year, whatever stands beside it but another
    number: ``03/04/1850``, ``8 Jan 1790``, ``[c. 1850?]``, ``1850.0``. Two are a span: ``1850-1855``, ``1850/51``,
    ``between 1850 and 1855``. ``1850s`` and ``185-`` are ten years, ``18--`` and ``1800s`` a hundred; a century
    (``18th c.``, ``18. Jh.``, ``XVIIIe siècle``) is 1701 to 1799, the years that it has by either way of counting.
    ``20200101`` and ``202001`` are days and months; ``-44`` and ``44 BC`` the same year. Nothing but letters names no
    year (``n.d.``), and neither do zeros (``0000-00-00``).

    Raises:
        UnclearDateError: for a year of two digits, a date that is open to one side (``before 1850``), another calendar
            (``1260 AH``), or numbers that may be read in several ways.
    """
    if _ISO.fullmatch(text):
        return _checked(int(text[:4]), int(text[:4])) if text.strip("0-") else None
    if len(text) > LONGEST:
        raise UnclearDateError(f"it has {len(text):,} signs, and a date has at most {LONGEST}")
    written = _plain(text)
    if found := _OTHER_CALENDAR.search(written):
        raise UnclearDateError(f"'{found[0].strip()}' is of another calendar")
    numbers = any(map(str.isnumeric, written)) or _roman_years(written) or _century_of(written)
    if not numbers and _NUMERAL.search(written):
        raise UnclearDateError("it is a number and no year")
    if not numbers or not re.sub(r"[\W0_]", "", written):
        return None
    for rule in (_placeholders, _centuries, _decades):
        if (years := rule(written)) is not None:
            return years
    if found := _OPEN.search(_BEFORE_CHRIST.sub(" ", written)):
        raise UnclearDateError(f"it is open to one side ('{found[0].strip()}')")
    return _era(written)


def read_span(text: str) -> Years | None:
    """Return the years of a date of a column that has spans of years; ``1899-00`` ends with the century.

    Raises:
        UnclearDateError: as :func:`read_years`, and where the second year is not the later one.

    >>> read_span("1901-12"), read_span("1899-00"), read_span("1903")
    (Years(first=1901, last=1912), Years(first=1899, last=1900), Years(first=1903, last=1903))
    """
    found = YEAR_AND_TWO.fullmatch(text.strip())
    if not found:
        return read_years(text)
    first, last = int(found[1]), int(found[1][:2] + found[2])
    last += 100 * (found[2] == "00")
    if last <= first:
        raise UnclearDateError(f"other dates of the column are spans of years, and '{found[2]}' is no later year")
    return _checked(first, last)


def _plain(text: str) -> str:
    """Return a date without its time, in small letters, with plain digits and dashes; a minus before all is kept."""
    made = unicodedata.normalize("NFKC", text).casefold()
    if not made.isascii():
        made = "".join(str(unicodedata.decimal(c, c)) for c in made)
    minus = _MINUS.match(made)
    made = _TIME.sub(" ", _DASHES.sub("-", made)).strip(" \t\r\n\"'“”„«»")
    made = re.sub(r"<([^<>]*)>", r"\1", made)
    until = made.startswith("-") and not minus
    return " ".join(f"to {made[1:]}".split() if until else made.split())


def _placeholders(written: str) -> Years | None:
    """``18--``, ``185-``, ``185?``, ``18xx``: digits that nobody knows."""
    made = _CIRCA.sub("", written.strip("[]() "))
    made = re.sub(r"^(\d{2})-(?=\?*$)", r"\1--", made)  # two dashes have become one
    made = re.sub(r"(?<=-)\?+$", "", made)
    found = _PLACES.fullmatch(made)
    if not found or len(found[1] + found[2] + found[3]) != 4:
        return None
    size = 10 ** len(found[3])
    return _checked(int(found[1] + found[2]) * size, int(found[1] + found[2]) * size + size - 1)


def _century_of(written: str) -> re.Match[str] | None:
    made = _CIRCA.sub("", _BRACKETS.sub("", _FRACTION.sub(" ", written)))
    return next((found for pattern in _CENTURIES if (found := pattern.search(made))), None)


def _centuries(written: str) -> Years | None:
    if re.search(r"\d{3}", written):
        return None
    found = _century_of(written)
    if not found:
        return None
    one = _ordinal(found["one"])
    two = _ordinal(found["two"]) if found["two"] else one
    others = re.search(r"\d", found.string[: found.start()] + found.string[found.end() :])
    if not (one and two) or max(one, two) > LATEST // 100 or others:
        raise UnclearDateError("it is not clear which century is meant")
    if _BEFORE_CHRIST.search(written):
        old, young = max(one, two), min(one, two)
        return Years(-100 * old + 1, -100 * (young - 1) - 1)
    if two < one:
        raise UnclearDateError("the later century stands first")
    return Years(100 * (one - 1) + 1, 100 * two - 1)


def _ordinal(text: str) -> int:
    found = re.match(r"\d{1,2}|[ivx]+", text)
    if not found:
        return 0
    return int(found[0]) if found[0].isdigit() else _roman(found[0])


def _decades(written: str) -> Years | None:
    """``1850s``, also two of them, or one beside a year: ``1840s-1850s``."""
    made = _YEARS_OF_TEN.sub(r"\1s", written)
    if not _DECADE.search(made):
        return None
    rest = _DECADE.sub(" ", made)
    spans = [(int(year), int(year) + (99 if year.endswith("00") else 9)) for year in _DECADE.findall(made)]
    spans += [(int(year), int(year)) for year in re.findall(r"(?<!\d)\d{4}(?!\d)", rest)]
    if re.search(r"(?<!\d)\d{1,3}(?!\d)", rest) or re.search(r"\d{5}", rest):
        raise UnclearDateError("there are other numbers beside the decade")
    return _checked(min(first for first, _ in spans), max(last for _, last in spans))


def _era(written: str) -> Years:
    before = _BEFORE_CHRIST.search(written)
    after = _AFTER_CHRIST.search(_BEFORE_CHRIST.sub(" ", written))
    if before or after or written.startswith("-"):
        return _of_antiquity(written, bool(before), bool(after))
    return _modern(written)


def _of_antiquity(written: str, before: bool, after: bool) -> Years:
    """``44 BC``, ``-44``, ``100 BC - AD 50``: numbers of any length that stand alone."""
    if before and after:
        if found := re.fullmatch(r"\D*(\d{1,4})(?!\d)\D*?(\d{1,4})(?!\d)\D*", written):
            return _checked(-int(found[1]), int(found[2]))
    elif written.startswith("-"):
        if day := re.fullmatch(r"(-\d{4})-\d{2}(?:-\d{2})?", written):
            return _checked(int(day[1]), int(day[1]))
        if found := re.fullmatch(r"(-\d{1,4})(?:\.0+)?(?:\s*(?:/|-|to|\.\.)\s*(-?\d{1,4}))?", written):
            first, last = int(found[1]), int(found[2] or found[1])
            if first < last or not found[2]:
                return _checked(first, last)
    else:
        made = _AFTER_CHRIST.sub(" ", _BEFORE_CHRIST.sub(" ", written))
        if after and (re.search(r"\d{4}", made) or _roman_years(made)):
            return _modern(made)
        made = _CIRCA.sub("", made)
        numbers = [-int(number) if before else int(number) for number in _DIGITS.findall(made)]
        alone = not re.search(r"[^\W\d_]", re.sub(rf"(?<=\d)\s(?:{_AND})\s(?=\d)", "", made))
        if alone and len(numbers) in (1, _SPAN) and numbers == sorted(numbers):
            return _checked(numbers[0], numbers[-1])
    raise UnclearDateError("it is not clear which year is meant")


def _modern(written: str) -> Years:
    made = _BRACKETS.sub("", _CIRCA.sub("", written)).strip(" ,;.")
    for rule in (_compact, _shortened, _three_digits, _four_digits):
        if (years := rule(made)) is not None:
            return years
    if roman := _roman_years(made):
        if len(roman) == 1 and not re.search(r"\d{3}", made):
            return _checked(roman[0], roman[0])
        raise UnclearDateError("there are several numbers")
    if re.search(r"\d{5}", made):
        raise UnclearDateError("it is a number of more than four digits, and no day")
    if re.search(r"(?<!\d)\d{2}(?!\d)", made):
        raise UnclearDateError("its year has two digits")
    raise UnclearDateError("there is no year of four digits")


def _compact(made: str) -> Years | None:
    """``20200101``, ``202001``, ``20200101123000``: days and months without anything between."""
    if not re.fullmatch(r"\d{6}|\d{8}|\d{12}|\d{14}", made):
        return None
    readings = set(_readings(made))
    if len(readings) != 1 or -1 in readings:
        what = "may be read as several dates" if readings else "is a number and no day"
        raise UnclearDateError(f"it {what}")
    year = readings.pop()
    return _checked(year, year)


def _readings(made: str) -> Iterator[int]:
    """Yield the year of every reading that is a day: of six digits -1 for one whose year has two."""
    if len(made) == 6:  # year and month
        if _is_day(int(made[:4]), int(made[4:]), 1):
            yield int(made[:4])
        one, two, three = int(made[:2]), int(made[2:4]), int(made[4:])
        if any(_is_day(2000, month, day) for month, day in ((two, one), (one, two), (two, three))):
            yield -1
        return
    if len(made) > 8 and (int(made[8:10]) > 23 or any(int(made[k : k + 2]) > 59 for k in range(10, len(made), 2))):
        return
    if _is_day(int(made[:4]), int(made[4:6]), int(made[6:8])):
        yield int(made[:4])
    year, one, two = int(made[4:8]), int(made[:2]), int(made[2:4])
    if len(made) == 8 and (_is_day(year, two, one) or _is_day(year, one, two)):
        yield year


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return 1000 <= year <= LATEST


def _shortened(made: str) -> Years | None:
    """``1850-55``, ``1850/1``, ``1905-06``: the end of a span in its last digits, or a month."""
    found = re.fullmatch(r"\D*(\d{4})\s*([-/])\s*(\d{1,2})\D*", made)
    if not found:
        return None
    first, tail = int(found[1]), found[3]
    last = int(found[1][: -len(tail)] + tail)
    month = 1 <= int(tail) <= _MONTHS
    if month and len(tail) == 2 and found[2] == "-":  # as ISO 8601 writes it
        return _checked(first, first)
    if last > first:
        return _checked(first, last)
    if month:
        return _checked(first, first)
    raise UnclearDateError(f"'{tail}' is neither a later year nor a month")


def _three_digits(made: str) -> Years | None:
    """``800``, ``800-850``: a year of three digits that stands alone."""
    found = re.fullmatch(r"(\d{3})(?:\.0+)?(?:\s*[-/]\s*(\d{3,4}))?", made)
    if not found:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first:
        raise UnclearDateError("the later year stands first")
    return _checked(first, last)


def _four_digits(made: str) -> Years | None:
    made = re.sub(r"(?<=\d{4})(?:\.\d{1,3}|\.\d{5,}|,\d{1,2})$|(?<=\d{4})\.0+(?!\d)", "", made)
    years = [int(year) for year in re.findall(r"(?<!\d)\d{4}(?!\d)", made)]
    if not years:
        return None
    if re.search(r"\d{5}", made):
        raise UnclearDateError("there are other numbers beside the year")
    others = re.findall(r"(?<![\dw])\d{1,3}(?!\d)", made)
    if any(int(number) > (_LAST_DAY if len(number) < len("100") else _LONGEST_DAY) for number in others):
        raise UnclearDateError("there are other numbers beside the year")
    if years[-1] < years[0] and re.search(r"\d{4}\s*[-/]\s*\d{4}", made):
        raise UnclearDateError("the later year stands first")
    return _checked(min(years), max(years))


def _checked(first: int, last: int) -> Years:
    if last > LATEST or first < -9999:
        raise UnclearDateError(f"{last} is no year of a text")
    if first == last == 0:
        raise UnclearDateError("there is no year 0")
    return Years(first, last)


def _roman_years(written: str) -> list[int]:
    made = re.sub(r"(?<=[mdclxvi])[. ](?=[mdclxvi])", "", written)
    return [value for found in _ROMAN.findall(made) if 1000 <= (value := _roman(found)) <= LATEST]


def _roman(text: str) -> int:
    """Return the value of a Roman numeral, 0 for what is none; old prints write more than three of a kind."""
    values = [_VALUE[letter] for letter in text]
    total = sum(-one if one < two else one for one, two in zip(values, [*values[1:], 0], strict=True))
    falling = re.fullmatch(r"m*(?:cm|cd|d?c*)(?:xc|xl|l?x*)(?:ix|iv|v?i*)", text)
    return total if falling else 0


def kept_year(text: str) -> str:
    """Return what a record keeps of a date as its year: the years, or an unclear date as it is; nothing for none.

    >>> kept_year("8 Jan 1790"), kept_year("3/4/50"), kept_year("n.d.")
    ('1790', '3/4/50', '')
    """
    try:
        years = read_years(text)
    except UnclearDateError:
        return text
    return "" if years is None else str(years)
