from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import InputError, engine, load_runs
from gpustab.engine import gram as engine_gram
from gpustab.kernels import gram, neighbours
from gpustab.machine.device import Compute
from gpustab.runs.join import join
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.runset import write_runset
from tests import generators, oracles
from tests.generators import runs_of, spaces

SIZES = generators.SIZES


def tensors_equal(a, b):
    return all(torch.equal(torch.nan_to_num(x), torch.nan_to_num(y)) for x, y in zip(a, b, strict=True))


def all_pairs(stack, function):
    return np.array([function(stack[i].numpy(), stack[j].numpy()) for i, j in oracles.pairs(len(stack))])


@pytest.mark.parametrize("size", SIZES)
def test_every_pass_against_the_naive_numbers(size):
    runs = runs_of(generators.noisy_copies(*size))
    stack = runs.stack()
    pip = engine.pip_pass(runs)
    np.testing.assert_allclose(pip.reduced, all_pairs(stack, oracles.reduced_pip), rtol=1e-9)
    words = engine.wordwise_pass(runs, pip.basis)
    np.testing.assert_allclose(words.mean, all_pairs(stack, oracles.wordwise_pip).mean(0), rtol=1e-9)
    found = engine.neighbour_pass(runs, torch.arange(size[1]), 10)
    k = min(10, size[1] - 1)
    assert found.k == k
    lists = [[oracles.top_k(run, t, k) for t in range(size[1])] for run in stack]
    assert found.indices.tolist() == lists
    n = min(3, k)
    p, j = oracles.overlap(lists, n)
    got = engine.overlap_pass(found, [1, n])
    i_run, j_run = torch.triu_indices(size[0], size[0], 1)
    np.testing.assert_allclose(got.p[1, i_run, j_run], p.mean(1), rtol=1e-12)
    np.testing.assert_allclose(got.j[1, i_run, j_run], j.mean(1), rtol=1e-12)


def test_tiles_never_change_a_result():
    runs = runs_of(generators.noisy_copies(4, 150, 6))
    targets = torch.arange(0, 150, 2)
    results = []
    for memory in (None, 40_000, 3_000):
        compute = Compute(memory=memory)
        pip = engine.pip_pass(runs, compute)
        found = engine.neighbour_pass(runs, targets, 12, compute)
        overlaps = engine.overlap_pass(found, [1, 5, 12], compute)
        results.append((pip, engine.wordwise_pass(runs, pip.basis, compute), found, overlaps))
    for pip, words, found, overlaps in results[1:]:
        torch.testing.assert_close(pip.reduced, results[0][0].reduced, rtol=1e-12, atol=0)
        torch.testing.assert_close(words.mean, results[0][1].mean, rtol=1e-10, atol=0)
        assert torch.equal(found.indices, results[0][2].indices)
        torch.testing.assert_close(overlaps.p, results[0][3].p, rtol=1e-14, atol=0)
        torch.testing.assert_close(overlaps.p_word, results[0][3].p_word, rtol=1e-14, atol=0)


def test_running_out_of_memory_changes_nothing(monkeypatch):
    runs = runs_of(generators.noisy_copies(3, 200, 5))
    wanted = engine.pip_pass(runs).reduced
    real = gram.add_

    def add_(total, chunk, *rest):
        total.gram.add_(99)  # a half-done sum must not survive
        if chunk.shape[1] > 60:
            raise torch.OutOfMemoryError("CUDA out of memory")
        total.gram.sub_(99)
        return real(total, chunk, *rest)

    monkeypatch.setattr(gram, "add_", add_)
    torch.testing.assert_close(engine.pip_pass(runs).reduced, wanted, rtol=1e-9, atol=0)


@pytest.mark.parametrize("noise", [0.3, 1e-2, 1e-4, 2e-5])
@pytest.mark.parametrize("precision", ["auto", "fp32"])
def test_relative_error_stays_below_a_thousandth(noise, precision):
    """Down to reduced losses near 1e-5; float32 gives way to float64 where it cannot resolve them, and says so."""
    runs = runs_of(generators.noisy_copies(3, 500, 20, noise=noise))
    stack = runs.stack()
    pip = engine.pip_pass(runs, Compute(precision=precision))
    np.testing.assert_allclose(pip.reduced, all_pairs(stack, oracles.reduced_pip), rtol=1e-3)
    words = engine.wordwise_pass(runs, pip.basis)
    np.testing.assert_allclose(words.mean, all_pairs(stack, oracles.wordwise_pip).mean(0), rtol=1e-3)
    assert pip.precision == ("fp32" if precision == "fp32" and noise > 1e-3 else "fp64")
    assert pip.error < 1e-3
    if noise == 2e-5:
        assert pip.reduced.max() < 2e-5


