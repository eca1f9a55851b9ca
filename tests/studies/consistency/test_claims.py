"""Which sentence is chosen on a text, and how often the rules err."""

import math
import re

import numpy as np
import pytest
import torch

from gpustab.studies.consistency.claims import BETTER_TEXT, HALVES_DIFFER, HIGHER_COSINE, TOLD_APART, texts_compared
from gpustab.studies.consistency.claims_of_sums import GROWS, MOSTLY_COMMON, NEAR_AS_SUMS, Placed, Sums
from gpustab.studies.consistency.models import model_numbers
from gpustab.studies.consistency.tables import CONSISTENCY, SPLIT, ModelNumbers, Size, Split, TextPair, WordRanks
from gpustab.studies.consistency.verdict import beside_paper, of_cases, verdict
from gpustab.studies.shared.claims import every_claim
from tests.studies.consistency.made import drawn_consistency, row

DRAWS = 160


def _numbers(consistency):
    return model_numbers("g", "b", "t", "m", [consistency], 1.0)


def _verdicts(terms, signal, parts):
    generator = torch.Generator().manual_seed(100 * terms + parts)
    rows = [_numbers(drawn_consistency(terms, signal, generator, parts)) for _ in range(DRAWS)]
    return [TOLD_APART.judge(row) for row in rows]


@pytest.mark.parametrize(("terms", "parts"), [(3, 2), (3, 5), (6, 5), pytest.param(16, 2, marks=pytest.mark.slow)])
def test_terms_without_vectors_of_their_own_are_seldom_told_apart(terms, parts):
    """At the level of the intervals 0.025 of the draws would err; 0.05 is borne."""
    assert _verdicts(terms, 0.0, parts).count("apart") / DRAWS <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.parametrize(("terms", "wanted"), [(3, 0.8), pytest.param(16, 0.99, marks=pytest.mark.slow)])
def test_terms_with_vectors_of_their_own_are_told_apart(terms, wanted):
    verdicts = _verdicts(terms, 2.0, 5)
    assert verdicts.count("apart") / DRAWS >= wanted
    assert terms < 16 or "alike" not in verdicts


FEW = "too few to say whether the text distinguishes its terms (cosine 0.980 against 0.970)."


@pytest.mark.parametrize(
    ("change", "verdict", "said"),
    [
        ({"terms": 2}, "few", f"2 terms are {FEW}"),
        ({"terms": 1}, "few", f"1 term is {FEW}"),
        ({"auc_low": 0.6}, "apart", "distinguishes its terms in 66 of 100 comparisons (60–90; by chance 50)"),
        ({"auc_low": 0.504}, "apart", "in 66 of 100 comparisons (50.4–90.0; by chance 50)"),
        ({"auc": 0.5, "auc_low": -0.12, "auc_high": 1.12}, "open", "in 50 of 100 comparisons (0–100; by chance 50)"),
        ({"auc": 0.5, "auc_high": 0.54}, "alike", "The text does not distinguish its terms."),
        ({}, "open", "20 terms are too few to say whether the text distinguishes its terms."),
        ({"auc_low": float("nan"), "auc_high": float("nan")}, "few", f"20 terms are {FEW}"),
    ],
)
def test_the_sentence_follows_the_interval_and_shows_it(change, verdict, said):
    values = {"terms": 20, "auc": 0.66, "auc_low": 0.4, "auc_high": 0.9, "same": 0.98, "null": 0.97} | change
    judged = row(ModelNumbers, **values)
    assert TOLD_APART.judge(judged) == verdict
    assert said in TOLD_APART.sentence(judged)


def test_three_terms_are_enough_to_be_told_apart():
    judged = row(ModelNumbers, terms=3, auc_low=0.6, auc_high=0.9)
    assert [TOLD_APART.judge(judged._replace(terms=terms)) for terms in (2, 3)] == ["few", "apart"]


def test_a_cosine_that_is_almost_all_common_is_said_to_be():
    raw, centred = row(ModelNumbers, same=0.985, null=0.977, excess=0.008), row(ModelNumbers, same=0.41, null=0.03)
    said = [MOSTLY_COMMON.sentence(Sums(one, centred)) for one in (raw, raw._replace(excess=0.2))]
    assert [re.findall(r"\d\.\d+", one) for one in said] == [["0.985", "0.977", "0.41", "0.03"]] * 2
    assert ["Almost all of it" in one for one in said] == [True, False]


