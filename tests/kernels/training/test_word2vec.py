"""The plain loop beside gensim with gensim's own draws and beside autograd; its own draws as they should be."""

import numpy as np
import pytest
import torch
from gensim.models import Word2Vec
from gensim.models.word2vec_inner import train_batch_cbow, train_batch_sg

from gpustab.kernels.training import word2vec
from gpustab.kernels.training.noise import noise_tables
from tests.kernels.training.test_triton_word2vec import Case, train

CBOW = pytest.mark.parametrize("cbow", [False, True], ids=["skip-gram", "cbow"])


@CBOW
def test_gensim_with_its_own_draws_is_the_loop(cbow):
    """Its generators are run beside it; what is left is its table of σ, whose steps are 0.012 wide."""
    rng = np.random.default_rng(0)
    texts = [[f"w{i}" for i in rng.integers(0, 8, n)] for n in (12, 1, 9)]
    gensim = Word2Vec(vector_size=10, window=3, negative=5, sample=0, min_count=1, sg=int(not cbow), seed=1)
    gensim.build_vocab(texts)
    v = len(gensim.wv)
    gensim.wv.vectors[:], gensim.syn1neg[:] = (rng.normal(0, 0.7, (v, 10)) for _ in range(2))
    inputs, outputs, start = gensim.wv.vectors.copy(), gensim.syn1neg.copy(), gensim.syn1neg.copy()
    gensim.random = np.random.RandomState(3)
    work = [np.zeros(10, dtype=np.float32) for _ in range(2)]
    if cbow:
        train_batch_cbow(gensim, texts, 0.1, *work, False)
    else:
        train_batch_sg(gensim, texts, 0.1, work[0], False)
    numbers = [[gensim.wv.key_to_index[w] for w in text] for text in texts]
    repeated = 0
    for contexts, targets in gensim_steps(numbers, gensim, 3, cbow):
        repeated += len(set(contexts)) < len(contexts)
        word2vec._train(inputs, outputs, contexts, targets, 0.1)
    assert (repeated > 5) == cbow
    assert np.abs(outputs - start).max() > 0.2
    np.testing.assert_allclose(inputs, gensim.wv.vectors, atol=6e-3)
    np.testing.assert_allclose(outputs, gensim.syn1neg, atol=6e-3)


def gensim_steps(texts, gensim, seed, cbow):
    """Yield the contexts, and the word with its noise words, of all steps that gensim takes."""
    random = np.random.RandomState(seed)
    state = 2**24 * int(random.randint(0, 2**24)) + int(random.randint(0, 2**24))
    widths = iter(gensim.window - random.randint(0, gensim.window, sum(len(text) for text in texts)))
    table = gensim.cum_table
    for text in texts:
        for i, word in enumerate(text):
            width = next(widths)
            window = [text[j] for j in range(max(0, i - width), min(len(text), i + width + 1)) if j != i]
            for contexts in [window] if cbow else [[word] for word in window]:
                targets = [word]
                for _ in range(gensim.negative):
                    targets.append(int(np.searchsorted(table, (state >> 16) % int(table[-1]))))
                    state = (state * 25214903917 + 11) % 2**48
                if contexts:
                    yield contexts, targets


@pytest.mark.parametrize("contexts", [[1], [1, 4, 2]])
def test_a_step_descends_the_gradient_of_equation_4(contexts):
    """Of several contexts each is moved by the gradient of their mean, as often as they are too far."""
    rng = np.random.default_rng(1)
    inputs, outputs = (rng.normal(0, 0.3, (v, 8)).astype(np.float32) for v in (5, 4))
    a, b = (torch.tensor(part, dtype=torch.float64, requires_grad=True) for part in (inputs, outputs))
    label = torch.tensor([1.0, -1.0, -1.0])
    product = word2vec.SCALE * (b[[2, 0, 3]] @ a[contexts].mean(0)) + word2vec.SHIFT
    (-torch.nn.functional.logsigmoid(label * product).sum() / word2vec.SCALE).backward()
    word2vec._train(inputs, outputs, contexts, [2, 0, 3, 2], 0.01)  # the last is the word itself: passed over
    np.testing.assert_allclose(inputs, (a - 0.01 * len(contexts) * a.grad).detach(), atol=1e-7)
    np.testing.assert_allclose(outputs, (b - 0.01 * b.grad).detach(), atol=1e-7)


