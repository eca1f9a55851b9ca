"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass

from gpustab.options import Options


@dataclass(frozen=True)
class AverageOptions(Options):
    """How runs are averaged.

    Attributes:
        renormalise: scale rows to unit length at every level of the tree (biases cosines upwards, thesis §3.2.1.1).
        allow_undetermined: accept an average that is one of many, because the words that runs have in common are too
            few to determine how their other words lie to each other.
    """

    renormalise: bool = False
    allow_undetermined: bool = False
