"""What a command says of an error: one line on stderr, and the exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.markup import escape

from gpustab.errors import ComputationError, GpustabError, InputError

FLAGS: dict[str, str] = {}
"""How the library's options are typed here, by their names; filled as commands take them."""


@contextmanager
def complaining() -> Iterator[None]:
    """End with exit code 2 for bad input and 1 for failed work, each told in one line."""
    errors = Console(stderr=True)
    try:
        yield
    except InputError as error:
        _complain(errors, "error", error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        errors.print("stopped; what is finished stays, and the same call goes on from there", style="yellow")
        raise typer.Exit(130) from None
    except (ComputationError, MemoryError, OSError) as error:
        _complain(errors, "failed", error)
        raise typer.Exit(1) from None


def as_typed(error: BaseException) -> str:
    """Return the message of an error with the options that it names as they are typed here."""
    return error.spelled(_flag) if isinstance(error, GpustabError) else str(error)


def _flag(name: str, value: str | None) -> str:
    flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
    if value in ("True", "False"):
        return flag if value == "True" else f"--no-{flag.removeprefix('--')}"
    return flag if value is None else f"{flag} {value.strip(chr(39))}"


def _complain(errors: Console, kind: str, error: BaseException) -> None:
    line = " ".join(as_typed(error).split()) or type(error).__name__
    errors.print(f"[bold red]{kind}:[/] {escape(line)}", highlight=False, soft_wrap=True)
