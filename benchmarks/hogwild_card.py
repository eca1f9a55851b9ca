"""Where does the bias of Hogwild begin on a card? Programs a run, against one: a table of two minutes.

Usage:
    PYTHONPATH=. python -m benchmarks.hogwild_card --device cuda

Every cell trains the same shuffled runs (draws, seeds, pairs, noise words, learning rates of equal parts), by

- 1 program that stores its rows, which has gensim's distribution, and by 1 program that adds to them by atomic
  additions: what these alone change, for nobody else moves a row;
- 2, 4, 8, 16 and 64 programs by atomic additions, and 16 and 64 by plain stores, as word2vec's C code does.

Every cell has the loss within, the difference to one program (paired, with its error), the permutation test against a
group of one program with other draws and seeds, and seconds; see :func:`benchmarks.distributions.against`. The model in
step (:mod:`benchmarks.hogwild`) has the same table. A part of the State of the Union addresses is read, so that one
program takes seconds; with ``--fraction 1`` all of it is. On a CPU, in Triton's interpreter (``TRITON_INTERPRET=1
GPUSTAB_KERNELS=triton``), ``--quick`` shows that the script runs and nothing else.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import NamedTuple

import torch

from benchmarks.distributions import Floats, against
from benchmarks.setting import ROOT, environment, keep
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import draw_units, training_seed
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from gpustab.machine.device import choose_device
from gpustab.trainers.word2vec import Word2VecParameters
from gpustab.trainers.word2vec_gpu import train_many


class Cell(NamedTuple):
    """How runs are trained: by how many programs, and whether these add atomically."""

    programs: int
    atomic: bool


CELLS = [
    Cell(1, atomic=False),
    *(Cell(programs, atomic=True) for programs in (1, 2, 4, 8, 16, 64)),
    *(Cell(programs, atomic=False) for programs in (16, 64)),
]


def train(
    corpus: Corpus, runs: range, parameters: Word2VecParameters, cell: Cell, *, cbow: bool, device: torch.device
) -> list[Floats]:
    """Return the vectors of shuffled runs of these numbers."""
    draws = [draw_units("shuffled", len(corpus), 0, run) for run in runs]
    seeds = [training_seed(0, "shuffled", run) for run in runs]
    options = {"cbow": cbow, "device": str(device), "programs_per_run": cell.programs, "atomic": cell.atomic}
    return [run.vectors for run in train_many(corpus, draws, seeds, parameters, **options)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--runs", type=int, default=16, help="of a cell")
    parser.add_argument("--fraction", type=float, default=0.25, help="of the corpus sotu")
    parser.add_argument("--cbow", action="store_true", help="CBOW; else skip-gram")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results", help="folder of the JSON file")
    choice = parser.parse_args()
    device = choose_device(choice.device)
    if device.type == "cpu" and not choice.quick:
        raise SystemExit("this is about a card; give --device cuda, or --quick in Triton's interpreter")
    if choice.quick:
        corpus, runs = prepare_corpus("lee", CorpusOptions(fraction=0.001, min_count=5, unit="sentence")), 3
        parameters = Word2VecParameters(dim=5, epochs=1, negative=2, window=1)
    else:
        corpus, runs = prepare_corpus("sotu", CorpusOptions(fraction=choice.fraction)), choice.runs
        parameters = Word2VecParameters()
    one = train(corpus, range(runs), parameters, CELLS[0], cbow=choice.cbow, device=device)
    others, same, rows = range(runs, 2 * runs), [], []
    for cell in CELLS[::4] if choice.quick else CELLS:
        begun = time.perf_counter()
        some = train(corpus, others, parameters, cell, cbow=choice.cbow, device=device)
        seconds = time.perf_counter() - begun
        same = same or some
        rows.append(cell._asdict() | {"seconds": seconds} | against(one, same, some))
        print(json.dumps(rows[-1]), flush=True)
    content = {
        "environment": environment(device),
        "corpus": {"name": corpus.name, "tokens": len(corpus.tokens), "words": len(corpus.vocabulary)},
        "technique": "cbow" if choice.cbow else "sgns",
        "parameters": parameters.model_dump(),
        "runs": runs,
        "cells": rows,
    }
    name = f"hogwild_{content['technique']}-{device.type}{'-quick' if choice.quick else ''}.json"
    keep(content, choice.out / name)


if __name__ == "__main__":
    main()