def test_a_word_twice_in_a_window_counts_and_moves_twice():
    twice, apart = (np.array([[1.0, 0], [0, 1.0], [1.0, 0]], np.float32) for _ in range(2))
    outputs = [np.array([[0.5, -0.5], [0.25, 1]], np.float32) for _ in range(2)]
    word2vec._train(twice, outputs[0], [0, 1, 0], [0, 1], 0.1)
    word2vec._train(apart, outputs[1], [0, 1, 2], [0, 1], 0.1)  # word 2 has the same vector
    assert np.array_equal(outputs[0], outputs[1])
    np.testing.assert_allclose(twice[0] - [1, 0], 2 * (apart[0] - [1, 0]), atol=1e-7)
    np.testing.assert_allclose(twice[1], apart[1], atol=1e-7)


def test_large_products_are_passed_over():
    x, outputs = np.full((1, 1), 2, np.float32), np.array([[3.0], [-3.0], [2.9]], np.float32)
    word2vec._train(x, outputs, [0], [0, 1, 0], 0.1)
    assert (x.item(), outputs.ravel().tolist()) == (2, [3, -3, np.float32(2.9)])
    word2vec._train(x, outputs, [0], [0, 2], 0.1)
    assert outputs[2] < 2.9


def test_the_sigmoid_is_that_of_the_table():
    """It is the mean over the steps of gensim's table, whose place its C code finds with 1000 / 6 / 2 in integers."""
    products = np.linspace(-6, 6, 120_000, endpoint=False)
    places = np.floor((products + 6) * (1000 // 6 // 2))
    table = 1 / (1 + np.exp(6 - places / 1000 * 12))
    ours = 1 / (1 + np.exp(-word2vec.SCALE * products - word2vec.SHIFT))
    assert np.abs(table - ours).max() < 0.002
    assert abs((table - ours).mean()) < 1e-5


def test_pairs_are_those_of_a_random_window():
    n, window = 3000, 4
    tokens = torch.arange(n).int()
    recipe = word2vec.Recipe(window, 2, 1, 0.1, 0.1)
    pairs = list(word2vec._steps(tokens, 500, 2700, noise_tables(torch.ones(n)), (3, word2vec.TRAIN), 0, recipe))
    assert pairs == sorted(pairs, key=lambda pair: pair[:2])
    contexts = np.array([context for _, (context,), _ in pairs])
    assert contexts.min() == 500
    assert contexts.max() == 2699
    distance = np.abs([place - context for place, (context,), _ in pairs])
    reach = np.bincount(distance) / (2 * 2200)  # share of the words whose window reaches so far
    np.testing.assert_allclose(reach, [0, 1, 0.75, 0.5, 0.25], atol=0.04)
    noise = np.array([targets[1:] for *_, targets in pairs])
    assert noise.shape == (len(pairs), 2)
    assert len(np.unique(noise)) > 0.9 * n
    assert (noise[:, 0] == noise[:, 1]).mean() < 0.01
    assert all(targets[0] == place for place, _, targets in pairs)


def test_cbow_takes_the_windows_of_skip_gram_whole_with_noise_of_its_own():
    tokens, tables = torch.arange(300).int(), noise_tables(torch.ones(100_000))
    recipe = word2vec.Recipe(4, 3, 1, 0.1, 0.1)
    windows, pairs = (
        [
            step
            for begin, end in ((0, 40), (40, 41), (41, 300))
            for step in word2vec._steps(tokens, begin, end, tables, (3, word2vec.TRAIN), 0, recipe._replace(cbow=cbow))
        ]
        for cbow in (True, False)
    )
    assert [step.place for step in windows] == [place for place in range(300) if place != 40]  # alone in its text
    for step in windows:
        assert step.contexts == [pair.contexts[0] for pair in pairs if pair.place == step.place]
        assert step.targets[0] == step.place
    noise, others = ({word for step in steps for word in step.targets[1:]} for steps in (windows, pairs))
    assert len(noise) > 0.95 * 3 * len(windows)
    assert len(noise & others) < 0.15 * len(noise)  # by chance 1 in 20


def test_start_values():
    model = word2vec.start_model(500, 33, [1, 2], spread=1)
    assert model.inputs.shape == (2, 500, 33)
    scaled = model.inputs * 33
    assert 0.999 < scaled.abs().max() <= 1
    assert abs(scaled.mean()) < 0.02
    assert abs(scaled.var() - 1 / 3) < 0.01
    assert not torch.equal(model.inputs[0], model.inputs[1])
    assert torch.equal(word2vec.start_model(500, 33, [2]).inputs[0] * 2, model.inputs[1])
    assert not model.outputs.any()


@CBOW
def test_the_learning_rate_falls_over_all_epochs(cbow):
    rates = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word2vec, "_train", lambda inputs, outputs, contexts, targets, rate: rates.append(rate))
        train(Case(texts=(0, 400), window=1, epochs=2, cbow=cbow), word2vec.train_epoch)
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == pytest.approx(0.3)
    assert rates[len(rates) // 2] == pytest.approx(0.155, abs=0.01)
    assert rates[-1] == pytest.approx(0.01, abs=0.002)
