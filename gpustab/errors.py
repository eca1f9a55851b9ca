"""The errors that gpustab raises on purpose.

``InputError`` is the caller's to mend (bad file, bad argument: exit code 2 of the command line);
``ComputationError`` means that the work itself failed (exit code 1).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

_MARKED = re.compile("\ue000([a-z_.]+)(?:=([^\ue000\ue001]*))?\ue001")


def option(name: str, value: Any = None) -> str:
    """Return the name of an option, or an option with its value (``...``: any), for the message of an error.

    A library names it ``dim=300`` and a command line ``--dim 300``; the error knows what of its text is an option. A
    technique's parameter has its path as a name, ``glove.rate``.

    >>> str(InputError(f"x.txt: rows of 4 values; say {option('dim', 4)} or {option('allow_truncated')}"))
    'x.txt: rows of 4 values; say dim=4 or allow_truncated'
    >>> from pathlib import Path
    >>> str(InputError(f"{option('parses', Path('trees.txt'))} has no effect"))
    "parses='trees.txt' has no effect"
    """
    if value is None:
        return f"\ue000{name}\ue001"
    shown = "..." if value is ... else repr(os.fspath(value) if isinstance(value, os.PathLike) else value)
    return f"\ue000{name}={shown}\ue001"


def near(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the end of a message on a name that is unknown: the nearest that is known, or nothing.

    Letter case and hyphens do not count.

    >>> near("SGNS", ["cbow", "sgns"]), near("zebra", ["cbow", "sgns"]), near("--neighbors", ["--verbose"])
    ('; near it is sgns', '', '')
    """
    spelled = {_plain(one): one for one in known}
    found = get_close_matches(_plain(name), spelled, n=1, cutoff=cutoff)
    return f"; near it is {spelled[found[0]]}" if found else ""


def _plain(name: str) -> str:
    return name.lower().lstrip("-").replace("-", "_")


def some_of(names: Sequence[str], most: int = 10) -> str:
    """Return the first of some names, and how many more there are.

    >>> some_of(["a", "b", "c"], 2), some_of(["a"])
    ('a, b and 1 more', 'a')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def marked(error: BaseException) -> str:
    """Return the message of an error so that another error can hold it: what is an option stays known as one."""
    return error.marked if isinstance(error, GpustabError) else str(error)


@contextmanager
def naming(what: object) -> Iterator[None]:
    """Put what an ``InputError`` is about, a file say, before its message, unless that begins with it.

    >>> with naming("x.txt"):
    ...     raise InputError("there are no rows")
    Traceback (most recent call last):
    gpustab.errors.InputError: x.txt: there are no rows
    """
    try:
        yield
    except InputError as error:
        raise InputError(f"{what}: {marked(error).removeprefix(f'{what}: ')}") from error


def as_flags(text: str) -> str:
    """Return a text, which is of no error, with its options as they are typed in a command.

    >>> as_flags(f"say {option('align', 'all')}, {option('header', False)} or {option('column', 'a b')}")
    "say --align all, --no-header or --column 'a b'"
    """
    return _MARKED.sub(_typed, text)


def _typed(found: re.Match[str]) -> str:
    flag, value = found[1].replace("_", "-"), (found[2] or "").strip("'")
    if value == "False":
        return f"--no-{flag}"
    return f"--{flag} {shlex.quote(value)}" if value and value != "True" else f"--{flag}"


def first_option(error: GpustabError) -> str | None:
    """Return the name of the first option that the message of an error names.

    >>> first_option(InputError(f"{option('dim', 4)} is odd"))
    'dim'
    """
    found = _MARKED.search(error.marked)
    return found[1] if found else None


class GpustabError(Exception):
    """Base of every error that gpustab raises on purpose."""

    def __str__(self) -> str:
        return self.spelled(lambda name, value: name if value is None else f"{name}={value}")

    @property
    def marked(self) -> str:
        """The message with its options marked."""
        return super().__str__()

    def spelled(self, spell: Callable[[str, str | None], str]) -> str:
        """Return the message with its options as ``spell(name, value)`` writes them; values are Python literals."""
        return _MARKED.sub(lambda found: spell(found[1], found[2]), self.marked)


class InputError(GpustabError, ValueError):
    """The input cannot be used; the message names the place and what was expected there."""


class ComputationError(GpustabError, RuntimeError):
    """The input is fine, but a computation did not reach a trustworthy result."""


class OutOfMemoryError(ComputationError):
    """Even the smallest piece of the work does not fit the memory of the device."""


def first_line(error: BaseException) -> str:
    r"""Return the first line of what an error says; the name of its kind where it says nothing.

    >>> first_line(AssertionError()), first_line(RuntimeError("no kernel\nat 0x1"))
    ('AssertionError', 'no kernel')
    """
    return (str(error) or type(error).__name__).splitlines()[0]
