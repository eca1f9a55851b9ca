import itertools
import math

import numpy as np
import pytest
import torch

from gpustab import engine, load_runs
from gpustab.errors import InputError
from gpustab.machine.device import Compute
from gpustab.studies.average.study import average
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.shared import belonging
from gpustab.studies.shared.belonging import far_runs
from gpustab.studies.shared.copies import find_copies, same_pairs
from gpustab.studies.shared.spaces import flaws_of, look_at, of_spaces
from gpustab.studies.stability.study import stability
from tests import oracles
from tests.generators import anisotropic, collapsed, generator, noisy_copies, rotation, runs_of


def unrelated(v, d, seed):
    x = torch.randn(v, d, dtype=torch.float64, generator=generator(seed))
    return x / x.norm(dim=1, keepdim=True)


def nearly_collapsed(runs, v, d, deviation, differing):
    """Rows c + deviation · e, and each run's own e that differs from the others' by a part."""
    common = torch.ones(d, dtype=torch.float64) / math.sqrt(d)
    shared = torch.randn(v, d, dtype=torch.float64, generator=generator(0))
    own = torch.randn(runs, v, d, dtype=torch.float64, generator=generator(1))
    x = common + deviation * (shared + differing * own)
    return x / x.norm(dim=2, keepdim=True)


def same(runs):
    return same_pairs(runs, engine.pip_pass(runs)).same.triu().nonzero().tolist()


def said(notes, part):
    return [note for note in notes if part in note]


@pytest.mark.parametrize("deviation", [1e-2, 1e-3, 1e-4])
def test_collapsed_runs_that_differ_are_not_called_the_same_file_twice(deviation):
    """Their losses are as tiny as those of copies elsewhere: 1e-8 at a deviation of 1e-4."""
    runs = runs_of(nearly_collapsed(3, 60, 8, deviation, 0.3))
    assert float(engine.pip_pass(runs).reduced.max()) < 2 * deviation**2
    assert same(runs) == []
    notes = look_at(runs, Compute())
    assert said(notes, "collapsed in all 3 runs")
    assert not said(notes, "equal up to rotation")


@pytest.mark.parametrize("make", [lambda: anisotropic(80, 10), lambda: nearly_collapsed(1, 80, 10, 1e-3, 0)[0]])
def test_copies_are_found_when_turned_and_rounded(make):
    base = make()
    other = noisy_copies(1, 80, 10, noise=0.3, seed=4)[0]
    stack = torch.stack([base, other, base @ rotation(10, 1), base @ rotation(10, 2)])
    runs = runs_of(stack.float())
    assert same(runs) == [[0, 2], [0, 3], [2, 3]]
    (note,) = said(look_at(runs, Compute()), "equal up to rotation")
    assert note.startswith("3 of 6 pairs")
    assert "run-000 and run-002" in note


def test_copies_of_rows_that_are_not_unit_are_found_at_any_scale():
    base = anisotropic(50, 6)
    for scale in (1e-3, 1e3):
        runs = runs_of(torch.stack([base, base @ rotation(6), noisy_copies(1, 50, 6)[0]]) * scale, unit=False)
        assert same(runs) == [[0, 1]]


def naive_far(matrix):
    n = len(matrix)
    ratios = []
    for i in range(n):
        rest = [k for k in range(n) if k != i]
        among = [np.median([matrix[a, b] for b in rest if b != a]) for a in rest]
        ratios.append(np.median([matrix[i, k] for k in rest]) / np.median(among))
    logs = np.log(ratios)
    spread = 1.4826 * np.median(np.abs(logs - np.median(logs)))
    least = np.log(1.7) if n <= 4 else 0.3 + 2 * spread
    return [(i, ratios[i]) for i in range(n) if logs[i] > least]


