"""p@n and j@n of all pairs of runs at six list lengths, beside Python sets."""

from __future__ import annotations

from functools import partial

import torch

from benchmarks.bench_neighbours import LENGTHS, by_sets, overlap_error, planted_lists
from benchmarks.harness import Bench, Contender, Row, start
from gpustab.engine import NeighbourPass, overlap_pass
from gpustab.machine.device import Compute

Size = dict[str, int]


def race(bench: Bench, size: Size, by_set: int) -> list[Row]:
    """Python sets for the first ``by_set`` targets, scaled."""
    runs, targets = size["R"], size["targets"]
    lists = planted_lists(runs, targets, max(LENGTHS)).to(bench.device)
    cosines = torch.zeros(lists.shape, dtype=torch.float64, device=bench.device)
    present = torch.ones(runs, targets, dtype=torch.bool, device=bench.device)
    words = torch.arange(targets, device=bench.device)
    found = NeighbourPass(words, max(LENGTHS), lists, cosines, cosines.bool(), present)
    some = lists[:, :by_set].tolist()
    truth = by_sets(some, LENGTHS)
    naive = Contender(
        "Python sets",
        partial(by_sets, some, LENGTHS),
        lambda result: float((result - truth).abs().max()),
        0,
        min(by_set / targets, 1),
        "" if by_set >= targets else f"{by_set} targets timed, scaled",
    )
    call = partial(overlap_pass, found, LENGTHS, Compute(bench.device))
    ours = Contender("gpustab", call, partial(overlap_error, truth=truth), 1e-12)
    return bench.race("overlap, all pairs, 6 lengths", size, [naive, ours])


def main() -> None:
    bench = start("overlap", __doc__)
    if bench.quick:
        bench.sweep(partial(race, bench, by_set=10), "R", [2, 4, 8], R=0, targets=50)
    else:
        bench.sweep(partial(race, bench, by_set=10), "R", [4, 8, 16, 32, 64], R=0, targets=1000)
        bench.sweep(partial(race, bench, by_set=50), "targets", [250, 500, 1000, 2000, 4000], R=8)
    bench.finish()


if __name__ == "__main__":
    main()
