"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

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