@pytest.mark.parametrize("runs", [3, 4, 5, 8, 16])
@pytest.mark.parametrize("noise", [1.0, 1.5, 3.0, 10.0])
def test_far_runs_are_those_of_the_medians(runs, noise):
    s = np.exp(0.05 * np.random.default_rng(runs).normal(size=runs))
    s[1] *= noise
    matrix = np.sqrt(s[:, None] ** 2 + s**2)
    np.fill_diagonal(matrix, 0)
    found = far_runs(torch.from_numpy(matrix))
    assert found == [(i, pytest.approx(r)) for i, r in naive_far(matrix)]
    if noise != 1.5:
        assert [i for i, _ in found] == ([1] if noise > 1 else [])


@pytest.mark.parametrize("runs", [4, 16])
def test_a_far_run_is_told_from_runs_of_unlike_noise(runs):
    """Whose noise varies as e^{0.3 z}: in 3 to 6 % of many sets one of them is named, and a loud one is not in 30 %."""
    rng, named = np.random.default_rng(runs), []
    for times in (1.0, 3.0):
        noise = np.exp(0.3 * rng.normal(size=(60, runs))) * np.where(np.arange(runs) == 0, times, 1.0)
        sets = [np.sqrt(s[:, None] ** 2 + s**2) * ~np.eye(runs, dtype=bool) for s in noise]
        named.append([[r for r, _ in far_runs(torch.from_numpy(own))] for own in sets])
    assert sum(map(bool, named[0])) <= 9
    assert sum(0 in own for own in named[1]) >= 30
    assert sum(bool(set(own) - {0}) for own in named[1]) <= 9


@pytest.mark.parametrize(("runs", "far"), [(5, (1, 4)), (7, (2, 5)), (8, (0, 3, 6)), (16, (1, 2, 5, 8, 9, 12, 15))])
def test_far_runs_are_all_found_as_long_as_most_runs_are_of_one_kind(runs, far):
    """Where every tenth run is odd, three are in one group of eight of thirty; most pairs are with one of them."""
    matrix = torch.ones(runs, runs)
    for r in far:
        matrix[r] = matrix[:, r] = 3.0
    assert [r for r, _ in far_runs(matrix.fill_diagonal_(0))] == list(far)


def test_pairs_of_copies_make_no_other_run_far():
    base = noisy_copies(2, 60, 8)
    for stack in (torch.stack([base[0], base[0], base[1]]), base[[0, 0, 1, 0]], base[[0, 0, 0]]):
        notes = look_at(runs_of(stack), Compute())
        assert said(notes, "equal up to rotation")
        assert not said(notes, "times as far")


def one_of_another_kind(runs=6):
    return runs_of(torch.cat([noisy_copies(runs - 1, 70, 8, noise=0.1), unrelated(70, 8, 3)[None]]))


def test_the_least_and_the_most_of_far_runs_are_numbers_not_text(monkeypatch):
    monkeypatch.setattr(belonging, "_far_one_after_another", lambda *_: {0: 10.2, 1: 9.8})
    runs = runs_of(noisy_copies(5, 60, 8))
    (note,) = said(of_spaces(runs, engine.pip_pass(runs)), "times as far")
    assert note.startswith("run-000, run-001 lie 9.8 to 10.2 times as far")


def test_every_command_names_a_run_of_another_kind():
    runs = one_of_another_kind()
    text = "run-005 lies "
    (alarm,) = stability(runs, neighbours=[5]).alarms
    assert alarm.startswith("One run does not belong. run-005 lies ")
    for alarms in (neighbours_of(runs, "w3", 5).alarms, average(runs)[1].alarms):
        (note,) = said(alarms, "times as far from the other runs")
        assert text in note
    assert not said(look_at(runs.take([0, 1, 2, 3, 4]), Compute()), "times as far")
    assert not said(look_at(runs.take([0, 5]), Compute()), "times as far")


def test_every_command_names_the_collapsed_run():
    flat = torch.cat([noisy_copies(4, 40, 5), collapsed(1, 40, 5)])
    runs = runs_of(flat)
    (alarm,) = stability(runs, neighbours=[5]).alarms
    assert alarm.startswith("run-004 is collapsed")
    for alarms in (neighbours_of(runs, "w3", 5).alarms, average(runs)[1].alarms):
        (note,) = said(alarms, "small PIP loss means nothing")
        mean = oracles.mean_cosine(flat[4].numpy())
        assert f"collapsed in 1 of 5 runs (run-004): the mean cosine of two different words is {mean:.2f}" in note


