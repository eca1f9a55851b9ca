"""Runs that are no trainings of their own are told from such that only differ in how much noise they have."""

from itertools import combinations

import numpy as np
import pytest
import torch

from gpustab import engine
from gpustab.machine.device import Compute
from gpustab.studies.shared.belonging import belonging, kinds_of
from gpustab.studies.shared.copies import find_copies
from gpustab.studies.shared.own_noise import quieter
from gpustab.studies.shared.related import in_a_row, related, shared_parts
from gpustab.studies.shared.spaces import look_at
from gpustab.studies.stability.verdict import judge
from tests.generators import rotation, runs_of

V, D = 120, 10


def normal(seed):
    return torch.randn(V, D, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def judged(stack):
    runs = runs_of(torch.stack(list(stack)))
    found = judge(runs, engine.pip_pass(runs), find_copies(runs, Compute()))
    return [*found.copies, *found.alarms], found.kept, look_at(runs, Compute())


def test_shared_parts_are_those_of_a_loop_over_the_other_runs():
    rng = np.random.default_rng(0)
    losses = np.triu(rng.uniform(1, 2, (7, 7)), 1)
    losses += losses.T
    found = shared_parts(torch.from_numpy(losses))
    for i, j in combinations(range(7), 2):
        others = [k for k in range(7) if k not in (i, j)]
        among = np.mean([losses[pair] ** 2 for pair in combinations(others, 2)])
        due = np.mean(losses[i, others] ** 2) + np.mean(losses[j, others] ** 2) - among
        assert float(found[i, j]) == pytest.approx(1 - losses[i, j] ** 2 / due if due > 0 else -np.inf)


def test_noise_of_any_size_has_no_part_in_common():
    own = torch.tensor([1.0, 2.0, 3.0, 10.0, 0.5]).double()
    parts = shared_parts((own[:, None] + own).sqrt().fill_diagonal_(0))
    assert parts[~torch.eye(5).bool()].abs().max() < 1e-12


def trainings(count, noise=0.2):
    """Runs in one frame, of which others can be made."""
    return [normal(100) + noise * normal(101 + k) for k in range(count)]


MADE = {
    "trained on": lambda x, _: x + 0.05 * normal(9),
    "trained on and turned": lambda x, _: (x + 0.05 * normal(9)) @ rotation(D, 3),
    "mostly another": lambda x, y: 0.8 * x + 0.2 * y,
}


@pytest.mark.parametrize("runs", [5, 6, 9])
@pytest.mark.parametrize("how", MADE)
def test_a_run_that_is_made_of_another_is_named_and_left_out(runs, how):
    stack = trainings(runs)
    alarms, kept, notes = judged([*stack, MADE[how](stack[1], stack[2])])
    assert len(alarms) == len(notes) == 1
    for said in (*alarms, *notes):
        assert said.startswith(f"run-00{runs} lies ")
        assert "times nearer to run-001 than to any other run" in said or "between run-001 and run-002" in said
    assert kept == list(range(runs))


@pytest.mark.parametrize("runs", [2, 3, 4, 7])
def test_an_average_of_two_runs_lies_between_them(runs):
    stack = trainings(runs)
    alarms, kept, notes = judged([*stack, (stack[0] + stack[1]) / 2])
    assert len(alarms) == len(notes) == 1
    assert all(said.startswith(f"run-00{runs} lies between run-000 and run-001") for said in (*alarms, *notes))
    assert kept == list(range(runs))


def test_of_three_runs_of_which_two_are_near_none_is_called_odd():
    stack = trainings(2)
    alarms, kept, notes = judged([*stack, stack[0] + 0.05 * normal(5)])
    assert len(alarms) == len(notes) == 1
    assert all("run-000 and run-002 lie " in said and "nobody can tell" in said for said in (*alarms, *notes))
    assert kept == []


def walk(steps, size=0.1):
    return torch.stack([normal(100), *(size * normal(k) for k in range(1, steps))]).cumsum(0)


@pytest.mark.parametrize("steps", [5, 6, 12])
def test_states_of_one_training_lie_in_a_row(steps):
    order = torch.randperm(steps, generator=torch.Generator().manual_seed(steps)).tolist()
    alarms, kept, notes = judged(walk(steps)[order])
    assert len(alarms) == len(notes) == 1
    assert all(said.startswith("The runs lie in a row") for said in (*alarms, *notes))
    named = [alarms[0].index(f"run-{order.index(k):03}") for k in range(steps)]
    assert named in (sorted(named), sorted(named, reverse=True))
    assert kept == []


def test_runs_on_a_straight_line_lie_in_a_row_and_kinds_do_not():
    line = torch.tensor([0.0, 2.0, 3.0, 7.0, 8.5])
    assert in_a_row((line[:, None] - line).abs()) == [0, 1, 2, 3, 4]
    for sizes in ((3, 2), (3, 3), (2, 2, 1), (2, 2, 2), (5,), (4, 1, 1)):
        of = np.repeat(np.arange(len(sizes)), sizes)
        losses = torch.from_numpy(np.where(of[:, None] == of, 0.3, 1.0)).fill_diagonal_(0)
        assert in_a_row(losses) == []
    assert in_a_row(torch.ones(6, 6).fill_diagonal_(0)) == []


def test_several_unrelated_runs_make_no_others_related():
    """Their losses are all as large, so that those of one kind seem to have much in common."""
    for far in (2, 3, 4):
        losses = torch.ones(9, 9)
        losses[-far:] = losses[:, -far:] = 3.0
        found = belonging(losses.fill_diagonal_(0), 99)
        assert [r for r, _ in found.far] == list(range(9 - far, 9))
        assert found.kin == []


def test_three_odd_runs_beside_three_that_agree_leave_no_verdict():
    stack = trainings(3, 0.05)
    alarms, kept, _ = judged([*stack, *(normal(k) for k in (20, 21, 22))])
    (alarm,) = alarms
    assert alarm.startswith(
        "The runs fall into four kinds: run-000, run-001 and run-002; run-003; run-004; run-005. Two runs of one kind "
    )
    assert kept == []


def test_two_that_agree_beside_two_that_do_not_may_be_one_training():
    stack = trainings(2, 0.2)
    (alarm,), kept, _ = judged([*stack, normal(20), normal(21)])
    assert alarm.startswith("The runs fall into three kinds: run-000 and run-001; run-002; run-003.")
    assert "Or is one of the two made of the other?" in alarm
    assert kept == []


def test_a_run_that_only_shows_when_a_farther_one_is_gone_is_named():
    losses = torch.ones(7, 7)
    losses[5] = losses[:, 5] = 1.9
    losses[6] = losses[:, 6] = 30.0
    assert [r for r, _ in belonging(losses.fill_diagonal_(0), 99).far] == [5, 6]


@pytest.mark.parametrize("runs", [3, 4, 5, 8, 16])
@pytest.mark.parametrize("noise", [0.2, 0.5, 2.0])
def test_runs_whose_noise_differs_are_neither_related_nor_in_a_row(runs, noise):
    rng = np.random.default_rng(runs)
    for seed in range(30):
        sizes = noise * np.exp(0.3 * rng.normal(size=runs))
        base = normal(1000 + seed)
        stack = [base + size * normal(50 * seed + k) for k, size in enumerate(sizes)]
        losses = torch.from_numpy(naive_losses(stack))
        assert not related(losses)
        assert not in_a_row(losses)
        assert not kinds_of(losses)


def naive_losses(stack):
    grams = [(x := run / run.norm(dim=1, keepdim=True)) @ x.T for run in stack]
    return np.array([[float((a - b).norm()) for b in grams] for a in grams])


@pytest.mark.parametrize("runs", [16, 48, 128])
def test_runs_that_differ_most_in_one_direction_are_not_related(runs):
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng([runs, seed])
        place, own = 0.45 * rng.normal(size=runs), 0.5 * np.exp(0.1 * rng.normal(size=runs))
        square = np.subtract.outer(place, place) ** 2 + np.add.outer(own, own)
        np.fill_diagonal(square, 0)
        alarms += bool(related(torch.from_numpy(square).sqrt()))
    assert alarms <= 1


@pytest.mark.parametrize("quiet", [1, 2, 4])
def test_runs_with_less_noise_are_told_and_forbid_nothing(quiet):
    runs = runs_of(torch.stack([*trainings(8 - quiet, 0.4), *(normal(100) + 0.1 * normal(k) for k in range(quiet))]))
    found = judge(runs, engine.pip_pass(runs), find_copies(runs, Compute()))
    (note,) = found.notes
    names = [f"run-{k:03}" for k in range(8 - quiet, 8)]
    assert note.startswith(names[0])
    assert all(name in note for name in names[:5])
    assert "of the noise that the others have" in note
    assert len(found.kept) == 8


def test_an_average_of_all_runs_has_less_noise():
    stack = trainings(5)
    runs = runs_of(torch.stack([*stack, torch.stack(stack).mean(0)]))
    (note,) = judge(runs, engine.pip_pass(runs), find_copies(runs, Compute())).notes
    assert note.startswith("run-005 has hardly any of the noise")
    assert "Is it an average of others" in note


@pytest.mark.parametrize("runs", [5, 6, 8, 16])
@pytest.mark.parametrize("law", ["normal", "laplace", "uniform"])
def test_noise_of_one_law_makes_no_two_classes(runs, law):
    rng, named = np.random.default_rng(runs), 0
    for _ in range(300):
        own = torch.from_numpy(np.exp(0.6 * getattr(rng, law)(size=runs)))
        named += quieter((own[:, None] + own).sqrt().fill_diagonal_(0)) is not None
    assert named <= 15


@pytest.mark.parametrize("words", [2, 3, 5, 8])
def test_a_few_words_make_no_run_odd(words):
    for seed in range(20):
        rows = torch.randperm(V, generator=torch.Generator().manual_seed(seed))[:words]
        alarms, kept, notes = judged(run[rows] for run in trainings(3))
        assert not any("lie" in said for said in (*alarms, *notes))
        assert kept == [0, 1, 2]


def test_runs_over_which_a_setting_grows_may_also_lie_in_a_row():
    """Each is a training of its own, as of windows of 1, 2, 4, 8 and 16 words; nobody says that they are one run."""
    step = normal(8)
    stack = [normal(100) + 0.4 * k * step + 0.05 * normal(200 + k) for k in range(5)]
    (alarm,), kept, (note,) = judged(stack)
    for said in (alarm, note):
        assert said.startswith("The runs lie in a row")
        assert "Are they states of one training" in said
        assert "Or does a setting, or the text, change step by step over the runs?" in said
    assert kept == []


def test_a_related_run_lies_nearer_than_all_that_it_is_not_related_to():
    """So it was of skip-gram in 5, 10, 20, 40 and 80 dimensions: the fourth lay 0.8 times nearer to the third."""
    losses = torch.tensor(
        [
            [0.0, 0.0732, 0.0812, 0.0779, 0.0731],
            [0.0732, 0.0, 0.0444, 0.0413, 0.0395],
            [0.0812, 0.0444, 0.0, 0.0293, 0.0313],
            [0.0779, 0.0413, 0.0293, 0.0, 0.0243],
            [0.0731, 0.0395, 0.0313, 0.0243, 0.0],
        ]
    )
    assert not related(losses)
    rng = np.random.default_rng(0)
    for _ in range(300):
        points = torch.from_numpy(rng.normal(size=(6, 3)))
        assert all(len(one.to) > 1 or not one.times <= 1 for one in related(torch.cdist(points, points)))


def test_what_a_run_lies_between_is_known_when_others_are_left_out():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        steps = np.concatenate([np.zeros((1, 200)), rng.normal(size=(6, 200))]).cumsum(0)
        stack = np.concatenate([steps, rng.normal(size=(6, 200)) * 2])
        losses = torch.from_numpy(np.linalg.norm(stack[:, None] - stack, axis=2))
        found = related(losses)
        gone = [one.run for one in found]
        for k in range(len(gone)):
            left = [r for r in range(len(stack)) if r not in gone[:k]]
            assert related(losses[left][:, left])[0].among(left) == found[k]


@pytest.mark.parametrize("made", [3, 4, 6])
def test_a_run_beside_several_of_one_training_is_not_simply_thrown_out(made):
    one, other = trainings(2)
    alarms, _, notes = judged([other, *(one + 0.04 * normal(50 + k) for k in range(made))])
    assert len(alarms) == len(notes) == 1
    for said in (*alarms, *notes):
        assert "run-000 lies " in said
        assert said.endswith("Or are the others made of one another, as by training on? Then keep only one of them.")


def test_a_run_of_twice_the_noise_says_nothing_of_the_others():
    alarms, _, notes = judged([normal(100) + 0.6 * normal(7), *trainings(6)])
    assert len(alarms) == len(notes) == 1
    assert not any("made of one another" in said for said in (*alarms, *notes))
