"""A short run of the fuzzer over all formats; `python -m tests.formats.fuzz` runs it at length."""

import pytest

from tests.formats import fuzz

NAMES = [
    "word2vec text",
    "GloVe text",
    "tabs and CRLF",
    "gzip text",
    "bzip2 text",
    "word2vec binary newline",
    "word2vec binary",
    "npy",
    "safetensors",
    "gensim",
    "fastText",
]


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_damaged_files_are_refused_reported_or_harmless(number):
    name, outcomes, wrong = fuzz.fuzz(number, 300, seed=7)
    assert name == NAMES[number]
    assert not wrong
    assert sum(outcomes.values()) == 300
    assert outcomes["refused"] > 30
    assert outcomes["unframed"] <= (30 if name == "word2vec binary" else 0)


def test_the_fuzzer_sees_a_silent_loss(monkeypatch):
    """A reader that drops the last row without a word would not get by."""
    real = fuzz.read_space

    def careless(path):
        space = real(path)
        words = list(space.vocabulary)[:-1]
        object.__setattr__(space, "vocabulary", words)
        object.__setattr__(space, "vectors", space.vectors[:-1])
        return space

    monkeypatch.setattr(fuzz, "read_space", careless)
    *_, wrong = fuzz.fuzz(6, 200, seed=7)
    assert any("SILENT LOSS" in result for _, result in wrong)
