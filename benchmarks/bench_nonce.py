"""Nonce2Vec of many samples at once, beside a loop over samples and steps: training, schedules, and end to end.

End to end is from sentences to the table: sums, schedules, training, places among 20,000 words; and, ours alone,
consistency with its null level and jackknife over all pairs of samples. The loop is the public code's training step in
numpy, one pair after the other, without the reloading of the model for each sample that the public code does besides.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import torch
from scipy import sparse

from benchmarks.harness import Bench, Contender, Row, start
from gpustab.kernels.training.nonce import train_nonce
from gpustab.runs.load import open_groups
from gpustab.runs.runs import Runs
from gpustab.small_data.additive import Frequencies, chances, context_counts, instances, kept_tokens
from gpustab.small_data.nonce import Output, draw_negatives, padded, trained, training_pairs
from gpustab.small_data.text import Ids, Samples, Text
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.studies.consistency.measures import NullPairs, places, unit
from gpustab.studies.consistency.models import of_model
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Prepared, draw_samples
from gpustab.studies.consistency.tuning import nonce_settings, pairs_of

Size = dict[str, int]
WORDS, LENGTH = 20_000, 22
OPTIONS = ConsistencyOptions(alpha=0.1, negatives=5, alpha_decay=30, sample_decay=2.5)
SETTINGS = nonce_settings(OPTIONS)
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
    pairs = training_pairs(text, samples, rows, counts, SETTINGS)
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
    sums = context_counts(text, samples, rows, WORDS, kept, OPTIONS.window) @ vectors
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


def background(size: Size) -> tuple[Runs, Output]:
    """Return the words' vectors as a background, and their output vectors."""
    generator = np.random.default_rng(1)
    vectors, output = (generator.normal(size=(WORDS, size["d"])) * s for s in (1.0, 0.3))
    names = Vocabulary(str(k).encode() for k in range(WORDS))
    counts = torch.from_numpy((1e8 / np.arange(1, WORDS + 1)).astype(np.int64))
    space = Space(names, torch.from_numpy(vectors).float(), counts)
    return open_groups([space], single_runs=True)[0].load(), Output(torch.from_numpy(output), counts.numpy())


def ours(prepared: Prepared, runs: Runs, output: Output, pairs: bool) -> tuple[torch.Tensor, Any]:
    """Do what the loop does, and with ``pairs`` all that the study does with one run."""
    whole = prepared.of(prepared.samples, runs, OPTIONS)
    words = unit(runs.rows[0][0:WORDS])
    found = trained(whole.sums(runs, 0), output, pairs_of(whole, output, SETTINGS), SETTINGS)
    what = of_model(found, whole, words) if pairs else places(found, whole.samples, words, whole.term_rows)
    return found, what


def by_loops(prepared: Prepared, runs: Runs, output: Output, problems: int) -> np.ndarray:
    """Do it sample by sample, with the same random numbers; only the first samples."""
    text, samples = prepared.text, prepared.samples
    found = instances(text, samples)
    found = found.take(found.target | (prepared.frequencies.rows[text.tokens[found.place]] >= 0))
    uniform = np.random.default_rng([OPTIONS.seed, 4]).random(len(found.place))
    negatives = iter(draw_negatives(pairs_of(prepared, output, SETTINGS).row, output.counts, OPTIONS.negatives, 0))
    vectors, outputs = runs.rows[0][0:WORDS].double().numpy(), output.vectors.numpy()
    unit_words = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    owner, rows, learned = samples.owner[found.member], prepared.frequencies.rows[text.tokens], []
    for p in range(problems):
        x = np.zeros(vectors.shape[1])
        for s in samples.members[samples.starts[p] : samples.starts[p + 1]].tolist():
            tokens = range(text.starts[s], text.starts[s + 1])
            places = [k for k in tokens if prepared.kept[k] or rows[k] < 0]
            targets = [i for i, k in enumerate(places) if rows[k] < 0]
            for i, k in enumerate(places):
                if rows[k] >= 0 and min(abs(i - t) for t in targets) <= OPTIONS.window:
                    x += vectors[rows[k]]
        steps = _steps(np.flatnonzero(owner == p), found, rows, text, output.counts, uniform)
        learned.append(_trained_alone(x, outputs, steps, negatives))
        cosines = unit_words @ (learned[-1] / np.linalg.norm(learned[-1]))
        [int((cosines > one @ learned[-1]).sum()) for one in learned[-5:]]
    return np.array(learned)


