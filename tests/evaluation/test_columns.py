"""Layouts of tests that nobody named: which columns are words and score is told by what stands in them, or asked."""

import re

import numpy as np
import pytest
import torch

from gpustab import InputError, load_runs
from gpustab.evaluation import read_similarity, score_similarity
from gpustab.evaluation.lookup import tails_of

STEMS = ["old", "new", "car", "sea", "sun", "cat", "war", "art", "ink", "oak", "fig", "rye"]
WORDS = [stem + end for stem in STEMS for end in ("", "s", "er", "ing", "man")]
DRAW = np.random.default_rng(3)
PAIRS = [tuple(DRAW.choice(WORDS, 2, replace=False)) for _ in range(40)]
GOLD = [round(float(score), 2) for score in DRAW.uniform(0, 10, 40)]


def rated(raters, digits=2):
    """Scores of so many raters for each pair, and their means as people write them."""
    scores = [[int(x) for x in DRAW.integers(0, 7, raters)] for _ in PAIRS]
    return scores, [f"{sum(own) / raters:.{digits}f}" for own in scores]


def table(*columns, header="", sign="\t"):
    rows = (sign.join(map(str, row)) for row in zip(*columns, strict=True))
    return "\n".join([header] * bool(header) + list(rows)) + "\n"


def repeated(*values):
    return [values[k % len(values)] for k in range(40)]


A, B = zip(*PAIRS, strict=True)
C, D = [f"{w}x" for w in A], [f"{w}y" for w in B]
TEN, MEANS = rated(10)
RATERS = list(zip(*TEN, strict=True))
GAPS = [["" if x == 6 else x for x in own] for own in TEN]
GAP_MEANS = [f"{sum(known) / len(known):.3f}" for own in GAPS for known in [[x for x in own if x != ""]]]
SENTENCES = [f"the <b>{w}</b> stands in this long sentence" for w in A], [f"and the {w} in that one" for w in B]
OTHER = DRAW.uniform(0, 7, (5, 40)).round(2)

LAYOUTS = {  # the text, columns of words and score, and the gold; the first eight are published, ours follow
    "Multi-SimLex": (table(range(40), A, B, *RATERS, MEANS), (2, 3), 14, MEANS),
    "Multi-SimLex with names": (
        table(range(40), A, B, *RATERS, MEANS, header="ID\tWord 1\tWord 2" + "\tAnnotator" * 10 + "\tMean"),
        (2, 3), 14, MEANS,
    ),
    "SCWS": (
        table(range(1, 41), A, repeated(*"nva"), B, repeated(*"nv"), *SENTENCES, MEANS, *RATERS), (2, 4), 8, MEANS,
    ),
    "WordSim-353": (
        table(A, B, MEANS, *RATERS, sign=",", header="Word 1,Word 2,Human (mean)," + ",".join(map(str, range(1, 11)))),
        (1, 2), 3, MEANS,
    ),
    "RareWords": (table(A, B, MEANS, *RATERS), (1, 2), 3, MEANS),
    "Gur65": (table(A, B, GOLD, sign=":"), (1, 2), 3, GOLD),
    "SimVerb": (table(A, B, repeated("V"), GOLD, repeated("NONE", "SYNONYMS", "ANTONYMS")), (1, 2), 4, GOLD),
    "SimLex-999": (
        table(A, B, repeated(*"ANV"), GOLD, *OTHER[:2], repeated(1, 2, 3, 4), OTHER[2], repeated(0, 1), OTHER[3],
              header="word1\tword2\tPOS\tSimLex999\tconc(w1)\tconc(w2)\tconcQ\tAssoc(USF)\tSimAssoc333\tSD(SimLex)"),
        (1, 2), 4, GOLD,
    ),
    "a number before": (table(range(40), A, B, GOLD, sign=","), (2, 3), 4, GOLD),
    "ids of letters": (table([f"p{k:03}" for k in range(40)], A, B, GOLD), (2, 3), 4, GOLD),
    "a language before": (table(repeated("en", "de", "fr"), A, B, GOLD), (2, 3), 4, GOLD),
    "names of raters": (table(A, B, GOLD, repeated("ann", "bob", "eve", "joe")), (1, 2), 3, GOLD),
    "the score first": (table(GOLD, A, B, sign=";"), (2, 3), 1, GOLD),
    "the score between": (table(A, GOLD, B, sign="|"), (1, 3), 2, GOLD),
    "definitions": (table(A, SENTENCES[0], B, SENTENCES[1], GOLD), (1, 3), 5, GOLD),
    "raters who skip": (table(A, B, *zip(*GAPS, strict=True), GAP_MEANS), (1, 2), 13, GAP_MEANS),
    "mean, number, error": (
        table(A, B, GOLD, repeated(*range(5, 12)), OTHER[0], header="w1\tw2\tmean\tn\tsd"), (1, 2), 3, GOLD,
    ),
    "words in quotes": (table([f'"{w}, x"' for w in A], B, GOLD, sign=","), (1, 2), 3, GOLD),
    "a category": (table(repeated("animal", "tool", "place"), A, GOLD, B), (2, 4), 3, GOLD),
}  # fmt: skip


