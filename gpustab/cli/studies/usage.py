"""The command ``study usage``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gpustab.cli.app import study
from gpustab.cli.make import CORPUS_HELP, a_corpus, informing
from gpustab.cli.options import Corpus, Showing, check_device, check_models
from gpustab.cli.session import require, show
from gpustab.cli.studies.working import working
from gpustab.cli.takes import takes
from gpustab.errors import InputError, option
from gpustab.options import Option, given
from gpustab.studies.usage.options import UsageOptions


@study.command("usage")
@takes(Corpus, Showing, UsageOptions)
def usage(
    corpus: Annotated[str, typer.Argument(help=CORPUS_HELP, show_default=False, autocompletion=a_corpus)],
    corpus_options: Any,
    showing: Showing,
    usage_options: UsageOptions,
    model: Annotated[
        str | None,
        Option("Folder of an encoder, of sentence-transformers or transformers.", ("--model", "-m"), metavar="FOLDER"),
    ] = None,
    device: Annotated[str, Option("Where the encoder runs: auto, cpu, cuda or cuda:N.", each=check_device)] = "auto",
) -> None:
    """Tell which words are used differently in two periods, as a contextual encoder reads every occurrence.

    Example: gpustab study usage speeches --model FOLDER --epochs-by year:1850-1899,1950-1999 -w words.txt -o usage
    """
    with working(showing, "scipy", "sentencex", corpus=corpus) as (progress, finished):
        if model is None:
            raise InputError(
                "no encoder was given; wanted: gpustab study usage CORPUS --model FOLDER "
                "--epochs-by year:1850-1899,1950-1999, or another column"
            )
        if not usage_options.epochs_by:
            raise InputError(f"which periods? Give {option('epochs_by', 'year:1850-1899,1950-1999')}, or a column")
        (folder,) = check_models([model])
        require("this study", "encoders", "transformers")
        from gpustab.corpus.options import CorpusOptions
        from gpustab.corpus.tokenise import prepare_corpus
        from gpustab.machine.device import Compute, choose_device
        from gpustab.studies.usage.study import usage as answer

        options = CorpusOptions(**{"min_count": 1} | given(corpus_options))
        progress(f"reading {corpus}", 0.0)
        tells = not (showing.quiet or showing.json)
        text = prepare_corpus(corpus, options, look=tells)
        if tells and text.evidence:
            informing(progress)(text.evidence)
        compute = Compute(choose_device(device))
        result = answer(text, options, folder, usage_options, compute=compute, progress=progress, finished=finished)
        show(result, showing)
