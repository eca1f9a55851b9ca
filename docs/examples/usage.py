"""Words of the State of the Union addresses up to 1900 and from 1950 on."""

from __future__ import annotations

from typing import Any

from docs.examples import made
from gpustab.studies.usage.claims import RATE, Compared, Pair


def compared(**values: Any) -> Compared:
    """A word that is used differently."""
    numbers = {"beyond": 0.12, "se": 0.01, "q": 0.001, "rate": float(RATE), "documents": 90, "fewest": 40}
    return made(
        Compared, **{"first": "1790-1900", "second": "1950-2020", "word": "cell", "measure": "apd"} | numbers | values
    )


def pair(**values: Any) -> Pair:
    """Two periods in which words are used differently."""
    numbers = {"words": 40, "tested": 38, "found": 31, "rate": float(RATE), "excess": 0.06, "se": 0.004, "least": 1e-4}
    numbers["exact"] = 1e-9
    names = {"first": "1790-1900", "second": "1950-2020", "measure": "apd", "documents": 180, "centre": "all"}
    return made(Pair, **names | numbers | values)


EXAMPLES = {
    "usage.word-differs": [compared(), compared(q=0.3, beyond=0.004), compared(fewest=2)],
    "usage.differ": [
        pair(),
        pair(centre="sentence"),
        pair(found=4),
        pair(found=0, excess=0.001, se=0.002),
        pair(found=0, excess=0.02, se=0.02),
        pair(found=0, excess=0.001, se=0.002, least=0.002, exact=0.002),
        pair(found=0, tested=600, excess=0.001, se=0.002),
        pair(found=0, tested=0),
    ],
}
