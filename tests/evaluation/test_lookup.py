import numpy as np
import pytest
import torch

from gpustab import InputError, Space, Vocabulary, load_runs
from gpustab.evaluation import read_similarity
from gpustab.evaluation.lookup import Lookup
from gpustab.runs.join import join
from tests.generators import noisy_copies, runs_of, spaces


def runs_with(words, counts=None):
    vectors = torch.eye(len(words)) + 1
    counts = None if counts is None else torch.tensor(counts)
    return join([Space(Vocabulary(words), vectors, counts, str(r)) for r in range(2)])


def test_the_cut_is_by_counts_where_they_are_known():
    """An alphabetical file: the first three rows are not the most frequent."""
    words, counts = ["apple", "bee", "cat", "the", "of"], [3, 5, 1, 100, 80]
    lookup = Lookup(runs_with(words, counts), 3, False)
    assert [word for word in words if lookup.row(word.encode()) is not None] == ["bee", "the", "of"]
    assert "3 most frequent of 5 words" in lookup.notes[0]


def test_the_cut_is_by_file_order_where_they_are_not_and_it_is_said():
    words = ["apple", "bee", "cat", "the", "of"]
    lookup = Lookup(runs_with(words), 3, False)
    assert [word for word in words if lookup.row(word.encode()) is not None] == ["apple", "bee", "cat"]
    assert "need not be the most frequent" in lookup.notes[0]


@pytest.mark.parametrize("restrict", [None, 30, 300_000])
def test_nothing_is_said_where_nothing_is_cut(restrict):
    lookup = Lookup(join(spaces()), restrict, False)
    assert (lookup.words, lookup.notes) == (30, ())


def test_case_is_ignored_only_if_asked_and_the_most_frequent_variant_is_taken():
    words = ["paris", "Paris", "straße", "ÉTÉ", b"\xff\xfe"]
    exact, folded = (Lookup(runs_with(words), None, ignore) for ignore in (False, True))
    assert (exact.row(b"Paris"), exact.row(b"PARIS")) == (1, None)
    assert (folded.row(b"Paris"), folded.rows(b"PARIS")) == (0, [0, 1])
    assert folded.row("Straße".encode()) == folded.row(b"STRASSE") == 2
    assert folded.row("été".encode()) == 3
    assert folded.row(b"\xff\xfe") == 4


def test_a_word_that_one_run_lacks_is_unknown():
    a, b = np.eye(4)[:3] + 0.1, np.eye(4)[1:] + 0.1
    runs = load_runs([(["x", "y", "z"], a), (["Y", "z", "x"], b), (["Y", "z", "x"], b)], vocabulary="union")
    assert Lookup(runs, None, False).row(b"Y") is None
    assert Lookup(runs, None, False).row(b"x") is not None


def test_restrict_must_be_positive():
    with pytest.raises(InputError, match="restrict is 0"):
        Lookup(runs_of(noisy_copies(2, 5, 3)), 0, False)


def test_pairs_keep_their_bytes_and_a_note_says_what_would_be_there(tmp_path):
    """Vectors may have words that are no UTF-8 themselves."""
    (tmp_path / "p.tsv").write_bytes("café\tété\t3\na\tb\t4\n".encode("cp1252"))
    pairs = read_similarity(tmp_path / "p.tsv").pairs
    _, notes = Lookup(runs_with(["a", "b", "café", "été"]), None, None).known(pairs)
    assert notes == ("Read as cp1252, 2 of 4 words more would be there (café, été): save the file as UTF-8.",)
    _, notes = Lookup(runs_with([b"caf\xe9", b"a", b"b", b"\xe9t\xe9"]), None, None).known(pairs)
    assert notes == ()
