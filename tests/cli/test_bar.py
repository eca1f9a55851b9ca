"""What is said about time: reckoned from the last beginning, and honest where it was reckoned wrong."""

import io
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from rich.console import Console

from gpustab.cli.bar import EVERY, Bar, Clock
from gpustab.cli.options import open_runs
from gpustab.cli.studies.working import foretell
from gpustab.errors import ComputationError
from gpustab.formats.options import LoadOptions

ROOT = Path(__file__).parents[2]
SECONDS = r"0:0\d:\d\d"
"""A busy machine may take some to begin."""


class Time:
    now = 0.0

    def __call__(self):
        return self.now


def test_time_left_is_that_of_the_part_that_is_done():
    time = Time()
    clock = Clock(time)
    time.now = 60  # reading
    clock.tell(0.0)
    assert str(clock) == "0:01:00 so far"
    time.now = 80
    clock.tell(0.25)
    assert str(clock) == "0:01:20 so far, about 0:01:00 left"  # reading does not count
    time.now = 100
    assert str(clock) == "0:01:40 so far, about 0:00:40 left"
    time.now = 150
    assert str(clock) == "0:02:30 so far, longer than reckoned"
    clock.tell(1.0)
    assert str(clock) == "0:02:30 so far"


def test_getting_ready_foretells_no_hours():
    time = Time()
    clock = Clock(time)
    clock.tell(0.0)
    time.now = 50  # processes start, libraries are imported
    clock.tell(0.004)
    assert str(clock) == "0:00:50 so far"
    time.now = 80
    clock.tell(0.104)
    assert str(clock) == "0:01:20 so far, about 0:04:29 left"
    for start in (0.0, 0.004):  # other work begins, and need not say so
        time.now += 10
        clock.tell(start)
        time.now += 10
        clock.tell(start + 0.5)
        assert str(clock).endswith("about 0:00:10 left")


def test_the_bar_appears_with_the_first_report_and_what_is_printed_stands_above():
    file = io.StringIO()
    bar = Bar(Console(file=file, force_terminal=True, width=90), shown=True)
    bar.print("corpus = 'lee'")
    assert "so far" not in file.getvalue()
    bar("training 0 of 9 runs", 0.0)
    bar.print("more")
    bar.close()
    text = file.getvalue()
    assert text.index("corpus") < text.index("training 0 of 9 runs")
    assert "so far" in text


def test_a_narrow_terminal_cuts_what_is_at_work_and_no_time():
    file = io.StringIO()
    bar = Bar(Console(file=file, force_terminal=True, width=80), shown=True)
    bar("reading", 0.0)
    bar("training 0 of 9 runs; at work: sgns shuffled 0 60%", 0.5)
    bar.close()
    assert "left" in file.getvalue()
    assert "training 0 of…" in file.getvalue()


def test_nobody_looking_sees_nothing():
    file = io.StringIO()
    bar = Bar(Console(file=file), shown=False)
    bar("training", 0.5)
    bar.close()
    assert file.getvalue() == ""


def test_a_log_has_a_line_every_so_often(monkeypatch):
    monkeypatch.setattr("gpustab.cli.bar.EVERY", 0.02)
    file = io.StringIO()
    bar = Bar(Console(file=file, width=40), shown=True)
    wait_for(lambda: re.search(rf"working: {SECONDS} so far", file.getvalue()))  # whatever takes long before it reports
    bar("training 3 of 24 runs; at work: [sgns] shuffled 0 60%", 0.5)
    at_work = re.escape("training 3 of 24 runs; at work: [sgns] shuffled 0 60%")
    wait_for(lambda: re.search(rf"{at_work}: {SECONDS} so far", file.getvalue()))
    bar.close()
    told = file.getvalue()
    bar("training 4 of 24 runs", 0.6)
    time.sleep(0.1)
    assert file.getvalue() in (told, told + told.splitlines()[-1] + "\n")
    assert "\x1b" not in told
    assert "━" not in told


