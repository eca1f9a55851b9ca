"""Table 4.3 in one command, on two made languages in both layouts: what is scored, its spread, and going on."""

import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.errors import InputError
from gpustab.runs.load import open_groups
from gpustab.studies.change.options import GridPlan
from gpustab.studies.change.semeval import languages_in, plan_for
from gpustab.studies.change.study import change
from tests.studies.change.planted import groups, runset

TOPICS, LINES = 6, 240
CHANGED = (0, 1)
"""Numbers of the targets whose topic is another one in the second period."""


def target(k):
    return f"target{k}_nn"


def text(seed, later):
    """Lines on one topic each; a target stands in lines of its topic, which in the second period may be the next."""
    rng, lines = np.random.default_rng([5, seed, later]), []
    for line in range(LINES):
        topic = line % TOPICS
        words = [f"w{topic}x{k}" for k in rng.integers(8, size=8)] + [f"Common{k}" for k in rng.integers(6, size=3)]
        words += [target(k) for k in range(TOPICS) if (k + (later and k in CHANGED)) % TOPICS == topic]
        lines.append(" ".join(rng.permutation(words)))
    return "\n".join(lines) + "\n"


def languages(root, layout):
    """The folder of two languages, in the layout of the data or of the evaluation package."""
    for seed, name in enumerate(("english", "latin")):
        place = root / name if layout == "data" else root / "test_data_public" / name
        for period in (1, 2):
            folder = place / f"corpus{period}" / "lemma"
            folder.mkdir(parents=True)
            (folder / f"{name}{period}.txt").write_text(text(seed, period == 2))
        (place / "targets.txt").write_text("".join(f"{target(k)}\n" for k in range(TOPICS)))
        truths = place / "truth" / "binary.txt", place / "truth" / "graded.txt"
        if layout == "package":
            answers = root / "test_data_truth" / "answer"
            truths = answers / "task1" / f"{name}.txt", answers / "task2" / f"{name}.txt"
        for path, values in zip(truths, ((1, 0), (0.8, 0.1)), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = [f"{target(k)}\t{values[k not in CHANGED] + k / 100 * (path is truths[1])}" for k in range(TOPICS)]
            path.write_bytes(("\r\n".join(reversed(rows)) + "\r\n").encode())
    return root


def call(folder, *more):
    given = ["--technique", "sgns,cbow", "--runs", "3", "-q", *more]
    for one in ("sgns.dim=12", "sgns.window=4", "sgns.epochs=10", "cbow.dim=12"):
        given += ["--set", one]
    return CliRunner().invoke(app, ["study", "change", "--semeval", str(folder), *given])


def test_the_grid_in_one_command_which_goes_on(tmp_path, monkeypatch):
    from gpustab.training import runner

    made = languages(tmp_path / "given", "package")
    real, trained = runner.train_all, []

    def stopping(tasks, *given):
        trained.append(sum(len(task.runs) for task in tasks))
        if len(trained) == 3:
            raise KeyboardInterrupt
        return real(tasks, *given)

    monkeypatch.setattr(runner, "train_all", stopping)
    line = ["-o", str(tmp_path / "out")]
    assert call(made, *line).exit_code != 0
    result = call(made, *line)
    assert result.exit_code == 0, result.output
    assert trained == [12, 12, 12, 0, 0, 12, 12]  # the first language is there, the second is trained
    content = json.loads((tmp_path / "out" / "summary.json").read_text())
    grid, tasks = rows_of(content, "grid"), rows_of(content, "task")
    assert [row["way"] for row in grid] == ["IR", "AA", "EA"] * 4
    assert {(row["technique"], row["sampling"]) for row in grid} == {
        (t, s) for t in ("sgns", "cbow") for s in ("shuffled", "bootstrap")
    }
    assert {row["languages"] for row in grid} == {2}
    assert {round(row["majority"], 3) for row in grid} == {0.667}
    best = next(row for row in grid if (row["technique"], row["sampling"], row["way"]) == ("sgns", "bootstrap", "AA"))
    assert best["accuracy"] >= 0.75
    assert best["spearman"] > 0.5
    tasks = [row for row in tasks if row["series"].startswith("sgns/bootstrap")]
    assert {row["task"] for row in tasks} == {"english", "latin"}
    for way in ("IR", "AA", "EA"):
        row = next(x for x in grid if (x["technique"], x["sampling"], x["way"]) == ("sgns", "bootstrap", way))
        assert row["accuracy"] == pytest.approx(fmean(x["accuracy"] for x in tasks if x["way"] == way))
    first = max(grid, key=lambda row: row["spearman"])
    runs = f"{first['sampling']} runs of {'skip-gram' if first['technique'] == 'sgns' else 'CBOW'}"
    assert f"{first['way']} of the {runs} has the best ranks of 12 ways" in content["verdict"][0]
    assert f"Spearman's ρ {first['spearman']:.3f}, mean of 2 languages." in content["verdict"][0]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Which technique, way and sampling judge change best?" in page
    assert "How well are the targets of english, latin judged?" in page


def rows_of(content, name):
    table = content["tables"][name]
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]


