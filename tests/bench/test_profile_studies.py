"""The profile of commands: what was measured is what was called, and a failure takes no place."""

import json
import sys

import pytest
from typer.main import get_command

from benchmarks import profile_studies
from benchmarks.profile_studies import CALLS, MADE, call, row_of
from benchmarks.setting import ROOT
from gpustab.cli import app


def test_all_calls_are_commands_and_all_commands_are_called():
    known = get_command(app).commands
    first = {line.split()[0] for line in [*CALLS.values(), *MADE.values()]}
    assert first | {"demo", "doctor", "bench"} == set(known)
    studies = {line.split()[1] for line in CALLS.values() if line.startswith("study")}
    assert studies == set(known["study"].commands)


def test_a_call_is_measured(tmp_path):
    found = call(ROOT, "info --no-such-option", {}, tmp_path)  # a wrong option loads no torch
    assert found["code"] == 2
    assert "--no-such-option" in found["said"]
    assert found["peak_mb"] > 10
    assert found["written"] == 0
    for phases, total in (("phases", "seconds"), ("work", "processor")):
        rounding = 0.005 * (len(found[phases]) + 1)
        assert sum(found[phases].values()) == pytest.approx(found[total], abs=rounding + 1e-9)


@pytest.mark.slow
def test_a_call_that_works_is_measured(tmp_path):
    assert call(ROOT, "info --help", {}, tmp_path)["code"] == 0


def of(version, *calls, code=0):
    return [{"call": call, "version": version, "code": code, "said": "why"} for call in calls]


def failed(version, *calls):
    return of(version, *calls, code=2)


def test_new_rows_take_the_place_of_all_of_their_calls_made_run_sets_too():
    rows = of("old", "make: x", "info lee") + of("older", "info lee", "train lee")
    new = of("new", "info lee"), of("new", "make: x")
    after, wrong = profile_studies._with(rows, failed("old", "info lee"), new[0])
    assert (profile_studies._with(after, wrong, new[1])) == (of("older", "train lee") + new[0] + new[1], [])
    assert profile_studies._with(rows, [], []) == (rows, [])


@pytest.mark.parametrize("again", [[], failed("new", "info lee")])
def test_a_call_that_fails_takes_no_place_of_one_that_went_well(again):
    rows = of("old", "info lee") + of("before", "info lee")
    new = failed("new", "info lee")
    assert profile_studies._with(rows, again, new) == (rows, new)
    beside = of("before", "info lee")
    assert profile_studies._with(rows, again, new + beside) == (of("old", "info lee") + beside, new)


def test_an_earlier_version_that_fails_stands_beside_the_row_of_this_one():
    rows, new, unknown = of("old", "info lee"), of("new", "info lee"), failed("before", "info lee")
    assert profile_studies._with(rows, [], new + unknown) == (new, unknown)


def test_a_failure_is_told_and_kept(monkeypatch, tmp_path):
    kept, good = tmp_path / "kept.json", {"call": "info lee", "version": "old", "code": 0}
    kept.write_text(json.dumps({"rows": [good]}))
    monkeypatch.setattr(profile_studies, "call", lambda *_: made_up(1.0) | {"code": -9, "said": "killed"})
    monkeypatch.setattr(sys, "argv", ["", "--only", "info lee", "--out", str(kept)])
    with pytest.raises(SystemExit, match="failed: info lee"):
        profile_studies.main()
    found = json.loads(kept.read_text())
    assert found["rows"] == [good]
    assert [(one["call"], one["code"], one["said"]) for one in found["failed"]] == [("info lee", -9, "killed")]
    assert found["not_run"]["info lee"] == "last at old"


def test_what_was_run_is_not_said_not_to_be_though_an_earlier_version_was_run_after_it():
    rows = of("after", "train lee") + of("before", "train lee", "info lee")
    found = profile_studies._not_run(rows, "after")
    assert "train lee" not in found
    assert found["info lee"] == "last at before"
    assert found["encode lee"] == "needs --encoder"
    assert set(found) == set(CALLS) - {"train lee"}


def made_up(s):
    shares = {"phases": {"start": s / 2, "dust": 0.01}, "work": {"products": s / 4}, "chapters": {"trees": s / 4}}
    return {"code": 0, "seconds": s, "processor": s, "peak_mb": s, "written": 7, "said": ""} | shares


def test_rows_are_medians():
    row = row_of("x", "after", [made_up(s) for s in (1.0, 5.0, 3.0)])
    assert row["chapters"] == {"trees": 0.75}
    assert (row["seconds"], row["span"], row["phases"], row["peak_mb"]) == (3.0, [1.0, 5.0], {"start": 1.5}, 5.0)
    assert row["work"] == {"products": 0.75}


def test_one_call_of_several_that_fails_makes_a_row_of_a_failure():
    calls = [made_up(1.0), made_up(1.0) | {"code": -9, "said": "killed"}, made_up(1.0)]
    row = row_of("x", "after", calls)
    assert (row["code"], row["said"]) == (-9, "killed")