@pytest.mark.parametrize("noise", [1e-6, 1e-9, 1e-12])
def test_runs_that_differ_in_their_last_digits_are_measured_in_one_frame(noise):
    """The files hold float32; what float64 rows differ by there is the centring, which is done in float64."""
    x = generators.anisotropic(400, 12)
    turned = x @ generators.rotation(12, 3)
    y = turned + noise * torch.randn(400, 12, dtype=torch.float64, generator=generators.generator(1))
    runs = replace(runs_of(torch.stack([x, y]), unit=False), rows=(x, y))
    pip = engine.pip_pass(runs)
    difference = oracles.near_difference(x.numpy(), y.numpy(), generators.rotation(12, 3).numpy())
    np.testing.assert_allclose(pip.reduced, np.linalg.norm(difference) / (2 * 400), rtol=pip.error)
    assert pip.error < 1e-3
    words = engine.wordwise_pass(runs, pip.basis)
    np.testing.assert_allclose(words.mean, np.linalg.norm(difference, axis=1) / (2 * 400**0.5), rtol=100 * pip.error)


@pytest.mark.parametrize("size", [(200, 8), (301, 33), (999, 50)])
@pytest.mark.parametrize("runs", [2, 3, 5])
def test_equal_runs_have_no_loss_to_the_last_bit(size, runs):
    """Nor an error to speak of, on whichever processor two roundings of one map differ."""
    x = generators.noisy_copies(1, *size)[0]
    copies = runs_of(torch.stack([x] * runs))
    pip, rounding = engine.pip_pass(copies), size[1] * 2.0**-52
    assert pip.reduced.max() < rounding
    assert engine.wordwise_pass(copies, pip.basis).mean.max() < rounding
    assert pip.error < 1e-15


@pytest.mark.parametrize("size", [(3, 500, 20), (12, 400, 17), (7, 300, 33)])
def test_two_equal_runs_among_others_have_none_either(size):
    stack = generators.noisy_copies(*size)
    stack[2] = stack[0]
    runs = runs_of(stack)
    pip = engine.pip_pass(runs)
    assert pip.error < 1e-14
    np.testing.assert_allclose(
        pip.reduced, all_pairs(runs.stack(), oracles.reduced_pip), rtol=1e-9, atol=size[2] * 2.0**-52
    )


def test_streaming_from_a_packed_leaf_gives_the_same_numbers(tmp_path):
    write_runset({"a/b": spaces(3, 60, 5)}, tmp_path / "loose")
    pack_runs([tmp_path / "loose"], tmp_path / "packed")
    loose, packed = join(spaces(3, 60, 5)), load_runs(tmp_path / "packed")
    assert not isinstance(packed.rows[0], torch.Tensor)
    compute = Compute(memory=5_000)
    a, b = engine.pip_pass(loose, compute), engine.pip_pass(packed, compute)
    assert torch.equal(a.reduced, b.reduced)
    assert tensors_equal(engine.wordwise_pass(loose, a.basis), engine.wordwise_pass(packed, b.basis))
    found = [engine.neighbour_pass(runs, torch.arange(60), 5) for runs in (loose, packed)]
    assert torch.equal(found[0].indices, found[1].indices)


def test_a_word_counts_in_the_runs_that_have_it():
    stack = generators.noisy_copies(4, 40, 5)
    stack[1, 3] = stack[2, 3] = stack[0, 7] = 0
    runs = runs_of(stack, vocabulary="union")
    at3, at7 = runs.vocabulary.index_of("w3"), runs.vocabulary.index_of("w7")
    pip = engine.pip_pass(runs)
    keep = [i for i in range(40) if i not in (at3, at7)]
    joint = runs.stack()[:, keep]
    assert pip.basis.words == 38
    np.testing.assert_allclose(pip.reduced, all_pairs(joint, oracles.reduced_pip), rtol=1e-9)
    words = engine.wordwise_pass(runs, pip.basis)
    assert words.pairs[[at3, at7, keep[0]]].tolist() == [1, 3, 6]
    x, y = (torch.cat([run[[at3]], run[keep]]).numpy() for run in runs.stack()[[0, 3]])
    row = (x @ x.T - y @ y.T)[0, 1:]  # against the joint words alone
    np.testing.assert_allclose(words.mean[at3], np.linalg.norm(row) / (2 * np.sqrt(38)), rtol=1e-9)
    found = engine.neighbour_pass(runs, torch.tensor([at3, keep[0]]), 39)
    assert found.k == 38  # the runs that lack a word have 39
    assert (found.indices[1, 0] == -1).all()
    assert at3 not in found.indices[1, 1]
    assert at3 in found.indices[3, 1]


