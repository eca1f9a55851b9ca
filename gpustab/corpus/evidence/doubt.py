"""A doubt, and how its examples are shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Doubt(NamedTuple):
    """Something in a text that would make other words of it than a reader sees.

    Attributes:
        kind: its name, one word.
        share: how much of the text it is, from 0 to 1; of what, ``says`` tells.
        examples: up to three.
        strong: whether training on it as it is makes no sense.
        says: what it is, for people, with its share.
        way: how to go on; options are marked, see :func:`gpustab.errors.option`.
    """

    kind: str
    share: float
    examples: tuple[str, ...]
    strong: bool
    says: str
    way: str


def shown(lines: Iterable[str], most: int = 60) -> tuple[str, ...]:
    """Return three different lines as examples, long ones cut.

    >>> shown(["a", " a", "", "b", "c", "d"])
    ('a', 'b', 'c')
    """
    different = dict.fromkeys(" ".join(line.split(" ")).strip() for line in lines if line.strip())
    return tuple(line if len(line) <= most else f"{line[: most - 1]}…" for line, _ in zip(different, range(3)))  # noqa: B905
