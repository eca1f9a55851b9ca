"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.errors import InputError, option
from gpustab.options import Option


@dataclass(frozen=True)
class CompareOptions:
    """What two groups are compared by.

    Attributes:
        n: length of the lists of neighbours.
        targets: as many words are drawn where there are more; ``None``: all up to 20,000, else 1,000.
        seed: of the draw.

    Raises:
        InputError: for a value out of range.
    """

    n: Annotated[int, Option("Length of the lists of neighbours.", ("-n", "--top"), low=1)] = 10
    targets: Annotated[int | None, Option("Words to compare; default all up to 20,000.", low=1)] = None
    seed: Annotated[int, Option("Of every random draw.")] = 0

    def __post_init__(self) -> None:
        if self.n < 1 or (self.targets is not None and self.targets < 1):
            raise InputError(f"{option('n')} is {self.n}, {option('targets')} {self.targets}; wanted numbers from 1")
