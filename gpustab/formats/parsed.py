"""JSON and TOML that anybody may have written: parsed, or refused in a sentence, however deep or odd they are."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from gpustab.formats.plain_text import DamagedError, read_utf8

_DEEP = "its parts lie too deep within each other"


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text, in which NaN and Infinity are numbers, as Python writes them.

    Raises:
        ValueError: if it is not JSON; also where another parser would end in a RecursionError.

    >>> parse_json('{"a": [1]}')
    {'a': [1]}
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: its parts lie too deep within each other
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_DEEP) from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises:
        ValueError: if it is no TOML; also where another parser would end in a RecursionError.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(_DEEP) from None


def read_json(path: Path) -> Any:
    """Return the value of a JSON file, packed or not.

    Raises:
        InputError: if it cannot be read; the message names it.
        DamagedError: if it is not JSON.
    """
    text = read_utf8(path)
    try:
        return parse_json(text)
    except ValueError as error:
        raise DamagedError(f"{path}: this is not JSON: {error}") from error
