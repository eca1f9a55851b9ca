"""XML: texts of TEI by its rules, and any other by what its elements hold.

Which elements stand within running text, and which hold fields instead of text, is seen from how a file uses them: no
list of formats is kept. TEI's rules are in :mod:`gpustab.corpus.formats.tei`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.formats.markup import beginning_of, lxml, seen
from gpustab.corpus.formats.repeats import find_repeats
from gpustab.corpus.formats.tei import ROOTS, Transcript, body_of, clean, header_of, name_of, signs_of, texts_of
from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError, near, option

_ROOT = re.compile(r"<(?:\w+:)?(?:TEI(?:\.2)?|teiCorpus)\b|<[\w:.-]+\s[^>]*\bxmlns\b")
_ELEMENT = re.compile(r"<[^\W\d]")
_CODE = re.compile(r"[^\s\d]*\d\S*")
_LONGEST = 200
_BREAKS = frozenset({"br", "lb", "linebreak", "line-break", "newline", "break", "tab", "cr"})
_UNSEEN = frozenset({"math", "svg", "tex-math", "script", "style"})
_LONG = 6
"""Words of an element on the average, from which on it holds text and no field."""
_FEW, _ALL, _SOME, _MOSTLY = 0.1, 0.9, 0.01, 0.67
"""Shares of all words: of fields that may be read with the text; of one element that is all there is; worth a word."""
_TIMES, _FEWEST = (4, 3, 2), 2
"""How often a text may stand in an element; words that it has at least, each time."""
_BESIDE, _KINDS = 2, 20
"""Words of an attribute, for each between tags, from which on it has the text; and different ones of them."""
_REPEATED = 1.5
"""Words that chosen elements have, for each of the text, from which on they say it at several levels."""
_SHOWN, _OFFERED = 6, 3
_LANGUAGE = ("{http://www.w3.org/XML/1998/namespace}lang", "lang")
_OF_LANGUAGE = "lang="
_RECORDS, _FIELDS, _SHORT = 3, 2, 12
"""Records of a file and fields of a record, at least; words that a field has fewer of."""
_CODES = 3
"""Names of elements that hold numbers or keys alone, from which on a file is records: prose numbers its pages."""


@dataclass
class Use:
    """How a file uses the elements of one name.

    Attributes:
        number: how many there are.
        mixed: how many stand beside text of their parent.
        words: in them, those of inline elements within included.
        codes: how many hold one number, date or key.
    """

    number: int = 0
    mixed: int = 0
    words: int = 0
    codes: int = 0


@dataclass
class Survey:
    """What a look through a tree has found.

    Attributes:
        uses: by the name of the element.
    """

    uses: dict[str, Use] = field(default_factory=dict)

    @property
    def inline(self) -> frozenset[str]:
        """Names that mostly stand beside text: they end no word."""
        return frozenset(
            name for name, use in self.uses.items() if 2 * use.mixed > use.number and name.lower() not in _BREAKS
        )


def survey(root: Any) -> Survey:
    """Look through a tree, twice: at what stands within text, then at the words of all else."""
    found = Survey()
    for element in root.iter("{*}*"):
        name = name_of(element)
        use = found.uses.setdefault(name, Use())
        use.number += 1
        use.codes += not len(element) and bool(_CODE.fullmatch((element.text or "")[:_LONGEST].strip()))
        children = [child for child in element if isinstance(child.tag, str)]
        if children and (_is_text(element.text) or any(_is_text(child.tail) for child in element)):
            for child in children:
                found.uses.setdefault(name_of(child), Use()).mixed += 1
    inline = found.inline
    for element in root.iter("{*}*"):
        words = len((element.text or "").split()) + sum(len((child.tail or "").split()) for child in element)
        if words:
            holder = element
            while name_of(holder) in inline and holder is not root:
                holder = holder.getparent()
            found.uses[name_of(holder)].words += words
    return found


def _attributes_of(elements: Iterable[Any]) -> dict[tuple[str, str], Counter[str]]:
    """Return words of several letters in attributes of elements and of all within, by element and attribute."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for top in elements:
        for element in top.iter("{*}*"):
            for key, value in element.attrib.items():
                if len(value) > 1 and value.isalpha():
                    found.setdefault((name_of(element), key), Counter())[value] += 1
    return found


