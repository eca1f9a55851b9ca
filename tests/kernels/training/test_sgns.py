import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch
from gensim.models import Word2Vec
from gensim.models.word2vec_inner import train_batch_sg

from gpustab.corpus.sampling import draw_units, sample
from gpustab.kernels.training import sgns
from tests.trainers.conftest import make_corpus

ROOT = Path(__file__).parents[3]


class Case(NamedTuple):
    """What two twins are compared on; few words and a high rate, so that noise words repeat and vectors move far."""

    runs: int = 1
    words: int = 6
    dim: int = 7
    negative: int = 5
    window: int = 3
    texts: tuple = (0, 0, 1, 9, 10, 15)
    epochs: int = 1
    last_rate: float = 0.01
    only: int | None = None


CASES = {
    "two runs": Case(runs=2),
    "the second of them alone": Case(runs=2, only=1),
    "many noise words": Case(words=40, dim=33, negative=20, window=1, texts=(0, 6)),
    "a window wider than its text, two epochs": Case(dim=1, negative=1, window=8, texts=(0, 2, 5), epochs=2),
    "constant rate": Case(last_rate=0.3, window=2),
}


def train(case, train_epoch, device="cpu", **options):
    """Return the vectors that one of the twins trains."""
    g = torch.Generator().manual_seed(case.dim)
    texts = torch.tensor(case.texts, device=device)
    tokens = (torch.rand(case.texts[-1], generator=g).square() * case.words).int().to(device)
    seeds = [11, 2**31 - 1][: case.runs]
    model = sgns.start_model(case.words, case.dim, seeds, device, spread=3)
    weights = torch.arange(1, case.words + 1)
    table = sgns.noise_tables(weights)
    noise = sgns.Noise(*(column.expand(case.runs, -1).contiguous().to(device) for column in table))
    chosen = slice(None) if case.only is None else slice(case.only, case.only + 1)
    seeds = seeds[chosen]
    model, noise = sgns.Model(*(x[chosen] for x in model)), sgns.Noise(*(x[chosen] for x in noise))
    keep = torch.full((case.words,), int(0.9 * 2**32), device=device)
    recipe = sgns.Recipe(case.window, case.negative, case.epochs, 0.3, case.last_rate)
    for epoch in range(case.epochs):
        reading = sgns.side_by_side([sgns.thin(tokens, texts, keep, seed, epoch) for seed in seeds])
        train_epoch(reading, noise, model, seeds, epoch, recipe, **options)
    return torch.stack(model).cpu()


