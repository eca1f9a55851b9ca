import itertools
import math

import numpy as np
import pytest
import torch
from scipy.special import ndtr

from gpustab.kernels import panels, prediction
from gpustab.kernels.prediction import predicted_overlap, reaches, top_n_probabilities, top_n_threshold
from tests import generators


def random_targets(targets, words, seed=0):
    """Means that thin out upwards, unequal deviations."""
    g = generators.generator(seed)
    mean = 0.75 - 0.45 * torch.rand(targets, words, generator=g, dtype=torch.float64).sqrt()
    return mean, 0.02 * (0.5 + torch.rand(targets, words, generator=g, dtype=torch.float64))


def naive(mean, sd, n):
    """p_#n of one target: at every node of a fine trapezoid grid a Poisson-binomial law for each word by itself."""
    mean, sd = np.asarray(mean, np.float64), np.asarray(sd, np.float64)
    x = np.arange((mean - 9 * sd).min(), (mean + 9 * sd).max(), sd.min() / 8)
    probabilities = []
    for s in range(len(mean)):
        law = np.zeros((n, len(x)))
        law[0] = 1
        for j in range(len(mean)):
            if j != s:
                q = ndtr((mean[j] - x) / sd[j])
                law[1:], law[0] = law[1:] * (1 - q) + law[:-1] * q, law[0] * (1 - q)
        density = np.exp(-(((x - mean[s]) / sd[s]) ** 2) / 2) / (sd[s] * math.sqrt(2 * math.pi))
        probabilities.append((density * law.sum(0)).sum() * (x[1] - x[0]))
    return np.array(probabilities)


def test_the_table_of_the_thesis():
    """Rettenmeier 2020, table 2.4, from its printed means and SDs."""
    mean = torch.tensor([[0.650, 0.633, 0.621, 0.587, 0.584, 0.567, 0.527, 0.489, 0.386, 0.383]])
    sd = torch.tensor([[0.010, 0.011, 0.009, 0.015, 0.011, 0.011, 0.011, 0.009, 0.012, 0.009]])
    first, second = top_n_probabilities(mean, sd, [1, 2])[:, 0].numpy()
    np.testing.assert_allclose(first[:4], [0.8665, 0.1241, 9.242e-3, 1.142e-4], rtol=5e-3)
    np.testing.assert_allclose(second[:5], [0.991, 0.801, 0.204, 3.40e-3, 1.565e-4], rtol=5e-3)


@pytest.mark.parametrize("seed", [0, 1])
def test_all_sets_of_words_above_each_other(seed):
    """Every subset that may lie above a word, written out; every n at once."""
    mean, sd = random_targets(1, 6, seed)
    got = top_n_probabilities(mean, sd, range(1, 7))[:, 0]
    m, s = mean[0].numpy(), sd[0].numpy()
    x = np.arange((m - 9 * s).min(), (m + 9 * s).max(), s.min() / 8)
    above = ndtr((m[:, None] - x) / s[:, None])
    for word in range(6):
        others = [j for j in range(6) if j != word]
        density = np.exp(-(((x - m[word]) / s[word]) ** 2) / 2) / (s[word] * math.sqrt(2 * math.pi)) * (x[1] - x[0])
        exactly = np.zeros(6)
        for size in range(6):
            for subset in itertools.combinations(others, size):
                factors = [above[j] if j in subset else 1 - above[j] for j in others]
                exactly[size] += (density * np.prod(factors, axis=0)).sum()
        np.testing.assert_allclose(got[:, word], exactly.cumsum(), atol=1e-10)


@pytest.mark.parametrize(("words", "n"), [(63, 1), (63, 2), (91, 10), (43, 35)])
def test_the_law_of_the_others_word_by_word(words, n):
    mean, sd = random_targets(2, words, words)
    got = top_n_probabilities(mean, sd, [n])[0]
    for row in range(2):
        np.testing.assert_allclose(got[row], naive(mean[row], sd[row], n), atol=1e-9)


