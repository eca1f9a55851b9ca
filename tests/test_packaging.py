"""The wheel, the source archive and the editable install, built from this tree without a network."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KERNELS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "kernels").rglob("*.py"))


def run(*arguments, cwd, **environment):
    child = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=os.environ | environment, capture_output=True, text=True
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.strip()


def install(wheel, target):
    run("-m", "pip", "install", "--no-deps", "--no-index", "--no-compile", "--target", target, wheel, cwd=target.parent)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the wheel and the source archive."""
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    return next(built.glob("*.whl"))


def test_the_wheel_holds_the_kernels_as_files_of_the_package(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert {f"gpustab/{name}" for name in KERNELS} <= names
        for name in KERNELS:
            assert archive.read(f"gpustab/{name}") == (ROOT / name).read_bytes()
    assert "gpustab/py.typed" in names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"gpustab"}


def test_the_source_archive_builds_the_same_wheel(built, wheel, tmp_path):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    for name in ("README.md", "LICENSE", "Makefile", "constraints.txt", "tests/test_packaging.py", *KERNELS):
        assert (source / name).is_file(), name
    run("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=source)
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(tmp_path / wheel.name) as second:
        assert sorted(first.namelist()) == sorted(second.namelist())


@pytest.fixture
def unlinked(tmp_path):
    """A copy of the tree as Git makes it where there are no symbolic links: a text file for the link."""
    copy = tmp_path / "checkout"
    shutil.copytree(
        ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".*", "tests", "benchmarks", "__pycache__")
    )
    (copy / "gpustab/kernels").unlink()
    (copy / "gpustab/kernels").write_text("../kernels")
    return copy


def test_a_checkout_without_links_builds_the_same_wheel_and_finds_its_kernels(unlinked, wheel, tmp_path):
    run("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=unlinked)
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(tmp_path / wheel.name) as second:
        assert sorted(first.namelist()) == sorted(second.namelist())
    program = "import gpustab.kernels.gram as g, gpustab; print(g.__name__, g.__file__, gpustab.stability.__name__)"
    found = run("-P", "-c", program, cwd=tmp_path, PYTHONPATH=str(unlinked)).split()
    assert found == ["gpustab.kernels.gram", str(unlinked / "kernels/gram.py"), "stability"]


def test_a_copy_without_kernels_is_refused_with_the_remedy(unlinked, tmp_path):
    shutil.rmtree(unlinked / "kernels")
    command = [sys.executable, "-P", "-c", "import gpustab"]
    child = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(unlinked)}, capture_output=True)
    assert b"lacks its kernels. Install it from a checkout or a wheel: pip install ." in child.stderr


def test_the_installed_wheel_imports_from_its_own_place(wheel, tmp_path):
    target = tmp_path / "site"
    install(wheel, target)
    found = run("-c", "import gpustab.kernels as k; print(k.__file__)", cwd=tmp_path, PYTHONPATH=str(target))
    assert Path(found) == target / "gpustab/kernels/__init__.py"


def test_the_editable_install_follows_the_link(tmp_path):
    assert (ROOT / "gpustab/kernels").readlink() == Path("../kernels")
    try:
        origin = json.loads(distribution("gpustab").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    if origin.get("url") != ROOT.as_uri() or not origin["dir_info"].get("editable"):
        pytest.skip("this interpreter has no editable install of this tree; make venv makes one")
    found = run("-P", "-c", "import gpustab.kernels as k; print(k.__file__)", cwd=tmp_path)
    assert Path(found) == ROOT / "gpustab/kernels/__init__.py"


def test_the_constraints_pin_every_direct_dependency_within_its_range():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {name: wanted for name, wanted in project["optional-dependencies"].items() if not name.startswith("gpu")}
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert next(iter(pins)) == "torch"
    for wanted in [*project["dependencies"], *(one for extra in extras.values() for one in extra)]:
        name, low = re.fullmatch(r"([\w-]+)(?:\[.*\])?(?:[>=]=([\d.]+).*)?", wanted).groups()
        if name == project["name"]:
            continue  # the project's own extras
        assert name in pins
        assert [int(n) for n in pins[name].split(".")] >= [int(n) for n in (low or "0").split(".")]
