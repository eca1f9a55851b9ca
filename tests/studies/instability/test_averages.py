"""What averages do to losses and cosines, against their definition."""

import numpy as np
import pytest
import torch

from gpustab.engine import norms_pass
from gpustab.engine.gram import gram_fits
from gpustab.kernels.gram import block_gram, squared_norms
from gpustab.kernels.pip_loss import pip_from_norms
from gpustab.kernels.procrustes import procrustes
from gpustab.machine.device import Compute
from gpustab.statistics.intervals import expected_sd
from gpustab.studies.instability.averages import averaging_tables, cosine_ratios, matrix_losses
from gpustab.studies.instability.trees import alignment_tables, naive_average, orders_of
from tests import oracles
from tests.generators import noisy_copies, runs_of
from tests.studies.instability.made import technique


def test_losses_of_means_of_cosine_matrices_are_the_naive_ones():
    x = oracles.unit(noisy_copies(6, 30, 5))
    norms = np.array([[np.linalg.norm(a.T @ b) ** 2 for b in x] for a in x])
    means = [np.mean([x[r] @ x[r].T for r in group], axis=0) for group in ([0, 1, 2], [3, 4, 5])]
    found = matrix_losses(torch.from_numpy(norms), [[0, 1, 2], [3, 4, 5]], 30)
    assert found.tolist() == pytest.approx([np.linalg.norm(means[0] - means[1]) / 60])


@pytest.mark.parametrize("n", [2, 3, 8])
def test_the_bias_of_an_sd_of_few_values_is_known(n):
    values = np.random.default_rng(0).normal(size=(200_000, n))
    assert expected_sd(n) == pytest.approx(values.std(axis=1, ddof=1).mean(), rel=5e-3)


@pytest.fixture(scope="module")
def tables():
    return averaging_tables(technique(runs_of(noisy_copies(8, 200, 10, noise=0.05)), pairs=400))


def test_small_noise_falls_as_one_over_root_n(tables):
    table = tables["figure_3_5"]
    assert table["runs_beneath"] == [1, 2, 4] * 2
    for column in ("ratio_dot", "ratio_cosine", "ratio_cosine_matrices"):
        assert table[column] == pytest.approx(table["one_over_root_n"], rel=0.08)
    assert table["ratio_cosine"][0] == pytest.approx(1)


def test_means_rise_and_sds_fall_by_averaging_and_scaling_two_changes_no_cosine(tables):
    table = tables["cosine_ratios"]
    assert table["sd"][1] == pytest.approx(1 / np.sqrt(2), rel=0.06)
    assert table["rms_sd"][1] == pytest.approx(1 / np.sqrt(2), rel=0.06)
    assert table["slope"][1] > 1.0001
    assert table["slope"][4] == pytest.approx(table["slope"][1])
    assert table["averages"] == [8, 4, 2] * 2
    assert 0 < table["sd_se"][1] < 0.1
    assert np.isnan(table["sd_se"][2])  # two averages less one have no SD


def test_the_histograms_are_densities(tables):
    rows = list(zip(*tables["figure_3_2"].values(), strict=True))
    for n in (1, 2):
        part = [(x, y) for _, panel, k, x, y in rows if panel == "mean" and k == n]
        assert sum(y for _, y in part) * (part[1][0] - part[0][0]) == pytest.approx(1)


