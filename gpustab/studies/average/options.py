"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from gpustab.options import Option


@dataclass(frozen=True)
class AverageOptions:
    """How runs are averaged.

    Attributes:
        renormalise: scale rows to unit length at every level of the tree (biases cosines upwards, thesis §3.2.1.1).
        allow_undetermined: accept an average that is one of many, because the words that runs have in common are too
            few to determine how their other words lie to each other.
    """

    renormalise: Annotated[bool, Option("Scale rows to unit length at every level (biases cosines upwards).")] = False
    allow_undetermined: Annotated[bool, Option("Turn words even where the words in common do not determine how.")] = (
        False
    )