def _is_text(text: str | None) -> bool:
    return text is not None and bool(text.strip())


def _read(file: TextFile) -> Iterator[Document]:
    etree, root = _parsed(file)
    found = survey(root)
    if name_of(root) in ROOTS:
        yield from _texts(file, etree, root, found)
        return
    for name in ("notes", "readings"):
        if getattr(file.options, name) != getattr(ReadOptions, name):
            raise InputError(
                f"{file.path}: {option(name, getattr(file.options, name))} is for TEI, and this is other XML"
            )
    elements = _said_once(file, root, found) if file.options.column else [root]
    if not file.options.column:
        _refuse_fields(file, found, root)
        _refuse_languages(file, root)
        _refuse_repeated(file, root)
    for number, element in enumerate(elements, 1):
        yield Document(str(number), {}, [seen(etree, element, found.inline, _UNSEEN)])


def _said_once(file: TextFile, root: Any, found: Survey) -> list[Any]:
    """Return the chosen elements without what they say once more; refuse those that say it at several levels."""
    elements = _chosen(file, [root], found)
    repeats = find_repeats(root)
    words = sum(repeats.words[element] for element in elements)
    _refuse_attributes(file, elements, words)
    if words > _REPEATED * repeats.words[root]:
        within = " or ".join(option("column", name) for name in repeats.within[:1])
        name = file.options.column
        raise InputError(
            f"{file.path}: {option('column', name)}: these elements have {words:,} words of a text of "
            f"{repeats.words[root]:,}, which OCR wrote whole and in its lines and words; say {within}"
        )
    chosen = set(elements)
    for again in repeats.again:
        if not chosen.isdisjoint(again.iterancestors()):
            file.editing.add("repeated elements", words=repeats.words[again])
            again.getparent().remove(again)
    return elements


def _parsed(file: TextFile) -> tuple[Any, Any]:
    etree, text = lxml(file.path), clean(file.text())
    # Without the parser's guard a few entities become gigabytes: it is taken off where there are none.
    huge = "<!ENTITY" not in text
    parser = etree.XMLParser(
        encoding="utf-8", no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, huge_tree=huge
    )
    try:
        return etree, etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        way = f"{option('format', 'html')} reads it as a browser would, headers and notes too"
        raise InputError(f"{file.path}: this is not well-formed XML: {error.msg}; {way}") from None


def _texts(file: TextFile, etree: Any, root: Any, found: Survey) -> Iterator[Document]:
    number = 0
    for tei in texts_of(root) or [root]:
        transcript = Transcript(etree, file.options, found.inline, signs_of(tei), file.editing)
        parts = [_chosen(file, body_of(tei), found)] if file.options.column else [body_of(tei)]
        for elements in [[one] for one in parts[0]] if file.options.column else parts:
            number += 1
            yield Document(str(number), header_of(tei), [transcript.text(elements)])


def _chosen(file: TextFile, roots: list[Any], found: Survey) -> list[Any]:
    """Return the outermost elements of the name that was chosen, below some others."""
    name = file.options.column or ""
    if name.startswith(_OF_LANGUAGE):
        known = {language for root in roots for one in root.iter("{*}*") if (language := _language(one))}
        wanted, marked, inside = name.removeprefix(_OF_LANGUAGE), _language, "{*}*"
    else:
        known, wanted, marked, inside = set(found.uses), name, name_of, f"{{*}}{name}"
    if wanted not in known:
        raise InputError(f"{file.path}: there is no element for {option('column', name)}{near(wanted, known)}")
    return [
        one
        for root in roots
        for one in root.iter(inside)
        if marked(one) == wanted and not any(marked(above) == wanted for above in one.iterancestors())
    ]


