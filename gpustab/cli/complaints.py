"""What a command says of an error: one line on stderr, and the exit code."""

from __future__ import annotations

import os
import shlex
import signal
from ast import literal_eval
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import typer
from rich.console import Console
from rich.markup import escape

from gpustab.errors import ComputationError, GpustabError, InputError
from gpustab.machine.job import is_one_of_several, number
from gpustab.spaces.words import printable

FLAGS: dict[str, str] = {
    "dimension": "--dim",
    **{
        name: f"--set options.{name}"
        for name in ("errors", "layout", "language", "lowercase", "drop_numbers", "drop_punctuation", "drop_duplicates")
    },
}
"""How the library's options are typed here, by their names, where it is not the name itself; commands add theirs."""


_WHOSE = ContextVar("whose", default="")
"""Whose ``--set`` is meant: of the command that runs, ``"train's "`` where it has none."""


@contextmanager
def complaining(
    stopped: Callable[[], str] = lambda: "stopped; nothing was written", whose: str | None = None
) -> Iterator[None]:
    """End with exit code 2 for bad input, 1 for failed work and 128 + N for signal N, each told in one line.

    Args:
        stopped: says what is left of the work when somebody stops it.
        whose: ``--set`` is meant by advice, ``"train's "`` of a command that has none; default: as around.
    """
    errors, outer = Console(stderr=True), _WHOSE.set(_WHOSE.get() if whose is None else whose)
    try:
        yield
    except typer.Exit:
        raise
    except InputError as error:
        _complain(errors, "error", error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt as stop:
        errors.print(stopped(), style="yellow", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(128 + getattr(stop, "number", signal.SIGINT)) from None  # as shells have it
    except (ComputationError, MemoryError, OSError) as error:
        _complain(errors, "failed", error)
        raise typer.Exit(1) from None
    except RuntimeError as error:  # torch tells by its text alone that memory ran out
        from gpustab.machine.out_of_memory import is_out_of_memory

        if not is_out_of_memory(error):
            raise
        _complain(errors, "failed", error)
        raise typer.Exit(1) from None
    finally:
        _WHOSE.reset(outer)


def as_typed(error: BaseException) -> str:
    """Return the message of an error in one line, with the options that it names as they are typed here."""
    text = error.spelled(_flag) if isinstance(error, GpustabError) else str(error)
    if isinstance(error, OSError) and error.strerror:
        text = error.strerror if error.filename is None else f"{os.fsdecode(error.filename)}: {error.strerror}"
    # Not split(): the name of a file may hold two spaces.
    return printable(" ".join(line.strip() for line in text.splitlines() if line.strip()))


def _flag(name: str, value: str | None) -> str:
    flag = FLAGS.get(name, f"--set {name}" if "." in name else f"--{name.replace('_', '-')}")
    if value in ("True", "False") and not flag.startswith("--set "):
        return flag if value == "True" else f"--no-{flag.removeprefix('--')}"
    if flag.startswith("--set "):
        flag = f"{_WHOSE.get()}{flag}"
    if value is None:
        return flag
    plain = {"True": "true", "False": "false"}.get(value, _plain(value))  # --set reads JSON
    typed = value if value == "..." else shlex.quote(plain)
    return f"{flag}={typed}" if "--set " in flag else f"{flag} {typed}"


def _plain(value: str) -> str:
    """Return a Python literal as it is typed."""
    try:
        return str(literal_eval(value))
    except (SyntaxError, ValueError):
        return value.strip("'")


def _complain(errors: Console, kind: str, error: BaseException) -> None:
    line = as_typed(error) or type(error).__name__
    kind = f"process {number()}, {kind}" if is_one_of_several() else kind
    errors.print(f"[bold red]{kind}:[/] {escape(line)}", highlight=False, soft_wrap=True)
