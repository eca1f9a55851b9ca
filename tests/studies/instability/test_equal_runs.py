"""Runs that do not differ: what is a part of nothing is undefined, and every chapter is there all the same."""

import math

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from gpustab import load_groups
from gpustab.cli import app
from gpustab.errors import InputError
from gpustab.report.describe import draw
from gpustab.report.json_text import to_json
from gpustab.runs.runset import write_runset
from gpustab.studies.instability import study
from gpustab.studies.instability.claims import observation_table
from gpustab.studies.instability.cosines import distribution_tables
from gpustab.studies.instability.study import instability
from tests.generators import runs_of, spaces
from tests.studies.instability.made import technique

FEW = {"pairs": 40, "targets": 4}
WANTS_SPREAD = {"distance", "distribution", "whitened", "p_values", "predictions", "table_a_2", "table_2_5"}
"""Tables of chapters that say nothing of equal runs."""


def groups_of(folder, **groups):
    write_runset({f"sgns/{sampling}": runs for sampling, runs in groups.items()}, folder)
    return load_groups(folder)


def equal(runs, seed=0):
    return spaces(1, 60, 5, seed=seed) * runs


@pytest.fixture(scope="module")
def all_equal(tmp_path_factory):
    folder = tmp_path_factory.mktemp("equal")
    groups = groups_of(folder / "set", shuffled=equal(4), bootstrap=spaces(4, 60, 5, seed=2))
    return instability(groups, **FEW)


@pytest.fixture(scope="module")
def two_of_five(tmp_path_factory):
    runs = spaces(5, 60, 5)
    folder = tmp_path_factory.mktemp("two")
    return instability(
        groups_of(folder / "set", shuffled=[*runs[:4], runs[1]], bootstrap=spaces(5, 60, 5, seed=2)), **FEW
    )


def cells(result, name):
    return {column: values for column, values in result.tables[name].items() if column != "technique"}


def test_all_other_chapters_are_there(all_equal, two_of_five):
    whole = set(two_of_five.tables)
    assert set(all_equal.tables) == whole - WANTS_SPREAD
    for title, what in (("distribution of cosines", "no word pair"), ("prediction", "no cosine")):
        left_out = f"Skip-gram: the part on {title} is left out: "
        (note,) = (note for note in all_equal.notes if note.startswith(left_out))
        assert f"{what} varies over the runs" in note
    assert not any("left out" in note for note in two_of_five.notes)


def test_parts_of_nothing_are_undefined_and_never_0_or_infinite(all_equal):
    row = next(all_equal.tables["table_2_8"].records(sampling="shuffled"))
    assert (row["reduced_pip"], row["sd"], row["se"]) == (0, 0, 0)
    for name in ("relative_sd", "word_relative_sd", "word_degrees_of_freedom"):
        assert math.isnan(row[name])
    assert all(map(math.isnan, all_equal.tables["proxy"]["ratio"]))
    for name, columns in (
        ("how_many", ["jackknife"]),
        ("figure_3_5", ["ratio_cosine", "ratio_dot", "ratio_cosine_matrices", "cosine_sd"]),
        ("cosine_ratios", ["sd", "rms_sd", "dot_sd"]),
        ("table_tree", ["same_runs", "same_runs_se", "between_halves"]),
        ("alignment_term", ["mean_by_pair", "variance_of_half"]),
    ):
        for column in columns:
            values = all_equal.tables[name][column]
            if name == "how_many":
                values = [v for v, q in zip(values, all_equal.tables[name]["quantity"], strict=True) if "p@" not in q]
            assert all(map(math.isnan, values)), (name, column)
    assert not any(
        np.isinf(x) for t in all_equal.tables.values() for c in t.values() for x in c if isinstance(x, float)
    )


def test_no_verdict_rests_on_what_is_undefined(all_equal):
    judged = observation_table(all_equal.tables)  # of the study itself all are withheld
    found = {(row["source"], row["claim"]): row["agrees"] for row in judged.records()}
    assert {row["agrees"] for row in all_equal.tables["observations"].records()} == {"no test"}
    assert set(found.values()) <= {"undecided", "no test", "yes", "no"}
    for source in ("3.2.1", "3.2.2", "3.2.3"):
        assert {agrees for (where, _), agrees in found.items() if where == source} <= {"undecided", "no test"}, source
    assert found["2.3, 1", "Losses hardly vary between pairs of shuffled runs"] == "undecided"
    shown = [row["shows"] for row in judged.records()]
    assert not any("nan" in text for text in shown)


