import os
from pathlib import Path

import pytest

from gpustab.formats import atomic
from gpustab.formats.atomic import clear_abandoned, clear_leftovers, replacing, write_text
from gpustab.runs.key import Key
from gpustab.runs.manifest import MANIFEST
from gpustab.runs.runset import update_manifest


def test_lines_end_alike_on_every_system(tmp_path, monkeypatch):
    real = Path.write_text
    monkeypatch.setattr(  # as on Windows
        Path, "write_text", lambda self, text, **options: real(self, text.replace("\n", "\r\n"), **options)
    )
    write_text(tmp_path / "a.json", "naïve\n")
    assert (tmp_path / "a.json").read_bytes() == "naïve\n".encode()


def test_a_manifest_is_updated_beside_what_is_not_ours(tmp_path):
    (tmp_path / ".draft.tmp").write_text("a user's")
    (tmp_path / ".result.tmp").mkdir()
    with replacing(tmp_path / MANIFEST):  # a killed call's
        (left,) = tmp_path.glob(".????????*.tmp")
        (killed := tmp_path / f"{left.name[:9]}{'0' * 24}.tmp").touch()
    (tmp_path / MANIFEST).unlink()
    with replacing(tmp_path / "mean.vec") as file:
        file.write(b"a living call's")
        update_manifest(tmp_path, {Key.of_path("sgns/fixed"): 2}, {})
    assert not killed.exists()
    assert {path.name for path in tmp_path.iterdir()} == {MANIFEST, "mean.vec", ".draft.tmp", ".result.tmp"}


def test_of_a_folder_only_our_files_are_cleared(tmp_path):
    ours, folder = tmp_path / f".{'0a' * 16}.tmp", tmp_path / f".{'0b' * 16}.tmp"
    ours.touch()
    folder.mkdir()
    kept = {folder.name, ".draft.tmp", ".tmpsaved1", f".{'0g' * 16}.tmp", f".{'0a' * 15}.tmp"}
    for name in kept - {folder.name}:
        (tmp_path / name).touch()
    clear_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == kept


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
@pytest.mark.parametrize("when", ["opened", "taken by another", "held", "written", "named"])
def test_a_call_that_clears_up_takes_no_file_of_a_living_one(tmp_path, monkeypatch, when):
    path, hold, replace = tmp_path / "a.json", atomic._hold, Path.replace
    cleared, seen = [], []

    def clear(moment):
        if moment == when and not cleared:
            cleared.append(moment)
            clear_abandoned(path)

    def held(file):
        if not cleared and when == "opened":
            monkeypatch.setattr(atomic, "_hold", hold)
            clear("opened")
            monkeypatch.setattr(atomic, "_hold", held)
        if not cleared and when == "taken by another":
            cleared.append(when)
            with Path(file.name).open("rb") as other:
                hold(other)
                with pytest.raises(BlockingIOError):
                    hold(file)
                Path(file.name).unlink()
                raise BlockingIOError
        done = hold(file)
        clear("held")
        return done

    def replaced(self, target):
        seen.append(self.name)
        clear("written")
        done = replace(self, target)
        clear("named")
        return done

    monkeypatch.setattr(atomic, "_hold", held)
    monkeypatch.setattr(Path, "replace", replaced)
    write_text(path, "whole")
    assert cleared == [when]
    assert len(seen) == 1
    assert [left.name for left in tmp_path.iterdir()] == ["a.json"]
    assert path.read_text() == "whole"
