import itertools

import pytest

from gpustab.errors import InputError
from gpustab.kernels.hypernyms import hypernym_distances
from gpustab.wordnet.lmf import nouns_of, read_lmf
from gpustab.wordnet.taxonomy import taxonomy_of
from tests.wordnet.german import FORMS, HYPERNYMS, WORDS, lmf, written
from tests.wordnet.made import naive_distance


@pytest.mark.parametrize("name", ["de.xml", "de.xml.gz"])
def test_distances_are_those_of_the_graph_by_hand(tmp_path, name):
    nouns = read_lmf(written(tmp_path / name))
    words = [word for word in WORDS if " " not in word]
    senses = [nouns.senses(word) for word in words]
    assert list(map(len, senses)) == [len(WORDS[word]) for word in words]
    found = hypernym_distances(taxonomy_of(nouns, senses), 0, len(words))
    for a, b in itertools.combinations(range(len(words)), 2):
        assert found[a, b] == naive_distance(HYPERNYMS, WORDS[words[a]], WORDS[words[b]])
    assert nouns.depth == 5
    assert nouns.name == "Kleines Netz (de)"


def test_forms_are_those_of_the_file_and_english_rules_are_none(tmp_path):
    nouns = read_lmf(written(tmp_path / "de.xml"))
    for lemma, forms in FORMS.items():
        for form in forms:
            assert nouns.senses(form) == nouns.senses(lemma) == nouns.senses(lemma.upper())
            assert not nouns.senses(form, morphy=False)
    assert nouns.senses("weißer_Hund") == nouns.senses("Hund")
    assert not nouns.senses("Katzes")  # by rules of English it were a plural
    assert not nouns.notes


def test_forms_are_told_where_the_file_lists_none(tmp_path):
    path, told = written(tmp_path / "de.xml", forms={}), tmp_path / "forms.tsv"
    assert "lists no forms" in read_lmf(path).notes[0]
    told.write_text("Katzen\tKatze\nBänken\tBank\n", encoding="utf-8")
    nouns = read_lmf(path, lemmas=told)
    assert nouns.senses("katzen") == nouns.senses("Katze")
    assert not nouns.notes
    told.write_text("Katzen Katze\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1 is no form and lemma"):
        read_lmf(path, lemmas=told)


def test_hypernyms_of_another_wordnet_are_taken_through_the_index(tmp_path):
    words = written(tmp_path / "de.xml", indexed=True, relations=False)
    with pytest.raises(InputError, match="no hypernym lies above"):
        read_lmf(words)
    other = written(tmp_path / "en.xml", indexed=True, language="en", words={"Dog": ["hund"]})
    nouns = read_lmf(words, hypernyms=other)
    assert not nouns.senses("Dog")
    assert nouns.levels == read_lmf(written(tmp_path / "whole.xml", indexed=True)).levels


ANIMALS = {"ding": ("ding", ()), "tier": ("i2", ("ding",)), "hund": ("i1", ("tier",)), "auto": ("i3", ("ding",))}
"""Words of one sense each, their numbers in the index, and what lies above."""


def lexicon(name, words, order, *, own="", language="de"):
    """A lexicon whose ids are s1, s2 … in an order that differs from file to file."""
    number = {word: f"s{k}" for k, word in enumerate(order, 1)}
    entries = "".join(
        f'<LexicalEntry id="{name}-{word}"><Lemma writtenForm="{word}{own}" partOfSpeech="n"/>'
        f'<Sense id="{name}-{word}-1" synset="{number[word]}"/></LexicalEntry>'
        for word in words
    )
    synsets = "".join(
        f'<Synset id="{number[word]}" ili="{ili if ili.startswith("i") else ""}" partOfSpeech="n">'
        + "".join(f'<SynsetRelation relType="hypernym" target="{number[up]}"/>' for up in ups)
        + "</Synset>"
        for word, (ili, ups) in words.items()
    )
    return (
        f'<Lexicon id="{name}" label="{name}" language="{language}" email="a@b.de" license="none" version="1">'
        f"{entries}{synsets}</Lexicon>"
    )


def resource(path, *lexicons):
    whole = lmf()
    path.write_text(f"{whole[: whole.index('<Lexicon ')]}{''.join(lexicons)}</LexicalResource>", encoding="utf-8")
    return path


def up(nouns, word):
    """The lemmas right above the one sense of a word."""
    lemma = {sense: one for one, senses in nouns.index.items() for sense in senses}
    (sense,) = nouns.senses(word)
    return [lemma[one] for one in nouns.hypernyms[sense]]


