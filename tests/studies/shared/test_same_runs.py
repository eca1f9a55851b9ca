import pytest
import torch

from gpustab import Key, Space, Vocabulary, load_runs, open_groups
from gpustab.runs.runset import write_runset
from gpustab.studies.instability.claims_of_losses import GLOVE_ALIKE
from gpustab.studies.instability.study import instability
from gpustab.studies.shared.same_runs import Same, fingerprints, said_of, same_runs, seeds_of
from tests.generators import spaces


def with_seeds(runs, seeds):
    return [
        Space(s.vocabulary, s.vectors, s.counts, s.name, {"training_seed": seed})
        for s, seed in zip(runs, seeds, strict=True)
    ]


def shuffled_rows(space, seed):
    order = torch.randperm(len(space.vocabulary), generator=torch.Generator().manual_seed(seed)).tolist()
    words = Vocabulary(space.vocabulary[k] for k in order)
    return Space(words, space.vectors[order], space.counts[order], space.name)


def test_runs_that_two_groups_share_are_counted_whatever_their_words_and_order():
    mine = spaces(4, 40, 5)
    others = [*(shuffled_rows(s, 3) for s in mine[:2]), *spaces(2, 40, 5, seed=9)]
    groups = {
        "fixed": load_runs(mine),
        "shuffled": load_runs(others[::-1]),
        "bootstrap": load_runs(spaces(3, 40, 5, seed=5)),
    }
    found = same_runs(groups)
    assert found == [Same("fixed", "shuffled", 2, 4)]
    (sentence,) = said_of(found, "glove: ")
    assert sentence.startswith("glove: fixed and shuffled: 2 of 4 runs are the same, bit for bit")


def test_a_last_bit_makes_another_run():
    mine = spaces(3, 40, 5)
    moved = [Space(s.vocabulary, torch.nextafter(s.vectors, torch.tensor(9.0)), s.counts, s.name) for s in mine]
    assert same_runs({"a": load_runs(mine), "b": load_runs(moved)}) == []
    assert len(set(fingerprints(load_runs(mine)) + fingerprints(load_runs(moved)))) == 6
    assert fingerprints(load_runs(mine)) == fingerprints(load_runs(mine))


def test_groups_without_common_words_share_nothing():
    other = [Space(Vocabulary(f"x{k}" for k in range(40)), s.vectors) for s in spaces(2, 40, 5)]
    assert same_runs({"a": load_runs(spaces(2, 40, 5)), "b": load_runs(other)}) == []


@pytest.fixture
def glove(tmp_path):
    """As run sets were made when all samplings shared their training seeds."""
    runs = spaces(4, 60, 5)
    groups = {"glove/fixed": with_seeds(runs, range(4)), "glove/shuffled": with_seeds(runs, range(4))}
    write_runset(groups | {"glove/bootstrap": with_seeds(spaces(4, 60, 5, seed=2), range(4, 8))}, tmp_path / "set")
    return open_groups(tmp_path / "set")


def test_seeds_are_read_from_the_files_and_of_others_none(glove):
    assert [sorted(seeds_of(group)) for group in glove] == [[0, 1, 2, 3], [0, 1, 2, 3], [4, 5, 6, 7]]
    assert seeds_of(load_runs(spaces(2, 20, 4))) == frozenset()


def test_fixed_and_shuffled_glove_that_are_the_same_runs_are_no_test(glove):
    result = instability(glove, pairs=40, targets=8)
    (row,) = (r for r in result.tables["observations"].records() if r["claim"] == GLOVE_ALIKE.says)
    assert row["agrees"] == "no test"
    assert "the same runs" in row["shows"]
    assert list(result.tables["same_runs"].records()) == [
        {"technique": "glove", "first": "fixed", "second": "shuffled", "runs": 4, "of": 4}
    ]
    assert sum("bit for bit" in note for note in result.notes) == 1
    (note,) = (note for note in result.notes if "trained with the same seeds" in note)
    assert note.startswith("GloVe: fixed and shuffled runs")


def test_independent_groups_are_judged(tmp_path):
    groups = {Key("glove", s): spaces(4, 60, 5, seed=k) for k, s in enumerate(("fixed", "shuffled"))}
    write_runset(groups, tmp_path / "set")
    result = instability(open_groups(tmp_path / "set"), pairs=40, targets=8)
    (row,) = (r for r in result.tables["observations"].records() if r["claim"] == GLOVE_ALIKE.says)
    assert row["agrees"] in ("yes", "no", "undecided")
    assert not any("bit for bit" in note or "same seeds" in note for note in result.notes)