def _steps(mine: Ids, found: Any, rows: Ids, text: Text, counts: Ids, uniform: np.ndarray) -> list[tuple[int, int]]:
    """Steps of one sample: number of the pair, and the word."""
    own = Counter(text.tokens[found.place[mine]].tolist())
    steps, time, window, total = list[tuple[int, int]](), 0, OPTIONS.nonce_window, OPTIONS.sample * len(mine)
    for s, member in enumerate(sorted(set(found.member[mine].tolist()))):
        sentence = []
        for k in mine[found.member[mine] == member].tolist():
            word = int(text.tokens[found.place[k]])
            share = ((counts[word] if word < WORDS else 0) + own[word]) / total
            if found.target[k] or uniform[k] < min(1.0, (share**0.5 + 1) / share) / OPTIONS.sample_decay**s:
                sentence.append((int(rows[found.place[k]]), bool(found.target[k])))
        for i, (row, is_target) in enumerate(sentence):
            for j in range(max(0, i - window), min(len(sentence), i + window + 1)):
                if i != j and sentence[j][1]:
                    time += 1
                    steps += [] if is_target else [(time, row)]
        window = max(window - OPTIONS.window_decay, 0) if window > 3 else window
    return steps


def _trained_alone(x: np.ndarray, outputs: np.ndarray, steps: list[tuple[int, int]], negatives: Any) -> np.ndarray:
    for time, row in steps:
        rows = outputs[[row, *next(negatives)]]
        g = -1 / (1 + np.exp(-rows @ x))
        g[0] += 1
        x = x + max(OPTIONS.alpha * np.exp(-(time - 1) / OPTIONS.alpha_decay), 1e-4) * g @ rows
    return x


def end_to_end(bench: Bench, size: Size) -> list[Row]:
    text, samples, rows, counts = made(size)
    runs, output = background(size)
    kept = kept_tokens(text, chances(counts, int(counts.sum()), 1e-4), 0)
    empty = sparse.csr_matrix((len(samples.term), WORDS))
    there = torch.zeros(len(samples.term), dtype=torch.float64)
    found = Frequencies(counts, int(counts.sum()), rows)
    prepared = Prepared(text, samples, found, kept, empty, there, NullPairs(samples, there), [], "made", samples.terms)
    problems = min(LOOPED, len(samples.term))
    loop = partial(by_loops, prepared, runs, output, problems)
    check = partial(error, truth=loop())
    contenders = [
        Contender("sample by sample", loop, check, 0, problems / len(samples.term), f"{LOOPED} samples timed"),
        Contender("gpustab", partial(ours, prepared, runs, output, False), lambda found: check(found[0]), 1e-9),
        Contender(
            "gpustab, and all pairs", partial(ours, prepared, runs, output, True), lambda found: check(found[0]), 1e-9
        ),
    ]
    return bench.race("Nonce2Vec, end to end", size, contenders)


def main() -> None:
    bench = start("nonce", __doc__)
    sizes = [50] if bench.quick else [250, 500, 1000, 2000]
    rows = [training(bench, {"terms": terms, "d": 100}) for terms in sizes]
    bench.growth("terms", [own[-1] for own in rows])
    whole = [end_to_end(bench, {"terms": terms, "d": 100}) for terms in sizes[:3]]
    for method in (-2, -1):
        bench.growth("terms", [own[method] for own in whole])
    for terms in sizes:
        schedules(bench, {"terms": terms, "d": 100})
    bench.finish()


if __name__ == "__main__":
    main()
