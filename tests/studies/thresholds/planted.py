"""Groups of pairs with a planted threshold: below it the baseline is noise, above it rises with similarity."""

import itertools

import numpy as np
import torch

from gpustab.kernels.similarity_groups import GROUPS, group_numbers
from gpustab.studies.thresholds.groups import of_pairs


def planted(rng, words=300, plant=0.0, slope=1.0, noise=0.3, effect=0.0):
    """Sums of all pairs of some words: similarities are normal with SD 0.2, ``effect`` is the SD of word effects."""
    pairs = np.array(list(itertools.combinations(range(words), 2)))
    similarity = np.clip(0.2 * rng.normal(size=len(pairs)), -1, 1)
    word = effect * rng.normal(size=words)
    values = slope * np.maximum(similarity - plant, 0) + noise * rng.normal(size=len(pairs)) + word[pairs].sum(1)
    group = group_numbers(torch.from_numpy(similarity)).long()
    return of_pairs(group, torch.from_numpy(pairs), torch.from_numpy(values), GROUPS, words)
