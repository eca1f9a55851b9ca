"""Plans in TOML files: what is wrong with one is told by file and line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.source import near_file
from gpustab.training.settings import validated
from gpustab.training.wrong import SettingsError, line_of


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file that holds a plan or a part of one.

    See :func:`gpustab.training.settings.read_settings`.

    Raises:
        InputError: if it cannot be read, is no TOML, or has a key that is unknown or wrong: with file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file{near_file(path)}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: this is no TOML: {error}") from None
    try:
        settings = validated({"corpus": "", **content})  # it may be named elsewhere
        for name in settings.parameters:
            settings.parameters_of(name)
    except SettingsError as error:
        raise InputError("; ".join(_placed(path, text, key, said) for key, said in error.wrong)) from None
    return content


def _placed(path: Path, text: str, key: tuple[str, ...], said: str) -> str:
    line = line_of(text, key)
    return f"{path}: {f'line {line}: ' if line else ''}{InputError(said)}"  # keys as the file has them, not as options
