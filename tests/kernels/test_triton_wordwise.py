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

from gpustab import engine
from gpustab.engine.gram import centred_pass
from gpustab.engine.wordwise import takes_fused
from gpustab.kernels.centred import centred_rows, centred_wordwise_pip, products_alone
from gpustab.kernels.dispatch import use_triton
from gpustab.kernels.gram import block_gram
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.kernels.procrustes import procrustes
from gpustab.kernels.triton import packed_gram
from gpustab.kernels.triton.packed_gram import fitting_tile, pack_gram, padded_width, rounded_terms
from gpustab.kernels.triton.wordwise import packed_wordwise
from gpustab.kernels.triton.wordwise_kernel import _wordwise_kernel, wordwise_sums
from gpustab.machine.device import Compute
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


ERRORS = {1: 3e-4, 2: 1e-4}
"""Relative errors of the words' means by the terms of a row, for few runs of few dimensions."""


def in_frame(stack):
    """Mean and deviations of runs that are aligned to the first one, ``(R + 1, v, d)`` float64."""
    stack = stack.double()
    return centred_rows(stack, procrustes(stack.mT @ stack[0]).maps)


def measured(rows, gram, device, present=None, words=None, **choices):
    """What the kernel finds for rows of :func:`in_frame`, and for the words at their beginning."""
    packed = pack_gram(gram.to(device), len(rows[0]) if words is None else words)
    have = None if present is None else present.to(device)
    return packed_wordwise(rows.float().to(device), packed, have, **choices)


