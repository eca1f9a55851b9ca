import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import draw_units, sample, training_seed
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from gpustab.errors import ComputationError, InputError, OutOfMemoryError
from gpustab.kernels.gram import block_gram
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.pip_loss import pip_from_gram, reduced
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.trainers import technique, word2vec_gpu
from gpustab.trainers.word2vec import Word2VecParameters, train_word2vec
from gpustab.trainers.word2vec_gpu import train_many
from tests.trainers.conftest import make_corpus

PARAMETERS = Word2VecParameters(dim=5, window=2, epochs=2, negative=5, subsample=0.05)
CBOW = pytest.mark.parametrize("cbow", [False, True], ids=["sgns", "cbow"])
SEEDS = [training_seed(0, "shuffled", run) for run in range(3)]


@pytest.fixture(scope="module")
def corpus():
    return make_corpus([0, 70, 1, 90, 40], v=50)


def draws_of(corpus, sampling="bootstrap", runs=3):
    return [draw_units(sampling, len(corpus), 0, run) for run in range(runs)]


@pytest.fixture(scope="module", params=[False, True], ids=["sgns", "cbow"])
def cbow(request):
    return request.param


@pytest.fixture(scope="module")
def trained(corpus, cbow):
    return list(train_many(corpus, draws_of(corpus), SEEDS, PARAMETERS, cbow=cbow, device="cpu"))


def test_runs_hold_the_words_and_counts_of_their_samples(corpus, trained):
    assert len(trained) == 3
    for run, draw in zip(trained, draws_of(corpus), strict=True):
        want = sample(corpus, draw)
        np.testing.assert_array_equal(run.words, want.words)
        np.testing.assert_array_equal(run.counts, want.counts[want.words])
        assert run.vectors.shape == (len(run.words), 5)
        assert run.vectors.dtype == np.float32
    assert len({len(run.words) for run in trained}) > 1  # bootstrap runs lack words


def test_the_same_call_gives_the_same_bits_in_any_company(corpus, cbow, trained, monkeypatch):
    draws = draws_of(corpus)
    (alone,) = train_many(corpus, draws[1:2], SEEDS[1:2], PARAMETERS, cbow=cbow, device="cpu")
    np.testing.assert_array_equal(alone.vectors, trained[1].vectors)
    monkeypatch.setattr(word2vec_gpu, "_runs_that_fit", lambda *_: 2)
    found = train_many(corpus, draws, SEEDS, PARAMETERS, cbow=cbow, device="cpu")
    for run, want in zip(found, trained, strict=True):
        np.testing.assert_array_equal(run.vectors, want.vectors)


def test_draw_and_training_seed_are_two_things(corpus):
    fixed = draws_of(corpus, "fixed", 2)
    first, second = train_many(corpus, fixed, SEEDS[:2], PARAMETERS, device="cpu")
    assert not np.array_equal(first.vectors, second.vectors)
    shuffled = draws_of(corpus, "shuffled", 2)
    first, second = train_many(corpus, shuffled, SEEDS[:1] * 2, PARAMETERS, device="cpu")
    assert not np.array_equal(first.vectors, second.vectors)


def test_the_technique_takes_samples(corpus, cbow, trained, monkeypatch):
    monkeypatch.setattr(word2vec_gpu, "choose_device", lambda _: torch.device("cpu"))
    samples, found = [sample(corpus, draw) for draw in draws_of(corpus)], technique("cbow" if cbow else "sgns", "gpu")
    for got, want in zip(found.train(samples, PARAMETERS, SEEDS), trained, strict=True):
        np.testing.assert_array_equal(got, want.vectors)
    for got, want in zip(found.with_output(samples, PARAMETERS, SEEDS), trained, strict=True):
        np.testing.assert_array_equal(got.vectors, want.vectors)
        assert got.output.any()


def two_topics():
    """Texts about one of two halves of the vocabulary, and words of their own place in both."""
    rng = np.random.default_rng(0)
    texts = [rng.integers(0, 10, 20) + 10 * (n % 2) for n in range(60)]
    tokens = np.concatenate(texts).astype(np.int32)
    offsets = np.arange(0, len(tokens) + 1, 20, dtype=np.int64)
    return Corpus("topics", Vocabulary(f"w{i}" for i in range(20)), tokens, offsets, np.arange(61), "document", {})


def mean_cosine(vectors, rows, columns):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return (unit[rows] @ unit[columns].T).mean()


@CBOW
def test_words_of_one_topic_are_close_as_with_gensim(cbow):
    corpus = two_topics()
    parameters = Word2VecParameters(dim=8, window=4, epochs=5, alpha=0.1, subsample=0)
    draw = draw_units("fixed", len(corpus), 0, 0)
    (run,) = train_many(corpus, [draw], [7], parameters, cbow=cbow, device="cpu")
    gensim = train_word2vec(sample(corpus, draw), parameters, 7, sg=int(not cbow), batch_words=20)
    a, b = slice(0, 10), slice(10, 20)
    for rows, columns in ((a, a), (b, b), (a, b)):
        want = mean_cosine(gensim, rows, columns)
        assert mean_cosine(run.vectors, rows, columns) == pytest.approx(want, abs=0.1)
    assert mean_cosine(run.vectors, a, a) > mean_cosine(run.vectors, a, b) + 0.5


