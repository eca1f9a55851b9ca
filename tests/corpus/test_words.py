"""Words that are tokens already, letters of other alphabets, and rules of one's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpustab import InputError
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.corpus.words import tokeniser

TOKENS = "dico#2 bank|NOUN bank|VERB new_york covid-19 #metoo c++ @user 1970s"


def words(text, **options):
    return tokeniser(CorpusOptions(**options))([text])[:-1]


def prepared(folder, text, own=None, **options):
    (folder / "a.txt").write_text(text, "utf-8")
    return prepare_corpus(folder / "a.txt", CorpusOptions(min_count=1, **options), own)


def test_tokens_stay_whole_between_white_space():
    assert words(TOKENS, tokenizer="whitespace") == TOKENS.lower().split()
    assert words(TOKENS, tokenizer="whitespace", lowercase=False) == TOKENS.split()
    assert words("A b\tC\n d", format="line_sentence", lowercase=False) == ["A", "b", "C", "d"]


def test_a_regular_expression_finds_words():
    assert words("New_York and covid-19, c++!", tokenizer=r"[\w+-]+") == ["new_york", "and", "covid-19", "c++"]
    assert words("The Cat sat", tokenizer=r"\b([A-Z])(\w+)") == ["the", "cat"]  # whole matches of the text as written


def test_a_callable_cuts(tmp_path):
    corpus = prepared(tmp_path, "A-B c\nD\n", lambda text: text.replace("-", " - ").split())
    assert sorted(corpus.vocabulary) == [b"-", b"a", b"b", b"c", b"d"]
    assert len(corpus.notes) == 1
    with pytest.raises(InputError, match="tokenizer finds 'a b'; a word has no white space"):
        prepared(tmp_path, "A b\n", lambda text: [text])
    with pytest.raises(InputError, match="tokenizer finds ''"):
        prepared(tmp_path, "A b\n", lambda text: [""])
    with pytest.raises(InputError, match="tokenizer finds 'x y'"):
        prepared(tmp_path, "x y\n", tokenizer=".+")


def test_words_that_are_cut_or_merged_are_noted_with_examples(tmp_path):
    notes = prepared(tmp_path, f"{TOKENS} a<br />b &amp; d\nplain prose, it's self-evident: and/or.\n").notes
    note = " ".join(notes)
    for example in (
        "dico#2 → dico",
        "bank|NOUN → bank noun",
        "#metoo → metoo",
        "@user → user",
        "c++ → c",
        "covid-19 → covid",
        "1970s → s",
    ):
        assert example in note
    assert "cut at their digits or signs: 9 words (50.0%), " in notes[-1]
    assert "new_york → new york" in prepared(tmp_path, "new_york new_york\n").notes[-1]


def test_what_is_not_cut_or_rare_is_not_noted(tmp_path):
    assert len(prepared(tmp_path, "plain prose, it's self-evident. 1970 and/or U.S. a < b > c\n").notes) == 1
    assert len(prepared(tmp_path, f"{TOKENS}\n", tokenizer="whitespace").notes) == 1
    assert len(prepared(tmp_path, "In 1970s we\n", drop_numbers=False).notes) == 1
    assert len(prepared(tmp_path, "word\n" * 201 + "1970s\n").notes) == 1
    assert len(prepared(tmp_path, "word\n" * 150 + "1970s 1980s\n").notes) == 2
    assert len(prepared(tmp_path, "word\n" * 9_000 + "new_york\n").notes) == 2


@pytest.mark.parametrize("language", ["tr", "az"])
def test_turkic_letters_keep_their_dots(language):
    assert words("İstanbul istanbul ISPARTA ısparta I\u0307zmir", language=language) == [
        "istanbul",
        "istanbul",
        "ısparta",
        "ısparta",
        "izmir",
    ]
    assert words("ISPARTA", language=language, tokenizer="whitespace") == ["ısparta"]
    assert words("ISPARTA") == ["isparta"]


@pytest.mark.parametrize("tokenizer", ["words", "whitespace", r"\S+"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_small_i_has_one_dot_in_any_language(tokenizer, language):
    found = words("İstanbul istanbul İSTANBUL I\u0307stanbul", tokenizer=tokenizer, language=language)
    assert found == ["istanbul"] * 4
    assert words("İ", tokenizer=tokenizer, lowercase=False) == ["İ"]


def test_lithuanian_letters_keep_their_dots_under_accents():
    """The examples of Unicode's SpecialCasing."""
    found = words("I\u0300 J\u0301 Į\u0303 Ì Í Ĩ IR", language="lt")
    assert found == [
        "i\u0307\u0300",
        "j\u0307\u0301",
        "į\u0307\u0303",
        "i\u0307\u0300",
        "i\u0307\u0301",
        "i\u0307\u0303",
        "ir",
    ]


def test_joiners_stay_within_words_and_go_at_their_ends():
    assert words("می\u200cشود و \u200cخانه\u200c‌ها") == ["می\u200cشود", "و", "خانه\u200c\u200cها"]
    assert words("स्\u200dथान क्\u200d।") == ["स्\u200dथान", "क्"]
    assert words("a\u200bb 👩\u200d👧 x\u200d") == ["ab", "x"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "xx"}, "language is 'xx', wanted a code of ISO 639-1"),
        ({"language": "english"}, "language is 'english'"),
        ({"tokenizer": "whitespaces"}, "tokenizer is 'whitespaces', wanted 'words' or 'whitespace' or a regular"),
        ({"tokenizer": "[a-z"}, "tokenizer is .*unterminated character set"),
        ({"tokenizer": r"\w*"}, "finds words without any letters"),
        ({"format": "line_sentence", "layout": "blocks"}, "line_sentence has its own documents"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        CorpusOptions(**options)


@given(
    st.text(st.characters(max_codepoint=0x7F), max_size=60),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["en", "tr", "lt"]),
    st.booleans(),
)
def test_plain_text_is_cut_as_any_other_is(text, numbers, punctuation, language, lowercase):
    """A letter of another script sends the same text by the way of all others."""
    options = CorpusOptions(
        drop_numbers=numbers, drop_punctuation=punctuation, language=language, lowercase=lowercase, join_broken="none"
    )
    cut = tokeniser(options)
    assert cut([text, "x"]) == [word for word in cut([text, "x", "ж"]) if word != "ж"][:-1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("La col·lecció coŀlecció COL•LECCIÓ", ["la", *["col·lecció"] * 3]),  # Catalan
        ("des·har in·hèrn", ["des·har", "in·hèrn"]),  # Occitan
        ("IMP·CAESAR Ärzt·innen", ["imp", "caesar", "ärzt", "innen"]),  # a stone, both genders
        ('צה"ל צה״ל צה”ל אמר "שלום"', [*["צה״ל"] * 3, "אמר", "שלום"]),
        ("ǃXóõ ǂʼAmkoe Hawaiʻi", ["ǃxóõ", "ǂʼamkoe", "hawaiʻi"]),
        ("约翰·史密斯", ["约翰", "史密斯"]),  # names of others in Chinese
        ('he said "no"and went•away', ["he", "said", "no", "and", "went", "away"]),
    ],
)
def test_signs_within_words_of_some_languages(text, words):
    assert tokeniser(CorpusOptions())([text])[:-1] == words
