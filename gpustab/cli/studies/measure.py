"""The commands ``study association``, ``consistency``, ``instability``, ``thresholds`` and ``words``, on runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gpustab.cli.app import study
from gpustab.cli.options import Computing, Showing, check_corpus, open_runs
from gpustab.cli.session import require, session, show
from gpustab.cli.studies.working import foretell, working
from gpustab.cli.takes import takes
from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.options import Option
from gpustab.studies.association.options import AssociationOptions
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.instability import InstabilityOptions
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.words.options import WordsOptions

ThreeOfAKind = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUNSET", help="Run sets, or groups of them; at least 3 runs of a kind.", show_default=False
    ),
]


@study.command("consistency")
@takes(LoadOptions, Computing, Showing, ConsistencyOptions)
def consistency(
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    consistency_options: ConsistencyOptions,
    text: Annotated[
        list[str] | None, Option("The text that terms are learned from; several are compared.", metavar="TEXT")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SPACE|RUNSET", help="The background: a space, runs of one kind, a run set.", show_default=False
        ),
    ] = None,
    group: Annotated[
        list[str] | None, Option("A background of its own name: 'glove=glove*.txt'; any number.", metavar="NAME=FILES")
    ] = None,
) -> None:
    """Tell whether parts of one text give a term the same vector (Bloem et al. 2019).

    Example: gpustab study consistency SPACE.txt --text lee -o consistency
    """
    reads: dict[str, Any] = {"runs": runs or [], "named": group or [], "least": 1} if runs or group else {}
    with working(showing, "scipy", "sentencex", **reads) as (progress, finished):
        if not reads:
            raise InputError(
                "no background was given; samples are sums of word vectors of general text: "
                "gpustab study consistency SPACE --text TEXT"
            )
        if str(showing.out) in ("frozen", "updated"):  # what --output took up to version 0.2
            meant = option("nonce_output", str(showing.out))
            raise InputError(f"the page would go into the folder {showing.out}; did you mean {meant}?")
        if not text and consistency_options.sample_file is None:
            raise InputError(f"no text was given; give {option('text', ...)}, or {option('sample_file', ...)}")
        for name in text or []:
            check_corpus(name)
        from gpustab.studies.consistency.study import consistency as answer

        compute = computing.compute()
        groups = open_runs(runs or [], load_options, named=group or [], single_runs=True)
        result = answer(groups, text or [], consistency_options, compute=compute, progress=progress, finished=finished)
        show(result, showing)


@study.command("instability")
@takes(LoadOptions, Computing, Showing, InstabilityOptions)
def instability(
    runs: ThreeOfAKind,
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    instability_options: InstabilityOptions,
) -> None:
    """Tell how unstable techniques are, why, and if averaging helps (Rettenmeier 2020, chapters 2 and 3).

    Example: gpustab study instability RUNSET -o instability
    """
    with session(showing, runs=runs) as progress:
        require("this study", "study", "scipy")
        from gpustab.studies.instability.study import instability as answer

        compute = computing.compute()
        groups = open_runs(runs, load_options)
        targets = instability_options.targets
        foretell(
            progress,
            groups,
            lambda runs, words: 0.06 * targets + 2.3e-4 * runs * words,
            showing.quiet,
            load_options.limit,
        )
        show(answer(groups, instability_options, compute=compute, progress=progress), showing)


@study.command("thresholds")
@takes(LoadOptions, Computing, Showing, ThresholdsOptions)
def thresholds(
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    thresholds_options: ThresholdsOptions,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SPACE|RUNSET", help="Files of runs of one kind, a run set, or groups of one.", show_default=False
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        Option("A space, or runs of one kind, of its own: 'sg=sg*.txt'; any number.", metavar="NAME=FILES"),
    ] = None,
) -> None:
    """Find from which cosine on two words are related, by WordNet (Elekes et al. 2018).

    Example: gpustab study thresholds RUNSET -o thresholds
    """
    reads: dict[str, Any] = {"runs": runs or [], "named": group or [], "least": 1}
    with working(showing, "scipy", **reads) as (progress, finished):
        from gpustab.studies.thresholds.study import thresholds as answer

        compute = computing.compute()
        groups = open_runs(runs or [], load_options, named=group or [], single_runs=True)
        foretell(progress, groups, lambda runs, words: 4e-7 * words**2 * runs, showing.quiet, load_options.limit)
        show(answer(groups, thresholds_options, compute=compute, progress=progress, finished=finished), showing)


@study.command("words")
@takes(LoadOptions, Computing, Showing, WordsOptions)
def words(
    runs: ThreeOfAKind, load_options: LoadOptions, computing: Computing, showing: Showing, words_options: WordsOptions
) -> None:
    """Tell why some words are less stable: frequency, spread, senses, part of speech, nearest word.

    Example: gpustab study words RUNSET -o words
    """
    with session(showing, runs=runs) as progress:
        require("this study", "study", "scipy")
        from gpustab.studies.words.study import words as answer

        groups = open_runs(runs, load_options)
        show(answer(groups, words_options, compute=computing.compute(), progress=progress), showing)


@study.command("association")
@takes(LoadOptions, Computing, Showing, AssociationOptions)
def association(
    runs: ThreeOfAKind,
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    association_options: AssociationOptions,
) -> None:
    """Tell whether your word sets are associated beyond one run's luck (WEAT, Caliskan et al. 2017).

    Example: gpustab study association RUNSET --sets SETS.toml -o association
    """
    with session(showing, runs=runs) as progress:
        require("this study", "study", "scipy")
        if association_options.sets is None:
            raise InputError(f"no word sets were given; give {option('sets', ...)}")
        from gpustab.studies.association.study import association as answer

        groups = open_runs(runs, load_options)
        show(answer(groups, association_options, compute=computing.compute(), progress=progress), showing)
