"""The limits of the rules by which sentences are chosen, and how a cosine is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpustab.results.page import minus

Row = Mapping[str, Any]

FEWEST = 3
"""Terms of a verdict, which a jackknife needs: at 3 to 16 terms 1 to 3 % of the draws without a difference get one."""

NEAR = 0.55
"""An AUC up to this is as good as none: of twenty pairs one more than by chance."""

CLOSE = 0.05
"""A cosine this little above its null level says nothing by itself; AUCs this near are equal."""

P_VALUE = 0.05
"""Of the test whether halves differ."""


def as_cosine(value: float) -> str:
    """Return a cosine with the digits that tell it from 1.

    >>> as_cosine(0.9852), as_cosine(0.41), as_cosine(-0.95), as_cosine(-0.001)
    ('0.985', '0.41', '−0.950', '0.00')
    """
    return minus(f"{value:.{3 if abs(value) > 0.9 else 2}f}")