def _language(element: Any) -> str:
    """The language that an element says it is in, without its country; nothing where it says none."""
    said = next((code for name in _LANGUAGE if (code := element.get(name))), "")
    return re.split("[-_]", said.strip().lower())[0]


def _refuse_languages(file: TextFile, root: Any) -> None:
    """Refuse texts of several languages, as translation memories have them, each marked as what it is.

    A text of one language has less than a tenth of its words in any other that stands beside it, and less than a
    third in others, quotations within it among them.
    """
    words, beside = Counter[str](), Counter[str]()
    for element in root.iter("{*}*"):
        if language := _language(element):
            number = len(" ".join(element.itertext()).split())
            around = next((own for above in element.iterancestors() if (own := _language(above))), "")
            words[language] += number
            words[around] -= number
            beside[language] += 0 if around else number
    total = max(sum(n for language, n in words.items() if language), 1)
    many = [language for language, n in words.most_common() if language and n > 0]
    others = sum(n for language, n in beside.items() if language != many[0]) if many else 0
    if len(many) < 2 or (others < _FEW * total and words[many[0]] > _MOSTLY * total):
        return
    shown = ", ".join(f"{language} {words[language] / total:.0%}" for language in many[:_SHOWN])
    ways = ", ".join(option("column", f"{_OF_LANGUAGE}{language}") for language in many[:_OFFERED])
    raise InputError(
        f"{file.path}: this XML has texts in {len(many)} languages ({shown} of the words), as a translation memory "
        f"has; which one? say {ways}, or {option('format', 'html')} to read all of them"
    )


def _refuse_fields(file: TextFile, found: Survey, root: Any) -> None:
    """Refuse records of data, whose names, dates and numbers would be words of the text."""
    words = Counter({name: use.words for name, use in found.uses.items() if use.words})
    total = words.total()
    _refuse_attributes(file, [root], total)
    ((most, number),) = words.most_common(1)
    text = {most} if number >= _ALL * total else set()
    text |= {name for name, n in words.items() if n >= _LONG * found.uses[name].number}
    fields = total - sum(words[name] for name in text)
    codes = [name for name, use in found.uses.items() if use.codes > 0.8 * use.number]
    of_records = _text_of_records(root)
    if fields <= _FEW * total and len(codes) < _CODES and of_records is None:
        return
    shown = ", ".join(f"<{name}> {n / total:.0%}" for name, n in words.most_common(_SHOWN) if n >= _SOME * total)
    ranked = sorted(words, key=lambda name: (name not in text, -words[name]))
    if of_records is not None:
        ranked = [of_records, *(name for name in ranked if name != of_records)]
    if words[ranked[0]] < _FEWEST * found.uses[ranked[0]].number:
        ranked = _around_words(root, ranked[0]) or ranked
    ways = ", ".join(option("column", name) for name in ranked[:_OFFERED])
    raise InputError(
        f"{file.path}: this XML has fields beside text (of its words stand in {shown}); which element is a document's "
        f"text? say {ways}, or {option('format', 'html')} to read all of them"
    )


def _around_words(root: Any, name: str) -> list[str]:
    """Return what elements of a word each stand in, as corpora with tags have them: the nearest with a text first."""
    there = Counter(name_of(element) for element in root.iter("{*}*"))
    held = Counter(name_of(above) for element in root.iter(f"{{*}}{name}") for above in element.iterancestors())
    first = next(root.iter(f"{{*}}{name}"))
    around = dict.fromkeys(name_of(above) for above in first.iterancestors() if above is not root)
    return [one for one in around if held[one] >= _LONG * there[one]]


def _refuse_attributes(file: TextFile, elements: Iterable[Any], total: int) -> None:
    """Refuse elements without text, or with little beside that of attributes, as OCR writes it word by word."""
    there = _in_attributes(elements, _BESIDE * total)
    if there or not total:
        hardly = "hardly any" if total else "no"
        raise InputError(f"{file.path}: there is {hardly} text between the tags of this XML{there}")


