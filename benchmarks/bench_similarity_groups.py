"""Similarity and path length in a taxonomy of all word pairs, grouped by similarity; beside a loop over pairs.

The loop is what nltk does, less its objects: ancestors of every sense in dictionaries, pair by pair. The taxonomy is a
drawn one of 40,000 synsets, as many as lie above a vocabulary of 100,000 words in WordNet, and two and a half senses a
word, so that nothing need be installed.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.harness import Bench, Contender, Row, start
from gpustab.kernels.hypernyms import Taxonomy, hypernym_distances
from gpustab.kernels.similarity_groups import GROUPS, GroupTables, group_numbers, value_groups
from gpustab.wordnet.nouns import Nouns
from gpustab.wordnet.taxonomy import taxonomy_of
from tests.wordnet.made import random_wordnet, ways_up

Size = dict[str, int]
SYNSETS, LOOPED = 40_000, 4
DEPTH = 19


def values() -> torch.Tensor:
    """Leacock and Chodorow's of every distance; none for words without a way."""
    return torch.tensor([math.log(2 * DEPTH / (1 + d)) for d in range(2 * DEPTH)] + [math.nan], dtype=torch.float64)


def made(size: Size) -> tuple[torch.Tensor, Taxonomy, list[list[dict[int, int]]]]:
    """Return unit rows, the taxonomy and, of every word, how far up everything above each sense is."""
    hypernyms, senses = random_wordnet(SYNSETS, size["w"], 0)
    x = np.random.default_rng(1).normal(size=(size["w"], size["d"])) + 0.5
    unit = torch.nn.functional.normalize(torch.from_numpy(x), dim=1)
    above = [[ways_up(hypernyms, synset) for synset in own] for own in senses]
    return unit, taxonomy_of(Nouns(hypernyms, {}, {}), senses), above


def nearest(first: dict[int, int], second: dict[int, int]) -> int:
    """Return the least sum of two ways up to a common synset."""
    return min((up + second[synset] for synset, up in first.items() if synset in second), default=2 * DEPTH)


def looped(unit: np.ndarray, above: list[list[dict[int, int]]], words: int) -> tuple[np.ndarray, np.ndarray]:
    """Count and sum the pairs of the first words by group, one pair after the other."""
    counts, sums = np.zeros((words, GROUPS)), np.zeros((words, GROUPS))
    for i in range(words):
        groups = group_numbers(torch.from_numpy(unit @ unit[i])).tolist()
        for j, other in enumerate(above):
            if i != j:
                distance = min(nearest(first, second) for first in above[i] for second in other)
                if distance < 2 * DEPTH:
                    counts[i, groups[j]] += 1
                    sums[i, groups[j]] += math.log(2 * DEPTH / (1 + distance))
    return counts, sums


def error(found: Any, truth: tuple[np.ndarray, np.ndarray]) -> float:
    """Largest difference of a count or a sum of the first words."""
    if isinstance(found, GroupTables):
        found = found.word_counts.cpu().numpy(), found.word_sums.cpu().numpy()
    return float(max(np.abs(np.asarray(a)[:LOOPED] - b).max() for a, b in zip(found, truth, strict=True)))


def of_all_pairs(bench: Bench, size: Size) -> list[Row]:
    unit, taxonomy, above = made(size)
    loop = partial(looped, unit.numpy(), above, LOOPED)
    check = partial(error, truth=loop())
    here = taxonomy.to(bench.device)

    def ours(dtype: torch.dtype) -> GroupTables:
        rows = unit.to(bench.device, dtype)
        return value_groups(rows, lambda a, b: hypernym_distances(here, a, b), values().to(bench.device))

    share = LOOPED / (size["w"] / 2)  # the loop need count each pair once
    contenders = [
        Contender("pair by pair", loop, check, 0, share, f"{LOOPED} words timed"),
        Contender("gpustab", partial(ours, torch.float64), check, 1e-9),
    ]
    return bench.race("path lengths of all pairs by similarity", size, contenders)


def main() -> None:
    bench = start("similarity_groups", __doc__)
    sizes = [500] if bench.quick else [2000, 4000, 8000, 16000]
    rows = [of_all_pairs(bench, {"w": w, "d": 100}) for w in sizes]
    bench.growth("w", [own[-1] for own in rows])
    bench.finish()


if __name__ == "__main__":
    main()
