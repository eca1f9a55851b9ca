"""The fused word-wise PIP loss against its plain twin and the naive oracle.

Triton decides when it is imported whether it interprets kernels, and other tests import it without. So the tests of the
kernel run on a CUDA device if there is one, and on the CPU in a child process that runs this file with
``TRITON_INTERPRET=1``.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from gpustab.kernels.dispatch import use_triton
from gpustab.kernels.gram import block_gram
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.pip_loss import WordwisePip, wordwise_pip
from gpustab.kernels.triton import packed_gram
from gpustab.kernels.triton.packed_gram import PRODUCTS, fitting_tile, pack_gram, padded_width
from gpustab.kernels.triton.wordwise import packed_wordwise
from gpustab.kernels.triton.wordwise_kernel import _wordwise_kernel, wordwise_sums
from tests import generators, oracles

ROOT = Path(__file__).parents[2]
INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
SIZES = [(2, 1, 5), (3, 7, 16), (5, 63, 33), (3, 70, 100), (2, 63, 300)]  # (R, c, d)
VOCABULARY = 90

needs_triton = pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")


@pytest.fixture(params=["cpu"] if INTERPRETED else [pytest.param("cuda", marks=[pytest.mark.gpu, needs_triton])])
def device(request):
    return torch.device(request.param)


def child(*arguments, **environment):
    found = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, env=os.environ | environment
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@needs_triton
@pytest.mark.skipif(INTERPRETED, reason="this is the child")
def test_the_kernel_in_the_interpreter():
    options = ("-m", "pytest", "-p", "no:cacheprovider", "-k", "cpu", str(Path(__file__).relative_to(ROOT)))
    assert " passed" in child(*options, TRITON_INTERPRET="1", GPUSTAB_KERNELS="triton")


OWN = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}


def wordwise_statistics(rows, gram, words, present=None, precision=None, terms=1):
    packed = packed_gram.pack_gram(gram, words, precision or OWN[rows.dtype], terms)
    return packed_wordwise(rows, packed, present)


def close(got, want, rtol, spread=1e-3):
    """All five fields; SD and standard error are differences of the losses, hence less accurate."""
    for name, tolerance in zip(WordwisePip._fields, (rtol, spread, spread, 0, 2 * rtol), strict=True):
        a, b = getattr(got, name).cpu(), getattr(want, name).cpu()
        torch.testing.assert_close(a, b, rtol=tolerance, atol=0, equal_nan=True, msg=lambda m, n=name: f"{n}: {m}")


@pytest.mark.parametrize("size", SIZES)
def test_equals_the_naive_oracle_and_the_plain_twin(device, size):
    runs, c, d = size
    stack = generators.noisy_copies(runs, VOCABULARY, d)
    gram = block_gram(stack)
    rows = stack[:, :c].float()
    got = wordwise_statistics(rows.to(device), gram.to(device), VOCABULARY)
    every = np.array([oracles.wordwise_pip(stack[i], stack[j])[:c] for i, j in oracles.pairs(runs)])  # (pairs, c)
    np.testing.assert_allclose(got.mean.cpu(), every.mean(0), rtol=1e-5)
    np.testing.assert_allclose(got.square.cpu(), (every**2).mean(0), rtol=2e-5)
    if runs > 2:
        np.testing.assert_allclose(got.sd.cpu(), every.std(0, ddof=1), rtol=1e-3)
        error = oracles.jackknife(pair_matrix(torch.from_numpy(every[:, 0]), runs).numpy())
        np.testing.assert_allclose(got.se[0].cpu(), error, rtol=1e-3)
    close(got, wordwise_pip(rows.double(), gram, VOCABULARY), 1e-5)


@pytest.mark.parametrize(("precision", "error"), [("fp32", 1e-5), ("tf32", 5e-4), ("fp16", 5e-4), ("bf16", 4e-3)])
def test_every_precision_keeps_its_error(device, precision, error):
    stack = generators.noisy_copies(3, 70, 40)
    gram = block_gram(stack)
    got = wordwise_statistics(stack.to(device), gram.to(device), 70, precision=precision)
    close(got, wordwise_pip(stack, gram, 70), error, spread=200 * error)


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_a_second_term_makes_small_losses_accurate(device, precision):
    stack = generators.noisy_copies(4, 1000, 60, noise=0.005)
    gram, rows = block_gram(stack), stack[:, :200]
    want = wordwise_pip(rows, gram, 1000).mean
    errors = [
        (wordwise_statistics(rows.to(device), gram.to(device), 1000, None, precision, terms).mean.cpu() / want - 1)
        for terms in (1, 2)
    ]
    one, two = (error.square().mean().sqrt() for error in errors)
    assert two < one / 4
    assert two < (1e-3 if precision == "fp16" else 5e-3)


@pytest.mark.parametrize("scale", [1e-3, 30.0])
def test_rows_of_any_length(device, scale):
    stack = generators.noisy_copies(3, 50, 20) * scale
    gram = block_gram(stack)
    got = wordwise_statistics(stack.to(device), gram.to(device), 50, precision="fp16")
    close(got, wordwise_pip(stack, gram, 50), 2e-3, spread=0.2)


def test_absent_words_leave_their_runs_out(device):
    stack = generators.noisy_copies(5, 63, 33).float()
    gram = block_gram(stack.double())
    present = torch.rand(5, 63, generator=generators.generator(1)) < 0.6
    present[:, 0], present[1:, 1], present[2:, 2], present[3:, 3] = False, False, False, False
    rows = torch.where(present[:, :, None], stack, torch.nan)
    got = wordwise_statistics(rows.to(device), gram.to(device), 63, present.to(device))
    close(got, wordwise_pip(torch.where(present[:, :, None], stack, 0).double(), gram, 63, present), 1e-5)
    assert got.pairs[:4].tolist() == [0, 0, int(present[:2, 2].all()), *got.pairs[3:4].tolist()]


def test_nan_stays_in_its_word(device):
    stack = generators.noisy_copies(3, 20, 8).float()
    gram = block_gram(stack.double()).to(device)
    whole = wordwise_statistics(stack.to(device), gram, 20).mean
    stack[1, 7, 3] = torch.nan
    mean = wordwise_statistics(stack.to(device), gram, 20).mean
    assert mean.isnan().nonzero().flatten().tolist() == [7]
    assert torch.equal(mean[8:], whole[8:])


def test_equal_runs_have_no_loss(device):
    x = generators.anisotropic(40, 12).float()
    got = wordwise_statistics(
        torch.stack([x, x, x]).to(device), block_gram(torch.stack([x, x, x]).double()).to(device), 40
    )
    assert got.mean.max() < 1e-3


def arguments(device, runs=3, words=32, width=16):
    """Valid arguments of the operator."""
    stack = generators.noisy_copies(runs, words, width).float()
    gram = pack_gram(block_gram(stack.double()), words, "fp32")
    own = torch.einsum("rcd,rde,rce->rc", stack, gram.own, stack)
    present = torch.ones(runs, words, dtype=torch.uint8)
    return *(t.to(device) for t in (stack, own, gram.blocks, present)), 16, 16, 2, "ieee"


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_every_output_is_written_before_it_is_read(device, runs):
    given = arguments(device, runs)
    want = wordwise_sums(*given)
    torch.use_deterministic_algorithms(True)  # torch.empty then holds NaN
    try:
        assert torch.empty(1, device=device).isnan()
        got = wordwise_sums(*given)
    finally:
        torch.use_deterministic_algorithms(False)
    assert all(torch.equal(a, b) and a.isfinite().all() for a, b in zip(got, want, strict=True))


def test_equal_bits_at_every_call_and_equal_numbers_for_every_tile(device):
    stack = generators.noisy_copies(5, 70, 100).to(device)
    gram = pack_gram(block_gram(stack), 70, "fp16")
    first, second = packed_wordwise(stack, gram), packed_wordwise(stack, gram)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    for tile in (16, 32, 64, 128):
        close(packed_wordwise(stack, gram, tile=tile), first, 1e-6, spread=1e-4)


def test_chunks_give_the_numbers_of_the_whole(device):
    stack = generators.noisy_copies(3, 50, 24).to(device)
    gram = pack_gram(block_gram(stack), 50, "fp16", terms=2)
    parts = [packed_wordwise(part, gram) for part in stack.split(13, dim=1)]
    joined = WordwisePip(*(torch.cat(field) for field in zip(*parts, strict=True)))
    close(joined, packed_wordwise(stack, gram), 1e-6, spread=1e-4)


def test_the_order_of_runs_does_not_matter(device):
    stack = generators.noisy_copies(5, 63, 33).to(device)
    turned = stack[[3, 0, 4, 2, 1]]
    got, want = (wordwise_statistics(s, block_gram(s), 63, precision="fp32") for s in (turned, stack))
    close(got, want, 1e-5)


def test_torch_knows_the_operator(device):
    tests = ["test_schema", "test_autograd_registration", "test_faketensor"]
    if not INTERPRETED:  # functionalisation traces into the kernel, and an interpreted one cannot be traced
        tests.append("test_aot_dispatch_dynamic")
    given = arguments(device)
    torch.library.opcheck(wordwise_sums, given, test_utils=tests)
    backend = "eager" if INTERPRETED else "inductor"
    compiled = torch.compile(lambda *inputs: wordwise_sums(*inputs), fullgraph=True, backend=backend)
    assert all(torch.equal(a, b) for a, b in zip(compiled(*given), wordwise_sums(*given), strict=True))


def test_dispatch_to_the_kernel(device, monkeypatch):
    monkeypatch.setenv("GPUSTAB_KERNELS", "triton")
    tensor = torch.zeros(2, 3, 4, device=device)
    assert use_triton(tensor) == (True, f"GPUSTAB_KERNELS=triton on {tensor.device}")


@pytest.mark.parametrize("precision", ["fp16", "tf32", "fp32"])
@pytest.mark.parametrize("memory", [232_448, 166_912, 101_376])  # bytes: Hopper, A100, consumer cards
def test_tiles_fit_every_dimension(precision, memory, monkeypatch):
    monkeypatch.setattr(packed_gram, "SHARED_MEMORY", memory)
    for d in range(1, 513):
        width = padded_width(d)
        tile, columns, stages = fitting_tile(width, precision, torch.device("cpu"))
        assert d <= width <= max(16, 2 * d)
        assert width.bit_count() <= 2
        assert width % columns == 0
        assert min(tile, columns) >= 16
        assert (2 if precision == "fp16" else 4) * width * (tile + stages * columns) < memory


@needs_triton
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled in the interpreter")
@pytest.mark.parametrize(("precision", "d"), [("fp16", 300), ("bf16", 512), ("fp32", 300)])
def test_compiles_for_hopper_within_its_shared_memory(precision, d):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    width = padded_width(d)
    tile, columns, stages = fitting_tile(width, precision, torch.device("cpu"))
    head = 1 << (width.bit_length() - 1)
    constants = {
        "HEAD": head, "TAIL": width - head, "COLUMNS": columns, "TERMS": 2, "TILE": tile,
        "PRODUCTS": PRODUCTS[precision], "WIDEN": False,
    }  # fmt: skip
    pointers = {"rows": precision, "own": "fp32", "blocks": precision, "present": "u8", "sums": "fp64", "total": "fp64"}
    compiled = triton.compile(
        ASTSource(
            _wordwise_kernel,
            {name: f"*{kind}" for name, kind in pointers.items()}
            | {"runs": "i32", "words": "i32"}
            | dict.fromkeys(constants, "constexpr"),
            constants,
            {(_wordwise_kernel.arg_names.index(name),): [["tt.divisibility", 16]] for name in (*pointers, "words")},
        ),
        target=GPUTarget("cuda", 90, 32),
        options={"num_warps": 8 if tile == 128 else 4, "num_stages": stages, "enable_fp_fusion": True},
    )
    assert compiled.metadata.shared <= packed_gram.SHARED_MEMORY
    assert "wgmma" in compiled.asm["ptx"]
    assert "cp.async" in compiled.asm["ptx"]


@pytest.mark.parametrize(
    ("choice", "tensor", "reason"),
    [
        ("plain", torch.zeros(2, 3), "GPUSTAB_KERNELS=plain"),
        pytest.param("auto", torch.zeros(2, 3), "wanted cuda", marks=needs_triton),
        pytest.param("triton", torch.zeros(2, 3), "TRITON_INTERPRET=1", marks=needs_triton),
    ],
)
def test_dispatch_says_why_not(choice, tensor, reason, monkeypatch):
    monkeypatch.setenv("GPUSTAB_KERNELS", choice)
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    ok, said = use_triton(tensor)
    assert not ok
    assert reason in said


@needs_triton
@pytest.mark.parametrize(
    ("tensors", "reason"),
    [
        ([torch.zeros(2, 3, dtype=torch.float64)], "float64"),
        ([torch.zeros(2, 513)], "513"),
        ([torch.zeros(2, 3), torch.zeros(2, 3, device="meta")], "2 devices"),
        ([torch.zeros(2, 3, device="meta")], "meta"),
    ],
)
def test_dispatch_refuses_what_no_kernel_takes(tensors, reason, monkeypatch):
    monkeypatch.setenv("GPUSTAB_KERNELS", "triton")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    ok, said = use_triton(*tensors)
    assert not ok
    assert reason in said


def test_an_unknown_choice_is_refused(monkeypatch):
    monkeypatch.setenv("GPUSTAB_KERNELS", "fast")
    with pytest.raises(ValueError, match="auto, triton or plain"):
        use_triton(torch.zeros(1))


def test_without_triton_everything_imports_and_is_plain():
    program = """
import sys
import gpustab
assert "triton" not in sys.modules
sys.modules["triton"] = None
import torch
from gpustab.kernels.dispatch import use_triton
from gpustab.kernels.triton import wordwise
print(*use_triton(torch.zeros(1)))
"""
    assert child("-c", program).strip() == "False triton is not installed"
