"""Tables 5, 6 and 7: values by naive programs, the rules of their sentences, and their figures."""

import itertools

import numpy as np
import pytest
import torch

from gpustab.results import Table
from gpustab.studies.consistency.blocks import both
from gpustab.studies.consistency.figures import FIGURES
from gpustab.studies.consistency.measures import unit
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.own import nearest, own_row
from gpustab.studies.consistency.places import places
from gpustab.studies.consistency.prepare import prepare
from gpustab.studies.consistency.sentences_of_terms import CLOSEST, closest, neighbours_part, own_part
from gpustab.studies.consistency.svd import matched_null
from tests.studies.consistency.made import background, text_of, word


@pytest.fixture(scope="module")
def prepared():
    """Terms of the background itself, and one that it lacks, with two samples each."""
    generator = np.random.default_rng(0)
    lists = []
    for k in range(60):
        own = word(290 + k % 5) if k % 6 else "unknown"
        lists.append([*(word(int(w)) for w in generator.integers(280, size=9)), own])
    runs = background(mean=0.3)
    options = ConsistencyOptions(samples=2, cutoff=2, subsample=0)
    terms = [(word(290 + k).encode(),) for k in range(5)] + [(b"unknown",)]
    return prepare(text_of(lists), terms, runs, options, torch.device("cpu")), runs


