"""Pairs of words of real text, scored by a known curve over the cosines of other runs; and the scores dealt out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.placebos.cells import Row, World, cells, never, should
from benchmarks.placebos.nouns import HELD_OUT, Baseline
from benchmarks.placebos.runsets import Source, placed
from gpustab.studies.calibration.study import calibration

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
