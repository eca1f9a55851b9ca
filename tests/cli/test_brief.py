"""What a terminal is given: an answer, one table, and the command that gives the rest, which runs."""

import re
import shlex
import sys

import pytest

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
