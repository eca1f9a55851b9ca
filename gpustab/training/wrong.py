"""What is wrong with settings: each key by its path, so that a file can name the line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gpustab.errors import InputError, first_option, marked, near, option

Path = tuple[str, ...]

_WANTED = {
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a table of parameters",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "too_short": "at least {min_length} of them",
}
"""What pydantic's kinds of errors want, in our words."""


class SettingsError(InputError):
    """Settings that are wrong.

    Attributes:
        wrong: path and message of every key.
    """

    def __init__(self, wrong: Sequence[tuple[Path, str]]) -> None:
        super().__init__("; ".join(text for _, text in wrong))
        self.wrong = wrong


def wrong(error: ValidationError, known: Sequence[str], prefix: Path = ()) -> list[tuple[Path, str]]:
    """Return path and message of every key that is wrong; those that are unknown with the nearest that is not.

    Args:
        error: what pydantic found.
        known: the keys that there are.
        prefix: the table that the keys stand in.
    """
    return [_one(problem, known, prefix) for problem in error.errors()]


def _one(problem: ErrorDetails, known: Sequence[str], prefix: Path) -> tuple[Path, str]:
    path = (*prefix, *(part for part in problem["loc"] if isinstance(part, str) and part != "parameters"))
    own = problem.get("ctx", {}).get("error")
    if isinstance(own, InputError):  # says itself which value is wrong
        named = first_option(own)
        says = ": ".join((*prefix, marked(own)))
        return (*path, named.rpartition(".")[2]) if named and path == ("options",) else path, says
    key = ".".join(path)
    if problem["type"] == "extra_forbidden":
        return path, f"{option(key) if prefix else key} is unknown{near(path[-1], known)}"
    if problem["type"] == "missing":
        return path, f"{option(key)} is missing"
    return path, f"{option(key)} is {problem['input']!r}, {_wanted(problem)}"


def _wanted(problem: ErrorDetails) -> str:
    context: dict[str, Any] = problem.get("ctx", {})
    if problem["type"] in _WANTED:
        return f"wanted {_WANTED[problem['type']].format(**context)}"
    return problem["msg"].replace("Input should be", "wanted")


def line_of(text: str, path: Path) -> int | None:
    r"""Return the line of a key in a TOML text, or of the table that it stands in; lines count from 1.

    >>> line_of("runs = 3\n[sgns]\nepoch = 3\n", ("sgns", "epoch"))
    3
    """
    table, nearest = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line):
            table = header[1].replace('"', "")
            nearest = number if path and table == path[0] else nearest
        elif key := re.match(r"\s*([\w\".-]+)\s*=", line):
            full = ".".join(part for part in (table, key[1].replace('"', "")) if part)
            if full == ".".join(path):
                return number
            nearest = number if full == path[0] else nearest
    return nearest
