"""Which groups belong together: those that agree in some fields of their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import torch
from torch import Tensor

from gpustab.runs.group import Group
from gpustab.runs.key import MODEL, Key
from gpustab.runs.runs import Runs

T = TypeVar("T", bound=Runs | Group)

OTHER_SAMPLINGS = ("technique", "unit", "fraction", "part")
"""Families of groups that differ in sampling alone."""


@dataclass(frozen=True)
class Family(Generic[T]):
    """Groups that agree in some fields.

    Attributes:
        key: what they agree in; the other fields are at their defaults.
        members: the groups, in the order in which they were given.
    """

    key: Key
    members: tuple[T, ...]

    @property
    def name(self) -> str:
        """What the groups have in common."""
        return str(self.key)

    def of(self, sampling: str) -> T | None:
        """Return the first group of a sampling, if there is one."""
        return next((member for member in self.members if member.key.sampling == sampling), None)


def families(
    groups: Sequence[T], by: Sequence[str] = OTHER_SAMPLINGS, *, models_together: bool = False
) -> list[Family[T]]:
    """Return the families of groups that agree in the named fields of their keys, in the order of their first members.

    Args:
        groups: in any order.
        by: names of fields.
        models_together: whether the bootstrap runs of every fine-tuning are beside the fixed ones, which are one run of
            each fine-tuning.

    >>> class Runs:
    ...     def __init__(self, *fields): self.key = Key(*fields)
    >>> found = families([Runs("sgns", "shuffled"), Runs("glove", "shuffled"), Runs("sgns", "bootstrap")])
    >>> [(family.name, len(family.members)) for family in found]
    [('sgns', 2), ('glove', 1)]
    """
    other = {"sampling": "", "unit": "document", "fraction": 1.0, "part": (), "technique": "runs"}
    blank = {field: default for field, default in other.items() if field not in by}
    found: dict[Key, list[T]] = {}
    for group in groups:
        part = tuple(one for one in group.key.part if not (models_together and one[0] == MODEL))
        found.setdefault(replace(group.key, **{"part": part, **blank}), []).append(group)  # type: ignore[arg-type]
    return [Family(key, tuple(members)) for key, members in found.items()]


def over_common_words(groups: Sequence[Runs]) -> tuple[list[Runs], list[Tensor]]:
    """Return groups with only the words that all runs of all of them have, and these words' rows in each group.

    Rows are in the order of the first group, so that entry k is the same word in every group; there may be none.
    """
    first, *others = ({word: row for row, word in enumerate(runs.vocabulary) if runs.joint[row]} for runs in groups)
    words = [word for word in first if all(word in rows for rows in others)]
    rows = [torch.tensor([found[word] for word in words], dtype=torch.long, device="cpu") for found in (first, *others)]
    return [runs.restricted(words) for runs in groups], rows
