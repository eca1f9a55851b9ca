"""Nonce2Vec of many samples at once, beside a loop over samples and steps; schedules, training and cosines apart.

The loop is the public code's training step in numpy, one pair after the other, without the reloading of the model for
each sample that the public code does besides.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.harness import Bench, Contender, Row, start
from gpustab.kernels.training.nonce import train_nonce
from gpustab.studies.consistency.contexts import chances, context_counts, kept_tokens
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Samples, draw_samples
from gpustab.studies.consistency.schedules import draw_negatives, padded, training_pairs
from gpustab.studies.consistency.text import Ids, Text

Size = dict[str, int]
WORDS, LENGTH = 20_000, 22
OPTIONS = ConsistencyOptions(alpha=0.1, negatives=5, alpha_decay=30, sample_decay=2.5)
"""The paper's tuned settings."""
LOOPED = 500


def made(size: Size) -> tuple[Text, Samples, Ids, Ids]:
    """Return a text of 50 sentences a term, its samples, and the words' rows and counts in the background."""
    generator = np.random.default_rng(0)
    n = 50 * size["terms"]
    counts = (1e8 / np.arange(1, WORDS + 1)).astype(np.int64)
    tokens = np.minimum((WORDS ** generator.random((n, LENGTH))).astype(np.int64), WORDS - 1)  # Zipf
    tokens[:, LENGTH // 2] = WORDS + np.arange(n) % size["terms"]
    names = [str(k).encode() for k in range(WORDS + size["terms"])]
    text = Text("made", names, tokens.ravel(), LENGTH * np.arange(n + 1), np.zeros(n, np.int64), 0)
    rows = np.where(np.arange(len(names)) < WORDS, np.arange(len(names)), -1)
    samples = draw_samples(text, range(WORDS, len(names)), OPTIONS)
    return text, samples, rows, np.concatenate([counts, np.zeros(size["terms"], np.int64)])


def schedule(text: Text, samples: Samples, rows: Ids, counts: Ids) -> tuple[Any, Any]:
    """Return the steps of all samples."""
    pairs = training_pairs(text, samples, rows, counts, OPTIONS)
    negatives = draw_negatives(pairs.row, counts[:WORDS], OPTIONS.negatives, 0)
    return padded(pairs, negatives, len(samples.term), OPTIONS.alpha, OPTIONS.alpha_decay)


def looped(start: np.ndarray, output: np.ndarray, ids: np.ndarray, rates: np.ndarray, problems: int) -> np.ndarray:
    """Train the first samples step by step."""
    found = start[:problems].copy()
    for x, own, alphas in zip(found, ids, rates, strict=False):
        for step, alpha in zip(own, alphas, strict=True):
            if alpha:
                rows = output[step]
                g = -1 / (1 + np.exp(-rows @ x))
                g[0] += 1
                x += alpha * g @ rows
    return found


def error(found: Any, truth: np.ndarray) -> float:
    """Largest difference of a coordinate of the first samples, relative to the largest coordinate."""
    values = found.cpu().numpy() if isinstance(found, torch.Tensor) else found
    return float(np.abs(values[: len(truth)] - truth).max() / np.abs(truth).max())


def training(bench: Bench, size: Size) -> list[Row]:
    text, samples, rows, counts = made(size)
    ids, rates = schedule(text, samples, rows, counts)
    generator = np.random.default_rng(1)
    vectors, output = (generator.normal(size=(WORDS, size["d"])) * s for s in (1.0, 0.3))
    kept = kept_tokens(text, chances(counts, int(counts.sum()), 1e-4), 0)
    sums = context_counts(text, samples, rows, WORDS, kept, OPTIONS) @ vectors
    loop = partial(looped, sums, output, ids, rates, min(LOOPED, len(sums)))
    check = partial(error, truth=loop())
    here = [torch.from_numpy(x).to(bench.device) for x in (sums, output, ids, rates)]
    contenders = [
        Contender("sample by sample", loop, check, 0, min(LOOPED, len(sums)) / len(sums), f"{LOOPED} samples timed"),
        Contender("gpustab, output frozen", lambda: train_nonce(*here), check, 1e-9),
    ]
    return bench.race("Nonce2Vec, training", size | {"steps": ids.shape[1]}, contenders)


def schedules(bench: Bench, size: Size) -> list[Row]:
    text, samples, rows, counts = made(size)
    truth = schedule(text, samples, rows, counts)[0]
    ours = Contender(
        "gpustab", partial(schedule, text, samples, rows, counts), lambda x: float(np.abs(x[0] - truth).max()), 0
    )
    return bench.race("Nonce2Vec, schedules", size, [ours])


def main() -> None:
    bench = start("nonce", __doc__)
    sizes = [50] if bench.quick else [250, 500, 1000, 2000]
    rows = [training(bench, {"terms": terms, "d": 100}) for terms in sizes]
    bench.growth("terms", [own[-1] for own in rows])
    for terms in sizes:
        schedules(bench, {"terms": terms, "d": 100})
    bench.finish()


if __name__ == "__main__":
    main()