def test_alignments_of_all_pairs():
    runs = runs_of(generators.noisy_copies(3, 80, 6))
    stack = runs.stack()
    solution, residuals = engine.procrustes_pass(runs, engine.gram_pass(runs))
    for (i, j), a, r in zip(oracles.pairs(3), solution.maps, residuals, strict=True):
        np.testing.assert_allclose(a, oracles.procrustes(stack[i].numpy(), stack[j].numpy()), atol=1e-9)
        assert torch.linalg.norm(stack[i] @ a - stack[j]).item() == pytest.approx(r.item())
    assert solution.unique.all()
    few = runs_of(generators.noisy_copies(2, 4, 6))
    assert not engine.procrustes_pass(few, engine.gram_pass(few))[0].unique.any()


def test_an_impossible_alignment_names_the_runs():
    x = torch.zeros(2, 4, 2)
    x[0, :, 0] = x[1, :, 1] = torch.tensor([1.0, -1, 1, -1])
    x[1, :, 1] = torch.tensor([1.0, 1, -1, -1])
    runs = runs_of(x)
    with pytest.raises(InputError, match="run-000 and run-001 share no direction"):
        engine.procrustes_pass(runs, engine.gram_pass(runs))


def test_order_of_the_runs_changes_only_the_tree_average():
    stack = generators.noisy_copies(5, 60, 6)
    runs = runs_of(stack)
    order = [3, 0, 4, 1, 2]
    shuffled = runs.take(order)
    matrix = torch.zeros(2, 5, 5, dtype=torch.float64)
    i, j = torch.triu_indices(5, 5, 1)
    for m, r in zip(matrix, (runs, shuffled), strict=True):
        m[i, j] = m[j, i] = engine.pip_pass(r).reduced
    torch.testing.assert_close(matrix[1], matrix[0][order][:, order], rtol=1e-9, atol=0)
    words = [engine.wordwise_pass(r, engine.gram_pass(r)) for r in (runs, shuffled)]
    torch.testing.assert_close(words[0].mean, words[1].mean, rtol=1e-9, atol=0)
    tops = [engine.average_pass(r)[-1][0].vectors.numpy() for r in (runs, shuffled)]
    between_orders = oracles.reduced_pip(oracles.unit(tops[0]), oracles.unit(tops[1]))
    assert 0 < between_orders < 0.1 * matrix[0][i, j].mean()


def test_targets():
    runs = runs_of(generators.noisy_copies(2, 50, 4))
    assert engine.draw_targets(runs).tolist() == list(range(50))
    drawn = engine.draw_targets(runs, 10, seed=3)
    assert len(drawn) == 10
    assert torch.equal(drawn, engine.draw_targets(runs, 10, seed=3))
    assert not torch.equal(drawn, engine.draw_targets(runs, 10, seed=4))
    assert len(engine.draw_targets(runs, all_up_to=49)) == 50  # fewer than 1,000 words
    assert len(engine.draw_targets(runs, 500)) == 50


def test_rows_that_do_not_fit_a_device_stay_where_they_are(monkeypatch):
    runs = runs_of(generators.noisy_copies(2, 50, 4))
    moved = []
    monkeypatch.setattr(type(runs), "to", lambda self, device, rows: moved.append(rows) or self)
    engine.place(runs, Compute())
    monkeypatch.setattr(engine.gram, "free_memory", lambda _: 1000)
    engine.place(runs, Compute())
    assert moved == [True, False]


def test_a_sampled_proxy_is_the_loss_over_these_words():
    """Rettenmeier 2020, §2.2.3.3; its mean square is D² (1 − 1/m) / (1 − 1/v)."""
    runs = runs_of(generators.noisy_copies(2, 200, 8))
    stack = runs.stack()
    mask = engine.draw_proxy(runs, 50, seed=1)
    assert mask.sum() == 50
    x, y = stack[:, mask].numpy()
    assert engine.pip_pass(runs, proxy=mask).reduced.item() == pytest.approx(oracles.reduced_pip(x, y))
    squares = [engine.pip_pass(runs, proxy=engine.draw_proxy(runs, 50, s)).reduced.item() ** 2 for s in range(200)]
    exact = engine.pip_pass(runs).reduced.item() ** 2
    assert np.mean(squares) == pytest.approx(exact * (1 - 1 / 50) / (1 - 1 / 200), rel=0.02)
    with pytest.raises(InputError, match="proxy is 201"):
        engine.draw_proxy(runs, 201, seed=0)


