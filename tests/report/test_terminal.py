import io
import re

import pytest
from rich.console import Console

from gpustab import load_runs
from gpustab.formats.memory import from_pair
from gpustab.report import Result
from gpustab.report.terminal import _body, print_result
from gpustab.results import Block, SmallTable
from gpustab.results.page import number
from gpustab.runs.join import join
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies, runs_of

COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:[349]\d|10\d)")


def page(result, width=100, **choices):
    out = io.StringIO()
    print_result(result, Console(file=out, width=width, **choices))
    return out.getvalue()


def test_words_are_printed_literally_and_controls_escaped(results):
    text = page(results["neighbours"])
    for word in ("“<script>”", "[bold]x", r"bell\x07", r"esc\x1b[31m", r"ab\xff", "漢字"):
        assert word in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_titles_facts_notes_and_closing_are_there(result):
    text = page(result)
    assert "runs: 3 runs, 20 words, 4 dimensions" in text
    for part in (
        "reduced PIP loss",
        "chance level",
        "mean cosine",
        "p@n",
        "which words are stable?",
        "peak memory",
        "cpu",
    ):
        assert part in text
    assert "note: runs: 3 runs are few" in text


@pytest.mark.parametrize("width", [80, 60, 20])
def test_narrow_terminals_are_no_failure(each, width):
    text = page(each, width)
    assert max(map(len, text.splitlines())) <= width
    assert text.strip()


def test_colour_is_for_terminals_that_want_it(result, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert COLOUR.search(page(result, force_terminal=True, color_system="standard"))
    assert "\x1b" not in page(result)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not COLOUR.search(page(result, force_terminal=True, color_system="standard"))


def test_a_title_that_fits_the_page_stays_on_one_line():
    result = stability(runs_of(noisy_copies(2, 20, 4)), neighbours=[1])
    assert "Shared nearest neighbours of 20 words" in page(result)


def test_a_long_word_does_not_hide_its_numbers():
    words = [f"{'donaudampfschifffahrtsgesellschaft' * 3}{i}" for i in range(20)]
    result = stability(load_runs([(words, run.numpy()) for run in noisy_copies(3, 20, 4)]), neighbours=[1], words=words)
    losses = [number(mean, 3) for mean in result.tables["words"]["pip_mean"]]
    assert len(losses) == 20
    text = page(result, 80)
    assert all(loss in text for loss in losses)


def test_lists_of_many_runs_can_be_read():
    assert "ahead" in page(neighbours_of(runs_of(noisy_copies(16, 20, 4)), "w1", 3), 80)


def test_control_characters_in_names_of_runs_are_escaped():
    words = [f"w{i}" for i in range(20)]
    names = ("a", "b\x1b[31m")
    runs = join(from_pair(words, run.numpy(), name) for run, name in zip(noisy_copies(2, 20, 4), names, strict=True))
    assert "\x1b" not in page(neighbours_of(runs, "w1", 3))


def test_a_heading_that_has_only_pictures_is_left_to_the_page(monkeypatch):
    monkeypatch.setattr(
        "gpustab.report.terminal.describe",
        lambda result: [Block("Seen", figures=["words"]), Block("Read", figures=["words"], answer="So it is.")],
    )
    shown = page(Result("x"))
    assert "Seen" not in shown
    assert "Read" in shown


def test_a_terminal_shows_the_first_rows_of_a_long_table_and_a_file_all(monkeypatch):
    long = Block("Long", [], [SmallTable("By run", ["rank", "word"], [[str(k), f"w{k}"] for k in range(5000)])])
    monkeypatch.setattr("gpustab.report.terminal.describe", lambda result: [long])
    shown, kept = page(Result("x"), 80, force_terminal=True), page(Result("x"), 80)
    assert "w59" in shown
    assert "w60" not in shown
    assert "the first 60 of 5,000 rows; --out DIR writes all" in shown
    assert "w4999" in kept


def test_a_way_that_is_longer_than_a_line_is_whole():
    way = "(?:" + "|".join(f"word{k}" for k in range(60)) + ")"
    console = Console(file=io.StringIO(), width=60, no_color=True)
    console.print(_body(Block("t", [("to go on", f"say --drop '{way}'", "")]), 60, cut=False))
    assert way in re.sub(r"\s+", "", console.file.getvalue())
