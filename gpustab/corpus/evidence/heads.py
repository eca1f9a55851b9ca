"""Doubts about what begins lines: the heads of records, names of speakers, times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_STRONG, _SLIGHT = 0.04, 0.002
"""Of the words, how many stand in heads: from 4 % on the names of fields are among the most frequent words."""
_ALONE = 0.1
"""Of the words, how many stand in a head that comes once: then there is more head than a title page has."""
_AGAIN = 3
"""Heads from which the same fields are no accident."""
_PAIRS, _BODY = 10, 0.5
"""Heads of the same two fields from which they are no accident, and words at most that stand in these: the others are
text of the records."""
_SAID, _LENGTH, _OUTSIDE = 1 / 3, 1 / 3, 0.1
"""Of a field's lines, how many end as sentences do where it is text; else, how long they are beside the longest, where
of the text only so much stands in no field."""
_ALL = 0.8
"""Of the lines, how many begin with one of a few names: a play on few pages has less."""
_TIMED, _WITH_WORDS = 0.25, 0.6
"""Of the lines, how many begin with a time: tables in prose have less. Where words follow, as entries of a journal have
them, these are text, and only where nearly all lines begin so they are a log."""
_CORE = 0.4
"""Of the heads of records, how many have each of their common fields; lists of notes on many things have none such."""
_KEY = re.compile(
    r"""\s*(?:
    ([^\W\d_][\w.-]*(?:[ ][\w.-]+){0,2})[ ]?:(?=\s|$)  # Subject: x, Release Date: x, Titre : x
    |[*_]{1,3}([^\W\d_][\w.-]*(?:[ ][\w.-]+){0,2}):?[*_]{1,3}:?(?=\s|$)  # **Place:** x
    |([A-Za-z_][\w.-]*)[ \t]*=(?!=)                     # title = x
    |"([^"\n]{1,30})"[ ]*:                              # "title": x
    |([A-Z][A-Z0-9]{1,3})[ ]{0,2}-(?=\s|$)              # TY  - x
    |([A-Z][A-Z0-9])(?=[ ]{1,3}\S)                      # AU Smith
    |([A-Z][A-Z0-9_-]{1,30})[:;]\S                      # SUMMARY:x
    |\[([A-Za-z]\w*)[ ](?=")                            # [Event "x"]
    |(\#[:,.~|])(?=\s)                                  # #: a.c:859
    |([%@\\*$][A-Za-z]\w*):?(?=\s|$)                    # %A x, *CHI: x, \\lx x
    |([a-z]\w*)[ ](?=")                                 # msgid "x"
    |-[ ]([A-Za-z_]\w*):(?=\s|$)                        # - title: x
    )""",
    re.X,
)
_STAMP = r"\W{0,2}(?:[A-Z][a-z]{2} +\d+ +)?\d+(?:[-/:]\d+[-/.:]\d|\.\d+(?:[-/:]\d|\.\d+,? +\d+:\d))(?:[^\w\n]|[\d_])*"
_TIME = re.compile(rf"{_STAMP}|\W{{0,2}}\d+\.\d+[ \t]+\d+\.\d+\s")
_CLOCK, _VERSE = re.compile(r"\W{0,2}\d{1,2}[:h][0-5]\d(?!\d)"), re.compile(r"\W{0,2}\d+:\d(?!\d)")
"""An hour has two digits behind the colon; a verse of a chapter may have one."""
_TELEPHONE = re.compile(r"\W{0,4}\d[\d ()-]{5,}:\s")
_SPEAKER = re.compile(r"([^\W\d_][\w .'-]{0,30}?)[ ]?:\s")
_CUE = r"(?:[a-z]+:\S+(?:[ \t]+|$))*$"
"""What stands behind a time and is of it: ``align:start position:0%``."""
_BEFORE_LETTERS = r"\W*\d+(?:[-:./]|h(?=\d))(?:[^\w\n]|[\d_])*"
"""What a line begins with that begins with a time and no month; of other lines it takes numbers: they are no words."""
_LEAD_OF_MONTHS, _LEAD = re.compile(_STAMP), re.compile(_BEFORE_LETTERS)
_CUE_OF_MONTHS, _CUE_ALONE = re.compile(f"{_STAMP}{_CUE}"), re.compile(f"{_BEFORE_LETTERS}{_CUE}")
_MARK = re.compile(r"[^\w\s.,;'’-]|_")
"""A sign that no sentence begins with; nor does one with two words in capitals."""
_PARTS = r"\"?[ \t]*[:=;-]|(?<=[A-Z0-9])[ \t]|[ \t]+\""
_LETTER = re.compile(r"[^\W\d_]")
_END = re.compile(r"[.!?…;][]\"'”’»)}]*(?:,|\{[^{}]*\})?$")
_CELLS = re.compile(r"(?:[^,\s]*,[ ]?)*")
_OVERRIDES = r"(?:\{\\[^{}\n]*\})?"
"""What subtitles of SubStation have before and within a line: ``{\\i1}``."""
_DIGITS = re.compile(r"\d+")
_FEW_OPENINGS, _MOST_OPENINGS, _LINES, _NEARLY = 0.1, 40, 20, 0.95
"""Ways in which most lines begin, for each line and at most: in prose there are about as many as lines."""
_VALUED = r"^[ \t]*[\w.-]+[ \t]*=|^\[.*\]"
_SETTING = re.compile(r"^\s*[\w.-]+\s*=\s*\S|^\[[\w .-]+\]\s*$")


class Head(NamedTuple):
    """Lines that follow each other and begin with a name of a field each.

    Attributes:
        names: of the fields, in order.
        lines: these lines, with those that go on with them.
        first: whether the text begins with it, and goes on after a blank line.
    """

    names: tuple[str, ...]
    lines: tuple[str, ...]
    first: bool


def record_heads(look: Look) -> Doubt | None:
    """Doubt lines of named fields above each record, as mails, Usenet, web archives and lists of references have them.

    A head is three or more lines with different names. It counts where the same names come in other heads too; or, if
    it comes alone, where the text begins with it and it is a tenth of all. Two lines are one where they come often.
    """
    short = [head for head in _heads(look) if not _speeches(head)]
    heads = [head for head in short if len(head.names) >= _AGAIN]
    often = Counter(name for head in heads for name in set(head.names))
    again = [head for head in heads if sum(often[name] >= _AGAIN for name in head.names) >= _AGAIN]
    own = Counter(name for head in again for name in set(head.names))
    core = [n for n in own.values() if n >= _CORE * len(again)]
    if len(core) < _AGAIN or 2 * sum(core) < own.total():
        again = []
    again = again or _pairs(look, [head for head in short if len(head.names) < _AGAIN])
    if not again:
        alone = [head for head in heads if head.first]
        share = look.share_of([line for head in alone for line in head.lines])
        if share < _ALONE:
            return None
        again, strong = alone, True
    else:
        share = look.share_of([line for head in again for line in head.lines])
        strong = share >= _STRONG
    if share < _SLIGHT:
        return None
    names = [name for name, _ in Counter(name for head in again for name in head.names).most_common()]
    shown_names = ", ".join(names[:4]) + " ..." * (len(names) > 4)
    says = f"heads of records: {share:.1%} of the words stand in lines of {shown_names}"
    lines = [line for head in again for line in head.lines]
    return Doubt("heads", share, shown(lines), strong, says, _way(look, names, lines))


def _way(look: Look, names: Sequence[str], lines: Sequence[str]) -> str:
    """Return how to leave heads out: where most of the text stands in fields, these lose their names alone."""
    texts = _fields_of_text(look, names)
    if not texts:
        return f"say {option('drop', _pattern(names, lines))} to leave such lines out"
    rest = [name for name in names if name not in texts]
    by_cells: dict[str, list[str]] = {}
    for name, own in texts.items():
        by_cells.setdefault(_cells_before(own), []).append(name)
    cut = "|".join(_names_pattern(own) + cells for cells, own in by_cells.items())
    pattern = f"{cut}|{_pattern(rest, [line for line in lines if _name(line) not in texts])}" if rest else cut
    return f"say {option('drop', pattern)} to leave the names out" + " and the other fields" * bool(rest)


def _fields_of_text(look: Look, names: Sequence[str]) -> dict[str, list[str]]:
    """Return the lines of each field that is text, if more of the text stands in these than outside of all fields."""
    values: dict[str, list[str]] = {}
    last = ""
    for line in look.lines:
        name = _name(line)
        last = name or (last if line[:1] in (" ", "\t") and line.strip() else "")
        values.setdefault(last, []).append(line[line.find(name) + len(name) :].lstrip('"*_ \t=:-'))
    own = {name: held for name, held in values.items() if name in names or (name and len(held) >= _AGAIN)}
    words = {name: sum(map(_plain, held)) for name, held in values.items()}
    outside = sum(words[name] for name in values if name not in own)
    fields = {name: held for name, held in own.items() if 2 * words[name] > len(" ".join(held).split())}
    texts = {
        name: held for name, held in fields.items() if sum(bool(_END.search(one)) for one in held) > _SAID * len(held)
    }
    if outside <= _OUTSIDE * sum(words[name] for name in fields):
        longest = max((words[name] / len(fields[name]) for name in fields), default=0)
        texts |= {name: held for name, held in fields.items() if words[name] >= _LENGTH * longest * len(held)}
    return texts if sum(words[name] for name in texts) > outside else {}


def _plain(line: str) -> int:
    """Return how many words of a line are of letters alone, but for signs around."""
    return sum(word.strip("\"'.,;:!?()[]{}“”‘’«»").replace("'", "").replace("’", "").isalpha() for word in line.split())


def _cells_before(values: Sequence[str]) -> str:
    """Return a pattern of the cells between commas that all these lines have before their text."""
    cells = min(_CELLS.match(value)[0].count(",") for value in values)  # type: ignore[index]
    return rf"[ \t]*(?:[^,\n]*,){{{cells}}}{_OVERRIDES}" if cells >= _AGAIN else ""


def _pairs(look: Look, heads: Sequence[Head]) -> list[Head]:
    """Return the heads of the two fields that come again most often, if texts stand under them."""
    common = Counter(head.names for head in heads).most_common(1)
    if not common or common[0][1] < _PAIRS:
        return []
    pairs = [head for head in heads if head.names == common[0][0]]
    share = look.share_of([line for head in pairs for line in head.lines])
    return pairs if _STRONG <= share <= _BODY else []


def _speeches(head: Head) -> bool:
    """Tell speeches of a play, which follow each other as fields do: all in capitals, each with a sentence's end."""
    said = [line.partition(":")[2].strip() for line in head.lines]
    ends = sum(text[-1:] in (".", "!", "?", ";", ",", "”", '"') for text in said)
    return all(name.isupper() for name in head.names) and 2 * ends > len(said)


def named_lines(look: Look) -> Doubt | None:
    """Doubt lines that nearly all begin with one of a few names, as speakers or fields."""
    settings = sum(bool(_SETTING.match(line)) for line in look.filled)
    names = [found for line in look.filled if (found := _name(line))]
    numbers = sum(bool(_TELEPHONE.match(line)) for line in look.filled)  # of who has no name, in a chat
    share = (len(names) + numbers) / max(len(look.filled), 1)
    often = Counter(names)
    if settings >= max(5, _ALL * len(look.filled)):
        says = f"settings: {settings / len(look.filled):.0%} of the lines are a name and its value"
        way = f"say {option('drop', _VALUED)} to leave the names out"
        return Doubt("names", settings / len(look.filled), shown(look.filled), True, says, way)
    if len(names) < 5 or share < _ALL:
        return _few_openings(look)
    if 3 * len(often) > len(names):
        says = f"fields: {share:.0%} of the lines are a name and its value"
        return _few_openings(look) or Doubt("names", share, shown(look.filled), False, says, "give the text alone")
    says = f"lines with a name each: {share:.0%} of the lines begin with one of {len(often)} names"
    way = f"say {option('drop', _names_pattern([name for name, _ in often.most_common()]))} to leave the names out"
    return Doubt("names", share, shown(look.filled), True, says, way)


def _few_openings(look: Look) -> Doubt | None:
    """Doubt lines that begin with one of a few pairs of words, or of words in capitals: in prose hardly two lines do.

    Numbers before them do not count: the lines of a recipe begin with grams. Tokens that somebody cut are items, such
    as the nodes of walks, and may begin as they like.
    """
    if look.options.cut != "words":
        return None
    lines = tuple(
        line for line in dict.fromkeys(look.filled) if _LETTER.search(line)
    )  # rows of numbers begin in no way
    if len(lines) < _LINES:
        return None
    openings, few = _openings(lines, 2), min(_FEW_OPENINGS * len(lines), _MOST_OPENINGS)
    if len(openings) > few:
        openings = _openings(lines, 1)
        if len(openings) > few or not all(map(_is_marked, openings)):
            return None
    most = next(filter(_LETTER.search, openings), next(iter(openings)))
    if any(opening.startswith("<") for opening in openings) or not (
        pattern := _opening_pattern(openings)
    ):  # tags are markup
        return None
    share = sum(map(len, openings.values())) / len(lines)
    ways = f"{len(openings):,} ways" if len(openings) > 1 else "one way"
    says = f"lines of records: {share:.0%} of the lines begin in {ways}, as with '{most}'"
    way = f"say {option('drop', pattern)} to leave these beginnings out"
    return Doubt("names", share, shown(lines), _is_marked(most), says, way)


def _is_marked(opening: str) -> bool:
    """Tell a name of a field: a diary's lines begin with days, a sermon's with "And it", memoirs with "I"."""
    return bool(_MARK.search(opening)) or (opening.isupper() and len(opening) > 1)


def _openings(lines: Sequence[str], words: int) -> dict[str, list[str]]:
    """Return the ways in which nearly all lines begin, the commonest first, with the lines of each."""
    ways: dict[str, list[str]] = {}
    for line in lines:
        ways.setdefault(_opening(line, words), []).append(line)
    covered, few = 0, dict[str, list[str]]()
    for opening, own in sorted(ways.items(), key=lambda way: -len(way[1])):
        few[opening], covered = own, covered + len(own)
        if covered >= _NEARLY * len(lines):
            break
    return few


def _opening(line: str, words: int) -> str:
    begins = [word for word in line[:200].split() if _LETTER.search(word)][:words]
    return " ".join(word if word.isalnum() else _DIGITS.sub("0", word) for word in begins)  # of dates, none of items


def _opening_pattern(openings: Mapping[str, Sequence[str]]) -> str:
    """Return a pattern of the beginnings, each as long as all of its lines have it; empty where none has any."""
    ways = []
    for lines in openings.values():
        alike = zip(*(_DIGITS.sub("0", line[:200]).split() for line in lines), strict=False)
        common = [words[0] for words in takewhile(lambda words: len(set(words)) == 1, alike)]
        if common and len(lines) > 1:  # all of a line that comes but once is text, too
            ways.append(r"\s+".join(re.escape(word).replace("0", r"\d+") for word in common))
    return rf"^[ \t]*(?:{'|'.join(sorted(ways, key=len, reverse=True))})" if ways else ""


def times(look: Look) -> Doubt | None:
    """Doubt lines that begin with a time: subtitles, logs, chats."""
    timed = [line for line in look.filled if _TIME.match(line)]
    clock = [line for line in look.filled if _CLOCK.match(line)]
    if len(clock) > len(timed) and not any(map(_VERSE.match, look.filled)) and not _are_verses(clock):
        timed = clock
    share = len(timed) / max(len(look.filled), 1)
    if len(timed) < _AGAIN or share < _TIMED:
        return None
    says = f"lines that begin with a time: {share:.0%} of the lines"
    months = any(_LETTER.match(line.lstrip("[(<\"' \t")) for line in timed)
    stamp = _STAMP if months else _BEFORE_LETTERS
    lettered = [line for line in timed if _LETTER.search(line)]
    cues = [line for line in lettered if (_CUE_OF_MONTHS.match(line) if months else _CUE_ALONE.match(line))]
    if len(cues) >= _AGAIN:
        stamp = f"{stamp}(?:{_CUE})?"
    leads = ((line, _LEAD_OF_MONTHS.match(line) if months else _LEAD.match(line)) for line in timed)
    said = (_SPEAKER.match(line, found.end() if found else 0) for line, found in leads)
    often = Counter(found[1] for found in said if found)
    speakers = Counter({name: n for name, n in often.items() if n >= _AGAIN})
    what = "the times"
    if 2 * speakers.total() >= len(timed) and 3 * len(speakers) <= speakers.total():
        stamp = f"{stamp}(?:(?:{'|'.join(re.escape(name) for name, _ in speakers.most_common(40))})[ ]?:)?"
        what = "the times and names"
    way = f"say {option('drop', '^' + stamp)} to leave {what} out"
    # Where no time begins a line, none is looked for within it: that would take the square of its digits.
    words = sum(bool(_LETTER.search(line, found.end() if (found := _TIME.match(line)) else 0)) for line in timed)
    strong = share >= _WITH_WORDS or 2 * (words - len(cues)) < len(timed)
    return Doubt("times", share, shown(timed), strong, says, way)


def _are_verses(lines: Sequence[str]) -> bool:
    """Tell verses that go on one by one within a chapter: 3:10, 3:11, 3:12; hours do not."""
    places = [tuple(map(int, _DIGITS.findall(line)[:2])) for line in lines]
    return 2 * sum(after == (before[0], before[1] + 1) for before, after in pairwise(places)) >= len(places)


def _name(line: str) -> str:
    found = _KEY.match(line[:100])
    return next((name for name in found.groups() if name), "") if found else ""


def _heads(look: Look) -> Iterator[Head]:
    for lines in look.stretches:
        yield from _heads_of(lines)


def _heads_of(lines: Sequence[str]) -> Iterator[Head]:
    names, held, start = list[str](), list[str](), 0
    for place, line in enumerate((*lines, "")):
        name = _name(line)
        if name and name not in names:
            names.append(name)
            held.append(line)
        elif names and line[:1] in (" ", "\t") and line.strip():
            held.append(line)
        else:
            if len(names) > 1:
                yield Head(tuple(names), tuple(held), start == 0 and not line.strip() and place < len(lines) - 1)
            names, held, start = ([name], [line], place) if name else ([], [], place + 1)


def _pattern(names: Sequence[str], lines: Sequence[str]) -> str:
    """Return a pattern of lines of fields: a name, and what parts it from its value; a word alone is no name.

    It is as short as these lines allow: people type it.
    """
    begun = [line for line in lines if _name(line)]
    folded = r"(?:\n[ \t]+\S.*)*" if len(begun) < len(lines) else ""  # with the lines that go on with it
    if all(line.startswith(f"{_name(line)}:") and line[0].isalnum() for line in begun):
        return rf"^(?:{'|'.join(map(re.escape, names[:40]))}):.*{folded}"
    ways = [re.escape(name) for name in names[:40] if not name[0].isalnum()]
    if lettered := [re.escape(name) for name in names[:40] if name[0].isalnum()]:
        ways.append(f"(?:{'|'.join(lettered)})(?={_PARTS})")
    return rf"^[^\w\n]*(?:{'|'.join(ways)}).*{folded}"


def _names_pattern(names: Sequence[str]) -> str:
    return rf"^[^\w\n]*(?:{'|'.join(map(re.escape, names[:40]))})\W"
