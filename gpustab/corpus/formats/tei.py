"""TEI as a reader has it: one reading of every place, nothing that stands beside the text, and words whole.

The rules, by the Guidelines (P5, chapters 3, 7, 8, 11, 12, 17), where scholars differ by option:

- *One reading.* Of an apparatus the lemma, else the first reading; of a choice the correction, the regular spelling,
  the expansion (``readings="original"``: what the source has); of several alternatives the first. Additions and what
  is supplied or unclear are read; deletions are not, unless they were restored, nor is what an editor holds for
  superfluous.
- *Beside the text* stand notes, and in plays and transcripts the speakers' names, stage directions, cast lists,
  noises: left out, or read (``notes="keep"``), the notes after the text, so that no sentence is parted by them. Heads
  of pages, descriptions, indexes and analyses are never text.
- *Words whole.* A break that says so (``break="no"``, or EEBO's ``char:EOLhyphen``) joins the letters on its sides,
  with the hyphen and white space between; a page's or column's break joins letters with nothing between, unless most
  breaks of the text are so; a line's break ends a word. A word with a gap within is left out as a whole.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpustab.corpus.dates import kept_year
from gpustab.corpus.options import ReadOptions
from gpustab.errors import as_flags, option

ROOTS = frozenset({"TEI", "TEI.2", "teiCorpus"})
_WITHIN = """
hi emph foreign name persName placeName orgName rs date num term title mentioned soCalled distinct ref ptr anchor c
g m add unclear supplied damage corr reg expan ex am orig sic abbr choice subst app lem rdg rdgGrp mod restore del pc
surplus secl handShift forename surname roleName addName nameLink genName geogName settlement country region
measure time gloss"""
"""Elements that do not end a word, however they are used (P5, chapters 3, 11, 12, 13, 17)."""
_UNREAD = """
teiHeader figDesc binaryObject index interp interpGrp span spanGrp fs fLib fvLib standOff facsimile xenoData formula
notatedMusic listApp listWit wit"""
_NOT_TEXT = frozenset(_UNREAD.split())
_BESIDE = {
    **dict.fromkeys(("note", "noteGrp", "witDetail"), "notes"),
    **dict.fromkeys(("stage", "set", "camera", "caption", "sound", "tech", "view"), "stage directions"),
    **dict.fromkeys(("kinesic", "incident", "vocal"), "noises"),
    "speaker": "speaker names",
    "castList": "cast lists",
}
_EVENTS = frozenset({"kinesic", "incident", "vocal"})
_OF_PAGE = frozenset({"pb", "cb", "gb", "milestone"})
_IN_WORD = frozenset({"inword", "in-word", "worddiv"})
"""How older transcriptions say ``break="no"``, as a type."""
_PAIRS = (("sic", "corr"), ("orig", "reg"), ("abbr", "expan"), ("am", "ex"))
_SOURCE_OF = {edited: source for source, edited in _PAIRS}
_EDITED_OF = dict(_PAIRS)
_SUPERFLUOUS = frozenset({"surplus", "secl"})

# Signs that no text has (Unicode's noncharacters): they stand for what is settled once all text is there.
_GAP, _PAGE, _LINE, _TIED = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
_SIGNS = str.maketrans("", "", _GAP + _PAGE + _LINE + _TIED)
_WHITE = " \t\r\n" + _PAGE
_HYPHENS = "-\u2010\u00ac\u2e17\u00ad="
_LETTERS = r"[\w\u0300-\u036f]"
_BEGIN, _END = re.compile(f"{_LETTERS}+"), re.compile(f"(?<!{_LETTERS}){_LETTERS}++$")
_LONGEST = 60
_GLUED = re.compile(rf"(?<={_LETTERS}){_PAGE}+(?={_LETTERS})")
_PAGES = re.compile(f"{_PAGE}+")
_FEW_PAGES = 5
"""Page breaks, from which on it is looked at how many have nothing on either side."""
_EXAMPLES = 3


@dataclass
class Editing:
    """What was decided while texts of TEI, and pages of HTML, were read."""

    counts: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, example: str = "", words: int = 0) -> None:
        """Count one case."""
        self.counts[kind] += 1
        self.words[kind] += words
        shown = self.examples.setdefault(kind, [])
        if example and len(shown) < _EXAMPLES and example not in shown:
            shown.append(example)

    def __add__(self, other: Editing) -> Editing:
        shown = {
            kind: list(dict.fromkeys([*self.examples.get(kind, ()), *other.examples.get(kind, ())]))[:_EXAMPLES]
            for kind in [*self.examples, *other.examples]
        }
        return Editing(self.counts + other.counts, self.words + other.words, shown)

    def sentences(self) -> Iterator[str]:
        """Yield what is to be said of it: of what was left out, and of words that were joined or have gaps."""
        beside = [kind for kind in dict.fromkeys(_BESIDE.values()) if self.counts[kind]]
        readings = [kind for kind in ("second readings", "source readings", "editorial readings") if self.counts[kind]]
        kinds = "deletions", "superfluous passages", "page heads", "page frames", "code listings", "repeated elements"
        others = [kind for kind in kinds if self.counts[kind]]
        if beside or readings or others:
            ways = [option("notes", "keep")] * bool(beside)
            ways += [option("readings", "original")] * bool(self.counts["source readings"])
            way = as_flags(f"; {' and '.join(ways)} would read them") if ways else ""
            yield f"left out {_listed([self._with_words(kind) for kind in (*beside, *readings, *others)])}{way}"
        for kind, said in _SAID.items():
            if self.counts[kind]:
                examples = ", ".join(self.examples[kind]) + ", ..." * (self.counts[kind] > len(self.examples[kind]))
                yield f"{said.format(n=f'{self.counts[kind]:,}')} ({examples})"

    def _with_words(self, kind: str) -> str:
        words = f" ({self.words[kind]:,} words)" if self.words[kind] else ""
        return f"{self.counts[kind]:,} {kind if self.counts[kind] > 1 else kind[:-1]}{words}"


_SAID = {
    "joined": "words joined over breaks of lines and pages that stand within them: {n}",
    "parted": "breaks of pages with letters on both sides, taken for ends of words as most breaks here are so: {n}",
    "gaps": "words left out because of a gap or an unknown sign within: {n}",
}


def _listed(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def clean(text: str) -> str:
    """Return XML without the signs that this module means something by; no text has them."""
    return text.translate(_SIGNS) if any(sign in text for sign in (_GAP, _PAGE, _LINE, _TIED)) else text


def texts_of(root: Any) -> list[Any]:
    """Return the TEI elements that hold a text of their own: a corpus holds others."""
    found = root.iter("{*}TEI", "{*}TEI.2")
    return [element for element in found if next(element.iterchildren("{*}TEI", "{*}TEI.2"), None) is None]


def header_of(tei: Any) -> dict[str, str]:
    """Return title, author, date and year that a TEI header has; the original's date before the edition's."""
    header = next(tei.iterchildren("{*}teiHeader"), None)
    if header is None:
        return {}
    found = {}
    for name in ("title", "author"):
        element = next(header.iterfind(f".//{{*}}titleStmt/{{*}}{name}"), None)
        if element is not None and (text := " ".join("".join(element.itertext()).split())):
            found[name] = text
    for place in ("profileDesc/{*}creation", "fileDesc/{*}sourceDesc", "fileDesc/{*}publicationStmt"):
        for date in header.iterfind(f"{{*}}{place}//{{*}}date"):
            span = [date.get("notBefore") or date.get("from"), date.get("notAfter") or date.get("to")]
            text = date.get("when") or "/".join(filter(None, span)) or " ".join("".join(date.itertext()).split())
            if text and "date" not in found:
                found["date"] = text
    year = kept_year(found.get("date", ""))
    return found | ({"year": year} if year else {})


def signs_of(tei: Any) -> dict[str, str]:
    """Return what the signs that a header declares stand for (``charDecl``), by their id."""
    return {
        sign.get("{http://www.w3.org/XML/1998/namespace}id", ""): mapping.text
        for sign in tei.iter("{*}char", "{*}glyph")
        for mapping in sign.iterchildren("{*}mapping")
        if mapping.text and mapping.get("type") != "facsimile"
    }


def body_of(tei: Any) -> list[Any]:
    """Return the parts of a TEI element that are text: its ``text``, else its ``sourceDoc``, else all of it."""
    return list(tei.iterchildren("{*}text")) or list(tei.iterchildren("{*}sourceDoc")) or [tei]


class Transcript:
    """The text of elements of one TEI text."""

    def __init__(
        self, etree: Any, options: ReadOptions, inline: frozenset[str], signs: Mapping[str, str], editing: Editing
    ) -> None:
        self._etree, self._options, self._signs, self._editing = etree, options, signs, editing
        self._inline = inline.union(_WITHIN.split()) - {"w", "lb", "p", "l", "head", *_BESIDE}

    def text(self, elements: Iterable[Any]) -> str:
        """Return their text, notes that are kept after it; what ends a word becomes a new line."""
        waiting, parts = deque(elements), list[str]()
        while waiting:
            parts += ["\n", *self._parts(waiting.popleft(), waiting)]
        return self._whole_words("".join(parts))

    def _parts(self, root: Any, waiting: deque[Any]) -> Iterator[str]:
        walk = self._etree.iterwalk(root, events=("start", "end", "comment", "pi"))  # no recursion: texts nest deep
        word, unread = 0, False
        for event, element in walk:
            name = name_of(element)
            if event == "start":
                word += name == "w"
                unread = False if element is root and name in _BESIDE else self._is_unread(element, name, waiting)
                yield self._edge(element, name, unread, bool(word), begins=True)
                if unread:
                    walk.skip_subtree()
                else:
                    yield element.text or ""
            else:
                if event == "end":
                    word -= name == "w"
                    unread = not (element is root and name in _BESIDE) and self._kind_unread(element, name) is not None
                    yield self._edge(element, name, unread, bool(word), begins=False)
                yield (element.tail or "") if element is not root else ""

    def _is_unread(self, element: Any, name: str, waiting: deque[Any]) -> bool:
        """Whether an element is left out here; it is counted, and a note that is to be kept waits for the end."""
        kind = self._kind_unread(element, name)
        if kind == "notes" and self._options.notes == "keep":
            waiting.append(element)
        elif kind:
            self._editing.add(kind, words=len("".join(element.itertext()).split()))
        return kind is not None

    def _kind_unread(self, element: Any, name: str) -> str | None:
        """What an element that is left out is counted as, empty where it is not; ``None`` for one that is read."""
        keep, parent = self._options.notes == "keep", element.getparent()
        above = "" if parent is None else name_of(parent)
        if name in _NOT_TEXT or name == "gap" or (name == "desc" and not (keep and above in _EVENTS)):
            return ""
        if name in _BESIDE:
            return _BESIDE[name] if not keep or _BESIDE[name] == "notes" else None
        if name == "fw":
            return "page heads"
        if name == "del":
            return None if above == "restore" else "deletions"
        if name in ("rdg", "lem"):
            return self._of_apparatus(element, name)
        return self._of_choice(element, name, parent, above)

    def _of_apparatus(self, element: Any, name: str) -> str | None:
        app = next(element.iterancestors("{*}app"), None)
        if app is None or name == "lem":
            return None
        lemma = next(app.iterchildren("{*}lem"), None)
        first = next(app.iter("{*}rdg")) if lemma is None else lemma
        return None if first is element else "second readings"

    def _of_choice(self, element: Any, name: str, parent: Any, above: str) -> str | None:
        original = self._options.readings == "original"
        if name in _SUPERFLUOUS:
            return None if original else "superfluous passages"
        if name == "ex" and original:
            return "editorial readings"
        other = (_SOURCE_OF if original else _EDITED_OF).get(name)
        paired = above == "choice" or name in ("am", "ex")  # elsewhere they stand for themselves
        if other and paired and parent is not None and next(parent.iterchildren(f"{{*}}{other}"), None) is not None:
            return "editorial readings" if original else "source readings"
        if above == "choice" and next(element.itersiblings(f"{{*}}{name}", preceding=True), None) is not None:
            return "second readings"
        return None

    def _edge(self, element: Any, name: str, unread: bool, in_word: bool, *, begins: bool) -> str:
        """Return what stands for the beginning or the end of an element."""
        if name == "gap":
            return _GAP * begins
        if name == "lb" or name in _OF_PAGE:
            return self._break(element, name, in_word) * begins
        if unread or name in ("fw", "desc"):
            return ""
        if name == "g":
            return self._sign(element) * begins
        if name in ("w", "pc") and (tied := _tied(element, begins)):
            return tied
        return "" if name in self._inline else "\n"

    def _break(self, element: Any, name: str, in_word: bool) -> str:
        said = element.get("break", "")
        if said == "no" or in_word or (element.get("type") or "").lower() in _IN_WORD:
            return _LINE
        return "\n" if name == "lb" or said == "yes" else _PAGE

    def _sign(self, element: Any) -> str:
        """What a sign without text stands for: the end of a line within a word, what the header says, or unknown."""
        ref = element.get("ref") or ""
        if "EOL" in ref:
            return _LINE
        if element.text or len(element):
            return ""
        return self._signs.get(ref.removeprefix("#"), _GAP)

    def _whole_words(self, text: str) -> str:
        text = self._join(text, _LINE, _HYPHENS)
        text = self._join_pages(text)
        text = _joined(text, _TIED)
        return self._without_gaps(text)

    def _join(self, text: str, sign: str, hyphens: str) -> str:
        parts = text.split(sign)
        for k in range(1, len(parts)):
            parts[k] = parts[k].lstrip(_WHITE)
            before = parts[k - 1].rstrip(_WHITE)
            parts[k - 1] = before[:-1] if before[-1:] in hyphens and before[-2:-1].isalpha() else before
            word = _end(parts[k - 1]), _begin(parts[k])
            if all(word):
                self._editing.add("joined", "".join(word))
        return "".join(parts)

    def _join_pages(self, text: str) -> str:
        if _PAGE not in text:
            return text
        glued, pages = len(_GLUED.findall(text)), len(_PAGES.findall(text))
        join = pages < _FEW_PAGES or 2 * glued <= pages

        def settled(found: re.Match[str]) -> str:
            before, after = (
                _end(text[max(found.start() - _LONGEST, 0) : found.start()]),
                _begin(text[found.end() : found.end() + _LONGEST]),
            )
            if before and after:
                self._editing.add("joined" if join else "parted", before + ("" if join else " | ") + after)
            return "" if before and after and join else "\n"

        return _PAGES.sub(settled, text)

    def _without_gaps(self, text: str) -> str:
        parts = text.split(_GAP)
        begun = ""
        for k in range(1, len(parts)):
            before, after = _end(parts[k - 1]), _begin(parts[k])
            parts[k - 1] = parts[k - 1].removesuffix(before)
            # A word may have several gaps: what stands between two of them is a part of it.
            begun = (begun if k > 1 and not parts[k - 1] else "") + before + "…"
            goes_on = k + 1 < len(parts) and after == parts[k]
            if not goes_on:
                parts[k] = parts[k].removeprefix(after)
                if begun.strip("…") or after:
                    self._editing.add("gaps", begun + after)
                begun = ""
        return " ".join(parts)


def _tied(element: Any, begins: bool) -> str:
    """What ties a word to the one before or after it: parts of one, or no space between by ``join``."""
    join, part = element.get("join"), element.get("part")
    if begins:
        return _TIED if join in ("left", "both") or part in ("M", "F") else ""
    return _TIED if join in ("right", "both") or part in ("I", "M") else ""


def _joined(text: str, sign: str) -> str:
    parts = text.split(sign)
    return (
        "".join(
            part.strip(_WHITE) if 0 < k < len(parts) - 1 else part.lstrip(_WHITE) if k else part.rstrip(_WHITE)
            for k, part in enumerate(parts)
        )
        if len(parts) > 1
        else text
    )


def _end(text: str) -> str:
    found = _END.search(text[-_LONGEST:])
    return found[0] if found else ""


def _begin(text: str) -> str:
    found = _BEGIN.match(text[:_LONGEST])
    return found[0] if found else ""


def name_of(element: Any) -> str:
    """Return the name of an element without its namespace, empty for comments and instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
