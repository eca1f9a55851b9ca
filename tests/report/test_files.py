import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from gpustab import ComputationError, InputError
from gpustab.formats.atomic import WritingError
from gpustab.formats.memory import from_pair
from gpustab.report import files
from gpustab.report.describe import draw
from gpustab.report.files import check_folder, write_files, writing_alone
from gpustab.report.json_text import to_json
from gpustab.runs.join import join
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies


class Text(str):
    """Text of a kind of its own, as claims are."""


TABLES = {f"{name}.{suffix}" for name in ("pairs", "words", "nearest") for suffix in ("parquet", "csv")}


def test_a_folder_holds_summary_tables_and_page(each, tmp_path):
    folder = tmp_path / "a" / "b"
    written = write_files(each, folder)
    tables = [f"{table}.{suffix}" for table in each.tables for suffix in ("parquet", "csv")]
    figures = [f"{name}.svg" for name, picture in draw(each).items() if picture.panels]
    names = [*tables, "summary.json", *figures, "report.html"]
    assert [path.name for path in written] == names
    assert {path.name for path in folder.iterdir()} == set(names)  # no temporary file is left
    assert (folder / "summary.json").read_text(encoding="utf-8") == to_json(each) + "\n"


def test_tables_come_back_from_parquet(each, tmp_path):
    write_files(each, tmp_path)
    for table in each.tables:
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / f"{table}.parquet"), each.frame(table))


COLUMNS = [
    [],
    [None, None],
    ["a", "", "ä\n"],
    ["a", None],
    [Text("a"), "b", None],
    [True, False, True] * 5,
    [True, None],
    [1, -(2**62)],
    [1, None],
    [1, 2.5, math.nan],
    [np.int64(3), np.int64(4)],
    [[1, 2], None, []],
    [{"a": 1.5}, {"a": None}],
    np.array([1.0, math.nan, math.inf, -0.0] * 3),
    np.array([1.0, 2.0])[::-1],
    np.arange(9, dtype=np.float32)[::2],
    np.array([1.5, math.nan], np.float16),
    np.arange(5, dtype=np.uint8),
    np.array([], np.float64),
    np.array([True, False])[[0, 0, 1, 0, 1, 1, 0, 0, 1]],
    np.array(["a", "b"]),
]


@pytest.mark.parametrize("column", COLUMNS, ids=range(len(COLUMNS)))
def test_columns_are_what_arrow_makes_of_them(column):
    found, wanted = files._arrow(files._column(column)), pa.array(files._column(column), from_pandas=True)
    found.validate(full=True)
    assert found.type == wanted.type
    assert found.equals(wanted)


