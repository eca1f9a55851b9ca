"""Groups that are no independent samples: bit for bit the same runs, or runs that began with the same seeds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.studies.shared.same_runs import Same, fingerprints, said_of, seeds_of


class _Sample(NamedTuple):
    technique: str
    what: tuple[str, str, float]
    prints: frozenset[bytes]
    seeds: frozenset[int]
    runs: int


class Samples:
    """What is kept of the groups that were seen, to tell which are independent; no vector is."""

    def __init__(self) -> None:
        self._seen: dict[str, _Sample] = {}

    def add(self, group: Group | Runs, runs: Runs) -> None:
        """Look at a group while its runs are in memory."""
        key = runs.key
        prints = frozenset(fingerprints(runs)) if int(runs.joint.sum()) else frozenset()
        what = key.sampling, key.unit, key.fraction
        self._seen[runs.name] = _Sample(key.technique, what, prints, seeds_of(group), len(runs))

    def same(self) -> list[Same]:
        """Return the pairs of groups that share runs bit for bit."""
        pairs = combinations(self._seen.items(), 2)
        found = [Same(a, b, len(one.prints & other.prints), other.runs) for (a, one), (b, other) in pairs]
        return [same for same in found if same.runs]

    def same_pairs(self) -> list[frozenset[str]]:
        """Return the names of these pairs."""
        return [frozenset((same.first, same.second)) for same in self.same()]

    def said(self) -> Iterator[str]:
        """Yield a sentence on every pair that is not independent."""
        yield from said_of(same := self.same())
        already = {frozenset((one.first, one.second)) for one in same}
        shared = [
            (a, b, one.what == other.what)
            for (a, one), (b, other) in combinations(self._seen.items(), 2)
            if one.technique == other.technique and one.seeds & other.seeds and frozenset((a, b)) not in already
        ]
        for a, b, same_draws in shared:
            if same_draws:
                yield (
                    f"{a} and {b}: trained with the same seeds, so the same documents were drawn. They are not "
                    "independent: "
                    "differences between them look smaller than between runs of other seeds."
                )
        if some := [f"{a} and {b}" for a, b, same_draws in shared if not same_draws]:
            more = f" and {len(some) - 3} more pairs" if len(some) > 3 else ""
            yield (
                f"Groups whose runs began with the same training seeds: {'; '.join(some[:3])}{more}. They are not "
                "quite "
                "independent: what they start from is alike."
            )
