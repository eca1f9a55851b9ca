"""What ``import gpustab`` may load, and under which names; each import is tried in a fresh process."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(program):
    """Run a program in a child process at the root of the repository, and return what it prints."""
    child = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    return child.stdout.split()


HEAVY = {"faiss", "gensim", "fasttext", "matplotlib", "sklearn", "pandas", "statsmodels", "typer"}


@pytest.mark.parametrize("module", ["gpustab", "gpustab.kernels"])
def test_importing_the_library_loads_nothing_heavy_or_optional(module):
    assert not HEAVY.intersection(run(f"import sys, {module}; print(*sys.modules)"))


def test_the_command_starts_without_what_takes_seconds():
    """Help, versions and wrong options are answered at once: typer and rich alone are needed for them."""
    slow = {"torch", "numpy", "pandas", "scipy", "matplotlib", "gensim", "sklearn", "pydantic", "jinja2", "pyarrow"}
    assert not slow.intersection(run("import sys, gpustab.cli; print(*sys.modules)"))


def test_every_module_has_one_name_and_asks_for_no_cuda():
    # Two names for one file would mean two classes of one name, and isinstance that fails.
    program = """
import importlib, pkgutil, sys
from pathlib import Path
import gpustab, torch
def asked(*_):
    raise AssertionError("CUDA was asked for at import")
for name in ("is_available", "device_count", "_lazy_init", "get_device_capability"):
    setattr(torch.cuda, name, asked)  # a query alone takes memory of the card, and breaks a later fork
for module in pkgutil.walk_packages(gpustab.__path__, "gpustab."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name != "triton":  # which no CPU build of torch brings
                raise
ours = Path("gpustab").resolve(), Path("kernels").resolve()
for name, module in sys.modules.items():
    file = Path(getattr(module, "__file__", None) or "/").resolve()
    if any(folder in file.parents for folder in ours):
        print(name, file)
"""
    words = run(program)
    names, files = words[::2], words[1::2]
    assert len(files) == len(set(files))
    assert all(name.partition(".")[0] == "gpustab" for name in names)
    assert "gpustab.kernels" in names


ROOMS = (
    "corpus",
    "engine",
    "formats",
    "machine",
    "results",
    "runs",
    "sentences",
    "small_data",
    "spaces",
    "statistics",
    "trainers",
)


@pytest.mark.parametrize("room", ROOMS)
def test_what_studies_rest_on_knows_no_study(room):
    """Techniques and passes are for every study and for none: importing one from a study would turn the house over."""
    for path in (ROOT / "gpustab" / room).rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        modules = [name for node in nodes for name in _imported(node)]
        assert not [name for name in modules if name.startswith("gpustab.studies")], path


def _imported(node):
    if isinstance(node, ast.ImportFrom):
        return [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
    return [name.name for name in node.names] if isinstance(node, ast.Import) else []


def test_the_tests_themselves_load_no_kernels_under_a_second_name():
    files = {str(path) for path in (ROOT / "kernels").rglob("*.py")}
    seconds = [name for name, m in sys.modules.items() if getattr(m, "__file__", None) in files]
    assert not seconds


def public_modules():
    rooms = ("gpustab/functional", "gpustab/metrics", "kernels", "kernels/training")
    found = [path for room in rooms for path in (ROOT / room).glob("*.py") if path.parent.name != "triton"]
    return [*found, ROOT / "gpustab/nn.py", ROOT / "gpustab/monitor.py"]


def names_of(tree):
    """What a module defines without an underscore, and its ``__all__``."""
    public, listed = set(), None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            public.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            public |= {target.id for target in targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed = ast.literal_eval(node.value)
    return {name for name in public if not name.startswith("_")}, listed


def test_public_modules_list_their_names():
    """``import *`` of one must not replace what another has: names that a module only uses are none of its own."""
    for path in public_modules():
        public, listed = names_of(ast.parse(path.read_text(encoding="utf-8")))
        if public or (path.name == "__init__.py" and path.parent.name in ("functional", "metrics")):
            assert listed, path
            assert public <= set(listed), path


def test_importing_all_names_of_metrics_replaces_no_function():
    names = {}
    exec("from gpustab.functional import *", names)
    before = dict(names)
    for module in ("nn", "metrics", "monitor"):
        exec(f"from gpustab.{module} import *", names)
    assert not [name for name, thing in before.items() if names[name] is not thing]
    assert names["linear_cka"].__module__ == "gpustab.functional.similarity"
    assert {"LinearCKA", "PIPLoss"} <= set(names) - set(before)
