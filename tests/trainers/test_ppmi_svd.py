import logging

import numpy as np
import pytest
from pydantic import ValidationError
from scipy import sparse

from gpustab.corpus.cooccurrence import count_sample
from gpustab.corpus.sampling import draw_units, sample
from gpustab.errors import InputError
from gpustab.trainers.ppmi_svd import (
    TECHNIQUE,
    PpmiSvdParameters,
    expected,
    factor,
    ppmi,
    probabilities,
    subsample,
    train,
)
from tests.trainers.conftest import make_corpus


@pytest.fixture(scope="module")
def made():
    return sample(make_corpus([300] * 40), draw_units("fixed", 40, 0, 0))


def symmetric_counts(v, seed=0):
    counts = np.random.default_rng(seed).poisson(0.7, (v, v)).astype(float)
    return counts + counts.T


def dense_ppmi(counts, smoothing, shift):
    joint = counts / counts.sum()
    word = counts.sum(1) / counts.sum()
    context = counts.sum(0) ** smoothing / (counts.sum(0) ** smoothing).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log(joint / np.outer(word, context)) - np.log(shift)
    return np.where(joint > 0, np.maximum(pmi, 0), 0)


def aligned_cosines(x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    u, _, vt = np.linalg.svd(x.T @ y)
    return (x @ u @ vt * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)


@pytest.mark.parametrize(("smoothing", "shift"), [(1, 1), (0.75, 1), (0.75, 1.3)])
def test_it_is_the_dense_formula(smoothing, shift):
    counts = symmetric_counts(31)
    counts[:, 7] = counts[7] = 0  # a word without pairs
    found = ppmi(sparse.csr_matrix(counts), smoothing, shift)
    np.testing.assert_allclose(found.toarray(), dense_ppmi(counts, smoothing, shift), rtol=1e-12, atol=1e-14)
    assert found.data.min() > 0


@pytest.mark.parametrize("weight", [0, 0.5, 1])
def test_factors_are_those_of_a_dense_decomposition(weight):
    matrix = dense_ppmi(symmetric_counts(40), 0.75, 1)
    found = factor(sparse.csr_matrix(matrix), 12, weight, seed=3)
    u, s, _ = np.linalg.svd(matrix)
    want = u[:, :12] * s[:12] ** weight
    want *= np.sign(np.take_along_axis(want, np.abs(want).argmax(0)[None], 0))
    np.testing.assert_allclose(found, want, atol=1e-10)


def test_a_matrix_of_low_rank_leaves_columns_of_zeros():
    matrix = sparse.csr_matrix(np.kron(np.eye(3), np.ones((4, 4))))
    assert (np.abs(factor(matrix, 5, 0.5, seed=1)).max(0) > 0).tolist() == [True] * 3 + [False] * 2


def test_equal_singular_values_do_not_change_with_the_call():
    half = dense_ppmi(symmetric_counts(15), 0.75, 1)
    matrix = sparse.csr_matrix(np.kron(np.eye(2), half))  # every singular value twice
    first = factor(matrix, 6, 0.5, seed=1)
    assert all(np.array_equal(first, factor(matrix, 6, 0.5, seed=1)) for _ in range(10))


@pytest.mark.parametrize(
    "matrix",
    [np.eye(40), np.ones((40, 40)), np.kron(np.eye(10), np.ones((6, 6)))],
    ids=["all singular values equal", "rank 1", "ten blocks"],
)
def test_a_matrix_of_few_singular_values_has_the_same_vectors_at_every_call(matrix):
    first = factor(sparse.csr_matrix(matrix), 20, 0.5, seed=1)
    assert all(np.array_equal(first, factor(sparse.csr_matrix(matrix), 20, 0.5, seed=1)) for _ in range(5))


def test_a_word_without_a_share_in_what_is_kept_has_a_zero_vector():
    matrix = np.zeros((33, 33))
    matrix[:30, :30] = np.kron(np.eye(3), np.arange(1.0, 101).reshape(10, 10) + np.arange(1.0, 101).reshape(10, 10).T)
    matrix[30, 31] = matrix[31, 30] = 1e-6  # a component of its own, far below those that are kept; 32 has no entry
    vectors = factor(sparse.csr_matrix(matrix), 3, 0.5, seed=1)
    assert not vectors[30:].any()
    assert vectors[:30].any(1).all()


def test_without_subsampling_variation_is_numerical(made):
    x, y = train([made, made], PpmiSvdParameters(dim=20, subsample=0), [1, 2])
    assert aligned_cosines(x, y).min() > 0.9999


def test_seeds_decide_the_subsampling(made):
    parameters = PpmiSvdParameters(dim=20, subsample=1e-2)
    x, again, other = train([made] * 3, parameters, [1, 1, 2])
    assert np.array_equal(x, again)
    assert aligned_cosines(x, other).mean() < 0.99
    assert x.shape == (len(made.words), 20)
    assert x.dtype == np.float32


def test_tokens_are_kept_with_the_root_of_threshold_over_share(made):
    drawn = np.mean([subsample(made, 1e-2, seed) for seed in range(50)], axis=0)
    share = made.counts[made.words] / len(made.tokens)
    found = np.bincount(made.local, drawn) / np.bincount(made.local)
    want = np.minimum(1, np.sqrt(1e-2 / share))
    np.testing.assert_array_less(np.abs(found - want), 0.3 / np.sqrt(made.counts[made.words]) + 1e-12)
    assert want.min() < 0.3
    assert (found[want == 1] == 1).all()


@pytest.mark.parametrize("window", ["flat", "linear"])
def test_weights_are_the_mean_of_many_draws(made, window):
    every = count_sample(made, 3, window)
    found = expected(every, probabilities(made, 1e-2))
    drawn = [count_sample(made, 3, window, kept=subsample(made, 1e-2, seed)).toarray() for seed in range(200)]
    spread = np.std(drawn, 0) / len(drawn) ** 0.5
    varies = spread > 1e-9
    z = (np.mean(drawn, 0) - found.toarray())[varies] / spread[varies]
    assert abs(z.mean()) < 0.1
    assert 0.8 < z.std() < 1.2
    assert found.sum() < every.sum() / 2
    assert found.has_canonical_format


def test_weights_leave_no_noise_of_seeds_nor_of_the_order_of_texts(made):
    parameters = PpmiSvdParameters(dim=20, subsample=1e-2, subsample_by="weight", window_weights="linear")
    turned = sample(make_corpus([300] * 40), np.random.default_rng(0).permutation(40))
    assert not np.array_equal(turned.tokens, made.tokens)
    x, again, other = train([made, made, turned], parameters, [1, 1, 2])
    assert np.array_equal(x, again)
    assert aligned_cosines(x, other).min() > 0.9999
    drawn = train([made] * 2, PpmiSvdParameters(dim=20, subsample=1e-2), [1, 2])
    assert aligned_cosines(*drawn).min() < 0.99


def test_a_bootstrap_draw_changes_weights():
    corpus, parameters = make_corpus([300] * 40), PpmiSvdParameters(dim=20, subsample=1e-2, subsample_by="weight")
    draws = [sample(corpus, draw_units("bootstrap", 40, seed, 0)) for seed in (0, 1)]
    same = np.intersect1d(draws[0].words, draws[1].words)
    one, other = (x[np.isin(own.words, same)] for own, x in zip(draws, train(draws, parameters, [1, 1]), strict=True))
    assert aligned_cosines(one, other).mean() < 0.99


def test_weights_want_gaps():
    with pytest.raises(ValidationError, match="weights leave no token out"):
        PpmiSvdParameters(subsample_by="weight", gaps=False)


def test_gaps_are_left_or_closed(made):
    open_, closed = (
        train([made], PpmiSvdParameters(dim=5, subsample=1e-3, gaps=gaps), [1])[0] for gaps in (True, False)
    )
    assert not np.array_equal(open_, closed)


def test_words_without_association_are_counted(caplog):
    corpus = make_corpus([200, 1], v=20)
    tokens = corpus.tokens.copy()
    tokens[tokens == 19] = 0
    tokens[-1] = 19  # alone in its text
    alone = sample(type(corpus)(**{**vars(corpus), "tokens": tokens}), np.array([0, 1]))
    with caplog.at_level(logging.WARNING, "gpustab"):
        vectors = train([alone], PpmiSvdParameters(dim=4, subsample=0), [1])[0]
    assert not vectors[-1].any()
    assert "1 of 20 words" in caplog.text


def test_dim_above_the_words(made):
    with pytest.raises(InputError, match="dim 60 needs more words than that; the sample has 60"):
        train([made], PpmiSvdParameters(dim=60), [1])


def test_words_that_keep_to_chance():
    corpus = make_corpus([2], v=2)
    with pytest.raises(InputError, match="more often than by chance"):
        train([sample(corpus, np.array([0]))], PpmiSvdParameters(dim=1, subsample=0, shift=10), [1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"dim": 0},
        {"window": 0},
        {"subsample": -1},
        {"smoothing": 0},
        {"shift": 0.5},
        {"windows": 5},
        {"subsample_by": "weights"},
        {"window_weights": "harmonic"},
    ],
)
def test_parameters_out_of_range(wrong):
    with pytest.raises(ValidationError):
        TECHNIQUE.parameters(**wrong)
