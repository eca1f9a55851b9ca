from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import InputError, engine
from gpustab.engine.cosines import mean_correlation, pair_values
from gpustab.engine.prediction import agreement, predict_pass
from gpustab.kernels import cosine
from gpustab.kernels.prediction import predicted_overlap, top_n_probabilities
from gpustab.machine.device import Compute
from tests import generators
from tests.generators import runs_of

LENGTHS = [1, 2, 10]


def cosines(runs):
    """(R, v, v) of the prepared rows."""
    stack = runs.stack()
    return (stack @ stack.mT).numpy()


def everyone(mean, sd):
    """p@n of one target with no word left out."""
    mean, sd = torch.tensor(mean)[None], torch.tensor(sd)[None]
    return predicted_overlap(top_n_probabilities(mean, sd, LENGTHS), LENGTHS)[:, 0]


def test_every_model_against_all_words_at_once():
    runs = runs_of(generators.noisy_copies(6, 150, 8))
    targets = torch.tensor([3, 40, 149])
    got = predict_pass(runs, targets, LENGTHS)
    full = cosines(runs)
    mean, sd = full.mean(0), full.std(0, ddof=1)
    gammas = [np.delete(sd[t], t).mean() for t in targets.tolist()]
    assert got.gamma == pytest.approx(np.mean(gammas), rel=1e-9)
    for at, t in enumerate(targets.tolist()):
        others = np.delete(np.arange(150), t)
        near = others[np.argsort(-mean[t, others])[:30]]
        correlations = np.corrcoef(full[:, t, near].T)
        rho = correlations[~np.eye(30, dtype=bool)].mean()
        assert got.correlation[at].item() == pytest.approx(rho, abs=1e-9)
        m, s = mean[t, others], sd[t, others]
        np.testing.assert_allclose(got.plain[:, at], everyone(m, s), atol=2e-6)
        np.testing.assert_allclose(got.corrected[:, at], everyone(m, s * np.sqrt(1 - rho)), atol=2e-6)
        np.testing.assert_allclose(got.structure[:, at], everyone(m, np.full_like(s, got.gamma)), atol=2e-6)
    assert got.lengths == tuple(LENGTHS)
    assert (got.candidates >= 10).all()


def test_words_far_away_are_left_out():
    runs = runs_of(generators.noisy_copies(6, 300, 8, noise=0.05))
    got = predict_pass(runs, torch.arange(0, 300, 60), LENGTHS)
    assert got.candidates.max() < 150
    wider = predict_pass(runs, torch.arange(0, 300, 60), LENGTHS, epsilon=1e-3)
    assert (wider.candidates <= got.candidates).all()
    assert (wider.candidates < got.candidates).any()
    for field in ("plain", "corrected", "structure"):
        torch.testing.assert_close(getattr(wider, field), getattr(got, field), atol=2.1e-3, rtol=0)


def test_prediction_meets_normal_cosines():
    """Cosines that really are independent normals: a large space of orthogonal noise around a fixed frame."""
    runs = runs_of(star(runs=60, words=41, sd=0.02))
    target = torch.tensor([runs.vocabulary.index_of("w0")])
    got = predict_pass(runs, target, LENGTHS)
    measured = engine.overlap_pass(engine.neighbour_pass(runs, target, 10), LENGTHS).p_word
    np.testing.assert_allclose(got.plain, measured, atol=0.05)
    assert got.correlation.abs().max() < 0.03
    np.testing.assert_allclose(got.corrected, got.plain, atol=0.02)


def test_what_neighbours_have_in_common_moves_no_rank():
    """A common shift of half the variance: only the corrected model takes it out."""
    alone = runs_of(star(runs=60, words=41, sd=0.02))
    common = runs_of(star(runs=60, words=41, sd=0.02, common=0.02))
    target = torch.tensor([0])
    alone, common = (predict_pass(runs, target, LENGTHS) for runs in (alone, common))
    assert common.correlation.item() == pytest.approx(0.5, abs=0.1)
    assert (common.plain < alone.plain - 0.02).all()
    np.testing.assert_allclose(common.corrected, alone.plain, atol=0.03)


def star(runs, words, sd, common=0.0):
    """Word 0 along the first axis, every other word with its own axis and a normal cosine with word 0."""
    g = generators.generator(0)
    mean = 0.5 - 0.01 * torch.arange(words - 1, dtype=torch.float64)
    noise = sd * torch.randn(runs, words - 1, dtype=torch.float64, generator=g)
    cosine = mean + noise + common * torch.randn(runs, 1, dtype=torch.float64, generator=g)
    stack = torch.zeros(runs, words, words, dtype=torch.float64)
    stack[:, 0, 0] = 1
    stack[:, 1:, 0] = cosine
    stack[:, 1:, 1:] = torch.diag_embed((1 - cosine.square()).sqrt())
    return stack


