"""Two periods of a series, laws of frequency, and the targets of SemEval-2020 task 1."""

from __future__ import annotations

import math
from typing import Any

from docs.examples import made, over
from gpustab.studies.change.claims import Differing, Order
from gpustab.studies.change.claims_of_frames import Cosine
from gpustab.studies.change.claims_of_neighbours import Agreement
from gpustab.studies.change.claims_of_tasks import Way
from gpustab.studies.change.differences import AtRandom, Explained
from gpustab.studies.change.tables import Excess, Law, Pair
from gpustab.studies.change.tables_of_tasks import Cell


def pair(**values: Any) -> Pair:
    """Two periods of eight runs each."""
    numbers = {"series": "sgns/shuffled", "first": "1800–1849", "second": "1850–1899", "align": "all", "tested": 1800}
    numbers |= {"runs_first": 8, "runs_second": 8, "change": 0.31, "change_se": 0.004, "training_floor": 0.12}
    numbers |= {"training_se": 0.002, "sampling_floor": 0.18, "sampling_se": 0.003, "beyond_se_words": 0.002}
    numbers |= {"residual": 0.55, "by_all": 0.6, "two_turns": 0.9, "second_turn": 0.38, "mean_cosine_first": 0.1}
    return made(Pair, **numbers | {"mean_cosine_second": 0.1} | values)


def _law(r2: float, error: float = 0.02) -> Law:
    return made(Law, series="sgns/shuffled", n=8, averages=1, words=1800, r2_marginal=r2, r2_se=error, r2_se_runs=0.01)


def _cell(way: str, accuracy: float, spearman: float, error: float = 0.03, **values: Any) -> Cell:
    numbers = {"accuracy": accuracy, "spearman": spearman, "majority": 0.57, "gain": accuracy - 0.57, "gain_se": error}
    names = {"technique": "sgns", "sampling": "shuffled", "way": way, "languages": 4, "targets": 148}
    return made(Cell, **numbers | names | values)


_RANDOM = AtRandom(0.052, 0.021, 1, 3, 0.2)
_PLAIN = pair(align="none", residual=0.8, by_all=0.7)

EXAMPLES = {
    "change.neighbours-more-than-at-random": [
        _RANDOM,
        _RANDOM._replace(pairs=3),
        _RANDOM._replace(value=0.004),
        _RANDOM._replace(half=math.nan, splits=1),
    ],
    "change.same-words": [
        Agreement("1800–1849 → 1850–1899", 0.71, 1800, differ=True),
        Agreement("1800–1849 → 1850–1899", 0.32, 1800, differ=True),
        Agreement("1800–1849 → 1850–1899", 0.51, 1800, differ=True),
        Agreement("1800–1849 → 1850–1899", 0.71, 1800, differ=False),
    ],
    "change.beyond-sampling": [
        pair(),
        pair(change=0.12),
        pair(change=0.21),
        pair(change_se=math.nan),
        pair(training_floor=0.6),
        pair(series="lsa/shuffled", without_noise=True),
        pair(sampling_floor=None),
    ],
    "change.compared": [[], [pair(bootstrap=True)], [pair(bootstrap=False)]],
    "change.more-than-at-random": [
        _RANDOM,
        _RANDOM._replace(pairs=3),
        _RANDOM._replace(value=0.004),
        _RANDOM._replace(value=-0.004),
        _RANDOM._replace(half=math.nan, splits=1),
        _RANDOM._replace(value=-0.03, half=math.nan, splits=1),
        _RANDOM._replace(half=math.nan),
        _RANDOM._replace(noise=0.7),
    ],
    "change.frequency": [
        Explained(_law(0.34), [_law(0.08), _law(0.1)]),
        Explained(_law(0.08), [_law(0.34)]),
        Explained(_law(0.12, 0.05), [_law(0.1, 0.05)]),
        Explained(_law(0.34), []),
    ],
    "change.order-of-words": [Order("sgns/shuffled", 0.62), Order("sgns/shuffled", math.nan), Order("sgns", 0.95)],
    "change.word-beyond-law": [made(Excess, word="gay", q=q, excess=0.4) for q in (0.01, 0.3)],
    "change.words-differ": [
        Differing({("1800–1849", "1850–1899"): (231, 1800), ("1850–1899", "1900–1949"): (1, 1750)}, 0.1),
        Differing({("1800–1849", "1850–1899"): (0, 1800)}, 0.1),
    ],
    "change.collapsed": [Cosine("1800–1849", 0.97), Cosine("1800–1849", 0.2)],
    "change.two-camps": [pair(two_turns=0.3), pair()],
    "change.no-frame": [_PLAIN._replace(by_all=0.2), _PLAIN._replace(training_floor=0.7), _PLAIN, pair()],
    "change.better-than-one-class": [
        [_cell("AA", 0.72, 0.48), _cell("IR", 0.66, 0.41)],
        [_cell("AA", 0.60, 0.48), _cell("IR", 0.56, 0.41)],
        [_cell("AA", 0.55, 0.48), _cell("IR", 0.51, 0.41)],
        [_cell("AA", 0.55, math.nan)],
    ],
    "change.average-better": [
        Way("sgns/shuffled", over(0.062, 0.012)),
        Way("sgns/shuffled", over(-0.062, 0.012)),
        Way("sgns/shuffled", over(0.012, 0.012)),
        Way("sgns/shuffled", over(0.062, 0.012, 3)),
    ],
}
