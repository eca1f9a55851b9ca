"""Word's .docx: the paragraphs of the body, without what was deleted, notes, headers and footers."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.formats.markup import lxml
from gpustab.errors import InputError

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BODY = "word/document.xml"
_MOST = 1 << 30
"""Bytes of unpacked XML, beyond which a file is taken for an attack."""


def _matches(start: str, suffix: str) -> bool:  # noqa: ARG001
    return start.startswith("PK\x03\x04") and ("word/" in start or _BODY in start)


def _read(file: TextFile) -> Iterator[Document]:
    etree = lxml(file)
    try:
        with zipfile.ZipFile(file.path) as archive:
            if archive.getinfo(_BODY).file_size > _MOST:
                raise InputError(f"{file.path}: {_BODY} unpacks to more than 1 GiB")
            body = etree.fromstring(archive.read(_BODY), etree.XMLParser(no_network=True, resolve_entities=False))
    except KeyError:
        raise InputError(f"{file.path}: this is a zip archive without {_BODY}; unpack it first") from None
    except (zipfile.BadZipFile, etree.XMLSyntaxError, OSError) as error:
        raise InputError(f"{file.path}: this .docx is damaged: {error}") from None
    yield Document("1", {}, ["\n".join("".join(_words(paragraph)) for paragraph in body.iter(f"{_WORD}p"))])


def _words(paragraph: Any) -> Iterator[str]:
    for element in paragraph.iter(f"{_WORD}t", f"{_WORD}tab", f"{_WORD}br", f"{_WORD}cr", f"{_WORD}noBreakHyphen"):
        own = next(element.iterancestors(f"{_WORD}p"))
        if own is paragraph:  # text boxes hold paragraphs of their own
            name = element.tag.removeprefix(_WORD)
            yield element.text or "" if name == "t" else "-" if name == "noBreakHyphen" else " "


DOCX = TextFormat("docx", "a Word document", (".docx",), "files", _matches, _read)
