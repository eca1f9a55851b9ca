import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpustab.kernels.gram import block_gram
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.pip_loss import pip_from_gram, pip_from_norms, reduced, scale, wordwise_pip
from tests import generators, oracles


def all_pairs(stack, function):
    return np.array([function(stack[i].numpy(), stack[j].numpy()) for i, j in oracles.pairs(len(stack))])


@pytest.mark.parametrize("size", generators.SIZES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_total_is_the_full_difference(size, dtype):
    stack = generators.noisy_copies(*size)
    got = pip_from_gram(block_gram(stack.to(dtype))).total
    np.testing.assert_allclose(got, all_pairs(stack, oracles.pip_loss), rtol=1e-11 if dtype == torch.float64 else 1e-4)


@pytest.mark.parametrize("size", generators.SIZES)
def test_wordwise_mean_sd_and_error_over_pairs(size):
    stack = generators.noisy_copies(*size)
    runs, words, _ = size
    got = wordwise_pip(stack, block_gram(stack), words)
    want = all_pairs(stack, oracles.wordwise_pip)  # (pairs, v)
    np.testing.assert_allclose(got.mean, want.mean(0), rtol=1e-9)
    np.testing.assert_allclose(got.square, (want**2).mean(0), rtol=1e-9)
    assert (got.pairs == len(want)).all()
    if runs == 2:
        assert got.sd.isnan().all()
        assert got.se.isnan().all()
        return
    np.testing.assert_allclose(got.sd, want.std(0, ddof=1), rtol=1e-8)
    word = words // 2
    matrix = pair_matrix(torch.from_numpy(want[:, word]), runs).numpy()
    np.testing.assert_allclose(got.se[word], oracles.jackknife(matrix), rtol=1e-7)


def test_absent_words_leave_their_runs_out():
    stack = generators.noisy_copies(4, 50, 6)
    present = torch.ones(4, 50, dtype=torch.bool)
    present[1, 7] = present[1:, 8] = present[:2, 9] = False
    gram = block_gram(stack)
    got = wordwise_pip(torch.where(present[:, :, None], stack, 0), gram, 50, present)
    want = wordwise_pip(stack, gram, 50)
    assert got.pairs[[6, 7, 8, 9]].tolist() == [6, 3, 0, 1]
    assert got.mean[8].isnan()
    assert got.sd[9].isnan()
    torch.testing.assert_close(got.mean[6], want.mean[6])
    three = stack[[0, 2, 3]]
    rest = wordwise_pip(three, block_gram(three), 50)
    for field in ("mean", "sd", "se"):
        torch.testing.assert_close(getattr(got, field)[7], getattr(rest, field)[7])


@pytest.mark.parametrize("size", generators.SIZES)
def test_rms_of_wordwise_is_the_reduced_loss(size):
    stack = generators.noisy_copies(*size)
    gram = block_gram(stack)
    losses = reduced(pip_from_gram(gram).total, size[1])
    square = wordwise_pip(stack, gram, size[1]).square
    torch.testing.assert_close(square.mean(), losses.square().mean())


@settings(max_examples=25)
@given(st.integers(2, 40), st.integers(1, 12), st.integers(0, 100))
def test_rotating_a_run_changes_nothing(v, d, seed):
    stack = generators.noisy_copies(3, v, d, seed=seed)
    turned = stack.clone()
    turned[1] = stack[1] @ generators.rotation(d, seed + 7)
    torch.testing.assert_close(
        pip_from_gram(block_gram(turned)).total, pip_from_gram(block_gram(stack)).total, rtol=1e-7, atol=1e-6
    )


@settings(max_examples=25)
@given(st.integers(2, 40), st.integers(1, 12), st.integers(0, 100))
def test_reduced_losses_of_unit_rows_lie_between_0_and_1(v, d, seed):
    x = torch.randn(2, v, d, dtype=torch.float64, generator=generators.generator(seed))
    x /= x.norm(dim=2, keepdim=True)
    gram = block_gram(x)
    assert 0 <= reduced(pip_from_gram(gram).total, v) <= 1
    assert wordwise_pip(x, gram, v).mean.le(1).all()


def test_equal_runs_have_no_loss_and_infinite_condition():
    loss = pip_from_norms(torch.full((2, 2), 0.1, dtype=torch.float64))
    assert loss.total == 0
    assert loss.condition.isinf()


def test_equal_runs_have_no_loss_that_their_gram_resolves():
    """Sums of 100 products of 8 columns err by 100 · 8 · 2⁻⁵³ at most, the two of a pair perhaps not alike."""
    x = generators.anisotropic(100, 8)
    loss = pip_from_gram(block_gram(torch.stack([x, x])))
    assert loss.condition > 1 / (4 * 100 * 8 * 2.0**-53)
    norm = oracles.pip_loss(x.numpy(), 0 * x.numpy())
    assert loss.total < norm * (8 * 100 * 8 * 2.0**-53) ** 0.5


@pytest.mark.parametrize("noise", [1e-2, 1e-3, 1e-4, 2e-5])
def test_float64_keeps_small_losses(noise):
    """Down to reduced losses near 1e-5 on anisotropic spaces, relative error below 1e-3."""
    v = 600
    stack = generators.noisy_copies(2, v, 20, noise=noise).float().double()  # what a float32 file can hold
    want = oracles.pip_loss(stack[0].numpy(), stack[1].numpy())
    gram = block_gram(stack)
    assert pip_from_gram(gram).total.item() == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize("make", [generators.noisy_copies, generators.collapsed])
def test_chance_level_is_the_mean_over_permutations(make):
    stack = make(2, 90, 8)
    measured = scale(block_gram(stack), stack.sum(1), 90)
    x, y = stack.numpy()
    np.testing.assert_allclose(measured.chance, oracles.chance_pip(x, y, 300, np.random.default_rng(0)), rtol=0.01)
    np.testing.assert_allclose(measured.mean_cosine, [oracles.mean_cosine(x), oracles.mean_cosine(y)], rtol=1e-9)


def test_permuted_words_score_at_chance():
    x = generators.anisotropic(2000, 10)
    y = x[torch.randperm(2000, generator=generators.generator(1))]
    stack = torch.stack([x, y])
    gram = block_gram(stack)
    loss = reduced(pip_from_gram(gram).total, 2000)
    torch.testing.assert_close(loss, scale(gram, stack.sum(1), 2000).chance, rtol=0.02, atol=0)


def test_rows_that_are_not_unit_have_no_scale():
    """A mean cosine of 2.5 and a chance level of 5 would be believed."""
    stack = generators.noisy_copies(3, 90, 8)
    stack[1] *= 1.5
    measured = scale(block_gram(stack), stack.sum(1), 90)
    assert measured.mean_cosine.isnan().tolist() == [False, True, False]
    assert measured.chance.isnan().tolist() == [True, False, True]
    halves = torch.nn.functional.normalize(stack, dim=2).bfloat16()
    assert scale(block_gram(halves), halves.sum(1, dtype=torch.float64), 90).chance.isfinite().all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: block_gram(x), r"stack has shape \(90, 8\), wanted \(R, v, d\)"),
        (lambda x: pip_from_gram(x), r"gram has shape \(90, 8\), wanted \(R\(R\+1\)/2, d, d\)"),
        (lambda x: wordwise_pip(x, block_gram(x[None]), 90), r"chunk has shape \(90, 8\), wanted \(R, c, d\)"),
        (lambda x: scale(block_gram(x[None]), x.sum(0), 90), r"row_sums has shape \(8,\), wanted \(R, d\)"),
    ],
)
def test_two_dimensions_where_three_are_wanted_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(generators.anisotropic(90, 8))