def ratios_of(common, pairs=500, runs=8):
    """Values of word pairs in runs and in averages of two that are 5 % larger, about a common mean cosine."""
    rng = np.random.default_rng(0)
    values = common + 0.1 * rng.normal(size=(pairs, 1)) + 0.02 * rng.normal(size=(pairs, runs))
    averages = 1.05 * (values[:, ::2] + values[:, 1::2]) / 2
    single, double = (torch.from_numpy(x) for x in (values, averages))
    groups = [[2 * k, 2 * k + 1] for k in range(runs // 2)]
    return values, averages, cosine_ratios("x", False, 2, [(groups, (double, double))], (single, single))


def test_a_mean_cosine_of_0_has_no_ratio_but_the_bias_is_seen_all_the_same():
    _, _, centred = ratios_of(0.002)
    assert np.isnan(centred.mean)
    assert np.isnan(centred.dot_mean)
    assert centred.slope == pytest.approx(1.05)
    values, averages, tilted = ratios_of(0.3)
    assert tilted.mean == pytest.approx(averages.mean() / values.mean())
    assert (tilted.mean, tilted.slope) == pytest.approx((1.05, 1.05))


def test_the_errors_are_those_of_leaving_out_an_average_and_its_runs():
    values, averages, found = ratios_of(0.1)

    def both(a, v):
        x, y = v.mean(1), a.mean(1)
        sds = [z.std(1, ddof=1).mean() / expected_sd(z.shape[1]) for z in (a, v)]
        return (x @ y) / (x @ x), sds[0] / sds[1]

    keep = [(np.delete(averages, a, 1), np.delete(values, [2 * a, 2 * a + 1], 1)) for a in range(4)]
    left_out = np.array([both(*x) for x in keep])
    wanted = np.sqrt(3 / 4 * np.square(left_out - left_out.mean(0)).sum(0))
    assert (found.slope, found.sd) == pytest.approx(both(averages, values))
    assert (found.slope_se, found.sd_se) == pytest.approx(tuple(wanted))


def test_the_fall_has_an_error_over_orders(tables):
    table = tables["figure_3_5"]
    assert table["orders"] == [4] * 6
    assert table["cosine_sd"][0] == pytest.approx(0, abs=1e-9)
    assert 0 < table["cosine_sd"][1] < 0.05


def same_numbers(found, wanted, **tolerance):
    assert found.keys() == wanted.keys()
    for name, table in wanted.items():
        for row, other in zip(found[name].records(), table.records(), strict=True):
            for field, value in other.items():
                near = pytest.approx(value, nan_ok=True, **tolerance) if isinstance(value, float) else value
                assert row[field] == near, (name, field)


@pytest.mark.parametrize("tables_of", [averaging_tables, alignment_tables])
def test_memory_changes_no_number(tables_of):
    runs = runs_of(noisy_copies(7, 90, 10, noise=0.3))
    few = Compute(memory=8_000)
    assert not gram_fits(runs, few)
    same_numbers(
        tables_of(technique(runs, pairs=40, compute=few)), tables_of(technique(runs, pairs=40)), rel=0, abs=1e-12
    )


def test_what_is_said_of_runs_is_what_a_stack_of_them_says():
    """The numbers that need all runs at once, beside those of all rows in one tensor."""
    runs = runs_of(noisy_copies(6, 90, 10, noise=0.3))
    stack = runs.stack()
    norms = squared_norms(block_gram(stack))
    for compute in (Compute(), Compute(memory=8_000)):
        np.testing.assert_allclose(norms_pass(runs, compute), norms, rtol=1e-13)
    wanted = procrustes(torch.stack([x.T @ stack[2] for x in stack])).maps
    np.testing.assert_allclose(naive_average(list(stack), 2), (stack @ wanted).mean(0), atol=1e-13)
    found, two, *_ = averaging_tables(technique(runs, pairs=40))["figure_3_5"].records()
    assert (found["ratio_dot"], found["ratio_cosine"]) == pytest.approx((1, 1), abs=1e-12)
    base = pip_from_norms(norms).total.square().mean()
    squares = [
        (matrix_losses(norms, [[r, s] for r, s in zip(order[::2], order[1::2], strict=True)], 90) * 180).square().mean()
        for order in orders_of(6, 0)
    ]
    ratio = float((torch.stack(squares).mean() / base).sqrt())
    assert two["ratio_cosine_matrices"] == pytest.approx(ratio, abs=1e-12)
