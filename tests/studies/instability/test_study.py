import json
import math

import pytest
import torch
from typer.testing import CliRunner

from gpustab import InputError, Space, load_groups
from gpustab.cli import app
from gpustab.report.describe import describe
from gpustab.report.json_text import to_json
from gpustab.runs.runset import write_runset
from gpustab.studies.instability.figures import FIGURES
from gpustab.studies.instability.page import QUESTIONS
from gpustab.studies.instability.study import instability
from tests.generators import spaces
from tests.pages import check_page


def runset(folder, runs=4):
    groups = {"sgns/shuffled": spaces(runs, 60, 5), "sgns/bootstrap": spaces(runs, 60, 5, seed=2)}
    write_runset(groups | {"glove/shuffled": spaces(runs, 60, 5, seed=3)}, folder)
    return folder


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    return load_groups(runset(tmp_path_factory.mktemp("study") / "set"))


@pytest.fixture(scope="module")
def steps():
    return []


@pytest.fixture(scope="module")
def result(groups, steps):
    return instability(groups, pairs=50, targets=10, word="w3", progress=lambda work, part: steps.append((work, part)))


def test_every_titled_table_is_there_and_none_is_ragged(result):
    missing = {name for question in QUESTIONS for name in question.tables} - set(result.tables)
    assert missing <= {"scores", "table_3_6", "corpora"}  # no word of the tests, one corpus
    assert next(iter(result.tables)) == "observations"
    for name, table in result.tables.items():
        assert len({len(column) for column in table.values()}) == 1, name
        assert len(result.frame(name)) == len(table["technique"])


def test_techniques_stand_beside_each_other_and_are_never_pooled(result):
    assert [group["name"] for group in result.groups] == ["sgns", "glove"]
    assert list(dict.fromkeys(result.tables["table_2_8"]["technique"])) == ["sgns", "glove"]
    assert result.tables["table_2_11"]["technique"] == ["sgns"]
    assert result.groups[1]["extrinsic"] is None
    assert "GloVe has no bootstrap runs, so it has no extrinsic part." in result.notes


def test_errors_over_words_are_said_to_be_too_small(result):
    assert "Words with similar contexts are not, so these errors are too small." in " ".join(result.notes)


def test_the_counts_of_the_words_are_per_run(result):
    words = [row["frequency"] for row in result.tables["words"].records(technique="sgns")]
    assert words == list(range(60, 0, -1))


def test_progress_rises_and_names_the_work(result, steps):
    parts = [part for _, part in steps]
    assert parts == sorted(parts)
    assert 0 == parts[0] < parts[-1] < 1
    assert steps[0][0] == "sgns: PIP loss"


def test_the_json_has_every_observation(result):
    content = json.loads(to_json(result))
    assert content["schema"] == "gpustab.instability/1"
    seen = content["tables"]["observations"]
    assert len(seen["claim"]) == len(result.tables["observations"]["claim"]) > 20
    assert set(seen["agrees"]) <= {"yes", "no", "undecided", "no test"}
    assert content["settings"]["targets"] == 10


def test_the_page_shows_titled_tables_and_not_one_row_per_word(result):
    titles = [block.title for block in describe(result)]
    assert titles[0] == "skip-gram: 4 shuffled runs, 4 bootstrap runs, 60 words, 5 dimensions"
    assert "Does it help to average my runs?" in titles
    chance = result.tables["table_2_8"]["chance"][0]
    assert describe(result)[0].answer.endswith(f"0 if not at all. Unrelated spaces would have {chance:.2f}.")
    every = [table for block in describe(result) for table in block.tables]
    shown = [row for table in every if table.header[0] == "claim" for row in table.rows]
    assert len(shown) == len(
        result.tables["observations"]["claim"]
    )  # each once, in its question or among the undecided
    assert all(
        block.folded
        for block in describe(result)
        if block.title == "Which claims do these runs leave open, or cannot test?"
    )
    assert max(len(table.rows) for block in describe(result) for table in block.tables) < 60


def test_the_same_seed_gives_the_same_tables(groups, result):
    again = instability(groups[:1], pairs=50, targets=10)
    for name in ("predictions", "table_2_6", "figure_3_5"):
        wanted = [row for row in result.tables[name].records() if row["technique"] == "sgns"]
        found = list(again.tables[name].records())
        assert [list(row.values()) for row in found] == [
            pytest.approx(list(row.values()), nan_ok=True) for row in wanted
        ]


