"""Texts, terms and backgrounds at the edge: each gets a sentence, and known answers stay known."""

import re

import numpy as np
import pytest

from gpustab import InputError
from gpustab.report import to_html, to_text
from gpustab.runs.load import open_groups
from gpustab.studies.consistency.study import consistency
from tests.small_data.made import sentences, term_names, word

pytest.importorskip("sentencex")


TERMS = term_names(6)


def ask(folder, lists, terms=TERMS, known=300, **choices):
    """The study on lines of words, with a background of random vectors."""
    (folder / "text.txt").write_text("\n".join(" ".join(s) for s in lists) + "\n")
    if terms:
        (folder / "terms.txt").write_text("\n".join(terms))
    vectors = 0.3 + np.random.default_rng(0).normal(size=(known, 9))
    groups = open_groups([([word(k) for k in range(known)], vectors)], single_runs=True)
    chosen = {"layout": "blocks", "subsample": 0.0, "terms": str(folder / "terms.txt") if terms else "random"}
    return consistency(groups, folder / "text.txt", **chosen | choices)


@pytest.mark.parametrize(
    ("lists", "terms", "message"),
    [
        ([["aaaa"]], None, r"no term stands in 10 sentences or more.*the 100 most frequent words are not taken"),
        ([["aaaa", "baaa"]], ["nowhere", "neither"], "no term stands in 10 sentences or more; wanted two"),
        (sentences(1, 20, 8), ["terma", "termaa"], "only 'termaa' stands in 10"),
        ([["zzzz", "termaa"]] * 3, term_names(2), "knows none of the 2 words"),
    ],
)
def test_a_text_without_terms_says_what_is_missing(tmp_path, lists, terms, message):
    with pytest.raises(InputError, match=message):
        ask(tmp_path, lists, terms)


def test_a_sample_needs_a_sentence_whatever_the_cutoff(tmp_path):
    with pytest.raises(InputError, match="no term stands in 5 sentences"):
        ask(tmp_path, sentences(3, 4, 8), term_names(3), cutoff=1)


def test_one_sentence_a_sample(tmp_path):
    result = ask(tmp_path, sentences(6, 4, 8, own=0.5), samples=2, cutoff=2, sentences=1)
    assert result.groups[0]["sentences"] == 1
    assert result.tables["sizes"]["n"] == [1, None]
    assert result.tables["sizes"]["mean"] == [1, 2]
    text = " ".join(to_text(result).split())
    assert re.search(r"with 1 sentence to 0\.\d+ \(0\.\d+–0\.\d+\) with all sentences\.", text)
    assert "a sample, it is" not in text
    assert to_html(result).count("<svg") == 2


def test_terms_that_the_background_lacks_have_no_own_vector_and_all_else(tmp_path):
    result = ask(tmp_path, sentences(6, 12, 8, own=0.5), samples=2, cutoff=2)
    assert result.tables["own"]["terms"] == [0]
    assert "The background has too few of the terms" in to_text(result)
    assert result.tables["consistency"]["auc"][0] > 0.5


def test_halves_of_the_same_words_are_one_vector_and_first_among_all(tmp_path):
    """The second half has the sentences of the first with their words turned round: the same sums."""
    first = sentences(6, 6, 8, seed=1, own=0.5)
    result = ask(tmp_path, [*first, *(s[::-1] for s in first)], split="half", cutoff=2, permutations=9, layout="lines")
    row = next(result.tables["consistency"].records(model="additive"))
    assert row["same"] == pytest.approx(1, abs=1e-12)
    assert row["auc"] == 1
    assert row["rank"] == 1
    ranks = next(result.tables["ranks"].records(model="additive"))
    assert (ranks["both"], ranks["first"]) == (1, 1)
    assert result.tables["split"]["p"][0] == 1


def test_a_term_whose_sample_has_no_known_word_is_left_out_by_name(tmp_path):
    lists = sentences(6, 4, 8, seed=2)
    lists = [["zzzz", "termaa"] if "termaa" in s else s for s in lists]
    lists = [s if "termaa" not in s else ["zzzz" * (k + 1), "termaa"] for k, s in enumerate(lists)]
    result = ask(tmp_path, lists, samples=2, cutoff=2)
    assert result.groups[0]["terms"] == 5
    assert any("without any context word" in note and "termaa" in note for note in result.notes)
