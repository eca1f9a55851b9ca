import json

import pytest
from typer.testing import CliRunner

from gpustab.bench import STEPS, steps
from gpustab.cli import app

TINY = "bench --device cpu --runs 3 --words 60 --dim 5 --seconds 0.001"


def call(command):
    return CliRunner().invoke(app, command.split(" "), catch_exceptions=False)


def test_the_page_names_every_step_and_the_files_hold_it(tmp_path):
    done = call(f"{TINY} --out {tmp_path}")
    assert done.exit_code == 0, done.output
    assert all(f"{name} " in done.stdout for name in STEPS)
    assert {path.name for path in tmp_path.iterdir()} == {
        "report.html",
        "summary.json",
        "steps.parquet",
        "steps.csv",
        "rates.parquet",
        "rates.csv",
        "legend.parquet",
        "legend.csv",
    }
    assert json.loads((tmp_path / "summary.json").read_text())["schema"] == "gpustab.bench/1"


def test_json_is_one_object_with_all_rows():
    done = call(f"{TINY} --json --steps overlap,gram")
    (group,) = json.loads(done.stdout)["groups"]
    assert [row["step"] for row in group["steps"]] == ["gram", "overlap"]
    assert group["steps"][0]["seconds"] > 0


def test_a_failed_check_ends_with_1_and_still_shows_the_table(monkeypatch):
    monkeypatch.setattr(steps.checks, "losses", lambda runs, reduced: 1.0)
    done = call(f"{TINY} --steps gram,cosines --json")
    assert done.exit_code == 1
    assert [row["status"] for row in json.loads(done.stdout)["groups"][0]["steps"]] == ["refused", "checked"]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ("--runs 1", "runs is 1"),
        ("--words 1", "words is 1"),
        ("--dim 0", "--dim is 0"),
        ("--steps gram,sorting", "no step 'sorting'"),
        ("--device tpu", "'tpu'"),
        ("--device cuda:99", "'cuda:99'"),
        ("--precision fast", "needs CUDA"),
        ("--seconds -1", "seconds is -1"),
    ],
)
def test_wrong_options_end_with_2_and_one_line(options, part):
    done = call(f"bench {options}" if "--device" in options else f"bench --device cpu {options}")
    assert done.exit_code == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert part in line