def test_the_verdict_has_four_sentences_and_the_page_the_others():
    values = {"terms": 20, "auc": 0.66, "auc_low": 0.6, "auc_high": 0.9, "same": 0.98, "null": 0.97, "excess": 0.01}
    groups = ("bg, a", "bg, b", "bg, c")
    rows = [row(ModelNumbers, group=g, model=m, **values) for g in groups for m in ("additive", "additive (centred)")]
    tables = {"consistency": CONSISTENCY.table(rows)}
    said = verdict(tables)
    assert [sentence.partition(": ")[0] for sentence in said] == [*groups, "bg, a"]
    common = MOSTLY_COMMON.sentence(Sums(rows[0], rows[1]))
    assert said[3] == f"bg, a: {common}"
    assert [one for both in of_cases(tables) for one in both if one not in said] == [
        f"{group}: {common}" for group in groups[1:]
    ]
    half = Split("bg, a", "sentences", 20, 0.9, 0.95, 0.01, 0.0)
    only = {"consistency": CONSISTENCY.table(rows[:2]), "split": SPLIT.table([half])}
    assert [sentence[:12] for sentence in verdict(only)] == ["The text dis", "The two halv", "Two samples "]


def test_growth_needs_intervals_apart():
    sizes = [
        row(Size, n=1, same=0.8, same_low=0.7, same_high=0.85, law=0.8, c=2.0),
        row(Size, n=8, same=0.9, same_low=0.88, same_high=0.95, law=0.9, c=2.0),
    ]
    said = GROWS.sentence(sizes)
    assert GROWS.judge(sizes) == "grows"
    assert said.startswith("Consistency grows with the number of sentences.")
    assert "from 0.80 (0.70–0.85) with 1 sentence to 0.90 (0.88–0.95) with 8 sentences." in said
    assert said.endswith("with c = 2.00, is off by at most 0.")
    sizes[0] = sizes[0]._replace(same_high=0.89)
    assert GROWS.judge(sizes) == "open"
    assert "the intervals overlap" in GROWS.sentence(sizes)
    assert GROWS.judge(sizes[:1]) == "none"
    assert GROWS.sentence(sizes[:1]).startswith("Samples of one size cannot show")
    off = [sizes[0], sizes[1]._replace(law=0.88, c=31.4159)]
    assert GROWS.sentence(off).endswith("with c = 31.4, is off by at most 0.020.")


def test_random_halves_of_documents_decide_whether_halves_differ():
    one = row(Split, permuted="blocks", halves=0.9, random=0.95, p=0.01)
    assert HALVES_DIFFER.judge(one) == "differ"
    said = HALVES_DIFFER.sentence(one)
    assert "0.90, that of random halves of blocks of neighbouring sentences 0.950." in said
    assert said.endswith("1 % of random halves are at least as unlike (p ≤ 5 %).")
    other = one._replace(permuted="documents", p=0.4)
    assert HALVES_DIFFER.judge(other) == "open"
    said = HALVES_DIFFER.sentence(other)
    assert "of random halves of the documents 0.950." in said
    assert said.endswith("40 % of random halves are at least as unlike (p > 5 %).")
    few = one._replace(permuted="3 documents", p=math.nan)
    assert HALVES_DIFFER.judge(few) == "no test"
    assert "3 documents are too few for random halves" in HALVES_DIFFER.sentence(few)
    assert "no term has enough sentences in both" in HALVES_DIFFER.sentence(one._replace(p=math.nan))


def test_ranks_among_words_are_read_beside_those_among_samples():
    words = row(WordRanks, both=1.0, words=400_000)
    far = Placed(row(ModelNumbers, rank=66.0, among=96.04, auc_low=0.45), words)
    near = Placed(row(ModelNumbers, rank=1.2, among=296.0), words)
    said = [NEAR_AS_SUMS.sentence(placed) for placed in (far, near)]
    assert ["because both are sums" in one for one in said] == [True, False]
    assert said[0].endswith(
        "place 1.00 among 400,000 background words, and place 66.0 of 96.0 among the samples of other terms."
    )
    assert "place 1.20 of 296" in said[1]
    places = [Placed(row(ModelNumbers, rank=rank, auc_low=0.5), words) for rank in (1.999, 2.0)]
    assert list(map(NEAR_AS_SUMS.judge, places)) == ["no", "yes"]


@pytest.mark.parametrize(("rank", "auc_low"), [(2.6, 0.96), (15.0, 0.65), (40.0, 0.501)])
def test_samples_that_are_told_apart_are_not_near_as_sums_alone(rank, auc_low):
    """Of terms that each stand beside a word of their own, place 2.6 of 118 was said not to be for the term's sake."""
    words, samples = row(WordRanks, both=1.0, words=700), row(ModelNumbers, rank=rank, among=118.0, auc_low=auc_low)
    assert NEAR_AS_SUMS.judge(Placed(samples, words)) == "no"
    assert "because both are sums" not in NEAR_AS_SUMS.sentence(Placed(samples, words))


PAIR = TextPair(
    *("g", "A", "B", 40, 3, 50, 50),
    *(0.98, 0.95, 0.03, 0.01, 0.05),
    *(0.97, 0.93, 0.04, 0.03, 0.05),
    *(0.8, 0.7, 0.1, 0.05, 0.15),
)


