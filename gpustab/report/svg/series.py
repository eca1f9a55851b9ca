"""Which colour and mark a group has: always the same one, in every figure and table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_SHAPES = {"bootstrap": 0, "shuffled": 1, "fixed": 2}
_OTHERS = 7


class Series(NamedTuple):
    """How a group is drawn.

    Attributes:
        style: its class.
        shape: number of its mark, see :func:`gpustab.report.svg.elements.mark`.
    """

    style: str
    shape: int


def series(names: Iterable[str]) -> dict[str, Series]:
    """Return how every group is drawn.

    Groups whose names end in a sampling have its colour and mark, if each sampling is there once.

    >>> series(["sgns/fixed", "sgns/bootstrap"])["sgns/bootstrap"]
    Series(style='bootstrap', shape=0)
    >>> series(["a/fixed", "b/fixed"])["b/fixed"]
    Series(style='g1', shape=1)
    """
    groups = list(dict.fromkeys(names))
    samplings = [group.rpartition("/")[2] for group in groups]
    if len(set(samplings)) == len(samplings) and all(name in _SHAPES for name in samplings):
        return {group: Series(name, _SHAPES[name]) for group, name in zip(groups, samplings, strict=True)}
    return {group: Series(f"g{k % _OTHERS}", k) for k, group in enumerate(groups)}


def called(names: Iterable[str]) -> dict[str, str]:
    """Return what groups are called within a figure: without the technique where all have the same.

    >>> called(["sgns/fixed", "sgns/bootstrap"])["sgns/fixed"], called(["sgns/fixed", "lsa/fixed"])["lsa/fixed"]
    ('fixed', 'lsa/fixed')
    """
    groups = list(dict.fromkeys(names))
    before = {group.rpartition("/")[0] for group in groups}
    return {group: group.rpartition("/")[2] if len(groups) > 1 and len(before) == 1 else group for group in groups}


def told(said: Iterable[tuple[str, str]], most: int = 4) -> str:
    """Return what is said of each group as a list for a title; of one group without its name.

    >>> told([("fixed", "20 %"), ("bootstrap", "46 %")]), told([("runs", "20 %")])
    ('fixed 20 %, bootstrap 46 %', '20 %')
    """
    rows = list(said)
    if len(rows) == 1:
        return rows[0][1]
    return ", ".join(f"{group} {text}" for group, text in rows[:most]) + ", …" * (len(rows) > most)