def test_one_pair_by_hand(tmp_path):
    """AA and EA without the k-th runs, and of the halves, are those of these runs by themselves."""
    from gpustab.training import train_runs

    place = languages_in(languages(tmp_path / "given", "data"))[0]
    found = []
    for period in (1, 2):
        plan = GridPlan(technique=("sgns",), sampling=("shuffled",), runs=2)
        train_runs(
            plan_for(plan, place / f"corpus{period}" / "lemma" / f"english{period}.txt", 0), tmp_path / str(period)
        )
        group = open_groups([tmp_path / str(period)], single_runs=True)[0]
        found.append(replace(group, key=replace(group.key, part=(("epoch", str(period)),))))
    whole = {row["way"]: row for row in change(found, min_count=1, semeval=str(place)).tables["task"].records()}
    single = []
    for k in range(2):
        runs = [group.load().take([k]) for group in found]
        single.append(
            {row["way"]: row for row in change(runs, min_count=1, semeval=str(place)).tables["task"].records()}
        )
    for name in ("accuracy", "spearman"):
        values = [own["AA"][name] for own in single]
        for way in ("AA", "EA"):  # of two runs, halves and what is left out are the single runs
            assert whole[way][f"{name}_sd"] == pytest.approx(stdev(values))
            assert whole[way][f"{name}_se"] == pytest.approx(abs(values[0] - values[1]) / 2)
        assert [own["EA"][name] for own in single] == values
        assert math.isnan(single[0]["AA"][f"{name}_sd"])


def test_a_language_that_cannot_be_scored_stops_no_other():
    found = groups(runset(epochs=2, runs=2, v=20))
    keys = [replace(one.key, part=(("language", name), *one.key.part)) for name in ("a", "b") for one in found]
    given = [replace(one, key=key) for one, key in zip([*found, *found], keys, strict=True)]
    with TemporaryDirectory() as root:
        for name, targets in (("a", "w1\nw2\nw3\n"), ("b", "w1_nn\n")):
            (Path(root) / name / "truth").mkdir(parents=True)
            (Path(root) / name / "targets.txt").write_text(targets)
            for period in (1, 2):
                (Path(root) / name / f"corpus{period}" / "lemma").mkdir(parents=True)
                (Path(root) / name / f"corpus{period}" / "lemma" / "text.txt").write_text("w1\n")
        (Path(root) / "a" / "truth" / "binary.txt").write_text("w1\t1\nw2\t0\nw3\t0\n")
        answer = change(given, min_count=1, semeval=root)
    assert [row["languages"] for row in answer.tables["grid"].records()] == [1, 1, 1]
    assert {row["task"] for row in answer.tables["task"].records()} == {"a"}
    assert any("not scored" in note and "Train on the lemma version" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--semeval", "nowhere"], "--semeval: nowhere: there is no such folder"),
        (["--semeval", "englsh"], "there is no such folder; near it is english"),
        (["--semeval", "empty"], "empty: no folder here has a targets.txt"),
        ([], "give a run set, or --semeval"),
        (["--semeval", "."], "holds no file; the lemma version"),
        (["--semeval", ".", "--technique", "sgsn"], "technique 'sgsn' is unknown; near it is sgns"),
        (["--semeval", "nowhere", "--anchors", "words.txt"], "--anchors has no effect: give --align anchors too"),
        (["--semeval", ".", "--runs", "0"], "--runs"),
    ],
)
def test_wrong_calls_are_one_line(tmp_path, monkeypatch, given, said):
    (tmp_path / "english").mkdir()
    (tmp_path / "english" / "targets.txt").write_text("a_nn\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "words.txt").write_text("a_nn\n")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["study", "change", *given, "-o", "out"])
    assert result.exit_code != 0
    assert said in " ".join(result.output.split())
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_trained_is_refused_first(tmp_path):
    with pytest.raises(InputError, match="near it is sgns"):
        plan_for(GridPlan(technique=("sgsn",)), tmp_path / "a.txt", 0)
    with pytest.raises(InputError, match="parameters for lsa, which is not among"):
        plan_for(GridPlan(), tmp_path / "a.txt", 0, {"lsa": {"dim": 3}})
    with pytest.raises(InputError, match="near it is min_count"):
        plan_for(GridPlan(), tmp_path / "a.txt", 0, {"options": {"min_counts": 3}})
