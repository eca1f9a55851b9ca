"""What only Windows refuses: to remove or to replace a file while somebody has a part of it mapped."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from gpustab.runs.manifest import UNFINISHED
from gpustab.runs.packing.pack import pack_runs
from tests.runs.packing.kills import contents

MAPS = Path("/proc/self/maps")


@pytest.fixture
def refusals(monkeypatch):
    """Let paths behave as there; what was refused is listed."""
    if not MAPS.exists():
        pytest.skip("only Linux tells what is mapped")
    found: list[str] = []

    def want_unmapped(path):
        if os.path.realpath(path) in MAPS.read_text():
            found.append(str(path))
            raise PermissionError(errno.EACCES, "a user-mapped section is open", str(path))

    unlink, replace, rmtree = Path.unlink, Path.replace, shutil.rmtree

    def careful_unlink(self, missing_ok=False):
        want_unmapped(self)
        unlink(self, missing_ok)

    def careful_replace(self, target):
        want_unmapped(target)
        return replace(self, target)

    def careful_rmtree(folder, *arguments, **options):
        for path in Path(folder).rglob("*"):
            want_unmapped(path)
        rmtree(folder, *arguments, **options)

    monkeypatch.setattr(Path, "unlink", careful_unlink)
    monkeypatch.setattr(Path, "replace", careful_replace)
    monkeypatch.setattr(shutil, "rmtree", careful_rmtree)
    return found


@pytest.mark.parametrize("jobs", [1, 3])
def test_nothing_that_is_mapped_is_removed_or_replaced(sources, tmp_path, refusals, jobs):
    """The runs hold a zero vector that is met on the way, so that the order is written twice."""
    pack_runs(sources, tmp_path / "out", jobs=jobs)
    assert not refusals
    assert not (tmp_path / "out" / UNFINISHED).exists()
    pack_runs(sources[:2], tmp_path / "texts", jobs=jobs)  # whose staged copies are removed one by one
    assert not refusals
    assert "packed.json" in {Path(name).name for name in contents(tmp_path / "texts")}
