"""A hook of MkDocs: the page of commands is made of the commands themselves."""

from __future__ import annotations

from typing import Any

import typer
from typer.cli import get_docs_for_click

from gpustab.cli import app

HERE = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put every command with its arguments and options where a page asks for them."""
    return markdown.replace(HERE, _commands()) if HERE in markdown else markdown


def _commands() -> str:
    command = typer.main.get_command(app)
    return get_docs_for_click(obj=command, ctx=typer.Context(command), name="gpustab", title="")