def write(tmp_path, content):
    path = tmp_path / "made.txt"
    path.write_text(content)
    return path


@pytest.mark.parametrize("name", LAYOUTS)
def test_ids_tags_and_raters_are_no_words(tmp_path, name):
    content, words, score, gold = LAYOUTS[name]
    test = read_similarity(write(tmp_path, content))
    assert (test.word_columns, test.column) == (words, score)
    assert test.gold == tuple(map(float, gold))
    assert tuple(a.decode().removesuffix(", x") for a, _ in test.pairs) == A
    assert tuple(b.decode() for _, b in test.pairs) == B
    columns = (
        "pairs"
        if name == ""
        else rf"made.txt: words are columns {words[0]}\b.* and {words[1]}\b.*scores column {score}\b"
    )
    assert re.match(columns, test.notes[0])


ASKED = {
    "two languages": (table(A, B, C, D, GOLD, header="e1\te2\tg1\tg2\tscore"), "1 'e1', 2 'e2', 3 'g1', 4 'g2'"),
    "three words": (table(A, B, C, GOLD), r"1 \(.*\), 2 \(.*\), 3 \("),
    "two scores": (table(A, B, OTHER[0], OTHER[1]), r"which column is the score\? numbers are in 3 \(.*, 4 \("),
    "similarity and relatedness": (
        table(A, B, OTHER[0], OTHER[1], header="a\tb\tsimilarity\trelatedness"), "3 'similarity', 4 'relatedness'",
    ),
    "scores of three languages": (table(A, B, *OTHER[:3], header="a\tb\ten\tde\tfr"), "3 'en', 4 'de', 5 'fr'"),
    "one word beside an id": (table(range(40), A, GOLD), "wanted two columns of words, and found 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_what_is_not_clear_is_asked_and_the_advice_leads_on(tmp_path, name):
    content, there = ASKED[name]
    path = write(tmp_path, content)
    with pytest.raises(InputError, match=there) as refused:
        read_similarity(path)
    (advice,) = re.findall(r"(word_columns|score_column)='?([\d,]+)'?", str(refused.value))
    assert len(read_similarity(path, **dict([advice])).pairs) == 40


def test_columns_are_chosen_by_number_or_name(tmp_path):
    path = write(tmp_path, ASKED["two languages"][0])
    wanted = tuple((a.encode(), b.encode()) for a, b in zip(C, D, strict=True))
    for asked in ("3,4", (3, 4), "g1,g2", ["g1", "4"]):
        test = read_similarity(path, word_columns=asked)
        assert test.pairs == wanted
        assert test.notes[0] == (
            "made.txt: words are columns 3 'g1' and 4 'g2', scores column 5 'score'; 2 other columns are not read."
        )
    path = write(tmp_path, ASKED["similarity and relatedness"][0])
    assert read_similarity(path, score_column="relatedness").gold == tuple(OTHER[1])
    for wrong in ({"word_columns": "1"}, {"word_columns": "1,9"}, {"score_column": "none"}):
        with pytest.raises(InputError, match=r"wanted two columns|there is no column"):
            read_similarity(path, **wrong)


def test_a_number_for_a_word_raises_a_doubt(tmp_path):
    numbers = read_similarity(write(tmp_path, table(repeated(1, 34, 2), repeated(33, 3, 2, 5), GOLD, sign=" ")))
    assert numbers.notes[1].startswith("40 of 40 pairs have a number for a word (1 33, 34 3, 2 2): are these columns")
    some = read_similarity(write(tmp_path, table([*A[:-1], "1984"], B, GOLD)))
    assert some.notes[1].startswith(f"1 of 40 pairs has a number for a word (1984 {B[-1]})")


def test_a_column_of_tags_for_a_word_raises_a_doubt(tmp_path):
    """Norms of single words: a word, its part of speech, a number."""
    norms = read_similarity(write(tmp_path, table(WORDS[:40], repeated(*"nvj"), GOLD)))
    assert norms.notes[1] == "Column 2 has few values again and again (n, v, j): does it hold words?"
    for columns in ((A, B, GOLD), (A[:6], B[:6], GOLD[:6]), (repeated(*"abcdefghijklmno"), B, GOLD)):
        assert "again and again" not in str(read_similarity(write(tmp_path, table(*columns))).notes)


def runs_of(words):
    return load_runs(
        [(list(words), torch.from_numpy(np.random.default_rng(r).normal(size=(len(words), 4)))) for r in (0, 1)]
    )


@pytest.mark.parametrize("sign", list("-_#/"))
def test_tails_are_left_out_only_where_the_runs_have_the_bare_word_alone(tmp_path, sign):
    tails = repeated("n", "v", "j")
    made = table([f"{a}{sign}{t}" for a, t in zip(A, tails, strict=True)], [f"{b}{sign}n" for b in B], GOLD)
    test = read_similarity(write(tmp_path, made))
    bare = score_similarity(runs_of(WORDS), test)
    assert bare.used == 40
    assert any(
        f"looked up without a tail ({sign}j, {sign}n, {sign}v), which the runs do not have" in n for n in bare.notes
    )
    tailed = sorted({word.decode() for pair in test.pairs for word in pair})
    with_tails = score_similarity(runs_of([*WORDS, *tailed]), test)
    assert with_tails.used == 40
    assert not any("without a tail" in note for note in with_tails.notes)
    assert with_tails.rho != bare.rho  # the tailed words have vectors of their own


def test_ordinary_hyphens_are_no_tails():
    assert tails_of([b"x-ray", b"t-shirt", b"e-mail", b"vitamin-c"]) is None
    assert tails_of([b"sun", b"moon-n"]) is None
    assert tails_of([b"attack_nn", b"fall_vb", b"tree_nn", b"go_vb"]).kinds == (b"nn", b"vb")


@pytest.mark.parametrize(
    ("words", "pairs", "reason"),
    [
        ([w.upper() for w in WORDS], (A, B), "are there in other letter case"),
        ([f"{w}_nn" for w in WORDS], (A, B), "the words of the runs have tails (_nn)"),
        (WORDS, (C, D), "it may be of another language, or other columns are its words: it has "),
        ([*C[:1], *WORDS[:12]], (C, D), "the runs have only 13 words, 1 of which are among its "),
        (WORDS, (repeated(1, 2, 3), repeated(4, 5, 6)), "most of its words are numbers: other columns may be"),
    ],
)
def test_a_test_that_is_hardly_in_the_vocabulary_says_why(tmp_path, words, pairs, reason):
    score = score_similarity(runs_of(words), read_similarity(write(tmp_path, table(*pairs, GOLD))))
    (said,) = (note for note in score.notes if "in the vocabulary: " in note)
    assert said.startswith("0 of 40 pairs are in the vocabulary: ")
    assert reason in said


def test_other_columns_are_named_where_few_pairs_are_known(tmp_path):
    test = read_similarity(write(tmp_path, ASKED["two languages"][0]), word_columns="1,2")
    score = score_similarity(runs_of([*C, *D]), test)
    assert "other columns may be the words: 3 'g1', 4 'g2' (word_columns)." in score.notes[-1]
    assert score_similarity(runs_of([*C, *D]), read_similarity(tmp_path / "made.txt", word_columns="3,4")).used == 40