def test_identical_runs_are_predicted_to_agree():
    runs = runs_of(generators.noisy_copies(1, 60, 6).expand(4, -1, -1))
    got = predict_pass(runs, torch.arange(5), LENGTHS)
    for field in (got.plain, got.corrected, got.structure):
        torch.testing.assert_close(field, torch.ones(3, 5, dtype=torch.float64), atol=1e-9, rtol=0)
    assert (got.correlation == 0).all()


class Stored:
    """Rows that can only be read in slices, as those of a file."""

    def __init__(self, rows):
        self.rows, self.shape = rows, rows.shape

    def __getitem__(self, part):
        assert isinstance(part, slice)
        return self.rows[part]


def test_tiles_streams_and_lengths_of_rows_change_nothing():
    stack = generators.noisy_copies(4, 37, 5)
    targets = torch.tensor([5, 0, 22, 36])
    wanted = predict_pass(runs_of(stack), targets, LENGTHS)
    long = runs_of(2 * stack, unit=False)
    stored = replace(long, rows=tuple(Stored(rows) for rows in long.rows))
    for compute in (Compute(), Compute(memory=50_000), Compute(memory=5_000)):
        got = predict_pass(stored, targets, LENGTHS, compute)
        for field in ("plain", "corrected", "structure", "correlation"):
            torch.testing.assert_close(getattr(got, field), getattr(wanted, field), atol=1e-9, rtol=0)
        assert torch.equal(got.candidates, wanted.candidates)


def test_no_array_of_all_targets_words_and_runs(monkeypatch):
    """Beyond the tile of its budget a pass holds no cosines of all words."""
    runs = runs_of(generators.noisy_copies(5, 250, 4, noise=0.01))
    seen = []
    real = cosine.over_runs

    def over_runs(values):
        found = real(values)
        seen.append(found.mean.numel())
        return found

    monkeypatch.setattr(cosine, "over_runs", over_runs)
    memory = 100_000
    predict_pass(runs, torch.arange(10), [1, 5], Compute(memory=memory))
    assert max(seen) <= memory / 64
    assert sum(seen) == 2 * 10 * 250


def test_cosines_of_pairs_in_every_run():
    stack = generators.noisy_copies(4, 30, 5)
    stack[2, 3] = 0
    runs = runs_of(stack, vocabulary="union")
    at = torch.tensor([runs.vocabulary.index_of(f"w{i}") for i in (3, 8, 11)])
    full = cosines(runs)
    for compute in (Compute(), Compute(memory=1)):
        got = pair_values(runs, at[[0, 1, 1]], at[[1, 2, 1]], compute)
        assert got.isnan().tolist() == [[r == 2 for r in range(4)], [False] * 4, [False] * 4]
        np.testing.assert_allclose(got[1], full[:, at[1], at[2]], atol=1e-12)
        np.testing.assert_allclose(got[2], 1, atol=1e-12)
        several = pair_values(runs, at, at.expand(3, 3), compute)
        assert several.isnan().tolist() == [
            [[r == 2 and 0 in (i, j) for r in range(4)] for j in range(3)] for i in range(3)
        ]
        np.testing.assert_allclose(several[1:, 1:].permute(2, 0, 1), full[:, at[1:, None], at[1:]], atol=1e-12)


def test_mean_correlation_leaves_constant_words_out():
    values = torch.randn(2, 6, 9, dtype=torch.float64, generator=generators.generator(0))
    values[1, 2] = 0.3
    got = mean_correlation(values)
    for row, keep in ((0, range(6)), (1, (0, 1, 3, 4, 5))):
        matrix = np.corrcoef(values[row, list(keep)].numpy())
        assert got[row].item() == pytest.approx(matrix[~np.eye(len(matrix), dtype=bool)].mean())


def test_agreement():
    g = generators.generator(1)
    a, b = (torch.rand(3, 50, dtype=torch.float64, generator=g) for _ in range(2))
    got = agreement(a, b)
    np.testing.assert_allclose(got.pearson, [np.corrcoef(x, y)[0, 1] for x, y in zip(a, b, strict=True)])
    np.testing.assert_allclose(got.bias, (a - b).numpy().mean(1))
    np.testing.assert_allclose(got.rmse, np.sqrt(((a - b).numpy() ** 2).mean(1)))
    assert agreement(torch.full((1, 4), 0.5), b[:1, :4]).pearson.isnan().all()


def test_wrong_inputs():
    runs = runs_of(generators.noisy_copies(3, 20, 4))
    with pytest.raises(InputError, match="2 runs were given"):
        predict_pass(runs.take([0, 1]), torch.tensor([0]), [1])
    with pytest.raises(InputError, match=r"1 \.\. 19"):
        predict_pass(runs, torch.tensor([0]), [20])
    with pytest.raises(InputError, match="target 20"):
        predict_pass(runs, torch.tensor([0, 20]), [1])
    stack = generators.noisy_copies(3, 20, 4)
    stack[1, 4] = 0
    with pytest.raises(InputError, match="1 words are not in all runs"):
        predict_pass(runs_of(stack, vocabulary="union"), torch.tensor([0]), [1])
