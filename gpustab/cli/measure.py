"""Commands on runs that are there: ``stability``, ``average``, ``neighbours``, ``compare``, ``info``, ``pack``."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gpustab.cli.app import app
from gpustab.cli.complaints import as_typed
from gpustab.cli.make import Corpus
from gpustab.cli.options import Computing, Showing, made, open_runs
from gpustab.cli.session import session, show, wrote
from gpustab.cli.takes import takes
from gpustab.corpus.options import CorpusOptions
from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.machine.job import number
from gpustab.options import ListLength, Option
from gpustab.runs.joining import Loading
from gpustab.studies.average.options import AverageOptions
from gpustab.studies.compare import CompareOptions
from gpustab.studies.stability.options import StabilityOptions

if TYPE_CHECKING:
    from gpustab.runs.group import Group

RunsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="RUNS", help="Vector files, checkpoints, a leaf folder, or a run set.", show_default=False),
]

MaybeRuns = Annotated[
    list[Path] | None,
    typer.Argument(metavar="RUNS", help="Vector files, a leaf folder, or a run set.", show_default=False),
]

_Side = Annotated[
    str, typer.Argument(help="A leaf folder, a run set of one group, or NAME=FILES: 'sgns=a*.txt'.", show_default=False)
]


@app.command()
@takes(LoadOptions, Loading, Computing, Showing, StabilityOptions)
def stability(
    load_options: LoadOptions,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    stability_options: StabilityOptions,
    runs: MaybeRuns = None,
    group: Annotated[
        list[str] | None,
        Option("A group of files of its own, 'sgns=a*.txt'; as many as you like.", metavar="NAME=FILES"),
    ] = None,
    average: Annotated[Path | None, Option("Also write the average of the runs.", metavar="OUT")] = None,
) -> None:
    """Measure the stability of two or more runs: PIP loss, shared neighbours, words; each beside its chance level."""
    from gpustab.formats.writers import write_space
    from gpustab.runs.load import only_group
    from gpustab.studies.average.study import average as averaged_space
    from gpustab.studies.stability.study import stability as measure

    with session(showing, output=average, runs=runs or [], shared=True) as progress, computing.shared() as compute:
        groups = open_runs(runs or [], load_options, loading, group or [])
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
    output: Annotated[Path | None, made("File of the average, .txt, .vec, .gz or .safetensors", "OUT")] = None,
) -> None:
    """Write the tree average of many runs as one space, and tell how much nearer averages are to each other."""
    from gpustab.formats.writers import write_space
    from gpustab.studies.average.study import average as averaged
    from gpustab.studies.average.study import together

    output, showing = showing.beside(output, "the average", replaced=True)
    with session(showing, output=output, runs=runs):
        compute = computing.leave("backend", "no neighbours are searched").compute()
        groups = open_runs(runs, load_options, loading)
        outputs = [output] if len(groups) == 1 else [_beside(output, group, showing) for group in groups]
        results = []
        for group, path in zip(groups, outputs, strict=True):
            space, result = averaged(group, average_options, compute=compute)
            write_space(space, path)
            result.groups[0]["written"] = str(path)
            results.append(result)
        show(together(results), showing)


def _beside(output: Path, group: Group, showing: Showing) -> Path:
    """Where the average of one group of several goes: ``out.txt`` becomes ``out.sgns-shuffled.txt``."""
    stem, dot, suffix = output.name.partition(".")
    path = output.with_name(f"{stem}.{group.key.path.replace('/', '-')}{dot}{suffix}")
    if path.exists() and not showing.force:
        raise InputError(f"{path}: is there already; {option('force')} replaces it")
    return path


@app.command()
@takes(LoadOptions, Loading, Computing, Showing)
def neighbours(
    word: Annotated[str, typer.Argument(help="The query.", show_default=False)],
    runs: RunsArgument,
    load_options: LoadOptions,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    n: ListLength = 10,
) -> None:
    """Show a word's nearest neighbours in each run side by side, and in how many runs each of them is found."""
    from gpustab.studies.neighbours.study import neighbours_of

    with session(showing):
        if len(runs) == 1 and not runs[0].is_dir() and Path(word).exists():
            raise InputError(f"'{word}' was taken as the word; wanted: gpustab neighbours WORD RUNS...")
        _want_one_word(word, runs)
        compute = computing.leave("precision", "it is of PIP losses, and neighbours rank in float64").compute()
        groups = open_runs(runs, load_options, loading)
        show(neighbours_of(groups, word, n, compute=compute), showing)


def _want_one_word(word: str, runs: list[Path]) -> None:
    """Refuse several words before a run set; what looks like a file or is nearly called like one is a wrong name."""
    from gpustab.formats.source import near_file

    more = [
        str(path) for path in runs[:-1] if not (path.exists() or near_file(path) or set(str(path)) & set("./\\*?["))
    ]
    if more and runs[-1].exists():
        raise InputError(f"'{word}' and '{more[0]}' are given as words: one word at a time, then the runs")


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
        one, other = _open_two(first, second, load_options, loading)
        show(measure(one, other, compare_options, compute=compute, progress=progress), showing)


def _open_two(first: str, second: str, load_options: LoadOptions, loading: Loading) -> list[Group]:
    """Two groups, each a leaf, a run set of one group, or ``NAME=FILES``; two of one name are called as typed."""
    from gpustab.runs.load import only_group

    groups = []
    for text in (first, second):
        named = "=" in text and not Path(text).exists()
        group = open_runs([] if named else [Path(text)], load_options, loading, [text] if named else [])
        groups.append(only_group(group))
    if groups[0].key != groups[1].key:
        return groups
    parts = [(*group.key.part, ("of", text)) for group, text in zip(groups, (first, second), strict=True)]
    return [replace(group, key=replace(group.key, part=part)) for group, part in zip(groups, parts, strict=True)]


@app.command()
@takes(Corpus, LoadOptions, Showing)
def info(
    corpus_options: Any,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Vector files or run sets; or texts to train on.", show_default=False),
    ],
    load_options: LoadOptions,
    showing: Showing,
    epochs_by: Annotated[
        str, Option("Of texts: count the documents of every period.", metavar="COLUMN[:FIRST-LAST:YEARS]")
    ] = "",
) -> None:
    """Tell what files of vectors hold, or what a corpus is before it is trained on, and all that is odd about them."""
    from gpustab.studies.info.study import info as look_at

    with session(showing) as progress:
        given = {name: value for name, value in asdict(corpus_options).items() if value is not None}
        corpus = CorpusOptions(**given) if given else None
        result = look_at(files, load_options, progress, explain=as_typed, corpus=corpus, epochs_by=epochs_by)
        show(result, showing)
        if refused := [group for group in result.groups if "error" in group]:
            raise InputError(f"{len(refused)} of {len(result.groups)} files cannot be read")


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
