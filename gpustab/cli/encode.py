"""The command that makes runs of encoders: ``encode``."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from gpustab.cli.app import app
from gpustab.cli.make import CORPUS_HELP, a_corpus, informing
from gpustab.cli.options import Corpus, Showing, check_device, check_models, made, want
from gpustab.cli.session import require, say, session, show, typed
from gpustab.cli.takes import takes
from gpustab.encoders.options import Encoding
from gpustab.errors import InputError
from gpustab.options import Option, given
from gpustab.spaces.words import printable

_FOLDER = Option(
    "Folder of a model, of sentence-transformers or transformers; once for each fine-tuning.",
    ("--model", "-m"),
    metavar="FOLDER",
)


@app.command()
@takes(Corpus, Encoding, Showing)
def encode(
    corpus: Annotated[str, typer.Argument(help=CORPUS_HELP, show_default=False, autocompletion=a_corpus)],
    corpus_options: Any,
    encoding: Encoding,
    showing: Showing,
    model: Annotated[list[str] | None, _FOLDER] = None,
    output: Annotated[Path | None, made("a run set", "RUNSET")] = None,
    device: Annotated[str, Option("Where models run: auto, cpu, cuda or cuda:N.", each=check_device)] = "auto",
) -> None:
    """Make runs of contextual encoders: words by the mean of their occurrences, fine-tunings as fixed runs.

    A stopped call goes on where it was, with the same vectors.

    Example: gpustab encode speeches --model seed1 --model seed2 -o RUNSET
    """
    output = want(output, "the run set")
    with session(showing, goes_on=True, folder=output, corpus=corpus) as progress:
        if not model:
            raise InputError("no model was given; wanted: gpustab encode CORPUS --model FOLDER -o RUNSET")
        folders = check_models(model)
        require("encoding", "encoders", "transformers", "scipy")
        from gpustab.corpus.numbering import least_count, number
        from gpustab.corpus.options import CorpusOptions
        from gpustab.corpus.tokenise import corpus_of
        from gpustab.encoders.runner import encode_runs
        from gpustab.machine.device import choose_device

        chosen = given(corpus_options)
        options = CorpusOptions(**chosen | {"unit": encoding.unit(chosen.get("unit"))})
        computing, tells = choose_device(device), not (showing.quiet or showing.json)
        progress(f"reading {corpus}", 0.0)
        numbered = number(corpus, options)
        if "min_count" not in chosen:
            least = least_count(numbered.counts[1:]) if encoding.items == "words" else 1
            options = CorpusOptions(**asdict(options) | {"min_count": least})
        text = corpus_of(numbered, options, look=tells)
        del numbered
        if tells:
            if encoding.items == "words" and "min_count" not in chosen:
                progress.print(
                    f"chosen to fit the text: --min-count {options.min_count} ({len(text.vocabulary):,} words)"
                )
            if text.evidence:
                informing(progress)(text.evidence)
        result = encode_runs(
            text, options, folders, output, encoding, device=computing, progress=progress, told_before=tells
        )
        show(result, showing)
        if tells and max(group["runs"] for group in result.groups) > 1:
            say(printable(typed(f"next: gpustab stability {shlex.quote(str(output))} --out report")))
