import numpy as np
import pytest
import torch

from gpustab.kernels.training.glove import (
    Factors,
    block_diagonal,
    descend,
    differences,
    gradients,
    loss,
    make_factors,
    weighting,
)
from gpustab.trainers.glove import make_batch, make_batches
from tests.generators import generator
from tests.kernels.training import glove_oracle as oracle

X_MAX, ALPHA = 10.0, 0.75


def make(v, d, density=0.3, seed=0):
    """One batch of a whole matrix in float64, tables, and the entries one by one."""
    counts = oracle.random_counts(v, density, seed)
    (batch,) = make_batches(counts, v, X_MAX, ALPHA, seed)
    x = torch.from_numpy(counts.data)
    batch = batch._replace(log=x.log(), weight=weighting(x, X_MAX, ALPHA))
    start = (torch.rand(2, v, d + 1, dtype=torch.float64, generator=generator(seed)) - 0.5) / d
    return counts, batch, start, make_factors(start)


@pytest.mark.parametrize(("v", "d"), [(2, 1), (7, 3), (63, 16), (127, 100)])
def test_loss_and_gradients_are_those_of_the_loops(v, d):
    counts, batch, start, (word, context) = make(v, d)
    want = oracle.loss_and_gradients(oracle.entries(counts), start.numpy(), X_MAX, ALPHA)
    np.testing.assert_allclose(loss(batch, word, context).sum().item(), want.loss, rtol=1e-12)
    of_word, of_context = gradients(batch, word, context)
    np.testing.assert_allclose(of_word[:, :-1], want.word, atol=1e-12)
    np.testing.assert_allclose(of_context[:, [*range(d), d + 1]], want.context, atol=1e-12)
    assert not of_word[:, word.one].any()
    assert not of_context[:, context.one].any()


def test_gradients_are_those_of_autograd():
    counts, batch, _, (word, context) = make(20, 5)
    rows = [table.rows.clone().requires_grad_() for table in (word, context)]
    x = torch.from_numpy(counts.toarray())
    bracket = rows[0] @ rows[1].T - x.where(x > 0, 1).log()
    (weighting(x, X_MAX, ALPHA) * bracket.square() / 2).sum().backward()
    for row, found, one in zip(rows, gradients(batch, word, context), (word.one, context.one), strict=True):
        row.grad[:, one] = 0
        torch.testing.assert_close(found, row.grad)


def test_one_entry_at_a_time_is_the_sequential_loop():
    counts, _, start, (word, context) = make(9, 4)
    entries = oracle.entries(counts)
    for _ in range(3):
        for entry in entries:
            i, j, x = (np.array([part]) for part in entry)
            batch = make_batch(i.astype(np.int32), j.astype(np.int32), x, 9, X_MAX, ALPHA)
            descend(batch._replace(log=batch.log.double(), weight=batch.weight.double()), word, context, 0.05)
    want = oracle.sequential(entries, start.numpy(), X_MAX, ALPHA, 0.05, epochs=3, late=False)
    np.testing.assert_allclose(word.rows[:, :-1], want[0], atol=1e-6)  # log and weight were rounded to float32
    np.testing.assert_allclose(context.rows[:, [0, 1, 2, 3, 5]], want[1], atol=1e-6)


def test_the_constants_stay_and_no_coordinate_jumps():
    _, batch, _, (word, context) = make(30, 5)
    before = word.rows.clone(), context.rows.clone()
    descend(batch._replace(log=batch.log * 1e6), word, context, 1.0)
    for table, old in zip((word, context), before, strict=True):
        assert (table.rows[:, table.one] == 1).all()
        assert 0.9 < (table.rows - old).abs().max() <= 1


def test_blocks_do_not_see_each_other():
    parts = [make(v, 6, seed=v) for v in (5, 33, 18)]
    batch = block_diagonal([part[1] for part in parts])
    tables = make_factors(torch.cat([part[2] for part in parts], 1))
    found = [g.split([5, 33, 18]) for g in gradients(batch, *tables)]
    bracket = differences(batch, *tables).split([len(part[1].log) for part in parts])
    for n, (_, alone, _, own) in enumerate(parts):
        assert torch.equal(bracket[n], differences(alone, *own))
        for side, want in zip(found, gradients(alone, *own), strict=True):
            assert torch.equal(side[n], want)


@pytest.mark.parametrize("part", ["log", "word_ends"])
def test_more_than_32_bits_number_are_refused(part):
    _, batch, _, _ = make(5, 3)
    large = batch._replace(**{part: torch.zeros(1).expand(2**30 + 1)})
    with pytest.raises(ValueError, match=r"2,147,483,6.. (entries|rows) in one step, wanted at most 2,147,483,647"):
        block_diagonal([large, large])


def test_bits_do_not_depend_on_the_number_of_threads():
    _, batch, start, _ = make(300, 100)
    batch = batch._replace(log=batch.log.float(), weight=batch.weight.float())
    threads, results = torch.get_num_threads(), []
    try:
        for n in (1, 2, 3):
            torch.set_num_threads(n)
            word, context = make_factors(start.float())
            for _ in range(3):
                descend(batch, word, context, 0.05)
            results.append(torch.cat([word.rows, context.rows]))
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


def test_vectors_are_the_coordinates_alone():
    word, context = make_factors(torch.arange(12.0).view(2, 2, 3))
    assert word.rows.tolist() == [[0, 1, 2, 1], [3, 4, 5, 1]]
    assert context.rows.tolist() == [[6, 7, 1, 8], [9, 10, 1, 11]]
    assert context.vectors.tolist() == [[6, 7], [9, 10]]
    assert isinstance(word, Factors)


@pytest.mark.gpu
def test_cuda_is_the_cpu():
    _, batch, start, (word, context) = make(127, 100)
    there = make_factors(start.cuda())
    for _ in range(5):
        descend(batch, word, context, 0.05)
        descend(batch.to(torch.device("cuda")), *there, 0.05)
    torch.testing.assert_close(there[0].rows.cpu(), word.rows, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(there[1].rows.cpu(), context.rows, rtol=1e-9, atol=1e-12)
