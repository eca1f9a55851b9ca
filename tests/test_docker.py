"""The images: what their install lines ask for can be had together."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
IMAGES = sorted((ROOT / "docker").glob("*.Dockerfile"))
OFFLINE = re.compile(
    r"NewConnectionError|Failed to establish a new connection|Name or service not known|ConnectTimeout"
)
DECIDED_BY_TORCH = re.compile(r"(torch|triton|pytorch-triton|nvidia-.*|cuda-.*)")
"""What another build of torch pins itself, to other versions than the tested one does."""


def install_line(image):
    """The shell commands of the one RUN that calls pip, without those that come after the installation."""
    text = image.read_text(encoding="utf-8").replace("\\\n", " ")
    (line,) = [run for run in re.findall(r"^RUN (.*)$", text, re.MULTILINE) if "pip install" in run]
    return [part.strip() for part in line.split("&&") if "useradd" not in part]


def pins_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def extras_of(commands):
    return set(re.search(r'"\.\[(.*?)\]"', commands[-1])[1].split(","))


def constraints_of(commands, folder):
    """What an image constrains its packages to: `constraints.txt`, or what its `grep` leaves of that."""
    if not commands[0].startswith("grep"):
        return pins_of(ROOT / "constraints.txt")
    left = folder / "constraints.txt"
    subprocess.run(commands[0].replace("/tmp/constraints.txt", str(left)), shell=True, check=True, cwd=ROOT)
    return pins_of(left)


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_an_image_asks_for_extras_that_there_are_and_pins_no_library_of_another_torch(image, tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras, commands = project["optional-dependencies"], install_line(image)
    assert extras_of(commands) <= extras.keys()
    pins = constraints_of(commands, tmp_path)
    own = {
        name: pinned for extra in extras_of(commands) for name, _, pinned in [w.partition("==") for w in extras[extra]]
    }
    if own.get("torch"):  # the extra names a torch of its own
        assert not [name for name in pins if DECIDED_BY_TORCH.fullmatch(name)]
        assert len(pins) > 20  # the rest is still pinned
    else:
        assert pins["torch"] == pins_of(ROOT / "constraints.txt")["torch"]
        assert any(command.endswith(" torch") for command in commands[:-1])  # before the rest, from its own index


def test_the_pins_that_a_torch_of_its_own_decides_are_known_by_name():
    names = ("torch", "triton", "nvidia-cublas-cu12", "nvidia-nccl-cu12", "cuda-bindings")
    assert all(map(DECIDED_BY_TORCH.fullmatch, names))
    assert not any(map(DECIDED_BY_TORCH.fullmatch, ("torchmetrics", "numpy", "tritonclient")))


@pytest.mark.slow
@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_the_install_line_resolves(image, tmp_path):
    """Pip alone knows; it reads gigabytes of wheels for what their index says too little of."""
    source = tmp_path / "source"
    ignored = shutil.ignore_patterns(".*", "tests", "benchmarks", "__pycache__")
    shutil.copytree(ROOT, source, symlinks=True, ignore=ignored)
    program = " && ".join(install_line(image)).replace("/tmp/constraints.txt", str(tmp_path / "constraints.txt"))
    program = program.replace("pip install", f"{sys.executable} -m pip install --dry-run --ignore-installed")
    environment = os.environ | {"PIP_RETRIES": "1", "TORCH_INDEX": ""}
    child = subprocess.run(["bash", "-c", program], cwd=source, env=environment, capture_output=True, text=True)
    if child.returncode and OFFLINE.search(child.stdout + child.stderr):
        pytest.skip("no package index can be reached")
    assert child.returncode == 0, child.stderr[-2000:]
    assert "Would install" in child.stdout
