import numpy as np
import pytest
import torch

from gpustab import load_groups, load_runs
from tests.wordnet.made import random_wordnet, write_wordnet


@pytest.fixture(scope="session")
def wordnet(tmp_path_factory):
    """A folder of a made WordNet of 90 lemmas, and their senses and hypernyms."""
    hypernyms, senses = random_wordnet(150, 90, 0)
    index = {f"noun{k}": own for k, own in enumerate(senses)}
    return write_wordnet(tmp_path_factory.mktemp("wordnet"), hypernyms, index), hypernyms, index


def space(wordnet, seed, noise=1.0, words=110):
    """Words and vectors that lie near their first sense's way up; the last twenty are no nouns."""
    _, hypernyms, index = wordnet
    rng = np.random.default_rng(5)
    place = {}
    for synset in hypernyms:
        up = hypernyms[synset]
        place[synset] = (place[up[0]] if up else 0) + rng.normal(size=12)
    rng = np.random.default_rng(seed)
    names = [*index, *(f"other{k}" for k in range(words - len(index)))]
    rows = [place[index[name][0]] if name in index else rng.normal(size=12) for name in names]
    return names, torch.from_numpy(np.stack(rows) + noise * rng.normal(size=(words, 12))).float()


@pytest.fixture(scope="session")
def runs(wordnet):
    return load_runs([space(wordnet, seed) for seed in range(3)], name="near")


@pytest.fixture(scope="session")
def groups(wordnet, runs):
    far = load_groups([space(wordnet, seed, 4.0) for seed in range(10, 13)], name="far")
    return [runs, *far]
