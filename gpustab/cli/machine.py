"""The command ``doctor``."""

from __future__ import annotations

import json as to_text
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gpustab.cli.app import app


@app.command()
def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Tell what will run here, and how to mend what will not."""
    from gpustab.machine.doctor import diagnose

    checks = diagnose()
    if json:
        typer.echo(to_text.dumps({"checks": [asdict(check) for check in checks]}, indent=2))
    else:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        colours = {"ok": "green", "warn": "yellow", "fail": "red"}
        for check in checks:
            detail = check.detail + (f"\n→ {check.remedy}" if check.remedy else "")
            table.add_row(Text(check.status, style=colours[check.status]), check.name, Text(detail))
        Console().print(table)
    if any(check.status == "fail" for check in checks):
        raise typer.Exit(1)