def test_three_runs_do_but_for_the_distribution_and_two_do_not(groups):
    few = instability(groups[0].take([0, 1, 2]), pairs=20, targets=5)
    assert "distribution" not in few.tables
    assert any("the distribution over runs is left out, because it needs at least 4 runs" in n for n in few.notes)
    assert math.isfinite(few.tables["table_2_8"]["se"][0])
    with pytest.raises(InputError, match="has 2 runs"):
        instability(groups[0].take([0, 1]))
    with pytest.raises(InputError, match="targets is 0"):
        instability(groups, targets=0)


def test_the_command_writes_a_folder_with_figures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runset(tmp_path / "set", 3)
    command = "study instability set/sgns/shuffled set/sgns/bootstrap -o out --targets 5 --pairs 20 --json -q"
    done = CliRunner().invoke(app, command.split(), catch_exceptions=False)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["groups"][0]["name"] == "sgns"
    assert done.stderr == ""
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"summary.json", "report.html", "observations.parquet", "figure_3_5.svg", "figure_2_8.svg"} <= names
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count("<figure ") == len([name for name in names if name.endswith(".svg")])
    assert "Figure 3.5: loss between averages" in page


def test_every_table_and_figure_belongs_to_one_question():
    tables = [name for question in QUESTIONS for name in question.tables]
    assert len(tables) == len(set(tables)) == 32
    assert sorted(name for question in QUESTIONS for name in question.figures) == sorted(FIGURES)


def test_the_command_refuses_two_runs_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runset(tmp_path / "set", 2)
    done = CliRunner().invoke(app, ["study", "instability", "set"], catch_exceptions=False)
    assert done.exit_code == 2
    assert "group 'sgns/shuffled' has 2 runs; this study needs at least 3 in each" in done.stderr


@pytest.fixture(scope="module")
def unsound(tmp_path_factory):
    """Two groups of one technique that are collapsed, and another technique with one run of another kind."""
    folder = tmp_path_factory.mktemp("unsound") / "set"
    flat = [Space(s.vocabulary, 20 + s.vectors, s.counts, s.name) for s in spaces(4, 60, 5)]
    near = [
        Space(s.vocabulary, flat[0].vectors - 20 + (s.vectors - flat[0].vectors) / 3, s.counts, s.name) for s in flat
    ]
    other = torch.randn(60, 5, generator=torch.Generator().manual_seed(0))
    odd = [*near, Space(flat[0].vocabulary, other, flat[0].counts, "run-004")]
    write_runset({"sgns/shuffled": flat, "sgns/fixed": flat[:3], "glove/shuffled": odd}, folder)
    return instability(load_groups(folder), pairs=40, targets=8)


def test_a_technique_sets_off_one_alarm_that_says_what_it_forbids(unsound):
    flat, odd = sorted(unsound.alarms, reverse=True)
    assert flat.startswith(
        "Skip-gram gets no verdict: its runs are collapsed. In all 7 shuffled and fixed runs, nearly all words point"
    )
    assert flat.count("small PIP loss means nothing") == 1
    assert "This page therefore answers no question about skip-gram." in flat
    assert odd.startswith(
        "GloVe gets no verdict: one run or more lie far from the others. Shuffled runs: run-004 lies "
    )


def test_facts_of_a_technique_without_a_verdict_are_neither_yes_nor_no(unsound):
    rows = [row for row in unsound.tables["observations"].records() if row["technique"]]
    assert len(rows) > 20
    assert {row["agrees"] for row in rows} == {"no test"}
    why = {"sgns": "no verdict, since its runs are collapsed (", "glove": "no verdict, since one run or more lie far "}
    assert all(row["shows"].startswith(why[row["technique"]]) for row in rows)
    assert not [row for row in unsound.tables["observations"].records(source="2.3, 2") if not row["technique"]]
    blocks = describe(unsound)
    (left,) = (block for block in blocks if block.title == "Which claims do these runs leave open, or cannot test?")
    assert {row[2] for table in left.tables for row in table.rows} == {"cannot be tested"}
    assert blocks[1].answer.endswith(" far from the others. The numbers stand as they were measured.")
    best = next(block for block in blocks if block.title == "Which technique is the most stable?")
    assert best.answer.startswith("No technique has runs that allow a verdict.")
    assert "Skip-gram gets no verdict: its runs are collapsed." in best.answer
    assert unsound.tables["table_2_9"].height == 0


def test_the_page_leads_with_what_may_be_claimed(result, unsound):
    check_page(result)
    check_page(unsound, silent=True)
