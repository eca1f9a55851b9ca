"""Markdown, told by its suffix: headings, paragraphs, lists and tables without their signs; code is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.errors import InputError

_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.S | re.M)
_FIELD = re.compile(r"^(\w[\w -]*):[ \t]*(.*?)[ \t]*$", re.M)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^>]*>", re.S)


def _matches(start: str, suffix: str) -> bool:  # noqa: ARG001  # most Markdown is plain text as well
    return suffix in (".md", ".markdown")


def _read(file: TextFile) -> Iterator[Document]:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise InputError(f"{file.path}: Markdown is read by markdown-it-py: pip install 'gpustab[corpus]'") from None
    text = file.text()
    front = _FRONT.match(text)
    metadata = dict(_FIELD.findall(front[1].replace("\r", ""))) if front else {}
    metadata = {name: value.strip("\"'") for name, value in metadata.items() if value}
    tokens = MarkdownIt("commonmark").enable("table").parse(text[front.end() :] if front else text)
    yield Document("1", metadata, ["\n".join("".join(_words(token)) for token in tokens)])


def _words(token: Any) -> Iterator[str]:
    """Yield the text of a token and its children; code and the addresses of links are none."""
    if token.type == "inline":
        for child in token.children:
            yield from _words(child)
    elif token.type == "text":
        yield token.content
    elif token.type in ("softbreak", "hardbreak"):
        yield "\n"
    elif token.type == "html_block":
        yield unescape(_TAG.sub(" ", token.content))
    elif token.type in ("code_inline", "image"):
        yield " "


MARKDOWN = TextFormat("markdown", "Markdown", (".md", ".markdown"), "files", _matches, _read)
