"""Training some runs of one corpus, beside plain gensim calls that make the same runs.

The plain calls have what a careful user would write: every run's texts as lists of strings, drawn and cut before the
clock starts, one thread a run, one run after the other or a process for every core. Ours read the corpus, draw, train,
write and check. The vectors must be equal bit by bit. Cores are those of all processes, of one more call.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Bench, Contender, start
from gpustab.corpus.sampling import draw_units, sample, training_seed
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.formats.registry import read_space
from gpustab.training import read_settings, train_runs
from gpustab.training.settings import TrainingSettings

SAMPLING = "bootstrap"
CORES = len(os.sched_getaffinity(0))
Texts = list[list[str]]


def plain(texts: Texts, seed: int, options: dict[str, Any]) -> tuple[list[str], NDArray[np.float32]]:
    """Train one run as gensim's own documentation does."""
    from gensim.models import Word2Vec

    vectors = Word2Vec(texts, sg=1, workers=1, min_count=1, seed=seed, **options).wv
    return vectors.index_to_key, vectors.vectors


def one_after_the_other(runs: Sequence[tuple[Texts, int]], options: dict[str, Any]) -> list[Any]:
    return [plain(texts, seed, options) for texts, seed in runs]


def process_a_core(runs: Sequence[tuple[Texts, int]], options: dict[str, Any]) -> list[Any]:
    return list(joblib.Parallel(CORES)(joblib.delayed(plain)(texts, seed, options) for texts, seed in runs))


def ours(settings: TrainingSettings, folder: Path, jobs: int) -> list[Any]:
    shutil.rmtree(folder, ignore_errors=True)
    train_runs(settings.model_copy(update={"jobs": jobs}), folder)
    spaces = [read_space(file) for file in sorted(folder.rglob("run-*.safetensors"))]
    return [
        ([space.vocabulary.text(i) for i in range(space.vectors.shape[0])], space.vectors.numpy()) for space in spaces
    ]


def difference(found: list[Any], wanted: list[Any]) -> float:
    """Return how far the vectors of equal words lie apart; infinity if the words differ."""
    worst = 0.0
    for (words, vectors), (names, rows) in zip(found, wanted, strict=True):
        at = dict(zip(names, rows, strict=True))
        if at.keys() != set(words):
            return float("inf")
        worst = max(worst, float(np.abs(vectors - np.stack([at[word] for word in words])).max()))
    return worst


def busy(call: Callable[[], object]) -> float:
    """Return for how many seconds a call and its children keep cores busy."""
    before = os.times()
    call()
    return sum(os.times()[:4]) - sum(before[:4])


def race(bench: Bench, corpus: str, runs: int, least: int, options: dict[str, Any]) -> None:
    parameters = {"dim": options["vector_size"], "epochs": options["epochs"], "window": options["window"]}
    choices = {"corpus": corpus, "samplings": [SAMPLING], "runs": runs, "engine": "gensim"}
    settings = read_settings(choices | {"options": {"min_count": least}, "sgns": parameters})
    whole = prepare_corpus(corpus, settings.options)
    words = [word.decode() for word in whole.vocabulary]
    drawn = []
    for run in range(runs):
        part = sample(whole, draw_units(SAMPLING, len(whole), settings.seed, run))
        texts = [[words[i] for i in piece.tolist()] for piece in part.pieces(10_000)]
        drawn.append((texts, training_seed(settings.seed, SAMPLING, run)))
    given = settings.parameters_of("sgns").settings(0)
    options = {
        name: given[name] for name in ("vector_size", "window", "negative", "sample", "alpha", "min_alpha")
    } | options
    wanted = one_after_the_other(drawn, options)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "runs"
        ways = {
            "gensim, one run after the other": lambda: one_after_the_other(drawn, options),
            f"gensim, {CORES} processes": lambda: process_a_core(drawn, options),
            "gpustab, one run after the other": lambda: ours(settings, folder, 1),
            f"gpustab, {CORES} processes": lambda: ours(settings, folder, CORES),
        }
        contenders = [Contender(way, call, lambda found: difference(found, wanted), 0.0) for way, call in ways.items()]
        size = {"runs": runs, "words": len(words), "tokens": len(whole.tokens)}
        for row in bench.race(f"skip-gram of {corpus}", size, contenders):
            row.note = f"{busy(ways[row.method]):.1f} s of cores"


def main() -> None:
    bench = start("training", __doc__)
    options = {"vector_size": 100, "window": 5, "epochs": 1 if bench.quick else 5}
    race(bench, "lee", 2 if bench.quick else 8, 5, options)
    if not bench.quick:
        race(bench, "sotu", 4, 20, options | {"epochs": 1})
    bench.finish()


if __name__ == "__main__":
    main()
