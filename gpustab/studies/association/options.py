"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.options import Option, Options, Seed


@dataclass(frozen=True)
class AssociationOptions(Options):
    """Whose associations are told.

    Attributes:
        sets: TOML file of tests: in each a table ``targets`` of two sets of words, and a table ``attributes`` of two.
        seed: of the splits that are drawn, where they are too many to enumerate.
    """

    sets: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    seed: Seed = 0
