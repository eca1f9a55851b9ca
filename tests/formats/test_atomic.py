from pathlib import Path

from gpustab.formats.atomic import clear_leftovers, replacing, write_text
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
