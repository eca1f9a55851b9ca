"""Groups of terms as a criterion: what is planted, dealt out, or of documents alone, and files that cannot be used."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gpustab.errors import InputError
from gpustab.studies.consistency.claims import GROUPS_NEARER
from gpustab.studies.consistency.quality import grouped_of
from tests.studies.consistency.made import samples_of

TERMS, PARTS, GROUPS = 24, 3, 4


def prepared(terms=TERMS):
    words = [f"term_{k}".encode() for k in range(terms)]
    return SimpleNamespace(group="g", samples=samples_of(terms, PARTS), text=SimpleNamespace(words=words, name="text"))


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
