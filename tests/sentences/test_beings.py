"""Nouns of beings and verbs of many senses stand in WordNet as their lists say."""

import pytest

from gpustab.errors import InputError
from gpustab.sentences.beings import GROUPS, PERSONS_AND_ANIMALS, is_being
from gpustab.sentences.parsed import Word
from gpustab.sentences.roles import MANY, OF_MANY_SENSES
from gpustab.wordnet.nouns import find_wordnet

TOPS, ANIMAL, GROUP, PERSON = "03", "05", "14", "18"
"""The lexicographers' files of nouns, which a line of data.noun names behind its offset."""


@pytest.fixture(scope="module")
def wordnet():
    try:
        return find_wordnet(None, ("data.noun", "index.noun", "index.verb"))
    except InputError:
        pytest.skip("needs WordNet's files")


def lines(file):
    return (line.split() for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("  "))


def test_beings_are_persons_animals_or_groups_in_the_first_or_second_of_their_senses(wordnet):
    files = {fields[0]: fields[1] for fields in lines(wordnet / "data.noun")}
    senses = {fields[0]: [files[k] for k in fields[-int(fields[2]) :]] for fields in lines(wordnet / "index.noun")}
    for words, wanted in ((PERSONS_AND_ANIMALS, {TOPS, ANIMAL, PERSON}), (GROUPS, {GROUP})):
        assert [word for word in words if not wanted & {*senses[word][:2]}] == []


def test_verbs_of_many_senses_are_all_that_have_so_many(wordnet):
    senses = {fields[0]: int(fields[2]) for fields in lines(wordnet / "index.verb")}
    assert {word for word in OF_MANY_SENSES if senses[word] < MANY} == set()
    left_out = {word for word, n in senses.items() if n >= MANY and "_" not in word} - OF_MANY_SENSES
    assert left_out <= {"be", "have", "play", "face", "fight", "match", "meet", "bear", "engage", "tie", "join"}


@pytest.mark.parametrize(
    ("kind", "lemma", "entity", "is_one"),
    [
        ("NOUN", "farmer", "", True),
        ("NOUN", "window", "", False),
        ("PROPN", "Howard", "PERSON", True),
        ("PROPN", "Bridge", "FAC", False),
        ("PROPN", "Farmer", "", True),
        ("PROPN", "Farmer", "FAC", False),
        ("VERB", "farmer", "", False),
    ],
)
def test_names_and_nouns_tell_beings(kind, lemma, entity, is_one):
    assert is_being(Word(lemma, True, lemma, "", kind, {}, 0, "", entity)) is is_one
