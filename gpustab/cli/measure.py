"""Commands that measure runs: ``stability``, ``average``, ``neighbours``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.app import app
from gpustab.cli.options import Computing, Showing, open_runs, takes
from gpustab.cli.session import session, show, wrote
from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.machine.job import number
from gpustab.runs.loading import Loading
from gpustab.studies.average.options import AverageOptions
from gpustab.studies.stability.options import StabilityOptions

RunsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="RUNS", help="Vector files, checkpoints, a leaf folder, or a run set.", show_default=False),
]


@app.command()
@takes(LoadOptions, Loading, Computing, Showing, StabilityOptions)
def stability(
    runs: RunsArgument,
    load_options: LoadOptions,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    stability_options: StabilityOptions,
    average: Annotated[Path | None, typer.Option(metavar="OUT", help="Also write the average of the runs.")] = None,
) -> None:
    """Measure the stability of two or more runs: PIP loss, shared neighbours, words; each beside its chance level."""
    from gpustab.formats.writers import write_space
    from gpustab.runs.load import only_group
    from gpustab.studies.average.study import average as averaged_space
    from gpustab.studies.stability.study import stability as measure

    with session(showing, output=average, runs=runs) as progress, computing.shared() as compute:
        groups = open_runs(runs, load_options, loading)
        averaged = None if average is None else only_group(groups).load()
        measured = groups if averaged is None else averaged
        show(measure(measured, stability_options, compute=compute, progress=progress), showing)
        if average is not None and averaged is not None and not number():
            write_space(averaged_space(averaged, compute=compute)[0], average)
            wrote([average], showing)


@app.command()
@takes(LoadOptions, Loading, Computing, Showing, AverageOptions)
def average(
    runs: RunsArgument,
    load_options: LoadOptions,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    average_options: AverageOptions,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="A .txt, .vec, .gz or .safetensors file.")
    ],
) -> None:
    """Write the tree average of many runs as one space, and tell how much nearer averages are to each other."""
    from gpustab.formats.writers import write_space
    from gpustab.runs.load import only_group
    from gpustab.studies.average.study import average as averaged

    with session(showing, output=output, runs=runs):
        compute = computing.leave("backend", "no neighbours are searched").compute()
        group = only_group(open_runs(runs, load_options, loading))
        space, result = averaged(group, average_options, compute=compute)
        write_space(space, output)
        result.groups[0]["written"] = str(output)
        show(result, showing)


@app.command()
@takes(LoadOptions, Loading, Computing, Showing)
def neighbours(
    word: Annotated[str, typer.Argument(help="The query.", show_default=False)],
    runs: RunsArgument,
    load_options: LoadOptions,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    n: Annotated[int, typer.Option("-n", "--top", min=1, help="Length of the lists.")] = 10,
) -> None:
    """Show a word's nearest neighbours in each run side by side, and in how many runs each of them is found."""
    from gpustab.runs.load import only_group
    from gpustab.studies.neighbours.study import neighbours_of

    with session(showing):
        if len(runs) == 1 and not runs[0].is_dir() and Path(word).exists():
            raise InputError(f"'{word}' was taken as the word; wanted: gpustab neighbours WORD RUNS...")
        compute = computing.leave("precision", "it is of PIP losses, and neighbours rank in float64").compute()
        group = only_group(open_runs(runs, load_options, loading))
        show(neighbours_of(group, word, n, compute=compute), showing)
