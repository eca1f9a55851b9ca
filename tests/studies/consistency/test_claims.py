"""Which sentence is chosen on a text, and how often the rules err."""

import math

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

DRAWS = 250


def _numbers(consistency):
    return model_numbers("g", "b", "t", "m", [consistency], 1.0)


def _share(terms, signal, parts, wanted):
    generator = torch.Generator().manual_seed(100 * terms + parts)
    rows = [_numbers(drawn_consistency(terms, signal, generator, parts)) for _ in range(DRAWS)]
    return sum(TOLD_APART.judge(row) == wanted for row in rows) / DRAWS


@pytest.mark.parametrize(("terms", "parts"), [(3, 2), (3, 5), (6, 5), (16, 2)])
def test_terms_without_vectors_of_their_own_are_seldom_told_apart(terms, parts):
    """At the level of the intervals 0.025 of the draws would err; 0.05 is borne."""
    assert _share(terms, 0.0, parts, "apart") <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.parametrize(("terms", "wanted"), [(3, 0.8), (16, 0.99)])
def test_terms_with_vectors_of_their_own_are_told_apart(terms, wanted):
    assert _share(terms, 2.0, 5, "apart") >= wanted


def test_vectors_with_something_of_their_own_are_not_called_alike():
    assert _share(16, 2.0, 5, "alike") == 0


START = "Whether the text gives its terms vectors of their own cannot be told from "


@pytest.mark.parametrize(
    ("change", "verdict", "said"),
    [
        ({"terms": 2}, "few", f"{START}2 terms (cosine 0.980 against 0.970); take 3 at least, better fifty."),
        ({"terms": 1}, "few", f"{START}1 term (cosine 0.980 against 0.970); take 3 at least, better fifty."),
        (
            {"auc_low": 0.6},
            "apart",
            "Two samples of one term are more alike than samples of two terms in 66 of 100 comparisons (60–90, above "
            "50, which is chance): the text gives its terms vectors of their own.",
        ),
        (
            {"auc_low": 0.504},
            "apart",
            "Two samples of one term are more alike than samples of two terms in 66 of 100 comparisons (50.4–90.0, "
            "above 50, which is chance): the text gives its terms vectors of their own.",
        ),
        (
            {"auc": 0.5, "auc_low": -0.12, "auc_high": 1.12},
            "open",
            "Whether two samples of one term are more alike than samples of two terms cannot be told from 20 terms: "
            "they are in 50 of 100 comparisons, and the interval, 0–100, would have to be above 50, which is chance. "
            "More terms would tell.",
        ),
        (
            {"auc": 0.5, "auc_high": 0.54},
            "alike",
            "Two samples of one term are no more alike than samples of two terms: they are in 50 of 100 comparisons "
            "(40–54, below 55; 50 is chance). The vectors hold nothing of the term.",
        ),
        (
            {},
            "open",
            "Whether two samples of one term are more alike than samples of two terms cannot be told from 20 terms: "
            "they are in 66 of 100 comparisons, and the interval, 40–90, would have to be above 50, which is chance. "
            "More terms would tell.",
        ),
        (
            {"auc_low": float("nan"), "auc_high": float("nan")},
            "few",
            f"{START}20 terms (cosine 0.980 against 0.970); take 3 at least, better fifty.",
        ),
    ],
)
def test_the_sentence_follows_the_interval_and_shows_it(change, verdict, said):
    values = {"terms": 20, "auc": 0.66, "auc_low": 0.4, "auc_high": 0.9, "same": 0.98, "null": 0.97} | change
    judged = row(ModelNumbers, **values)
    assert TOLD_APART.judge(judged) == verdict
    assert TOLD_APART.sentence(judged) == said


def test_three_terms_are_enough_to_be_told_apart():
    judged = row(ModelNumbers, terms=3, auc_low=0.6, auc_high=0.9)
    assert [TOLD_APART.judge(judged._replace(terms=terms)) for terms in (2, 3)] == ["few", "apart"]


def test_a_cosine_that_is_almost_all_common_is_said_to_be():
    raw, centred = row(ModelNumbers, same=0.985, null=0.977, excess=0.008), row(ModelNumbers, same=0.41, null=0.03)
    assert MOSTLY_COMMON.sentence(Sums(raw, centred)) == (
        "The cosine of two samples of one term is 0.985, of two terms 0.977: almost all of it is what every context of "
        "the text has in common. Without that they are 0.41 and 0.03."
    )
    assert MOSTLY_COMMON.sentence(Sums(raw._replace(excess=0.2), centred)) == (
        "The cosine of two samples of one term is 0.985, of two terms 0.977; part of both is what every context of the "
        "text has in common. Without that they are 0.41 and 0.03."
    )


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
    assert [sentence[:12] for sentence in verdict(only)] == ["Two samples ", "The two halv", "The cosine o"]


