import numpy as np
import pytest

from gpustab.machine.device import Compute
from gpustab.studies.instability import pip
from tests import oracles
from tests.generators import noisy_copies, runs_of


@pytest.fixture(scope="module")
def stack():
    return noisy_copies(4, 300, 8)


def test_the_variances_give_the_mean_square_of_the_losses(stack):
    table = pip.identity_table("x", runs_of(stack), 7, 0, Compute())
    x = oracles.unit(stack)
    variances = (x @ x.transpose(0, 2, 1)).var(0, ddof=1).sum(1) / 600
    assert table["scope"] == ["7 words", "all words"]
    assert table["from_variances"][1] == pytest.approx(variances.mean())
    assert table["mean_square"][1] == pytest.approx(
        np.mean([oracles.reduced_pip(x[i], x[j]) ** 2 for i, j in oracles.pairs(4)])
    )
    assert max(table["largest_difference"]) < 1e-10
    assert table["squared_mean"][1] < 1  # Jensen: the printed equation is an inequality


def test_sampled_proxies_lose_what_they_must(stack, monkeypatch):
    monkeypatch.setattr(pip, "PROXIES", (10, 100))
    tables = pip.proxy_tables("x", runs_of(stack), 0, Compute())
    assert tables["proxy"]["words"] == [10, 100, 300]
    wanted = [np.sqrt((1 - 1 / m) / (1 - 1 / 300)) for m in (10, 100, 300)]
    assert tables["proxy"]["expected"] == pytest.approx(wanted)
    assert tables["proxy"]["ratio"] == pytest.approx(wanted, rel=0.1)
    table = tables["table_2_6"]
    assert table["all"][2] == pytest.approx(1)
    assert table["10"][2] == table["all"][0]  # symmetric
    assert table["10"][0] < table["100"][1] < 1  # two draws of more words agree better


def test_a_proxy_compares_every_word_with_the_drawn_ones_only(stack):
    runs = runs_of(stack).take([0, 2])
    mask = pip.engine.draw_proxy(runs, 20, 3)
    words, loss = pip._pair_losses(runs, mask, Compute())
    x, y = oracles.unit(stack[0]), oracles.unit(stack[2])
    difference = oracles.pip_difference(x, y)[:, mask.numpy()]
    np.testing.assert_allclose(words, np.linalg.norm(difference, axis=1) / (2 * np.sqrt(20)), atol=1e-12)
    assert loss == pytest.approx(oracles.reduced_pip(x[mask.numpy()], y[mask.numpy()]))
