import numpy as np
import pytest
import torch

from gpustab.kernels import centred, procrustes
from gpustab.kernels.gram import block_gram, empty_moments
from gpustab.kernels.integer_gram import add_digits_, largest, round_rows, rounding_error, word_error
from gpustab.kernels.pip_loss import wordwise_pip
from gpustab.kernels.run_blocks import run_groups
from tests import generators


def rebuilt(rounded, words, d):
    """The whole numbers that digits stand for, ``(m, c, d)`` float64."""
    slices = rounded.digits.shape[1]
    powers = 128.0 ** torch.arange(slices - 1, -1, -1, dtype=torch.float64)
    return torch.einsum("msdc,s->mcd", rounded.digits.double(), powers)[:, :words, :d]


def integer_moments(rows, slices, seed=0):
    total = empty_moments(len(rows), rows.shape[2])
    rounded = round_rows(rows, slices, generators.generator(seed))
    add_digits_(total, rounded, rows, torch.ones(rows.shape[1], dtype=torch.bool))
    return total, rounded


@pytest.mark.parametrize("slices", [2, 3])
@pytest.mark.parametrize("size", [(2, 63, 7), (3, 127, 10), (17, 40, 5), (3, 1000, 33)])
def test_the_gram_is_that_of_the_rounded_rows_to_the_last_bit(size, slices):
    rows = generators.noisy_copies(*size)
    moments, rounded = integer_moments(rows, slices)
    numbers = rebuilt(rounded, *size[1:])
    assert numbers.abs().max() <= largest(slices)
    error = numbers - rows / rounded.steps[:, None, None]
    assert error.abs().max() < 1 + 1e-9
    scales = rounded.steps[:, None] * rounded.steps
    i, j = torch.triu_indices(size[0], size[0])
    torch.testing.assert_close(
        moments.gram, block_gram(numbers) * scales[i, j][:, None, None], rtol=1e-15, atol=0, msg="sums are exact"
    )
    torch.testing.assert_close(moments.sums, rows.sum(1))
    assert int(moments.words) == size[1]


def test_rounding_has_the_right_mean_and_leaves_whole_numbers_alone():
    """4,000 draws of 0.3 of a step: the mean errs by 0.007."""
    rows = torch.full((1, 4001, 1), 0.3, dtype=torch.float64)
    rows[0, -1] = largest(2)  # the step is 1
    numbers = rebuilt(round_rows(rows, 2, generators.generator(0)), 4001, 1)[0, :, 0]
    assert set(numbers[:-1].tolist()) == {0.0, 1.0}
    assert abs(float(numbers[:-1].mean()) - 0.3) < 0.03
    whole = torch.tensor([[[-16319.0, 16319, 0, -64, 64, 63, -8000]]], dtype=torch.float64)
    assert torch.equal(rebuilt(round_rows(whole, 2, generators.generator(1)), 1, 7), whole)


def test_rows_of_nothing_stay_nothing():
    rows = torch.zeros(2, 5, 3, dtype=torch.float64)
    rows[1] = 1
    moments, rounded = integer_moments(rows, 2)
    assert rounded.steps[0] == 0
    assert not moments.gram[:2].any()
    np.testing.assert_allclose(moments.gram[2], 5, rtol=1e-15)


def spaces():
    """24 spaces: norms over decades, losses from 0.0005 to 0.2, odd d and v, R = 2, 3, 17."""
    number = 0
    for runs, v, d in [(2, 1001, 7), (3, 2003, 33), (17, 501, 11)]:
        for noise in (1.0, 0.1, 1e-2, 1e-3):
            for mean, scale in [(0.0, 1e-3), (1.0, 30.0)]:
                number += 1
                base = generators.anisotropic(v, d, number, mean)
                g = generators.generator(number)
                yield torch.stack(
                    [
                        scale
                        * (base + noise / d**0.5 * torch.randn(v, d, dtype=torch.float64, generator=g))
                        @ generators.rotation(d, r)
                        for r in range(runs)
                    ]
                )


