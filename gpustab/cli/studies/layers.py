"""The command ``study layers``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gpustab.cli.app import study
from gpustab.cli.make import CORPUS_HELP, a_corpus
from gpustab.cli.options import Computing, Corpus, Showing, check_models
from gpustab.cli.session import require, session, show
from gpustab.cli.takes import takes
from gpustab.errors import InputError
from gpustab.options import Option
from gpustab.studies.layers.options import LayersOptions


@study.command("layers")
@takes(Corpus, LayersOptions, Computing, Showing)
def layers(
    corpus: Annotated[str, typer.Argument(help=CORPUS_HELP, show_default=False, autocompletion=a_corpus)],
    corpus_options: Any,
    layers_options: LayersOptions,
    computing: Computing,
    showing: Showing,
    model: Annotated[
        list[str] | None, Option("Folder of a fine-tuned model; twice or more.", ("--model", "-m"), metavar="FOLDER")
    ] = None,
) -> None:
    """Tell in which layers fine-tunings of an encoder differ, and which sentences they read most differently.

    Example: gpustab study layers speeches --model seed1 --model seed2 -o layers
    """
    with session(showing, corpus=corpus) as progress:
        if len(model or []) < 2:
            raise InputError("wanted two models: gpustab study layers TEXT --model FOLDER --model FOLDER -o DIR")
        folders = check_models(model or [])
        check_models([layers_options.base] if layers_options.base else [])
        require("this study", "encoders", "transformers", "scipy")
        from gpustab.encoders.sentences import draw_sentences
        from gpustab.studies.layers.study import layers as answer

        progress(f"reading {corpus}", 0.0)
        drawn = draw_sentences(corpus, corpus_options, layers_options.sentences, layers_options.seed)
        result = answer(drawn.texts, folders, layers_options, compute=computing.compute(), progress=progress)
        result.settings["corpus"] = drawn.name
        result.notes.insert(0, drawn.said)
        show(result, showing)