def test_growth_needs_intervals_apart():
    sizes = [
        row(Size, n=1, same=0.8, same_low=0.7, same_high=0.85, law=0.8, c=2.0),
        row(Size, n=8, same=0.9, same_low=0.88, same_high=0.95, law=0.9, c=2.0),
    ]
    law = "a law of sums, 1 / (1 + c / words) with c = 2.00, is at most 0 off."
    assert GROWS.judge(sizes) == "grows"
    assert GROWS.sentence(sizes) == (
        "Consistency grows with the sentences, from 0.80 (0.70–0.85) with 1 to 0.90 (0.88–0.95) with 8 sentences; "
        f"{law}"
    )
    sizes[0] = sizes[0]._replace(same_high=0.89)
    assert GROWS.judge(sizes) == "open"
    assert GROWS.sentence(sizes) == (
        "Consistency goes from 0.80 (0.70–0.89) with 1 to 0.90 (0.88–0.95) with 8 sentences: the intervals overlap, so "
        f"that it grows is not shown; {law}"
    )
    assert GROWS.judge(sizes[:1]) == "none"
    assert GROWS.sentence(sizes[:1]) == "One size of samples: how consistency depends on it is not seen."
    off = [sizes[0], sizes[1]._replace(law=0.88, c=31.4159)]
    assert GROWS.sentence(off).endswith("with c = 31.4, is at most 0.020 off.")


def test_random_halves_of_documents_decide_whether_halves_differ():
    one = row(Split, permuted="blocks", halves=0.9, random=0.95, p=0.01)
    assert HALVES_DIFFER.judge(one) == "differ"
    assert HALVES_DIFFER.sentence(one) == (
        "The two halves use the terms differently: halves have cosine 0.90, random halves of blocks of neighbouring "
        "sentences 0.950, and only 1% of such halves are as unlike (p ≤ 5%)."
    )
    other = one._replace(permuted="documents", p=0.4)
    assert HALVES_DIFFER.judge(other) == "open"
    assert HALVES_DIFFER.sentence(other) == (
        "That the halves use the terms differently is not shown: halves have cosine 0.90, random halves of the "
        "documents 0.950, and 40% of such halves are as unlike (p; wanted 5%)."
    )
    few = one._replace(permuted="3 documents", p=math.nan)
    assert HALVES_DIFFER.judge(few) == "no test"
    assert "of 3 documents no random halves can be made" in HALVES_DIFFER.sentence(few)
    assert "no term has sentences enough in both" in HALVES_DIFFER.sentence(one._replace(p=math.nan))


def test_ranks_among_words_are_read_beside_those_among_samples():
    words = row(WordRanks, both=1.0, words=400_000)
    far = Placed(row(ModelNumbers, rank=66.0, among=96.04, auc_low=0.45), words)
    assert NEAR_AS_SUMS.sentence(far) == (
        "Among 400,000 background words a term's other sample has place 1.00, and among the samples of other terms "
        "place 66.0 of 96.0: it is near the first because both are sums, not because they are of one term."
    )
    near = Placed(row(ModelNumbers, rank=1.2, among=296.0), words)
    assert NEAR_AS_SUMS.sentence(near) == (
        "Among 400,000 background words a term's other sample has place 1.00, among the samples of other terms place "
        "1.20 of 296."
    )
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


NEARER = (
    "a term's own second vector is nearer than another term's in 80 of 100 comparisons for A, 70 for B, difference "
)
COSINES = "0.980 for A, 0.950 for B, difference "
NULLS = "; of different terms 0.970 and 0.930)"


