"""Reading text beside the readers of tables that people would take else: pandas and pyarrow, in processor time.

Every method ends at the words and one ``(v, d)`` float32 matrix. What is timed are the seconds of all cores together,
which others on the machine do not lengthen as they do the wait; pyarrow reads by one thread.
"""

from __future__ import annotations

import csv
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from pyarrow import csv as arrow_csv

from benchmarks.bench_loading import decimals, difference, ours, vectors
from benchmarks.harness import Bench, Contender, start

FORMS = ("%.5f", "%.6f", "%.8g", "%.9g")


def by_pandas(path: Path, d: int) -> np.ndarray:
    kinds = {0: str} | dict.fromkeys(range(1, d + 1), np.float32)
    how = {"sep": " ", "header": None, "skiprows": 1, "quoting": csv.QUOTE_NONE, "na_filter": False}
    frame = pd.read_csv(path, dtype=kinds, low_memory=False, **how)
    assert len(list(frame[0])) == len(frame)  # a reader of vectors gives the words, too
    return frame.iloc[:, 1:].to_numpy(np.float32)


def by_pyarrow(path: Path, d: int) -> np.ndarray:
    names = [f"f{i}" for i in range(1, d + 1)]
    table = arrow_csv.read_csv(
        path,
        arrow_csv.ReadOptions(use_threads=False, skip_rows=1, autogenerate_column_names=True),
        arrow_csv.ParseOptions(delimiter=" ", quote_char=False),
        arrow_csv.ConvertOptions(column_types={"f0": pa.string()} | dict.fromkeys(names, pa.float32())),
    )
    assert len(table["f0"].to_pylist()) == len(table)
    return np.stack([table[name].to_numpy() for name in names], axis=1)


def race(bench: Bench, folder: Path, v: int, d: int, form: str) -> None:
    path = folder / f"{form.strip('%')}.txt"
    truth = decimals(path, *vectors(v, d), form)
    size, check = path.stat().st_size / 1e6, partial(difference, truth)
    contenders = [
        Contender("pandas", partial(by_pandas, path, d), check, 1e-6),
        Contender("pyarrow", partial(by_pyarrow, path, d), check, 1e-6),
        ours(path, truth),
    ]
    for row in bench.race(f"text {form}", {"v": v, "d": d}, contenders, processor=True):
        if row.median and row.quartiles:
            low, high = (f"{1000 * seconds / size:.2f}" for seconds in row.quartiles)
            row.note = f"{1000 * row.median / size:.2f} processor ms a MB ({low}-{high}), {size:.0f} MB"


def main() -> None:
    bench = start("text_peers", __doc__)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        for form in FORMS:
            race(bench, Path(name), 1_000 if bench.quick else 20_000, 300, form)
    bench.finish()


if __name__ == "__main__":
    main()