def test_ids_of_synsets_are_of_their_lexicon_and_hypernyms_stay_above(tmp_path):
    words, order = ANIMALS, ["hund", "tier", "auto", "ding"]
    one = resource(tmp_path / "de.xml", lexicon("de", words, order))
    other = resource(tmp_path / "en.xml", lexicon("en", words, order[::-1], own="en", language="en"))
    for nouns in (read_lmf(one), read_lmf(one, hypernyms=other)):
        assert up(nouns, "hund") == ["tier"]
        assert not nouns.notes[1:]


def test_lexicons_of_one_file_with_the_same_ids_share_no_synset(tmp_path):
    first, second = (dict(list(ANIMALS.items())[:3]), {"ding": ("", ()), "auto": ("", ("ding",))})
    parts = [
        lexicon("a", first, ["hund", "tier", "ding"], language="en"),
        lexicon("b", second, ["auto", "ding"], own="2", language="en-GB"),
    ]
    nouns = read_lmf(resource(tmp_path / "both.xml", *parts))
    assert up(nouns, "hund") == ["tier"]
    assert up(nouns, "auto2") == ["ding2"]
    assert nouns.name == "a (en)"


def test_synsets_of_a_lexicon_that_another_requires_are_found(tmp_path):
    base = lexicon("a", ANIMALS, list(ANIMALS))
    more = lexicon("b", {"hund": ("", ("tier",))}, ["", "", "", "", "tier", "hund"], own="chen")
    more = more.replace('"s5"', '"s2"').replace('version="1">', 'version="1"><Requires id="a" version="1"/>')
    assert up(read_lmf(resource(tmp_path / "de.xml", base, more)), "hundchen") == ["tier"]
    assert (
        up(
            read_lmf(resource(tmp_path / "de.xml", base, more.replace('<Requires id="a"', '<Requires id="c"'))),
            "hundchen",
        )
        == []
    )


def test_extensions_are_refused_by_name_and_forms_by_their_line(tmp_path):
    extension = (
        lexicon("b", {}, [])
        .replace("Lexicon", "LexiconExtension")
        .replace(
            'version="1">',
            'version="1"><Extends id="a" version="1"/><LexicalEntry id="x"><Lemma writtenForm="x" '
            'partOfSpeech="n"/></LexicalEntry><ExternalLexicalEntry id="a-hund"/>',
        )
    )
    path = resource(tmp_path / "de.xml", lexicon("a", ANIMALS, list(ANIMALS)), extension)
    path.write_text(path.read_text().replace("1.1.dtd", "1.3.dtd"))
    with pytest.raises(InputError, match="'b' extends another lexicon"):
        read_lmf(path)
    (tmp_path / "forms.tsv").write_bytes("Hunde\tHund\nBäume\tBaum\n".encode("latin-1"))
    with pytest.raises(InputError, match="line 2: byte 0xE4 is not UTF-8"):
        read_lmf(written(tmp_path / "de.xml"), lemmas=tmp_path / "forms.tsv")


def test_a_ring_of_hypernyms_is_opened_and_said(tmp_path):
    ring = {**HYPERNYMS, "alles": ("ding",), "blume": ("blume", "pflanze")}
    nouns = read_lmf(written(tmp_path / "de.xml", hypernyms=ring))
    assert nouns.notes == ("2 hypernyms would lie above itself and were left out.",)
    assert nouns.depth == 4


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<?xml version='1.0'?><html/>", "cannot be read as WN-LMF"),
        (b"<LexicalResource", "cannot be read as WN-LMF"),
        (b"\x1f\x8bnonsense", "cannot be read as WN-LMF"),
        (b"", "cannot be read as WN-LMF"),
    ],
)
def test_what_is_no_wordnet_is_refused(tmp_path, content, said):
    path = tmp_path / "de.xml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_lmf(path)


def test_a_wordnet_of_verbs_or_of_two_languages_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no nouns"):
        read_lmf(written(tmp_path / "verbs.xml", pos="v"))
    both = tmp_path / "both.xml"
    text = written(tmp_path / "de.xml").read_text(encoding="utf-8")
    lexicon = text[text.index("<Lexicon ") : text.index("</LexicalResource>")]
    second = lexicon.replace('language="de"', 'language="fr"').replace('"x', '"y')
    both.write_text(text.replace("</LexicalResource>", f"{second}</LexicalResource>"), encoding="utf-8")
    with pytest.raises(InputError, match=r"several languages \(de, fr\)"):
        read_lmf(both)


def test_folders_of_wordnet_take_no_files_of_other_wordnets(tmp_path):
    with pytest.raises(InputError, match="is for a wordnet in WN-LMF"):
        nouns_of(str(tmp_path), lemmas="forms.tsv")


def test_nothing_is_kept_in_the_home_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    read_lmf(written(tmp_path / "de.xml"))
    assert not (tmp_path / "home").exists()
