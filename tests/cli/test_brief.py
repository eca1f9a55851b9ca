"""What a terminal is given: an answer, one table, and the command that gives the rest, which runs."""

import re
import shlex
import subprocess
import sys

import pytest

from gpustab.cli.session import typed
from gpustab.runs.runset import write_runset
from tests.generators import spaces

LONGEST = 36


@pytest.fixture
def runset(place):
    groups = {f"sgns/{kind}": spaces(5, 40, 4, seed=k) for k, kind in enumerate(("fixed", "shuffled", "bootstrap"))}
    write_runset(groups, place / "RUNSET")
    return place / "RUNSET"


@pytest.mark.parametrize(
    "command",
    [
        "stability RUNSET",
        "neighbours w3 RUNSET",
        "compare RUNSET/sgns/fixed RUNSET/sgns/shuffled",
        "info RUNSET/sgns/fixed",
        "study bootstrap RUNSET --query w3,w4",
    ],
)
def test_a_page_fits_a_screen_and_its_last_line_adds_the_page(call, runset, monkeypatch, command):
    monkeypatch.setattr(sys, "argv", ["gpustab", *command.split()])
    done = call(command)
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= LONGEST
    assert lines[-1] == f"more: gpustab {command} --out report"
    if command.startswith(("stability", "neighbours")):
        assert len(lines) < call(f"{command} --verbose").stdout.count("\n")
    if not command.startswith(("stability", "info")):
        return  # a page takes seconds
    assert call(" ".join(shlex.split(lines[-1])[2:])).exit_code == 0
    assert (runset.parent / "report/report.html").is_file()
    again = call(command).stdout.splitlines()[-1]  # there is a report now
    assert again == f"more: gpustab {command} --out report-2"


def test_nothing_more_is_offered_where_all_was_asked_for(call, runset):
    assert "more: " not in call("stability RUNSET --out page").stdout
    assert "more: " not in call("stability RUNSET --json").stdout
    assert "more: " not in call("stability RUNSET -q").stdout


def test_alarms_answer_and_one_table_are_not_left_out(call, runset):
    shown, whole = call("stability RUNSET").stdout, call("stability RUNSET --verbose").stdout
    first = shown.splitlines()[0]
    assert first == whole.splitlines()[0]
    assert re.search(r"^  runs +5 +5 +5$", shown, re.MULTILINE)
    notes = [line for line in whole.splitlines() if line.startswith("note: ")]
    assert set(notes[:3]) <= set(shown.splitlines())
    assert len(notes) <= 3 or "more note" in shown


def test_all_that_a_heading_announces_is_there_and_its_caption_is_of_what_is_there(call, runset):
    """Ten nearest neighbours are ten rows; what is said of words without a place stands where they are."""
    shown, whole = call("neighbours w3 RUNSET").stdout, call("neighbours w3 RUNSET --verbose").stdout
    places = re.compile(r"^  w\d+ .*?  (\d+|–)  \d of \d ", re.MULTILINE)
    assert places.findall(shown) == [str(k) for k in range(1, 11)]
    assert "Words without a place" not in shown
    rows = re.search(r"the first 10 of (\d+) rows; all are on the page", shown)
    first = whole[: whole.index("Do all kinds of runs say the same?")]
    assert int(rows[1]) == len(places.findall(first)) > 10
    assert "Words without a place" in first
    short = call("neighbours w3 RUNSET -n 3").stdout
    assert places.findall(short[: short.index("verdict:")])[:3] == ["1", "2", "3"]


@pytest.mark.parametrize("on_path", [False, True])
def test_what_is_to_be_typed_next_can_be_typed(call, runset, monkeypatch, on_path):
    """After make demo nobody has .venv/bin on the path: then commands are called by their path, which is run here."""
    program = runset.parent / ".venv/bin/gpustab"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\nfrom gpustab.__main__ import run\nrun()\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent if on_path else runset.parent / 'nothing'}")
    monkeypatch.setattr(sys, "argv", [str(program), "info", "RUNSET/sgns/fixed"])
    line = call("info RUNSET/sgns/fixed").stdout.splitlines()[-1]
    name = "gpustab" if on_path else ".venv/bin/gpustab"
    assert line == f"more: {name} info RUNSET/sgns/fixed --out report"
    done = subprocess.run([*shlex.split(line)[1:2], "--version"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    both = "gpustab train lee -o gpustab && gpustab stability gpustab"
    assert typed(both) == f"{name} train lee -o gpustab && {name} stability gpustab"
