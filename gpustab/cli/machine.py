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
from gpustab.cli.options import Showing, check_device
from gpustab.cli.session import session, show
from gpustab.cli.takes import takes
from gpustab.errors import InputError, near
from gpustab.options import Option, Seed

STEPS = ("gram", "words", "procrustes", "average", "neighbours", "overlap", "all-neighbours", "cosines")
"""The names of ``gpustab.bench.STEPS``, which takes torch to import."""


def _check_step(name: str) -> None:
    if name not in STEPS:
        raise InputError(f"there is no step '{name}'{near(name, STEPS)}; there are {', '.join(STEPS)}")


@app.command()
@takes()
def doctor(
    out: Annotated[
        Path | None,
        Option("Folder of the answer: summary.json, what --json prints.", also=("-o", "--output"), metavar="DIR"),
    ] = None,
    json: Annotated[bool, Option("Print one JSON object and nothing else.")] = False,
) -> None:
    """Tell what will run here, and how to mend what will not.

    Example: gpustab doctor
    """
    from gpustab.formats.atomic import check_can_make, make_folder, write_text
    from gpustab.runs.place import foreign, refuse_others

    if out is not None:
        if (out / "summary.json").exists():
            raise InputError(f"{out}: holds a result; give another folder")
        refuse_others(out, foreign(out))
        check_can_make(out)
    from gpustab.machine.doctor import answer, diagnose, in_short

    checks = diagnose()
    content = to_text.dumps({"answer": answer(checks), "checks": [asdict(check) for check in checks]}, indent=2)
    if out is not None:
        make_folder(out)
        write_text(out / "summary.json", f"{content}\n")
    if json:
        typer.echo(content)
    else:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        colours = {"ok": "green", "warn": "yellow", "fail": "red"}
        for check in in_short(checks):
            detail = check.detail + (f"\n→ {check.remedy}" if check.remedy else "")
            table.add_row(Text(check.status, style=colours[check.status]), check.name, Text(detail))
        Console().print(table)
        typer.echo(answer(checks))
    if any(check.status == "fail" for check in checks):
        raise typer.Exit(1)


@app.command()
@takes(Showing)
def bench(
    showing: Showing,
    runs: Annotated[int | None, Option("Synthetic runs; default 128 on CUDA, 8 on the CPU.")] = None,
    words: Annotated[int | None, Option("Default 200,000 on CUDA, 20,000 on the CPU.")] = None,
    dim: Annotated[int | None, Option("Default 300 on CUDA, 100 on the CPU.")] = None,
    device: Annotated[str, Option("auto, cpu, cuda or cuda:N.", each=check_device)] = "auto",
    precision: Annotated[Literal["auto", "fast"] | None, Option("Of the PIP losses; default both on CUDA.")] = None,
    backend: Annotated[Literal["auto", "torch", "faiss"], Option("Neighbour search.")] = "auto",
    steps: Annotated[
        tuple[str, ...] | None, Option("Steps to time; default all.", metavar="S,S,...", names=STEPS, each=_check_step)
    ] = None,
    seconds: Annotated[float, Option("Time for the calls of one step.")] = 2.0,
    seed: Seed = 0,
) -> None:
    """Time this machine: every step checked first, beside what the device can do at best. Exit 1 if a check fails.

    Without other sizes and steps it also finds the faster search of neighbours, which --backend auto takes afterwards.

    Example: gpustab bench --runs 4 --words 2000 --steps gram --seconds 0.1
    """
    with session(showing) as progress:
        from gpustab import bench as benches
        from gpustab.machine.device import choose_backend, choose_device

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
        if (runs, words, dim, steps, backend) == (None, None, None, None, "auto"):
            progress("searches", 1.0)
            benches.add_choice(result, place, seconds, seed)
        show(result, showing)
        if benches.refused(result):
            raise typer.Exit(1)
