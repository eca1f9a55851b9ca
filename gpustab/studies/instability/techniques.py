"""Which groups of runs belong together: those of one technique, by how the documents were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.runs import Runs

SAMPLINGS = ("fixed", "shuffled", "bootstrap")
FEWEST = 3
"""Runs per group: below, no standard error of a mean over pairs is defined."""


@dataclass(frozen=True, eq=False)
class Technique:
    """The groups of one technique.

    Attributes:
        name: ``<technique>``, or ``<technique>-<unit>-<fraction>`` where documents of all the corpus were not drawn.
        groups: by sampling, ``"shuffled"`` among them. Each keeps its own vocabulary.
    """

    name: str
    groups: dict[str, Runs]

    @property
    def shuffled(self) -> Runs:
        """The runs over shuffled documents: those that the technique's own instability is measured on."""
        return self.groups["shuffled"]

    def over_common_words(self) -> tuple[dict[str, Runs], dict[str, Tensor]]:
        """Return the groups with only the words that all runs of all of them have, and these words' rows in each.

        Rows are in the order of the shuffled runs, so that entry k is the same word in every group.
        """
        joint = {
            sampling: {word: row for row, word in enumerate(runs.vocabulary) if runs.joint[row]}
            for sampling, runs in self.groups.items()
        }
        words = [word for word in joint["shuffled"] if all(word in rows for rows in joint.values())]
        if len(words) < 2:
            raise InputError(f"technique '{self.name}': {len(words)} words are in all runs of all samplings")
        rows = {sampling: torch.tensor([found[word] for word in words]) for sampling, found in joint.items()}
        return {sampling: _only(runs, rows[sampling]) for sampling, runs in self.groups.items()}, rows


def techniques_of(groups: Sequence[Runs]) -> tuple[list[Technique], list[str]]:
    """Match groups ``<technique>/<sampling>[-<unit>][-<fraction>]`` by technique, unit and fraction.

    A group of another name (plain files) is taken for shuffled runs of a technique of that name.

    Returns:
        The techniques in the order of the groups, and sentences on what was left out or taken for something.

    Raises:
        InputError: for a group of fewer than 3 runs, or if no technique has shuffled runs.
    """
    found: dict[str, dict[str, Runs]] = {}
    notes = []
    for runs in groups:
        if len(runs) < FEWEST:
            raise InputError(
                f"group '{runs.group}' has {len(runs)} runs; this study wants at least {FEWEST} in each, since with "
                "fewer no standard error is defined"
            )
        name, sampling = _kind(runs.group)
        if sampling is None:
            name, sampling = runs.group, "shuffled"
            notes.append(f"{runs.group}: taken for runs that differ by shuffling and training seed only.")
        if sampling in found.setdefault(name, {}):
            raise InputError(f"group '{runs.group}': there are already {sampling} runs of '{name}'")
        found[name][sampling] = runs
    lacking = [name for name, by_sampling in found.items() if "shuffled" not in by_sampling]
    if len(lacking) == len(found):
        raise InputError(f"no technique has shuffled runs; groups are {', '.join(runs.group for runs in groups)}")
    notes += [f"{name}: left out, it has no shuffled runs." for name in lacking]
    return [Technique(name, by_sampling) for name, by_sampling in found.items() if name not in lacking], notes


def _kind(group: str) -> tuple[str, str | None]:
    technique, _, leaf = group.rpartition("/")
    sampling, *rest = leaf.split("-")
    name = "-".join([technique, *(part for part in rest if part != "document")])
    return name, sampling if sampling in SAMPLINGS and technique else None


def _only(runs: Runs, rows: Tensor) -> Runs:
    mask = torch.zeros(runs.words, dtype=torch.bool)
    mask[rows] = True
    return replace(runs, present=runs.present & mask.to(runs.device))
