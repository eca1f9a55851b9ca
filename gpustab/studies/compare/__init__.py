"""Which of two groups of runs is more stable, over the same words, and which words differ most?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.options import ListLength, Option, Options, Seed


@dataclass(frozen=True)
class CompareOptions(Options):
    """What two groups are compared by.

    Attributes:
        targets: compare so many words, drawn at random; default: all up to 20,000, else 1,000.
    """

    n: ListLength = 10
    targets: Annotated[int | None, Option(low=1)] = None
    seed: Seed = 0
