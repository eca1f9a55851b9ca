"""A Result as one JSON object."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from gpustab.results import Content
from gpustab.spaces.words import show

_PIECES = 10_000
_PLAIN = (int, bool, type(None))
_LONE = re.compile("[\ud800-\udfff]")
"""Surrogates: bytes of file names that are no UTF-8, which no JSON may hold."""


def to_json(result: Content) -> str:
    """Return the result as one JSON object; NaN and infinities become ``null``. Of long tables only the names are told.

    >>> to_json(Content("stability", settings={"sd": math.nan})).splitlines()[:2]
    ['{', '  "schema": "gpustab.stability/1",']
    """
    return "".join(json_pieces(result)).removesuffix("\n")


def json_pieces(result: Content, figures: Sequence[str] = ()) -> Iterator[str]:
    """Yield the text of :func:`to_json` and the end of its last line, piece by piece.

    Args:
        result: what is told.
        figures: what figures were written as; told if they are no SVG alone.
    """
    content = {
        "schema": result.schema,
        "alarms": result.alarms,
        "verdict": result.verdict,
        "groups": result.groups,
        "contrasts": result.contrasts,
        "tables": {name: table for name, table in result.tables.items() if not table.long},
        "long_tables": [name for name, table in result.tables.items() if table.long],
        **({"files": [*result.files]} if result.files else {}),
        **({"figures": [*figures]} if {*figures} - {"svg"} else {}),
        "notes": result.notes,
        "settings": result.settings,
        "environment": result.environment,
    }
    encoder = json.JSONEncoder(indent=2, ensure_ascii=False, allow_nan=False)
    pieces = chain(encoder.iterencode(plain(content)), "\n")
    yield from iter(lambda: "".join(islice(pieces, _PIECES)), "")


def plain(value: Any) -> Any:
    """Return a value as JSON has it, at any depth: numbers that are not finite as ``None``, words and paths as text."""
    if type(value) in _PLAIN or (type(value) is str and value.isascii()):  # nearly all, and a million of many runs
        return value
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bytes):
        return show(value)
    if isinstance(value, str):
        return _LONE.sub(lambda byte: f"\\x{ord(byte[0]) & 0xFF:02x}", value)
    if isinstance(value, os.PathLike):
        return plain(os.fspath(value))
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value))
    return value
