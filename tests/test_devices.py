"""A default device of the host program does no harm: what is made inside names its own."""

import ast
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils._device import _device_constructors

import gpustab
from gpustab import functional, nn
from gpustab.formats.binary.safetensors import open_rows, write_safetensors
from gpustab.formats.binary.tensors import load_tensors
from gpustab.monitor import StabilityMonitor
from gpustab.options import SIMILARITIES
from gpustab.runs.packing.pack import pack_runs
from tests import generators, golden
from tests.functional.test_functional import PAIRS, related
from tests.generators import noisy_copies, spaces
from tests.golden_cases import CASES
from tests.golden_data import make_data

ROOT = Path(__file__).parents[1]
FACTORIES = {made.__name__ for made in _device_constructors()} | {"Linear", "Embedding", "Parameter"}


def sources():
    """All modules, each once: gpustab.kernels leads to kernels."""
    found = [path for room in ("gpustab", "kernels") for path in (ROOT / room).rglob("*.py")]
    return [path for path in found if "gpustab/kernels" not in map(str, path.relative_to(ROOT).parents)]


def nameless(text):
    """Calls that make a tensor wherever the host's default device is, and factories that somebody else calls."""
    tree = ast.parse(text) if "torch" in text else ast.Module([])
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("torch", "torch.nn"):
            yield from (f"{node.lineno}: import {name.name}" for name in node.names if name.name in FACTORIES)
        elif (
            isinstance(node, ast.Attribute)
            and node.attr in FACTORIES
            and ast.unparse(node.value) in ("torch", "nn", "torch.nn")
        ):
            call = calls.get(id(node))
            if call is None and node.attr.istitle():
                continue  # a class that something may be of
            if call is None or not {"device", None} & {word.arg for word in call.keywords}:
                yield f"{node.lineno}: {ast.unparse(call or node)}"


def test_every_tensor_names_its_device():
    found = [f"{path.relative_to(ROOT)}:{call}" for path in sources() for call in nameless(path.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("torch.zeros(3)", 1),
        ("map(torch.tensor, rows)", 1),
        ("partial(torch.full, fill_value=0)", 1),
        ("from torch import Tensor, arange", 1),
        ("torch.nn.Embedding(3, 2)", 1),
        ("torch.zeros(3, device=x.device) + torch.ones(3, **kept)", 0),
    ],
)
def test_what_takes_the_default_device_is_found_in_every_spelling(text, count):
    assert len(list(nameless(f"import torch\n{text}"))) == count


@pytest.fixture
def meta():
    torch.set_default_device("meta")
    yield
    torch.set_default_device(None)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    from gpustab.formats.writers import write_word2vec_text

    folder = tmp_path_factory.mktemp("files")
    made = [folder / f"run{k}.txt" for k in range(4)]
    for file, space in zip(made, spaces(4, 60, 5), strict=True):
        write_word2vec_text(space, file)
    return made


@pytest.fixture(scope="module")
def runs(files):
    return gpustab.load_runs(files)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "run.safetensors"
    write_safetensors(spaces(1, 20, 5)[0], path)
    return path


CALLS = {
    "load": lambda runs, files: gpustab.load_runs(files, vocabulary="union", centre=True),
    "stability": lambda runs, files: gpustab.stability(runs, metrics=list(SIMILARITIES), words=["w1"]),
    "neighbours": lambda runs, files: gpustab.neighbours_of(runs, "w1"),
    "average": lambda runs, files: gpustab.average(runs),
    "compare": lambda runs, files: gpustab.compare(
        *(gpustab.load_runs(some, name=name) for some, name in ((files[:2], "a"), (files[2:], "b")))
    ),
    "similarity": lambda runs, files: [gpustab.similarity_matrix(runs, metric) for metric in SIMILARITIES],
    "chance": lambda runs, files: [gpustab.similarity_by_chance(runs, metric) for metric in SIMILARITIES],
}


@pytest.mark.parametrize("name", CALLS)
def test_the_library_under_the_device_meta(name, runs, files, meta):
    CALLS[name](runs, files)


def test_parts_of_files_lie_on_the_cpu_whatever_the_default_is(stored, meta):
    whole = load_tensors(stored, "vectors")[0]
    some = torch.tensor([3, 1], device="cpu")
    with open_rows(stored) as rows:
        assert torch.equal(rows[2:5], whole[2:5])
        assert torch.equal(rows.take(some, torch.empty(2, 5, device="cpu")), whole[some])


def people_hold(kind, folder):
    """Vectors of 120 words with counts, some too small for float32, as a frame, in gensim, and in its file."""
    words, counts = [f"w{k}" for k in range(120)], list(range(120, 0, -1))
    rows = np.random.default_rng(0).normal(size=(120, 4))
    rows[:5] *= 1e-200
    if kind == "frame":
        columns = {"word": words, "count": counts} | {f"d{k}": rows[:, k] for k in range(4)}
        return pytest.importorskip("pandas").DataFrame(columns)
    if kind == "pair":
        return words, rows
    vectors = pytest.importorskip("gensim.models").KeyedVectors(4)
    vectors.add_vectors(words, rows.astype(np.float32) + 1)
    for word, count in zip(words, counts, strict=True):
        vectors.set_vecattr(word, "count", count + 7)
    vectors.save(str(folder / "x.kv"))
    return folder / "x.kv" if kind == "file of gensim" else vectors


