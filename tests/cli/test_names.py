"""Names of files that are no text, look like markup, or like something to run: what is found is written anyway."""

import os
import shutil
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from tests.cli.conftest import one_object

NAMES = ["q[/x].txt", "[a].txt", "caf\udce9.txt", "new\nline.txt", "; rm -r x.txt", "=cmd().txt", "two  blanks.txt"]
NAMES += ["l" * 240 + ".txt", "esc\x1b[31m.txt", "--json.txt"]
COMMANDS = {
    "stability": ["stability", "NAME", "r1.txt"],
    "neighbours": ["neighbours", "w1", "NAME", "r1.txt"],
    "average": ["average", "NAME", "r1.txt", "-o", "average.txt"],
    "pack": ["pack", "NAME", "r1.txt", "-o", "packed"],
    "info": ["info", "NAME"],
}


@pytest.fixture
def run(place, monkeypatch):
    """Run a command on a file of an odd name, as if a person looked on."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("FORCE_COLOR", "1")

    def invoke(command, name, *options):
        try:
            (place / name).parent.mkdir(exist_ok=True)
            shutil.copy("r0.txt", name)
        except OSError:
            pytest.skip("no such name can be given here")
        name = f"./{name}" if name.startswith("-") else name
        arguments = [name if part == "NAME" else part for part in command] + list(options)
        monkeypatch.setattr(sys, "argv", ["gpustab", *arguments])
        return CliRunner().invoke(app, arguments, catch_exceptions=False)

    return invoke


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", COMMANDS)
def test_whatever_a_file_is_called_the_result_is_written_and_printed(run, place, command, name):
    done = run(COMMANDS[command], name, "--out", "result")
    assert done.exit_code == 0, done.output
    assert "\x1b[31m." not in done.stdout
    content = one_object((place / "result/summary.json").read_text(encoding="utf-8"))
    page = (place / "result/report.html").read_text(encoding="utf-8")
    assert "\x1b" not in page
    for table in (*content["tables"], *content["long_tables"]):
        pd.read_parquet(place / f"result/{table}.parquet")
    assert content["environment"]["command"].startswith("gpustab ")


@pytest.mark.parametrize(
    ("command", "name"),
    [*(("stability", name) for name in NAMES), *((command, "esc\x1b[31m.txt") for command in [*COMMANDS][1:])],
)
def test_what_is_printed_as_json_is_what_is_written(run, place, command, name):
    done = run(COMMANDS[command], name, "--out", "result", "--json")
    assert done.exit_code == 0, done.output
    assert one_object(done.stdout) == one_object((place / "result/summary.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", COMMANDS)
def test_files_of_words_and_vocabularies_are_settings_too(run, place, command):
    (place / "list.txt").write_text("w1\nw2\nw3\n")
    done = run(COMMANDS[command], "odd.txt", "--only", "list.txt", "--out", "result", "--json")
    assert done.exit_code == 0, done.output
    assert '"w2"' in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_a_vocabulary_beside_arrays_is_a_setting_too(run, place, command):
    np = pytest.importorskip("numpy")
    for name in ("a.npy", "b.npy"):
        np.save(place / name, np.random.default_rng(len(name)).normal(size=(30, 4)))
    (place / "v.txt").write_text("".join(f"w{k}\n" for k in range(30)))
    arguments = [{"NAME": "a.npy", "r1.txt": "b.npy"}.get(part, part) for part in COMMANDS[command]]
    done = run(arguments, "odd.txt", "--vocab", "v.txt", "--out", "result", "--json")
    assert done.exit_code == 0, done.output
    assert os.fspath("v.txt") in done.stdout


@pytest.mark.parametrize("name", ["caf\udce9.txt", "two  blanks.txt", "q[/x].txt", "dim=300.txt"])
def test_a_missing_file_is_named_as_it_is_called(call, name):
    done = CliRunner().invoke(app, ["stability", name, "r1.txt"], catch_exceptions=False)
    assert done.exit_code == 2
    shown = name.replace("\udce9", r"\xe9")
    assert done.stderr == f"error: {shown}: there is no such file\n"
