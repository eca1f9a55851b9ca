import ast
import threading
from pathlib import Path
from unittest import mock

import pytest
import torch

import gpustab.kernels
from gpustab import engine
from gpustab.kernels import analogies, averaging, centred, cosine, gram, neighbours, overlap, pair, pip_loss, procrustes
from gpustab.kernels.arithmetic import _operator, full_precision, product, root, row_dot
from gpustab.kernels.training import glove
from gpustab.kernels.triton.wordwise import _quadratic
from gpustab.machine.device import Compute
from gpustab.studies.instability.averages import averaging_tables
from gpustab.studies.instability.losses import word_matrices
from gpustab.studies.instability.trees import alignment_tables, naive_average
from tests import emulation, generators
from tests.studies.instability.made import technique

CPU = torch.device("cpu")
STACK = generators.noisy_copies(3, 600, 20).float()
PRESENT = torch.ones(3, 600, dtype=torch.bool)
NEAR = (generators.anisotropic(2000, 50) + 1).float()  # so near each other that bfloat16 and TF32 change the lists
LISTS = torch.randint(0, 30, (4, 10, 300), generator=generators.generator(0)).argsort(2)[:, :, :280]


def gradients_of(function, *inputs):
    inputs = [x.clone().requires_grad_() for x in inputs]
    return torch.autograd.grad(function(*inputs).sum(), inputs)


def plain_losses(x):
    return pip_loss.reduced(pip_loss.pip_from_gram(gram.block_gram(x)).total, x.shape[1])


def words_of(x):
    return pip_loss.wordwise_pip(x, gram.block_gram(x), x.shape[1]).mean


def centred_losses(x):
    maps = torch.stack([generators.rotation(20, r) for r in range(3)]).float()
    rows = centred.centred_rows(x, maps)
    frame = gram.block_gram(rows)
    return centred.centred_pip_loss(frame).total, *centred.centred_wordwise_pip(rows, frame, 600, PRESENT)


def glove_steps():
    g = generators.generator(1)
    word, context = glove.make_factors(torch.rand(2, 40, 21, generator=g))
    ends = torch.arange(0, 41 * 5, 5, dtype=torch.int32)
    columns = torch.arange(40, dtype=torch.int32).roll(3)[:, None] + torch.zeros(5, dtype=torch.int32)
    columns = ((columns + torch.arange(5, dtype=torch.int32)) % 40).sort(1).values.flatten()
    order = columns.long().argsort(stable=True).int()
    rows = torch.arange(40, dtype=torch.int32).repeat_interleave(5)[order.long()]
    batch = glove.Batch(ends, columns, ends, rows, order, torch.rand(200, generator=g), torch.rand(200, generator=g))
    return glove.gradients(batch, word, context)


def runs_pass(function):
    return lambda: function(generators.runs_of(STACK, unit=True), Compute(precision="fp32"))


def proposals():
    with mock.patch.object(neighbours, "_PROPOSED_FROM", 0):
        return neighbours.top_k(NEAR, torch.arange(300), 10)


def words_pass(runs, compute):
    return engine.wordwise_pass(runs, engine.pip_pass(runs, compute).basis, compute)


def predicted(runs, compute):
    return engine.predict_pass(runs, torch.arange(5), [1, 5], compute)[1:4]


def chapters(tables, runs):
    columns = [column for table in tables(technique(runs, pairs=50)).values() for column in table.values()]
    return [torch.tensor(column, dtype=torch.float64) for column in columns if column and isinstance(column[0], float)]


