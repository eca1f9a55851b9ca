"""Samples of a text of which it is known how they compare, asked of the parts of the study that judge them.

Two models are two draws of as many context words, or of fewer; two sizes of samples are one; terms have the frequencies
of others; the error over trainings is known from all runs of the pool; Nonce2Vec reads all of a sample, or hardly any.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.placebos.cells import Row, Truth, World, cells, never, should
from benchmarks.placebos.runsets import Source, placed
from benchmarks.placebos.terms import CPU, middle_words, sentences, text_of
from gpustab.runs.load import open_groups
from gpustab.runs.runs import Runs
from gpustab.small_data.nonce import Output
from gpustab.small_data.text import Text
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.consistency import models
from gpustab.studies.consistency.claims import SURER, TWICE
from gpustab.studies.consistency.claims_of_sums import GROWS
from gpustab.studies.consistency.claims_of_vectors import BETTER_MODEL, CLOSEST_GROUP, READ_BY_NONCE, SUMS_FIRST
from gpustab.studies.consistency.comparisons import InGeneral, by_sentences, domains, in_general, of_size
from gpustab.studies.consistency.measures import Consistency, consistency_of, words_of_pairs
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Prepared, prepare
from gpustab.studies.consistency.study import consistency
from gpustab.studies.consistency.tuning import nonce_settings, pairs_of

RUNS, BACKGROUNDS, SEVERAL = (3, 5, 8), (1, 3), (3, 5, 8, 16)
FEW, MANY = 8, 40
"""Terms."""
WORDS = 20
"""Context words of a sample of two models."""
OF_GROUP = 120
"""Terms of which frequencies are dealt out."""


class Samples:
    """Samples of terms of the news beside backgrounds of a pool.

    Args:
        source: of the backgrounds.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.documents = source, sentences()
        self.words = middle_words(self.documents)

    @cached_property
    def text(self) -> Text:
        """The news."""
        lists = [sentence for document in self.documents for sentence in document]
        return text_of(lists, np.repeat(np.arange(len(self.documents)), list(map(len, self.documents))))

    def drawn(self, runs: Runs, terms: int, rng: np.random.Generator, **choices: Any) -> Prepared:
        """Samples of so many terms, drawn."""
        how: dict[str, Any] = {"subsample": 0, "samples": 3, "sentences": 4, "cutoff": 12, **choices}
        options = ConsistencyOptions(seed=int(rng.integers(1 << 30)), **how)
        chosen = [(word.encode(),) for word in rng.choice(self.words, terms, replace=False).tolist()]
        return prepare(self.text, chosen, runs, options, CPU)

    def background(self, r: int, rng: np.random.Generator) -> Runs:
        """R runs."""
        return self.source.dealt([placed()])(r, rng)[0]

    def models(self, r: int, rng: np.random.Generator, sizes: Sequence[int]) -> list[list[Consistency]]:
        """Sums of the same samples, each model of so many of their context words."""
        runs = self.background(r, rng)
        whole = self.drawn(runs, MANY, rng)
        parts = [of_size(whole, max(sizes), int(rng.integers(1 << 30))) for _ in sizes]
        parts = [of_size(part, size, int(rng.integers(1 << 30))) for part, size in zip(parts, sizes, strict=True)]
        return [of_runs(part, runs) for part in parts]

    def compared(self, r: int, rng: np.random.Generator, size: int, sums: int) -> None:
        """Ask how two models of so many context words compare with sums of so many."""
        one, two, against = self.models(r, rng, (size, size, sums))
        numbers = {"one": one, "two": two, "sums": against}
        rows = [models.contrast("g", (name, "sums"), numbers, {}) for name in ("one", "two")]
        BETTER_MODEL.judge(rows[0])
        SUMS_FIRST.judge(rows)

    def equal_sizes(self, r: int, rng: np.random.Generator) -> None:
        """Ask of two draws of samples of three sentences, the second of which are said to have four."""
        runs = self.background(r, rng)
        state = int(rng.integers(1 << 30))
        rows = []
        for _ in range(2):
            options = ConsistencyOptions(
                subsample=0, samples=3, sentences=3, cutoff=12, seed=int(rng.integers(1 << 30))
            )
            chosen = np.random.default_rng(state).choice(self.words, MANY, replace=False).tolist()
            part = prepare(self.text, [(word.encode(),) for word in chosen], runs, options, CPU)
            rows.append(next(row for row in by_sentences(part, runs, options) if row.n == 3))
        GROWS.judge([rows[0], rows[1]._replace(n=4)])

    def sizes(self, r: int, rng: np.random.Generator) -> None:
        """Ask of samples of one sentence to four."""
        runs = self.background(r, rng)
        part = self.drawn(runs, MANY, rng)
        GROWS.judge(by_sentences(part, runs, ConsistencyOptions(subsample=0, samples=3, sentences=4, cutoff=12)))

    def surer(self, r: int, rng: np.random.Generator, terms: int) -> None:
        """Ask what makes the AUC of so many terms surer."""
        runs = self.background(r, rng)
        SURER.judge(self.numbers(self.drawn(runs, terms, rng), runs))

    def numbers(self, part: Prepared, runs: Runs) -> Any:
        """The numbers of sums."""
        words = words_of_pairs(part.samples, part.words.numpy())
        return models.model_numbers("g", "b", "t", "additive", of_runs(part, runs), words)

    def errors(self, terms: int) -> tuple[float, float]:
        """The SD of the AUC over trainings, and the error over so many terms, from all runs of the pool."""
        rng, spreads, errors = np.random.default_rng(0), [], []
        runs = self.source.runs
        for _ in range(4):
            row = self.numbers(self.drawn(runs, terms, rng), runs)
            spreads.append(row.auc_sd)
            errors.append((row.auc_high - row.auc_low) / 2 / t_quantile(row.terms - 1))
        return math.sqrt(np.mean(np.square(spreads))), math.sqrt(np.mean(np.square(errors)))

    def what_is_surer(self, r: int, terms: int) -> Truth:
        """Wrong is to say that the smaller error should be made smaller; near each other neither is."""
        spread, error = self.errors(terms)
        times = error / (spread / math.sqrt(r))
        larger, smaller = ("terms", "trainings") if times > 1 else ("trainings", "terms")
        return should(larger, smaller) if max(times, 1 / times) > 2 * TWICE else never(smaller)

    @cached_property
    def halves(self) -> InGeneral:
        """Terms of one half of the news beside themselves in the other half."""
        texts = []
        for k in (0, 1):
            lists = self.documents[k::2]
            flat = [sentence for document in lists for sentence in document]
            texts.append(text_of(flat, np.repeat(np.arange(len(lists)), list(map(len, lists)))))
        options = ConsistencyOptions(svd_dim=30, svd_min_count=3)
        names = {word: k for k, word in enumerate(texts[1].words)}
        terms = np.array([names[word.encode()] for word in self.words if word.encode() in names], dtype=np.int64)
        return in_general(texts[0], texts[1], terms, options)

    def groups(self, _: int, rng: np.random.Generator, planted: float) -> None:
        """Ask of terms that have the frequencies of others, those of one group nearer to themselves."""
        drawn = rng.permutation(len(self.halves.cosine))[:OF_GROUP]
        cosine, null, text, general = (part[drawn] for part in self.halves)
        dealt = rng.permutation(OF_GROUP)
        text, general = text[dealt], rng.permutation(general)
        middle = {"text": float(np.median(text)), "general": float(np.median(general))}
        options = ConsistencyOptions(
            domain_low=middle["text"], domain_high=middle["text"],
            general_low=middle["general"], general_high=middle["general"],
        )  # fmt: skip
        cosine = cosine + planted * ((text > middle["text"]) & (general < middle["general"]))
        CLOSEST_GROUP.judge(domains("g", InGeneral(cosine, null, text, general), options))

    def nonce(self, r: int, rng: np.random.Generator, **choices: Any) -> None:
        """Ask which sentences Nonce2Vec reads."""
        runs = self.background(r, rng)
        part = self.drawn(runs, MANY, rng)
        counts = np.asarray(runs.counts) // len(runs)
        output = Output(torch.zeros(runs.words, runs.dimension, dtype=torch.float64), counts)
        settings = nonce_settings(ConsistencyOptions(model="nonce2vec", seed=int(rng.integers(1 << 30)), **choices))
        READ_BY_NONCE.judge(models.updates(part, pairs_of(part, output, settings)))


