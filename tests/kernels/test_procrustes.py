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