CALLS = {
    "moments": lambda: gram.moments(STACK),
    "moments in place": lambda: gram.add_(gram.empty_moments(3, 20), STACK),
    "moments of halves": lambda: [gram.block_gram(STACK.to(dtype)) for dtype in (torch.bfloat16, torch.float16)],
    "pip loss": lambda: plain_losses(STACK),
    "its gradient": lambda: gradients_of(plain_losses, STACK),
    "words": lambda: pip_loss.wordwise_pip(STACK, gram.block_gram(STACK), 600),
    "gradient of words": lambda: gradients_of(words_of, STACK),
    "centred": lambda: centred_losses(STACK),
    "loss of a pair": lambda: pair.pair_pip_loss(STACK[0], STACK[1]),
    "loss of a near pair": lambda: gradients_of(pair.pair_pip_loss, STACK[0], STACK[0] + 1e-4 * STACK[1]),
    "gradients of a pair": lambda: gradients_of(pair.pair_pip_loss, STACK[0], STACK[1]),
    "neighbours by torch": lambda: neighbours.top_k(NEAR, torch.arange(300), 10),
    "proposals by torch": proposals,
    "neighbours by FAISS": lambda: neighbours.top_k(NEAR, torch.arange(300), 10, backend="faiss"),
    "all neighbours": lambda: neighbours.top_k(NEAR, torch.arange(3), 1999),
    "3CosAdd": lambda: analogies.solve_analogies(NEAR, torch.arange(300).view(100, 3)),
    "3CosMul": lambda: analogies.solve_analogies(NEAR, torch.arange(300).view(100, 3), method="3CosMul"),
    "cosines": lambda: cosine.query_cosines(NEAR, torch.arange(5)),
    "procrustes": lambda: procrustes.procrustes(gram.pair_blocks(gram.block_gram(STACK)).float()),
    "residuals": lambda: procrustes.residuals(gram.block_gram(STACK), torch.eye(20).double().expand(3, -1, -1)),
    "averages": lambda: [level[0].vectors for level in averaging.tree_average(STACK)],
    "shared neighbours": lambda: overlap.shared_neighbours(LISTS, [280]),
    "chance of shared neighbours": lambda: overlap.chance_overlap(LISTS[:, 0] > 9),
    "quadratic forms of the fused kernel": lambda: _quadratic(STACK[0], gram.block_gram(STACK)[0].float()),
    "GloVe": glove_steps,
    "pip pass": runs_pass(lambda runs, compute: engine.pip_pass(runs, compute).reduced),
    "fast pip pass": lambda: engine.pip_pass(generators.runs_of(STACK), Compute(precision="fast")).reduced,
    "words pass": runs_pass(words_pass),
    "procrustes pass": runs_pass(lambda runs, compute: engine.procrustes_pass(runs, engine.gram_pass(runs, compute))),
    "average pass": runs_pass(lambda runs, _: engine.average_pass(runs, dtype=torch.float32)[-1][0].vectors),
    "prediction": runs_pass(predicted),
    "averages onto one reference": lambda: naive_average(STACK, 1),
    "pairs of one word": runs_pass(lambda runs, compute: word_matrices(runs, torch.arange(9), compute)),
    "chapter on averages": lambda: chapters(averaging_tables, generators.runs_of(STACK)),
    "chapter on aligning": lambda: chapters(alignment_tables, generators.runs_of(STACK[:, :99])),
}  # fmt: skip


def flat(found):
    return [part for x in found for part in flat(x)] if isinstance(found, list | tuple) else [torch.as_tensor(found)]


@pytest.fixture(scope="module")
def alone():
    return {name: flat(call()) for name, call in CALLS.items()}


@pytest.mark.parametrize("host", emulation.HOSTS)
@pytest.mark.parametrize("name", CALLS)
def test_no_setting_of_the_host_program_changes_a_bit(name, host, alone):
    with host():
        found = flat(CALLS[name]())
    for got, want in zip(found, alone[name], strict=True):
        assert got.dtype == want.dtype
        torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("host", emulation.HOSTS)
def test_but_they_do_change_a_product_that_is_not_protected(host):
    x, wanted = STACK[0], STACK[0] @ STACK[0].mT
    with host():
        found = x @ x.mT
    assert (found.float() - wanted).abs().max() > 1e-4


@pytest.mark.parametrize("host", emulation.HOSTS)
def test_gradients_are_those_of_full_precision_wherever_backward_is_called(host):
    x = STACK.clone().requires_grad_()
    (want,) = torch.autograd.grad(plain_losses(x).sum(), x)
    loss = plain_losses(x).sum()
    with host():
        (found,) = torch.autograd.grad(loss, x)
    assert torch.equal(found, want)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_products_broadcast_and_have_derivatives(dtype):
    x, y = (torch.randn(*size, generator=generators.generator(0)).to(dtype) for size in ((3, 1, 4, 5), (2, 5, 6)))
    found = gradients_of(lambda a, b: product(a, b).square(), x, y)
    want = gradients_of(lambda a, b: (a.double() @ b.double()).square(), x, y)
    assert product(x, y).dtype == torch.float32
    for got, wanted in zip(found, want, strict=True):
        assert got.dtype == dtype
        torch.testing.assert_close(got, wanted, rtol=1e-2 if dtype != torch.float32 else 1e-5, atol=1e-4)
    (first,) = torch.autograd.grad(
        product(a := x.float().requires_grad_(), y.float()).pow(3).sum(), a, create_graph=True
    )
    (second,) = torch.autograd.grad(first.sum(), a)
    b = x.double().requires_grad_()
    (first,) = torch.autograd.grad((b @ y.double()).pow(3).sum(), b, create_graph=True)
    torch.testing.assert_close(second.double(), torch.autograd.grad(first.sum(), b)[0], rtol=1e-4, atol=1e-3)


def test_transforms_of_functions():
    x = torch.randn(4, 3, 30, 5, generator=generators.generator(0))
    batch = torch.func.vmap(plain_losses)(x)
    torch.testing.assert_close(batch, torch.stack([plain_losses(each) for each in x]))
    alone = torch.stack([gradients_of(plain_losses, each)[0] for each in x])
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(lambda z: plain_losses(z).sum()))(x), alone)
    torch.testing.assert_close(torch.func.grad(lambda z: torch.func.vmap(plain_losses)(z).sum())(x), alone)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_compiled_code_is_one_graph_and_heeds_the_settings_when_it_runs(dtype):
    x = STACK.clone().to(dtype).requires_grad_()
    compiled = torch.compile(plain_losses, fullgraph=True, backend="eager")
    want = plain_losses(x)
    gradient = torch.autograd.grad(want.sum(), x)[0]
    for host in [None, *emulation.HOSTS[:1]]:
        with host() if host else torch.enable_grad():
            found = compiled(x)
            assert torch.equal(found, want)
            assert torch.equal(torch.autograd.grad(found.sum(), x)[0], gradient)
    torch.set_float32_matmul_precision("high")
    try:
        assert torch.equal(compiled(x), want)
        with emulation.Rounding():
            assert torch.equal(_operator(STACK, STACK.mT), product(STACK, STACK.mT))
    finally:
        torch.set_float32_matmul_precision("highest")


