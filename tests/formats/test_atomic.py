from pathlib import Path

from gpustab.formats.atomic import write_text


def test_lines_end_alike_on_every_system(tmp_path, monkeypatch):
    real = Path.write_text
    monkeypatch.setattr(  # as on Windows
        Path, "write_text", lambda self, text, **options: real(self, text.replace("\n", "\r\n"), **options)
    )
    write_text(tmp_path / "a.json", "naïve\n")
    assert (tmp_path / "a.json").read_bytes() == "naïve\n".encode()
