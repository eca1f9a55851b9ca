import pytest
import torch

from gpustab.machine.device import Compute
from gpustab.studies.instability.normality import distribution_tables
from tests.generators import generator, noisy_copies, runs_of


@pytest.fixture(scope="module")
def normal():
    return distribution_tables("x", runs_of(noisy_copies(6, 400, 10, noise=0.02)), 300, 0, Compute())


def test_small_noise_gives_normal_and_independent_cosines(normal):
    table = normal["distribution"]
    assert table["hypothesis"] == ["normal", "independent, disjoint", "independent, sharing"]
    assert min(table["p"][:2]) > 0.01
    assert table["kurtosis"][0] == pytest.approx(3 * 5 / 7, rel=0.1)
    assert table["kurtosis_normal"][0] == pytest.approx(3 * 5 / 7)


def test_the_histograms_are_densities_and_shares(normal):
    assert sum(normal["whitened"]["density"]) * 0.25 == pytest.approx(1)
    assert sum(normal["whitened"]["normals"]) * 0.25 == pytest.approx(1, abs=0.01)
    for column in ("share", "normals"):
        assert sum(normal["p_values"][column]) == pytest.approx(3)  # of three tests


def test_runs_of_two_kinds_are_found_to_be_neither_normal_nor_independent():
    kinds = noisy_copies(2, 200, 8, noise=0.5)
    noise = 1e-3 * torch.randn(8, 200, 8, dtype=torch.float64, generator=generator(1))
    table = distribution_tables("x", runs_of(kinds.repeat(4, 1, 1) + noise), 200, 0, Compute())["distribution"]
    assert max(table["p"]) < 1e-6
    assert table["below_0.05"][0] > 0.9