@pytest.mark.parametrize("kind", ["frame", "pair", "gensim", "file of gensim"])
def test_what_people_hold_is_read_alike_whatever_the_default_is(kind, tmp_path):
    thing = people_hold(kind, tmp_path)
    wanted = gpustab.load_runs([thing, thing])
    with torch.device("meta"):
        found = gpustab.load_runs([thing, thing])
    assert found.vocabulary == wanted.vocabulary
    assert all(map(torch.equal, found.rows, wanted.rows))


def test_packing_takes_no_default_device(files, tmp_path, meta):
    pack_runs(files, tmp_path / "packed")
    assert len(gpustab.load_runs(tmp_path / "packed")) == 4


def of_pairs(x, y):
    """What functions, losses, metrics and a monitor find."""
    from gpustab import metrics

    found = {name: function(x, y) for name, function in PAIRS.items()}
    found["chance"] = functional.chance_level(functional.linear_cka, x, y)
    found["average"] = functional.average(torch.stack([x, y]))
    for loss in (nn.PIPLoss(), nn.ProcrustesLoss(squared=True), nn.NeighbourAgreementLoss(5)):
        table = x.clone().requires_grad_()
        loss(table, y).backward()
        found[type(loss).__name__] = table.grad
    for name in metrics.__all__:
        metric = getattr(metrics, name)().to("cpu")
        metric.update(x, y)
        found[name] = metric.compute()
    table = x.clone()
    monitor = StabilityMonitor(table, metrics=["pip", "procrustes", "cka", "overlap"])
    table += y
    found["monitor"] = monitor.step()
    return found


def same(one, other):
    if isinstance(one, tuple):
        return all(map(same, one, other))
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other


DEFAULTS = {
    "device": (lambda: torch.set_default_device("meta"), lambda: torch.set_default_device(None)),
    "float64": (lambda: torch.set_default_dtype(torch.float64), lambda: torch.set_default_dtype(torch.float32)),
    "bfloat16": (lambda: torch.set_default_dtype(torch.bfloat16), lambda: torch.set_default_dtype(torch.float32)),
}


@pytest.mark.parametrize("default", DEFAULTS)
def test_defaults_of_the_program_change_no_bit(default):
    pytest.importorskip("torchmetrics")
    x, y = related()
    wanted = of_pairs(x, y)
    change, undo = DEFAULTS[default]
    change()
    try:
        found = of_pairs(x, y)
    finally:
        undo()
    assert [name for name in wanted if not same(wanted[name], found[name])] == []


def test_the_grad_mode_of_the_program_changes_no_bit():
    x, y = related()
    wanted = {name: function(x, y) for name, function in PAIRS.items()}
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            assert all(same(wanted[name], function(x, y)) for name, function in PAIRS.items())


def test_tensors_alone_are_no_runs_and_what_is_advised_makes_runs_of_them():
    stack = noisy_copies(2, 30, 4)
    calls = [
        lambda: gpustab.stability(list(stack)),
        lambda: gpustab.similarity_matrix(stack),
        lambda: gpustab.similarity_by_chance(stack.numpy()),
        lambda: gpustab.stability([stack.numpy()]),
        lambda: gpustab.average(stack.numpy()),
        lambda: gpustab.compare(stack, stack),
        lambda: gpustab.stability(None),
        lambda: gpustab.neighbours_of("runs", "w1"),
    ]
    for call in calls:
        with pytest.raises(
            gpustab.InputError, match=r"this is a (Tensor|ndarray|NoneType|str), wanted runs: load_runs\("
        ):
            call()
    words = [f"w{k}" for k in range(30)]
    runs = gpustab.load_runs([(words, stack[0]), (words, stack[1])])
    assert 0 < gpustab.similarity_matrix(runs, "cka")[0, 1] < 1


STUDIES = {line.split()[1]: name for name, line in CASES.items() if line.startswith("study")}
COMMANDS = [
    *("stability-four", "neighbours-one", "compare-planted", "average-planted", "info-files", "info-runset"),
    *("train-lsa", "train-techniques", "sweep-lsa", "pack"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden") / "data"
    make_data(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", [*STUDIES.values(), "bootstrap-planted", *COMMANDS])
def test_commands_and_studies_answer_alike_under_the_device_meta(name, data):
    """One of each study, and the commands that answer, on the data of the golden answers: no word or bit differs."""
    wanted = golden.run_case(name, data)
    with torch.device("meta"):
        found = golden.run_case(name, data)
    assert wanted["exit"] == 0, wanted["error"]
    assert list(golden.differences(wanted, found)) == []


def test_numbers_are_drawn_from_generators_of_their_own():
    """Neither the generator of torch nor that of NumPy is moved by a level by chance."""
    torch.manual_seed(3)
    before, state = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    runs = generators.runs_of(noisy_copies(2, 30, 4))
    gpustab.similarity_by_chance(runs, "cca")
    functional.chance_level(functional.linear_cka, *noisy_copies(2, 30, 4))
    assert torch.equal(torch.get_rng_state(), before)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
