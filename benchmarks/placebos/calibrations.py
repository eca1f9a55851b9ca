"""Pairs of words of real text, scored by a known curve over the cosines of other runs; and the scores dealt out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import Row, World, cells, never, should
from benchmarks.placebos.nouns import HELD_OUT, Baseline
from benchmarks.placebos.runsets import Source, placed
from benchmarks.placebos.terms import sentences
from gpustab.evaluation.calibration import calibrate, explained_beyond
from gpustab.kernels.arithmetic import product
from gpustab.studies.calibration.claims import MORE
from gpustab.studies.calibration.study import calibration, shared_words
from gpustab.studies.calibration.tables import Calibrated
from gpustab.studies.consistency.claims import GROUPS_NEARER
from gpustab.studies.consistency.quality import auc_of_groups
from gpustab.studies.consistency.tables import Grouped

WORDS, PAIRS = 120, 300
"""Pairs are of few words, each of which stands in several."""


class Scored:
    """Asks for a calibration of one run.

    Args:
        source: of the runs.
        folder: for files of scores.
    """

    def __init__(self, source: Source, folder: Path) -> None:
        self.asked, self.path, self.baseline = (
            source.without_last(HELD_OUT),
            folder / "scores.tsv",
            Baseline(source.runs),
        )

    def ask(self, r: int, rng: np.random.Generator, *, dealt: bool) -> object:
        """Score pairs by cosines of held-out runs, bent and with noise; dealt out to other pairs where wanted."""
        names = rng.choice(sorted(self.baseline.row), WORDS, replace=False).tolist()
        pairs = [rng.choice(names, 2, replace=False).tolist() for _ in range(PAIRS)]
        cosine = np.array([self.baseline(*pair) for pair in pairs], np.float64)
        scores = 5 * np.maximum(cosine, 0) ** 2 + rng.normal(0, 0.2, PAIRS)
        scores = rng.permutation(scores) if dealt else scores
        lines = [f"{a}\t{b}\t{score:.5f}\n" for (a, b), score in zip(pairs, scores, strict=True)]
        self.path.write_text("".join(lines), encoding="utf-8")
        (runs,) = self.asked.dealt([placed()])(r, rng)
        return calibration(runs, scores=str(self.path), seed=int(rng.integers(1 << 30)))


class Sentences:
    """Sentences of one document in pairs, as sums of word vectors: a run's, or vectors that are drawn.

    Args:
        source: of the runs; the scores are by the last ones.
    """

    def __init__(self, source: Source) -> None:
        self.asked, self.others = source.without_last(HELD_OUT), source.runs
        self.row = {word.decode(): k for k, word in enumerate(source.runs.vocabulary)}
        known = [[[word for word in one if word in self.row] for one in document] for document in sentences()]
        self.documents = [kept for document in known if len(kept := [one for one in document if len(one) > 3]) > 1]

    def ask(self, r: int, rng: np.random.Generator, *, drawn: bool) -> None:
        """Ask of vectors that are drawn, of scores by shared words; or of a run, of scores by another one."""
        (runs,) = self.asked.dealt([placed()])(r, rng)
        pairs = []
        for document in rng.choice(len(self.documents), PAIRS):
            one, two = rng.choice(len(self.documents[document]), 2, replace=False)
            pairs.append((self.documents[document][one], self.documents[document][two]))
        shared = np.array([shared_words(" ".join(one), " ".join(two)) for one, two in pairs])
        words = rng.normal(size=(len(self.row), 30)) if drawn else runs.run(0).numpy()
        truth = shared if drawn else self._cosines(pairs, self.others.run(len(self.others) - 1).numpy())
        scores = truth / truth.std() + rng.normal(0, 0.3, PAIRS)
        items = [(" ".join(one), " ".join(two)) for one, two in pairs]
        cosines, seed = self._cosines(pairs, words), int(rng.integers(1 << 30))
        made = calibrate(cosines, scores, items, seed=seed)
        found = explained_beyond(cosines, shared, scores, items, seed=seed)
        facts = ("x", "x", "sentences", made.pairs, made.items, 0.0, 5.0, 0.0)
        gain = (made.gain, made.gain_error, made.freedom)
        MORE.judge(Calibrated(*facts, *made.errors, *gain, found.other.value, found.more.value, found.more.se, False))

    def _cosines(self, pairs: list[tuple[list[str], list[str]]], words: np.ndarray) -> np.ndarray:
        sums = np.array([[words[[self.row[word] for word in one]].sum(0) for one in pair] for pair in pairs])
        sums /= np.linalg.norm(sums, axis=2, keepdims=True)
        return np.asarray((sums[:, 0] * sums[:, 1]).sum(1))


class Groups:
    """Words of a run in groups: dealt out, or each a word and those nearest to it in a run that is not asked."""

    def __init__(self, source: Source) -> None:
        self.asked, self.others = source.without_last(HELD_OUT), source.runs

    def ask(self, r: int, rng: np.random.Generator, *, dealt: bool) -> None:
        """Ask of four groups of six words."""
        (runs,) = self.asked.dealt([placed()])(r, rng)
        other = torch.nn.functional.normalize(self.others.run(len(self.others) - 1).double(), dim=1)
        first = torch.from_numpy(rng.choice(len(other), 4, replace=False))
        rows = product(other[first], other.mT).topk(6, 1).indices.flatten()
        label = np.arange(4).repeat(6)
        vectors = torch.nn.functional.normalize(runs.run(0).double(), dim=1)[rows]
        auc = auc_of_groups(vectors, rng.permutation(label) if dealt else label)
        GROUPS_NEARER.judge(Grouped("x", "x", len(rows), 4, auc.value, *auc.estimate.interval))


def _worlds(source: Source) -> Iterator[World]:
    """Yield worlds of sentences and of groups of words."""
    of_sentences, groups = Sentences(source), Groups(source)
    about, name = f"{PAIRS} pairs of sentences of news", "calibration.more-than-words"
    yield World(
        f"{about}, scored by shared words, read by vectors that are drawn",
        lambda r, rng: of_sentences.ask(r, rng, drawn=True),
        {name: never("more")},
        (1,),
    )
    yield World(
        f"{about}, scored by sums of another run, read by sums",
        lambda r, rng: of_sentences.ask(r, rng, drawn=False),
        {name: should("more", "no more")},
        (1,),
    )
    about, name = "four groups of a word and its nearest in another run", "consistency.groups-nearer"
    yield World(
        f"{about}, dealt out", lambda r, rng: groups.ask(r, rng, dealt=True), {name: never("nearer", "documents")}, (1,)
    )
    yield World(about, lambda r, rng: groups.ask(r, rng, dealt=False), {name: should("nearer", "no")}, (1,))


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of calibrations."""
    for kind in ("shuffled", "bootstrap"):
        source = Source(folder, kind)
        with tempfile.TemporaryDirectory() as name:
            scored = Scored(source, Path(name))
            about = f"{PAIRS} pairs of {WORDS} words, scored by a known curve over cosines of other runs"
            truths = {"calibration.tells": should("yes", "no"), "calibration.names": should("named")}
            planted = World(about, lambda r, rng: scored.ask(r, rng, dealt=False), truths, (1,))  # noqa: B023
            placebo = World(
                f"{about}, scores dealt out",
                lambda r, rng: scored.ask(r, rng, dealt=True),  # noqa: B023
                {"calibration.tells": never("yes"), "calibration.names": never("named")},
                (1,),
            )
            for seed, world in enumerate((planted, placebo)):
                yield from cells(world, source.noise, sets, seed)
        for seed, world in enumerate(_worlds(source), 2):
            yield from cells(world, source.noise, sets, seed)
