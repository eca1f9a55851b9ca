"""The command ``study calibration``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.app import study
from gpustab.cli.options import Computing, Showing, check_models, open_runs
from gpustab.cli.session import require, session, show
from gpustab.cli.takes import takes
from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.options import Option
from gpustab.studies.calibration.options import CalibrationOptions


@study.command("calibration")
@takes(LoadOptions, Computing, Showing, CalibrationOptions)
def calibration(
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    calibration_options: CalibrationOptions,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="SPACE|RUNSET", help="Spaces of words, in place of models.", show_default=False),
    ] = None,
    group: Annotated[
        list[str] | None, Option("A space of its own name: 'sg=sg.txt'; any number.", metavar="NAME=FILES")
    ] = None,
    model: Annotated[
        list[str] | None,
        Option("A folder of an encoder of sentences; any number.", ("--model", "-m"), metavar="FOLDER"),
    ] = None,
) -> None:
    """Find which similarity a cosine stands for: a curve to apply, with its error.

    With --out, each curve is written too, as calibration-NAME.json; gpustab.Calibration.load reads it.

    Example: gpustab study calibration --model FOLDER --scores STS.tsv -o calibration
    """
    spaces = None if model or not (runs or group) else runs or []
    with session(showing, runs=spaces, named=group or [], least=1) as progress:
        if model and (runs or group):
            raise InputError(f"give spaces of words, or models of sentences by {option('model', ...)}, not both")
        if not model and spaces is None:
            raise InputError(
                f"no runs were given, and no models: give a space of words, or encoders by {option('model', 'FOLDER')}"
            )
        if model and calibration_options.scores is None:
            raise InputError(f"no scored pairs of sentences were given; give a file by {option('scores', ...)}")
        check_models(model or [])
        require("this study", "encoders", *(["transformers"] if model else []))
        from gpustab.studies.calibration.study import calibration as answer

        compute = computing.compute()
        groups = open_runs(runs or [], load_options, named=group or [], single_runs=True) if not model else ()
        show(answer(groups, calibration_options, models=model or (), compute=compute, progress=progress), showing)
