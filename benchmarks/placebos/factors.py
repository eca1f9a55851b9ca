"""Factors of words' stability that explain nothing, and stability made of known coefficients.

The stability that real runs give their words is dealt out to other words, so that no factor has a part in it, while the
noise of runs and words stays what it was. To that a sum of factors is added, each with a known coefficient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, Row, Truth, World, cells, should
from benchmarks.placebos.runsets import Source, placed
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.machine.device import DEFAULT
from gpustab.statistics.curves import residuals
from gpustab.studies.words.claims import BY_EFFECT, MATTERS, SPEECH
from gpustab.studies.words.factors import CLASSES, Floats, design_of, of_corpus, of_counts, of_letters, of_wordnet
from gpustab.studies.words.measured import Measured, measure, regression_tables
from gpustab.studies.words.options import WordsOptions
from gpustab.studies.words.study import judged
from gpustab.wordnet.lexicon import read_lexicon

DEALS = 8
"""Draws of R runs from the pool; stability is dealt out anew in every set."""
TRUE = {"frequency": 0.35, "spread": 0.35, "senses": -0.35, "nearest": 0.35, "verb": 0.6, "adjective": -0.6}
"""Coefficients that make every claim true, in standard deviations of what is dealt out."""
FALSE = {name: -size for name, size in TRUE.items() if name not in CLASSES}
NOTHING: Mapping[str, float] = {}
HUMPS = {"a hump": -0.8, "a hollow": 0.8}
"""Words of middle frequency are more stable, or less, and nothing else is."""
AT_MARGIN = {"frequency": float(MATTERS) / (1 - float(MATTERS) ** 2) ** 0.5}
"""Its effect, as a part of what it makes itself larger, is the margin."""
CLAIMS = [claim.id for claim in (*BY_EFFECT.values(), SPEECH)]


class Factors:
    """A pool of runs, what is known of its words, and their stability by R of its runs.

    Args:
        source: the pool.
    """

    def __init__(self, source: Source) -> None:
        runs = self.runs = source.runs
        words = [runs.vocabulary[k] for k in range(runs.words)]
        corpus = prepare_corpus("lee", CorpusOptions(min_count=3), look=False)
        known = (
            of_letters(words),
            of_counts(runs.counts_in_a_run()),
            of_wordnet(words, read_lexicon(tags=False)),
            of_corpus(words, corpus),
        )
        self.columns = {name: x for one in known for name, x in one.columns.items()}
        z = self.columns["frequency"] - self.columns["frequency"].mean()
        self.columns["bend"] = residuals(z**2, z, 2)
        self.deal = {odd: source.dealt([placed(sampling=source.sampling)], odd=odd) for odd in (False, True)}
        self.measured = cache(self._measured)

    def _measured(self, r: int, draw: int, odd: bool) -> Measured:
        (runs,) = self.deal[odd](r, np.random.default_rng([r, draw]))
        return measure(runs, torch.arange(runs.words), 10, DEFAULT)

    def ask(
        self,
        r: int,
        rng: np.random.Generator,
        coefficients: Mapping[str, float] | None,
        *,
        odd: bool = False,
        dealt: str = "",
    ) -> None:
        """Judge all claims.

        Args:
            r: how many runs.
            rng: draws.
            coefficients: of what is added to stability that is dealt out to other words; None: it stays where it is.
            odd: whether one run in ten is of another kind.
            dealt: the column that is dealt out to other words.
        """
        found = self.measured(r, int(rng.integers(DEALS)), odd)
        columns: dict[str, Floats] = self.columns | {"nearest": found.nearest[0]}
        if dealt:
            columns[dealt] = rng.permutation(columns[dealt])
        design = design_of(columns)
        if coefficients is not None:
            shared = found.shared[:, rng.permutation(found.shared.shape[1])]
            for name, size in coefficients.items():
                x = columns[name]
                scale = 1.0 if name in CLASSES else x.std()
                shared = shared + size * shared[0].std() * (x - x.mean()) / scale
            found = found._replace(shared=shared)
        tables = regression_tables("lsa", design, found, WordsOptions(seed=int(rng.integers(1 << 30))))
        for claim, row, _ in judged(tables, "lsa"):
            claim.judge(row)


def worlds(factors: Factors) -> Iterator[World]:
    """Yield every world of one pool."""
    nothing = {name: should("no", "yes") for name in CLAIMS}
    for odd in (False, True):
        also = ", one run in ten odd" * odd
        yield World(
            f"words' stability dealt out to other words{also}",
            lambda r, rng, odd=odd: factors.ask(r, rng, NOTHING, odd=odd),
            nothing,
        )
    for bend, size in HUMPS.items():
        yield World(
            f"stability made of {bend} over frequency, and what was dealt out",
            lambda r, rng, size=size: factors.ask(r, rng, {"bend": size}),
            nothing,
        )
    yield World(
        "frequencies dealt out to other words",
        lambda r, rng: factors.ask(r, rng, None, dealt="frequency"),
        {BY_EFFECT["frequency"].id: should("no", "yes")},
    )
    every: dict[str, Truth] = {name: should("yes", "no") for name in CLAIMS}
    yield World(
        "stability made of known parts of all factors, and what was dealt out",
        lambda r, rng: factors.ask(r, rng, TRUE),
        every,
    )
    yield World(
        "stability made of known parts against the claims, none of the part of speech, and what was dealt out",
        lambda r, rng: factors.ask(r, rng, FALSE),
        nothing,
    )
    yield World(
        "stability made of a part of frequency that is just the margin, and what was dealt out",
        lambda r, rng: factors.ask(r, rng, AT_MARGIN),
        {BY_EFFECT["frequency"].id: NEITHER},
    )


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of factors."""
    for seed, kind in enumerate(("shuffled", "bootstrap")):
        source = Source(folder, kind)
        for k, world in enumerate(worlds(Factors(source))):
            yield from cells(world, source.noise, sets, 10 * seed + k)