def close(got, want, rtol, spread=1e-3):
    """All five fields; SD and standard error are differences of the losses, hence less accurate."""
    for name, tolerance in zip(WordwisePip._fields, (rtol, spread, spread, 0, 2 * rtol), strict=True):
        a, b = getattr(got, name).cpu(), getattr(want, name).cpu()
        torch.testing.assert_close(a, b, rtol=tolerance, atol=0, equal_nan=True, msg=lambda m, n=name: f"{n}: {m}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("terms", ERRORS)
def test_equals_the_naive_oracle_and_the_plain_twin(device, size, terms):
    runs, c, d = size
    stack = generators.noisy_copies(runs, VOCABULARY, d)
    rows = in_frame(stack)
    gram, some = block_gram(rows), rows[:, :c]
    got = measured(some, gram, device, words=VOCABULARY, terms=terms)
    every = np.array([oracles.wordwise_pip(stack[i], stack[j])[:c] for i, j in oracles.pairs(runs)])  # (pairs, c)
    np.testing.assert_allclose(got.mean.cpu(), every.mean(0), rtol=ERRORS[terms])
    np.testing.assert_allclose(got.square.cpu(), (every**2).mean(0), rtol=2 * ERRORS[terms])
    if runs > 2:
        np.testing.assert_allclose(got.sd.cpu(), every.std(0, ddof=1), rtol=0.02)
        error = oracles.jackknife(pair_matrix(torch.from_numpy(every[:, 0]), runs).numpy())
        np.testing.assert_allclose(got.se[0].cpu(), error, rtol=0.02)
    have = torch.ones(runs, c, dtype=torch.bool)
    close(got, centred_wordwise_pip(some, gram, VOCABULARY, have), ERRORS[terms], 0.02)


@pytest.mark.parametrize("terms", ERRORS)
def test_all_that_is_lost_is_the_rounding_to_float16(device, terms):
    """Float64 sums of the same rounded rows and blocks differ from the kernel's by float32 rounding alone."""
    rows = in_frame(generators.noisy_copies(3, 70, 40))
    packed, e = pack_gram(block_gram(rows), 70), rows[1:].float().double()
    scale = 2.0 ** -np.frexp(float((rows[0] + rows[1:]).abs().max()))[1]
    u = rounded_terms((rows[0].float() + rows[1:].float()) * scale, terms).double().sum(0) / scale
    inner = products_alone(e, u, packed.mean.double(), packed.with_mean.double())
    blocks = packed.blocks[:, :40, :40].double().mT / packed.scale
    for place, (i, j) in enumerate(torch.triu_indices(3, 3).T.tolist()):
        inner[i, j] += ((u[i] @ (packed.own[i].double() if i == j else blocks[place])) * u[j]).sum(1)
    own, (i, j) = inner.diagonal().mT, torch.triu_indices(3, 3, 1)
    want = (own[i] + own[j] - 2 * inner[i, j]).sqrt().mean(0) / (2 * 70**0.5)
    torch.testing.assert_close(
        measured(rows, block_gram(rows), device, terms=terms).mean.cpu(), want, rtol=2e-6, atol=0
    )


@pytest.mark.parametrize("noise", [0.3, 0.03, 0.003, 3e-4])
def test_small_losses_are_as_accurate_as_large_ones(device, noise):
    stack = generators.noisy_copies(4, 1000, 60, noise=noise)
    rows = in_frame(stack)
    gram, some = block_gram(rows), rows[:, :80]
    want = centred_wordwise_pip(some, gram, 1000, torch.ones(4, 80, dtype=torch.bool)).mean
    for terms, error in ERRORS.items():
        got = measured(some, gram, device, words=1000, terms=terms).mean.cpu()
        assert (got / want - 1).abs().max() < error
        assert (got / want - 1).square().mean().sqrt() < error / 4


@pytest.mark.parametrize("scale", [1e-3, 30.0, 1e6])
def test_rows_of_any_length(device, scale):
    rows = in_frame(generators.noisy_copies(3, 50, 20)) * scale
    gram = block_gram(rows)
    want = centred_wordwise_pip(rows, gram, 50, torch.ones(3, 50, dtype=torch.bool))
    close(measured(rows, gram, device), want, ERRORS[2], spread=0.05)


def test_absent_words_leave_their_runs_out(device):
    stack = generators.noisy_copies(5, 63, 33)
    present = torch.rand(5, 63, generator=generators.generator(1)) < 0.6
    present[:, 0], present[1:, 1], present[2:, 2], present[3:, 3] = False, False, False, False
    rows = in_frame(torch.where(present[:, :, None], stack, 0))
    gram = block_gram(rows)
    want = centred_wordwise_pip(rows, gram, 63, present)
    got = measured(rows, gram, device, present)
    close(got, want, ERRORS[2], spread=0.05)
    assert got.pairs[:4].tolist() == [0, 0, int(present[:2, 2].all()), *got.pairs[3:4].tolist()]


def test_nan_stays_in_its_word(device):
    rows = in_frame(generators.noisy_copies(3, 20, 8))
    gram = block_gram(rows)
    whole = measured(rows, gram, device).mean
    rows[1, 7, 3] = torch.nan
    mean = measured(rows, gram, device).mean
    assert mean.isnan().nonzero().flatten().tolist() == [7]
    assert torch.equal(mean[8:], whole[8:])


def test_equal_runs_have_no_loss(device):
    x = generators.anisotropic(40, 12)
    rows = in_frame(torch.stack([x, x, x]))
    assert measured(rows, block_gram(rows), device).mean.max() < 1e-6


def arguments(device, runs=3, words=32, width=16):
    """Valid arguments of the operator."""
    rows = in_frame(generators.noisy_copies(runs, words, width))
    gram = pack_gram(block_gram(rows), words)
    aligned = rounded_terms((rows[0] + rows[1:]).float(), 2)
    own = torch.rand(runs, words, generator=generators.generator(3)) * 1e4 + 1e4
    alone = torch.rand(runs, runs, words, generator=generators.generator(4))
    present = torch.ones(runs, words, dtype=torch.uint8)
    return *(t.to(device) for t in (aligned, own, alone, gram.blocks, present)), 16, 16, 2


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
    rows = in_frame(generators.noisy_copies(3, 70, 33))
    gram = block_gram(rows)
    first, second = measured(rows, gram, device), measured(rows, gram, device)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    for tile in (16, 32, 64, 128):
        close(measured(rows, gram, device, tile=tile), first, 1e-6, spread=1e-3)


def test_chunks_give_the_numbers_of_the_whole(device):
    rows = in_frame(generators.noisy_copies(3, 50, 24))
    gram = block_gram(rows)
    parts = [measured(part, gram, device, words=50) for part in rows.split(13, dim=1)]
    joined = WordwisePip(*(torch.cat(field) for field in zip(*parts, strict=True)))
    close(joined, measured(rows, gram, device), 1e-6, spread=1e-3)


def test_the_order_of_runs_does_not_matter(device):
    stack = generators.noisy_copies(5, 63, 33)
    got, want = (measured(rows := in_frame(s), block_gram(rows), device) for s in (stack[[3, 0, 4, 2, 1]], stack))
    close(got, want, ERRORS[2], spread=0.05)


@pytest.mark.parametrize(("precision", "terms"), [("fast", 1), ("auto", 2)])
def test_the_engine_reads_deviations_by_the_kernel(device, precision, terms, caplog):
    stack = generators.noisy_copies(4, 120, 24, noise=0.01)
    stack[1, 5] = 0  # a word that one run lacks
    runs, compute = generators.runs_of(stack, vocabulary="union").to(device), Compute(device, precision)
    want = engine.wordwise_pass(runs, engine.gram_pass(runs, compute, torch.float64), Compute(device, "fp64"))
    basis = centred_pass(runs, compute, torch.float64)
    assert takes_fused(runs, basis, compute) == (True, "")
    with caplog.at_level("INFO", "gpustab"):
        got = engine.wordwise_pass(runs, basis, compute)
    assert "plain kernel" not in caplog.text
    close(got, want, ERRORS[terms], spread=0.02)


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


@pytest.mark.parametrize("terms", [1, 2])
@pytest.mark.parametrize("memory", [232_448, 166_912, 101_376])  # bytes: Hopper, A100, consumer cards
def test_tiles_fit_every_dimension(terms, memory, monkeypatch):
    monkeypatch.setattr(packed_gram, "SHARED_MEMORY", memory)
    for d in range(1, 513):
        width = padded_width(d)
        tile, columns, stages = fitting_tile(width, terms, torch.device("cpu"))
        assert d <= width <= max(16, 2 * d)
        assert width.bit_count() <= 2
        assert width % columns == 0
        assert min(tile, columns) >= 16
        assert 2 * width * (terms * tile + stages * columns) < memory


@needs_triton
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled in the interpreter")
@pytest.mark.parametrize(("terms", "d"), [(1, 300), (2, 300), (2, 512)])
def test_compiles_for_hopper_within_its_shared_memory(terms, d):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    width = padded_width(d)
    tile, columns, stages = fitting_tile(width, terms, torch.device("cpu"))
    head = 1 << (width.bit_length() - 1)
    constants = {"HEAD": head, "TAIL": width - head, "COLUMNS": columns, "TERMS": terms, "TILE": tile}
    pointers = {
        "rows": "fp16", "own": "fp32", "alone": "fp32", "blocks": "fp16", "present": "u8", "sums": "fp64",
        "total": "fp64",
    }  # fmt: skip
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
from gpustab.kernels.centred import centred_rows, centred_wordwise_pip, products_alone
from gpustab.kernels.dispatch import use_triton
from gpustab.kernels.triton import wordwise
print(*use_triton(torch.zeros(1)))
"""
    assert child("-c", program).strip() == "False triton is not installed"
