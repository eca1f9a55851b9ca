"""Text between marks: HTML, Word's .docx and Markdown; XML is read in :mod:`gpustab.corpus.formats.xml_text`.

What is taken are the words that a reader sees, and what a header says of them.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.formats.tei import name_of
from gpustab.errors import InputError
from gpustab.formats.source import check_unpacked, unpacked_blocks
from gpustab.installing import install

_HTML = re.compile(r"<(?:html|head|body)\b", re.I)
_FRAGMENT = re.compile(r"\s*<(?:p|div|h[1-6]|article|main|section|table|ul|ol)\b[^>]*>", re.I)
_SKIPPED = (("<?", "?>"), ("<!--", "-->"))
_DOCTYPE = re.compile(r"<!DOCTYPE\s++([\w:.-]++)[^\[>]*+(?:\[.*?\]\s*+)?>", re.I | re.S)
_DECLARATION = re.compile(r"^\s*<\?xml\b[^>]*\?>")
_UNSEEN = frozenset(
    {"script", "style", "noscript", "template", "head", "title", "svg", "math", "textarea", "select", "iframe"}
)
_INLINE = """
a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup
time tt u var wbr"""  # HTML's elements that do not end a word
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BODY = "word/document.xml"
_LOOKED_AT = 100_000
_CODE, _FRAME = 0.9, 4
"""Of the words of a listing, how many stand in ``<code>``; words around the text of a page for each of its own."""
_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.S | re.M)
_FIELD = re.compile(r"^(\w[\w -]*+):(.*)$", re.M)
_UNSEEN_BEGINS = re.compile(r"<!--|<\?|<!(?=[A-Za-z])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


class Beginning(NamedTuple):
    """How a file of tags begins."""

    declared: bool
    doctype: str
    rest: str


def beginning_of(start: str) -> Beginning:
    """Look behind declaration, comments, instructions and document type, each passed once.

    >>> beginning_of("<!-- a --> # Head").rest, beginning_of('<?xml version="1.0"?><!DOCTYPE r><r/>').doctype
    ('# Head', 'r')
    """
    at, declared, doctype = len(start) - len(start.lstrip("\ufeff \t\r\n")), False, ""
    declared = start.startswith("<?xml", at)
    while True:
        ends = next((end for begin, end in _SKIPPED if start.startswith(begin, at)), None)
        if ends and (end := start.find(ends, at + 2)) >= 0:
            at = end + len(ends)
        elif not doctype and (found := _DOCTYPE.match(start, at)):
            doctype, at = found[1], found.end()
        else:
            return Beginning(declared, doctype, start[at:])
        while start[at : at + 1].isspace():
            at += 1


def _is_html(start: str) -> bool:
    begins = beginning_of(start)
    return begins.doctype.lower() == "html" or bool(_HTML.match(begins.rest))


def _is_fragment(start: str) -> bool:
    """Tell a piece of a page by most of its blocks: text and Markdown may begin with ``<p align=...>`` too."""
    rest = beginning_of(start).rest[:_LOOKED_AT]
    blocks = [block.lstrip() for block in re.split(r"\n[ \t]*\r?\n", rest)]
    return bool(_FRAGMENT.match(rest)) and 2 * sum(block.startswith("<") for block in blocks) >= len(blocks)


def _read_html(file: TextFile) -> Iterator[Document]:
    etree = lxml(file.path)
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
    yield Document("1", {"title": titles[0]} if titles else {}, [_page_text(file, etree, root)])


def _page_text(file: TextFile, etree: Any, root: Any) -> str:
    """Return what a page says: its ``<main>`` part, where that has a fifth of its words, and no listings of code."""
    within = frozenset(_INLINE.split())
    for listing in [element for element in root.iter("pre") if _is_code(element)]:
        file.editing.add("code listings", words=len("".join(listing.itertext()).split()))
        tail = listing.tail
        listing.clear()
        listing.tail = tail
    whole, mains = seen(etree, root, within, _UNSEEN), list(root.iter("main"))
    text = seen(etree, mains[0], within, _UNSEEN) if len(mains) == 1 else ""
    around = len(whole.split()) - len(text.split())
    if around > _FRAME * len(text.split()):  # a part that scripts would fill, or no main part at all
        return whole
    if around:
        file.editing.add("page frames", words=around)
    return text


def _is_code(pre: Any) -> bool:
    """Tell a listing: nearly all of it is ``<code>``; verse and letters that name a command have some."""
    inside = sum(len("".join(code.itertext()).split()) for code in pre.iter("code"))
    return bool(inside) and inside >= _CODE * len("".join(pre.itertext()).split())


def seen(etree: Any, root: Any, within: frozenset[str], left_out: frozenset[str]) -> str:
    """Return the text of an element; what ends a word becomes a new line."""
    parts: list[str] = []
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))  # no recursion: pages nest deep
    for event, element in walk:
        name = name_of(element)
        end = "" if not name or name in within else "\n"
        if event == "start":
            parts += [end, element.text or ""]
            if name in left_out:
                parts.pop()
                walk.skip_subtree()
        else:
            parts += [end, (element.tail or "") if element is not root else ""]
    return "".join(parts)


def lxml(path: Path) -> Any:
    """Return lxml's ``etree``.

    Raises:
        InputError: if it is not installed.
    """
    try:
        from lxml import etree
    except ImportError:
        raise InputError(f"{path}: markup is read by lxml: {install('corpus')}") from None
    return etree


def _read_docx(file: TextFile) -> Iterator[Document]:
    """Read the paragraphs of the body, each let go once read; what was deleted, notes, headers and footers are none."""
    etree = lxml(file.path)
    texts = list[str]()
    try:
        with zipfile.ZipFile(file.path) as archive, archive.open(_BODY) as body:
            check_unpacked(file.path, archive.getinfo(_BODY).file_size, file.path.stat().st_size)  # and again below:
            parser = etree.XMLPullParser(("end",), tag=f"{_WORD}p", no_network=True, resolve_entities=False)
            for block in unpacked_blocks(file.path, body):
                parser.feed(block)
                own = list[str]()
                for _, paragraph in parser.read_events():
                    if next(paragraph.iterancestors(f"{_WORD}p"), None) is None:  # text boxes hold others, read with it
                        own += ("".join(_docx_words(one)) for one in paragraph.iter(f"{_WORD}p"))
                        paragraph.clear()
                        while paragraph.getprevious() is not None:
                            del paragraph.getparent()[0]
                texts += ["\n".join(own)] if own else []
            parser.close()
    except KeyError:
        raise InputError(f"{file.path}: this is a zip archive without {_BODY}; unpack it first") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, etree.XMLSyntaxError, OSError) as error:
        raise InputError(f"{file.path}: this .docx is damaged: {error}") from None
    yield Document("1", {}, ["\n".join(texts)])


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
        raise InputError(f"{file.path}: Markdown is read by markdown-it-py: {install('corpus')}") from None
    text = file.text()
    front = _FRONT.match(text)
    metadata = dict(_FIELD.findall(front[1].replace("\r", ""))) if front else {}
    metadata = {name: value.strip().strip("\"'") for name, value in metadata.items() if value.strip()}
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
        yield unescape(_TAG.sub(" ", _without_unseen(token.content)))
    elif token.type in ("code_inline", "image"):
        yield " "


def _without_unseen(text: str) -> str:
    """Put a blank for each comment, instruction and document type; what nothing ends is text."""
    parts, start, ends = list[str](), 0, dict.fromkeys(("-->", "?>", ">"), 0)
    for found in _UNSEEN_BEGINS.finditer(text):
        end = "-->" if found[0] == "<!--" else "?>" if found[0] == "<?" else ">"
        if found.start() < start or ends[end] < 0:
            continue
        ends[end] = text.find(end, found.end())
        if ends[end] >= 0:
            parts.append(text[start : found.start()])
            start = ends[end] + len(end)
    return " ".join([*parts, text[start:]])


_OF_WORD = re.compile(r"PK\x03\x04.*word/", re.S)
HTML = TextFormat("html", "HTML", (".html", ".htm", ".xhtml"), "files", _is_html, _read_html)
FRAGMENT = replace(HTML, suffixes=(), matches=_is_fragment)
"""A page without its beginning."""
DOCX = TextFormat(
    "docx", "a Word document", (".docx",), "files", lambda start: _OF_WORD.match(start) is not None, _read_docx
)
# Most Markdown is plain text as well.
MARKDOWN = TextFormat("markdown", "Markdown", (".md", ".markdown"), "files", lambda _: False, _read_markdown)
