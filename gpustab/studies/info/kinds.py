"""Whether a path is a corpus, or vectors."""

from __future__ import annotations

import re
from pathlib import Path

from gpustab.corpus.options import CORPORA
from gpustab.errors import InputError
from gpustab.formats.checkpoints.folder import is_checkpoint
from gpustab.formats.source import open_source
from gpustab.formats.text.decimals import is_number_like
from gpustab.runs.manifest import holds_texts
from gpustab.runs.runset import open_runset

_NUMBERS = 0.6
"""Of the cells of the first lines, how many are numbers in a file of vectors; in texts, and lists of counts, fewer."""
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x19\x1b-\x1f]|\x00\x00\x00")
"""Signs that no text has; three NULs in a row stand in the size at the head of a safetensors file, not in UTF-16."""
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_WORD = b"PK\x03\x04"


def is_corpus(path: Path) -> bool:
    """Tell whether a path is text to train on; what cannot be opened is none.

    >>> is_corpus(Path("lee")), is_corpus(Path("no/such.txt"))
    (True, False)
    """
    if not path.exists():
        return str(path) in CORPORA
    if path.is_dir():
        return not is_checkpoint(path) and not _is_runset(path) and holds_texts(path)
    if not path.is_file():
        return False
    try:
        with open_source(path) as source:
            head = source.head
    except InputError:
        return False
    if head.startswith(_WIDE):
        return True
    if head.startswith(_WORD):
        return b"word/" in head[:4096]
    cells = re.split(rb"[\s,;|]+", head[:20_000].strip())
    numbers = sum(map(is_number_like, cells))
    return bool(head) and not _CONTROL.search(head[:4096]) and numbers < _NUMBERS * len(cells)


def _is_runset(path: Path) -> bool:
    try:
        return bool(open_runset(path))
    except InputError:
        return False