def test_settings_are_back_after_an_error():
    torch.set_float32_matmul_precision("medium")
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            with pytest.raises(RuntimeError, match="multiplied"):
                product(torch.ones(2, 3), torch.ones(2, 3))
            assert torch.is_autocast_enabled("cpu")
        assert torch.get_float32_matmul_precision() == "medium"
        assert torch.backends.mkldnn.matmul.fp32_precision == "bf16"
    finally:
        torch.set_float32_matmul_precision("highest")


def threads_that_overlap(context, look):
    """A enters, B enters, A leaves while B is inside: what B sees then."""
    inside, left, seen = threading.Event(), threading.Event(), []

    def second():
        with context():
            inside.set()
            left.wait(60)
            seen.append(look())

    other = threading.Thread(target=second)
    with context():
        other.start()
        assert inside.wait(60)
    left.set()
    other.join()
    return seen[0]


def test_the_last_thread_that_leaves_puts_the_settings_back():
    torch.set_float32_matmul_precision("high")
    try:
        assert threads_that_overlap(lambda: full_precision(CPU), torch.get_float32_matmul_precision) == "highest"
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision("highest")


@pytest.mark.parametrize("kind", ["cpu", "cuda", "meta"])
def test_devices_that_are_not_here_have_settings_too(kind):
    with full_precision(torch.device(kind)):
        pass


def test_row_dot_and_root():
    x, y = STACK[0], STACK[1]
    torch.testing.assert_close(row_dot(x, y), (x * y).sum(1))
    z = torch.tensor([-1e-9, 0.0, 4.0, torch.nan], dtype=torch.float64, requires_grad=True)
    found = root(z)
    assert found[:3].tolist() == [0, 0, 2]
    assert found[3].isnan()
    assert torch.autograd.grad(found[:3].sum(), z)[0][:3].tolist() == [0, 0, 0.25]


BARE = {
    "bmm",
    "matmul",
    "mm",
    "einsum",
    "baddbmm",
    "baddbmm_",
    "addmm",
    "addmm_",
    "addmv",
    "mv",
    "dot",
    "inner",
    "sampled_addmm",
}


KNOWN = {
    "engine/rows.py": 2,  # in place, of float64 alone; NumPy's, on a CPU
    "kernels/arithmetic.py": 3,  # in `product` itself
    "kernels/context_sums.py": 1,  # sparse, in full_precision
    "kernels/panels.py": 1,  # probabilities, in float64
    "kernels/run_blocks.py": 1,  # in place, of float64 alone
    "kernels/training/glove.py": 1,  # sparse, in full_precision
    "kernels/training/word2vec.py": 1,  # NumPy's
    "kernels/triton/wordwise_kernel.py": 2,  # Triton's, which names its precision
    # NumPy's and SciPy's:
    "statistics/curves.py": 1,
    "statistics/mixed.py": 8,
    "statistics/monotone.py": 8,
    "statistics/splits.py": 1,
    "statistics/unrelated.py": 2,
    "studies/change/authors.py": 1,
    "studies/consistency/measures.py": 2,
    "studies/localization/scores.py": 2,
    "studies/usage/measures.py": 16,
    "studies/words/regression.py": 1,
}


def test_every_product_of_kernels_passes_and_studies_is_protected():
    """A product written bare would obey the host program: it must be `product`, or be known here with its reason."""
    found = {}
    package = Path(engine.__file__).parents[1]
    folders = [package / name for name in ("engine", "small_data", "sentences", "statistics", "studies")]
    for folder in (Path(gpustab.kernels.__file__).parent, *folders):
        for path in folder.rglob("*.py"):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            bare = sum(isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) for node in nodes)
            calls = [node.func for node in nodes if isinstance(node, ast.Call)]
            bare += sum(isinstance(call, ast.Attribute) and call.attr in BARE for call in calls)
            if bare:
                found[f"{folder.name}/{path.relative_to(folder).as_posix()}"] = bare
    assert found == KNOWN


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_the_default_dtype_and_device_of_the_host_program_change_nothing(dtype, alone):
    before = torch.get_default_dtype()
    made_here = {"GloVe", "residuals", "prediction", "quadratic forms of the fused kernel"}
    names = [name for name in CALLS if name not in made_here and "pass" not in name]
    torch.set_default_dtype(dtype)
    try:
        found = {name: flat(CALLS[name]()) for name in names}
    finally:
        torch.set_default_dtype(before)
    for name in names:
        for got, want in zip(found[name], alone[name], strict=True):
            assert torch.equal(torch.nan_to_num(got), torch.nan_to_num(want)), name
