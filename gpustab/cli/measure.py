"""Commands that measure runs: ``stability``, ``average``, ``neighbours``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.app import app
from gpustab.cli.options import Computing, Loading, Showing, read_words, takes
from gpustab.cli.session import session, show, wrote
from gpustab.errors import InputError
from gpustab.formats.writers import check_space_path, write_space
from gpustab.runs import Runs

RunsArgument = Annotated[
    list[Path], typer.Argument(metavar="RUNS", help="Vector files, a leaf folder, or a run set.", show_default=False)
]
Seed = Annotated[int, typer.Option(help="Of every random draw.")]


@app.command()
@takes(Loading, Computing, Showing)
def stability(
    runs: RunsArgument,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    neighbours: Annotated[str, typer.Option(metavar="N,N,...", help="List lengths of p@n and j@n.")] = "1,2,5,10,25,50",
    targets: Annotated[
        str | None, typer.Option(metavar="all|N", help="Target words; default all up to 20,000.")
    ] = None,
    words: Annotated[Path | None, typer.Option(metavar="FILE", help="Target words, one a line.")] = None,
    average: Annotated[Path | None, typer.Option(metavar="OUT", help="Also write the average of the runs.")] = None,
    proxy: Annotated[
        int | None, typer.Option(min=2, help="Compare with N words drawn at random instead of all; never needed.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Measure the stability of two or more runs: PIP loss, shared neighbours, words; each beside its chance level."""
    from gpustab import studies

    with session(showing) as progress:
        wanted = _targets(targets, words)
        lengths = _lengths(neighbours)
        compute = computing.compute()
        if average is not None:
            _check_output(average, runs)
        groups = loading.load(runs)
        averaged = None if average is None else _only_group(groups)
        result = studies.stability(
            groups, neighbours=lengths, targets=wanted, seed=seed, proxy=proxy, compute=compute, progress=progress
        )
        show(result, showing, loading)
        if average is not None and averaged is not None:
            write_space(studies.average(averaged, compute=compute)[0], average)
            wrote(str(average), showing)


@app.command()
@takes(Loading, Computing, Showing)
def average(
    runs: RunsArgument,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="A .txt, .vec, .gz or .safetensors file.")
    ],
    renormalise: Annotated[
        bool, typer.Option("--renormalise", help="Scale rows to unit length at every level (biases cosines upwards).")
    ] = False,
) -> None:
    """Write the tree average of many runs as one space, and tell how much nearer averages are to each other."""
    from gpustab import studies

    with session(showing):
        _check_output(output, runs)
        compute = computing.compute()
        space, result = studies.average(_only_group(loading.load(runs)), renormalise=renormalise, compute=compute)
        write_space(space, output)
        result.groups[0]["written"] = str(output)
        show(result, showing, loading)


@app.command()
@takes(Loading, Computing, Showing)
def neighbours(
    word: Annotated[str, typer.Argument(help="The query.", show_default=False)],
    runs: RunsArgument,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    n: Annotated[int, typer.Option("-n", "--top", min=1, help="Length of the lists.")] = 10,
) -> None:
    """Show a word's nearest neighbours in each run side by side, and in how many runs each of them is found."""
    from gpustab import studies

    with session(showing):
        if len(runs) == 1 and not runs[0].is_dir() and Path(word).exists():
            raise InputError(f"'{word}' was taken as the word; wanted: gpustab neighbours WORD RUNS...")
        compute = computing.compute()
        result = studies.neighbours_of(_only_group(loading.load(runs)), word, n, compute=compute)
        show(result, showing, loading)


def _check_output(path: Path, runs: list[Path]) -> None:
    check_space_path(path)
    if path.resolve() in {run.resolve() for run in runs}:
        raise InputError(f"{path}: this is one of the runs; writing the average there would destroy it")


def _only_group(groups: list[Runs]) -> Runs:
    if len(groups) > 1:
        raise InputError(
            f"{len(groups)} groups, and groups are never pooled; name one of them: {', '.join(g.group for g in groups)}"
        )
    return groups[0]


def _lengths(text: str) -> list[int]:
    try:
        lengths = [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--neighbours is '{text}', wanted whole numbers with commas between") from None
    if min(lengths) < 1:
        raise InputError(f"--neighbours is '{text}', wanted numbers from 1")
    return lengths


def _targets(targets: str | None, words: Path | None) -> int | str | list[bytes] | None:
    if words is not None:
        if targets is not None:
            raise InputError("--targets and --words exclude each other")
        return read_words(words)
    if targets in (None, "all"):
        return targets
    if not targets.isdecimal() or int(targets) < 1:
        raise InputError(f"--targets is '{targets}', wanted 'all' or a number from 1")
    return int(targets)
