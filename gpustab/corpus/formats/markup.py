"""Text between marks: HTML, XML (TEI above all), Word's .docx and Markdown.

What is taken are the words that a reader sees, and what a header says of them.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

from gpustab.corpus.dates import kept_year
from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.errors import InputError

_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_FRAGMENT = re.compile(r"\s*<(?:p|div|h[1-6]|article|main|section|table|ul|ol)\b[^>]*>", re.I)
_XML = re.compile(r"\s*<(?:\?xml\b|!DOCTYPE\s+\w|!--|(?:\w+:)?(?:TEI(?:\.2)?|teiCorpus)\b|[\w:]+\s[^>]*\bxmlns\b)")
_DECLARATION = re.compile(r"^\s*<\?xml\b[^>]*\?>")
_UNSEEN = frozenset(
    {"script", "style", "noscript", "template", "head", "title", "svg", "math", "textarea", "select", "iframe"}
)
_INLINE = """
a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup
time tt u var wbr"""  # HTML's elements that do not end a word
_WITHIN = """
hi emph foreign name persName placeName orgName rs date num term title mentioned soCalled distinct ref ptr anchor seg c
g m add unclear supplied damage corr reg expan ex am orig sic abbr choice subst"""  # TEI's (P5, chapters 3, 11, 13, 17)
_LEFT_OUT = frozenset({"teiHeader", "fw", "figDesc", "del"})
_CORRECTED = {"sic": "corr", "orig": "reg", "abbr": "expan"}
"""Of a choice, what is left out where the other is there."""
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BODY = "word/document.xml"
_MOST = 1 << 30
"""Bytes of unpacked XML, beyond which a file is taken for an attack."""
_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.S | re.M)
_FIELD = re.compile(r"^(\w[\w -]*):[ \t]*(.*?)[ \t]*$", re.M)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^>]*>", re.S)


def _read_html(file: TextFile) -> Iterator[Document]:
    etree = _lxml(file)
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    text = file.text()
    if not text.strip():
        raise InputError(f"{file.path}: the file is empty")
    root = etree.fromstring(_DECLARATION.sub("", text).encode("utf-8", "replace"), parser)
    if root is None:
        raise InputError(f"{file.path}: there is no element in this HTML")
    for error in parser.error_log:  # the parser mends all else, but here it stops
        if error.type_name == "ERR_RESOURCE_LIMIT":
            raise InputError(f"{file.path}: line {error.line:,}: this HTML cannot be read on: {error.message.strip()}")
    titles = [" ".join("".join(title.itertext()).split()) for title in root.iterfind("head/title")]
    yield Document(
        "1", {"title": titles[0]} if titles else {}, [_seen(etree, root, frozenset(_INLINE.split()), _UNSEEN)]
    )


def _read_xml(file: TextFile) -> Iterator[Document]:
    etree = _lxml(file)
    parser = etree.XMLParser(encoding="utf-8", no_network=True, load_dtd=False, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(file.text().encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"{file.path}: this is no well-formed XML: {error.msg}") from None
    if _name(root) not in ("TEI", "TEI.2", "teiCorpus"):
        yield Document("1", {}, [_seen(etree, root, frozenset(), frozenset())])
        return
    texts = [element for element in root.iter("{*}TEI", "{*}TEI.2") if not list(element.iterchildren("{*}TEI"))]
    for number, element in enumerate(texts, 1):
        yield Document(str(number), _header(element), [_seen(etree, element, frozenset(_WITHIN.split()), _LEFT_OUT)])


def _header(tei: Any) -> dict[str, str]:
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


def _seen(etree: Any, root: Any, within: frozenset[str], left_out: frozenset[str]) -> str:
    """Return the text of an element; what ends a word becomes a new line."""
    parts: list[str] = []
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))  # no recursion: pages nest deep
    for event, element in walk:
        name = _name(element)
        end = "" if not name or name in within or element.get("break") == "no" else "\n"
        if event == "start":
            parts += [end, element.text or ""]
            if name in left_out or _is_corrected(element, name):
                parts.pop()
                walk.skip_subtree()
        else:
            parts += [end, (element.tail or "") if element is not root else ""]
    return "".join(parts)


def _is_corrected(element: Any, name: str) -> bool:
    other, parent = _CORRECTED.get(name), element.getparent()
    return bool(other) and parent is not None and any(_name(one) == other for one in parent)


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _lxml(file: TextFile) -> Any:
    try:
        from lxml import etree
    except ImportError:
        raise InputError(f"{file.path}: markup is read by lxml: pip install 'gpustab[corpus]'") from None
    return etree


def _read_docx(file: TextFile) -> Iterator[Document]:
    """Read the paragraphs of the body, without what was deleted, notes, headers and footers."""
    etree = _lxml(file)
    try:
        with zipfile.ZipFile(file.path) as archive:
            if archive.getinfo(_BODY).file_size > _MOST:
                raise InputError(f"{file.path}: {_BODY} unpacks to more than 1 GiB")
            body = etree.fromstring(archive.read(_BODY), etree.XMLParser(no_network=True, resolve_entities=False))
    except KeyError:
        raise InputError(f"{file.path}: this is a zip archive without {_BODY}; unpack it first") from None
    except (zipfile.BadZipFile, etree.XMLSyntaxError, OSError) as error:
        raise InputError(f"{file.path}: this .docx is damaged: {error}") from None
    yield Document("1", {}, ["\n".join("".join(_docx_words(paragraph)) for paragraph in body.iter(f"{_WORD}p"))])


def _docx_words(paragraph: Any) -> Iterator[str]:
    for element in paragraph.iter(f"{_WORD}t", f"{_WORD}tab", f"{_WORD}br", f"{_WORD}cr", f"{_WORD}noBreakHyphen"):
        own = next(element.iterancestors(f"{_WORD}p"))
        if own is paragraph:  # text boxes hold paragraphs of their own
            name = element.tag.removeprefix(_WORD)
            yield element.text or "" if name == "t" else "-" if name == "noBreakHyphen" else " "


def _read_markdown(file: TextFile) -> Iterator[Document]:
    """Read headings, paragraphs, lists and tables without their signs; code is left out."""
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise InputError(f"{file.path}: Markdown is read by markdown-it-py: pip install 'gpustab[corpus]'") from None
    text = file.text()
    front = _FRONT.match(text)
    metadata = dict(_FIELD.findall(front[1].replace("\r", ""))) if front else {}
    metadata = {name: value.strip("\"'") for name, value in metadata.items() if value}
    tokens = MarkdownIt("commonmark").enable("table").parse(text[front.end() :] if front else text)
    yield Document("1", metadata, ["\n".join("".join(_markdown_words(token)) for token in tokens)])


def _markdown_words(token: Any) -> Iterator[str]:
    """Yield the text of a token and its children; code and the addresses of links are none."""
    if token.type == "inline":
        for child in token.children:
            yield from _markdown_words(child)
    elif token.type == "text":
        yield token.content
    elif token.type in ("softbreak", "hardbreak"):
        yield "\n"
    elif token.type == "html_block":
        yield unescape(_TAG.sub(" ", token.content))
    elif token.type in ("code_inline", "image"):
        yield " "


def _matching(*patterns: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda start: any(pattern.match(start) for pattern in patterns)


_OF_WORD = re.compile(r"PK\x03\x04.*word/", re.S)
HTML = TextFormat("html", "HTML", (".html", ".htm", ".xhtml"), "files", _matching(_HTML, _FRAGMENT), _read_html)
XML = TextFormat(
    "xml", "XML (each TEI text, or all of another kind)", (".xml", ".tei"), "records", _matching(_XML), _read_xml
)
DOCX = TextFormat("docx", "a Word document", (".docx",), "files", _matching(_OF_WORD), _read_docx)
# Most Markdown is plain text as well.
MARKDOWN = TextFormat("markdown", "Markdown", (".md", ".markdown"), "files", _matching(), _read_markdown)
