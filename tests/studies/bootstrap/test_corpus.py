"""Query words: given, from a file, or high words of the corpus."""

import pytest

from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from gpustab.errors import InputError
from gpustab.machine.progress import no_progress
from gpustab.studies.bootstrap.corpus import chosen_queries, named_queries
from gpustab.studies.bootstrap.options import BootstrapOptions


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Ten documents: 'the' in all, 'whale' often in five, 'ship' seldom in two, a topic of whales and one of bread."""
    folder = tmp_path_factory.mktemp("texts")
    for k in range(5):
        (folder / f"a{k}.txt").write_text("the whale swam the sea whale whale " * 4 + "ship sea " * (k < 2))
        (folder / f"b{k}.txt").write_text("the baker makes bread of flour the oven bread " * 4)
    return prepare_corpus(folder, CorpusOptions(min_count=1))


def test_given_words_come_first():
    assert named_queries(BootstrapOptions(query=("war", "peace"))).words == (b"war", b"peace")
    assert named_queries(BootstrapOptions()) is None


def test_a_file_of_words(tmp_path):
    (tmp_path / "words.txt").write_text("war\npeace\nwar\n")
    assert named_queries(BootstrapOptions(queries=str(tmp_path / "words.txt"))).words == (b"war", b"peace")


def test_idf_takes_frequent_words_of_few_documents_and_none_of_all(corpus):
    found = chosen_queries(corpus, BootstrapOptions(count=3), no_progress)
    assert found.words[0] == b"whale"  # 60 × ln 2, bread has 40 × ln 2
    assert b"the" not in chosen_queries(corpus, BootstrapOptions(count=50), no_progress).words
    assert "Frequent" in found.notes[0] or "frequent" in found.notes[0]


@pytest.mark.parametrize(("choose", "said"), [("nmf", "2 topics"), ("lda", "not converged")])
def test_topic_models_give_a_word_of_each_topic_and_a_warning(corpus, choose, said):
    found = chosen_queries(corpus, BootstrapOptions(choose=choose, count=2, topics=2), no_progress)
    assert len(set(found.words)) == 2
    assert said in found.notes[1]
    assert b"the" not in found.words


def test_nmf_finds_both_topics(corpus):
    found = set(chosen_queries(corpus, BootstrapOptions(choose="nmf", count=2, topics=2), no_progress).words)
    whales, bread = {b"whale", b"sea", b"swam", b"ship"}, {b"bread", b"baker", b"flour", b"oven", b"makes", b"of"}
    assert len(found & whales) == len(found & bread) == 1


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"query": ("a",), "queries": "x"}, "not both"),
        ({"n": 1}, "n=1|n is 1"),
        ({"count": 0}, "count is 0"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_choices_are_named(choices, said):
    with pytest.raises(InputError, match=said):
        BootstrapOptions(**choices)