def _text_of_records(root: Any) -> str | None:
    """Return what holds the text, if most words stand in elements that are made alike, of some fields and one text.

    Fields are short and stand once in each, at least two of them, one of which always has a digit: a date or key. The
    text stands once in each, too: chapters have a number and a title, and then many paragraphs.
    """
    total = len(" ".join(root.itertext()).split())
    alike: dict[str, list[Any]] = {}
    for element in root.iter("{*}*"):
        if len(element) > _FIELDS:
            alike.setdefault(name_of(element), []).append(element)
    found = (_text_of(some, total) for some in alike.values() if len(some) >= _RECORDS)
    return next((name for name in found if name), None)


def _text_of(records: list[Any], total: int) -> str | None:
    short, keys, words = Counter[str](), Counter[str](), Counter[str]()
    for record in records:
        names = Counter(name_of(child) for child in record.iterchildren("{*}*"))
        for child in record.iterchildren("{*}*"):
            name, said = name_of(child), " ".join(child.itertext())
            words[name] += (number := len(said.split()))
            once = names[name] == 1 and 0 < number < _SHORT and not len(child)
            short[name] += once
            keys[name] += once and any(map(str.isdigit, said))
    longest = max(words, key=words.__getitem__, default="")
    often = _ALL * len(records)
    fields = [name for name, n in short.items() if n >= often]
    text = words.total() - sum(words[name] for name in fields)
    if len(fields) < _FIELDS or not any(keys[name] >= often for name in fields) or 2 * text < max(total, 1):
        return None
    return None if any(len(record.findall(f"{{*}}{longest}")) > 1 for record in records) else longest


def _refuse_repeated(file: TextFile, root: Any) -> None:
    """Refuse texts that stand twice or more often, as OCR writes them: by region, by line and by word."""
    names, again, elements, total = Counter[str](), 0, 0, len(" ".join(root.itertext()).split())
    whole = None
    for element in root.iter("{*}*"):  # in the order of the file: what lies in a repeated element comes after it
        if whole is not None and whole in element.iterancestors():
            continue
        words = " ".join(element.itertext()).split()
        times = next((n for n in _TIMES if len(words) >= _FEWEST * n and words == words[: len(words) // n] * n), 0)
        if times:
            whole, again, elements = element, again + len(words), elements + 1
            within = {name_of(inner) for child in element for inner in child.iterdescendants("{*}*")}
            names.update(name for child in element if (name := name_of(child)) not in within and len(child))
    if 2 * again > total and elements > 1:  # of one element alone it may be a refrain
        holders = find_repeats(root).within or [name for name, _ in names.most_common(1)]
        ways = " or ".join(option("column", name) for name in holders[:1])
        raise InputError(
            f"{file.path}: {again / total:.0%} of the words of this XML stand there twice or more often, as OCR writes "
            f"a text whole and in its lines; {f'say {ways}' if ways else 'let the program that wrote it save text'}"
        )


def _in_attributes(elements: Iterable[Any], least: int = 0) -> str:
    """Say which attribute has the text, if one has more words than this; kinds of elements are few different words."""
    if not (found := _attributes_of(elements)):
        return ""
    (name, key), values = max(found.items(), key=lambda one: one[1].total())
    if (number := values.total()) <= least or (least and len(values) < _KINDS):
        return ""
    read = f"' '.join(one.get({key!r}, '') for one in lxml.etree.parse(FILE).iter('{{*}}{name}'))"
    return (
        f"; {number:,} words stand in the attribute {key} of <{name}>: let the program that wrote it save text, or in "
        f"Python {read}"
    )


def _is_xml(start: str) -> bool:
    begins = beginning_of(start)
    if begins.declared or begins.doctype:
        return bool(_ELEMENT.match(begins.rest))
    return bool(_ROOT.match(begins.rest))


XML = TextFormat("xml", "XML (each TEI text, or all of another kind)", (".xml", ".tei"), "records", _is_xml, _read)
