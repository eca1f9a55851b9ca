"""The fused twin beside the plain loop: in Triton's interpreter, on a card, and compiled for one."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from gpustab.kernels.training import word2vec
from gpustab.kernels.training.noise import Noise, noise_tables
from gpustab.kernels.training.reading import side_by_side, thin

ROOT = Path(__file__).parents[3]


class Case(NamedTuple):
    """What two twins are compared on; few words and a high rate, so that noise words repeat and vectors move far."""

    runs: int = 1
    words: int = 6
    dim: int = 7
    negative: int = 5
    window: int = 3
    texts: tuple = (0, 0, 1, 6, 8)
    epochs: int = 1
    last_rate: float = 0.01
    only: int | None = None
    cbow: bool = False


CASES = {
    "two runs": Case(runs=2),
    "the second of them alone": Case(runs=2, only=1),
    "many noise words": Case(words=40, dim=33, negative=20, window=1, texts=(0, 5)),
    "a window wider than its text, two epochs": Case(dim=1, negative=1, window=8, texts=(0, 2, 5), epochs=2),
    "constant rate": Case(last_rate=0.3, window=2),
    "cbow, two runs": Case(runs=2, cbow=True),
    "cbow, the second of them alone": Case(runs=2, only=1, cbow=True),
    "cbow, constant rate": Case(last_rate=0.3, window=2, cbow=True),
    "cbow, one word in all windows": Case(words=1, negative=3, texts=(0, 1, 2, 9), cbow=True),
    "cbow, two words": Case(words=2, dim=5, negative=20, window=9, texts=(0, 1, 3, 7), epochs=2, cbow=True),
} | {
    f"cbow, d = {dim}, K = {negative}, window {window}": Case(
        words=words, dim=dim, negative=negative, window=window, texts=(0, 1, 3, 3, 8), cbow=True
    )
    for dim, negative, window, words in [(1, 1, 1, 4), (3, 5, 2, 5), (33, 20, 5, 9), (100, 5, 5, 12), (7, 1, 16, 12)]
}


def train(case, train_epoch, device="cpu", **options):
    """Return the vectors that one of the twins trains."""
    g = torch.Generator().manual_seed(case.dim)
    texts = torch.tensor(case.texts, device=device)
    tokens = (torch.rand(case.texts[-1], generator=g).square() * case.words).int().to(device)
    seeds = [11, 2**31 - 1][: case.runs]
    model = word2vec.start_model(case.words, case.dim, seeds, device, spread=3)
    weights = torch.arange(1, case.words + 1)
    table = noise_tables(weights)
    noise = Noise(*(column.expand(case.runs, -1).contiguous().to(device) for column in table))
    chosen = slice(None) if case.only is None else slice(case.only, case.only + 1)
    seeds = seeds[chosen]
    model, noise = word2vec.Model(*(x[chosen] for x in model)), Noise(*(x[chosen] for x in noise))
    keep = torch.full((case.words,), int(0.9 * 2**32), device=device)
    recipe = word2vec.Recipe(case.window, case.negative, case.epochs, 0.3, case.last_rate, case.cbow)
    for epoch in range(case.epochs):
        reading = side_by_side([thin(tokens, texts, keep, seed, epoch) for seed in seeds])
        train_epoch(reading, noise, model, seeds, epoch, recipe, **options)
    return torch.stack(model).cpu()


def interpret(path):
    """Train every case by the interpreted twin; run in a process of its own, for Triton decides at its import."""
    from gpustab.kernels.training.triton_word2vec import train_epoch

    torch.save({name: train(case, train_epoch) for name, case in CASES.items()}, path)


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory):
    if find_spec("triton") is None:
        pytest.skip("triton is not installed")
    path = tmp_path_factory.mktemp("word2vec") / "found.pt"
    program = f"from tests.kernels.training.test_triton_word2vec import interpret; interpret({str(path)!r})"
    environment = os.environ | {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    child = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    return torch.load(path)


@pytest.mark.parametrize("name", CASES)
def test_the_interpreted_twin_is_the_loop(interpreted, name):
    want = train(CASES[name], word2vec.train_epoch)
    assert want[1].abs().max() > min(0.05, 1 / CASES[name].dim)  # they moved
    torch.testing.assert_close(interpreted[name], want, rtol=1e-5, atol=2e-6)


TECHNIQUES = pytest.mark.parametrize("technique", ["", "cbow, "], ids=["skip-gram", "cbow"])


@TECHNIQUES
def test_the_interpreted_twin_repeats_its_bits(interpreted, technique):
    two, alone = (interpreted[technique + name] for name in ("two runs", "the second of them alone"))
    assert torch.equal(alone[:, 0], two[:, 1])


GPU_CASES = CASES | {
    f"{technique}{name}": case._replace(cbow=bool(technique))
    for technique in ("", "cbow, ")
    for name, case in {
        "large": Case(runs=2, words=300, dim=100, window=5, texts=(0, 30, 2000, 2001)),
        "widest": Case(words=100, dim=512, negative=20, window=5, texts=(0, 300)),
        "widest window": Case(words=100, dim=512, negative=5, window=64, texts=(0, 300)),
    }.items()
}


@pytest.mark.gpu
@pytest.mark.parametrize("name", GPU_CASES)
@pytest.mark.parametrize("warps", [None, 1, 4])
def test_the_gpu_is_the_loop_and_repeats_its_bits(name, warps):
    from gpustab.kernels.training.triton_word2vec import train_epoch

    first, second = (train(GPU_CASES[name], train_epoch, "cuda", warps=warps) for _ in range(2))
    assert torch.equal(first, second)
    torch.testing.assert_close(first, train(GPU_CASES[name], word2vec.train_epoch), rtol=1e-3, atol=1e-4)


@pytest.mark.gpu
@TECHNIQUES
def test_runs_on_the_gpu_do_not_see_their_company(technique):
    from gpustab.kernels.training.triton_word2vec import train_epoch

    case = GPU_CASES[technique + "large"]
    both, alone = (train(case._replace(only=only), train_epoch, "cuda") for only in (None, 1))
    assert torch.equal(both[:, 1], alone[:, 0])


@pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")
@pytest.mark.skipif(os.environ.get("TRITON_INTERPRET") == "1", reason="nothing is compiled in the interpreter")
@pytest.mark.parametrize("cbow", [False, True])
def test_compiles_for_a_card(cbow):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from gpustab.kernels.training.triton_word2vec import _sizes, _train_runs

    constants = _sizes(word2vec.Recipe(5, 5, 5, 0.025, 1e-4, cbow), 100)
    pointers = {"tokens": "i32", "texts": "i64", "runs": "i64", "keys": "i64"}
    pointers |= {"threshold": "i32", "alias": "i32", "inputs": "fp32", "outputs": "fp32", "targets": "i32"}
    compiled = triton.compile(
        ASTSource(
            _train_runs,
            {name: f"*{kind}" for name, kind in pointers.items()}
            | {"epoch": "i32", "words": "i32", "first_rate": "fp32", "last_rate": "fp32"}
            | dict.fromkeys(constants, "constexpr"),
            constants,
            {(_train_runs.arg_names.index(name),): [["tt.divisibility", 16]] for name in pointers},
        ),
        target=GPUTarget("cuda", 90, 32),
        options={"num_warps": 2, "enable_fp_fusion": True},
    )
    assert "ld.global.cg" in compiled.asm["ptx"]
    assert not any(kind in compiled.asm["ptx"] for kind in ("red.global", "atom.global"))
