"""The command ``study localization``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.options import Computing, takes
from gpustab.cli.session import session, show
from gpustab.cli.studies.app import Writing, require, study
from gpustab.errors import InputError, option
from gpustab.studies.localization.options import LocalizationOptions


@study.command("localization")
@takes(Computing, Writing, LocalizationOptions)
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
    writing: Writing,
    localization_options: LocalizationOptions,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", metavar="KIND[=FILE]", help="bow, mean=SPACE; can be given again. Default: bow."),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Runs of every model that is trained.")] = 1,
    corpus: Annotated[
        Path | None, typer.Option("--corpus", metavar="FILE", help="Write the corpus too, as .tsv or .parquet.")
    ] = None,
) -> None:
    """Find whether sentence embeddings place meaning or form (White 2015): words changed one by one.

    Example: gpustab study localization PAIRS.tsv --model bow --model mean=SPACE.txt -o localization
    """
    with session(writing) as progress:
        require("nltk", "spacy", "lemminflect", extra="sentences")
        from gpustab.studies.localization.corpus_file import check_corpus_path, write_corpus
        from gpustab.studies.localization.models.choose import choose
        from gpustab.studies.localization.pairs import read_pairs
        from gpustab.studies.localization.study import localization as answer

        if corpus is not None:
            check_corpus_path(corpus)
            if corpus.exists() and not writing.force:
                raise InputError(f"{corpus}: is there already; {option('force')} replaces it")
        compute = computing.compute()
        models = [choose(text, runs, compute.device) for text in dict.fromkeys(model or ["bow"])]
        result = answer(read_pairs(pairs), models, localization_options, compute=compute, progress=progress)
        if corpus is not None:
            write_corpus(result, corpus)
        show(result, writing)
