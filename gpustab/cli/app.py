"""The application that the commands join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from gpustab import __version__


class Once(TyperCommand):
    """A command that takes each option once, but those that are made to be given several times."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, and refuse what is given twice, or several files where one corpus is wanted."""
        if not ctx.resilient_parsing and any(param.name == "corpus" for param in self.params):
            _, more, _ = self.make_parser(ctx).parse_args(args=list(args))
            if more and all(Path(name).is_file() for name in more):
                ctx.fail(
                    f"{len(more) + 1:,} files are given, and the corpus is one: give the folder that holds them, "
                    f"{Path(more[0]).parent}"
                )
        left = super().parse_args(ctx, list(args))
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for param, times in Counter(order).items():
                if times > 1 and isinstance(param, TyperOption) and not (param.multiple or param.is_flag):
                    hint = "; words with commas between are one value" if param.metavar and "," in param.metavar else ""
                    ctx.fail(f"{param.opts[0]} is given {times} times, and only the last would count{hint}")
        return left


class App(typer.Typer):
    """A Typer whose commands are :class:`Once`."""

    def command(self, name: str | None = None, **how: Any) -> Callable[[Any], Any]:
        """Add a command, as Typer does."""
        return super().command(name, cls=Once, **how)


app = App(
    name="gpustab",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gpustab {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """How much of what you see in word embeddings would still be there if you trained again?"""
