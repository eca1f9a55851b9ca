"""What tells whether answers are the same: every number, sentence and table counts, pictures apart, time not at all."""

import copy
import json

import pytest

from tests.golden import compare, lasting, plain, report_text, table

ANSWER = {
    "exit": 0,
    "summary": {"verdict": ["Six of ten come back."], "groups": [{"pip": 0.0204, "runs": 3}]},
    "tables": {"words": {"rows": 2, "columns": {"word": "string 1a", "pip": "double 2b"}}},
    "page": "The first line.\nSix of ten come back.",
    "figures": {"losses.svg": "3c"},
}


@pytest.fixture
def differing(tmp_path, capsys):
    """Compare the answer with one that was changed in place."""

    def of(change, **choices):
        other = copy.deepcopy(ANSWER)
        change(other)
        for name, answer in (("a", ANSWER), ("b", other)):
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / "case.json").write_text(json.dumps(answer))
        return compare(tmp_path / "a", tmp_path / "b", **choices), capsys.readouterr().out

    return of


def test_what_is_equal_is_clean(differing):
    counts, said = differing(lambda answer: None)
    assert not counts
    assert "1 cases; other: none" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda answer: answer["summary"]["verdict"].append("More."), "summary.verdict: ["),
        (lambda answer: answer["summary"]["groups"][0].update(pip=0.02040001), "summary.groups[0].pip: 0.0204 → "),
        (lambda answer: answer["summary"]["groups"][0].update(runs=3.0), "summary.groups[0].runs: 3 → 3.0"),
        (lambda answer: answer["summary"]["groups"][0].pop("runs"), "summary.groups[0].runs: 3 → (none)"),
        (lambda answer: answer["tables"]["words"]["columns"].update(pip="double 2c"), "tables.words.columns.pip"),
        (lambda answer: answer["tables"]["words"]["columns"].update(pip=answer["tables"]["words"]["columns"].pop("pip"),
         word=answer["tables"]["words"]["columns"].pop("word")), "tables.words.columns: another order"),
        (lambda answer: answer.update(page=answer["page"].replace("Six", "Five")), "+Five of ten come back."),
        (lambda answer: answer.update(exit=1), "exit: 0 → 1"),
    ],
)  # fmt: skip
def test_what_differs_is_told_with_its_place(differing, change, said):
    counts, printed = differing(change)
    assert counts
    assert said in printed
    assert "other: case" in printed


def test_pictures_count_only_when_they_shall(differing):
    def redraw(answer):
        answer["figures"]["losses.svg"] = "4d"

    counts, printed = differing(redraw)
    assert not counts
    assert "other pictures: case" in printed
    assert differing(redraw, figures=True)[0]


def test_a_case_that_one_side_lacks_counts(differing, tmp_path):
    differing(lambda answer: None)
    (tmp_path / "a" / "more.json").write_text("{}")
    assert compare(tmp_path / "a", tmp_path / "b")
    assert not compare(tmp_path / "a", tmp_path / "b", ["case"])


def test_time_memory_and_machine_do_not_count():
    environment = {"seconds": 3.2, "phases": {"a": 1}, "date": "today", "torch": "2.1", "inputs": [{"path": "a"}]}
    summary = {"groups": [{"seconds": 1.5, "runs": 2}], "environment": environment}
    assert lasting(summary) == {"groups": [{"runs": 2}], "environment": {"inputs": [{"path": "a"}]}}
    inputs = [{"path": "data/a", "sha256": "1"}, {"path": "runs/a", "sha256": "2"}]
    assert lasting(inputs) == [inputs[0], {"path": "runs/a"}]
    assert plain("Six.\n\nmeasured in 3.9 s · peak memory 0.3 GiB · cpu\n0.1 s · cpu") == "Six."
    assert plain("see /tmp/golden-ab12_x/out/a.txt") == "see out/a.txt"
    page = "<h1>Six &amp; ten</h1><svg><text>7</text></svg><details><summary>Versions and machine</summary>x</details>"
    assert report_text(page) == "Six & ten"


def test_a_table_is_known_by_every_value(tmp_path):
    pd = pytest.importorskip("pandas")
    found = []
    for k, values in enumerate(([0.1, 0.2], [0.1, 0.2 + 1e-16], [0.1, float("nan")])):
        path = tmp_path / f"{k}.parquet"
        pd.DataFrame({"word": ["a", "b"], "pip": values}).to_parquet(path)
        path.with_suffix(".csv").write_text("")
        found.append(table(path))
    assert found[0]["rows"] == 2
    assert len({own["columns"]["word"] for own in found}) == 1
    assert len({own["columns"]["pip"] for own in found}) == 3 - (0.2 + 1e-16 == 0.2)
