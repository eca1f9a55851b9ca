"""A small part of the placebos of usages: vectors are drawn, so that no encoder is needed."""

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("transformers")

from benchmarks.placebos import usages
from benchmarks.placebos.cells import discovered
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.studies.usage.usages import Chosen, Usages


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    path = tmp_path_factory.mktemp("lines") / "lines.txt"
    path.write_text("\n".join(f"line {k} {k + 1} of text" for k in range(40)))
    corpus = prepare_corpus(path, CorpusOptions(min_count=1, as_is=True, layout="lines", drop_duplicates=False))
    rng = np.random.default_rng(0)
    many = 2 * usages.PAIRS + 4

    def drawn(words, shift):
        chosen = [Chosen(word, document, "", "", "") for word in words for document in range(len(corpus.records))]
        vectors = rng.standard_normal((len(chosen), 8)) + shift * np.eye(8)[[one.word % 8 for one in chosen]]
        return Usages(chosen, vectors.astype(np.float32), Counter())

    names = [f"w{k}" for k in range(many)]
    return usages.Read(corpus, names, drawn(range(many), 0.0), drawn(range(2 * usages.PAIRS), 4.0))


def found(own, share):
    rng = np.random.default_rng(3)
    period = usages.periods(own, 0.5, rng)
    asked = usages.asked(own, usages.planted(own, period, share, rng), period, 0)
    return {measure: (verdict, {word for word, one in words if one}) for measure, verdict, words in asked}


def test_words_that_change_places_are_found_and_documents_dealt_out_are_not(own):
    pairs = set(own.names[: 2 * usages.PAIRS])
    for verdict, words in found(own, 1.0).values():
        assert verdict == "yes"
        assert len(words & pairs) > 15
        assert len(words - pairs) <= 1
    for verdict, words in found(own, 0.0).values():
        assert verdict != "yes"
        assert not words


def test_exchanged_sentences_have_each_word_in_place_of_the_other():
    made = object.__new__(usages.Exchanged).exchange(["bank", "river"])
    assert made._swap("The Bank of the river's banks.") == "The river of the bank's banks."


def test_a_false_discovery_rate_is_of_all_lists_and_a_list_without_a_word_counts_as_0():
    lists = [Counter({True: 1}), Counter(), Counter({False: 19, True: 1}), Counter({False: 3}), Counter({False: 0})]
    row = discovered("usage.word-differs", "made", "none", lists)
    assert (row.of, row.said, row.wrong, row.missed) == (5, 3, 2, 2)  # 1 + 1/20, rounded up
    assert discovered("usage.word-differs", "made", "none", [Counter({False: 2})] * 3).wrong == 0