def wait_for(seen):
    end = time.monotonic() + 100
    while not seen():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_lines_come_at_most_half_a_minute_apart():
    assert EVERY <= 30


@pytest.mark.parametrize("how", ["", "--quiet"])
def test_a_command_that_reports_nothing_still_tells_a_log(call, monkeypatch, how):
    monkeypatch.setattr("gpustab.cli.bar.EVERY", 0.02)
    monkeypatch.setattr("gpustab.studies.neighbours.study.neighbours_of", lambda *_, **__: time.sleep(0.3) or broken())
    told = call(f"neighbours w1 r0.txt r1.txt {how}".strip()).stderr
    assert bool(re.search(rf"reading r0\.txt, r1\.txt: {SECONDS} so far", told)) == (how == "")


def broken():
    raise ComputationError("no room")


def screen(stream):
    """What a terminal shows in the end, and every line that it ever showed."""
    lines, row, column, ever = [""], 0, 0, set()
    for part in re.findall(r"\x1b\[[\d;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", stream):
        if part == "\n":
            row, column = row + 1, 0
        elif part == "\r":
            column = 0
        elif part.endswith("A"):
            row = max(row - int(part[2:-1] or 1), 0)
        elif part.endswith("K"):
            lines[row] = ""
        elif not part.startswith("\x1b"):
            lines[row] = f"{lines[row][:column].ljust(column)}{part}{lines[row][column + len(part) :]}"
            column += len(part)
        lines += [""] * (row + 1 - len(lines))
        ever.add(lines[row])
    return [line.rstrip() for line in lines], ever


PROGRAM = """
import sys, time
from gpustab.cli import measure, session, app
from gpustab.cli.app import app
import gpustab.studies.stability.study as study
kept = study.stability
def slowly(*arguments, progress, **how):
    for part in (0.0, 0.3, 0.6):
        progress("measuring x/shuffled", part)
        time.sleep(0.15)
    return kept(*arguments, progress=progress, **how)
study.stability = slowly
app(["stability", "r0.txt", "r1.txt", "--out", "page"])
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo terminals")
def test_on_a_terminal_the_bar_is_gone_before_anything_is_printed(place):
    import pty

    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=place, env=environment, stdout=theirs, stderr=theirs)
    os.close(theirs)
    stream = b""
    with suppress(OSError):  # the end of a pseudo terminal
        while piece := os.read(ours, 1 << 16):
            stream += piece
    assert child.wait() == 0, stream.decode()
    text = stream.decode().replace("\r\n", "\n")
    shown, ever = screen(text)
    assert any("measuring x/shuffled" in line for line in ever)  # there was a bar
    assert not [line for line in shown if "so far" in line or "━" in line]  # and there is none
    result = next(place for place, line in enumerate(shown) if "reduced PIP loss" in line)
    assert shown[result].startswith("  reduced PIP loss")
    assert "so far" not in text[text.index("open page/report.html") :]
    assert "open page/report.html in a browser" in shown


@pytest.mark.parametrize(
    ("given", "seconds", "quiet", "said"),
    [
        (["set"], 100, False, "6 runs of up to 30 words: about 3 minutes on a core that is free\n"),
        (["set/x/shuffled"], 61, False, "3 runs of up to 30 words: about 1 minute on a core that is free\n"),
        (["set"], 20, False, ""),  # it is not long
        (["set"], 100, True, ""),
        (["r0.txt", "r1.txt"], 100, False, ""),  # their reading shows how many words they have
    ],
)
def test_a_long_study_says_before_how_long_it_takes(place, given, seconds, quiet, said):
    console = Console(file=io.StringIO(), width=200)
    groups = open_runs([place / name for name in given], LoadOptions())
    foretell(Bar(console, shown=False), groups, lambda runs, words: seconds * (runs in {2, 3} and words == 30), quiet)
    assert console.file.getvalue() == said
