"""Files of word sets: what is read of them, and what is said of wrong ones."""

from pathlib import Path

import pytest

from gpustab import InputError
from gpustab.studies.association.sets import Sets, parse_sets, read_sets, spelled, spelling

RIGHT = """
["trade and war"]
targets.trade = "market, goods  export"
targets.war = ["army", "fort"]
attributes.good = "peace joy"
attributes.bad = '''
death
fear'''
"""


def test_words_are_lists_or_texts_with_spaces_commas_or_lines():
    (sets,) = parse_sets(RIGHT)
    assert sets.name == "trade and war"
    assert sets.names == ("trade", "war", "good", "bad")
    assert sets.words == ((b"market", b"goods", b"export"), (b"army", b"fort"), (b"peace", b"joy"), (b"death", b"fear"))
    assert sets.sizes == (3, 2, 2, 2)
    assert sets.kept(frozenset({b"fort"})).sizes == (3, 1, 2, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no test"),
        ("trade and war", "this is no TOML"),
        ("x = 3", "test 'x' wants targets and attributes"),
        ("[x]\ntargets.a = 'b c'", "test 'x' wants targets and attributes, and nothing else; it has targets"),
        (RIGHT + "notes = 'mine'", "and nothing else; it has targets, attributes, notes"),
        (RIGHT.replace("targets.war", "targets.peace = 'a b'\ntargets.war"), "two named sets of targets; it has 3"),
        (RIGHT.replace("attributes.bad", "attributes.war"), "two sets are called 'war'"),
        (RIGHT.replace("joy", "army"), "'army' is in two sets, 'war' and 'good'"),
        (RIGHT.replace('"fort"', '"goods"'), "'goods' is in two sets, 'trade' and 'war'"),
        (RIGHT.replace("export", "goods"), "set 'trade': 'goods' stands there twice"),
        (RIGHT.replace("peace joy", "peace"), "set 'good' has 1 word; it wants two or more"),
        (RIGHT.replace('"peace joy"', "3"), "set 'good' wants a list of words, or a text"),
        (RIGHT.replace('"fort"', "4"), "set 'war' wants a list of words, or a text"),
        ("x = " + "[" * 5000, "this is no TOML"),
    ],
)
def test_wrong_files_are_refused_with_test_and_word(text, said, tmp_path):
    path = tmp_path / "sets.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_sets(path)
    assert said in str(error.value)
    assert str(error.value).startswith(f"{path}: ")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_sets(tmp_path / "nowhere.toml")
    with pytest.raises(InputError, match="this is a folder"):
        read_sets(tmp_path)
    (tmp_path / "latin.toml").write_bytes("[é]".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_sets(tmp_path / "latin.toml")


def test_the_sets_of_the_documentation_are_read():
    page = (Path(__file__).parents[3] / "docs/pages/studies/association.md").read_text(encoding="utf-8")
    found = parse_sets(page.partition("```toml\n")[2].partition("```")[0])
    assert [sets.sizes for sets in found] == [(8, 8, 6, 6), (6, 6, 6, 6), (8, 8, 6, 6)]


def four(x, y="u v", a="o p", b="q r"):
    return Sets("t", ("x", "y", "a", "b"), tuple(tuple(word.encode() for word in own.split()) for own in (x, y, a, b)))


OTHERS = [word.encode() for word in ["u", "v", "o", "p", "q", "r"]]


@pytest.mark.parametrize(
    ("given", "theirs"),
    [
        ("He Son", "he son"),  # a file with capitals, a text without
        ("he son", "He Son"),  # and the other way round
        ("ÄPFEL Straße", "äpfel strasse"),
        ("E\u0301cole mer", "\u00e9cole mer"),  # an accent that is a character of its own
    ],
)
def test_words_with_other_capitals_are_found_and_told(given, theirs):
    own = [*OTHERS, *(word.encode() for word in theirs.split())]
    known = spelled([four(given)], own)
    assert [known[word.encode()].decode() for word in given.split()] == theirs.split()
    (said,) = spelling(known, own, list(known))
    first = next(word for word, other in zip(given.split(), theirs.split(), strict=True) if word != other)
    assert f"{first} as " in said


def test_two_words_that_would_be_one_are_none_and_a_word_of_another_test_is_its_own():
    own = [*OTHERS, b"us", b"turkey"]
    assert b"US" not in spelled([four("US turkey", "us v")], own)
    assert {b"US", b"Us"}.isdisjoint(spelled([four("US Us turkey")], own))
    both = spelled([four("US turkey"), four("us turkey")], own)
    assert both[b"US"] == both[b"us"] == b"us"
    assert b"Us" not in spelled([four("Us turkey")], [*own, b"US"])  # which of two?
    assert b"US" not in spelled([four("US turkey")], own, [*own, b"US"])  # some run has it: it is another word than us
    assert not [*spelling({}, [b"-"], [b"'"])]  # without a letter, all are alike


@pytest.mark.parametrize(
    ("given", "theirs"),
    [("new_york", "new york"), ("well-being", "wellbeing"), ("jalapeño", "jalapeno"), ("O'Brien", "obrien")],
)
def test_other_spellings_are_told_and_not_taken(given, theirs):
    own = [*OTHERS, theirs.encode(), b"w"]
    known = spelled([four(f"{given} w")], own)
    assert given.encode() not in known
    (said,) = spelling(known, own, [given.encode(), b"w"])
    assert f"{given} ({theirs})" in said
    assert "1 word that these runs lack" in said
