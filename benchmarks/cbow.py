"""Are runs of CBOW by the plain loop distributed as gensim's? On a CPU, by a permutation test.

Usage:
    OMP_NUM_THREADS=1 PYTHONPATH=. python -m benchmarks.cbow

Groups of shuffled runs that share neither draws nor seeds, each against gensim's: the plain loop; gensim again, which
is how far two groups of one engine lie apart; gensim as it comes, which lowers the learning rate every 10,000 tokens,
where the other groups of gensim do it every 200 and the loop at every one; and the loop from the start values of
word2vec's C code, which is another distribution, so that the test can be seen to fail. The plain loop is compiled by
numba; the kernel for cards is compared with it in the tests, given the same random numbers.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.compiled_cbow import train_cbow
from benchmarks.distributions import Floats, distance, loss_matrix, within
from benchmarks.setting import ROOT, environment, keep
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import draw_units, sample, training_seed
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from gpustab.kernels.jackknife import pair_statistics
from gpustab.kernels.training import word2vec
from gpustab.kernels.training.noise import Noise, noise_tables
from gpustab.kernels.training.reading import keep_thresholds, read_units, side_by_side, thin
from gpustab.trainers.word2vec import Word2VecParameters, train_word2vec

GENSIM, FINE, AS_IT_COMES = "gensim", 200, 10_000


def by_loop(corpus: Corpus, run: int, parameters: Word2VecParameters) -> Floats:
    """Return the vectors of a run by the plain loop, of the words that it reads."""
    seed = training_seed(0, "shuffled", run)
    draw = torch.from_numpy(draw_units("shuffled", len(corpus), 0, run))
    tokens, texts = read_units(*map(torch.from_numpy, (corpus.tokens, corpus.texts, corpus.units)), draw)
    counts = torch.bincount(tokens, minlength=len(corpus.vocabulary))
    keep = keep_thresholds(counts, parameters.subsample)
    noise = Noise(*(column[None] for column in noise_tables(counts.double() ** 0.75)))
    model = word2vec.start_model(len(counts), parameters.dim, [seed], spread=parameters.spread)
    recipe = word2vec.Recipe(
        parameters.window, parameters.negative, parameters.epochs, parameters.alpha, parameters.min_alpha, cbow=True
    )
    for epoch in range(parameters.epochs):
        train_cbow(side_by_side([thin(tokens, texts, keep, seed, epoch)]), noise, model, seed, epoch, recipe)
    return model.inputs[0][counts > 0].numpy()


def by_gensim(corpus: Corpus, run: int, parameters: Word2VecParameters, batch_words: int) -> Floats:
    """Return the vectors of a run by gensim."""
    drawn = sample(corpus, draw_units("shuffled", len(corpus), 0, run))
    seed = training_seed(0, "shuffled", run)
    return train_word2vec(drawn, parameters, seed, sg=0, batch_words=batch_words)


def describe(losses: NDArray[np.float64], runs: list[Floats]) -> dict[str, float]:
    """Return mean loss within a group with its error, mean length of vectors, mean cosine of all pairs of words."""
    found = pair_statistics(torch.from_numpy(losses))
    lengths = [np.linalg.norm(x, axis=1) for x in runs]
    means = [(x / length[:, None]).mean(0) for x, length in zip(runs, lengths, strict=True)]
    return {
        "within": within(losses, slice(None)),
        "within_se": found.se,
        "length": float(np.mean(lengths)),
        "mean_cosine": float(np.mean([mean @ mean for mean in means])),
        "mean_cosine_se": float(np.std([mean @ mean for mean in means], ddof=1) / len(runs) ** 0.5),
    }


def train(corpus: Corpus, parameters: Word2VecParameters, runs: int) -> dict[str, list[Floats]]:
    """Return the groups, each with draws and seeds of its own."""
    narrow = parameters.model_copy(update={"spread": 0.5})
    how = {
        GENSIM: partial(by_gensim, corpus, parameters=parameters, batch_words=FINE),
        "loop": partial(by_loop, corpus, parameters=parameters),
        "gensim again": partial(by_gensim, corpus, parameters=parameters, batch_words=FINE),
        "gensim as it comes": partial(by_gensim, corpus, parameters=parameters, batch_words=AS_IT_COMES),
        "loop, start ±0.5/d": partial(by_loop, corpus, parameters=narrow),
    }
    groups = {}
    for number, (name, one) in enumerate(how.items()):
        groups[name] = [one(run) for run in range(number * runs, (number + 1) * runs)]
        print(f"{name}: {time.process_time():.0f} s of the processor", flush=True)
    return groups


def both_groups(number: int, runs: int) -> list[int]:
    """Return the numbers of gensim's runs and those of another group."""
    return [*range(runs), *range(number * runs, (number + 1) * runs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=16, help="of a group")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "cbow-cpu.json")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    corpus = prepare_corpus("lee", CorpusOptions(min_count=5))
    parameters = Word2VecParameters(dim=choice.dim, epochs=choice.epochs, alpha=choice.alpha)
    groups, runs = train(corpus, parameters, choice.runs), choice.runs
    losses = loss_matrix([x for some in groups.values() for x in some])
    content = {
        "environment": environment(torch.device("cpu")),
        "corpus": {"name": corpus.name, "tokens": len(corpus.tokens), "words": len(corpus.vocabulary)},
        "parameters": parameters.model_dump(),
        "runs": runs,
        "groups": {
            name: describe(losses[rows := slice(n * runs, (n + 1) * runs), rows], some)
            | ({} if name == GENSIM else distance(losses[np.ix_(both := both_groups(n, runs), both)])._asdict())
            for n, (name, some) in enumerate(groups.items())
        },
    }
    keep(content, choice.out)
    print(json.dumps(content["groups"], indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
