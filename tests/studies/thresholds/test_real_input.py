"""A space of the lee corpus with an invented WordNet and with WordNet 3.0, against a script that tries every way up."""

import itertools
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch

from gpustab.runs.load import open_groups
from gpustab.studies.thresholds.study import thresholds
from gpustab.wordnet.nouns import read_nouns
from tests.oracles import unit
from tests.studies.thresholds.oracles import group
from tests.wordnet.installed import installed_nouns
from tests.wordnet.made import naive_distance
from tests.wordnet.small import small_wordnet

SAMPLE = 25


@pytest.fixture(scope="module", params=["invented", "installed"])
def nouns(request, tmp_path_factory):
    if request.param == "invented":
        return read_nouns(small_wordnet(tmp_path_factory.mktemp("wordnet")))
    return installed_nouns()


@pytest.fixture(scope="module")
def lee():
    word2vec = pytest.importorskip("gensim.models.word2vec")
    datapath = pytest.importorskip("gensim.test.utils").datapath
    texts = [line.lower().split() for line in Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()]
    model = word2vec.Word2Vec(texts, vector_size=20, min_count=25, epochs=3, workers=1, seed=1)
    return list(model.wv.index_to_key), torch.from_numpy(model.wv.vectors.copy())


def test_groups_of_real_words_are_those_of_a_naive_script(nouns, lee):
    chosen = {"wordnet": nouns.folder, "sample": SAMPLE, "draws": 2, "words": 50, "places": 10}
    result = thresholds(open_groups([lee], single_runs=True), **chosen)
    words, x = lee
    runs = open_groups([lee], single_runs=True)[0].load()
    known = [k for k in range(runs.words) if nouns.senses(runs.vocabulary[k])]
    assert len(known) > SAMPLE / 2
    order = torch.randperm(len(known), generator=torch.Generator().manual_seed(0))[:SAMPLE]
    drawn = [known[k] for k in order.tolist()]
    rows = unit(x.double().numpy())
    want = defaultdict(list)
    for a, b in itertools.combinations(drawn, 2):
        first, second = (runs.vocabulary[k].decode() for k in (a, b))
        distance = naive_distance(nouns.hypernyms, nouns.senses(first), nouns.senses(second))
        cosine = float(rows[words.index(first)] @ rows[words.index(second)])
        want[group(cosine)].append(math.log(2 * nouns.depth / (1 + distance)))
    found = list(result.tables["groups"].records())
    assert [round(100 * row["similarity"]) for row in found] == sorted(want)
    for row in found:
        own = want[round(100 * row["similarity"])]
        assert row["pairs"] == len(own)
        assert row["mean"] == pytest.approx(np.mean(own), abs=1e-9)
    assert result.groups[0]["baseline"]["words"] == min(SAMPLE, len(known))
