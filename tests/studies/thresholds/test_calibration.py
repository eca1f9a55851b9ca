"""With the baseline's labels permuted among the words nothing is there to be found: what is found is an error."""

import numpy as np
import torch
from scipy.stats import t

from gpustab.kernels.hypernyms import hypernym_distances
from gpustab.kernels.similarity_groups import value_groups
from gpustab.studies.thresholds.groups import against, merged, of_tables
from gpustab.studies.thresholds.rules import rungs, welch_p
from gpustab.wordnet.nouns import Nouns
from gpustab.wordnet.taxonomy import taxonomy_of
from tests.wordnet.made import random_wordnet

WORDS, PERMUTATIONS = 200, 40


def test_dyadic_errors_reject_as_often_as_they_say_and_welch_does_not():
    """Rows and columns of the baseline together (Mantel)."""
    hypernyms, senses = random_wordnet(400, WORDS, 0)
    level = hypernym_distances(taxonomy_of(Nouns(hypernyms, {}, {}), senses), 0, WORDS)
    depth = int(level.max()) + 1
    values = torch.tensor([np.log(2 * depth / (1 + d)) for d in range(depth)] + [np.nan], dtype=torch.float64)
    rng = np.random.default_rng(0)
    x = torch.nn.functional.normalize(torch.from_numpy(rng.normal(size=(WORDS, 8)) + rng.normal(size=8)), dim=1)
    dyadic, welch = [], []
    for _ in range(PERMUTATIONS):
        order = torch.from_numpy(rng.permutation(WORDS))
        own = level[order][:, order]
        sums = of_tables(value_groups(x, lambda a, b, own=own: own[a:b], values), values, half=True)
        joined = rungs(sums, least=200).sums
        lowest = merged(joined, (torch.arange(len(joined.n)) == 0).long() - 1)
        found = against(joined, lowest)
        bound = t.ppf(0.995, found.freedom.numpy()) * found.se.numpy()
        dyadic += (np.abs(found.value.numpy()) > bound)[1:].tolist()
        welch += (welch_p(joined, lowest)[1:, 0] < 0.01).tolist()
    # Groups of one permutation depend on each other: 40 of them, not thousands of groups, stand behind a share.
    assert np.mean(dyadic) < 0.04
    assert np.mean(welch) > 0.06
