"""128 runs of GloVe on a card: time, memory beside what was reckoned, and are they distributed as the CPU's?

Usage:
    PYTHONPATH=. python -m benchmarks.glove_many --device cuda

Bootstrap runs of the State of the Union addresses are trained by the technique, as `gpustab train` does. The first 16
of them are trained twice more, by themselves: their bits must be the same. 16 others, which share neither draws nor
seeds with any, are trained by the CPU; the permutation test of :mod:`benchmarks.distributions` compares both sixteens.
On a CPU, or with ``--quick``, few runs of a tenth of the corpus show that the script runs and nothing else.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from benchmarks.distributions import Floats, Losses, distance, loss_matrix, within
from benchmarks.setting import ROOT, environment, keep
from gpustab.bench.clock import one_call
from gpustab.corpus.sampling import Sample, draw_units, sample, training_seed
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from gpustab.machine.device import choose_device
from gpustab.trainers import glove
from gpustab.trainers.glove import GloveParameters, Run, Size, bytes_of, size_of, train


@contextmanager
def recording(sizes: list[list[Size]]) -> Iterator[None]:
    """Note the size of every run of every group that is trained at once."""

    def noting(*arguments: Any) -> Iterator[list[Run]]:
        for group in groups(*arguments):
            sizes.append([size_of(run) for run in group])
            yield group

    groups, glove.groups = glove.groups, noting
    try:
        yield
    finally:
        glove.groups = groups


def common_losses(samples: Sequence[Sample], runs: Sequence[Floats]) -> Losses:
    """Return the losses of all pairs of runs over the words that all of them have."""
    words = reduce(np.intersect1d, (one.words for one in samples))
    return loss_matrix([x[np.searchsorted(one.words, words)] for one, x in zip(samples, runs, strict=True)])


def measure(samples: Sequence[Sample], parameters: GloveParameters, few: int) -> dict[str, Any]:
    """Train all runs but the last ``few`` on the device of the parameters, and those on the CPU."""
    device, runs = choose_device(parameters.device), len(samples) - few
    seeds = [training_seed(0, "bootstrap", run) for run in range(len(samples))]
    sizes: list[list[Size]] = []
    found: list[Floats] = []
    print(f"training {runs} runs on {device}", flush=True)
    with recording(sizes):
        spent = one_call(lambda: found.extend(train(samples[:runs], parameters, seeds[:runs])), device)
    alone = [train(samples[:few], parameters, seeds[:few]) for _ in range(2)]
    print(f"training {few} runs on the CPU", flush=True)
    here = parameters.model_copy(update={"device": "cpu"})
    one = joblib.delayed(lambda run: train([samples[run]], here, [seeds[run]])[0])
    cpu = joblib.Parallel(n_jobs=-1)(one(run) for run in range(runs, len(samples)))
    losses = common_losses([*samples[:few], *samples[runs:]], [*found[:few], *cpu])
    return {
        "runs": runs,
        "seconds": spent.seconds,
        "trained_at_once": [len(group) for group in sizes],
        "reckoned_bytes": max(map(bytes_of, sizes)),
        "peak_bytes": None if spent.peak is None or spent.before is None else spent.peak - spent.before,
        "same_bits_alone": all(np.array_equal(x, y) for some in alone for x, y in zip(found, some, strict=False)),
        "compared": few,
        "within": within(losses, slice(0, few)),
        "within_cpu": within(losses, slice(few, None)),
        **distance(losses)._asdict(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results", help="folder of the JSON file")
    choice = parser.parse_args()
    device = choose_device(choice.device)
    quick = choice.quick or device.type == "cpu"
    corpus = prepare_corpus("sotu", CorpusOptions(fraction=0.1 if quick else 1.0))
    parameters = GloveParameters(device="cuda" if device.type == "cuda" else "cpu", epochs=2 if quick else 25)
    runs, few = (6, 4) if quick else (128, 16)
    samples = [sample(corpus, draw_units("bootstrap", len(corpus), 0, run)) for run in range(runs + few)]
    content = {
        "environment": environment(device),
        "corpus": {"name": corpus.name, "tokens": len(corpus.tokens), "words": len(corpus.vocabulary)},
        "parameters": parameters.model_dump(),
        **measure(samples, parameters, few),
    }
    keep(content, choice.out / f"glove_many-{device.type}{'-quick' if quick else ''}.json")
    print(json.dumps({key: value for key, value in content.items() if key != "environment"}, indent=1))


if __name__ == "__main__":
    main()
