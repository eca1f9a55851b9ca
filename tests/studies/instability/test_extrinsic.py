import numpy as np
import pytest
import torch

from gpustab.machine.device import Compute
from gpustab.statistics.extrinsic import extrinsic
from gpustab.studies.instability.extrinsic import instability_tables
from tests import oracles
from tests.generators import noisy_copies, runs_of

# Rettenmeier 2020, tables 2.8 (shuffled, bootstrap) and 2.11, in 10⁻².
THESIS = {
    ("HI", "word2vec"): (1.805, 3.417, 2.901),
    ("FI", "word2vec"): (1.665, 3.258, 2.801),
    ("ZH", "word2vec"): (1.634, 3.124, 2.663),
    ("CS", "word2vec"): (1.543, 2.987, 2.557),
    ("PL", "word2vec"): (1.507, 2.853, 2.423),
    ("PT", "word2vec"): (1.609, 3.063, 2.606),
    ("EN", "word2vec"): (1.543, 2.883, 2.435),
    ("HI", "GloVe"): (1.275, 4.272, 4.077),
    ("FI", "GloVe"): (1.558, 4.108, 3.801),
    ("ZH", "GloVe"): (1.543, 4.084, 3.781),
    ("CS", "GloVe"): (1.417, 3.938, 3.674),
    ("PL", "GloVe"): (1.465, 3.947, 3.665),
    ("PT", "GloVe"): (1.352, 4.065, 3.833),
    ("EN", "GloVe"): (1.208, 4.672, 4.513),
    ("HI", "fastText"): (2.367, 2.879, 1.639),
    ("FI", "fastText"): (1.963, 2.483, 1.521),
    ("ZH", "fastText"): (2.428, 2.951, 1.677),
    ("CS", "fastText"): (2.044, 2.544, 1.515),
    ("PL", "fastText"): (1.943, 2.426, 1.453),
    ("PT", "fastText"): (2.059, 2.575, 1.546),
    ("EN", "fastText"): (1.891, 2.388, 1.458),
}
HALF = 0.0005


@pytest.mark.parametrize(("language", "technique"), THESIS)
def test_table_2_11_follows_from_table_2_8_within_rounding(language, technique):
    shuffled, bootstrap, printed = THESIS[language, technique]
    value = extrinsic(shuffled, bootstrap).value
    assert abs(value - printed) <= HALF + (shuffled + bootstrap) * HALF / value
    assert abs(np.sqrt(bootstrap - shuffled) - printed) > 100 * HALF or technique == "word2vec"  # eq. 2.42 as printed


def test_a_negative_square_has_no_root_and_is_kept():
    found = extrinsic(2.0, 1.0, 0.1, 0.1)
    assert found == pytest.approx((-3.0, 2 * np.hypot(0.2, 0.1), None, None))
    assert extrinsic(1.0, 1.0).value == 0


def test_the_error_is_that_of_the_propagated_squares():
    rng = np.random.default_rng(0)
    a, b = rng.normal(2, 0.001, 100_000), rng.normal(3, 0.002, 100_000)
    found = extrinsic(2, 3, 0.001, 0.002)
    assert found.square_se == pytest.approx((b**2 - a**2).std(), rel=0.02)
    assert found.se == pytest.approx(np.sqrt(b**2 - a**2).std(), rel=0.02)


@pytest.fixture(scope="module")
def stacks():
    return {
        "shuffled": torch.from_numpy(oracles.unit(noisy_copies(3, 50, 6, noise=0.1))),
        "bootstrap": torch.from_numpy(oracles.unit(noisy_copies(4, 50, 6, noise=0.3))),
    }


@pytest.fixture(scope="module")
def tables(stacks):
    return instability_tables("x", {name: runs_of(x) for name, x in stacks.items()}, Compute())


def losses(stack):
    return np.array([oracles.reduced_pip(stack[i], stack[j]) for i, j in oracles.pairs(len(stack))])


def squares(stack):
    return np.mean([oracles.wordwise_pip(stack[i], stack[j]) ** 2 for i, j in oracles.pairs(len(stack))], axis=0)


def test_losses_of_every_sampling_are_the_naive_ones(stacks, tables):
    for row, stack in enumerate(stacks.values()):
        wanted = losses(stack)
        assert tables["table_2_8"]["reduced_pip"][row] == pytest.approx(wanted.mean())
        assert tables["table_2_8"]["relative_sd"][row] == pytest.approx(wanted.std(ddof=1) / wanted.mean())


def test_the_extrinsic_squares_of_words_have_the_global_one_as_their_mean(stacks, tables):
    words = squares(stacks["bootstrap"]) - squares(stacks["shuffled"])
    np.testing.assert_allclose(tables["words"]["extrinsic_square"], words, atol=1e-12)
    whole = (losses(stacks["bootstrap"]) ** 2).mean() - (losses(stacks["shuffled"]) ** 2).mean()
    assert tables["table_2_11"]["mean_word_square"] == pytest.approx([whole])
    assert tables["table_2_11"]["negative_words"] == [(words < 0).sum()]


def test_words_that_one_sampling_lacks_take_no_part(stacks):
    fewer = runs_of(stacks["bootstrap"][:, :40])
    found = instability_tables("x", {"shuffled": runs_of(stacks["shuffled"]), "bootstrap": fewer}, Compute())
    assert found["words"]["word"] == [f"w{k}" for k in range(40)]
    assert found["table_2_8"]["reduced_pip"][0] == pytest.approx(losses(stacks["shuffled"][:, :40]).mean())


def test_without_bootstrap_there_is_no_extrinsic_part(stacks):
    found = instability_tables("x", {"shuffled": runs_of(stacks["shuffled"])}, Compute())
    assert found["table_2_11"]["technique"] == []
    assert np.isnan(found["words"]["extrinsic_square"]).all()