@pytest.mark.parametrize("words", [0, 1, 2, 3, 5, 8, 11])
def test_what_lies_outside_of_each_word_is_the_law_of_the_others(words):
    """Odd numbers of words, sure and impossible ones, other words beside them, and lengths that are short by some."""
    g = generators.generator(words)
    above = torch.rand(words, 2, 3, generator=g, dtype=torch.float64)
    above[: words // 3] = above[: words // 3].round()
    others = panels.law_of(
        torch.rand(2, 2, 3, generator=g, dtype=torch.float64), torch.zeros(2, 2, 3).double() + 0.5, 6
    )
    lengths = [-1, 0, 1, 2, 6]
    law, inside = panels._at_most(above, 1 - above, lengths, others)
    torch.testing.assert_close(law, naive_law(above, others))
    for s in range(words):
        fewer = naive_law(torch.cat([above[:s], above[s + 1 :]]), others).cumsum(0)
        for i, n in enumerate(lengths):
            torch.testing.assert_close(inside[i, s], fewer[n - 1] if n > 0 else torch.zeros(2, 3).double())


def naive_law(above, law):
    for q in above:
        law = torch.cat([law[:1] * (1 - q), law[1:] * (1 - q) + law[:-1] * q])
    return law


def test_n_one_is_a_product_at_every_node():
    mean, sd = random_targets(1, 400, 3)
    m, s = mean[0].numpy(), sd[0].numpy()
    x = np.arange((m - 9 * s).min(), (m + 9 * s).max(), s.min() / 8)
    below = ndtr((x - m[:, None]) / s[:, None])
    density = np.exp(-(((x - m[:, None]) / s[:, None]) ** 2) / 2) / (s[:, None] * math.sqrt(2 * math.pi))
    wanted = [(density[k] * np.delete(below, k, 0).prod(0)).sum() * (x[1] - x[0]) for k in range(400)]
    np.testing.assert_allclose(top_n_probabilities(mean, sd, [1])[0, 0], wanted, atol=1e-9)


def test_monte_carlo():
    mean, sd = random_targets(1, 300, 5)
    lengths, draws = [1, 10, 50], 20_000
    noise = torch.randn(draws, 300, dtype=torch.float64, generator=generators.generator(6))
    ranked = (mean + sd * noise).argsort(dim=1, descending=True)
    got = top_n_probabilities(mean, sd, lengths)[:, 0]
    for n, p in zip(lengths, got, strict=True):
        share = torch.bincount(ranked[:, :n].flatten(), minlength=300) / draws
        assert ((share - p).abs() <= 5 * (p * (1 - p) / draws).sqrt() + 2e-3).all()
        overlap = predicted_overlap(p[None, None], [n]).item()
        pairs = [len(set(a) & set(b)) / n for a, b in zip(*ranked[:4000, :n].view(2, 2000, n).tolist(), strict=True)]
        assert np.mean(pairs) == pytest.approx(overlap, abs=5 * np.std(pairs) / math.sqrt(2000))


def test_probabilities_are_probabilities_and_sum_to_n():
    mean, sd = random_targets(3, 211, 7)
    lengths = [1, 2, 5, 25, 50, 211]
    got = top_n_probabilities(mean, sd, lengths)
    assert got.min() >= 0
    assert got.max() <= 1
    np.testing.assert_allclose(got.sum(2), np.array(lengths)[:, None].repeat(3, 1), atol=1e-8)
    assert (got[1:] >= got[:-1] - 1e-9).all()
    torch.testing.assert_close(got[-1], torch.ones(3, 211, dtype=torch.float64), atol=1e-9, rtol=0)


@pytest.mark.parametrize("words", [60, 1000])
def test_equal_words_share_the_places_equally(words):
    """The n-th of many equal normals scatters far less than each of them: finer panels are taken."""
    got = top_n_probabilities(torch.full((1, words), 0.3), torch.full((1, words), 0.02), [1, 50])
    np.testing.assert_allclose(got[0], 1 / words, atol=1e-9)
    np.testing.assert_allclose(got[1], 50 / words, atol=1e-9)


def test_place_scale_and_order_do_not_matter():
    mean, sd = random_targets(2, 40, 9)
    order = torch.randperm(40, generator=generators.generator(1))
    wanted = top_n_probabilities(mean, sd, [1, 7])
    torch.testing.assert_close(top_n_probabilities(mean - 0.9, sd, [1, 7]), wanted, atol=1e-9, rtol=0)
    torch.testing.assert_close(top_n_probabilities(mean * 3, sd * 3, [1, 7]), wanted, atol=1e-9, rtol=0)
    torch.testing.assert_close(
        top_n_probabilities(mean[:, order], sd[:, order], [1, 7]), wanted[:, :, order], atol=1e-9, rtol=0
    )


def test_tiles_and_gaps_change_nothing():
    mean, sd = random_targets(5, 80, 11)
    wanted = top_n_probabilities(mean, sd, [1, 10])
    for numbers in (1, 3000, 10**5):
        torch.testing.assert_close(top_n_probabilities(mean, sd, [1, 10], numbers=numbers), wanted, atol=1e-12, rtol=0)
    gaps = torch.full((5, 3), -torch.inf, dtype=torch.float64)
    wider = top_n_probabilities(torch.cat([mean, gaps], 1), torch.cat([sd, torch.zeros(5, 3)], 1), [1, 10])
    torch.testing.assert_close(wider[:, :, :80], wanted, atol=1e-12, rtol=0)
    assert (wider[:, :, 80:] == 0).all()


@pytest.mark.parametrize("n", [1, 10, 50])
@pytest.mark.parametrize("epsilon", [1e-3, 1e-6])
def test_pruning_keeps_its_promise(n, epsilon):
    mean, sd = random_targets(3, 600, 13)
    everyone = top_n_probabilities(mean, sd, [n])
    near = reaches(mean, sd, top_n_threshold(mean, sd, n, epsilon), epsilon / (2 * 600))
    assert near.sum() < 0.9 * near.numel()
    kept = top_n_probabilities(mean.where(near, -torch.inf), sd, [n])
    assert (kept - everyone).abs().max() <= epsilon + 1e-8
    assert (predicted_overlap(kept, [n]) - predicted_overlap(everyone, [n])).abs().max() <= 2 * epsilon + 1e-8


def test_the_bound_of_the_thesis_would_fail_beyond_the_first_neighbour():
    """Rettenmeier 2020, footnote to A.2: words that hardly ever pass the first neighbour are dropped."""
    mean, sd = random_targets(1, 600, 13)
    first = mean.argmax()
    mean[0, first] += 0.2
    passes = ndtr(((mean - mean[0, first]) / (sd.square() + sd[0, first] ** 2).sqrt()).numpy())
    near = torch.from_numpy(passes > 1e-5)
    near[0, mean[0].topk(11).indices] = True
    got, wanted = (
        predicted_overlap(top_n_probabilities(m, sd, [10]), [10]) for m in (mean.where(near, -torch.inf), mean)
    )
    assert got - wanted > 0.01


def test_identical_runs_always_give_the_same_lists():
    mean = torch.tensor([[0.3, 0.5, 0.4, 0.5, 0.4]])
    got = top_n_probabilities(mean, torch.zeros(1, 5), [1, 2, 3])[:, 0]
    assert got.tolist() == [[0, 1, 0, 0, 0], [0, 1, 0, 1, 0], [0, 1, 1, 1, 0]]  # equal means: the earlier word
    assert predicted_overlap(got[:, None], [1, 2, 3]).flatten().tolist() == [1, 1, 1]
    assert top_n_probabilities(torch.full((1, 3), 0.5), torch.zeros(1, 3), [2]).tolist() == [[[1, 1, 0]]]


def test_many_words_are_far_and_a_few_are_in_a_crowd():
    """Powers of odds, and panels by how fast the number of words above falls: beside a law word by word."""
    g = generators.generator(2)
    crowd = 0.3 + 1e-3 * torch.rand(1, 60, generator=g, dtype=torch.float64)
    mean = torch.cat([crowd, torch.tensor([[0.25, 0.22, 0.27, 0.33, 0.36]])], 1)
    sd = torch.cat([torch.full_like(crowd, 0.01), torch.tensor([[0.02, 0.1, 0.02, 0.01, 0.03]])], 1)
    got = top_n_probabilities(mean, sd, [5])[0, 0]
    np.testing.assert_allclose(got, naive(mean[0], sd[0], 5), atol=1e-8)


def test_words_without_spread_are_the_limit_of_little_spread():
    mean = torch.tensor([[0.5, 0.51, 0.45, 0.4, 0.3]])
    sharp, narrow = (torch.tensor([[0.05, s, s, 0.02, 0.1]]) for s in (0, 1e-7))
    got, wanted = (top_n_probabilities(mean, sd, [1, 2, 3]) for sd in (sharp, narrow))
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=0)
    # 0.51 is never above itself: the second word is first if all normals lie below.
    below = ndtr((0.51 - np.array([0.5, 0.4, 0.3])) / np.array([0.05, 0.02, 0.1])).prod()
    assert got[0, 0, 1].item() == pytest.approx(below, abs=1e-6)


def test_wrong_inputs():
    mean, sd = random_targets(1, 5)
    with pytest.raises(ValueError, match=r"1 \.\. 5"):
        top_n_probabilities(mean, sd, [6])
    with pytest.raises(ValueError, match=r"1 \.\. 4"):
        top_n_probabilities(mean.masked_fill(mean == mean.max(), -torch.inf), sd, [5])
    with pytest.raises(ValueError, match=r"1 \.\. 5"):
        top_n_probabilities(mean, sd, [0])


@pytest.mark.parametrize("field", ["mean", "sd"])
def test_nan_is_refused(field):
    mean, sd = random_targets(1, 5)
    {"mean": mean, "sd": sd}[field][0, 2] = torch.nan
    with pytest.raises(ValueError, match="finite"):
        top_n_probabilities(mean, sd, [2])


def test_a_sum_that_misses_n_is_an_error(monkeypatch):
    mean, sd = random_targets(2, 30)
    real = prediction.integrate
    monkeypatch.setattr(prediction, "integrate", lambda *arguments: real(*arguments) * 1.001)
    with pytest.raises(ArithmeticError, match="the probabilities of a target's neighbours miss their sum"):
        top_n_probabilities(mean, sd, [5])
