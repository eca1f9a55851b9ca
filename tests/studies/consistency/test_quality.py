"""Groups of terms as a criterion: what is planted, dealt out, or of documents alone, and files that cannot be used."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gpustab.errors import InputError
from gpustab.report import Result
from gpustab.small_data.text import read_terms
from gpustab.studies.consistency.claims import GROUPS_NEARER
from gpustab.studies.consistency.quality import grouped_of, quality_blocks
from gpustab.studies.consistency.tables import GROUPED, Grouped
from tests.studies.consistency.made import samples_of

TERMS, PARTS, GROUPS = 24, 3, 4


def prepared(terms=TERMS):
    words = [f"term_{k}".encode() for k in range(terms)]
    return SimpleNamespace(
        group="g", samples=samples_of(terms, PARTS), notes=[], text=SimpleNamespace(words=words, name="text")
    )


def vectors(label, size, seed, parts=PARTS):
    """Samples of terms: of every term its own, its group's so much, and noise."""
    rng = np.random.default_rng(seed)
    terms = rng.normal(size=(len(label), 20)) + size * rng.normal(size=(max(label) + 1, 20))[label] + 0.5
    return torch.from_numpy((terms[:, None] + 0.5 * rng.normal(size=(len(label), parts, 20))).reshape(-1, 20))


def asked(tmp_path, label, own, others=None):
    path = tmp_path / "groups.tsv"
    path.write_text("".join(f"Term {k}\tof the kind {one}\n" for k, one in enumerate(label)), encoding="utf-8")
    (row,) = grouped_of(prepared(len(label)), {"sums": own}, {} if others is None else {"sums": others}, str(path))
    return row


def groups_of(seed, terms=TERMS, groups=GROUPS):
    return np.random.default_rng([seed, 1]).permutation(np.arange(terms) % groups)


def naive(rows, label):
    x = rows.numpy().reshape(len(label), PARTS, -1)
    x = (x / np.linalg.norm(x, axis=2, keepdims=True)).sum(1)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    pairs = [(a, b) for a in range(len(label)) for b in range(a)]
    one = [float(x[a] @ x[b]) for a, b in pairs if label[a] == label[b]]
    two = [float(x[a] @ x[b]) for a, b in pairs if label[a] != label[b]]
    return np.mean([[high > low for low in two] for high in one])


def test_the_auc_is_counted_pair_by_pair_and_planted_groups_are_nearer(tmp_path):
    label = groups_of(0)
    own = vectors(label, 1.2, 0)
    row = asked(tmp_path, label, own)
    assert row.auc == pytest.approx(naive(own, label))
    assert (row.terms, row.groups) == (TERMS, GROUPS)
    assert GROUPS_NEARER.judge(row) == "nearer"
    assert "Sums puts terms of one group nearer than terms of two in" in GROUPS_NEARER.sentence(row)


def wrong(sets, terms, groups, tmp_path):
    """How often groups that were dealt out are said to be nearer, beside clusters of terms that do exist."""
    said = 0
    for seed in range(sets):
        clusters = groups_of(seed, terms, 3)
        row = asked(tmp_path, groups_of(seed + 500, terms, groups), vectors(clusters, 1.0, seed))
        said += GROUPS_NEARER.judge(row) in ("nearer", "documents")
    return said


def test_groups_that_are_dealt_out_are_not_nearer(tmp_path):
    assert wrong(12, 16, 4, tmp_path) <= 1


@pytest.mark.slow
@pytest.mark.parametrize(("terms", "groups"), [(8, 2), (24, 2), (24, 8), (40, 5)])
def test_groups_that_are_dealt_out_are_nearer_in_one_of_twenty_at_most(tmp_path, terms, groups):
    assert wrong(100, terms, groups, tmp_path) <= 5