def interpret(path):
    """Train every case by the interpreted twin; run in a process of its own, for Triton decides at its import."""
    from gpustab.kernels.training.triton_sgns import train_epoch

    found = {name: train(case, train_epoch) for name, case in CASES.items()}
    found["again"] = train(CASES["two runs"], train_epoch)
    found["three programs"] = train(CASES["constant rate"], train_epoch, programs_per_run=3)
    torch.save(found, path)


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory):
    if find_spec("triton") is None:
        pytest.skip("triton is not installed")
    path = tmp_path_factory.mktemp("sgns") / "found.pt"
    program = f"from tests.kernels.training.test_sgns import interpret; interpret({str(path)!r})"
    environment = os.environ | {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    child = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    return torch.load(path)


@pytest.mark.parametrize("name", CASES)
def test_the_interpreted_twin_is_the_loop(interpreted, name):
    want = train(CASES[name], sgns.train_epoch)
    assert want[1].abs().max() > 0.05  # they moved
    torch.testing.assert_close(interpreted[name], want, rtol=1e-5, atol=2e-6)


def test_the_interpreted_twin_repeats_its_bits(interpreted):
    assert torch.equal(interpreted["again"], interpreted["two runs"])
    assert torch.equal(interpreted["the second of them alone"][:, 0], interpreted["two runs"][:, 1])


def test_programs_of_a_run_share_its_tokens(interpreted):
    """The interpreter runs them one after the other: at a constant rate that is the loop."""
    torch.testing.assert_close(interpreted["three programs"], interpreted["constant rate"], rtol=1e-5, atol=2e-6)


GPU_CASES = CASES | {
    "large": Case(runs=2, words=300, dim=100, window=5, texts=(0, 30, 2000, 2001)),
    "widest": Case(words=100, dim=512, negative=20, window=5, texts=(0, 300)),
}


@pytest.mark.gpu
@pytest.mark.parametrize("name", GPU_CASES)
@pytest.mark.parametrize("warps", [None, 1, 4])
def test_the_gpu_is_the_loop_and_repeats_its_bits(name, warps):
    from gpustab.kernels.training.triton_sgns import train_epoch

    first, second = (train(GPU_CASES[name], train_epoch, "cuda", warps=warps) for _ in range(2))
    assert torch.equal(first, second)
    torch.testing.assert_close(first, train(GPU_CASES[name], sgns.train_epoch), rtol=1e-3, atol=1e-4)


@pytest.mark.gpu
def test_runs_on_the_gpu_do_not_see_their_company():
    from gpustab.kernels.training.triton_sgns import train_epoch

    both, alone = (train(GPU_CASES["large"]._replace(only=only), train_epoch, "cuda") for only in (None, 1))
    assert torch.equal(both[:, 1], alone[:, 0])


def test_gensim_with_its_own_draws_is_the_loop():
    """Its generators are run beside it; what is left is its table of σ, whose steps are 0.012 wide."""
    rng = np.random.default_rng(0)
    texts = [[f"w{i}" for i in rng.integers(0, 8, n)] for n in (12, 1, 9)]
    gensim = Word2Vec(vector_size=10, window=3, negative=5, sample=0, min_count=1, sg=1, seed=1)
    gensim.build_vocab(texts)
    v = len(gensim.wv)
    gensim.wv.vectors[:], gensim.syn1neg[:] = (rng.normal(0, 0.7, (v, 10)) for _ in range(2))
    inputs, outputs, start = gensim.wv.vectors.copy(), gensim.syn1neg.copy(), gensim.syn1neg.copy()
    gensim.random = np.random.RandomState(3)
    train_batch_sg(gensim, texts, 0.1, np.zeros(10, dtype=np.float32), False)
    for context, targets in gensim_pairs([[gensim.wv.key_to_index[w] for w in text] for text in texts], gensim, 3):
        sgns._train_pair(inputs[context], outputs, targets, 0.1)
    assert np.abs(outputs - start).max() > 0.5
    np.testing.assert_allclose(inputs, gensim.wv.vectors, atol=6e-3)
    np.testing.assert_allclose(outputs, gensim.syn1neg, atol=6e-3)


def gensim_pairs(texts, gensim, seed):
    """Yield the context, and the word with its noise words, of all pairs that gensim trains."""
    random = np.random.RandomState(seed)
    state = 2**24 * int(random.randint(0, 2**24)) + int(random.randint(0, 2**24))
    widths = iter(gensim.window - random.randint(0, gensim.window, sum(len(text) for text in texts)))
    table = gensim.cum_table
    for text in texts:
        for i, word in enumerate(text):
            width = next(widths)
            for j in range(max(0, i - width), min(len(text), i + width + 1)):
                if j != i:
                    targets = [word]
                    for _ in range(gensim.negative):
                        targets.append(int(np.searchsorted(table, (state >> 16) % int(table[-1]))))
                        state = (state * 25214903917 + 11) % 2**48
                    yield text[j], targets


def test_a_pair_descends_the_gradient_of_equation_4():
    rng = np.random.default_rng(1)
    x, outputs = rng.normal(0, 0.3, 8).astype(np.float32), rng.normal(0, 0.3, (4, 8)).astype(np.float32)
    a, b = (torch.tensor(part, dtype=torch.float64, requires_grad=True) for part in (x, outputs))
    label = torch.tensor([1.0, -1.0, -1.0])
    product = sgns.SCALE * (b[[2, 0, 3]] @ a) + sgns.SHIFT
    (-torch.nn.functional.logsigmoid(label * product).sum() / sgns.SCALE).backward()
    sgns._train_pair(x, outputs, [2, 0, 3, 2], 0.01)  # the last is the word itself: passed over
    np.testing.assert_allclose(x, (a - 0.01 * a.grad).detach(), atol=1e-7)
    np.testing.assert_allclose(outputs, (b - 0.01 * b.grad).detach(), atol=1e-7)


def test_large_products_are_passed_over():
    x, outputs = np.full(1, 2, np.float32), np.array([[3.0], [-3.0], [2.9]], np.float32)
    sgns._train_pair(x, outputs, [0, 1, 0], 0.1)
    assert (x.item(), outputs.ravel().tolist()) == (2, [3, -3, np.float32(2.9)])
    sgns._train_pair(x, outputs, [0, 2], 0.1)
    assert outputs[2] < 2.9


def test_the_sigmoid_is_that_of_the_table():
    """It is the mean over the steps of gensim's table, whose place its C code finds with 1000 / 6 / 2 in integers."""
    products = np.linspace(-6, 6, 120_000, endpoint=False)
    places = np.floor((products + 6) * (1000 // 6 // 2))
    table = 1 / (1 + np.exp(6 - places / 1000 * 12))
    ours = 1 / (1 + np.exp(-sgns.SCALE * products - sgns.SHIFT))
    assert np.abs(table - ours).max() < 0.002
    assert abs((table - ours).mean()) < 1e-5


@pytest.mark.parametrize("subsample", [0, 1e-3, 0.05, 0.999, 1, 7])
def test_thresholds_are_those_of_gensim(subsample):
    counts = [5000, 900, 90, 20, 7, 1]
    gensim = Word2Vec(sample=subsample, min_count=1)
    gensim.build_vocab_from_freq({f"w{i}": n for i, n in enumerate(counts)})
    want = gensim.wv.expandos["sample_int"].astype(np.int64)
    got = sgns.keep_thresholds(torch.tensor(counts), subsample).numpy()
    assert np.abs(got - want).max() <= 2  # of 2³²


@pytest.mark.parametrize(
    "weights",
    [[1.0], [1, 1], [3, 1], [0, 5, 0], [1, 1, 2, 2, 4, 4], list(range(100)), [1e-9, 1, 1e9], [0.1] * 7],
)
def test_noise_tables_hold_the_weights(weights):
    weights = torch.tensor(weights, dtype=torch.float64)
    table = sgns.noise_tables(weights)
    own = table.threshold.double() / 2**31
    mass = own.clone().index_add_(0, table.alias.long(), 1 - own) / len(weights)
    torch.testing.assert_close(mass, weights / weights.sum(), rtol=0, atol=2e-9)
    assert (mass[weights == 0] == 0).all()


def test_noise_is_drawn_as_by_gensim():
    counts = torch.tensor([5000, 900, 90, 20, 7, 1])
    gensim = Word2Vec(min_count=1)
    gensim.build_vocab_from_freq({f"w{i}": n for i, n in enumerate(counts.tolist())})
    want = np.diff(gensim.cum_table.astype(np.int64), prepend=0) / int(gensim.cum_table[-1])
    table = sgns.noise_tables(counts.double() ** 0.75)
    n = 200_000
    drawn = torch.bincount(sgns.draw_noise(table, sgns.random_words(n, (1, 2))), minlength=6).numpy() / n
    assert (np.abs(drawn - want) < 5 * np.sqrt(want * (1 - want) / n)).all()
    cells = torch.arange(2**32 // 6 - 2000, 2**32 // 6 + 2000)  # around the border of two cells
    assert set(sgns.draw_noise(table, cells).tolist()) <= {0, 1}


@pytest.mark.parametrize("sampling", ["fixed", "shuffled", "bootstrap"])
def test_units_are_read_as_on_the_cpu(sampling):
    corpus = make_corpus([0, 70, 1, 250, 0, 30])
    draw = draw_units(sampling, len(corpus), 1, 2)
    arrays = (torch.from_numpy(part) for part in (corpus.tokens, corpus.texts, corpus.units, draw))
    tokens, texts = sgns.read_units(*arrays)
    want = sample(corpus, draw)
    np.testing.assert_array_equal(tokens, want.tokens)
    np.testing.assert_array_equal(texts.unique(), want.texts)  # empty texts are kept here: they hold no pairs


def test_thinning_keeps_the_texts():
    tokens = torch.arange(1000).int() % 3
    texts = torch.tensor([0, 0, 10, 500, 1000])
    keep = torch.tensor([2**32, 2**31, 0])
    kept, offsets = sgns.thin(tokens, texts, keep, 5, 1)
    assert (kept == 0).sum() == 334
    assert 110 < (kept == 1).sum() < 220
    assert (kept == 2).sum() == 0
    assert offsets[[0, 1, -1]].tolist() == [0, 0, len(kept)]
    assert (kept[: offsets[2]] == 0).sum() == 4
    for other in ((6, 1), (5, 2)):
        assert not torch.equal(sgns.thin(tokens, texts, keep, *other)[0], kept)


def test_pairs_are_those_of_a_random_window():
    n, window = 3000, 4
    tokens = torch.arange(n).int()
    table = sgns.noise_tables(torch.ones(n))
    recipe = sgns.Recipe(window, 2, 1, 0.1, 0.1)
    pairs = list(sgns._pairs(tokens, 500, 2700, table, (3, sgns.TRAIN), 0, recipe))
    assert pairs == sorted(pairs, key=lambda pair: pair[:2])
    contexts = np.array([context for _, context, _ in pairs])
    assert contexts.min() == 500
    assert contexts.max() == 2699
    distance = np.abs([place - context for place, context, _ in pairs])
    reach = np.bincount(distance) / (2 * 2200)  # share of the words whose window reaches so far
    np.testing.assert_allclose(reach, [0, 1, 0.75, 0.5, 0.25], atol=0.04)
    noise = np.array([targets[1:] for *_, targets in pairs])
    assert noise.shape == (len(pairs), 2)
    assert len(np.unique(noise)) > 0.9 * n
    assert (noise[:, 0] == noise[:, 1]).mean() < 0.01
    assert all(targets[0] == place for place, _, targets in pairs)


def test_start_values():
    model = sgns.start_model(500, 33, [1, 2], spread=1)
    assert model.inputs.shape == (2, 500, 33)
    scaled = model.inputs * 33
    assert 0.999 < scaled.abs().max() <= 1
    assert abs(scaled.mean()) < 0.02
    assert abs(scaled.var() - 1 / 3) < 0.01
    assert not torch.equal(model.inputs[0], model.inputs[1])
    assert torch.equal(sgns.start_model(500, 33, [2]).inputs[0] * 2, model.inputs[1])
    assert not model.outputs.any()


def test_the_learning_rate_falls_over_all_epochs():
    rates = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sgns, "_train_pair", lambda x, outputs, targets, rate: rates.append(rate))
        train(Case(texts=(0, 400), window=1, epochs=2), sgns.train_epoch)
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == pytest.approx(0.3)
    assert rates[len(rates) // 2] == pytest.approx(0.155, abs=0.01)
    assert rates[-1] == pytest.approx(0.01, abs=0.002)
