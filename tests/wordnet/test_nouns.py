import pytest

from gpustab import InputError
from gpustab.wordnet.nouns import find_wordnet, read_nouns
from tests.wordnet.made import write_wordnet

HYPERNYMS = {1: (), 2: (1,), 3: (1,), 4: (2, 3), 5: (4,)}
INDEX = {"entity": [1], "dog": [5, 2], "man": [3], "city": [4], "box": [2], "leaf": [4], "leave": [3], "news": [2]}


@pytest.fixture
def folder(tmp_path):
    return write_wordnet(tmp_path, HYPERNYMS, INDEX, [("mice", "mouse"), ("leaves", "leaf", "dog")])


def test_hypernyms_of_both_kinds_levels_and_senses_in_their_order(folder):
    nouns = read_nouns(folder)
    assert nouns.hypernyms == HYPERNYMS
    assert nouns.levels == {1: 0, 2: 1, 3: 1, 4: 2, 5: 3}
    assert nouns.depth == 3
    assert nouns.senses("dog") == [5, 2]
    assert nouns.senses(b"Dog") == [5, 2]
    assert nouns.senses(b"\xff") == []


@pytest.mark.parametrize(
    ("form", "senses"),
    [
        ("dogs", [5, 2]),
        ("men", [3]),
        ("cities", [4]),
        ("boxes", [2]),
        ("leaves", [4, 5, 2]),  # its exceptions alone, not leave by the rules
        ("news", [2]),
        ("dogss", []),  # rules apply once
        ("mice", []),  # its base form is no lemma
    ],
)
def test_base_forms_as_nltk_finds_them(folder, form, senses):
    assert read_nouns(folder).senses(form) == senses


def test_exact_forms_only(folder):
    nouns = read_nouns(folder)
    assert nouns.senses("dogs", morphy=False) == []
    assert nouns.senses("news", morphy=False) == [2]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("data.noun", "00000001 03 n 01 a 0 002 @ 00000002 n 0000 | x\n", r"data.noun: line 1 is no line"),
        ("data.noun", "<html>\n", "data.noun: line 1"),
        ("index.noun", "dog n 2 1 @ 2 0 00000001\n", "index.noun: line 1"),
        ("index.noun", "dog n 1 1 @ 1 0 00000009\n", "sense of 'dog' is not in data.noun"),
        ("noun.exc", "\nmice\n", "noun.exc: line 2"),
        ("data.noun", "00000005 03 n 01 a 0 001 @ 00000077 n 0000 | x\n", "is not in data.noun|00000077"),
    ],
)
def test_damaged_files_are_named_with_the_line(folder, name, text, said):
    (folder / name).write_text(text)
    with pytest.raises(InputError, match=said):
        read_nouns(folder)


def test_a_ring_of_hypernyms_is_refused(tmp_path):
    folder = write_wordnet(tmp_path, {1: (), 2: (3,), 3: (2,)}, {"a": [1]})
    with pytest.raises(InputError, match="lies above itself"):
        read_nouns(folder)


def test_a_folder_without_the_files_is_named(tmp_path):
    with pytest.raises(InputError, match=r"there is no data.noun"):
        find_wordnet(tmp_path)


def test_where_nltk_puts_them(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("gpustab.wordnet.nouns._DEBIAN", tmp_path / "none")
    monkeypatch.setattr("gpustab.wordnet.nouns._NLTK", ())
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "data"))
    with pytest.raises(InputError, match="apt install wordnet-base"):
        find_wordnet()
    write_wordnet(tmp_path / "data/corpora/wordnet", HYPERNYMS, INDEX)
    assert read_nouns().depth == 3
