"""Query words: given, from a file, or words of the corpus that gather in some of its passages."""

import numpy as np
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


def told(folder, documents, passages=6, length=200):
    """Documents of passages: half function words, spread evenly; a period's word, a speaker's, and topics' words.

    ``upon`` stands in the earlier half of the documents and ``tonight`` in the later, evenly; ``she`` and ``her``
    gather in every sixth passage of any document; of six topics every document has two, in three passages each.
    """
    rng = np.random.default_rng(0)
    for d in range(documents):
        lines = []
        for k in range(passages):
            words = [f"function{x}" for x in (rng.zipf(1.6, length) % 40)]
            words[:20] = ["upon" if d < documents / 2 else "tonight"] * 20
            words[20:30] = ["she", "her"] * 5 if (k + d) % 6 == 0 else words[20:30]
            topic = (d + 3 * (k % 2)) % 6
            words[30:80] = [f"topic{topic}-{x}" for x in rng.integers(5, size=50)]
            lines.append(" ".join(rng.permutation(words)))
        (folder / f"{d:02}.txt").write_text(" ".join(lines))
    return prepare_corpus(folder, CorpusOptions(min_count=1, as_is=True, tokenizer="whitespace"))


def test_words_of_topics_are_chosen_and_neither_function_words_nor_those_of_a_period_or_a_speaker(tmp_path):
    found = chosen_queries(told(tmp_path, 30), BootstrapOptions(count=30), no_progress)
    assert len(found.words) == 30
    assert all(word.startswith(b"topic") for word in found.words)
    assert "function words are spread evenly" in found.notes[0]


def test_one_document_is_judged_by_its_passages(tmp_path):
    found = chosen_queries(told(tmp_path, 1, passages=60), BootstrapOptions(count=10), no_progress)
    assert all(word.startswith((b"topic", b"she", b"her")) for word in found.words)
    assert sum(word.startswith(b"topic") for word in found.words) > 5  # pronouns may be there, topics lead


def test_a_text_in_which_no_word_gathers_asks_for_words(tmp_path):
    (tmp_path / "even.txt").write_text("the cat sat on a mat " * 300)
    corpus = prepare_corpus(tmp_path, CorpusOptions(min_count=1, as_is=True))
    with pytest.raises(InputError, match="give query"):
        chosen_queries(corpus, BootstrapOptions(), no_progress)


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
