"""Words broken at line ends are joined where the text has them whole."""

import random
import textwrap

import pytest

from gpustab.corpus.broken import run_on
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus

WORDS = [
    "president",
    "government",
    "railway",
    "information",
    "statement",
    "congress",
    "liberty",
    "opinion",
    "department",
    "commerce",
]
GERMAN = ["regierung", "eisenbahn", "freiheit", "versammlung", "minister", "verordnung", "gesellschaft", "zeitung"]


def ocr(words, hyphen="-", *, width=42, n=1500, seed=0, end="\n"):
    """Lines of one width: a word that does not fit is broken."""
    draw, lines, line = random.Random(seed), [], ""
    for word in draw.choices(words, k=n):
        room = width - len(line) - 2
        if len(word) <= room:
            line += f" {word}"
        elif room > 2 and len(word) - room > 1:
            lines.append(f"{line} {word[:room]}{hyphen}".strip())
            line = word[room:]
        else:
            lines.append(line.strip())
            line = word
    return end.join([*lines, line.strip()]) + end


def prepared(folder, text, layout="files", **options):
    (folder / "a.txt").write_text(text, "utf-8", newline="")
    return prepare_corpus(folder / "a.txt", CorpusOptions(min_count=1, layout=layout, as_is=True, **options))


def found(corpus):
    return sorted(map(bytes.decode, corpus.vocabulary))


@pytest.mark.parametrize("layout", ["files", "paragraphs"])
@pytest.mark.parametrize(
    ("words", "hyphen", "end"),
    [
        (WORDS, "-", "\n"),
        (WORDS, "-", "\r\n"),
        (WORDS, "- ", "\n  "),
        (WORDS, "¬", "\n"),
        (WORDS, "‐", "\n"),
        (WORDS, "\u00ad", "\n"),
        (GERMAN, "=", "\n"),
        (GERMAN, "⸗", "\n"),
        (["правительство", "железная", "общество", "собрание", "министерство"], "-", "\n"),
    ],
)
def test_words_broken_at_line_ends_are_whole(tmp_path, words, hyphen, end, layout):
    corpus = prepared(tmp_path, ocr(words, hyphen, end=end), layout)
    assert found(corpus) == sorted(words)
    assert len(corpus.tokens) == 1500


def test_the_vocabulary_of_line_end_hyphens_without_joining(tmp_path):
    assert len(prepared(tmp_path, ocr(WORDS), join_broken="none").vocabulary) > 5 * len(WORDS)


def test_a_hyphen_of_the_word_stays(tmp_path):
    """Words that have their hyphen within lines too are none that a line's end breaks."""
    lines = ["the self-evident truth is well-known to the north-eastern people"] * 20
    lines += ["it is self-", "evident and well-", "known that the", "presi-", "dent is the president"] * 20
    corpus = prepared(tmp_path, "\n".join(lines) + "\n")
    assert {"self", "evident", "well", "known"} <= set(found(corpus))
    assert not {"selfevident", "wellknown", "presi", "dent"} & set(found(corpus))
    kept = prepared(tmp_path, "\n".join(lines) + "\n", drop_punctuation=False)
    assert len(kept.tokens) == 20 * (15 + 15)


def test_the_form_with_a_hyphen_wins_where_it_is_more_frequent(tmp_path):
    text = "re-sign re-sign re-sign resign\n" + "they re-\nsign it\n" * 6 + "presi-\ndent president\n" * 6
    corpus = prepared(tmp_path, text)
    assert (corpus.tokens == corpus.vocabulary.index_of("resign")).sum() == 1
    assert "presi" not in found(corpus)


def test_two_breaks_of_a_word_that_never_stands_whole_tell_it(tmp_path):
    text = "the insti-\ntution and the institu-\ntion of in-\nstitution\n" * 4
    assert "institution" in found(prepared(tmp_path, text))


def test_three_lines_of_one_word(tmp_path):
    text = "inter-\nnatio-\nnal law is international\n" * 6
    assert found(prepared(tmp_path, text)) == ["international", "is", "law"]


def test_an_accident_is_left_alone(tmp_path):
    """Four breaks of a large text are no habit of its line ends."""
    text = "north-\neast and south-\nwest\n" + "northeast southwest plain text\n" * 50
    corpus = prepared(tmp_path, text)
    assert {"north", "east", "south", "west"} <= set(found(corpus))
    assert not any("line ends" in note for note in corpus.notes)


def test_the_note_counts_and_its_option_joins_the_rest(tmp_path):
    text = ocr(WORDS) + "an unheard-\nof word\nzymo-\nlogy\n"
    corpus = prepared(tmp_path, text)
    joined, left = (note for note in corpus.notes if "line ends" in note)
    assert joined.count("→") == 3
    assert "as the text has them whole" in joined
    assert "2 of" in left
    assert "zymo-logy" in left
    assert "\ue000join_broken='all'\ue001 joins them" in left
    assert "zymology" in found(prepared(tmp_path, text, join_broken="all"))


@pytest.mark.parametrize("tokenizer", ["whitespace", "[a-z-]+"])
def test_other_tokenisers(tmp_path, tokenizer):
    text = ocr(WORDS) + "a self-evident truth is self-\nevident\n" * 3
    how = {"join_broken": "all"} if tokenizer != "whitespace" else {}
    corpus = prepared(tmp_path, text, tokenizer=tokenizer, **how)
    assert set(WORDS) <= set(found(corpus))
    assert not {"presi-", "dent"} & set(found(corpus))


def test_lines_and_ends_of_paragraphs_join_nothing(tmp_path):
    text = "presi-\ndent president\n" * 10
    assert "dent" in found(prepared(tmp_path, text, "lines"))
    assert "dent" in found(prepared(tmp_path, "presi-\n\ndent president\n\n" * 10))


@pytest.mark.parametrize("text", ["he said--\nand went", "1914-\n1918", "a -\nb", "well -\n- known", "-\n", "x-\n\ny"])
def test_dashes_and_numbers_are_no_breaks(text, tmp_path):
    kept, joined = (prepared(tmp_path, f"{text} end\n" * 6, "files", join_broken=how) for how in ("none", "all"))
    assert found(kept) == found(joined)


def test_running_on_is_one_line():
    assert run_on("a\nb", "auto") == "a b"
    assert run_on(textwrap.fill("plain words " * 30, 40), "auto").count("\n") == 0
    assert run_on("a\x7fb\nc-\nd", "auto") == "ab c-\x7fd"


def test_hyphens_of_other_documents_count_against_joining(tmp_path):
    for number in range(9):
        (tmp_path / f"{number}.txt").write_text("they re-sign and co-operate\n", "utf-8")
    broken = "they re-\nsign it, co-\noperate, resign, cooperate\n" * 2 + "presi-\ndent president\n" * 6
    (tmp_path / "z.txt").write_text(broken, "utf-8")
    corpus = prepare_corpus(tmp_path, CorpusOptions(min_count=1, drop_duplicates=False, as_is=True))
    assert (corpus.tokens == corpus.vocabulary.index_of("resign")).sum() == 2
    assert (corpus.tokens == corpus.vocabulary.index_of("operate")).sum() == 9 + 2
    assert "presi" not in found(corpus)


@pytest.mark.parametrize("dash", ["-", " - ", "‐ ", "¬"])
def test_a_dash_is_never_an_empty_word(tmp_path, dash):
    text = f"one {dash} two\n" + "presi-\ndent president\n" * 6
    assert "" not in found(prepared(tmp_path, text, drop_punctuation=False))
