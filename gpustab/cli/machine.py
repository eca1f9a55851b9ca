"""Commands about this machine: ``doctor``, ``bench``."""

from __future__ import annotations

import json as to_text
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gpustab.cli.app import app
from gpustab.cli.options import Showing
from gpustab.cli.session import session, show
from gpustab.cli.takes import takes
from gpustab.errors import InputError
from gpustab.options import Option, Seed

STEPS = ("gram", "words", "procrustes", "average", "neighbours", "overlap", "all-neighbours", "cosines")
"""The names of ``gpustab.bench.STEPS``, which takes torch to import."""


@app.command()
@takes()
def doctor(
    out: Annotated[
        Path | None,
        Option("Folder of the answer: summary.json, what --json prints.", also=("-o", "--output"), metavar="DIR"),
    ] = None,
    json: Annotated[bool, Option("Print one JSON object and nothing else.")] = False,
) -> None:
    """Tell what will run here, and how to mend what will not."""
    from gpustab.formats.atomic import make_folder, write_text
    from gpustab.machine.doctor import diagnose

    if out is not None and (out / "summary.json").exists():
        raise InputError(f"{out}: holds a result; give another folder")
    checks = diagnose()
    content = to_text.dumps({"checks": [asdict(check) for check in checks]}, indent=2)
    if out is not None:
        make_folder(out)
        write_text(out / "summary.json", f"{content}\n")
    if json:
        typer.echo(content)
    else:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        colours = {"ok": "green", "warn": "yellow", "fail": "red"}
        for check in checks:
            detail = check.detail + (f"\n→ {check.remedy}" if check.remedy else "")
            table.add_row(Text(check.status, style=colours[check.status]), check.name, Text(detail))
        Console().print(table)
    if any(check.status == "fail" for check in checks):
        raise typer.Exit(1)


@app.command()
@takes(Showing)
def bench(
    showing: Showing,
    runs: Annotated[int | None, Option("Synthetic runs; default 128 on CUDA, 8 on the CPU.")] = None,
    words: Annotated[int | None, Option("Default 200,000 on CUDA, 20,000 on the CPU.")] = None,
    dim: Annotated[int | None, Option("Default 300 on CUDA, 100 on the CPU.")] = None,
    device: Annotated[str, Option("auto, cpu, cuda or cuda:N.")] = "auto",
    precision: Annotated[Literal["auto", "fast"] | None, Option("Of the PIP losses; default both on CUDA.")] = None,
    backend: Annotated[Literal["auto", "torch", "faiss"], Option("Neighbour search.")] = "auto",
    steps: Annotated[
        tuple[str, ...] | None, Option("Steps to time; default all.", metavar="S,S,...", names=STEPS)
    ] = None,
    seconds: Annotated[float, Option("Time for the calls of one step.")] = 2.0,
    seed: Seed = 0,
) -> None:
    """Time this machine: every step checked first, beside what the device can do at best. Exit 1 if a check fails."""
    from gpustab import bench as benches
    from gpustab.machine.device import choose_backend, choose_device

    with session(showing) as progress:
        place = choose_device(device)
        result = benches.bench(
            runs,
            words,
            dim,
            device=place,
            backend=choose_backend(backend, place),
            precision=precision,
            steps=steps,
            seconds=seconds,
            seed=seed,
            progress=progress,
        )
        show(result, showing)
        if benches.refused(result):
            raise typer.Exit(1)
