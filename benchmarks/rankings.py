"""How reliable rankings of words are against the number of runs: the closed form from R runs beside R other runs.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.rankings RUNSET/sgns/shuffled --runs 3,4,6

Of every R two disjoint sets are drawn again and again from the runs of a group. *closed* is what the product says from
one set alone, *held out* Pearson's correlation with the other set's ranking, *ranks* Spearman's; then the same with
frequency removed. *error* is the root mean square difference of the two sets by the root mean square of what the pooled
errors say it is (1 is right), *jackknife* the same by the jackknife's.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from gpustab import Runs, engine
from gpustab.kernels.jackknife import pair_matrix
from gpustab.runs.load import load_runs
from gpustab.statistics.ranks import spearman
from gpustab.statistics.reliability import WordValues, common_error, pooled_error, reliability
from gpustab.statistics.windows import LIKE, local_mean


def look(runs: Runs, lists: engine.NeighbourPass, which: list[int], n: int) -> dict[str, tuple[WordValues, float]]:
    """Return what some of the runs say of every word, by PIP loss and by p@n, and what all words have in common."""
    some = runs.take(which)
    pip = engine.pip_pass(some)
    words = engine.wordwise_pass(some, pip.basis)
    part = lists._replace(indices=lists.indices[which], cosines=lists.cosines[which], present=lists.present[which])
    losses = WordValues(*(x.double() for x in words[:3]))
    overlap = engine.overlap_pass(part, [n], spread=n)
    shared, between = WordValues(*overlap.of_words()), overlap.p[0]
    return {
        "PIP": (losses, common_error(pair_matrix(pip.reduced, len(which)), float(losses.mean.mean()))),
        f"p@{n}": (shared, common_error(between, float(shared.mean.mean()))),
    }


def compare(halves: list[dict], name: str, count: int) -> list[float]:
    """Return one row of numbers of two disjoint sets of runs."""
    found = []
    for like in (None, LIKE):
        values = [half[name][0].mean for half in halves]
        if like:
            values = [x - local_mean(x, like) for x in values]
        closed = np.mean([reliability(half[name][0], count, half[name][1], like=like).value for half in halves])
        held_out = float(np.corrcoef(*(x.numpy() for x in values))[0, 1])
        found += [closed, held_out, float(spearman(values[0][None], values[1][None]))]
    means = [half[name][0] for half in halves]
    difference = float((means[0].mean - means[1].mean).square().mean().sqrt())
    for error in ([pooled_error(x, count) for x in means], [x.se for x in means]):
        found.append(difference / float(sum(x.square().mean() for x in error)) ** 0.5)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("group", type=Path)
    parser.add_argument("--runs", default="3,4,6")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--limit", type=int, help="so many runs at most")
    chosen = parser.parse_args()
    runs = load_runs(chosen.group)
    runs = runs.take(list(range(min(len(runs), chosen.limit or len(runs)))))
    lists = engine.neighbour_pass(runs, torch.arange(runs.words), 10)
    rng = np.random.default_rng(0)
    print(f"{runs.name}: {len(runs)} runs, {runs.words:,} words")
    print("R  by      closed  held out  ranks | like frequency: closed  held out  ranks | error  jackknife")
    for count in (int(x) for x in chosen.runs.split(",")):
        rows: dict[str, list[list[float]]] = {}
        for _ in range(chosen.draws if 2 * count <= len(runs) else 0):
            order = rng.permutation(len(runs)).tolist()
            halves = [look(runs, lists, order[part : part + count], 10) for part in (0, count)]
            for name in halves[0]:
                rows.setdefault(name, []).append(compare(halves, name, count))
        for name, found in rows.items():
            x = np.mean(found, 0)
            print(
                f"{count:<2} {name:<6} {x[0]:7.3f} {x[1]:9.3f} {x[2]:6.3f} | {x[3]:22.3f} {x[4]:9.3f} {x[5]:6.3f} |"
                f" {x[6]:5.2f} {x[7]:10.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
