import json
import math
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
import torch

from gpustab.errors import option
from gpustab.machine.environment import environment, peak_memory
from gpustab.report import Result
from gpustab.results import Block, Table
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies, runs_of


def test_a_table_is_a_frame_with_its_columns_in_order():
    frame = Result("x", tables={"t": {"b": [1, 2], "a": ["p", None]}}).frame("t")
    assert list(frame) == ["b", "a"]
    assert frame.b.tolist() == [1, 2]
    assert frame.a.isna().tolist() == [False, True]


def test_a_block_has_its_options_as_they_are_typed():
    block = Block("?", answer=f"{option('min_count')} takes rarer ones", aside=f"say {option('align', 'all')}")
    assert (block.answer, block.aside) == ("--min-count takes rarer ones", "say --align all")


def test_results_share_nothing():
    a, b = Result("x"), Result("x")
    a.notes.append("n")
    a.settings["s"] = math.pi
    assert (b.notes, b.settings, b.schema) == ([], {}, "gpustab.x/1")


def test_repr_is_one_line():
    text = repr(Result("stability", groups=[{"name": "a/b"}], tables={"words": {}}, notes=["n"]))
    assert text == "Result(stability: groups a/b; tables words; 1 notes)"


def test_environment_names_versions_device_and_memory():
    found = environment(torch.device("cpu"))
    assert found["torch"] == torch.__version__
    assert found["device"] == "cpu"
    assert None not in (found["gpustab"], found["numpy"])
    assert 2**20 < found["peak_memory_bytes"] <= peak_memory() < 2**42


@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell a process's own peak")
def test_a_peak_is_not_that_of_who_started_the_process():
    """A page said "peak memory 0.9 GiB" of a call of 0.4 that a large program had started."""
    held = b"x" * (300 << 20)
    program = "from gpustab.machine.environment import peak_memory; print(peak_memory())"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(child.stdout) < peak_memory() - len(held) // 2


@pytest.fixture(scope="module")
def found():
    return stability(runs_of(noisy_copies(3, 30, 4)), neighbours=[1, 5])


def test_a_result_is_printed_shown_and_written_by_itself(found, tmp_path):
    page = str(found)
    assert "reduced PIP loss" in page
    assert "\x1b" not in page
    notebook = found._repr_html_()
    assert notebook.startswith("<iframe srcdoc=")
    assert "&lt;!doctype html&gt;" in notebook
    written = {path.name for path in found.write(tmp_path / "out")}
    tables = {f"{name}.{suffix}" for name in ("pairs", "words", "nearest") for suffix in ("parquet", "csv")}
    assert {name for name in written if not name.endswith(".svg")} == {"summary.json", "report.html", *tables}
    assert json.loads((tmp_path / "out/summary.json").read_text())["schema"] == "gpustab.stability/1"


def test_long_tables_are_left_to_files():
    short, long = Table({"n": [1]}), Table({"word": ["a"] * 30}, long=True)
    result = Result("other", tables={"short": short, "long": long})
    assert list(result.tables) == ["short", "long"]
    assert "the first 20 of 30 rows; --out DIR writes all of them to long.parquet" in str(result)


class Row(NamedTuple):
    n: int
    p: float


def test_a_table_has_named_rows():
    table = Table.of([Row(1, 0.5), Row(2, 0.6), Row(1, 0.7)])
    assert [row["p"] for row in table.records(n=1)] == [0.5, 0.7]
    assert table.where(n=2) == {"n": [2], "p": [0.6]}
    assert [(n, part.height) for n, part in table.split("n")] == [(1, 2), (2, 1)]
    assert Table.of([], Row._fields) == {"n": [], "p": []}
    assert Table().height == 0


def test_tables_grow_and_columns_that_one_side_lacks_are_undefined():
    table = Table(long=True)
    table.extend({"a": np.array([1.0, 2.0]), "b": np.array([1, 2])})
    table.extend({"a": np.array([3.0]), "c": ["x"]})
    assert table["a"].tolist() == [1.0, 2.0, 3.0]
    assert list(table["b"]) == [1, 2, None]
    assert table["c"] == [None, None, "x"]
    more = Table({"p": np.array([0.5])})
    more.extend({"q": np.array([0.25])})
    assert more["p"].dtype == float
    assert np.isnan(more["p"][1])
    assert np.isnan(more["q"][0])