@pytest.mark.parametrize("kind", ["all_equal", "two_of_five"])
def test_copies_are_told_as_stability_tells_them(kind, request):
    alarms = request.getfixturevalue(kind).alarms
    (note,) = (note for note in alarms if "equal up to rotation" in note)
    wanted = {"all_equal": "6 of 6 pairs", "two_of_five": "1 of 10 pairs"}[kind]
    why = "Skip-gram gets no verdict: some of its runs are equal."
    assert note.startswith(f"{why} Shuffled runs: {wanted} of runs ")


def test_two_of_five_have_all_numbers(two_of_five):
    assert all(map(math.isfinite, two_of_five.tables["proxy"]["ratio"]))
    assert two_of_five.tables["table_2_6"]["pairs_of_runs"][0] in (9, 10)  # ten of ten drawn, one of them of copies
    assert math.isfinite(two_of_five.tables["table_2_8"]["word_relative_sd"][0])


def test_pages_and_figures_of_equal_runs_are_written(all_equal, two_of_five, tmp_path):
    for result in (all_equal, two_of_five):
        assert "nan" not in to_json(result).lower().replace("nanosecond", "")
        assert "figure_2_8" in draw(result)
        assert "figure_3_5" in draw(result)
    all_equal.write(tmp_path / "out")
    assert (tmp_path / "out" / "report.html").is_file()


def test_the_command_answers_for_runs_that_differ_by_their_draw_alone(tmp_path, monkeypatch):
    """Fixed runs of `train --vary draw` are equal by design."""
    monkeypatch.chdir(tmp_path)
    write_runset({"sgns/fixed": equal(3), "sgns/shuffled": spaces(3, 60, 5, seed=1)}, tmp_path / "set")
    call = ["study", "instability", "set", "-o", "out", "--targets", "5", "--pairs", "20", "-q"]
    done = CliRunner().invoke(app, call, catch_exceptions=False)
    assert done.exit_code == 0
    assert "Fixed runs: 3 of 3 pairs of runs are equal up to rotation" in " ".join(done.stdout.split())


def test_a_chapter_that_fails_does_not_lose_the_others(tmp_path, monkeypatch):
    def broken(*arguments):
        raise InputError("words are wrong")

    monkeypatch.setattr(study, "averaging_tables", broken)
    monkeypatch.setattr(study, "instability_tables", broken)
    result = instability(groups_of(tmp_path / "set", shuffled=spaces(4, 60, 5)), **FEW)
    assert "Skip-gram: the part on averages is left out: words are wrong" in result.notes
    assert "Skip-gram: the part on PIP loss is left out: words are wrong" in result.notes
    assert {"table_tree", "neighbours", "how_many", "observations"} <= set(result.tables)
    assert "figure_3_5" not in result.tables
    assert "table_2_8" not in result.tables
    assert result.groups[0]["words"] == 60
    assert result.groups[0]["pip"] == {}
    assert "60 words" in str(result)  # the page is there


def test_where_no_chapter_can_be_written_the_reason_is_raised(tmp_path, monkeypatch):
    def broken(*arguments):
        raise InputError("nothing works")

    for name in list(vars(study)):
        if name.endswith(("_tables", "_table")) and name != "observation_table":
            monkeypatch.setattr(study, name, broken)
    monkeypatch.setattr(study, "same_runs", broken)
    with pytest.raises(InputError, match="nothing works"):
        instability(groups_of(tmp_path / "set", shuffled=spaces(4, 60, 5)), **FEW)


def test_cosines_that_do_not_vary_have_no_distribution():
    with pytest.raises(InputError, match="no word pair varies"):
        distribution_tables(technique(runs_of(torch.stack([spaces(1, 40, 4)[0].vectors] * 5)), pairs=30))