def losses(stack, slices, seed):
    """Errors of the losses and their bounds."""
    maps = procrustes.procrustes(stack.mT @ stack[0]).maps
    rows = centred.centred_rows(stack, maps)
    true = centred.centred_pip_loss(block_gram(rows)).total
    moments, rounded = integer_moments(rows, slices, seed)
    total = centred.centred_pip_loss(moments.gram).total
    plain = centred.plain_gram(moments.gram, maps)
    return (total / true - 1).abs(), rounding_error(moments.gram, plain, total, rounded.steps, stack.shape[1])


def test_the_bound_is_never_exceeded():
    """24 spaces, 1,120 losses, by two and by three digits: the errors reach a fifth of the bounds."""
    nearest, bounds = [], []
    for number, stack in enumerate(spaces()):
        for slices in (2, 3):
            error, bound = losses(stack, slices, number)
            assert (error <= bound).all()
            nearest.append(float((error / bound).max()))
            bounds.append((slices, float(bound.max())))
    assert len(nearest) == 48
    assert max(nearest) > 0.02  # not an empty promise
    assert max(bound for slices, bound in bounds if slices == 2) < 1e-3
    assert max(bound for slices, bound in bounds if slices == 3) < 2e-6


def test_the_bound_of_words_is_never_exceeded():
    """As a share of the root mean square loss of a word; all 24 spaces, three runs of each."""
    for number, stack in enumerate(spaces()):
        stack = stack[:3]
        v = stack.shape[1]
        maps = procrustes.procrustes(stack.mT @ stack[0]).maps
        moments, rounded = integer_moments(centred.centred_rows(stack, maps), 2, number)
        plain = centred.plain_gram(moments.gram, maps)
        true, found = (wordwise_pip(stack, of, v) for of in (block_gram(stack), plain))
        total = centred.centred_pip_loss(moments.gram).total
        bound = word_error(moments.gram, plain, total, rounded.steps, v).max()
        assert (found.mean - true.mean).abs().max() <= bound * true.square.mean().sqrt()
        assert bound < 1e-3


def test_more_words_make_the_bound_smaller():
    few, many = (losses(generators.noisy_copies(2, v, 20, 0.05), 2, 0)[1].item() for v in (1000, 16000))
    assert 3 < few / many < 5


def test_equal_runs_have_no_bound():
    x = generators.anisotropic(100, 5)
    moments, rounded = integer_moments(
        centred.centred_rows(torch.stack([x, x]), torch.eye(5).double().repeat(2, 1, 1)), 2
    )
    total = centred.centred_pip_loss(moments.gram).total
    plain = centred.plain_gram(moments.gram, torch.eye(5).double().repeat(2, 1, 1))
    assert not rounding_error(moments.gram, plain, total, rounded.steps, 100).isfinite().any()


def test_too_many_words_at_a_time_are_refused():
    with pytest.raises(ValueError, match="65537 words, wanted at most 65536"):
        round_rows(torch.ones(1, 65_537, 1, dtype=torch.float64), 2, generators.generator(0))


@pytest.mark.gpu
def test_a_card_sums_the_same_whole_numbers():
    rows = generators.noisy_copies(17, 1000, 33)
    rounded = round_rows(rows, 2, generators.generator(0))
    here, there = empty_moments(17, 33), empty_moments(17, 33, torch.device("cuda"))
    counted = torch.ones(1000, dtype=torch.bool)
    add_digits_(here, rounded, rows, counted)
    moved = rounded._replace(digits=rounded.digits.cuda(), steps=rounded.steps.cuda())
    add_digits_(there, moved, rows.cuda(), counted.cuda())
    assert torch.equal(here.gram, there.gram.cpu())
    assert len(list(run_groups(17, rows.transpose(0, 1)))) > 1
