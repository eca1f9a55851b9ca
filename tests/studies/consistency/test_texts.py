"""Texts compared at equal samples: known answers, a naive program, and the sentences."""

import numpy as np
import pytest
import torch

from gpustab import InputError
from gpustab.report import to_text
from gpustab.runs.load import open_groups
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.consistency.figures import FIGURES
from gpustab.studies.consistency.measures import LeftOut
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.paper import methods
from gpustab.studies.consistency.prepare import prepare
from gpustab.studies.consistency.sentences_of_texts import texts_part
from gpustab.studies.consistency.study import consistency
from gpustab.studies.consistency.texts import common_words, compare_texts, difference, of_size
from tests.studies.consistency.made import background, sentences, term_names, text_of, word, write

CPU = torch.device("cpu")
OPTIONS = ConsistencyOptions(samples=3, cutoff=9, subsample=0, number=20)


def made(name, runs, per_term=12, terms=12, **choices):
    text = text_of(sentences(terms, per_term, choices.pop("length", 8), **choices))._replace(name=name)
    return prepare(text, [(t.encode(),) for t in term_names(terms)], runs, OPTIONS, CPU)


def test_samples_are_cut_to_one_size_and_keep_their_own_words():
    runs = background(mean=0.4)
    part = made("a", runs, seed=1)
    cut = of_size(part, 25, seed=0)
    assert set(cut.words.tolist()) == {25.0}
    assert 0 < len(cut.samples.terms) <= 12
    kept = np.flatnonzero(np.isin(part.samples.terms[part.samples.term], cut.samples.terms))
    assert ((part.counts[kept] - cut.counts).toarray() >= 0).all()
    whole = of_size(part, int(part.words.min()), seed=0)
    assert len(whole.samples.terms) == 12
    smallest = int(part.words.argmin())
    assert (whole.counts[smallest] != part.counts[smallest]).nnz == 0


def test_the_common_size_leaves_three_of_four_terms_in_every_text():
    runs = background()
    parts = [made("a", runs, seed=1), made("b", runs, seed=2, length=5)]
    words = common_words(parts)
    least = [np.sort([part.words.numpy()[part.samples.term == t].min() for t in range(12)]) for part in parts]
    assert words == min(values[2] for values in least)
    for part in parts:
        assert len(of_size(part, words, 0).samples.terms) >= 9


def test_a_text_with_terms_of_their_own_is_told_from_one_without():
    runs = background(runs=3, mean=0.4)
    own, none, other = (
        made(name, runs, seed=seed, own=share)
        for name, seed, share in (("own", 1, 0.6), ("none", 2, 0.0), ("two", 3, 0.0))
    )
    row = compare_texts([own, none], runs, OPTIONS)[0]
    assert row["auc"] > 0.9 > 0.6 > row["auc_against"]
    assert row["auc_low"] > 0
    assert texts_part(row)[0].endswith("higher")
    back = compare_texts([none, own], runs, OPTIONS)[0]
    assert texts_part(back)[0].endswith("lower")
    assert len(compare_texts([own, none, other], runs, OPTIONS)) == 3


def test_the_higher_cosine_of_all_contexts_is_no_better_vector():
    """One text's common words all point one way: its cosines are higher, and its terms are lost in them."""
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(300, 20))
    vectors[150:] = 3 + 0.3 * generator.normal(size=(150, 20))
    runs = open_groups([([word(k) for k in range(300)], vectors)], single_runs=True)[0].load()
    loud, quiet = made("loud", runs, seed=1, own=0.4), made("quiet", runs, seed=2, own=0.5, words=150)
    row = compare_texts([loud, quiet], runs, OPTIONS)[0]
    assert row["same_low"] > 0 > row["auc_high"]
    assert row["null"] > row["null_against"]
    kind, said = texts_part(row)
    assert kind == "higher-lower"
    assert "quiet tells its terms apart better than loud" in said
    assert "what all contexts of loud have in common" in said


