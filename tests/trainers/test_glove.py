import numpy as np
import pytest
import torch
from pydantic import ValidationError
from scipy import sparse

from gpustab.corpus.cooccurrence import count_sample
from gpustab.corpus.sampling import draw_units, sample
from gpustab.errors import ComputationError, InputError
from gpustab.trainers import glove
from gpustab.trainers.glove import TECHNIQUE, GloveParameters, fit, make_batches, train
from tests.kernels.training import glove_oracle as oracle
from tests.trainers.conftest import make_corpus

SMALL = GloveParameters(dim=11, window=4, epochs=3, device="cpu")


@pytest.fixture(scope="module")
def samples():
    corpus = make_corpus([200] * 30)
    return [sample(corpus, draw_units("bootstrap", 30, 0, run)[: 10 * run + 9]) for run in range(3)]


def split(word, context):
    """Return the ``(2, v, d + 1)`` start-like form of two tables."""
    d = word.rows.shape[1] - 2
    return np.stack([word.rows[:, :-1].numpy(), context.rows[:, [*range(d), d + 1]].numpy()])


def test_alone_and_in_company_give_the_same_bits(samples):
    counts = [count_sample(one, 4, "harmonic") for one in samples]
    sizes = [matrix.shape[0] for matrix in counts]
    assert len({len(make_batches(matrix, SMALL.batch, 100, 0.75, 0)) for matrix in counts}) > 1
    together = [table.vectors.split(sizes) for table in fit(counts, SMALL, [4, 5, 6])]
    reverse = [table.vectors.split(sizes[::-1])[::-1] for table in fit(counts[::-1], SMALL, [6, 5, 4])]
    for n, matrix in enumerate(counts):
        for side, alone in enumerate(fit([matrix], SMALL, [4 + n])):
            assert torch.equal(alone.vectors, together[side][n])
            assert torch.equal(alone.vectors, reverse[side][n])