@pytest.mark.slow
def test_the_distribution_over_runs_is_that_of_gensim():
    """With gensim's learning rate lowered after every text as ours is; of CBOW `benchmarks/cbow.py` tests it."""
    corpus, runs = prepare_corpus("lee", CorpusOptions(min_count=5, fraction=0.2)), 6
    parameters = Word2VecParameters(dim=20, epochs=20, alpha=0.05)
    draws, seeds = (
        draws_of(corpus, "shuffled", 2 * runs),
        [training_seed(0, "shuffled", run) for run in range(2 * runs)],
    )
    ours = [run.vectors for run in train_many(corpus, draws[:runs], seeds[:runs], parameters, device="cpu")]
    gensim = [
        train_word2vec(sample(corpus, draw), parameters, seed, sg=1, batch_words=50)
        for draw, seed in zip(draws[runs:], seeds[runs:], strict=True)
    ]
    unit = normalize(torch.from_numpy(np.stack(ours + gensim)).double(), dim=2)
    means = unit.mean(1).square().sum(1)  # the mean cosine of all pairs of words
    assert float(means[:runs].mean()) == pytest.approx(
        float(means[runs:].mean()), abs=4 * float(means.var() / runs * 2) ** 0.5
    )
    losses = pair_matrix(reduced(pip_from_gram(block_gram(unit)).total, unit.shape[1]), 2 * runs)
    within = [float(losses[part, part].sum()) / (runs * (runs - 1)) for part in (slice(runs), slice(runs, None))]
    assert within[0] == pytest.approx(within[1], rel=0.03)
    assert float(losses[:runs, runs:].mean()) == pytest.approx(sum(within) / 2, rel=0.02)


@pytest.mark.parametrize("spread", [1.0, 0.5])
def test_both_engines_start_within_the_same_range(corpus, spread):
    parameters = PARAMETERS.model_copy(update={"alpha": 1e-30, "min_alpha": 1e-30, "spread": spread})
    draw = draw_units("fixed", len(corpus), 0, 0)
    (ours,) = train_many(corpus, [draw], SEEDS[:1], parameters, device="cpu")
    gensim = train_word2vec(sample(corpus, draw), parameters, SEEDS[0], sg=1)
    for vectors in (ours.vectors, gensim):
        assert 0.97 * spread < np.abs(vectors).max() * 5 <= spread


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dim": 513}, "dim is 513, wanted 1 to 512"),
        ({"negative": 0}, "negative is 0, wanted 1 to 31"),
        ({"negative": 32}, "negative is 32"),
        ({"window": 65}, "window is 65"),
        ({"hierarchical_softmax": True, "negative": 0}, "hierarchical_softmax is not trained on a GPU"),
    ],
)
def test_parameters_that_it_does_not_have_are_refused(corpus, changes, message):
    with pytest.raises(InputError, match=message):
        next(train_many(corpus, draws_of(corpus), SEEDS, Word2VecParameters(**changes), device="cpu"))


@pytest.mark.parametrize(("cbow", "name"), [(False, "skip-gram"), (True, "CBOW")])
def test_a_diverged_run_is_an_error(corpus, cbow, name):
    parameters = PARAMETERS.model_copy(update={"alpha": 1e300, "min_alpha": 1e300})
    with (
        pytest.raises(ComputationError, match=f"{name} diverged in the run of seed {SEEDS[0]}"),
        np.errstate(over="ignore", invalid="ignore"),
    ):
        next(train_many(corpus, draws_of(corpus), SEEDS, parameters, cbow=cbow, device="cpu"))


def test_what_fits_follows_from_the_memory(corpus, monkeypatch):
    draws, device = draws_of(corpus), torch.device("cpu")
    monkeypatch.setattr(word2vec_gpu, "free_memory", lambda _: 1 << 40)
    assert word2vec_gpu._runs_that_fit(corpus, draws, 100, device) == 3
    monkeypatch.setattr(word2vec_gpu, "free_memory", lambda _: 130_000)
    assert word2vec_gpu._runs_that_fit(corpus, draws, 100, device) == 2
    monkeypatch.setattr(word2vec_gpu, "free_memory", lambda _: 40_000)
    with pytest.raises(OutOfMemoryError, match=r"a run takes .* bytes, cpu has 40,000 free"):
        word2vec_gpu._runs_that_fit(corpus, draws, 100, device)


@pytest.mark.gpu
def test_the_gpu_gives_the_runs_of_the_cpu(corpus, cbow, trained):
    draws = draws_of(corpus)
    first, second = (list(train_many(corpus, draws, SEEDS, PARAMETERS, cbow=cbow, device="cuda")) for _ in range(2))
    for a, b, want in zip(first, second, trained, strict=True):
        np.testing.assert_array_equal(a.vectors, b.vectors)
        np.testing.assert_array_equal(a.words, want.words)
        np.testing.assert_allclose(a.vectors, want.vectors, rtol=1e-3, atol=1e-5)
