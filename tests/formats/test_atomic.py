import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpustab.formats import atomic
from gpustab.formats.atomic import write_text


def test_lines_end_alike_on_every_system(tmp_path, monkeypatch):
    real = Path.write_text
    monkeypatch.setattr(  # as on Windows
        Path, "write_text", lambda self, text, **options: real(self, text.replace("\n", "\r\n"), **options)
    )
    write_text(tmp_path / "a.json", "naïve\n")
    assert (tmp_path / "a.json").read_bytes() == "naïve\n".encode()


LEFT, OTHERS = f".{'0a' * 16}.tmp", (".mine.tmp", "a.tmp", ".tmpAbC123", f".{'0A' * 16}.tmp")


def test_what_a_killed_call_left_is_removed_and_nothing_else(tmp_path):
    for name in (LEFT, *OTHERS):
        (tmp_path / name).write_text("half")
    (tmp_path / f".{'0b' * 16}.tmp").symlink_to(tmp_path / "a.tmp")
    (tmp_path / f".{'0c' * 16}.tmp").mkdir()
    write_text(tmp_path / "a.json", "{}")
    there = {path.name for path in tmp_path.iterdir()}
    assert there == {*OTHERS, "a.json", f".{'0b' * 16}.tmp", f".{'0c' * 16}.tmp"}


@pytest.mark.skipif(os.name != "posix", reason="Windows has no locks of folders, and removes nothing")
def test_what_another_call_is_writing_stays(tmp_path):
    program = "import sys; from gpustab.formats.atomic import replacing\n"
    program += "with replacing(sys.argv[1]) as path:\n    path.write_text('half'); print(path, flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", program, tmp_path / "b"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        half = Path(child.stdout.readline().strip())
        write_text(tmp_path / "a.json", "{}")
        assert half.read_text() == "half"
    finally:
        child.kill()
        child.communicate()
    atomic._cleared.clear()  # the next call
    write_text(tmp_path / "a.json", "{}")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
