"""The command that stores runs for later: ``pack``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from gpustab.cli.app import app
from gpustab.cli.options import Showing, made
from gpustab.cli.session import session, show
from gpustab.cli.takes import takes
from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.options import Option


@app.command()
@takes(LoadOptions, Showing)
def pack(
    load_options: LoadOptions,
    showing: Showing,
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUNS", help="Vector files, leaf folders, run sets.", show_default=False)
    ],
    output: Annotated[Path | None, made("Folder of the new run set, without --verify", "RUNSET")] = None,
    dtype: Annotated[Literal["float32", "float16", "bfloat16"], Option("How numbers are stored.")] = "float32",
    vocabulary: Annotated[Literal["joint", "union"], Option("Words of all runs, or of at least --min-runs.")] = "joint",
    min_runs: Annotated[int | None, Option("With --vocabulary union; default 2.", low=1)] = None,
    jobs: Annotated[int | None, Option("Runs read or written at once; default one per core, and one.", low=1)] = None,
    verify: Annotated[bool, Option("Compare the packed RUNS with their checksums.")] = False,
) -> None:
    """Store runs as raw rows in one shared word order, read slice by slice; a stopped call goes on where it was."""
    from gpustab.runs.packing.pack import pack_runs
    from gpustab.runs.packing.verify import is_whole
    from gpustab.runs.packing.verify import verify as verify_pack

    if not verify and (output or showing.out):
        output, showing = showing.beside(output, "the run set")
    if not verify and (output or showing.out):
        output, showing = showing.beside(output, "the run set")
    with session(showing, goes_on=not verify) as progress:
        if verify == (output is not None):
            raise InputError("wanted: gpustab pack RUNS... -o RUNSET, or gpustab pack --verify RUNSET")
        if output is not None:
            result = pack_runs(
                runs,
                output,
                vocabulary=vocabulary,
                min_runs=min_runs,
                dtype=dtype,
                options=load_options,
                jobs=jobs,
                progress=progress,
            )
            show(result, showing)
            return
        packing = {
            "dtype": dtype != "float32",
            "vocabulary": vocabulary != "joint",
            "min_runs": min_runs is not None,
            "jobs": jobs is not None,
        }
        if given := [name for name, other in packing.items() if other] + load_options.given:
            raise InputError(f"{option(given[0])} has no effect with {option('verify')}: nothing is packed")
        if len(runs) > 1:
            raise InputError(f"--verify takes one packed run set, not {len(runs)}")
        result = verify_pack(runs[0], progress=progress)
        show(result, showing)
        if not is_whole(result):
            raise typer.Exit(1)
