"""TAB completes names, and is quick: nothing is imported that takes seconds."""

import os
import subprocess
import sys

import pytest

from gpustab import bench
from gpustab.cli.machine import STEPS

SLOW = ("torch", "numpy", "gensim", "pandas")  # pydantic is what typer itself takes where it is there
PROGRAM = """
import sys
from gpustab.cli import app
try:
    app(prog_name="gpustab")
finally:
    print(*(name for name in {slow} if name in sys.modules), file=sys.stderr)
"""


def complete(line, folder):
    words = line.split(" ")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(slow=SLOW)],
        env=os.environ | {"_GPUSTAB_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.split() == []
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("gpustab train lee --technique s", ["sgns"]),
        ("gpustab train lee --technique sgns,c", ["sgns,cbow"]),
        ("gpustab sweep lee --sampling shuffled,", ["shuffled,fixed", "shuffled,bootstrap"]),
        ("gpustab train l", ["lee", "letters/", "lines.txt"]),
        ("gpustab bench --steps gram,all", ["gram,all-neighbours"]),
        ("gpustab study inst", ["instability"]),
    ],
)
def test_names_are_completed_without_torch(tmp_path, line, found):
    (tmp_path / "letters").mkdir()
    (tmp_path / "lines.txt").touch()
    assert complete(line, tmp_path) == found


def test_the_steps_are_those_of_the_benchmark():
    assert tuple(bench.STEPS) == STEPS