def of_runs(part: Prepared, runs: Runs) -> list[Consistency]:
    """The consistency of sums in every run."""
    return [consistency_of(part.sums(runs, r), part.samples, part.allowed) for r in range(len(runs))]


@dataclass(frozen=True)
class TrainedOn:
    """Asks whether a background was trained on a text: the very news, or news without one document.

    Attributes:
        folder: of the pool.
        place: of the text, written anew for every question; empty for the news themselves.
    """

    folder: Path
    place: Path | None

    def __call__(self, r: int, rng: np.random.Generator) -> None:
        """Ask the study."""
        (group,) = (x for x in open_groups([self.folder], single_runs=True) if x.key.sampling == "shuffled")
        first = int(rng.integers(len(group) - r))
        group = replace(group, sources=group.sources[first : first + r])
        text: Path | str = "lee"
        if self.place:
            documents = [" ".join(" ".join(sentence) for sentence in document) for document in sentences()]
            left = int(rng.integers(len(documents)))
            records = [json.dumps({"text": one}) for k, one in enumerate(documents) if k != left]
            self.place.write_text("\n".join(records) + "\n", encoding="utf-8")
            text = self.place
        consistency(group, text, number=6, samples=2, sentences=2, cutoff=4, subsample=0)


def worlds(made: Samples) -> Iterator[World]:
    """Yield the worlds of samples."""
    half = WORDS // 3
    equal = {
        "consistency.better-model": should("equal", "better", "worse"),
        "consistency.sums-first": never("yes", "no"),
    }
    yield World(
        f"two models, each of {WORDS} words of every sample, drawn anew",
        lambda r, rng: made.compared(r, rng, WORDS, WORDS),
        equal,
        BACKGROUNDS,
    )
    yield World(
        f"models of {half} words of every sample, beside sums of {WORDS}",
        lambda r, rng: made.compared(r, rng, half, WORDS),
        {"consistency.better-model": should("worse", "better", "equal"), "consistency.sums-first": should("yes", "no")},
        BACKGROUNDS,
    )
    yield World(
        f"models of {WORDS} words of every sample, beside sums of {half}",
        lambda r, rng: made.compared(r, rng, WORDS, half),
        {"consistency.better-model": should("better", "worse", "equal"), "consistency.sums-first": should("no", "yes")},
        BACKGROUNDS,
    )
    yield World(
        "two draws of samples of three sentences, one of them said to have four",
        made.equal_sizes,
        {"consistency.grows": never("grows")},
        BACKGROUNDS,
    )
    yield World("samples of one to four sentences", made.sizes, {"consistency.grows": should("grows")}, BACKGROUNDS)
    for terms in (FEW, MANY):
        for r in SEVERAL:
            yield World(
                f"{terms} terms; the larger error is known from all runs",
                lambda r, rng, n=terms: made.surer(r, rng, n),  # type: ignore[misc]
                {"consistency.surer": made.what_is_surer(r, terms)},
                (r,),
            )


