"""Copies that were rounded, turned and scaled are copies; two trainings are none, however near and however coarse."""

import math
from dataclasses import replace

import pytest
import torch

from gpustab import engine
from gpustab.machine.device import Compute
from gpustab.studies.shared.copies import find_copies, nearly_one
from gpustab.studies.shared.rounding import grid_of
from gpustab.studies.shared.spaces import look_at
from gpustab.studies.stability.verdict import judge
from tests.generators import generator, rotation, runs_of

V, D = 240, 16
BASE = torch.randn(V, D, dtype=torch.float64, generator=generator(1))


def other(noise, seed=2):
    return BASE + noise * torch.randn(V, D, dtype=torch.float64, generator=generator(seed))


def decimals(k):
    return lambda x: (x * 10**k).round() / 10**k


def digits(k):
    return lambda x: x.apply_(lambda value: float(f"{value:.{k}g}"))


def levels(bits, over=()):
    def rounded(x):
        step = (x.abs().amax(over, keepdim=True) if over else x.abs().max()) / (2 ** (bits - 1) - 1)
        return (x / step).round() * step

    return rounded


ROUNDED = {
    "float16": lambda x: x.half().double(),
    "bfloat16": lambda x: x.bfloat16().double(),
    **{f"{k} decimals": decimals(k) for k in (1, 2, 3, 4, 5, 6)},
    "5 digits": lambda x: digits(5)(x.clone()),
    "float16 in 4 digits": lambda x: digits(4)(x.half().double()),
    "float16 in 6 digits": lambda x: digits(6)(x.half().double()),
    "int8": levels(8),
    "int8 of every dimension": levels(8, (0,)),
    "int8 as it is stored": lambda x: (x / x.abs().max() * 127).round(),
    "2 decimals of small values": lambda x: (x * 10).round() / 100,
    "turned, then float16": lambda x: (x @ rotation(D, 3)).half().double(),
    "turned and scaled, then 2 decimals": lambda x: decimals(2)(x @ rotation(D, 4) * 1.7),
    "dimensions exchanged, then int8": lambda x: levels(8)(-x.flip(1)),
    "unit rows in 3 decimals": lambda x: decimals(3)(x / x.norm(dim=1, keepdim=True)),
    "2 decimals, scaled": lambda x: decimals(2)(x) * math.pi,
}


@pytest.mark.parametrize("how", ROUNDED)
def test_a_rounded_copy_is_a_copy(how):
    runs = runs_of(torch.stack([BASE, other(0.3), ROUNDED[how](BASE)]).float())
    for found in (find_copies(runs, Compute()), find_copies(runs.take([0, 2]), Compute())):
        assert found.classes() == [[0, len(found.same) - 1]]
    (alarm,) = look_at(runs, Compute())
    assert alarm.startswith(("run-000 and run-002 are the same run at another precision", "1 of 3 pairs"))


def test_two_rounded_copies_without_their_original_are_one_run():
    runs = runs_of(torch.stack([decimals(3)(BASE), other(0.3), BASE.bfloat16().double()]).float())
    assert find_copies(runs, Compute()).classes() == [[0, 2]]


@pytest.mark.parametrize("form", ["as they are", "float16", "bfloat16", "2 decimals", "int8", *"1345"])
@pytest.mark.parametrize("noise", [0.1, 0.02])
def test_two_trainings_are_no_copies_however_coarse(form, noise):
    """Noise of 0.02 is a tenth of what long trainings show; of 1 to 5 bits a step is 0.2 to 2."""
    how = {**ROUNDED, "as they are": torch.clone, "1": torch.sign}.get(form) or levels(int(form))
    stack = torch.stack([how(x.clone()) for x in (BASE, other(noise), other(noise, 3))])
    runs = runs_of(stack.float())
    assert not find_copies(runs, Compute()).same.any()
    assert not find_copies(runs.take([0, 1]), Compute()).same.any()


def test_an_average_is_no_copy_of_its_members_and_a_rounded_one_not_of_them():
    runs = torch.stack([other(0.3, seed) for seed in range(2, 6)])
    mean = runs.mean(0)
    runs = runs_of(torch.cat([runs, mean[None], decimals(3)(mean)[None]]).float())
    assert find_copies(runs, Compute()).classes() == [[4, 5]]
    assert not [note for note in look_at(runs, Compute()) if "nearly one" in note]


def test_runs_of_two_seeds_are_two_however_near():
    """LSA of 30 dimensions, or an encoder that was hardly trained on, in files of two decimals."""
    stack = torch.stack([BASE, decimals(2)(BASE)]).float()
    runs = runs_of(stack)
    assert find_copies(runs, Compute()).same.any()
    assert not find_copies(replace(runs, seeds=(1, 2)), Compute()).same.any()
    assert find_copies(replace(runs, seeds=(1, 1)), Compute()).same.any()


def judged(stack):
    runs = runs_of(stack.float())
    found = judge(runs, engine.pip_pass(runs), find_copies(runs, Compute()))
    return [*found.copies, *found.alarms], found.kept


def test_the_genuine_run_stays_where_a_rounded_copy_is_given():
    stack = torch.stack([BASE, other(0.6), decimals(2)(BASE)])
    (alarm,), kept = judged(stack)
    assert alarm.startswith("run-000 and run-002 are the same run at another precision. The loss is ")
    assert kept == [0, 1]
    (alarm,), kept = judged(stack[[0, 2]])
    assert "no verdict" in alarm
    assert kept == []


def test_two_of_three_runs_that_are_nearly_one_make_no_other_run_odd():
    trained_on = BASE + 0.01 * torch.randn(V, D, dtype=torch.float64, generator=generator(9))
    stack = torch.stack([BASE, other(0.6), other(0.6, 3), other(0.6, 4), trained_on])
    (alarm,), kept = judged(stack[[0, 1, 4]])
    assert alarm.startswith("run-000 and run-002 lie ")
    assert "nobody can tell. The loss is" in alarm
    assert kept == []
    (alarm,), kept = judged(stack)
    assert "run-000 and run-004 lie" in alarm
    assert "leave run-004 out" in alarm
    assert kept == [0, 1, 2, 3]
    (note,) = look_at(runs_of(stack), Compute())
    assert "times nearer to each other than to any other run" in note


def test_runs_of_one_law_are_never_nearly_one():
    for seed in range(40):
        noise = (0.3 * torch.randn(3 + seed % 6, generator=generator(seed))).exp()
        losses = (noise[:, None].square() + noise.square()).sqrt().fill_diagonal_(0)
        assert nearly_one(losses) == []


def test_values_as_fine_as_float32_lie_on_no_grid():
    assert grid_of(BASE.float().double()) is None
    assert grid_of((BASE * 1e-3).float().double()) is None
    assert grid_of(torch.zeros(20, 20, dtype=torch.float64)) is None
