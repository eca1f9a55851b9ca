"""Do runs of skip-gram lie farther apart where several programs train one? A model of the order of updates.

Usage:
    OMP_NUM_THREADS=1 PYTHONPATH=. python -m benchmarks.hogwild

P programs go in step through their parts of a run, as those of :mod:`gpustab.kernels.training.triton_word2vec` do: same
parts, pairs, noise words and learning rates. A step is one pair of every program. What they write is

- *ordered*: seen by the next program of the same step (shared out, but never at the same time);
- *stale*: added at the end of the step, to rows that all had read at its beginning (atomic additions);
- *lost*: stored at the end of the step, so that of a row that several moved the last one's stays (plain stores); which
  program is the last one changes from step to step;
- *root* and *mean*: as stale, but what m programs add to one row is divided by √m or by m.

Real programs do not go in step: a row may be older than here, or younger. Every group of runs has the same draws and
seeds, so that differences of their losses are known better than the losses. The permutation test of
`benchmarks/distributions.py` is made against a group of one program with other draws and seeds. Needs numba, which
nothing else here does.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch

from benchmarks.distributions import Floats, against, loss_matrix
from benchmarks.lockstep import draw_pairs, train_pairs
from benchmarks.setting import ROOT, environment, keep
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import draw_units, training_seed
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.kernels.jackknife import pair_statistics
from gpustab.kernels.training import word2vec
from gpustab.kernels.training.noise import Noise, noise_tables
from gpustab.kernels.training.reading import keep_thresholds, read_units, side_by_side, thin


class Cell(NamedTuple):
    """How runs are trained: by how many programs, and one of :data:`benchmarks.lockstep.ORDERS`."""

    programs: int
    order: str


CELLS = [
    Cell(1, "ordered"),
    *(Cell(programs, order) for order in ("ordered", "stale", "lost") for programs in (2, 4, 8, 16, 64)),
    *(Cell(programs, "stale") for programs in (256, 1024)),
    *(Cell(1024, order) for order in ("root", "mean")),
]

FEWEST = 3
"""Runs, below which no error can be told."""


def train_run(corpus: Corpus, run: int, dim: int, recipe: word2vec.Recipe, cells: Sequence[Cell]) -> list[Floats]:
    """Return the vectors ``(v, d)`` of a shuffled run in every cell, which all read and draw the same."""
    seed = training_seed(0, "shuffled", run)
    draw = torch.from_numpy(draw_units("shuffled", len(corpus), 0, run))
    arrays = (torch.from_numpy(part) for part in (corpus.tokens, corpus.texts, corpus.units))
    tokens, texts = read_units(*arrays, draw)
    counts = torch.bincount(tokens, minlength=len(corpus.vocabulary))
    keep = keep_thresholds(counts, 1e-3)
    noise = Noise(*(column[None] for column in noise_tables(counts.double() ** 0.75)))
    models = [word2vec.start_model(len(counts), dim, [seed], spread=1) for _ in cells]
    for epoch in range(recipe.epochs):
        reading = side_by_side([thin(tokens, texts, keep, seed, epoch)])
        pairs = draw_pairs(reading, noise, seed, epoch, recipe)
        for model, cell in zip(models, cells, strict=True):
            train_pairs(pairs, len(reading.tokens), model, epoch, recipe, *cell)
    return [model.inputs[0].numpy() for model in models]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=8, help="of a group")
    parser.add_argument("--seconds", type=float, default=300, help="of the processor; no run is begun after them")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "hogwild.json")
    options = parser.parse_args()
    torch.set_num_threads(1)
    corpus = prepare_corpus("lee")
    recipe = word2vec.Recipe(window=5, negative=5, epochs=options.epochs, rate=0.025, last_rate=1e-4)
    train = partial(train_run, corpus, dim=options.dim, recipe=recipe)
    one: list[Floats] = []
    runs: list[list[Floats]] = []
    for run in range(options.runs):
        if run >= FEWEST and time.process_time() > options.seconds:
            break
        one += train(run, cells=CELLS[:1])
        runs.append(train(options.runs + run, cells=CELLS))
        print(f"{run + 1} runs of every cell: {time.process_time():.0f} s of the processor", flush=True)
    groups = list(zip(*runs, strict=True))
    rows = []
    for cell, some in zip(CELLS, groups, strict=True):
        rows.append(cell._asdict() | against(one, groups[0], some))
        print(json.dumps(rows[-1]), flush=True)
    content = {
        "environment": environment(torch.device("cpu")),
        "corpus": {"name": corpus.name, "tokens": len(corpus.tokens), "words": len(corpus.vocabulary)},
        "recipe": recipe._asdict() | {"dim": options.dim},
        "runs": len(runs),
        "reference": pair_statistics(torch.from_numpy(loss_matrix(one)))._asdict(),
        "cells": rows,
    }
    keep(content, options.out)


if __name__ == "__main__":
    main()