def with_copies(stack, *again):
    """Later copies are turned."""
    d = stack.shape[2]
    return torch.cat([stack, *(stack[r : r + 1] @ rotation(d, r + 1) for r in again)])


def of_noises(*noises):
    shared, own = noisy_copies(2, 90, 10, seed=5), unrelated(90 * len(noises), 10, 2).view(len(noises), 90, 10)
    return torch.stack([shared[0] + noise * one for noise, one in zip(noises, own, strict=True)])


LOOKED_AT = {
    "well": noisy_copies(8, 90, 10),
    "two": noisy_copies(2, 90, 10),
    "copies": with_copies(noisy_copies(5, 90, 10), 1, 1, 4),
    "all copies": with_copies(noisy_copies(1, 90, 10), 0, 0, 0),
    "copies of the far one": with_copies(of_noises(*[0.1] * 6, 0.5), 6),
    "one far": of_noises(*[0.1] * 7, 0.5),
    "three of eight far": of_noises(*[0.1] * 5, 0.5, 0.6, 0.4),
    **{f"far by {ratio}": of_noises(*[0.1] * 7, 0.1 * ratio) for ratio in (1.2, 1.5, 1.8, 2.0, 2.5)},
    "one of three far": of_noises(0.1, 0.1, 0.4),
    "collapsed": collapsed(4, 90, 10),
    "one collapsed": torch.cat([noisy_copies(4, 90, 10), collapsed(1, 90, 10)]),
    "nearly collapsed": nearly_collapsed(6, 90, 10, 1e-3, 0.3),
    "unlike noise": of_noises(0.05, 0.08, 0.1, 0.13, 0.2, 0.1, 0.09, 0.14),
    "few words": noisy_copies(5, 3, 2),
}


@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_look_finds_what_all_losses_find(name):
    for unit in (True, False):
        runs = runs_of(LOOKED_AT[name], unit=unit)
        pip = engine.pip_pass(runs)
        assert look_at(runs, Compute()) == of_spaces(runs, pip)
        assert torch.equal(find_copies(runs, Compute()).same, same_pairs(runs, pip).same)


def test_only_a_doubt_is_decided_by_the_losses_of_all_pairs(monkeypatch):
    """A look at 128 runs took 3.6 s, where the neighbours that were asked for took 0.1."""
    asked, real = [], engine.pip_pass
    monkeypatch.setattr(engine, "pip_pass", lambda runs, *rest: (asked.append(len(runs)), real(runs, *rest))[1])
    for name in ("well", "all copies", "collapsed", "two"):
        look_at(runs_of(LOOKED_AT[name]), Compute())
    assert asked == []
    for name in ("one far", "far by 1.8"):
        look_at(runs_of(LOOKED_AT[name]), Compute())
    assert asked == [8, 8]


def test_runs_that_hardly_differ_take_no_pass_for_every_pair(monkeypatch):
    """Of 24 runs that differ by 1e-5 all 276 pairs were aligned, in six times the time of all losses."""
    base, compute = noisy_copies(1, 2000, 6), Compute(memory=20_000_000)
    runs = runs_of(base + 1e-5 * torch.randn(12, 2000, 6, dtype=torch.float64, generator=generator(3)))
    want = of_spaces(runs, engine.pip_pass(runs)), same_pairs(runs, engine.pip_pass(runs)).same
    pairs, real = [], engine.gram_pass
    monkeypatch.setattr(engine, "gram_pass", lambda runs, how, *rest: (pairs.append(how), real(runs, how, *rest))[1])
    assert look_at(runs, compute) == want[0]
    assert 0 < len(pairs) <= 12
    assert torch.equal(find_copies(runs, compute).same, want[1])
    assert len(pairs) <= 24
    assert all(how is compute for how in pairs)


