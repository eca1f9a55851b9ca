import json
import sys

import pytest

from benchmarks import goals


def result(**size):
    steps = [
        {"step": "gram", "precision": "auto", "status": "checked", "seconds": 1.2, "error": 3e-7},
        {"step": "gram", "precision": "fast", "status": "checked", "seconds": 2.0, "error": 3e-7},
        {"step": "cosines", "precision": "exact", "status": "refused", "seconds": None, "error": 0.5},
    ]
    return {"settings": goals.SIZE | size, "groups": [{"steps": steps}]}


def test_every_step_has_its_row_and_says_what_was_not_measured():
    rows = {(row["step"], row["precision"]): row for row in goals.table(result())}
    assert rows.keys() == goals.H200.keys()
    assert [rows["gram", kind]["status"] for kind in ("auto", "fast")] == ["met", "missed"]
    assert rows["cosines", "exact"]["status"] == "refused"
    assert rows["words", "auto"]["status"] == "unmeasured"
    assert rows["gram", "auto"]["goal"] == 1.5
    assert rows["gram", "auto"]["seconds"] == 1.2
    assert {row["status"] for row in goals.table(None)} == {"unmeasured"}


def test_another_size_is_refused():
    with pytest.raises(ValueError, match="the result is of"):
        goals.table(result(runs=4))


def test_the_table_is_written_with_what_made_it(tmp_path, monkeypatch, capsys):
    (tmp_path / "summary.json").write_text(json.dumps(result()))
    monkeypatch.setattr(sys, "argv", ["goals", str(tmp_path / "summary.json"), "--out", str(tmp_path / "goals.json")])
    goals.main()
    assert "before   7.1 s  now      1.2 s, error 3.0e-07  goal   1.5 s: met" in capsys.readouterr().out
    written = json.loads((tmp_path / "goals.json").read_text())
    assert {"device", "versions", "commit", "date"} <= written["environment"].keys()


def test_a_file_that_is_not_there_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["goals", str(tmp_path / "none.json")])
    with pytest.raises(SystemExit, match=r"none.json: .*No such file"):
        goals.main()