NEARER = "in 80 of 100 comparisons for A, and in 70 for B (difference "
COSINES = "0.980 for A, 0.950 for B, difference "
BETTER, HIGHER = "distinguishes its terms better than", "has the higher cosine"


@pytest.mark.parametrize(
    ("cosine", "auc", "kind", "parts"),
    [
        ((0.01, 0.05), (0.05, 0.15), "higher-higher", [f"A {BETTER} B", "5–15;", f"A {HIGHER}", "0.010–0.050;"]),
        ((-0.05, -0.01), (-0.15, -0.05), "lower-lower", [f"B {BETTER} A", "5–15;", f"B {HIGHER}", "0.010–0.050;"]),
        ((0.01, 0.05), (-0.15, -0.05), "higher-lower", [f"B {BETTER} A", f"Yet A {HIGHER}", "all contexts of A share"]),
        ((-0.05, -0.01), (0.05, 0.15), "lower-higher", [f"A {BETTER} B", f"Yet B {HIGHER}", "all contexts of B share"]),
        ((0.01, 0.05), (-0.1, 0.1), "higher-open", ["too few to say whether A or B", "−10 to +10;", f"A {HIGHER}"]),
        (
            (-0.05, 0.05),
            (0.05, 0.15),
            "open-higher",
            [f"A {BETTER} B", "The cosines may be equal", "−0.050 to +0.050)"],
        ),
        (
            (-0.05, 0.05),
            (-0.15, 0.15),
            "open-open",
            ["too few to say whether A or B", "The cosines do not decide either"],
        ),
    ],
)
def test_sentences_of_two_texts(cosine, auc, kind, parts):
    pair = PAIR._replace(same_low=cosine[0], same_high=cosine[1], auc_low=auc[0], auc_high=auc[1])
    assert f"{HIGHER_COSINE.judge(pair)}-{BETTER_TEXT.judge(pair)}" == kind
    said = texts_compared(pair)
    assert [part for part in [NEARER, COSINES, "40 context words a sample", *parts] if part not in said] == []
    assert "1 context word a sample" in texts_compared(pair._replace(words=1))


@pytest.mark.parametrize("text", ["terms", "terms_against"])
def test_few_terms_compare_nothing(text):
    pair = PAIR._replace(**{text: 2})
    assert (HIGHER_COSINE.judge(pair), BETTER_TEXT.judge(pair)) == ("few", "few")
    assert texts_compared(pair) == "A and B have too few terms to compare. Take at least three in each, better fifty."
    assert BETTER_TEXT.judge(pair._replace(**{text: 3})) == "higher"


def test_every_claim_of_the_paper_says_how_what_is_here_stands_to_it():
    claims = [claim for claim in every_claim().values() if claim.source.startswith("Bloem")]
    assert len(claims) == 10
    for claim in claims:
        assert claim.paper.startswith("Bloem and others found "), claim.id
        assert set(claim.sentences) <= set(claim.here), claim.id


def test_what_the_paper_found_is_said_once_and_what_is_here_of_every_background():
    rows = [row(ModelNumbers, group=name, model=model, terms=9, same=0.985, null=null, excess=0.985 - null,
                auc=0.8, auc_low=0.7, auc_high=0.9)
            for name, null in (("a", 0.977), ("b", 0.5)) for model in ("additive", "additive (centred)")]  # fmt: skip
    apart, common = beside_paper({"consistency": CONSISTENCY.table(rows)})
    here = "the text distinguishes its terms in 80 of 100 comparisons"
    assert apart == f"{TOLD_APART.paper}. Here: a: {here}; b: {here}."
    assert common.endswith(
        "(table 1). Here: a: one term has a cosine of 0.985, two terms hardly less: 0.977; b: one term has a cosine of "
        "0.985, two terms 0.50."
    )


@pytest.mark.parametrize(
    ("auc", "said"),
    [
        ((0.1, 0.2), "here book has the higher cosine, and book distinguishes its terms better"),
        ((-0.2, -0.1), "here book has the higher cosine, and news distinguishes its terms better"),
        ((-0.1, 0.1), "here book has the higher cosine, and the comparison of terms is open"),
    ],
)
def test_the_text_of_the_higher_cosine_may_tell_its_terms_apart_worse(auc, said):
    pair = row(TextPair, text="book", against="news", terms=20, terms_against=20, same_low=0.01, same_high=0.02,
               auc_low=auc[0], auc_high=auc[1])  # fmt: skip
    assert f"here {HIGHER_COSINE.stands(pair)}" == said
    other = pair._replace(same_low=-0.02, same_high=-0.01)
    assert HIGHER_COSINE.stands(other) == said.removeprefix("here ").replace("book has", "news has")
    assert HIGHER_COSINE.stands(pair._replace(same_low=-0.01)) == "the cosines of both texts may be equal"
    assert HIGHER_COSINE.stands(pair._replace(terms=2)) == "there are too few terms to compare"
