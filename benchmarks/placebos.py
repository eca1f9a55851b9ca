"""Counts how often sentences are wrong on placebos of real text, where the truth is known.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.placebos --out benchmarks/results

Runs are trained once on the 293 news of `lee`: pools, from which sets of R are drawn. A placebo is made so that a claim
is false (one group split in two, chapters in random order, documents dealt out to two periods); the truth of a claim on
words is what the runs that were not drawn say. *Said* is how often the claim was made, *wrong* how often
of these it should not have been, *missed* how often nothing was said where something is there. The page of the
documentation is written from the result (`python -m docs.claims`).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from scipy.stats import spearmanr

from benchmarks.setting import keep
from gpustab import engine
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.kernels.overlap import shared_neighbours
from gpustab.machine.device import DEFAULT
from gpustab.runs.key import Key
from gpustab.runs.load import load_runs, open_groups
from gpustab.runs.runs import Runs
from gpustab.small_data.text import Text
from gpustab.statistics.levels import of_shares
from gpustab.statistics.reliability import WordValues, reliability
from gpustab.statistics.windows import local_median, place, standing_out
from gpustab.studies.change.claims import BEYOND_SAMPLING, MORE_THAN_AT_RANDOM
from gpustab.studies.change.differences import control_difference
from gpustab.studies.change.study import change
from gpustab.studies.change.tables import PAIRS
from gpustab.studies.compare.study import compare
from gpustab.studies.consistency.claims import HALVES_DIFFER
from gpustab.studies.consistency.comparisons import halves_and_random
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import prepare
from gpustab.studies.neighbours.claims import margin, verdict
from gpustab.studies.stability.claims import LISTS
from gpustab.studies.stability.words import least_stable
from gpustab.training import read_settings, train_runs

RUNS = (3, 5, 8, 16)
N = 10
CPU = torch.device("cpu")


class Row(NamedTuple):
    """One cell: a claim, its placebo, the runs; how often it was said, and wrongly, or missed."""

    claim: str
    placebo: str
    noise: str
    runs: int
    sets: int
    said: int
    wrong: int
    missed: int


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
        for _ in range(sets):
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
        yield Row("stability.ranks-words", "a reliability told 0.1 too high", noise, r, sets, *order)
        yield Row("stability.least-listed", "words surely in the least tenth that are not", noise, r, sets, *tenth)
        yield Row("stability.least-listed", "lists with under half of what is promised", noise, r, sets, *listed)


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
        for _ in range(sets):
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
            what = f"{name} neighbours, chosen by another run"
            yield Row("neighbours.holds", what, pool.noise, r, sets, *map(int, counted))


def one_group_split(pool: Pool, sets: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two sets of one group: neither is more stable, and no word differs more than others."""
    for r in RUNS[:3]:
        sides, words = [0, 0, 0], [0, 0, 0]
        for _ in range(sets):
            drawn = rng.permutation(len(pool.runs))
            groups = [pool.runs.take(drawn[a : a + r].tolist()) for a in (0, r)]
            result = compare(*(_named(runs, name) for runs, name in zip(groups, "ab", strict=True)))
            says = result.contrasts[0]["verdict"]
            sides[0] += says in {"first", "second", "disagree"}
            sides[1] += says in {"first", "second", "disagree"}
            named = sum(name != "" for name in result.tables["words"]["surely"])
            words[0] += named > 0
            words[1] += named > 0
        yield Row("compare.more-stable", "one group split in two", pool.noise, r, sets, *sides)
        yield Row("compare.words-differ", "one group split in two", pool.noise, r, sets, *words)


def _named(runs: Runs, name: str) -> Runs:
    return replace(runs, key=Key(name))


def news() -> list[list[str]]:
    """The documents of lee as lists of words."""
    corpus = prepare_corpus("lee", CorpusOptions(min_count=3))
    bounds = corpus.texts[corpus.documents].tolist()
    return [[corpus.vocabulary.text(int(k)) for k in corpus.tokens[a:b]] for a, b in pairwise(bounds)]


