"""Groups that are no independent samples: the same runs under two names, or runs trained with the same seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import torch

from gpustab.errors import GpustabError
from gpustab.formats.binary.safetensors import open_rows, read_metadata
from gpustab.results.page import counted
from gpustab.runs.families import over_common_words
from gpustab.runs.group import Group
from gpustab.runs.join import seed_in
from gpustab.runs.runs import Runs
from gpustab.studies.shared.wording import groups_in_words

_WORDS = 64
"""Words whose vectors are compared, bit for bit: two trainings do not agree in one of them."""


class Same(NamedTuple):
    """How many runs of one group are, bit for bit, runs of another."""

    first: str
    second: str
    runs: int
    of: int


def same_runs(groups: Mapping[str, Runs]) -> list[Same]:
    """Return the pairs of groups that share runs, with how many; a comparison of the two tests nothing.

    GloVe counts words and sees no order: with the same training seed a fixed and a shuffled run are one run.
    """
    found = []
    for (a, first), (b, second) in combinations(groups.items(), 2):
        _, rows = over_common_words([first, second])
        if not len(rows[0]):
            continue
        drawn = torch.linspace(0, len(rows[0]) - 1, min(_WORDS, len(rows[0])), device="cpu").long()
        own = {_bits(first, r, rows[0][drawn]) for r in range(len(first))}
        shared = sum(_bits(second, r, rows[1][drawn]) in own for r in range(len(second)))
        if shared:
            found.append(Same(a, b, shared, len(second)))
    return found


def fingerprints(runs: Runs) -> list[bytes]:
    """Return a digest of every run's words and of some of its vectors, by which equal runs are known."""
    joint = runs.joint.nonzero().flatten().cpu()
    drawn = joint[:_WORDS]
    words = sha256(b"\0".join(runs.vocabulary[k] for k in joint.tolist())).digest()
    return [sha256(words + _bits(runs, r, drawn)).digest() for r in range(len(runs))]


def said_of(same: list[Same], name: str = "") -> Iterator[str]:
    """Yield a sentence on every pair of groups that share runs."""
    for a, b, runs, of in same:
        yield (
            f"{name}{groups_in_words([a, b])}: {counted(runs, 'run', 'is/are', of=of)} the same, bit for bit. Such "
            "groups are not two samples, so their agreement means nothing."
        )


def seeds_of(group: Group | Runs) -> frozenset[int]:
    """Return the training seeds that a group's files record; none of other files, packed ones, and runs in memory."""
    sources = group.sources if isinstance(group, Group) and not group.packed else ()
    return frozenset(seed for source in sources if (seed := _seed(source)) is not None)


def _seed(source: object) -> int | None:
    if not isinstance(source, str | Path) or Path(source).suffix != ".safetensors":
        return None
    try:
        with open_rows(Path(source)) as rows:
            return seed_in(read_metadata(rows))
    except GpustabError:  # another writer's file
        return None


def _bits(runs: Runs, r: int, words: torch.Tensor) -> bytes:
    raw = runs.rows[r][0 : runs.words]
    return bytes(raw[words.to(raw.device)].cpu().contiguous().view(torch.uint8).numpy().tobytes())
