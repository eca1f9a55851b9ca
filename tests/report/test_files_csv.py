import csv

import pandas as pd
import pytest

from gpustab.report import Result, write_files
from gpustab.report.files import write_csv
from gpustab.results.table import Table

WORDS = ["=cmd()", "+1", "-", "@sum", "war", "esc\x1b[31m", "two\nlines", 'quo"te, comma', "漢字", "'tis", "\t=1", ""]


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        write_csv(Table({"word": WORDS, "=n": [0.1 + 0.2] * 11 + [None], "k": list(range(12))}), file)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return path, list(csv.reader(file))


def test_no_cell_is_a_formula_and_none_has_a_control_character(rows):
    _, (head, *body) = rows
    assert head == ["word", "'=n", "k"]
    words = [row[0] for row in body]
    assert words[:4] == ["'=cmd()", "'+1", "'-", "'@sum"]
    assert words[4:] == ["war", r"esc\x1b[31m", r"two\nlines", 'quo"te, comma', "漢字", "'tis", r"\t=1", ""]


def test_numbers_keep_every_digit_and_undefined_ones_are_empty(rows):
    path, (_, *body) = rows
    assert [row[1] for row in body[-2:]] == [repr(0.1 + 0.2), ""]
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")  # the mark by which Excel tells UTF-8


def test_a_word_that_is_a_formula_stays_text_in_the_files_of_a_result(tmp_path):
    write_files(Result("x", tables={"t": {"word": ["=cmd()", "-"], "loss": [-0.5, 0.25]}}), tmp_path)
    assert (tmp_path / "t.csv").read_text(encoding="utf-8-sig") == "word,loss\n'=cmd(),-0.5\n'-,0.25\n"
    assert pd.read_parquet(tmp_path / "t.parquet").word.tolist() == ["=cmd()", "-"]