def chapters(sets: int) -> Iterator[Row]:
    """News in random order, ten a chapter: nothing develops, as one document and as 24."""
    texts = news()
    words = sorted({word for text in texts for word in text})
    vectors = np.random.default_rng(0).normal(size=(len(words), 20))
    runs = open_groups([(words, vectors)], single_runs=True)[0].load()
    for kind in ("documents", "blocks"):
        said = 0
        for seed in range(sets):
            options = ConsistencyOptions(
                split="half", cutoff=4, subsample=0, permutations=99, number=40, terms="random", seed=seed
            )
            order = np.random.default_rng(seed).permutation(len(texts))[:240]
            parts_of = [[texts[k] for k in chapter] for chapter in np.sort(order.reshape(24, 10), 1)]
            lists = [text[a : a + 12] for chapter in parts_of for text in chapter for a in range(0, len(text), 12)]
            sizes = [sum(-(-len(text) // 12) for text in chapter) for chapter in parts_of]
            number = np.repeat(np.arange(24), sizes) if kind == "documents" else np.zeros(len(lists), np.int64)
            prepared = prepare(text_of(lists, number), None, runs, options, CPU)
            said += HALVES_DIFFER.judge(halves_and_random(prepared, runs, options)[0]) == "differ"
        yield Row("consistency.halves-differ", f"news in random order, by {kind}", "-", 1, sets, said, said, 0)


def text_of(lists: list[list[str]], documents: np.ndarray) -> Text:
    """A text of lists of words."""
    number = {word: k for k, word in enumerate(dict.fromkeys(word for one in lists for word in one))}
    tokens = np.array([number[word] for one in lists for word in one], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    return Text("news", [word.encode() for word in number], tokens, starts, documents.astype(np.int64), 0)


def periods(folder: Path, sets: int) -> Iterator[Row]:
    """Documents dealt out at random to two periods, and the same with words exchanged in the second."""
    texts = news()
    counts: dict[str, int] = {}
    for text in texts:
        for word in text:
            counts[word] = counts.get(word, 0) + 1
    middle = sorted((word for word, n in counts.items() if 10 <= n <= 60), key=lambda word: (-counts[word], word))
    for technique, more in (("lsa", {"lsa": {"dim": 30}}), ("ppmi_svd", {"ppmi_svd": {"dim": 20}})):
        for r in RUNS[:3]:
            for planted in (False, True):
                tally = {"beyond": [0, 0, 0], "random": [0, 0, 0]}
                noise = []
                for seed in range(sets):
                    rng = np.random.default_rng(seed)
                    late = set(rng.permutation(len(texts))[: len(texts) // 2].tolist())
                    other = dict(zip(middle, rng.permutation(middle).tolist(), strict=True)) if planted else {}
                    place_of = folder / f"{technique}-{r}-{planted}-{seed}"
                    place_of.mkdir()
                    with (place_of / "news.jsonl").open("w", encoding="utf-8") as file:
                        for k, text in enumerate(texts):
                            own = [other.get(word, word) for word in text] if k in late else text
                            file.write(json.dumps({"text": " ".join(own), "year": 1950 if k in late else 1850}) + "\n")
                    settings = {
                        "corpus": str(place_of / "news.jsonl"),
                        "techniques": [technique],
                        "samplings": ["shuffled", "bootstrap"],
                        "runs": r,
                        "epochs_by": "year:1800-2000:100",
                        "control": 2,
                        "options": {"min_count": 3},
                    }
                    train_runs(read_settings(settings | more), place_of / "runs")
                    result = change(open_groups([place_of / "runs"]), min_count=10, resamples=0)
                    rows = [row for row in PAIRS.rows(result.tables) if not row.bootstrap]
                    genuine = next(row for row in rows if not row.control)
                    noise.append(genuine.training_floor / genuine.unlike)
                    verdicts = {
                        "beyond": BEYOND_SAMPLING.judge(genuine),
                        "random": MORE_THAN_AT_RANDOM.judge(control_difference(rows)),
                    }
                    for name, says in verdicts.items():
                        tally[name][0] += says in {"more", "no more"}
                        tally[name][1] += says == ("no more" if planted else "more")
                        tally[name][2] += planted and says != "more"
                what = f"{len(middle)} words exchanged" if planted else "documents dealt out at random"
                level = f"{technique}, training {np.mean(noise):.2f} of two words"
                yield Row("change.beyond-sampling", what, level, r, sets, *tally["beyond"])
                yield Row("change.more-than-at-random", what, level, r, sets, *tally["random"])


def rows(sets: int, parts_wanted: str | None = None, pool: int = 64) -> Iterator[Row]:
    """Yield every cell of some parts, by pools of so many runs."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = {"corpus": "lee", "techniques": ["lsa"], "samplings": ["shuffled", "bootstrap"], "runs": pool}
        settings |= {"options": {"min_count": 3}, "lsa": {"dim": 30}}
        train_runs(read_settings(settings), folder / "pools")
        shuffled, bootstrap = (Pool(folder / "pools", kind) for kind in ("shuffled", "bootstrap"))
        kinds: dict[str, Callable[[], Iterator[Row]]] = {
            "rankings": lambda: (row for pool in (shuffled, bootstrap) for row in rankings(pool, sets, rng)),
            "neighbours": lambda: (
                row
                for pool, chooser in ((shuffled, bootstrap), (bootstrap, shuffled))
                for row in neighbours(pool, chooser, max(sets // 5, 2), rng)
            ),
            "compare": lambda: (row for pool in (shuffled, bootstrap) for row in one_group_split(pool, sets, rng)),
            "halves": lambda: chapters(2 * sets),
            "change": lambda: periods(folder, max(sets // 5, 2)),
        }
        for kind, make in kinds.items():
            if parts_wanted is None or kind in parts_wanted.split(","):
                yield from make()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--only", help="rankings, neighbours, compare, halves, change; several with commas")
    parser.add_argument("--out", type=Path)
    choices = parser.parse_args()
    found, start = [], time.monotonic()
    for row in rows(choices.sets, choices.only):
        found.append(row._asdict())
        print(*row, f"{time.monotonic() - start:.0f} s", sep="  ", flush=True)
    if choices.out:
        path = choices.out / "placebos.json"
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        new = {(row["claim"], row["placebo"], row["noise"], row["runs"]) for row in found}
        kept = [row for row in kept if (row["claim"], row["placebo"], row["noise"], row["runs"]) not in new]
        keep([*kept, *found], path)


if __name__ == "__main__":
    main()
