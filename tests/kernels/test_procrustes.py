import numpy as np
import pytest
import torch

from gpustab.kernels import procrustes as module
from gpustab.kernels.gram import block_gram, pair_blocks
from gpustab.kernels.procrustes import procrustes, residuals
from tests import generators, oracles


def orthogonal_error(maps):
    return (maps.mT @ maps - torch.eye(maps.shape[-1], dtype=maps.dtype)).abs().max()


@pytest.mark.parametrize("size", generators.SIZES)
def test_maps_and_residuals_of_all_pairs(size):
    stack = generators.noisy_copies(*size)
    gram = block_gram(stack)
    got = procrustes(pair_blocks(gram))
    found = residuals(gram, got.maps)
    for (i, j), a, residual in zip(oracles.pairs(size[0]), got.maps, found, strict=True):
        x, y = stack[i].numpy(), stack[j].numpy()
        want = oracles.procrustes(x, y)
        np.testing.assert_allclose(x @ a.numpy(), x @ want, atol=1e-8)
        assert residual == pytest.approx(np.linalg.norm(x @ want - y), abs=1e-6)
    assert orthogonal_error(got.maps) < 1e-10
    assert got.unique.all() == (size[1] >= size[2])


def test_a_planted_reflection_is_found_and_can_be_forbidden():
    """Row vectors, X @ A ≈ Y, with det A = −1 (case: 50 × 4)."""
    x = torch.randn(50, 4, dtype=torch.float64, generator=generators.generator(0))
    q = generators.rotation(4, 3)
    if torch.linalg.det(q) > 0:
        q[:, 0] *= -1
    y = x @ q
    free = procrustes((x.T @ y)[None])
    torch.testing.assert_close(free.maps[0], q)
    assert residuals(block_gram(torch.stack([x, y])), free.maps) < 1e-6
    turned = procrustes((x.T @ y)[None], rotation_only=True).maps[0]
    assert torch.linalg.det(turned) == pytest.approx(1)
    u, _, vt = np.linalg.svd((x.T @ y).numpy())
    kabsch = u @ np.diag([1, 1, 1, np.linalg.det(u @ vt)]) @ vt
    np.testing.assert_allclose(turned, kabsch, atol=1e-10)
    assert torch.linalg.norm(x @ turned - y) > 1


@pytest.mark.parametrize("condition", [1e2, 1e5, 1e8])
def test_ill_conditioned_pairs_converge(condition):
    d = 60
    values = torch.logspace(0, -np.log10(condition), d, dtype=torch.float64)
    u, v = generators.rotation(d, 1), generators.rotation(d, 2)
    got = procrustes((u * values @ v.T)[None])
    assert not got.by_svd.any()
    assert got.unique.all()
    np.testing.assert_allclose(got.maps[0], u @ v.T, atol=1e-14 * condition + 1e-12)


def test_hard_matrices_beside_easy_ones():
    """Equal singular values, rank 1, a 1e-30 scale, repeated rows: one of them must not spoil the others."""
    d = 12
    easy = generators.noisy_copies(2, 100, d)
    cross = easy[0].T @ easy[1]
    rank_one = torch.outer(cross[0], cross[1])
    repeated = easy[0][[0] * 50].T @ easy[1][[0] * 50]
    batch = torch.stack([torch.eye(d, dtype=torch.float64), rank_one, 1e-30 * cross, cross, repeated])
    got = procrustes(batch)
    assert got.unique.tolist() == [True, False, True, True, False]
    assert got.by_svd.tolist() == [False, True, False, False, True]
    assert orthogonal_error(got.maps) < 1e-10
    torch.testing.assert_close(got.maps[3], procrustes(cross[None]).maps[0])
    torch.testing.assert_close(got.maps[2], got.maps[3])
    # a minimiser all the same: ⟨A, C⟩ is the sum of singular values
    nuclear = torch.linalg.svdvals(batch).sum(1)
    torch.testing.assert_close((got.maps * batch).sum((1, 2)), nuclear)


@pytest.mark.parametrize(
    ("value", "words"), [(0.0, "is zero"), (float("nan"), "is not finite"), (float("inf"), "is not finite")]
)
def test_meaningless_matrices_are_refused_by_number(value, words):
    batch = torch.eye(3).repeat(4, 1, 1)
    batch[2] = value
    with pytest.raises(ValueError, match=rf"\[2\] of 4 {words}"):
        procrustes(batch)


def test_a_failing_solver_is_retried_on_the_cpu(monkeypatch):
    calls = []
    real = torch.linalg.svd

    def failing(matrix):
        calls.append(matrix)
        if len(calls) == 1:
            raise torch.linalg.LinAlgError("did not converge")
        return real(matrix)

    monkeypatch.setattr(module.torch.linalg, "svd", failing)
    matrix = torch.diag(torch.tensor([1.0, 0.0]))[None]
    assert orthogonal_error(procrustes(matrix).maps) < 1e-10
    assert len(calls) == 2


@pytest.mark.parametrize("size", [(1, 1), (6, 7), (28, 20)])
def test_the_ways_of_cpu_and_gpu_agree(size):
    """One SVD each on a CPU, products of matrices elsewhere: the same maps and the same flags."""
    batch, d = size
    cross = torch.randn(batch, d, d, dtype=torch.float64, generator=generators.generator(d))
    cross[-1, :, 0] = 0  # singular
    cross[-1, 0, 0] = float(d == 1)
    lapack, products = module._by_lapack(cross), module._by_products(cross)
    well = products.unique  # elsewhere more than one map is right
    np.testing.assert_allclose(lapack.maps[well], products.maps[well], atol=1e-11)
    assert orthogonal_error(lapack.maps) < 1e-12
    assert torch.equal(lapack.unique, products.unique)
    assert torch.equal(lapack.by_svd, products.by_svd)
    assert torch.equal(procrustes(cross).maps, module._by_lapack(cross / cross.abs().amax((1, 2), keepdim=True)).maps)


def test_gradients_take_the_iteration_where_an_svd_has_none():
    """Equal singular values: the polar factor is smooth there, singular vectors are not."""
    values = torch.tensor([2.0, 2.0, 1.0, 1.0], dtype=torch.float64)
    cross = torch.diag(values)[None].requires_grad_()
    (gradient,) = torch.autograd.grad(procrustes(cross).maps[0, 0, 1], cross)
    want = torch.zeros(4, 4, dtype=torch.float64)
    want[0, 1], want[1, 0] = 1 / 4, -1 / 4  # dA_ij = (dC_ij − dC_ji) / (σ_i + σ_j)
    torch.testing.assert_close(gradient[0], want, rtol=1e-5, atol=1e-7)


def test_a_failing_batch_is_solved_by_the_iteration(monkeypatch):
    def failing(matrix):
        raise torch.linalg.LinAlgError("did not converge")

    cross = torch.randn(3, 5, 5, dtype=torch.float64, generator=generators.generator(0))
    want = procrustes(cross)
    monkeypatch.setattr(module.torch.linalg, "svd", failing)
    got = procrustes(cross)
    torch.testing.assert_close(got.maps, want.maps)
    assert got.unique.all()
