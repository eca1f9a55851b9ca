"""The command ``bench``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from gpustab.cli.app import app
from gpustab.cli.complete import STEPS, several_of
from gpustab.cli.options import Showing, takes
from gpustab.cli.session import session, show


@app.command()
@takes(Showing)
def bench(
    showing: Showing,
    runs: Annotated[int | None, typer.Option(help="Synthetic runs; default 128 on CUDA, 8 on the CPU.")] = None,
    words: Annotated[int | None, typer.Option(help="Default 200,000 on CUDA, 20,000 on the CPU.")] = None,
    dim: Annotated[int | None, typer.Option(help="Default 300 on CUDA, 100 on the CPU.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    precision: Annotated[
        Literal["auto", "fast"] | None, typer.Option(help="Of the PIP losses; default both on CUDA.")
    ] = None,
    backend: Annotated[Literal["auto", "torch", "faiss"], typer.Option(help="Neighbour search.")] = "auto",
    steps: Annotated[
        str | None,
        typer.Option(
            metavar="S,S,...",
            autocompletion=several_of(STEPS),
            help="gram, words, procrustes, average, neighbours, overlap, all-neighbours, cosines. Default all.",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(help="Time for the calls of one step.")] = 2.0,
    seed: Annotated[int, typer.Option(help="Of every random draw.")] = 0,
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
            steps=None if steps is None else [name.strip() for name in steps.split(",")],
            seconds=seconds,
            seed=seed,
            progress=progress,
        )
        show(result, showing)
        if benches.refused(result):
            raise typer.Exit(1)
