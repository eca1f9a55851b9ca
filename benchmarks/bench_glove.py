"""GloVe on bootstrap samples of the State of the Union addresses: runs together, one by one, and beside mittens.

The check of a run is Spearman's correlation with WordSim-353: a method whose vectors do not reach 0.2 is refused, and
the error is 1 − correlation. mittens holds v × v arrays in float64 and uses all of them in every one of its
iterations, so it gets as many iterations as the others have epochs: a time per pass, not per quality.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy.stats import spearmanr

from benchmarks.harness import Bench, Contender, start
from gpustab.corpus.cooccurrence import count_sample
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import Sample, draw_units, sample
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from gpustab.trainers.base import Vectors
from gpustab.trainers.glove import GloveParameters, fit

RUNS = 16
"""So many on a GPU; on a CPU, where training them at once gains little or, with one thread, loses, four."""


def word_similarity(corpus: Corpus) -> Callable[[Sample, Vectors], float]:
    """Return a function that correlates cosines with the judgements of WordSim-353, over the pairs that are there."""
    from gensim.test.utils import datapath

    with open(datapath("wordsim353.tsv"), encoding="utf-8") as lines:  # noqa: PTH123  # a path of gensim's
        table = [line.lower().split("\t") for line in lines if not line.startswith("#")]
    pairs = [(a, b, float(score)) for a, b, score, *_ in table if a in corpus.vocabulary and b in corpus.vocabulary]

    def correlation(drawn: Sample, vectors: Vectors) -> float:
        row = {corpus.vocabulary[i].decode(): n for n, i in enumerate(drawn.words.tolist())}
        known = [(row[a], row[b], score) for a, b, score in pairs if a in row and b in row]
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        i, j = (np.array([pair[side] for pair in known]) for side in (0, 1))
        return float(spearmanr((unit[i] * unit[j]).sum(1), [score for *_, score in known]).statistic)

    return correlation


def mittens(drawn: Sample, parameters: GloveParameters) -> list[Vectors]:
    from mittens import GloVe

    model = GloVe(
        n=parameters.dim,
        xmax=int(parameters.x_max),
        alpha=parameters.alpha,
        max_iter=parameters.epochs,
        learning_rate=parameters.rate,
        display_progress=10**9,
    )
    return [model.fit(count_sample(drawn, parameters.window, "harmonic").toarray())]


def one_by_one(samples: Sequence[Sample], parameters: GloveParameters) -> list[Vectors]:
    return [at_once([one], parameters, seed)[0] for seed, one in enumerate(samples, start=1)]


def at_once(samples: Sequence[Sample], parameters: GloveParameters, first_seed: int = 1) -> list[Vectors]:
    counts = (count_sample(one, parameters.window, "harmonic") for one in samples)
    word, context = fit(counts, parameters, range(first_seed, first_seed + len(samples)))
    both = (word.vectors + context.vectors).cpu().split([len(one.words) for one in samples])
    return [one.numpy() for one in both]


def race(bench: Bench, corpus: Corpus, parameters: GloveParameters, runs: int) -> None:
    samples = [sample(corpus, draw_units("bootstrap", len(corpus), 0, run)) for run in range(runs)]
    correlation = word_similarity(corpus)

    def error(vectors: list[Vectors]) -> float:
        found = [correlation(one, x) for one, x in zip(samples, vectors, strict=False)]  # mittens makes one run
        print("  WordSim-353:", *(f"{rho:.3f}" for rho in found), flush=True)
        return 1 - min(found)

    tolerance = 0.8 if not bench.quick else 2.0
    contenders = [
        Contender("one by one", partial(one_by_one, samples, parameters), error, tolerance),
        Contender(f"{runs} together", partial(at_once, samples, parameters), error, tolerance),
    ]
    size = {
        "R": runs,
        "v": len(corpus.vocabulary),
        "tokens": len(corpus.tokens),
        "d": parameters.dim,
        "epochs": parameters.epochs,
    }
    if find_spec("mittens"):
        peer = partial(mittens, samples[0], parameters)
        note = "one run; its first passes, no word similarity yet"
        contenders.append(Contender("mittens, float64", peer, error, 2.0, share=1 / runs, note=note))
    rows = bench.race("GloVe", size, contenders)
    for row in rows:
        row.note = f"{row.median / runs:.1f} s per run; {row.note}".rstrip("; ") if row.median else row.note
    if not find_spec("mittens"):
        bench.leave_out("GloVe", size, "mittens", "mittens is not installed")


def main() -> None:
    bench = start("glove", __doc__)
    corpus = prepare_corpus("sotu", CorpusOptions(fraction=0.1 if bench.quick else 1.0))
    runs = 3 if bench.quick else RUNS if bench.device.type == "cuda" else 4
    device = "cuda" if bench.device.type == "cuda" else "cpu"
    race(bench, corpus, GloveParameters(device=device, epochs=2 if bench.quick else 25), runs)
    bench.finish()


if __name__ == "__main__":
    main()