def test_groups_of_documents_alone_are_told(tmp_path):
    label = groups_of(2)
    row = asked(tmp_path, label, vectors(label, 1.2, 2), vectors(label, 1.2, 3))
    assert GROUPS_NEARER.judge(row) == "documents"
    assert "may know only the documents of a group" in GROUPS_NEARER.sentence(row)
    row = asked(tmp_path, label, vectors(label, 1.2, 2), vectors(label, 0.0, 3))
    assert GROUPS_NEARER.judge(row) == "nearer"
    assert row.beyond_low < row.auc - row.documents_auc < row.beyond_high


def test_one_point_sees_no_group(tmp_path):
    row = asked(tmp_path, groups_of(4), torch.ones(TERMS * PARTS, 20, dtype=torch.float64))
    assert row.auc == 0.5
    assert GROUPS_NEARER.judge(row) == "no"


def test_terms_without_a_group_and_groups_of_one_are_left_out(tmp_path):
    label = groups_of(5)
    label[:2] = [7, 8]  # alone in theirs
    row = asked(tmp_path, label, vectors(groups_of(5), 1.2, 5))
    assert (row.terms, row.groups) == (TERMS - 2, GROUPS)
    few = asked(tmp_path, [0, 0, 1, 1, 2, 3], vectors(np.array([0, 0, 1, 1, 2, 3]), 1.2, 6))
    assert GROUPS_NEARER.judge(few) == "few"
    assert "4 terms have a group" in GROUPS_NEARER.sentence(few)


@pytest.mark.parametrize("label", [[0] * 9, list(range(9)), [0, 0, *range(1, 8)]])
def test_fewer_than_two_groups_are_refused(tmp_path, label):
    with pytest.raises(InputError, match="fewer than two groups have two terms"):
        asked(tmp_path, label, vectors(np.array(label), 1.0, 7))


def test_a_line_that_is_no_term_and_group_is_named(tmp_path):
    path = tmp_path / "groups.tsv"
    path.write_text("term_1\tone\nterm_2\n")
    with pytest.raises(InputError, match="line 2"):
        list(grouped_of(prepared(), {}, {}, str(path)))


@pytest.mark.parametrize("empty", [0, 3, 12, 17])
def test_terms_whose_made_up_words_have_no_sentence_are_not_compared(tmp_path, empty):
    """Own and made-up vectors are of one law; as cosines of 0 twelve of them were called nearer in 40 of 40 sets."""
    said = []
    for seed in range(6):
        label = groups_of(seed)
        others = vectors(label, 1.2, seed + 50).reshape(TERMS, PARTS, -1)
        others[np.random.default_rng(seed).permutation(TERMS)[:empty]] = 0
        row = asked(tmp_path, label, vectors(label, 1.2, seed), others.flatten(0, 1))
        assert (row.terms, row.compared, row.beyond_low is None) == (TERMS, TERMS - empty, empty == 17)
        said.append(GROUPS_NEARER.judge(row))
    assert said.count("nearer") <= 1
    assert "documents" in said
    about = {0: "Made-up words in the same", 17: "of 7 of 24 terms have sentences in the same documents, too few"}
    assert about.get(empty, f"Made-up words of {TERMS - empty} of 24 terms in the") in GROUPS_NEARER.sentence(row)


@pytest.mark.parametrize("dealt", [True, False])
def test_the_page_counts_as_the_rows_do(dealt):
    rows = json.loads(Path("benchmarks/results/placebos.json").read_text("utf-8"))
    rows = [
        row for row in rows if row["claim"] == "consistency.groups-nearer" and ("dealt out" in row["placebo"]) == dealt
    ]
    drawn, real = ([row for row in rows if (row["noise"] == "drawn") == own] for own in (True, False))
    said, of = ([sum(row[name] for row in part) for part in (drawn, real)] for name in ("said", "of"))
    page = " ".join(Path("docs/pages/studies/consistency.md").read_text("utf-8").split())
    if dealt:
        assert said == [0, 0]
        assert f"nearer in none of {of[0]} drawn sets and none of {of[1]} of real vectors" in page
    else:
        assert f"{said[0]} of {of[0]} and {said[1]} of {of[1]}" in page


