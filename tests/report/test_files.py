import json
import os
from unittest.mock import Mock

import pandas as pd
import pytest

from gpustab import InputError
from gpustab.formats.memory import from_pair
from gpustab.report import files
from gpustab.report.files import check_folder, write_files
from gpustab.report.json_text import to_json
from gpustab.runs.join import join
from gpustab.studies import stability
from tests.generators import noisy_copies


def test_a_folder_holds_summary_tables_and_page(each, tmp_path):
    folder = tmp_path / "a" / "b"
    written = write_files(each, folder)
    names = [*(f"{table}.parquet" for table in each.tables), "report.html", "summary.json"]
    assert [path.name for path in written] == names
    assert {path.name for path in folder.iterdir()} == set(names)  # no temporary file is left
    assert (folder / "summary.json").read_text(encoding="utf-8") == to_json(each) + "\n"


def test_tables_come_back_from_parquet(each, tmp_path):
    write_files(each, tmp_path)
    for table in each.tables:
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / f"{table}.parquet"), each.frame(table))


def test_writing_again_replaces(result, tmp_path):
    (tmp_path / "summary.json").write_text("old")
    write_files(result, tmp_path)
    write_files(result, tmp_path)
    assert json.loads((tmp_path / "summary.json").read_text())["schema"] == result.schema


def test_the_summary_is_missing_while_the_rest_is_unfinished(result, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "to_json", Mock(side_effect=OSError("no space left")))
    with pytest.raises(OSError, match="no space"):
        write_files(result, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"pairs.parquet", "words.parquet"}


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
    with pytest.raises(InputError, match=r"needs jinja2: pip install 'gpustab\[report\]'"):
        check_folder(tmp_path)


def test_runs_of_files_with_undecodable_names_can_be_written(tmp_path):
    words = [f"w{i}" for i in range(20)]
    runs = join(
        from_pair(words, run.numpy(), name) for run, name in zip(noisy_copies(2, 20, 4), ("a", "\udcff"), strict=True)
    )
    write_files(stability(runs, neighbours=[1]), tmp_path)