@pytest.mark.parametrize(
    ("cosine", "auc", "kind", "said"),
    [
        (
            (0.01, 0.05),
            (0.05, 0.15),
            "higher-higher",
            f"A tells its terms apart better than B ({NEARER}+5 to +15); A has the higher cosine ({COSINES}+0.010 to "
            f"+0.050{NULLS}.",
        ),
        (
            (-0.05, -0.01),
            (-0.15, -0.05),
            "lower-lower",
            f"B tells its terms apart better than A ({NEARER}−15 to −5); B has the higher cosine ({COSINES}−0.050 to "
            f"−0.010{NULLS}.",
        ),
        (
            (0.01, 0.05),
            (-0.15, -0.05),
            "higher-lower",
            f"B tells its terms apart better than A ({NEARER}−15 to −5). Yet A has the higher cosine ({COSINES}+0.010 "
            f"to +0.050{NULLS}: a higher cosine is what all contexts of A have in common, and no sign of better "
            "vectors.",
        ),
        (
            (-0.05, -0.01),
            (0.05, 0.15),
            "lower-higher",
            f"A tells its terms apart better than B ({NEARER}+5 to +15). Yet B has the higher cosine ({COSINES}−0.050 "
            f"to −0.010{NULLS}: a higher cosine is what all contexts of B have in common, and no sign of better "
            "vectors.",
        ),
        (
            (0.01, 0.05),
            (-0.1, 0.1),
            "higher-open",
            f"which of A and B tells its terms apart better cannot be told ({NEARER}−10 to +10, which includes 0); A "
            f"has the higher cosine ({COSINES}+0.010 to +0.050{NULLS}.",
        ),
        (
            (-0.05, 0.05),
            (0.05, 0.15),
            "open-higher",
            f"A tells its terms apart better than B ({NEARER}+5 to +15); which has the higher cosine cannot be told "
            f"({COSINES}−0.050 to +0.050).",
        ),
        (
            (-0.05, 0.05),
            (-0.15, 0.15),
            "open-open",
            f"which of A and B tells its terms apart better cannot be told ({NEARER}−15 to +15, which includes 0); "
            f"which has the higher cosine cannot be told either ({COSINES}−0.050 to +0.050).",
        ),
    ],
)
def test_sentences_of_two_texts(cosine, auc, kind, said):
    pair = PAIR._replace(same_low=cosine[0], same_high=cosine[1], auc_low=auc[0], auc_high=auc[1])
    assert f"{HIGHER_COSINE.judge(pair)}-{BETTER_TEXT.judge(pair)}" == kind
    assert texts_compared(pair) == f"At 40 context words a sample, {said}"
    assert texts_compared(pair._replace(words=1)).startswith("At 1 context word a sample")


@pytest.mark.parametrize("text", ["terms", "terms_against"])
def test_few_terms_compare_nothing(text):
    pair = PAIR._replace(**{text: 2})
    assert (HIGHER_COSINE.judge(pair), BETTER_TEXT.judge(pair)) == ("few", "few")
    assert texts_compared(pair) == "A and B cannot be compared by so few terms; take 3 at least in each, better fifty."
    assert BETTER_TEXT.judge(pair._replace(**{text: 3})) == "higher"


BY_AUC = ("consistency.better-text", "consistency.better-model")
"""Judge by AUC what the paper judges by its cosine: of that speak ``higher-cosine`` and ``sums-first``."""


def test_every_claim_of_the_paper_says_how_what_is_here_stands_to_it():
    claims = [claim for claim in every_claim().values() if claim.source.startswith("Bloem")]
    assert len(claims) == 12
    for claim in claims:
        assert claim.paper.startswith("Bloem and others found ") == (claim.id not in BY_AUC), claim.id
        assert set(claim.sentences) <= set(claim.here) or claim.id in BY_AUC, claim.id


def test_what_the_paper_found_is_said_once_and_what_is_here_of_every_background():
    rows = [row(ModelNumbers, group=name, model=model, terms=9, same=0.985, null=null, excess=0.985 - null,
                auc=0.8, auc_low=0.7, auc_high=0.9)
            for name, null in (("a", 0.977), ("b", 0.5)) for model in ("additive", "additive (centred)")]  # fmt: skip
    apart, common = beside_paper({"consistency": CONSISTENCY.table(rows)})
    assert apart == (
        "Bloem and others found the second vector of a term among all background words almost perfectly (section 3), "
        "and set no two terms of a text beside each other; here a: two terms are told apart in 80 of 100 comparisons; "
        "b: two terms are told apart in 80 of 100 comparisons."
    )
    assert common.endswith(
        "(table 1); here a: the cosine is 0.985, and hardly less for two terms, 0.977; b: the cosine is 0.985, and for "
        "two terms 0.50."
    )


@pytest.mark.parametrize(
    ("auc", "said"),
    [
        ((0.1, 0.2), "here book has the higher cosine, and book tells its terms apart better"),
        ((-0.2, -0.1), "here book has the higher cosine, and news tells its terms apart better"),
        ((-0.1, 0.1), "here book has the higher cosine, and which tells its terms apart better is open"),
    ],
)
def test_the_text_of_the_higher_cosine_may_tell_its_terms_apart_worse(auc, said):
    pair = row(TextPair, text="book", against="news", terms=20, terms_against=20, same_low=0.01, same_high=0.02,
               auc_low=auc[0], auc_high=auc[1])  # fmt: skip
    assert f"here {HIGHER_COSINE.stands(pair)}" == said
    other = pair._replace(same_low=-0.02, same_high=-0.01)
    assert HIGHER_COSINE.stands(other) == said.removeprefix("here ").replace("book has", "news has")
    assert HIGHER_COSINE.stands(pair._replace(same_low=-0.01)) == "which text has the higher cosine is open"
    assert HIGHER_COSINE.stands(pair._replace(terms=2)) == "there are too few terms to compare"
