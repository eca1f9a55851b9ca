"""The script that shows on a card what there is to show: it ends in time, and says what it left out."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks/on_gpu.sh"


@pytest.fixture
def shown(tmp_path):
    """Run it with a Python that writes down what it is asked for, and takes its time for the first of it."""
    python, asked = tmp_path / "bin/python", tmp_path / "asked"
    python.parent.mkdir()
    asked.touch()
    python.write_text(
        f'#!/bin/sh\ntest -s {asked}; first=$?\necho "$*" >> {asked}\ntest $first = 0 || exec sleep "$TAKES"\n'
    )
    python.chmod(0o755)

    def run(**variables):
        own = os.environ | {"TAKES": "0", "PATH": f"{python.parent}:{os.environ['PATH']}"} | variables
        done = subprocess.run(
            ["bash", SCRIPT, tmp_path / "results"], env=own, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines(), asked.read_text().splitlines()

    return run


def test_all_is_run_in_the_order_of_its_worth(shown):
    said, asked = shown()
    assert [line.removeprefix("== python ") for line in said] == asked
    assert asked[0] == "-m pytest -m gpu -q"
    assert len(asked) > 15


def test_without_time_nothing_is_run_and_all_is_said_to_be_left_out(shown):
    said, asked = shown(MINUTES="0")
    assert asked == []
    assert len(said) > 15
    assert all(line.startswith("== left out: python ") for line in said)


def test_a_step_that_takes_too_long_is_ended_and_said(shown):
    said, asked = shown(limit="1", TAKES="30")
    assert said[1] == f"== failed (124): python {asked[0]}"
