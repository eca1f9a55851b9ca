"""Which sentence is chosen, and how often the rules err."""

import numpy as np
import pytest
import torch

from gpustab.results import Table
from gpustab.studies.consistency import sentences
from gpustab.studies.consistency.measures import consistency_of
from gpustab.studies.consistency.rows import of_contrast
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.sentences_of_models import models_part, trainings_part

DRAWS = 250


def _samples(terms, parts=5):
    term = np.repeat(np.arange(terms), parts)
    return Samples(np.arange(terms), term, np.arange(len(term)), np.arange(len(term) + 1))


def _found(terms, signal, generator, parts=5, d=20):
    """Vectors of a common mean, with a share of the term's own."""
    x = 1 + 2 * torch.randn(terms, parts, d, generator=generator, dtype=torch.float64)
    x += signal * torch.randn(terms, 1, d, generator=generator, dtype=torch.float64)
    samples = _samples(terms, parts)
    term = torch.from_numpy(samples.term)
    return consistency_of(x.flatten(0, 1), samples, term[:, None] != term)


def _row(found, terms):
    row = {"terms": terms}
    for name in ("same", "null", "auc", "excess"):
        row[name] = found.numbers[name].value
        row[f"{name}_low"], row[f"{name}_high"] = found.numbers[name].estimate.interval
    return row


def _share(terms, signal, parts, wanted):
    generator = torch.Generator().manual_seed(100 * terms + parts)
    rows = [_row(_found(terms, signal, generator, parts), terms) for _ in range(DRAWS)]
    return sum(sentences.told_apart(row)[0] == wanted for row in rows) / DRAWS


@pytest.mark.parametrize(("terms", "parts"), [(3, 2), (3, 5), (6, 5), (16, 2)])
def test_terms_without_vectors_of_their_own_are_seldom_told_apart(terms, parts):
    """At the level of the intervals 0.025 of the draws would err; 0.05 is borne."""
    assert _share(terms, 0.0, parts, "apart") <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.parametrize(("terms", "wanted"), [(3, 0.8), (16, 0.99)])
def test_terms_with_vectors_of_their_own_are_told_apart(terms, wanted):
    assert _share(terms, 2.0, 5, "apart") >= wanted


def test_vectors_with_something_of_their_own_are_not_called_alike():
    assert _share(16, 2.0, 5, "alike") == 0


@pytest.mark.parametrize("terms", [3, 10])
def test_the_same_model_with_another_scale_is_neither_better_nor_worse(terms):
    """Two models whose vectors have the same law: their difference is seldom called one."""
    generator = torch.Generator().manual_seed(7)
    verdicts = []
    for _ in range(DRAWS):
        one, two = (_found(terms, 1.0, generator) for _ in range(2))
        verdicts.append(models_part(of_contrast("g", "a", "b", [one], [two]), terms)[0])
    assert sum(verdict in ("better", "worse") for verdict in verdicts) / DRAWS <= 0.075


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
    row = {"terms": 20, "auc": 0.66, "auc_low": 0.4, "auc_high": 0.9, "same": 0.98, "null": 0.97} | change
    assert sentences.told_apart(row) == (verdict, said)


def test_a_cosine_that_is_almost_all_common_is_said_to_be():
    row, middle = {"same": 0.985, "null": 0.977, "excess": 0.008}, {"same": 0.41, "null": 0.03}
    assert sentences.scale(row, middle) == (
        "The cosine of two samples of one term is 0.985, of two terms 0.977: almost all of it is what every context of "
        "the text has in common. Without that they are 0.41 and 0.03."
    )
    assert "almost all of it" not in sentences.scale(row | {"excess": 0.2}, middle)


def test_the_verdict_has_four_sentences_and_the_page_the_others():
    model = {"terms": 20, "auc": 0.66, "auc_low": 0.6, "auc_high": 0.9, "same": 0.98, "null": 0.97, "excess": 0.01}
    groups = ("bg, a", "bg, b", "bg, c")
    rows = [model | {"group": g, "model": m} for g in groups for m in ("additive", "additive (centred)")]
    tables = {"consistency": Table.of(rows)}
    said = sentences.verdict(tables)
    assert [sentence.partition(": ")[0] for sentence in said] == [*groups, "bg, a"]
    assert said[3] == f"bg, a: {sentences.scale(model, model)}"
    assert [one for both in sentences.of_cases(tables) for one in both if one not in said] == [
        f"{group}: {sentences.scale(model, model)}" for group in groups[1:]
    ]
    half = {"group": "bg, b", "permuted": "sentences", "halves": 0.9, "random": 0.95, "p": 0.01}
    only = {"consistency": Table.of(rows[:2]), "split": Table.of([half | {"group": "bg, a"}])}
    assert [sentence[:12] for sentence in sentences.verdict(only)] == ["Two samples ", "The two halv", "The cosine o"]


