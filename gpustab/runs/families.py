"""Which groups belong together: those that agree in some fields of their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import torch
from torch import Tensor
from torch.nn.functional import pad

from gpustab.runs.group import Group
from gpustab.runs.key import MODEL, Key
from gpustab.runs.runs import Rows, Runs
from gpustab.spaces.vocabulary import Vocabulary

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


class _Some:
    """Some rows of a run in another order, read when they are asked for; see :class:`gpustab.runs.runs.Rows`."""

    def __init__(self, rows: Rows, order: Tensor) -> None:
        self.rows, self.order = rows, order
        self.shape = (len(order), rows.shape[1])

    def __getitem__(self, part: slice) -> Tensor:
        raw = self.rows[0 : self.rows.shape[0]]
        return raw[self.order[part].to(raw.device)]


def over_one_vocabulary(groups: Sequence[Runs]) -> list[Runs]:
    """Return groups over the words that all runs of all of them have, in the order of the first: row k is one word.

    Rows of files stay on disk. Centring is as it was in every group: by the mean over all of its own words.
    """
    _, rows = over_common_words(groups)
    words = Vocabulary(groups[0].vocabulary[k] for k in rows[0].tolist())
    found = []
    for runs, at in zip(groups, rows, strict=True):
        kept = at.to(runs.device)
        whole = len(at) == runs.words and bool((at == torch.arange(len(at), device="cpu")).all())
        found.append(
            replace(
                runs,
                vocabulary=words,
                rows=runs.rows if whole else tuple(_some(part, at) for part in runs.rows),
                present=runs.present[:, kept],
                lengths=runs.lengths[:, kept],
                counts=None if runs.counts is None else runs.counts[at.to(runs.counts.device)],
            )
        )
    return found


def _some(rows: Rows, order: Tensor) -> Rows:
    return rows[order.to(rows.device)] if isinstance(rows, Tensor) else _Some(rows, order)


def side_by_side(groups: Sequence[Runs]) -> Runs:
    """Return all runs of groups over one vocabulary as one group, whose pairs are those within and between them.

    Dimensions are padded with zeros where groups differ in them, which changes no inner product.
    """
    first, wide = groups[0], max(runs.dimension for runs in groups)
    return replace(
        first,
        rows=tuple(rows for runs in groups for rows in runs.rows),
        names=tuple(f"{runs.name}: {name}" for runs in groups for name in runs.names),
        present=torch.cat([runs.present for runs in groups]),
        means=torch.cat([pad(runs.means, (0, wide - runs.means.shape[1])) for runs in groups]),
        lengths=torch.cat([runs.lengths for runs in groups]),
        seeds=(),
    )