def test_a_look_says_of_rows_that_are_not_finite_what_all_losses_say():
    runs = runs_of(noisy_copies(4, 30, 4))
    runs.rows[2][3, 1] = torch.nan
    with pytest.raises(InputError) as all_losses:
        engine.pip_pass(runs)
    for look in (look_at, find_copies):
        with pytest.raises(InputError) as looked:
            look(runs, Compute())
        assert str(looked.value) == str(all_losses.value)


def test_a_group_that_nothing_acquits_is_measured(monkeypatch):
    """Estimates that scatter acquit nobody, those that agree do; one near the limit is as good as far."""
    distances = torch.ones(8, 6, 6, dtype=torch.float64)
    none = torch.zeros(6, 6, dtype=torch.bool)
    assert belonging.all_belong(distances, none)
    scattered = distances.clone()
    scattered[::2, 0] = scattered[::2, :, 0] = 3.0
    scattered[1::2, 0] = scattered[1::2, :, 0] = 0.1
    assert not belonging.all_belong(scattered, none)
    near = distances.clone()
    near[:, 0] = near[:, :, 0] = math.exp(2 * 0.31)
    assert not belonging.all_belong(near, none)


def test_runs_without_joint_words_are_not_looked_at():
    stack = noisy_copies(3, 20, 4).numpy()
    parts = ([*range(14)], [*range(7, 20)], [*range(7), *range(14, 20)])
    runs = load_runs([([f"w{i}" for i in k], run[k]) for run, k in zip(stack, parts, strict=True)], vocabulary="union")
    assert look_at(runs, Compute()) == []
    assert neighbours_of(runs, "w1", 3).groups[0]["n"] == 3


@pytest.mark.parametrize("runs", [3, 4, 5, 12])
@pytest.mark.parametrize("lacking", [0.0, 0.4, 1.0])
def test_medians_without_a_run_are_those_of_what_is_left(runs, lacking):
    generator = torch.Generator().manual_seed(runs)
    values = torch.randint(0, 9, (runs, runs), generator=generator).double().div(4)
    values = values.triu(1) + values.triu(1).T
    gone = (torch.rand(runs, runs, generator=generator) < lacking).triu(1)
    values[gone | gone.T | torch.eye(runs, dtype=torch.bool)] = torch.nan
    plain = torch.full((runs, runs), torch.nan, dtype=torch.float64)
    for j, i in itertools.permutations(range(runs), 2):
        plain[j, i] = values[j, [k for k in range(runs) if k != i]].nanquantile(0.5)
    assert torch.equal(belonging._medians_without(values).nan_to_num(-1), plain.nan_to_num(-1))


@pytest.mark.parametrize("fallen", [1, 2])
def test_collapsed_runs_are_out_before_it_is_asked_who_belongs(fallen):
    good = of_noises(0.1, 0.1, 0.1, 0.1, 0.1)
    both = torch.cat([good, nearly_collapsed(fallen, 90, 10, 1e-3, 0.3)])
    pip = engine.pip_pass(runs_of(both))
    flaws, alone = flaws_of(runs_of(both), pip), flaws_of(runs_of(good), engine.pip_pass(runs_of(good)))
    assert flaws.names == [f"run-{5 + k:03d}" for k in range(fallen)]
    assert (flaws.far, flaws.copies, flaws.apart, flaws.kinds) == (alone.far, alone.copies, alone.apart, False)
    assert stability(runs_of(both), neighbours=[5]).alarms[0].startswith("run-005")
    with_odd = torch.cat([of_noises(*[0.1] * 5, 0.5), nearly_collapsed(fallen, 90, 10, 1e-3, 0.3)])
    (said_of_odd,) = flaws_of(runs_of(with_odd), engine.pip_pass(runs_of(with_odd))).far
    assert said_of_odd.startswith("run-005 lies ")
    assert len([one for one in stability(runs_of(with_odd), neighbours=[5]).alarms if "run-005" in one]) == 1