def test_own_vectors_and_those_of_other_terms_by_loops(prepared):
    part, runs = prepared
    words = unit(runs.rows[0][0 : runs.words])
    x = torch.randn(len(part.samples.term), 20, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    found = places(x, part.samples, words, part.own)[1]
    names = [part.text.words[t] for t in part.samples.terms]
    table = {name: words[runs.vocabulary.index_of(name)].double() for name in names if name in runs.vocabulary}
    for k, name in enumerate(names):
        mine = [unit(x[p]) for p in np.flatnonzero(part.samples.term == k)]
        if name not in table:
            assert np.isnan([found.cosine[k], found.null[k], found.place[k]]).all()
            continue
        cosines = [float(v @ table[name]) for v in mine]
        assert found.cosine[k] == pytest.approx(np.mean(cosines))
        others = [float(v @ other) for v in mine for key, other in table.items() if key != name]
        assert found.null[k] == pytest.approx(np.mean(others))
        ranks = [1 + int((words.double() @ v > c + 1e-12).sum()) for v, c in zip(mine, cosines, strict=True)]
        assert found.place[k] == pytest.approx(np.mean(ranks))
    ranks, without = [], []
    for i, j in itertools.permutations(range(len(x)), 2):
        if part.samples.term[i] == part.samples.term[j]:
            nearer = words.double() @ unit(x[i]) > float(unit(x[i]) @ unit(x[j])) + 1e-12
            ranks.append(1 + int(nearer.sum()))
            own = int(part.own[i])
            without.append(ranks[-1] - int(own >= 0 and bool(nearer[own])))
    both = places(x, part.samples, words, part.own)[0]
    assert both.both == pytest.approx(np.mean(ranks))
    assert both.without_own == pytest.approx(np.mean(without))
    assert both.first == pytest.approx(np.mean(np.array(ranks) == 1))
    assert both.both == pytest.approx((both.forward + both.back) / 2)
    row = own_row("m", [found])
    assert row["terms"] == 5
    assert row["excess"] == pytest.approx(row["cosine"] - row["null"])
    assert row["excess_low"] < row["excess"] < row["excess_high"]


def test_own_words_of_which_only_one_is_known_have_no_null(prepared):
    part, runs = prepared
    rows = part.found.rows.copy()
    for k in range(1, 5):
        rows[part.text.words.index(word(290 + k).encode())] = -1
    one = part._replace(found=part.found._replace(rows=rows))
    x = torch.ones(len(part.samples.term), 20).double()
    found = places(x, one.samples, unit(runs.rows[0][0 : runs.words]), one.own)[1]
    assert np.isfinite(found.cosine).sum() == 1
    assert np.isnan(found.null).all()
    assert own_part(own_row("m", [found]))[0] == "few"


def test_nearest_words_say_how_many_both_samples_have(prepared):
    part, runs = prepared
    words = unit(runs.rows[0][0 : runs.words])
    x = words[torch.arange(len(part.samples.term)) // 2].double()
    rows = nearest(x, part, words, runs.vocabulary)
    assert {row["shared"] for row in rows} == {4}
    assert rows[0]["nearest"] == rows[1]["nearest"]
    assert "two samples of a term share 4.0, a mean of the 6 most frequent" in neighbours_part(rows)


def test_the_null_of_like_frequencies_is_of_the_nearest_ones():
    generator = np.random.default_rng(0)
    cosines, places = generator.normal(size=(30, 30)), generator.normal(size=(30, 2))
    found = matched_null(cosines, places)
    for i in (0, 7, 29):
        order = sorted((k for k in range(30) if k != i), key=lambda k: np.sum((places[i] - places[k]) ** 2))
        assert found[i] == pytest.approx(np.mean([cosines[i, k] for k in order[:10]]))
    assert np.isnan(matched_null(np.ones((1, 1)), np.zeros((1, 2)))).all()


def group(name, excess, half, terms=20):
    return {"terms_of": name, "terms": terms, "cosine": 0.2 + excess, "null": 0.2, "excess": excess,
            "excess_low": excess - half, "excess_high": excess + half}  # fmt: skip


LOW, HIGH = "low in text, low in general", "high in text, high in general"


FEW = "Whether terms frequent in the text and rare in general are the closest to themselves cannot be told: there "


@pytest.mark.parametrize(
    ("rows", "kind", "said"),
    [
        (
            [group(CLOSEST, 0.5, 0.05), group(LOW, 0.2, 0.05), group(HIGH, 0.1, 0.05)],
            "closest",
            "Terms frequent in the text and rare in general are the closest to themselves (cosine 0.70, others of like "
            "frequency 0.20, 20 terms), each group beside terms of like frequency.",
        ),
        (
            [group(CLOSEST, 0.1, 0.05), group(LOW, 0.5, 0.05), group(HIGH, 0.0, 0.05)],
            "not",
            "Terms frequent in the text and rare in general are not the closest to themselves (cosine 0.30, others of "
            "like frequency 0.20, 20 terms): terms low in text, low in general are closer by +0.33 to +0.47, each "
            "beside terms of like frequency.",
        ),
        (
            [group(CLOSEST, 0.3, 0.2), group(LOW, 0.2, 0.2)],
            "open",
            "That terms frequent in the text and rare in general are closer to themselves than all others is not shown "
            "(cosine 0.50, others of like frequency 0.20, 20 terms): beside terms of like frequency, they are so by "
            "−0.18 to +0.38 more than terms low in text, low in general, which would have to be above 0.",
        ),
        ([group(CLOSEST, 0.5, 0.05, 2), group(LOW, 0.2, 0.05)], "few", f"{FEW}are 2 such terms (wanted 3)."),
        ([group(CLOSEST, 0.5, 0.05, 1), group(LOW, 0.2, 0.05)], "few", f"{FEW}is 1 such term (wanted 3)."),
        (
            [group(CLOSEST, 0.5, 0.05)],
            "few",
            f"{FEW}are 20 such terms and no other group of three.",
        ),
        ([group("all", 0.5, 0.05)], "few", f"{FEW}is no such term (wanted 3) and no other group of three."),
    ],
)
def test_whether_terms_of_the_text_are_the_closest(rows, kind, said):
    assert closest(rows) == (kind, said)


@pytest.mark.parametrize(
    ("low", "high", "terms", "kind", "said"),
    [
        (
            0.1,
            0.2,
            9,
            "nearer",
            "A sample is nearer to the background's vector of its own term than to that of another (0.40 against 0.30; "
            "difference +0.10 to +0.20, above 0). The own one stands at place 120 among all words.",
        ),
        (
            -0.2,
            -0.1,
            9,
            "farther",
            "A sample is farther from its own term's vector than from another's (0.40 against 0.30; difference −0.20 "
            "to −0.10, below 0). The own one stands at place 120 among all words.",
        ),
        (
            -0.1,
            0.1,
            9,
            "open",
            "That a sample is nearer to its own term's vector than to another's is not shown (0.40 against 0.30; the "
            "difference, −0.10 to +0.10, would have to be above 0). The own one stands at place 120 among all words.",
        ),
        (0.1, 0.2, 2, "few", "Too few of the terms are in the background to say how near they are to its vectors."),
    ],
)
def test_whether_samples_are_nearer_to_their_own_word(low, high, terms, kind, said):
    row = {"terms": terms, "cosine": 0.4, "null": 0.3, "place": 120.0, "excess_low": low, "excess_high": high}
    assert own_part(row) == (kind, said)


def test_figures_draw_what_there_is_and_say_what_they_need():
    own = [{"group": "g", "model": "additive", "terms": 9, "cosine": 0.6, "null": 0.4, "excess": 0.2,
            "excess_low": 0.1, "excess_high": 0.3, "place": 3000.0}]  # fmt: skip
    domain = [{"group": "g", **group(CLOSEST, 0.5, 0.05)}, {"group": "g", **group(LOW, 0.2, float("nan"))}]
    near = [
        {"group": "g", "term": "liberty & <law>", "sample": k, "cosine": 0.9, "shared": 1, "nearest": f"state, x{k}"}
        for k in (1, 2)
    ]
    tables = {"own": Table.of(own), "domain": Table.of(domain), "neighbours": Table.of(near)}
    for name in ("own_place", "by_frequency", "nearest_words"):
        picture = FIGURES[name][1](tables)
        assert len(picture.panels) == 1
        assert "nan" not in picture.panels[0]
        assert FIGURES[name][1]({}).missing
    words = FIGURES["nearest_words"][1](tables).panels[0]
    assert words.count('class="g0"') == 2
    assert "liberty &amp; &lt;law&gt;" in words


def test_numbers_of_two_texts_have_one_sign_of_minus_and_zero_none():
    assert both("auc")({"auc": -0.25, "auc_against": -0.0001}) == "−0.250 / 0.000"
