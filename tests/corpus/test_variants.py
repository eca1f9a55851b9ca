"""One word in several spellings: characters that mean one, signs that nobody sees, and what is kept."""

import pytest

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.corpus.variants import fold
from gpustab.corpus.words import tokeniser


def words(text, **options):
    return tokeniser(CorpusOptions(**options))([text])[:-1]


def prepared(folder, text, **options):
    (folder / "a.txt").write_text(text, "utf-8", newline="")
    return prepare_corpus(folder / "a.txt", CorpusOptions(min_count=1, layout="files", as_is=True, **options))


def counts(corpus):
    return {corpus.vocabulary.text(k): int((corpus.tokens == k).sum()) for k in range(len(corpus.vocabulary))}


@pytest.mark.parametrize(
    ("spellings", "word"),
    [
        ("don't don’t don‘t don´t don`t don′t don＇t don\x92t DON’T", "don't"),
        ("l'homme l’homme L‘homme", "l'homme"),
        ("м'ята м’ята", "м'ята"),
        ("צ'ק צ׳ק צ’ק", "צ'ק"),
        ("final ﬁnal FINAL", "final"),
        ("affluent aﬄuent aﬀluent", "affluent"),
        ("wide ｗｉｄｅ ＷＩＤＥ", "wide"),
        ("hast haſt", "hast"),
        ("bold 𝐛𝐨𝐥𝐝 𝗕𝗼𝗹𝗱 𝒷ℴ𝓁𝒹".replace("ℴ", "𝓸"), "bold"),
        (["ijs ĳs ", "s"][0], "ijs"),
        ("カード ｶｰﾄﾞ", "カード"),
        ("كتاب كـــتاب ﻛﺘﺎﺏ", "كتاب"),
        ("reservation reser\u2060vation reser\ufeffvation reser\u200bvation reser\u00advation", "reservation"),
        ("auflage auf\u200clage auf\u200dlage", "auflage"),
        ("house hous\0e hou\x02se ho\x7fuse hou\u200ese", "house"),
    ],
)
def test_spellings_of_one_word_are_one(spellings, word):
    assert set(words(spellings)) == {word}
    assert set(words(spellings.replace("\x00", "").replace("ho\x7fuse ", ""), tokenizer="whitespace")) == {word}


@pytest.mark.parametrize(
    "text",
    [
        "œuvre æon ß ª º naïve ı ø đ ł",  # letters of their own
        "می\u200cشود خانه\u200cها",
        "स्\u200dथान क्\u200cष",
        "𝒳",  # a name in a formula
        "ʻokina hawaiʻi tʼááʼ",
        "ไทย",
    ],
)
def test_what_means_another_word_is_kept(text):
    assert words(text) == text.split()


def test_a_space_of_no_width_parts_words_where_a_script_has_no_blanks():
    assert words("ภาษา\u200bไทย ភាសា\u200bខ្មែរ 日本\u200b語") == ["ภาษา", "ไทย", "ភាសា", "ខ្មែរ", "日本", "語"]
    assert words("a\u200b \u200bb") == ["a", "b"]


def test_quotation_marks_and_field_separators_still_end_words():
    assert words("‘quote’ ’tis dogs’ a\x1fb c\x1dd") == ["quote", "tis", "dogs", "a", "b", "c", "d"]


def test_folding_twice_changes_nothing():
    for word in ("don’t", "ﬁnal", "ｗｉｄｅ", "haſt", "𝐛𝐨𝐥𝐝", "re\u2060d"):
        assert fold(fold(word)) == fold(word)


@pytest.mark.parametrize("letter", "ʼʻ")
def test_an_apostrophe_that_is_a_letter_is_folded_where_the_text_has_the_word_without(tmp_path, letter):
    mixed = f"don{letter}t don't we{letter}ll we’ll\n"
    assert counts(prepared(tmp_path, mixed)) == {"don't": 2, "we'll": 2}
    alone = f"t{letter}oo dziz t{letter}áá{letter} k{letter}e\n"
    assert set(counts(prepared(tmp_path, alone))) == {"dziz", f"t{letter}oo", f"t{letter}áá{letter}", f"k{letter}e"}


def test_a_note_counts_and_shows_and_its_option_keeps(tmp_path):
    text = "don’t don’t don’t don't ﬁnal ﬁnal final haſt hast ﬂow\n"
    corpus = prepared(tmp_path, text)
    note = next(note for note in corpus.notes if "one spelling" in note)
    assert "one spelling for 7 running words" in note
    for example in ("don’t → don't (3)", "ﬁnal → final (2)", "haſt → hast (1)"):
        assert example in note
    assert "\ue000keep_variants\ue001 keeps them apart" in note
    kept = prepared(tmp_path, text, keep_variants=True)
    assert counts(kept) == {"don’t": 3, "ﬁnal": 2, "don't": 1, "final": 1, "hast": 1, "haſt": 1, "ﬂow": 1}
    assert not any("one spelling" in note for note in kept.notes)


def test_documents_that_differ_in_spelling_alone_are_duplicates(tmp_path):
    (tmp_path / "a.txt").write_text("we don't know\nwe don’t know\nﬁnal\nfinal\nother\n", "utf-8")
    corpus = prepare_corpus(tmp_path / "a.txt", CorpusOptions(min_count=1))
    assert corpus.dropped["duplicate_documents"] == 2
    assert [record.id for record in corpus.records] == ["1", "3", "5"]


def test_nul_signs_are_named_with_their_place(tmp_path):
    corpus = prepared(tmp_path, "plain text here\n" * 50 + "the hous\0e stands\n" + "more\n" * 30 + "end \0\n")
    note = next(note for note in corpus.notes if "NUL" in note)
    assert "a.txt: line 51: the first of 2 NUL signs" in note
    assert counts(corpus)["house"] == 1


def test_own_cutters_words_stay_as_they_are(tmp_path):
    (tmp_path / "a.txt").write_text("don’t ﬁnal\n", "utf-8")
    corpus = prepare_corpus(tmp_path / "a.txt", CorpusOptions(min_count=1), str.split)
    assert sorted(map(bytes.decode, corpus.vocabulary)) == ["don’t", "ﬁnal"]