@pytest.mark.parametrize("together", [1, 2, 3, 7])
def test_any_number_together_gives_the_same_bits(samples, monkeypatch, together):
    """The way of a card: threads count ahead, groups are as large as the memory lets them be."""
    many, seeds = [samples[n % 3] for n in range(7)], range(7)
    want = [train([one], SMALL, [seed])[0] for one, seed in zip(many, seeds, strict=True)]
    sizes, told = [], []
    ahead = glove.ahead
    monkeypatch.setattr(glove, "ahead", lambda work, pieces, _: ahead(work, pieces, 2))
    monkeypatch.setattr(glove, "_alone", lambda _: False)
    monkeypatch.setattr(glove, "_fits", lambda some, _: len(some) <= together)
    monkeypatch.setattr(
        glove, "_fit", lambda runs, *rest, real=glove._fit: (sizes.append(len(runs)), real(runs, *rest))[1]
    )
    found = train(many, SMALL, seeds, lambda number, part: told.append((number, part)))
    assert sizes == [together] * (7 // together) + [7 % together] * (7 % together > 0)
    for x, y in zip(found, want, strict=True):
        assert np.array_equal(x, y)
    for number in seeds:
        assert [part for n, part in told if n == number] == [0, 1 / 3, 2 / 3, 1]


def test_rows_are_the_words_of_each_sample(samples):
    assert len({len(one.words) for one in samples}) > 1
    for one, vectors in zip(samples, train(samples, SMALL, [4, 5, 6]), strict=True):
        word, context = fit([count_sample(one, 4, "harmonic")], SMALL, [4 + samples.index(one)])
        assert vectors.dtype == np.float32
        assert np.array_equal(vectors, (word.vectors + context.vectors).numpy())


def test_seeds_decide(samples):
    x, again, other = train([samples[0]] * 3, SMALL, [1, 1, 2])
    assert np.array_equal(x, again)
    assert np.abs(x - other).max() > 1e-2


@pytest.mark.parametrize("per_word", [1, 8])
def test_batches_descend_as_far_as_one_entry_at_a_time(per_word):
    v, d, epochs = 40, 8, 25
    counts = oracle.random_counts(v, 0.6, 1)
    parameters = GloveParameters(dim=d, epochs=epochs, batch=per_word, x_max=10, rate=0.05, device="cpu")
    entries = oracle.entries(counts)
    start = glove.make_run(counts, 3, parameters).start.numpy()
    shuffled = [entries[n] for n in np.random.default_rng(3).permutation(len(entries))]
    want = oracle.sequential(shuffled, start, 10, 0.75, 0.05, epochs)
    found = split(*fit([counts], parameters, [3]))
    losses = [oracle.loss_and_gradients(entries, x, 10, 0.75).loss for x in (start, want, found)]
    assert losses[1] < losses[0] / 5
    assert losses[2] == pytest.approx(losses[1], rel=0.05)


def test_every_entry_is_in_one_batch():
    counts = oracle.random_counts(50, 0.5, 2)
    batches = make_batches(counts, 3, 100, 0.75, seed=1)
    assert len(batches) == round(counts.nnz / 150)
    seen = np.zeros((50, 50))
    for batch in batches:
        rows = np.repeat(np.arange(50), np.diff(batch.word_ends))
        np.add.at(seen, (rows, batch.contexts.numpy()), np.exp(batch.log.double().numpy()))
        columns = np.repeat(np.arange(50), np.diff(batch.context_ends))
        assert np.array_equal(rows[batch.order], batch.words)
        assert np.array_equal(batch.contexts[batch.order], columns)
        assert abs(len(batch.log) - counts.nnz / len(batches)) <= 1
    np.testing.assert_allclose(seen, counts.toarray(), rtol=1e-5)


def test_planted_vectors_are_found_as_by_mittens():
    """Both minimise eq. 8 on counts that have an exact solution, by other optimisers: the fits are compared.

    Biases alone leave almost half of the spread of log X; both fits come to 0.1 %.
    """
    mittens = pytest.importorskip("mittens", reason="mittens is not installed")
    rng = np.random.default_rng(0)
    vectors, biases = rng.normal(size=(40, 3)) * 0.7, rng.normal(size=40)
    log = vectors @ vectors.T + biases[:, None] + biases
    counts = sparse.csr_matrix(np.exp(log))
    parameters = GloveParameters(dim=8, epochs=1500, x_max=10, rate=0.05, batch=4, device="cpu")
    w, c = split(*fit([counts], parameters, [1]))
    np.random.seed(0)  # noqa: NPY002  # where mittens draws from
    peer = mittens.GloVe(n=8, xmax=10, alpha=0.75, max_iter=3000, learning_rate=0.1, display_progress=10**9)
    peer.fit(np.exp(log))
    ours = w[:, :-1] @ c[:, :-1].T + w[:, -1:] + c[:, -1]
    theirs = peer.W @ peer.C.T + peer.bw + peer.bc.T
    explained_by_biases = log.mean(1, keepdims=True) + log.mean(0) - log.mean()
    assert np.std(log - explained_by_biases) > 0.3 * log.std()
    assert np.std(theirs - log) < 0.005 * log.std()
    assert np.std(ours - log) < 0.005 * log.std()


def test_words_of_one_topic_are_neighbours():
    corpus = make_corpus([50] * 60, v=20)
    topic = np.repeat(np.arange(60) % 2, 50)
    tokens = (np.random.default_rng(1).integers(0, 10, 3000) + 10 * topic).astype(np.int32)
    corpus = type(corpus)(**{**vars(corpus), "tokens": tokens})
    parameters = GloveParameters(dim=8, x_max=5, epochs=50, device="cpu")
    vectors = train([sample(corpus, draw_units("fixed", 60, 0, 0))], parameters, [1])[0]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T
    within = (cosines[:10, :10].sum() - 10) / 90
    assert within > cosines[:10, 10:].mean() + 0.3


def test_a_run_that_diverges_is_named(samples, monkeypatch):
    def diverge(batch, word, context, rate):
        word.rows[0] = float("nan")

    monkeypatch.setattr(glove, "descend", diverge)
    with pytest.raises(ComputationError, match="seed 77"):
        train(samples, SMALL, [77, 78, 79])


def test_lost_entries_are_noticed(samples, monkeypatch):
    monkeypatch.setattr(glove, "make_batches", lambda *arguments: make_batches(*arguments)[1:])
    with pytest.raises(ComputationError, match="co-occurrence counts are in batches"):
        train(samples, SMALL, [1, 2, 3])


@pytest.mark.parametrize(("lengths", "v"), [([], 1), ([20], 1), ([1, 1], 2)])
def test_samples_without_pairs(lengths, v):
    with pytest.raises(InputError):
        train([sample(make_corpus(lengths, v=v), draw_units("fixed", len(lengths), 0, 0))], SMALL, [1])


@pytest.mark.parametrize("wrong", [{"dim": 0}, {"window": 0}, {"epochs": 0}, {"rate": 0}, {"device": "tpu"}, {"lr": 1}])
def test_parameters_out_of_range(wrong):
    with pytest.raises(ValidationError):
        TECHNIQUE.parameters(**wrong)


def test_a_cpu_trains_runs_in_calls_of_their_own_and_a_card_all_in_one():
    draws = [np.arange(3)] * 5
    assert TECHNIQUE.fitting(None, draws, SMALL) == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(glove, "choose_device", lambda _: torch.device("cuda"))
        assert TECHNIQUE.fitting(None, draws, SMALL) == 5


THERE = SMALL.model_copy(update={"device": "cuda"})


@pytest.mark.gpu
def test_cuda_repeats_itself_and_is_near_the_cpu(samples):
    first, again, cpu = (train(samples, parameters, [1, 2, 3]) for parameters in (THERE, THERE, SMALL))
    for x, y, z in zip(first, again, cpu, strict=True):
        assert np.array_equal(x, y)
        np.testing.assert_allclose(x, z, atol=1e-3)
    assert np.array_equal(train(samples[1:2], THERE, [2])[0], first[1])


@pytest.mark.gpu
def test_128_runs_on_a_card_are_each_alone_in_one_group_or_in_many(samples, monkeypatch):
    many, seeds = [samples[n % 3] for n in range(128)], range(128)
    together = train(many, THERE, seeds)
    monkeypatch.setattr(glove, "_fits", lambda some, _: len(some) <= 50)
    for x, y in zip(train(many, THERE, seeds), together, strict=True):
        assert np.array_equal(x, y)
    for number in (0, 1, 64, 127):
        assert np.array_equal(train(many[number : number + 1], THERE, [number])[0], together[number])
        np.testing.assert_allclose(train(many[number : number + 1], SMALL, [number])[0], together[number], atol=1e-3)


@pytest.mark.gpu
def test_autocast_and_tf32_do_not_reach_it_on_a_card(samples):
    want = train(samples[:1], THERE, [1])[0]
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            assert np.array_equal(train(samples[:1], THERE, [1])[0], want)
    finally:
        torch.set_float32_matmul_precision(before)