def worlds_without_noise(made: Samples, folder: Path, place: Path) -> Iterator[World]:
    """Yield those that have no noise of training."""
    yield World(
        "terms of one half of the news beside the other half, frequencies dealt out",
        lambda r, rng: made.groups(r, rng, 0.0),
        {"consistency.closest": never("closest", "not")},
        (1,),
        5.0,
    )
    yield World(
        "the same, with 0.3 more of a cosine for terms that are frequent in the text and rare in general",
        lambda r, rng: made.groups(r, rng, 0.3),
        {"consistency.closest": should("closest", "not")},
        (1,),
        5.0,
    )
    whole: dict[str, Any] = {"sample": 1e9, "sample_decay": 1.0, "window_decay": 0}
    yield World(
        "Nonce2Vec that leaves out no word",
        lambda r, rng: made.nonce(r, rng, **whole),
        {"consistency.read-by-nonce": should("all", "first", "none")},
        (1,),
    )
    yield World(
        "Nonce2Vec that keeps a hundredth as many words of every further sentence",
        lambda r, rng: made.nonce(r, rng, **whole | {"sample": 1e4, "sample_decay": 100.0}),
        {"consistency.read-by-nonce": should("first", "all", "none")},
        (1,),
    )
    yield World(
        "a background and the text that it was trained on",
        TrainedOn(folder, None),
        {"consistency.trained-on": should("yes", "no")},
        BACKGROUNDS,
        0.25,
    )
    yield World(
        "a background, and its text without one document",
        TrainedOn(folder, place),
        {"consistency.trained-on": never("yes")},
        BACKGROUNDS,
        0.25,
    )


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of samples."""
    for kind in ("shuffled", "bootstrap"):
        yield from _of_kind(folder, sets, kind)


def _of_kind(folder: Path, sets: int, kind: str) -> Iterator[Row]:
    source = Source(folder, kind)
    made = Samples(source)
    for seed, world in enumerate(worlds(made)):
        yield from cells(world, source.noise, sets, seed)
    if kind == "shuffled":
        with tempfile.TemporaryDirectory() as name:
            for seed, world in enumerate(worlds_without_noise(made, folder, Path(name) / "news.jsonl")):
                yield from cells(world, "-", sets, seed)
