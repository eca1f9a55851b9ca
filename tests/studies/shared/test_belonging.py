from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import t

from gpustab import engine
from gpustab.machine.device import Compute
from gpustab.runs.key import Key
from gpustab.studies.average.study import average
from gpustab.studies.compare.study import compare
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.shared.belonging import belonging, kinds_of, within_and_between
from gpustab.studies.shared.own_noise import LIES_APART, farthest
from gpustab.studies.shared.spaces import flaws_of, look_at, of_spaces
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies, rotation, runs_of

V, D = 90, 10


def of_sizes(*sizes, noise=0.2):
    """Runs of several kinds, each of so many; the kinds have nothing in common."""
    return torch.cat([noisy_copies(size, V, D, noise=noise, seed=31 * k + 1) for k, size in enumerate(sizes)])


def with_one(edit, runs=6, noise=0.15):
    stack = noisy_copies(runs, V, D, noise=noise, seed=4)
    stack[2] = edit(stack[2])
    return stack


def stretched(x):
    return x * torch.linspace(1, 3.0, D, dtype=x.dtype)


def partly_dealt_out(x):
    y = x.clone()
    y[: V // 10] = x[: V // 10].roll(1, 0)
    return y


def matrix(sizes, within, between, spread=0.0):
    """Losses of runs of kinds, whose noise varies as e^{spread z}."""
    of = np.repeat(np.arange(len(sizes)), sizes)
    noise = within * np.exp(spread * np.random.default_rng(sum(sizes)).normal(size=len(of))) / 2**0.5
    square = noise[:, None] ** 2 + noise**2 + (between**2 - within**2) * (of[:, None] != of)
    return torch.from_numpy(np.sqrt(square) * ~np.eye(len(of), dtype=bool))


@pytest.mark.parametrize(
    "sizes", [(3, 3), (4, 2), (2, 2, 2), (2, 2), (3, 2), (2, 2, 1), (3, 3, 1), (4, 4), (6, 2), (8, 8), (13, 3)]
)
def test_runs_that_fall_into_kinds_are_told_so_and_none_is_called_odd(sizes):
    runs = runs_of(of_sizes(*sizes))
    (alarm,) = stability(runs, neighbours=[5]).alarms
    number = {2: "two", 3: "three"}[len(sizes)]
    assert alarm.startswith(f"The runs fall into {number} kinds: run-000")
    assert all(name in alarm for name in runs.names)
    assert alarm.endswith("Measure each kind by itself. The page gives no verdict.")
    assert stability(runs, neighbours=[5]).verdict == []


def test_advice_on_kinds_helps():
    stack = of_sizes(3, 4)
    assert (
        "fall into two kinds: run-003, run-004, run-005 and run-006; run-000, run-001 and run-002."
        in look_at(runs_of(stack), Compute())[0]
    )
    for kind in (stack[:3], stack[3:]):
        result = stability(runs_of(kind), neighbours=[5])
        assert result.alarms == []
        assert len(result.verdict) == 1


@pytest.mark.parametrize(
    ("far", "many"), [((4,), "One run does"), ((2, 4), "Two runs do"), ((1, 3, 6), "Three runs do")]
)
def test_runs_that_lie_far_each_by_itself_are_all_named_and_left_out(far, many):
    stack = noisy_copies(8, V, D, noise=0.1)
    odd = of_sizes(*[1] * 8)
    stack[list(far)] = odd[list(far)]
    (alarm,), verdict = (result := stability(runs_of(stack), neighbours=[5])).alarms, result.verdict
    assert alarm.startswith(f"{many} not belong. run-00{far[0]}")
    assert all(f"run-00{r}" in alarm for r in far)
    assert verdict == stability(runs_of(stack[[r for r in range(8) if r not in far]]), neighbours=[5]).verdict


@pytest.mark.parametrize("runs", [4, 5, 6, 9, 16])
@pytest.mark.parametrize("spread", [0.0, 0.1, 0.3, 0.6])
def test_noise_makes_no_kinds_however_much_its_size_differs(runs, spread):
    assert kinds_of(matrix([runs], 1.0, 1.0, spread)) == []


@pytest.mark.parametrize("sizes", [(3, 3), (4, 2), (2, 2), (3, 2), (5, 5, 5)])
@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_kinds_are_the_runs_of_each(sizes, spread):
    starts = np.cumsum([0, *sizes]).tolist()
    planted = [list(range(start, start + size)) for start, size in zip(starts, sizes, strict=False)]
    assert kinds_of(matrix(sizes, 0.4, 1.0, spread)) == planted


def test_one_kind_beside_single_runs_is_none_unless_these_are_half_of_all():
    for sizes in ((4, 1, 1), (3, 1)):
        assert kinds_of(matrix(sizes, 0.4, 1.0)) == []
    assert kinds_of(matrix((2, 1, 1, 1), 0.4, 1.0)) == []  # the two may be one training
    for sizes in ((3, 1, 1, 1), (2, 1, 1), (3, 1, 1, 1, 1)):
        kind, others = [*range(sizes[0])], range(sizes[0], sum(sizes))
        assert kinds_of(matrix(sizes, 0.4, 1.0)) == [kind, *([r] for r in others)]
        assert kinds_of(matrix(sizes, 0.6, 1.0)) == []


def test_distances_within_and_between_kinds_are_means_over_pairs():
    losses = matrix((3, 2), 0.4, 1.0)
    assert within_and_between(losses, [[0, 1, 2], [3, 4]]) == (pytest.approx(0.4), pytest.approx(1.0))


def test_copies_are_no_kind():
    stack = noisy_copies(5, V, D)
    again = torch.cat([stack, stack[:1] @ rotation(D, 1), stack[1:2] @ rotation(D, 2)])
    flaws = flaws_of(runs_of(again), engine.pip_pass(runs_of(again)))
    assert flaws.far == []
    assert flaws.names == []


@pytest.mark.parametrize("runs", [3, 4, 6, 16])
def test_the_farthest_run_is_tested_as_grubbs_does(runs):
    rng = np.random.default_rng(runs)
    losses = rng.uniform(1.5, 2, (runs, runs))
    losses = np.triu(losses, 1) + np.triu(losses, 1).T
    found = farthest(torch.from_numpy(losses))
    # Every run's own part of the squared losses is what least squares of d² = s_i² + s_j² finds.
    i, j = np.triu_indices(runs, 1)
    design = np.eye(runs)[i] + np.eye(runs)[j]
    logs = np.log(np.linalg.lstsq(design, losses[i, j] ** 2)[0])
    largest = int(logs.argmax())
    # Grubbs' statistic is over all values, this one over the others: they say the same.
    grubbs = (logs[largest] - logs.mean()) / logs.std(ddof=1)
    others = grubbs * np.sqrt(runs * (runs - 2) / ((runs - 1) ** 2 - runs * grubbs**2))
    assert found.run == largest
    assert found.beyond == pytest.approx(others)
    assert found.limit == pytest.approx(t.ppf(1 - 0.01 / runs, runs - 2))
    left = np.delete(np.delete(losses, largest, 0), largest, 1)
    among = left.sum() / ((runs - 1) * (runs - 2))
    assert found.ratio == pytest.approx(losses.sum(1)[largest] / (runs - 1) / among)
    assert found.losses == pytest.approx((among, losses.sum() / (runs * (runs - 1))))


@pytest.mark.parametrize("edit", [stretched, partly_dealt_out])
def test_a_run_that_lies_apart_is_a_note_and_the_verdict_stays(edit):
    result = stability(runs_of(with_one(edit, runs=8)), neighbours=[5])
    assert result.alarms == []
    (note,) = (note for note in result.notes if "times as far" in note)
    assert note.startswith("runs: run-002 lies 1.")
    assert result.verdict


@pytest.mark.parametrize("runs", [3, 4, 5, 8, 16])
def test_runs_of_one_law_seldom_lie_apart(runs):
    named = 0
    for seed in range(40):
        stack = noisy_copies(runs, 60, 8, noise=0.3, seed=1000 * runs + seed)
        named += bool(flaws_of(one := runs_of(stack), engine.pip_pass(one)).apart)
    assert named <= 5


@pytest.mark.parametrize("runs", [3, 4, 5, 8, 16])
@pytest.mark.parametrize("spread", [0.1, 0.3])
def test_noise_whose_size_differs_seldom_leaves_one_run_apart(runs, spread):
    rng, named = np.random.default_rng(runs), 0
    for _ in range(200):
        noise = np.exp(2 * spread * rng.normal(size=runs))
        losses = np.sqrt(noise[:, None] + noise) * (1 + 0.01 * rng.normal(size=(runs, runs)))
        losses = np.triu(losses, 1)
        found = belonging(torch.from_numpy(losses + losses.T), 99).apart
        named += found is not None and LIES_APART.judge(found) == "yes"
    assert named <= 10


def test_a_run_between_the_others_leaves_none_apart():
    line = torch.tensor([0.0, 1.0, 2.1])
    assert farthest((line[:, None] - line).abs()).beyond == 0


def test_of_three_runs_one_lies_apart_if_the_others_agree_well():
    apart = torch.tensor([[0.0, 1.0, 1.3], [1.0, 0.0, 1.301], [1.3, 1.301, 0.0]])
    assert LIES_APART.judge(belonging(apart, 99).apart) == "yes"
    unsure = torch.tensor([[0.0, 1.0, 1.3], [1.0, 0.0, 1.2], [1.3, 1.2, 0.0]])
    assert LIES_APART.judge(belonging(unsure, 99).apart) == "no"


def test_where_half_of_the_runs_lie_far_none_is_called_odd():
    losses = matrix((2, 1, 1), 0.2, 1.0)
    assert belonging(losses, 99).far == []


def test_every_command_tells_of_kinds():
    runs = runs_of(of_sizes(4, 3))
    for alarms in (
        neighbours_of(runs, "w3", 5).alarms,
        average(runs)[1].alarms,
        of_spaces(runs, engine.pip_pass(runs)),
    ):
        assert any("The runs fall into two kinds" in alarm for alarm in alarms)


def test_two_groups_of_which_one_has_kinds_are_not_tested():
    groups = {"x/shuffled": of_sizes(4, 3), "y/shuffled": of_sizes(7)}
    one, other = (replace(runs_of(stack), key=Key.of_path(path)) for path, stack in groups.items())
    result = compare(one, other)
    assert any("The runs fall into two kinds" in alarm for alarm in result.alarms)
    assert not any("equally stable" in sentence for sentence in result.verdict)
