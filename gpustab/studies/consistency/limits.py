"""The limits of the rules by which sentences are chosen, and how a cosine is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

    >>> as_cosine(0.9852), as_cosine(0.41)
    ('0.985', '0.41')
    """
    return f"{value:.3f}" if abs(value) > 0.9 else f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
