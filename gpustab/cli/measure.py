"""Commands on runs that are there: ``stability``, ``average``, ``neighbours``, ``compare``, ``info``, ``pack``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gpustab.cli.app import app
from gpustab.cli.complaints import as_typed
from gpustab.cli.options import Computing, Corpus, Showing, check_runs, made, open_runs, want
from gpustab.cli.session import session, show, wrote
from gpustab.cli.takes import takes
from gpustab.corpus.options import CORPORA, CorpusOptions
from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.machine.job import number
from gpustab.options import ListLength, Option, given
from gpustab.runs.joining import Loading
from gpustab.runs.paths import look
from gpustab.studies.average.options import AverageOptions
from gpustab.studies.compare import CompareOptions
from gpustab.studies.stability.options import StabilityOptions

if TYPE_CHECKING:
    from gpustab.cli.bar import Bar
    from gpustab.runs.group import Group

RunsArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUNS",
        help="Vector files, checkpoints, a run set, or a group of one: RUNSET/sgns/fixed.",
        show_default=False,
    ),
]

MaybeRuns = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="RUNS", help="Vector files, a run set, or a group of one: RUNSET/sgns/fixed.", show_default=False
    ),
]

_Side = Annotated[
    str,
    typer.Argument(
        help="A group of a run set, a run set of one group, or NAME=FILES: 'sgns=a*.txt'.", show_default=False
    ),
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
    """Measure how far runs agree: PIP loss, shared neighbours, words; each beside its chance level.

    Example: gpustab stability RUNSET
    """
    with (
        session(showing, output=average, runs=runs or [], named=group or [], shared=True) as progress,
        computing.shared() as compute,
    ):
        from gpustab.formats.atomic import check_space_path
        from gpustab.formats.writers import write_space
        from gpustab.runs.load import only_group
        from gpustab.studies.average.study import average as averaged_space
        from gpustab.studies.stability.study import stability as measure

        groups = open_runs(runs or [], load_options, loading, group or [])
        if average is not None:
            check_space_path(average, _files(groups, load_options))
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
        Path | None, made("the average, a file of vectors (.txt, .vec, .gz or .safetensors)", "FILE")
    ] = None,
) -> None:
    """Write the tree average of many runs as one space, and tell how much nearer averages are to each other.

    Example: gpustab average RUNSET/sgns/shuffled -o average.vec
    """
    output = want(output, "the average")
    with session(showing, output=output, runs=runs):
        from gpustab.formats.atomic import check_space_path
        from gpustab.formats.writers import write_space
        from gpustab.studies.average.study import average as averaged
        from gpustab.studies.average.study import together

        compute = computing.compute()
        groups = open_runs(runs, load_options, loading)
        outputs = [output] if len(groups) == 1 else [_beside(output, group, showing) for group in groups]
        for path in outputs:
            check_space_path(path, _files(groups, load_options))
        results = []
        for group, path in zip(groups, outputs, strict=True):
            space, result = averaged(group, average_options, compute=compute)
            write_space(space, path)
            result.groups[0]["written"] = str(path)
            results.append(result)
        show(together(results), showing)


def _files(groups: list[Group], options: LoadOptions) -> list[Any]:
    """Return what is read of groups, also of those that a folder or a pattern names."""
    return [*(source for group in groups for source in group.sources), options.vocab]


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
    word: Annotated[str, typer.Argument(help="The word whose neighbours are shown.", show_default=False)],
    runs: RunsArgument,
    load_options: LoadOptions,
    loading: Loading,
    computing: Computing,
    showing: Showing,
    n: ListLength = 10,
) -> None:
    """Show the nearest neighbours of a word in each run, in how many runs each is found, and which you may trust.

    Example: gpustab neighbours freedom RUNSET
    """
    with session(showing) as progress:
        if not word.strip():
            raise InputError("the word is empty; wanted: gpustab neighbours WORD RUNS...")
        if len(runs) == 1 and not runs[0].is_dir() and Path(word).exists():
            raise InputError(f"'{word}' was taken as the word; wanted: gpustab neighbours WORD RUNS...")
        _want_one_word(word, runs)
        check_runs(runs)
        from gpustab.studies.neighbours.study import neighbours_of

        progress(f"reading {', '.join(map(str, runs[:2]))}", 0.0)
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
    """Tell which of two groups of runs is more stable over the same words, and which words differ most.

    Example: gpustab compare RUNSET/sgns/fixed RUNSET/sgns/shuffled
    """
    with session(showing) as progress:
        for side in (first, second):
            check_runs(*(([], [side]) if _is_named(side) else ([Path(side)], [])))
        if _same(first, second):
            raise InputError(
                f"{second}: would be compared with itself; give two groups, as in "
                "RUNSET/sgns/fixed RUNSET/sgns/shuffled"
            )
        from gpustab.studies.compare.study import compare as measure

        compute = computing.compute()
        one, other = _open_two(first, second, load_options, loading)
        show(measure(one, other, compare_options, compute=compute, progress=progress), showing)


def _same(first: str, second: str) -> bool:
    """Whether both sides are the same files."""
    files = [text.partition("=")[2] if _is_named(text) else text for text in (first, second)]
    one, other = map(Path, files)
    return files[0] == files[1] or (one.exists() and other.exists() and one.samefile(other))


def _is_named(text: str) -> bool:
    """Whether a side is NAME=FILES."""
    return "=" in text and not Path(text).exists()


def _open_two(first: str, second: str, load_options: LoadOptions, loading: Loading) -> list[Group]:
    """Two groups, each a leaf, a run set of one group, or ``NAME=FILES``; two of one name are called as typed."""
    from gpustab.runs.load import only_group

    groups = []
    for text in (first, second):
        named = _is_named(text)
        group = open_runs([] if named else [Path(text)], load_options, loading, [text] if named else [])
        groups.append(only_group(group, text))
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
    verify: Annotated[bool, Option("Read a run set in full, and compare its files with their checksums.")] = False,
) -> None:
    """Tell what files of vectors hold, or what a corpus is before it is trained on, and all that is odd about them.

    Example: gpustab info speeches
    """
    with session(showing) as progress:
        if not any(str(file) in CORPORA or file.exists() for file in files):
            look(files, 1)
        if verify:
            if load_options.given:
                raise InputError(
                    f"{option(load_options.given[0])} has no effect with {option('verify', True)}: every byte is read"
                )
            _verify(files, showing, progress)
            return
        from gpustab.runs.manifest import holds_texts
        from gpustab.runs.place import refuse_within
        from gpustab.studies.info.study import info as look_at

        for file in filter(holds_texts, files):
            if showing.out is not None:
                refuse_within(showing.out, file)
        chosen = given(corpus_options)
        corpus = CorpusOptions(**chosen) if chosen else None
        fits = "min_count" not in chosen
        result = look_at(files, load_options, progress, as_typed, corpus, epochs_by, fits)
        show(result, showing)
        if refused := [group for group in result.groups if "error" in group]:
            raise InputError(f"{len(refused)} of {len(result.groups)} files cannot be read")


@app.command()
@takes(LoadOptions, Showing)
def pack(
    load_options: LoadOptions,
    showing: Showing,
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUNS", help="Vector files, run sets, or groups of them.", show_default=False),
    ],
    output: Annotated[Path | None, made("a new run set (without --verify)", "RUNSET")] = None,
    dtype: Annotated[Literal["float32", "float16", "bfloat16"], Option("How numbers are stored.")] = "float32",
    vocabulary: Annotated[Literal["joint", "union"], Option("Words of all runs, or of at least --min-runs.")] = "joint",
    min_runs: Annotated[int | None, Option("With --vocabulary union; default 2.", low=1)] = None,
    jobs: Annotated[int | None, Option("Runs read or written at once; default one per core, and one.", low=1)] = None,
    verify: Annotated[bool, Option("Compare the RUNS with their checksums, as gpustab info --verify does.")] = False,
) -> None:
    """Store runs as raw rows in one shared word order, read slice by slice; a stopped call goes on where it was.

    Example: gpustab pack RUNSET -o packed
    """
    with session(showing, goes_on=not verify, folder=output, runs=runs, least=1) as progress:
        if verify:
            if output is not None:
                raise InputError("wanted: gpustab pack RUNS... -o RUNSET, or gpustab pack --verify RUNSET")
            _want_nothing_of_packing(dtype, vocabulary, min_runs, jobs, load_options)
            _verify(runs, showing, progress)
            return
        output = want(output, "the packed run set")
        from gpustab.runs.packing.pack import pack_runs

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


def _verify(runs: list[Path], showing: Showing, progress: Bar) -> None:
    """Compare a run set with its checksums; exit code 1 where a file is not what was written."""
    if len(runs) > 1:
        raise InputError(f"{option('verify', True)} takes one run set, not {len(runs)}")
    from gpustab.runs.packing.verify import is_whole
    from gpustab.runs.packing.verify import verify as compare_files

    result = compare_files(runs[0], progress=progress)
    show(result, showing)
    if not is_whole(result):
        raise typer.Exit(1)


def _want_nothing_of_packing(
    dtype: str, vocabulary: str, min_runs: int | None, jobs: int | None, load_options: LoadOptions
) -> None:
    """Refuse choices that a check of checksums could only ignore."""
    packing = {
        "dtype": dtype != "float32",
        "vocabulary": vocabulary != "joint",
        "min_runs": min_runs is not None,
        "jobs": jobs is not None,
    }
    if given := [name for name, other in packing.items() if other] + load_options.given:
        raise InputError(f"{option(given[0])} has no effect with {option('verify')}: nothing is packed")
