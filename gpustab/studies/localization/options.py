"""The choices of this study and of the models that it trains; nothing here costs a start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from gpustab.errors import InputError, near, option
from gpustab.formats.source import near_file
from gpustab.options import Option, Options, Seed, want_there


@dataclass(frozen=True)
class LocalizationOptions(Options):
    """How sentences are changed, and how shares are judged.

    Attributes:
        sense: which sense of a word counts: ``paper``, the synset whose lemmas were tagged most often together, or
            ``first``, WordNet's first.
        choice: one of several candidates: ``random``, or ``count``, the one that was tagged most often.
        order: order in which words are changed: ``random``, or from the ``left``.
        most: most words that are changed in a sentence.
        draws: bootstrap samples behind every interval.
        words: file of the words that may be put in, one a line; default: those that lemminflect knows.
        wordnet: folder of WordNet's files; default: where Debian or nltk put them.
    """

    sense: Literal["paper", "first"] = "paper"
    choice: Literal["random", "count"] = "random"
    order: Literal["random", "left"] = "random"
    most: Annotated[int, Option(low=1)] = 10
    seed: Seed = 0
    draws: Annotated[int, Option(low=100)] = 1000
    words: Annotated[Path | None, Option(reads=True)] = None
    wordnet: Annotated[Path | None, Option(metavar="FOLDER", reads=True)] = None


@dataclass(frozen=True)
class EditChoices(Options):
    """Which sentences are edited.

    Attributes:
        language: of the text: ``en``, which is parsed, or ``de``, whose sentences come with their tags, in CoNLL-U;
            default: ``en`` of texts without tags. Of sentences with tags it must be said.
        sentences: of the text that are read at most.
        each: edits of a kind at most.
    """

    language: Literal["en", "de"] | None = None
    sentences: Annotated[int, Option(low=1)] = 5000
    each: Annotated[int, Option(low=1)] = 300


@dataclass(frozen=True)
class EditOptions(EditChoices):
    """The same, with what is drawn.

    Attributes:
        draws: bootstrap samples behind every interval.
    """

    seed: Seed = 0
    draws: Annotated[int, Option(low=100)] = 1000


FOLDED = ("urae", "untrained-urae")
"""The kinds of models that read trees."""

TRAINED = ("pv-dm", "pv-dbow", *FOLDED)
KINDS = ("bow", "mean", "encoder", *TRAINED)
"""What models are called; the last ones are trained."""


def kind_and_place(text: str) -> tuple[str, str, str]:
    """Return the kind of a model, the sign between, and its file or folder; a folder alone is an encoder's."""
    if text not in KINDS and "=" not in text and Path(text).is_dir():
        return "encoder", "=", text
    return text.partition("=")


def check_model(text: str) -> None:
    """Refuse what is no ``KIND`` or ``KIND=FILE`` and no folder, or whose file is not there.

    Raises:
        InputError: with the nearest kind there is.
    """
    kind, equals, place = kind_and_place(text)
    if kind not in KINDS:
        if Path(text).is_file():
            raise InputError(f"{option('model')} is '{text}', a file: for vectors of words say mean={text}")
        if not equals and Path(text).name != text:  # nobody calls a kind so
            raise InputError(f"{option('model')} is '{text}': there is no such folder{near_file(Path(text))}")
        raise InputError(
            f"{option('model')} is '{text}': no folder of that name is here, and it is no kind of model"
            f"{near(kind, KINDS)}; wanted one of {', '.join(KINDS)}, or a folder"
        )
    if kind == "bow":
        if equals:
            raise InputError(f"{option('model')} is '{text}': bow takes no file")
    elif (equals or kind not in TRAINED) and not (place and Path(place).exists()):
        raise InputError(f"{option('model')} is '{text}': there is no file '{place}'")


@dataclass(frozen=True)
class TrainingOptions(Options):
    """How models are trained; what is not given is what is usual for a kind of model.

    Attributes:
        train_on: file of one tokenised sentence a line, for trained models that name no file of their own.
        runs: runs of every model that is trained; run k has the seed k.
        dim: of words and sentences; default: 300 for pv-dm and pv-dbow (paragraph vectors), 50 for urae
            (auto-encoders).
        epochs: over the corpus; default: 20 for pv-dm and pv-dbow, 5 for urae.
        rate: of learning, at the start; default: 0.025 for pv-dm and pv-dbow, 0.003 for urae.
        min_count: words that are rarer are unknown: they are left out (pv-dm and pv-dbow; default 5) or share one
            vector (urae; default 2).
        inference: most epochs for the vector of a new sentence; default: 80 for pv-dm and pv-dbow.
        tree: over a sentence's words, for urae: ``balanced``, ``right``-branching, or ``greedy``, which joins the
            neighbours that unfold best.
        parses: bracketed parses as in the Penn Treebank, whose trees are taken instead; every sentence of the pairs
            must be among them.
        models: folder where trained models are kept, and taken from if the same training is there already.
    """

    train_on: Annotated[Path | None, Option(metavar="CORPUS")] = None
    runs: Annotated[int, Option(low=1)] = 1
    dim: Annotated[int | None, Option(low=1)] = None
    epochs: Annotated[int | None, Option(low=1)] = None
    rate: Annotated[float | None, Option(above=0, below=1)] = None
    min_count: Annotated[int | None, Option(low=1)] = None
    inference: Annotated[int | None, Option(low=1)] = None
    tree: Literal["balanced", "right", "greedy"] = "balanced"
    parses: Annotated[Path | None, Option(metavar="FILE")] = None
    models: Annotated[Path | None, Option(metavar="FOLDER")] = None

    def over(self, usual: Any) -> Any:
        """Return the options of one kind of model, with what was chosen in the place of what is usual.

        Args:
            usual: a dataclass, some of whose fields have the names of these.
        """
        named = {field.name for field in fields(usual)}
        chosen = {name: getattr(self, name) for name in ("dim", "epochs", "rate", "min_count", "inference", "tree")}
        return replace(usual, **{k: value for k, value in chosen.items() if k in named and value is not None})


def want_usual(options: Options, why: str, but: Sequence[str] = ()) -> None:
    """Refuse options that were chosen though they change nothing.

    Args:
        options: that have no effect here.
        why: they have none.
        but: names of those that have one.

    Raises:
        InputError: naming the first that is not as usual.
    """
    usual = type(options)()
    for name in (field.name for field in fields(options) if field.name not in but):
        if (value := getattr(options, name)) != getattr(usual, name):
            raise InputError(f"{option(name, value)} has no effect here: {why}")


SAVED = ".pt"
"""How files of kept models end."""


def check_models(texts: Sequence[str], training: TrainingOptions) -> None:
    """Refuse models that are none, what has no effect on any of them, and files that are not there.

    Args:
        texts: models as they are typed.
        training: how models are trained.

    Raises:
        InputError: see :func:`check_model`; also if it was said how to train, and no model is trained.
    """
    for text in texts:
        check_model(text)
    kinds = [text.partition("=")[0] for text in texts if not text.endswith(SAVED)]
    if not any(kind in TRAINED for kind in kinds):
        want_usual(training, "no model is trained", but=("parses",))
    if training.parses is not None and not any(text.partition("=")[0] in FOLDED for text in texts):
        raise InputError(f"{option('parses', training.parses)} has no effect here: no model reads trees")
    for name in ("train_on", "parses"):
        if (path := getattr(training, name)) is not None:
            want_there(name, path)