def test_cosines_over_the_runs_that_have_both_words():
    stack = generators.noisy_copies(4, 30, 5)
    stack[2, 3] = 0
    runs = runs_of(stack, vocabulary="union")
    at = [runs.vocabulary.index_of(f"w{i}") for i in (3, 8, 11)]
    full = np.array([run.numpy() @ run.numpy().T for run in runs.stack()])
    pairs = engine.pair_cosines(runs, torch.tensor([at[0], at[1]]), torch.tensor([at[1], at[2]]))
    assert pairs.runs.tolist() == [3, 4]
    np.testing.assert_allclose(pairs.mean[0], full[[0, 1, 3], at[0], at[1]].mean(), rtol=1e-12)
    np.testing.assert_allclose(pairs.sd[1], full[:, at[1], at[2]].std(ddof=1), rtol=1e-9)
    queries = engine.query_cosines(runs, torch.tensor([at[1]]))
    np.testing.assert_allclose(queries.mean[0, at[2]], full[:, at[1], at[2]].mean(), rtol=1e-12)
    assert queries.runs[0, at[0]] == 3


@pytest.mark.parametrize("noise", [0.3, 0.02, 1e-3])
def test_fast_precision_agrees_with_float64_within_what_it_states(noise):
    runs = runs_of(generators.noisy_copies(5, 700, 12, noise=noise))
    exact, fast = engine.pip_pass(runs), engine.pip_pass(runs, Compute(precision="fast"))
    assert fast.precision == "fast"
    assert fast.error < 3e-4
    assert ((fast.reduced - exact.reduced).abs() / exact.reduced).max() < fast.error
    assert (fast.scale.chance - exact.scale.chance).abs().max() < 1e-4
    torch.testing.assert_close(fast.basis.gram, exact.basis.gram, atol=0.05, rtol=0)  # of 700 rows


def test_fast_precision_gives_way_where_it_cannot_resolve_the_losses():
    """Two runs far apart, two equal up to rounding: no one mean is near to all of them."""
    first, other = generators.noisy_copies(2, 300, 8, noise=5.0)
    nearly = first + 1e-7 * torch.randn(300, 8, dtype=torch.float64, generator=generators.generator(3))
    runs = runs_of(torch.stack([first, nearly, other]))
    found = engine.pip_pass(runs, Compute(precision="fast"))
    assert found.precision == "fp64"
    assert torch.equal(found.reduced, engine.pip_pass(runs).reduced)


def test_equal_shares_of_neighbours_are_equal_to_the_bit_in_any_tile():
    """They tie where words are ranked, so that a last bit would change the ranks."""
    runs = generators.runs_of(generators.noisy_copies(3, 203, 7))
    found = engine.neighbour_pass(runs, torch.arange(203), 5)
    means = [
        engine.overlap_pass(found, [5], Compute(memory=1 << bits), spread=5).of_words().mean for bits in (12, 14, 20)
    ]
    assert torch.equal(means[0], means[1])
    assert torch.equal(means[0], means[2])
    assert len(means[0].unique()) <= 16  # 0 to 15 shared of 15


def test_lists_that_a_search_does_not_prove_are_told(monkeypatch, caplog):
    monkeypatch.setattr(neighbours, "halves_pay", lambda *_: True)
    monkeypatch.setattr(neighbours, "_PROPOSED_FROM", 0)  # as on a card
    runs = runs_of(torch.stack([generators.narrow(400, 6, 1e-3, seed=seed) for seed in (0, 1)]))
    with caplog.at_level("INFO", "gpustab"):
        engine.neighbour_pass(runs, torch.arange(30), 5)
    assert "60 of 60 lists are not proven by float16" in caplog.text


@pytest.mark.parametrize("memory", [None, 3000])
@pytest.mark.parametrize("noise", [0.3, 1e-3, 1e-6])
def test_an_error_that_is_asked_for_is_kept(noise, memory):
    """Plain float64 products are left where a loss would err by more, also in tiles."""
    runs = runs_of(generators.noisy_copies(3, 400, 6, noise=noise))
    found = engine.pip_pass(runs, Compute(precision="1e-6", memory=memory))
    basis = engine_gram.centred_pass(runs, Compute(), torch.float64)
    np.testing.assert_allclose(found.reduced, engine_gram.centred_loss(basis).total / 800, rtol=1e-6)
