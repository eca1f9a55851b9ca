"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.corpus.options import CORPORA
from gpustab.options import ListLength, Option, Options, Seed


@dataclass(frozen=True)
class WordsOptions(Options):
    """What a word's stability is told from.

    Attributes:
        n: length of the lists of neighbours.
        targets: how many words are compared, drawn; default: all up to 20,000, else 1,000.
        text: the text that the runs were trained on: a file, a folder, ``sotu`` or ``lee``. Default: what the run set
            names.
        wordnet: folder of WordNet's files, or ``none``; default: where Debian or nltk put them.
        seed: of the draw of words, and of their parts in the jackknife.
    """

    n: ListLength = 10
    targets: Annotated[int | None, Option(low=1)] = None
    text: Annotated[str | None, Option(metavar="TEXT", reads=CORPORA)] = None
    wordnet: Annotated[str | None, Option(metavar="DIR", reads=("none",))] = None
    seed: Seed = 0
