"""Classes of words: WordNet's kinds, and a file of the user's."""

from functools import cache

import pytest

from gpustab.errors import InputError
from gpustab.evaluation.labels import labels_of
from gpustab.wordnet.lexicon import read_lexicon

WORDS = [b"surgeon", b"lawyers", b"lawyer", b"giraffe", b"zebra", b"run", b"the", b"zqx", b"bank", b"teacher"]


def test_nouns_of_one_kind_have_a_class_and_others_have_none(monkeypatch):
    monkeypatch.setattr("gpustab.evaluation.labels.read_lexicon", cache(read_lexicon))  # it is read once for both calls
    found = labels_of(WORDS, least=2)
    assert found.classes == ["animal", "person"]
    named = {word: found.classes[k] for word, k in found.of.items()}
    assert named == {b"surgeon": "person", b"lawyers": "person", b"lawyer": "person", b"giraffe": "animal",
                     b"zebra": "animal"}  # fmt: skip
    assert labels_of(WORDS).classes == []  # twenty of a class are wanted


@pytest.mark.parametrize("between", ["\t", ",", "; ", "  "])
def test_a_file_of_words_and_classes_is_read_whatever_stands_between(tmp_path, between):
    file = tmp_path / "classes.txt"
    file.write_text("".join(f"{word}{between}{label}\n" for word, label in [("run", "verb"), ("the", "other"),
                                                                           ("zqx", "verb"), ("not there", "verb")]
                            if " " not in word or between != "  "))  # fmt: skip
    found = labels_of(WORDS, file, least=1)
    assert (found.classes, found.of) == (["other", "verb"], {b"run": 1, b"the": 0, b"zqx": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run\n", "line 1 is 'run', wanted a word and its class"),
        ("run\tverb\tx\n", "line 1 is"),
        ("run\tverb\nthe\t\n", "line 2 is"),
        ("run\tverb\nrun\tnoun\n", "line 2: 'run' is noun here and verb above"),
    ],
)
def test_lines_that_are_no_words_with_a_class_are_named(tmp_path, text, message):
    file = tmp_path / "classes.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        labels_of(WORDS, file)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.txt: there is no such file"):
        labels_of(WORDS, tmp_path / "nothing.txt")
