"""JSON and TOML that anybody may have written: parsed, or refused in a sentence, however deep or odd they are."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from gpustab.errors import InputError


class DamagedError(InputError):
    """A file can be read, but is not what it should be."""


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
    """Return the value of a JSON file.

    Raises:
        InputError: if it cannot be read; the message names it.
        DamagedError: if it is not JSON.
    """
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise InputError(f"{path}: {reason}") from error
    except ValueError as error:
        raise DamagedError(f"{path}: this is not JSON: {error}") from error
