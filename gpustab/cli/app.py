"""The application that the commands join."""

from __future__ import annotations

from typing import Annotated

import typer

from gpustab import __version__
from gpustab.cli.once import App

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
