"""The real WordNet, read from its own files and from WN-LMF: the same nouns, hypernyms, depths and distances."""

import time
from pathlib import Path

import numpy as np
import pytest

from gpustab.kernels.hypernyms import hypernym_distances
from gpustab.wordnet.lmf import read_lmf
from gpustab.wordnet.taxonomy import taxonomy_of
from tests.wordnet.english import written
from tests.wordnet.installed import installed_nouns


@pytest.fixture(scope="module")
def nouns():
    """WordNet by the reader of its own files."""
    return installed_nouns()


def above(nouns, synsets):
    """The synsets and all that lie above them."""
    found = set()
    while synsets:
        found |= (synsets := set(synsets) - found)
        synsets = {up for one in synsets for up in nouns.hypernyms[one]}
    return found


def compare(nouns, other, lemmas, synsets, draw=300):
    """Ask two readings for the senses of lemmas, what lies above them and how deep, and distances of some of them."""
    same = dict(zip(other.hypernyms, synsets, strict=True))
    assert {lemma: tuple(same[one] for one in senses) for lemma, senses in other.index.items()} == {
        lemma: nouns.index[lemma] for lemma in lemmas
    }
    assert {same[one]: tuple(same[up] for up in ups) for one, ups in other.hypernyms.items()} == {
        one: nouns.hypernyms[one] for one in synsets
    }
    assert {same[one]: level for one, level in other.levels.items()} == {one: nouns.levels[one] for one in synsets}
    some = np.random.default_rng(1).permutation(sorted(lemmas))[:draw].tolist()
    distances = [
        hypernym_distances(taxonomy_of(read, [read.index[lemma] for lemma in some]), 0, len(some))
        for read in (nouns, other)
    ]
    assert (distances[0] == distances[1]).all()
    for form, bases in nouns.exceptions.items():
        if kept := [base for base in bases if base in other.index and form != base]:
            assert set(kept) <= set(other.exceptions[form])


def test_a_part_of_wordnet_is_the_same_in_both_forms(nouns, tmp_path):
    some = np.random.default_rng(0).permutation(sorted(nouns.index))[:300].tolist()
    synsets = above(nouns, {one for lemma in some for one in nouns.index[lemma]})
    other = read_lmf(written(tmp_path / "part.xml", Path(nouns.folder), {*some}, synsets))
    compare(nouns, other, some, [one for one in nouns.hypernyms if one in synsets])


@pytest.mark.slow
def test_all_of_wordnet_is_the_same_in_both_forms(nouns, tmp_path):
    path = written(tmp_path / "pwn.xml", Path(nouns.folder), files=("noun", "verb", "adj", "adv"))
    assert path.read_text().count("<Synset ") > 117_000
    start = time.process_time()
    other = read_lmf(path)
    seconds = time.process_time() - start
    print(f"{len(other.index):,} nouns, {len(other.hypernyms):,} synsets: {seconds:.0f} s")  # noqa: T201
    compare(nouns, other, list(nouns.index), list(nouns.hypernyms), draw=2000)