def test_the_error_of_a_difference_has_terms_and_runs():
    generator = np.random.default_rng(0)

    def of(values):  # (T, R): means over terms of each run
        return [LeftOut(x.mean(), (x.sum() - x) / (len(x) - 1)) for x in values.T]

    one, two = generator.normal(size=(9, 4)) + np.arange(4), generator.normal(size=(12, 4)) + 2 * np.arange(4)
    found = difference(of(one), of(two))
    terms = one.mean(1).var(ddof=1) / 9 + two.mean(1).var(ddof=1) / 12
    runs = (one.mean(0) - two.mean(0)).var(ddof=1) / 4
    assert found.value == pytest.approx(one.mean() - two.mean())
    assert found.se == pytest.approx(np.sqrt(terms + runs))
    parts = [(one.mean(1).var(ddof=1) / 9, 8), (two.mean(1).var(ddof=1) / 12, 11), (runs, 3)]
    assert found.freedom == int(sum(v for v, _ in parts) ** 2 / sum(v**2 / df for v, df in parts))
    assert found.half == pytest.approx(t_quantile(found.freedom) * found.se)
    alone = difference(of(one[:, :1]), of(two[:, :1]))
    assert alone.se == pytest.approx(np.sqrt(one[:, 0].var(ddof=1) / 9 + two[:, 0].var(ddof=1) / 12))


ROW = {"text": "A", "against": "B", "words": 40, "terms": 50, "terms_against": 50}
ROW |= {"same": 0.98, "same_against": 0.95, "null": 0.97, "null_against": 0.93, "auc": 0.8, "auc_against": 0.7}


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
    row = ROW | {"same_low": cosine[0], "same_high": cosine[1], "auc_low": auc[0], "auc_high": auc[1]}
    assert texts_part(row) == (kind, f"At 40 context words a sample, {said}")
    assert texts_part(row | {"words": 1})[1].startswith("At 1 context word a sample")


def test_few_terms_compare_nothing():
    row = ROW | {"same_low": 0.1, "same_high": 0.2, "auc_low": 0.1, "auc_high": 0.2, "terms": 2}
    assert texts_part(row)[0] == "few"


def test_the_study_takes_several_texts(tmp_path):
    pytest.importorskip("sentencex")
    for name, seed, own in (("first", 1, 0.6), ("second", 2, 0.0)):
        write(tmp_path / f"{name}.txt", sentences(12, 12, 8, seed=seed, own=own))
    (tmp_path / "terms.txt").write_text("\n".join(term_names(12)))
    groups = open_groups([([word(k) for k in range(300)], np.random.default_rng(0).normal(size=(300, 9)) + 0.3)],
                         single_runs=True)  # fmt: skip
    choices = {"terms": str(tmp_path / "terms.txt"), "layout": "blocks", "samples": 3, "cutoff": 9, "subsample": 0.0}
    texts = [tmp_path / "first.txt", tmp_path / "second.txt"]
    result = consistency(groups, texts, **choices)
    table = result.tables["consistency"]
    assert list(dict.fromkeys(table["text"])) == ["first", "second"]
    assert list(dict.fromkeys(table["group"])) == ["runs, first", "runs, second"]
    assert "of 100 comparisons for first" in result.verdict[0]
    assert len(result.verdict) == 4
    assert [group["source"] for group in result.groups] == [str(text) for text in texts]
    for name in ("by_size", "nearest_words"):
        assert len(FIGURES[name][1](result.tables).panels) == 2
    assert "Which text gives its terms" in to_text(result)
    assert "cut at random to one number of context words" in methods(result)
    alone = consistency(groups, texts[1], **choices)
    for name in ("same", "auc"):
        rows = [next(table.records(model="additive", text="second")), next(alone.tables["consistency"].records())]
        assert rows[0][name] == rows[1][name]
    with pytest.raises(InputError, match="given twice"):
        consistency(groups, [texts[0], texts[0]], **choices)
