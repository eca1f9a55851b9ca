"""Test sets as files: whole and undamaged, lines with their numbers, and a few that come with gensim by name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from gpustab.errors import InputError, near
from gpustab.formats.sniff import UTF8_BOM
from gpustab.formats.source import open_source

_PAGE = re.compile(rb"\s*<(?:\?xml|!doctype|!--|html|head|body|error)\b", re.IGNORECASE)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Line(NamedTuple):
    """A line that is not blank, without its end, and its number from 1 upwards."""

    number: int
    content: bytes


def find_test(source: str | os.PathLike[str], names: Mapping[str, str]) -> Path:
    """Return the file of a test set.

    Args:
        source: one of the names, or a path; a path wins when it is given as a ``Path`` or with a slash.
        names: the names, and what their files are called in gensim's package.

    Raises:
        InputError: if gensim is not installed, or there is neither such a name nor such a file.
    """
    if source in names:
        spec = find_spec("gensim")  # not imported: that takes seconds
        if not spec or not spec.submodule_search_locations:
            raise InputError(f"the test '{source}' comes with the package gensim: pip install gensim")
        return Path(spec.submodule_search_locations[0], "test", "test_data", names[str(source)])
    path = Path(source)
    if not path.exists():
        no_name = f"no test of this name{near(path.name, names)}; names are {', '.join(names)}"
        raise InputError(f"{path}: there is no such file, and {no_name}")
    return path


def read_lines(path: Path) -> list[Line]:
    """Return the lines of a text file that are not blank; gzip and bzip2 are unpacked, a BOM is left out.

    Raises:
        InputError: if the file is missing, damaged, empty, a web page, UTF-16 or binary.
    """
    with open_source(path) as source:
        data = b"".join(source.blocks())
        if source.damage:
            raise InputError(f"{path}: incomplete or damaged after {source.bytes_read:,} bytes: {source.damage}")
    if data.startswith(_UTF16) or b"\0" in data:
        raise InputError(f"{path}: this is UTF-16 or a binary file, wanted text in UTF-8")
    data = data.removeprefix(UTF8_BOM)
    if _PAGE.match(data):
        raise InputError(f"{path}: this is an XML or HTML page and no test set; the download went wrong")
    lines = [Line(number, line.removesuffix(b"\r")) for number, line in enumerate(data.split(b"\n"), 1)]
    lines = [line for line in lines if line.content.strip()]
    if not lines:
        raise InputError(f"{path}: the file is empty")
    return lines
