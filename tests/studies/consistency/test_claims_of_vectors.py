"""Which sentence is chosen on models, on Nonce2Vec, and on terms beside general vectors."""

import pytest
import torch

from gpustab.statistics.intervals import t_quantile
from gpustab.studies.consistency.claims import SURER
from gpustab.studies.consistency.claims_of_vectors import (
    BETTER_MODEL,
    CLOSEST_GROUP,
    OWN_NEARER,
    READ_BY_NONCE,
    SUMS_FIRST,
    nearest_to_each_other,
)
from gpustab.studies.consistency.models import contrast
from gpustab.studies.consistency.tables import CLOSEST, Contrast, Domain, ModelNumbers, Neighbours, OwnVectors, Updates
from tests.studies.consistency.made import drawn_consistency, row

DRAWS = 120


@pytest.mark.parametrize("terms", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_the_same_model_with_another_scale_is_neither_better_nor_worse(terms):
    """Two models whose vectors have the same law: their difference is seldom called one."""
    generator = torch.Generator().manual_seed(7)
    verdicts, firsts = [], []
    for _ in range(DRAWS):
        one, two = (drawn_consistency(terms, 1.0, generator) for _ in range(2))
        compared = contrast("g", ("a", "b"), {"a": [one], "b": [two]}, {})
        verdicts.append(BETTER_MODEL.judge(compared))
        firsts.append(SUMS_FIRST.judge([compared]))
    assert sum(verdict in ("better", "worse") for verdict in verdicts) / DRAWS <= 0.075
    assert sum(verdict in ("yes", "no") for verdict in firsts) / DRAWS <= 0.075


@pytest.mark.parametrize(("terms", "made_up", "verdict"), [(1.2, 1.2, "documents"), (1.2, 0.3, "better")])
def test_a_model_that_sees_documents_alone_is_not_better(terms, made_up, verdict):
    """The better model sees terms, or made-up words in their documents, with so much signal; the other one, 0.3."""
    generator = torch.Generator().manual_seed(3)
    numbers = {"a": terms, "b": 0.3}
    drawn = {name: [drawn_consistency(60, size, generator)] for name, size in numbers.items()}
    others = {"a": [drawn_consistency(60, made_up, generator)], "b": [drawn_consistency(60, 0.3, generator)]}
    found = contrast("g", ("a", "b"), drawn, others)
    assert found.beyond_low < found.beyond_high
    assert contrast("g", ("a", "b"), drawn, {"a": others["a"]}).beyond_low is None
    assert BETTER_MODEL.judge(found) == verdict
    if verdict == "documents":
        assert "a may distinguish only documents better than b, not terms" in BETTER_MODEL.sentence(found)


def test_cosine_and_auc_may_part():
    better = Contrast("g", "SVD", "additive", -0.3, -0.4, -0.2, 0.1, 0.05, 0.15, 20)
    assert BETTER_MODEL.judge(better) == "better"
    assert BETTER_MODEL.sentence(better) == (
        "SVD distinguishes terms better than additive (difference 10.0 of 100 comparisons, interval 5.0–15.0). Its "
        "cosine is lower all the same."
    )
    assert BETTER_MODEL.judge(better._replace(terms=2)) == "open"
    assert "too few to say whether SVD or additive" in BETTER_MODEL.sentence(better._replace(terms=2))
    near = better._replace(auc=-0.0001, auc_low=-0.02, auc_high=0.03)
    assert BETTER_MODEL.judge(near) == "equal"
    assert "equally well (difference 0.0 of 100 comparisons, interval −2.0 to +3.0;" in BETTER_MODEL.sentence(near)
    assert BETTER_MODEL.sentence(near).endswith("Their cosines differ all the same.")
    assert BETTER_MODEL.judge(near._replace(auc_high=0.06)) == "open"
    assert BETTER_MODEL.judge(near._replace(auc_low=-0.06)) == "open"


@pytest.mark.parametrize(
    ("auc", "cosine", "said"),
    [
        ((0.05, 0.15), (0.1, 0.2), "better than additive (difference 10.0 of 100 comparisons, interval 5.0–15.0)."),
        ((-0.15, -0.05), (-0.2, -0.1), "worse than additive (difference 10.0 of 100 comparisons, interval 5.0–15.0)."),
        ((-0.15, -0.05), (0.1, 0.2), "interval 5.0–15.0). Its cosine is higher all the same."),
        ((-0.02, 0.02), (-0.1, 0.1), "interval −2.0 to +2.0; up to 5 counts as none)."),
    ],
)
def test_a_cosine_is_named_where_it_misleads(auc, cosine, said):
    row = Contrast("g", "SVD", "additive", sum(cosine) / 2, *cosine, sum(auc) / 2, *auc, 20)
    assert BETTER_MODEL.sentence(row).startswith("SVD ")
    assert BETTER_MODEL.sentence(row).endswith(said)


def test_what_nonce2vec_reads():
    def updates(*means):
        return [Updates("g", k, 9, mean) for k, mean in enumerate(means, 1)]

    assert "first 3 of 5 sentences only (39 updates a sample)" in READ_BY_NONCE.sentence(updates(21, 12, 6, 0, 0))
    assert "every sentence of a sample (33 updates a sample)" in READ_BY_NONCE.sentence(updates(21, 12))
    assert "hardly any update" in READ_BY_NONCE.sentence(updates(0.1, 0.0))


@pytest.mark.parametrize(
    ("runs", "sd", "half", "kind", "said"),
    [
        (4, 0.002, 0.05, "terms", "Take more terms to make"),
        (4, 0.2, 0.01, "trainings", "Train the background more often"),
        (4, 0.05, 0.05, "both", "0.025 over 4 trainings of the background, and 0.025 over terms."),
        (1, None, 0.05, "one", "One training of the background"),
    ],
)
def test_what_makes_the_auc_unsure(runs, sd, half, kind, said):
    numbers = row(ModelNumbers, runs=runs, terms=50, auc_sd=sd, auc_low=0.7 - half, auc_high=0.7 + half)
    assert SURER.judge(numbers) == kind
    assert said in SURER.sentence(numbers)
    assert SURER.sentence(numbers._replace(runs=3, terms=2)) == ""


def group(name, excess, half, terms=20):
    return Domain("g", name, terms, 0.2 + excess, 0.2, excess, excess - half, excess + half)


LOW, HIGH = "low in text, low in general", "high in text, high in general"


@pytest.mark.parametrize(
    ("rows", "kind", "said"),
    [
        (
            [group(CLOSEST, 0.5, 0.05), group(LOW, 0.2, 0.05), group(HIGH, 0.1, 0.05)],
            "closest",
            "are the closest to themselves (cosine 0.70, equally frequent terms 0.20, 20 terms).",
        ),
        (
            [group(CLOSEST, 0.1, 0.05), group(LOW, 0.5, 0.05), group(HIGH, 0.0, 0.05)],
            "not",
            "Terms low in text, low in general are closer by 0.32–0.48",
        ),
        ([group(CLOSEST, 0.3, 0.2), group(LOW, 0.2, 0.2)], "open", "low in text, low in general by −0.18 to +0.38."),
        ([group(CLOSEST, 0.5, 0.05, 2), group(LOW, 0.2, 0.05)], "few", "Two terms are frequent in the text and rare"),
        ([group(CLOSEST, 0.5, 0.05, 1), group(LOW, 0.2, 0.05)], "few", "One term is frequent in the text and rare"),
        ([group(CLOSEST, 0.5, 0.05)], "few", "No other group has the three terms"),
        ([group("all", 0.5, 0.05)], "few", "No term is frequent in the text and rare in general."),
    ],
)
def test_whether_terms_of_the_text_are_the_closest(rows, kind, said):
    assert CLOSEST_GROUP.judge(rows) == kind
    assert said in CLOSEST_GROUP.sentence(rows)


def test_one_of_several_groups_must_be_closer_as_one_of_so_many():
    """Where frequencies are dealt out, one of three groups is closer by chance in 7 of 100 draws."""
    one = [group(CLOSEST, 0.1, 0.05), group(LOW, 0.182, 0.05)]
    assert CLOSEST_GROUP.judge(one) == "not"
    for others in (1, 2):
        assert CLOSEST_GROUP.judge([*one, *[group(HIGH, 0.1, 0.05)] * others]) == "open"


@pytest.mark.parametrize(
    ("low", "high", "terms", "kind", "said"),
    [
        (0.1, 0.2, 9, "nearer", "(cosine 0.40 against 0.30, difference 0.10–0.20). Its own vector has place 120"),
        (-0.2, -0.1, 9, "farther", "another term's (cosine 0.40 against 0.30, difference 0.10–0.20)."),
        (-0.1, 0.1, 9, "open", "(cosine 0.40 against 0.30, difference −0.10 to +0.10)."),
        (0.1, 0.2, 2, "few", "The background has too few of the terms"),
    ],
)
def test_whether_samples_are_nearer_to_their_own_word(low, high, terms, kind, said):
    own = row(OwnVectors, terms=terms, cosine=0.4, null=0.3, place=120.0, excess_low=low, excess_high=high)
    assert OWN_NEARER.judge(own) == kind
    assert said in OWN_NEARER.sentence(own)


@pytest.mark.parametrize(
    ("verdict", "few"),
    [
        (lambda n: OWN_NEARER.judge(row(OwnVectors, terms=n, excess_low=0.1, excess_high=0.2)), "few"),
        (lambda n: CLOSEST_GROUP.judge([group(CLOSEST, 0.5, 0.05, n), group(LOW, 0.2, 0.05)]), "few"),
        (lambda n: CLOSEST_GROUP.judge([group(CLOSEST, 0.5, 0.05), group(LOW, 0.2, 0.05, n)]), "few"),
        (lambda n: BETTER_MODEL.judge(row(Contrast, auc_low=0.1, auc_high=0.2, terms=n)), "open"),
        (lambda n: SURER.judge(row(ModelNumbers, runs=4, terms=n, auc_sd=0.1, auc_low=0.6, auc_high=0.8)), "few"),
    ],
)
def test_two_terms_are_too_few_for_every_rule_and_three_are_not(verdict, few):
    assert verdict(2) == few
    assert verdict(3) != few


@pytest.mark.parametrize(("times", "verdict"), [(1.99, "both"), (2.01, "trainings")])
def test_trainings_decide_where_their_error_is_twice_that_of_terms(times, verdict):
    half, sd = 0.01 * t_quantile(19), times * 0.01 * 2
    assert (
        SURER.judge(row(ModelNumbers, runs=4, terms=20, auc_sd=sd, auc_low=0.7 - half, auc_high=0.7 + half)) == verdict
    )


@pytest.mark.parametrize(
    ("cosines", "verdict", "said"),
    [
        (((-0.3, -0.2), (-0.4, -0.3)), "yes", "sums have the higher cosine too, and by AUC "),
        (((-0.3, -0.2), (0.1, 0.2)), "no", "a model has a higher cosine than sums, and by AUC "),
        (((-0.3, -0.2), (-0.1, 0.2)), "open", "sums may or may not have the higher cosine, and by AUC "),
    ],
)
def test_sums_are_first_by_cosine_and_what_auc_says_stands_beside_it(cosines, verdict, said):
    aucs = {"SVD (window 5)": (0.1, 0.2), "Nonce2Vec (frozen)": (-0.01, 0.01)}
    rows = [
        row(Contrast, model=model, terms=20, same_low=low, same_high=high, auc_low=auc[0], auc_high=auc[1])
        for (model, auc), (low, high) in zip(aucs.items(), cosines, strict=True)
    ]
    assert SUMS_FIRST.judge(rows) == verdict
    assert SUMS_FIRST.stands(rows) == f"{said}SVD (window 5) is better and Nonce2Vec (frozen) is as good"
    assert SUMS_FIRST.judge([one._replace(terms=2) for one in rows]) == "few"
    just = [row(Contrast, terms=20, same_low=low, same_high=low + 0.2) for low in (0.001, -0.1, -0.1)]
    assert [SUMS_FIRST.judge(just[:many]) for many in (1, 2, 3)] == ["no", "open", "open"]  # one of so many


def test_how_often_the_other_sample_is_the_nearest_is_counted_by_model():
    rows = [
        row(Neighbours, model=model, place=place) for model in ("additive", "Nonce2Vec (frozen)") for place in (1, 1, 7)
    ]
    assert nearest_to_each_other(rows) == (
        "the other sample is the nearest of all in 2 of 3 by additive and in 2 of 3 by Nonce2Vec (frozen)"
    )
