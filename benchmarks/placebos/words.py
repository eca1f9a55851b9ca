"""What is said of words, against the truth that the runs tell which were not drawn: ranks, least tenths, neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from scipy.stats import spearmanr

from benchmarks.placebos.cells import RUNS, Row, batch, wanted
from gpustab import engine
from gpustab.kernels.overlap import shared_neighbours
from gpustab.machine.device import DEFAULT
from gpustab.runs.load import load_runs
from gpustab.statistics.levels import of_shares
from gpustab.statistics.reliability import WordValues, reliability
from gpustab.statistics.windows import local_median, place, standing_out
from gpustab.studies.neighbours.claims import margin, verdict
from gpustab.studies.stability.claims import LISTS
from gpustab.studies.stability.words import least_stable

N = 10
ORDER, TENTH, LISTED = (
    "a reliability told 0.1 too high",
    "words surely in the least tenth that are not",
    "lists with under half of what is promised",
)
JUDGED = "{} neighbours, chosen by another run"


class Pool:
    """Many runs of one sampling over their joint words.

    Args:
        folder: of the run set.
        sampling: of which of its runs.
    """

    def __init__(self, folder: Path, sampling: str) -> None:
        self.name = sampling
        self.runs = load_runs(sorted(folder.glob(f"lsa/{sampling}/*.safetensors")))
        lists = engine.neighbour_pass(engine.place(self.runs, DEFAULT), torch.arange(self.runs.words), N + 1)
        self.lists, self.cosines = lists.indices, lists.cosines
        self.shared = torch.cat([shared_neighbours(part[:, :, :N], [N])[0] for part in lists.indices.split(200, 1)]) / N
        self.shared.diagonal(dim1=1, dim2=2).zero_()

    @property
    def noise(self) -> str:
        """Its sampling, and how much two runs share."""
        r = len(self.runs)
        return f"{self.name}, p@10 {float(self.shared.sum((1, 2)).mean()) / (r * (r - 1)):.2f}"

    def values(self, which: np.ndarray) -> WordValues:
        """What some runs say of every word's p@10."""
        some, r = self.shared[:, which][:, :, which].double(), len(which)
        i, j = torch.triu_indices(r, r, 1)
        flat, total = some[:, i, j], some.sum((1, 2)) / 2
        left = (total[:, None] - some.sum(2)) / ((r - 1) * (r - 2) / 2)
        se = ((r - 1) / r * (left - left.mean(1, keepdim=True)).square().sum(1)).sqrt()
        return WordValues(flat.mean(1), flat.std(1), se)


def rankings(pool: Pool, sets: int, rng: np.random.Generator) -> Iterator[Row]:
    """Order, least tenth and its list, against the runs that were not drawn."""
    for r in RUNS:
        order, tenth, listed = [0, 0, 0], [0, 0, 0], [0, 0, 0]
        if not (count := _most((ORDER, TENTH, LISTED), pool.noise, r, sets)):
            continue
        for _ in range(count):
            drawn = rng.permutation(len(pool.runs))
            own, other, rest = drawn[:r], drawn[r : 2 * r], drawn[r:]
            values, truth = pool.values(own), place(1 - pool.values(rest).mean)
            told = reliability(values, r, scale=of_shares)
            direct = float(spearmanr(values.mean, pool.values(other).mean).statistic)
            order[0] += 1
            order[1] += told.value > direct + 0.1
            probability = least_stable(values, r, 0.0)
            named = standing_out(probability)
            tenth[0] += len(named)
            tenth[1] += int((truth[named] < 0.9).sum())
            tenth[2] += not len(named)
            first = (local_median(values.mean) - values.mean).argsort(descending=True, stable=True)[:10]
            if float(probability[first].sum()) >= LISTS * 10:
                listed[0] += 1
                listed[1] += float((truth[first] >= 0.9).double().mean()) < LISTS / 2
            else:
                listed[2] += 1
        noise = pool.noise
        yield Row("stability.ranks-words", ORDER, noise, r, *_of_said(order), batch())
        yield Row("stability.least-listed", TENTH, noise, r, *_of_said(tenth), batch())
        yield Row("stability.least-listed", LISTED, noise, r, *_of_said(listed), batch())


def neighbours(pool: Pool, chooser: Pool, sets: int, rng: np.random.Generator) -> Iterator[Row]:
    """Firm and passing neighbours, chosen by other runs, against the share of the runs that were not drawn."""
    common = [k for k in range(pool.runs.words) if pool.runs.vocabulary[k] in chooser.runs.vocabulary]
    queries = rng.choice(common, 150, replace=False)
    pairs = []
    for q in queries:
        there = chooser.runs.vocabulary.index_of(pool.runs.vocabulary[int(q)])
        names = [chooser.runs.vocabulary[int(k)] for k in chooser.lists[0, there, :N]]
        pairs += [(int(q), pool.runs.vocabulary.index_of(name)) for name in names if name in pool.runs.vocabulary]
    query, word = torch.tensor(pairs).T
    hits = (pool.lists[:, query, :N] == word[:, None]).any(2)
    ahead = engine.pair_values(pool.runs, query, word).T - pool.cosines[:, query, N]
    for r in RUNS[1:]:
        firm, passing = [0, 0, 0], [0, 0, 0]
        if not (count := _most([JUDGED.format(name) for name in ("firm", "passing")], pool.noise, r, sets)):
            continue
        for _ in range(count):
            drawn = torch.from_numpy(rng.permutation(len(pool.runs)))
            own, rest = drawn[:r], drawn[r:]
            share, counts = hits[rest].double().mean(0), hits[own].sum(0)
            p = pool.shared[:, own][:, :, own].sum((1, 2)) / (r * (r - 1))
            m, sd = ahead[own].mean(0), ahead[own].std(0)
            for k in range(len(pairs)):
                says = verdict(int(counts[k]), r, margin(float(m[k]), float(sd[k])), float(p[query[k]]))
                firm[0] += says == "firm"
                firm[1] += says == "firm" and share[k] < 0.5
                firm[2] += says != "firm" and share[k] >= 0.8
                passing[0] += says == "passing"
                passing[1] += says == "passing" and share[k] >= 0.5
                passing[2] += says != "passing" and share[k] <= 0.2
        for name, counted in (("firm", firm), ("passing", passing)):
            counts = _of_said([int(x) for x in counted])
            yield Row("neighbours.holds", JUDGED.format(name), pool.noise, r, *counts, batch())


def _most(about: Sequence[str], noise: str, r: int, sets: int) -> int:
    """How many sets are drawn for several worlds: the most that one of them lacks."""
    return max(wanted(each, noise, r, sets) for each in about)


def _of_said(counted: list[int]) -> tuple[int, int, int, int]:
    """Count against what was said: of so many sentences so many are wrong."""
    return counted[0], *counted


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of words."""
    rng = np.random.default_rng([0, batch()])
    shuffled, bootstrap = (Pool(folder, kind) for kind in ("shuffled", "bootstrap"))
    for pool in (shuffled, bootstrap):
        yield from rankings(pool, sets, rng)
    for pool, chooser in ((shuffled, bootstrap), (bootstrap, shuffled)):
        yield from neighbours(pool, chooser, max(sets // 5, 2), rng)
