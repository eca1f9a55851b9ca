"""The commit that a row tells: dirty is what changes what was measured."""

import subprocess

import pytest

from benchmarks.setting import RESULTS, commit_of


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / RESULTS).mkdir(parents=True)
    for path in ("code.py", f"{RESULTS}/studies-cpu.json"):
        (tmp_path / path).write_text("1")
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    return tmp_path


def test_new_results_make_no_checkout_dirty(checkout):
    clean = commit_of(checkout)
    (checkout / RESULTS / "studies-cpu.json").write_text("2")
    (checkout / "note.txt").write_text("not of the checkout")
    assert commit_of(checkout) == clean
    assert commit_of(checkout, digits=12).startswith(clean)
    (checkout / "code.py").write_text("2")
    assert commit_of(checkout) == f"{clean}-dirty"