def test_a_result_is_written_without_pandas(tmp_path):
    program = (
        "import sys, numpy\n"
        "from gpustab.report.files import write_parquet\n"
        "from gpustab.results.table import Table\n"
        "columns = {'word': ['a', None], 'p': numpy.array([0.5, numpy.nan]), 'n': [1, 2], 'is': [True, False]}\n"
        f"with open({str(tmp_path / 'x.parquet')!r}, 'wb') as file:\n"
        "    write_parquet(Table(columns), file)\n"
        "print('pandas' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_result_is_replaced_only_where_that_is_asked_for(results, tmp_path):
    """Also one of the same command; what the old one has and the new one has not is removed, and nothing else."""
    (tmp_path / "mine.csv").touch()
    write_files(results["stability"], tmp_path)
    (tmp_path / "mine.parquet").touch()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for result in (results["stability"], results["neighbours"]):
        with pytest.raises(InputError, match=r"holds the result of gpustab stability; .* force=True to replace it"):
            result.write(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    written = results["neighbours"].write(tmp_path, force=True)
    assert set(tmp_path.iterdir()) == {*written, tmp_path / "mine.csv", tmp_path / "mine.parquet"}
    assert json.loads((tmp_path / "summary.json").read_text())["schema"] == "gpustab.neighbours/1"


@pytest.mark.parametrize("name", ["words.parquet", "a.svg", "report.html", "summary.json"])
def test_what_is_no_result_is_not_mixed_with_one(result, tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=name):
        check_folder(tmp_path)
    check_folder(tmp_path, force=True)
    write_files(result, tmp_path, force=True)


def test_no_table_takes_the_place_of_a_file_of_that_name(results, tmp_path):
    written = {path.name for path in write_files(results["stability"], tmp_path / "once")}
    for name in sorted(name for name in written if name.endswith(".csv")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_text("mine")
        with pytest.raises(InputError, match=rf"holds {name}, which this result would replace"):
            results["stability"].write(folder)
        assert [path.name for path in folder.iterdir()] == [name]
        assert (folder / name).read_text() == "mine"


def test_the_result_of_an_older_version_is_not_guessed_at(result, tmp_path):
    write_files(result, tmp_path)
    content = json.loads((tmp_path / "summary.json").read_text())
    del content["long_tables"]
    (tmp_path / "summary.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="of an older gpustab, which does not tell its files; remove it"):
        check_folder(tmp_path, force=True)


def test_a_figure_that_fails_costs_no_number(result, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "draw", Mock(side_effect=ValueError("no such font")))
    with pytest.raises(ValueError, match="font"):
        write_files(result, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*TABLES, "summary.json"}


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="the folder that says it can be written to, and cannot")
def test_a_folder_that_cannot_be_made_is_found_before_the_work():
    with pytest.raises(InputError, match="/proc/gpustab: cannot write there: "):
        check_folder(Path("/proc/gpustab"))


def test_a_disk_that_fails_leaves_what_was_there(result, tmp_path, monkeypatch):
    write_files(result, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(files, "to_html", Mock(side_effect=WritingError("no space left")))
    with pytest.raises(ComputationError, match="no space"):
        write_files(result, tmp_path, force=True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_checking_makes_nothing(tmp_path):
    check_folder(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("below", ["file", "file/sub/deeper"])
def test_a_folder_that_is_a_file_is_refused(tmp_path, below):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file"):
        check_folder(tmp_path / below)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="not writable"):
        check_folder(tmp_path / "new")


def test_missing_packages_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "find_spec", lambda name: None if name == "jinja2" else name)
    with pytest.raises(InputError, match=r"needs jinja2: pip install '.*\[report\]'"):
        check_folder(tmp_path)


def test_runs_of_files_with_undecodable_names_can_be_written(tmp_path):
    words = [f"w{i}" for i in range(20)]
    runs = join(
        from_pair(words, run.numpy(), name) for run, name in zip(noisy_copies(2, 20, 4), ("a", "\udcff"), strict=True)
    )
    write_files(stability(runs, neighbours=[1]), tmp_path)


@pytest.mark.parametrize("key", ["tables", "long_tables"])
@pytest.mark.parametrize(
    "says",
    [
        ["../victim/data"],
        ["/victim/data"],
        ["words", "a/../../victim/data"],
        [".."],
        ["..\\victim\\data"],
        ["words\0"],
        ["x" * 5000],
        [["words"]],
        [""],
        {"../victim/data": 1},
        "../victim/data",
        None,
        7,
    ],
    ids=lambda says: repr(says)[:20],
)
def test_nothing_outside_the_folder_is_removed_whatever_a_summary_says(result, tmp_path, key, says):
    folder, victim = tmp_path / "report", tmp_path / "victim"
    victim.mkdir()
    kept = [victim / f"data.{suffix}" for suffix in ("csv", "parquet", "svg", "pdf", "png")]
    for path in kept:
        path.touch()
    write_files(result, folder)
    content = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps(content | {key: says}))
    before = sorted(folder.iterdir())
    with pytest.raises(
        InputError, match=r"summary\.json: '.*' is no name of a table; remove it, or give another folder"
    ):
        write_files(result, folder, force=True)
    assert all(path.exists() for path in kept)
    assert sorted(folder.iterdir()) == before
    (folder / "summary.json").unlink()  # what is proposed leads on
    write_files(result, folder, force=True)


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_loop_of_links_is_no_folder(result, tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for folder in (tmp_path / "a", tmp_path / "a" / "in"):
        with pytest.raises(InputError, match=f"^{folder}: cannot"):
            write_files(result, folder)


def test_another_thread_does_not_write_into_a_folder_that_one_holds(result, tmp_path):
    with writing_alone(tmp_path), ThreadPoolExecutor(1) as pool:
        with writing_alone(tmp_path):  # who holds it may hold it once more
            pass
        with pytest.raises(InputError, match="another call is writing its result there now"):
            pool.submit(write_files, result, tmp_path).result()
        assert not (tmp_path / "summary.json").exists()
    write_files(result, tmp_path)


def test_a_picture_that_somebody_made_of_a_figure_is_kept(each, tmp_path):
    figure = next(iter(draw(each)))
    write_files(each, tmp_path)
    own = tmp_path / f"{figure}.pdf"
    own.write_text("precious")
    write_files(each, tmp_path, force=True)
    assert own.read_text() == "precious"


def test_pictures_that_are_wanted_no_more_go_and_what_somebody_made_is_kept_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "check_formats", lambda formats: None)
    monkeypatch.setattr(files, "written_as", lambda svg, formats: [(suffix, b"ours") for suffix in formats])
    words = [f"w{k}" for k in range(30)]
    runs = join([from_pair(words, run.numpy(), f"r{k}") for k, run in enumerate(noisy_copies(4, 30, 5))])
    found = stability(runs, neighbours=[1])
    figure = next(name for name, picture in draw(found).items() if picture.panels)
    write_files(found, tmp_path)
    (tmp_path / f"{figure}.pdf").write_text("precious")
    write_files(found, tmp_path, force=True, figures=["pdf", "svg"])
    assert (tmp_path / f"{figure}.pdf").read_bytes() == b"ours"
    assert (tmp_path / f"{figure}.kept.pdf").read_text() == "precious"
    write_files(found, tmp_path, force=True)
    assert not (tmp_path / f"{figure}.pdf").exists()
    assert (tmp_path / f"{figure}.kept.pdf").read_text() == "precious"
