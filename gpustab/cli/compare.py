"""The command ``compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from gpustab.cli.app import app
from gpustab.cli.options import Computing, Showing, open_two, takes
from gpustab.cli.session import session, show
from gpustab.formats.options import LoadOptions
from gpustab.runs.loading import Loading
from gpustab.studies.compare.options import CompareOptions

_Side = Annotated[
    str, typer.Argument(help="A leaf folder, a run set of one group, or NAME=FILES: 'sgns=a*.txt'.", show_default=False)
]


@app.command()
@takes(LoadOptions, Loading, Computing, Showing, CompareOptions)
def compare(
    first: _Side,
    second: _Side,
    load_options: LoadOptions,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    compare_options: CompareOptions,
) -> None:
    """Tell which of two groups of runs is more stable over the same words, and which words differ most."""
    with session(showing) as progress:
        from gpustab.studies.compare.study import compare as measure

        compute = computing.compute()
        one, other = open_two(first, second, load_options, loading)
        show(measure(one, other, compare_options, compute=compute, progress=progress), showing)
