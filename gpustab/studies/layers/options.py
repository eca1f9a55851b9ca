"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.options import ListLength, Option, Options, Seed

FEWEST = 40
"""Sentences: two for each part that an error is told from."""


@dataclass(frozen=True)
class LayersOptions(Options):
    """How layers are compared.

    Attributes:
        sentences: how many sentences are compared, drawn from the text; more make sharper intervals and take longer.
        n: length of the lists of nearest sentences.
        base: folder of the model that all were fine-tuned from: tells how far each went from it.
        seed: of the draw of sentences.
    """

    sentences: Annotated[int, Option(low=FEWEST)] = 2000
    n: ListLength = 10
    base: Annotated[str | None, Option(metavar="FOLDER", reads=True)] = None
    seed: Seed = 0
