"""The command ``study localization``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.app import study
from gpustab.cli.options import Computing, Showing
from gpustab.cli.session import show
from gpustab.cli.studies.working import working
from gpustab.cli.takes import takes
from gpustab.errors import InputError, option
from gpustab.options import Option
from gpustab.runs.paths import files_of
from gpustab.studies.localization.options import LocalizationOptions, TrainingOptions, check_models


@study.command("localization")
@takes(Computing, Showing, LocalizationOptions, TrainingOptions)
def localization(
    pairs: Annotated[
        list[Path],
        typer.Argument(
            metavar="PAIRS",
            help="Tab-separated paraphrases: two sentences a line, or the Microsoft corpus's files.",
            show_default=False,
        ),
    ],
    computing: Computing,
    showing: Showing,
    localization_options: LocalizationOptions,
    training_options: TrainingOptions,
    model: Annotated[
        list[str] | None,
        Option(
            "bow, mean=SPACE, encoder=FOLDER, pv-dm, pv-dbow, urae, untrained-urae; any number. Default: bow.",
            ("--model", "-m"),
            metavar="KIND[=FILE]",
        ),
    ] = None,
    corpus: Annotated[Path | None, Option("Write the corpus too, as .tsv or .parquet.", metavar="FILE")] = None,
) -> None:
    """Find whether sentence embeddings follow meaning or form, by changing words one by one (White 2015).

    Example: gpustab study localization PAIRS.tsv --model bow --model urae --train-on CORPUS.txt --runs 3 -o DIR
    """
    with working(showing, "nltk", "spacy", "lemminflect", extra="sentences") as (progress, finished):
        from gpustab.studies.localization.corpus import check_corpus_path, read_pairs, write_corpus

        for path in pairs:
            files_of(path)
        models = model or ["bow"]
        check_models(models, training_options)
        if corpus is not None:
            check_corpus_path(corpus)
            if corpus.exists() and not showing.force:
                raise InputError(f"{corpus}: is there already; {option('force')} replaces it")
        from gpustab.studies.localization.choose import choose_all
        from gpustab.studies.localization.study import localization as answer

        compute = computing.compute()
        spare = None if finished is None else finished / "models"
        chosen = choose_all(models, training_options, compute.device, spare)
        found = read_pairs(pairs)
        result = answer(found, chosen, localization_options, compute=compute, progress=progress, finished=finished)
        if corpus is not None:
            write_corpus(result, corpus)
        show(result, showing)