SPELLED = [
    "mid-term",
    "U.S. policy",
    "T-cell receptor",
    "state-of-the-art",
    "COVID-19",
    "O\u2019Neill",
    "Don\u2019t",
    "Stra\u00dfe",
]


def of_spellings(tmp_path, lines):
    """Ask of terms that a list of these spellings gives, and of lines of a file of groups."""
    path, list_of_terms = tmp_path / "groups.tsv", tmp_path / "terms.txt"
    list_of_terms.write_text("\n".join(SPELLED), encoding="utf-8")
    path.write_text("\n".join(lines), encoding="utf-8")
    asked = prepared(len(SPELLED))
    asked.text.words = [b"_".join(term) for term in read_terms(list_of_terms, "en")]
    label = np.arange(len(SPELLED)) // 4
    (row,) = grouped_of(asked, {"sums": vectors(label, 1.2, 0)}, {}, str(path))
    return row, asked.notes


def test_terms_with_signs_find_their_group_and_lost_ones_are_named(tmp_path):
    lines = [f"{word}\t{'ab'[k // 4]}" for k, word in enumerate(SPELLED)]
    assert of_spellings(tmp_path, lines)[0].terms == len(SPELLED)
    assert not of_spellings(tmp_path, lines)[1]
    row, notes = of_spellings(tmp_path, [*lines[:-1], "sea gull\tb", "owl\ta"])
    assert row.terms == len(SPELLED) - 1
    assert notes == ["groups.tsv: 2 of 9 terms have no samples in text: sea gull, owl."]


@pytest.mark.parametrize("other", ["MID-TERM", "mid term", "Mid_Term"])
def test_two_spellings_of_a_term_with_two_groups_are_refused(tmp_path, other):
    lines = [f"{word}\t{'ab'[k // 4]}" for k, word in enumerate(SPELLED)]
    assert of_spellings(tmp_path, [*lines, f"{other}\ta"])[0].terms == len(SPELLED)
    with pytest.raises(InputError, match=f"'mid-term' and '{other}' are one term of text, and its groups are a and b"):
        of_spellings(tmp_path, [*lines, f"{other}\tb"])


def test_models_of_one_verdict_stand_in_one_sentence():
    """Three like verdicts were said one after the other."""
    rows = [
        Grouped("g", model, 12, 3, auc, auc - 0.1, auc + 0.1, 0.55, low, 0.3, 12)
        for model, auc, low in (("sums", 0.7, 0.02), ("centred", 0.72, 0.05), ("encoder x", 0.8, -0.04))
    ]
    said = next(quality_blocks(Result("consistency", {}, tables={GROUPED.name: GROUPED.table(rows)}))).answer
    assert said.startswith(
        "Sums and centred put terms of one group nearer than terms of two in 70 (60.0–80.0) and 72 ("
    )
    assert said.count("nearer than terms of two") == 2
    assert said.count("dealt into the same groups, reach 55 (difference +2 to +30) and 55 (difference +5 to +30).") == 1
    assert "Encoder x may know only the documents of a group" in said
    few = [row._replace(model=f"m{k}", terms=7, compared=None) for k, row in enumerate(rows)]
    said = next(quality_blocks(Result("consistency", {}, tables={GROUPED.name: GROUPED.table(few)}))).answer
    assert said.startswith("M0, m1 and m2 cannot be judged by groups: 7 terms have a group of two or more")
    unlike = [rows[0], rows[1]._replace(compared=9)]
    said = next(quality_blocks(Result("consistency", {}, tables={GROUPED.name: GROUPED.table(unlike)}))).answer
    assert "reach 55 (difference +2 to +30) by sums. Made-up words of 9 of 12 terms" in said
