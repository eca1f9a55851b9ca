"""The choices of this study and of the models that it trains; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from gpustab.errors import InputError, option
from gpustab.options import Option


@dataclass(frozen=True)
class LocalizationOptions:
    """How sentences are changed, and how shares are judged.

    Attributes:
        sense: which sense of a word counts: ``paper``, the synset whose lemmas were tagged most often together, or
            ``first``, WordNet's first.
        choice: one of several candidates: ``random``, or ``count``, the one that was tagged most often.
        order: in which words are changed: ``random``, or from the ``left``.
        most: changed words of one sentence.
        seed: of every draw.
        draws: bootstrap samples behind every interval.
        words: file of the words that may be put in, one a line; default: those that lemminflect knows.
        wordnet: folder of WordNet's files; default: where Debian or nltk put them.

    Raises:
        InputError: for a number out of range.
    """

    sense: Annotated[
        Literal["paper", "first"], Option("Sense of a word: of the highest summed tag count, or WordNet's first.")
    ] = "paper"
    choice: Annotated[Literal["random", "count"], Option("One of several candidates: at random, or by tag count.")] = (
        "random"
    )
    order: Annotated[Literal["random", "left"], Option("Order in which words are changed.")] = "random"
    most: Annotated[int, Option("Most words that are changed in a sentence.", low=1)] = 10
    seed: Annotated[int, Option("Of every random draw.")] = 0
    draws: Annotated[int, Option("Bootstrap samples behind an interval.", low=100)] = 1000
    words: Annotated[Path | None, Option("Words that may be put in, one a line; default: lemminflect's.")] = None
    wordnet: Annotated[Path | None, Option("Folder of WordNet's files.", metavar="FOLDER")] = None

    def __post_init__(self) -> None:
        if self.most < 1 or self.draws < 100:
            raise InputError(
                f"{option('most')} is {self.most}, {option('draws')} {self.draws}; wanted from 1 and from 100"
            )


@dataclass(frozen=True)
class TrainingOptions:
    """How models are trained; ``None`` leaves what is usual for a kind of model.

    Attributes:
        train_on: file of one tokenised sentence a line, for trained models that name no file of their own.
        runs: of every model that is trained; run k has the seed k.
        dim: of words and sentences: 300 for paragraph vectors, 50 for auto-encoders.
        epochs: over the corpus: 20 for paragraph vectors, 5 for auto-encoders.
        rate: of learning, at the start: 0.025 for paragraph vectors, 0.003 for auto-encoders.
        min_count: words that are rarer are left out (paragraph vectors: 5) or share one vector (auto-encoders: 2).
        inference: most epochs for the vector of a new sentence: 80 for paragraph vectors.
        tree: over a sentence's words, for auto-encoders: ``balanced``, ``right``-branching, or ``greedy``, which joins
            the neighbours that unfold best.
        parses: bracketed parses, whose trees are taken instead; every sentence of the pairs must be among them.
        models: folder where trained models are kept, and taken from if the same training is there already.

    Raises:
        InputError: for a number out of range.
    """

    train_on: Annotated[
        Path | None, Option("Corpus of the models that are trained: a tokenised sentence a line.", metavar="CORPUS")
    ] = None
    runs: Annotated[int, Option("Runs of every model that is trained.", low=1)] = 1
    dim: Annotated[int | None, Option("Of sentences. Default: 300 for pv-dm, pv-dbow; 50 for urae.", low=1)] = None
    epochs: Annotated[int | None, Option("Over the corpus. Default: 20 for pv-dm, pv-dbow; 5 for urae.", low=1)] = None
    rate: Annotated[float | None, Option("Of learning. Default: 0.025 for pv-dm, pv-dbow; 0.003 for urae.")] = None
    min_count: Annotated[
        int | None, Option("Rarer words are unknown. Default: 5 for pv-dm, pv-dbow; 2 for urae.", low=1)
    ] = None
    inference: Annotated[
        int | None, Option("Most epochs for a new sentence. Default: 80 for pv-dm, pv-dbow.", low=1)
    ] = None
    tree: Annotated[Literal["balanced", "right", "greedy"], Option("Over the words of a sentence, for urae.")] = (
        "balanced"
    )
    parses: Annotated[Path | None, Option("Bracketed parses instead, as in the Penn Treebank.", metavar="FILE")] = None
    models: Annotated[
        Path | None, Option("Keep trained models here, and take those that are there.", metavar="FOLDER")
    ] = None

    def __post_init__(self) -> None:
        for name in ("runs", "dim", "epochs", "min_count", "inference"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{option(name)} is {value}, wanted 1 or more")
        if self.rate is not None and not 0 < self.rate < 1:
            raise InputError(f"{option('rate')} is {self.rate}, wanted above 0 and below 1")

    def over(self, usual: Any) -> Any:
        """Return the options of one kind of model, with what was chosen in the place of what is usual.

        Args:
            usual: a dataclass, some of whose fields have the names of these.
        """
        named = {field.name for field in fields(usual)}
        chosen = {name: getattr(self, name) for name in ("dim", "epochs", "rate", "min_count", "inference", "tree")}
        return replace(usual, **{k: value for k, value in chosen.items() if k in named and value is not None})
