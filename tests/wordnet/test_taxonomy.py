"""The sweep on made taxonomies against trying every way, and on WordNet 3.0 against what nltk 3.10 gives."""

import math

import pytest
import torch

from gpustab import InputError
from gpustab.kernels.hypernyms import NO_PATH, hypernym_distances
from gpustab.wordnet.nouns import Nouns, read_nouns
from gpustab.wordnet.taxonomy import taxonomy_of
from tests.wordnet.installed import installed_nouns
from tests.wordnet.made import naive_distance, random_wordnet
from tests.wordnet.small import BY_HAND, small_wordnet

NLTK = {
    ("morning", "departments"): 1.1526795099383855,
    ("assembly", "stern"): 1.6916760106710724,
    ("constitution", "responsibility"): 1.845826690498331,
    ("supremacy", "postages"): 1.2396908869280152,
    ("study", "learning"): 2.9444389791664407,
    ("equipment", "emigration"): 0.8649974374866046,
    ("stable", "country"): 1.3350010667323402,
}
"""The largest ``lch_similarity`` over noun senses, with morphy."""


@pytest.mark.parametrize(
    ("synsets", "words", "seed", "roots"), [(40, 63, 0, 1), (127, 30, 1, 1), (60, 25, 2, 3), (1, 1, 3, 1)]
)
def test_distances_are_those_of_trying_every_way(synsets, words, seed, roots):
    hypernyms, senses = random_wordnet(synsets, words, seed, roots)
    taxonomy = taxonomy_of(Nouns(hypernyms, {}, {}), senses[: max(1, min(words, synsets))])
    senses = senses[: taxonomy.words]
    want = [[naive_distance(hypernyms, a, b) for b in senses] for a in senses]
    for block in (1, 7, taxonomy.words):
        starts = range(0, taxonomy.words, block)
        found = [hypernym_distances(taxonomy, k, min(k + block, taxonomy.words)) for k in starts]
        assert torch.cat(found).clamp(max=NO_PATH).tolist() == want
    assert roots == 1 or max(map(max, want)) == NO_PATH


def test_it_is_no_search_that_goes_down_and_up_again():
    hypernyms = {1: (), 2: (1,), 3: (2,), 4: (1,), 5: (4,), 6: (3, 5)}
    taxonomy = taxonomy_of(Nouns(hypernyms, {}, {}), [[3], [5], [6]])
    assert hypernym_distances(taxonomy, 0, 1).tolist() == [[0, 4, 1]]  # 3 and 5 meet at 1, not at their child 6


def test_a_taxonomy_that_a_byte_cannot_hold_is_refused():
    chain = {k: (k - 1,) if k else () for k in range(51)}
    with pytest.raises(InputError, match="50 edges deep, wanted less than 50"):
        taxonomy_of(Nouns(chain, {}, {}, "here"), [[50]])
    del chain[50]
    taxonomy = taxonomy_of(Nouns(chain, {}, {}), [[49], [0]])
    assert hypernym_distances(taxonomy, 0, 2).tolist() == [[0, 49], [49, 0]]


def test_distances_in_an_invented_wordnet_are_those_counted_by_hand(tmp_path):
    nouns = read_nouns(small_wordnet(tmp_path))
    assert nouns.depth == 5
    words = sorted({word for pair in BY_HAND for word in pair})
    distances = hypernym_distances(taxonomy_of(nouns, [nouns.senses(word) for word in words]), 0, len(words))
    found = {(a, b): int(distances[words.index(a), words.index(b)]) for a, b in BY_HAND}
    assert found == BY_HAND


def test_leacock_chodorow_equals_nltk():
    nouns = installed_nouns()
    words = sorted({word for pair in NLTK for word in pair})
    taxonomy = taxonomy_of(nouns, [nouns.senses(word) for word in words])
    distances = hypernym_distances(taxonomy, 0, len(words))
    assert nouns.depth == 19
    for (a, b), value in NLTK.items():
        d = int(distances[words.index(a), words.index(b)])
        assert math.log(2 * nouns.depth / (1 + d)) == pytest.approx(value, abs=1e-12)
