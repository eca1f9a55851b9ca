"""Parquet and Feather."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.formats.table import parquet
from tests.formats.binary_files import load, refused

WORDS = ["the", "NA", "null", "été", "a b"]
VALUES = np.random.default_rng(0).standard_normal((5, 4))


def frame():
    return pd.DataFrame(VALUES, index=pd.Index(WORDS, name="word"), columns=[f"d{i}" for i in range(4)])


FORMS = {
    "index": (lambda path: frame().to_parquet(path), "Parquet"),
    "unnamed index": (lambda path: frame().rename_axis(None).to_parquet(path), "Parquet"),
    "column": (lambda path: frame().reset_index().to_parquet(path, row_group_size=2), "Parquet"),
    "float32": (lambda path: frame().astype("float32").to_parquet(path), "Parquet"),
    "category": (lambda path: frame().reset_index().astype({"word": "category"}).to_parquet(path), "Parquet"),
    "lists": (lambda path: pd.DataFrame({"text": WORDS, "vector": list(VALUES)}).to_parquet(path), "Parquet"),
    "row numbers": (
        lambda path: frame().reset_index().set_index(pd.Index([0, 1, 2, 3, 4], name="id")).to_parquet(path, index=True),
        "Parquet",
    ),
    "feather": (lambda path: frame().reset_index().to_feather(path), "Feather"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_word_and_value(tmp_path, form):
    write, name = FORMS[form]
    write(tmp_path / "x")
    space = read_space(tmp_path / "x")
    assert [word.decode() for word in space.vocabulary] == WORDS
    assert np.array_equal(space.vectors.numpy(), VALUES.astype(np.float32))
    assert space.report.format == name


def test_wrong_files(tmp_path):
    path = tmp_path / "x.parquet"
    refusal = partial(refused, load, path)
    frame().reset_index().assign(other="x").rename(columns={"word": "left"}).to_parquet(path)
    assert "the words may be column 1 'left' or column 6 'other'" in refusal()
    assert len(read_space(path, LoadOptions(word_column="left", limit=2)).vocabulary) == 2
    frame().set_axis(list("abcd"), axis=1).assign(seen=[9, 7, 5, 3, 1]).to_parquet(path)
    assert "'seen' has whole numbers" in refusal()
    assert read_space(path, LoadOptions(dim=5)).vectors.shape == (5, 5)
    frame().reset_index().assign(other="x").rename(columns={"word": "left"}).to_parquet(path)
    content = path.read_bytes()
    path.write_bytes(content[:-9])
    assert "cut or damaged" in refusal()
    frame().reset_index().replace({"word": {"NA": None}}).to_parquet(path)
    assert "row 1: there is no word in column 'word'" in refusal()
    frame().mask(VALUES > 0.9).to_parquet(path)
    assert "there is no value in column 'd" in refusal()
    pd.DataFrame({"text": WORDS, "vector": [[1.0], [1.0, 2.0], [1.0], [1.0], [1.0]]}).to_parquet(path)
    assert "row 1: the list has 2 values, that of the first row 1" in refusal()
    pd.DataFrame({"text": WORDS}).to_parquet(path)
    assert "no column of numbers" in refusal()
    frame().to_parquet(path)
    assert "4 dimensions, but dim=3" in refusal(dim=3)


def test_feather_of_many_batches(tmp_path):
    table = pa.Table.from_pandas(frame().reset_index())
    with pa.OSFile(str(tmp_path / "x"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    assert np.array_equal(read_space(tmp_path / "x").vectors.numpy(), VALUES.astype(np.float32))


def test_a_feather_file_that_names_its_batch_again_and_again_is_refused_early(tmp_path, monkeypatch):
    frame().reset_index().to_feather(tmp_path / "a.feather")
    real, asked = parquet._Place.items, []

    def again(place, number, width):
        for at in real(place, number, width):
            for _ in range(1000 if width == 24 else 1):
                asked.append(width)
                yield at

    monkeypatch.setattr(parquet._Place, "items", again)
    with pytest.raises(InputError, match=r"a\.feather: .*more buffers than it can hold"):
        read_space(tmp_path / "a.feather")
    assert len(asked) <= (tmp_path / "a.feather").stat().st_size // 8


def test_of_two_columns_of_lists_one_is_chosen(tmp_path):
    path = tmp_path / "x.parquet"
    rows = {"text": WORDS, "vector": list(VALUES), "other": list(-VALUES)}
    pd.DataFrame(rows).to_parquet(path)
    assert "the vectors may be column 2 'vector' or column 3 'other', which hold lists" in refused(load, path)
    for name, sign in (("vector", 1), ("other", -1)):
        space = read_space(path, LoadOptions(tensor=name))
        assert np.array_equal(space.vectors.numpy(), sign * VALUES.astype(np.float32))
    pd.DataFrame({**rows, "vectors": list(2 * VALUES)}).to_parquet(path)
    assert read_space(path).vectors[0, 0] == np.float32(2 * VALUES[0, 0])


@pytest.mark.parametrize("order", [["word", "dim"], ["dim", "word"]])
@pytest.mark.parametrize("write", [pd.DataFrame.to_parquet, pd.DataFrame.to_feather])
def test_a_long_table_is_named_with_a_way_that_works(tmp_path, order, write):
    long = frame().reset_index().melt(id_vars="word", var_name="dim", value_name="v")
    long["dim"] = long.dim.str.removeprefix("d").astype(int)
    write(long.sort_values(order).reset_index(drop=True), tmp_path / "x")
    with pytest.raises(
        InputError, match=r"there are 4 rows of every word, of . dimension.*in pandas: (.*); if"
    ) as error:
        read_space(tmp_path / "x")
    way = re.search(r"in pandas: (.*); if", str(error.value))[1]
    table = eval(way, {"table": long, "WORDS": "word", "DIMENSIONS": "dim", "VALUES": "v"})
    table.rename(columns=str).to_parquet(tmp_path / "y")
    space = read_space(tmp_path / "y")
    assert np.array_equal(space.vectors[space.vocabulary.index_of("the")].numpy(), VALUES[0].astype(np.float32))
    assert len(space.vocabulary) == 5
    dim = int(re.search(r"say dim=(\d)", str(error.value))[1])
    assert read_space(tmp_path / "x", LoadOptions(dim=dim)).dimension == dim