def test_growth_needs_intervals_apart():
    rows = [
        {"n": 1, "same": 0.8, "same_low": 0.7, "same_high": 0.85, "law": 0.8, "c": 2.0},
        {"n": 8, "same": 0.9, "same_low": 0.88, "same_high": 0.95, "law": 0.9, "c": 2.0},
    ]
    law = "a law of sums, 1 / (1 + c / words) with c = 2.00, is at most 0 off."
    assert sentences.grows(Table.of(rows)) == (
        "grows",
        "Consistency grows with the sentences, from 0.80 (0.70–0.85) with 1 to 0.90 (0.88–0.95) with 8 sentences; "
        f"{law}",
    )
    rows[0]["same_high"] = 0.89
    assert sentences.grows(Table.of(rows)) == (
        "open",
        "Consistency goes from 0.80 (0.70–0.89) with 1 to 0.90 (0.88–0.95) with 8 sentences: the intervals overlap, so "
        f"that it grows is not shown; {law}",
    )
    assert sentences.grows(Table.of(rows[:1]))[0] == "none"


def test_documents_decide_whether_halves_differ():
    one = {"permuted": "sentences", "halves": 0.9, "random": 0.95, "p": 0.01}
    assert sentences.development([one]) == (
        "differ",
        "The two halves use the terms differently: halves have cosine 0.90, parts of as many random sentences 0.950, "
        "and only 1% of such parts are as unlike (p ≤ 5%).",
    )
    assert sentences.development([one, one | {"permuted": "documents", "p": 0.4}]) == (
        "open",
        "That the halves use the terms differently is not shown: halves have cosine 0.90, random halves of the "
        "documents 0.950, and 40% of such parts are as unlike (p; wanted 5%). Of parts of random sentences only 1% "
        "are: documents differ, the halves do not.",
    )


def test_cosine_and_auc_may_part():
    contrast = {"model": "SVD", "against": "additive", "auc": 0.1, "auc_low": 0.05, "auc_high": 0.15}
    contrast |= {"same": -0.3, "same_low": -0.4, "same_high": -0.2}
    assert models_part(contrast, 20) == (
        "better",
        "SVD tells terms apart better than additive (+10.0 of 100 comparisons, +5.0 to +15.0), though its cosine is "
        "lower.",
    )
    unsure = "which would have to lie on one side of 0, or within ± 5."
    assert models_part(contrast, 2) == (
        "open",
        f"Whether SVD or additive tells terms apart better cannot be told: +10.0 of 100 comparisons, +5.0 to +15.0, "
        f"{unsure}",
    )
    near = contrast | {"auc": -0.0001, "auc_low": -0.02, "auc_high": 0.03}
    assert models_part(near, 20) == (
        "equal",
        "SVD and additive tell terms apart equally well (0.0 of 100 comparisons, −2.0 to +3.0, within ± 5), though "
        "their cosines differ.",
    )
    assert models_part(near | {"auc_high": 0.06}, 20)[0] == "open"


def test_what_nonce2vec_reads():
    assert "first 3 of 5 sentences alone" in sentences.read_by_nonce([21, 12, 6, 0, 0])
    assert "every sentence" in sentences.read_by_nonce([21, 12])
    assert "hardly any" in sentences.read_by_nonce([0.1, 0.0])


def test_ranks_among_words_are_read_beside_those_among_samples():
    ranks = {"both": 1.0, "words": 400_000}
    assert "both are sums" in sentences.most_frequent_rank({"rank": 66.0, "among": 296.0}, ranks)
    assert "both are sums" not in sentences.most_frequent_rank({"rank": 1.2, "among": 296.0}, ranks)


@pytest.mark.parametrize(
    ("runs", "sd", "half", "kind", "said"),
    [
        (4, 0.002, 0.05, "terms", "more terms make it surer"),
        (4, 0.2, 0.01, "trainings", "train the background more often"),
        (4, 0.05, 0.05, "both", "for that, and by 0.025 for other terms: more of both make it surer."),
        (1, None, 0.05, "one", "One training of the background"),
    ],
)
def test_what_makes_the_auc_unsure(runs, sd, half, kind, said):
    row = {"runs": runs, "terms": 50, "auc_sd": sd, "auc_low": 0.7 - half, "auc_high": 0.7 + half}
    found = trainings_part(row)
    assert found[0] == kind
    assert said in found[1]
    assert trainings_part(row | {"runs": 3, "terms": 2})[1] == ""
