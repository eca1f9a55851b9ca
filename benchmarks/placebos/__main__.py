"""Counts how often sentences are wrong, on placebos of real text and on numbers that a model drew.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.placebos --out benchmarks/results
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.placebos import (
    authors,
    losses,
    moved,
    nouns,
    periods,
    planted,
    runsets,
    samples,
    scored,
    sentences,
    several,
    terms,
    words,
)
from benchmarks.placebos.cells import Row
from benchmarks.placebos.drawn.every import PARTS as DRAWN
from gpustab.training import read_settings, train_runs

POOL = 64
PARTS: dict[str, Callable[[Path, int], Iterator[Row]]] = {
    "runsets": runsets.rows,
    "planted": planted.rows,
    "losses": losses.rows,
    "frequency": losses.rows_of_frequency,
    "predictions": losses.rows_of_predictions,
    "trees": losses.rows_of_trees_and_proxies,
    "several": several.rows,
    "scores": scored.rows,
    "words": words.rows,
    "terms": terms.rows,
    "samples": samples.rows,
    "nouns": nouns.rows,
    "sentences": sentences.rows,
    "periods": periods.rows,
    "moved": moved.rows,
    "authors": authors.rows,
    **DRAWN,
}


def train_pools(folder: Path, runs: int = POOL) -> Path:
    """Train the pools, where they are not there yet: LSA, shuffled and bootstrap runs; returns the folder."""
    settings = {"corpus": "lee", "techniques": ["lsa"], "samplings": ["shuffled", "bootstrap"], "runs": runs}
    train_runs(read_settings(settings | {"options": {"min_count": 3}, "lsa": {"dim": 30}}), folder)
    return folder


def write(rows: list[Row], path: Path) -> None:
    """Write the rows, one a line; cells that were not counted again stay as they are."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    new = {row[:4] for row in rows}
    kept = [row for row in kept if (row["claim"], row["placebo"], row["noise"], row["runs"]) not in new]
    lines = [json.dumps(row, ensure_ascii=False) for row in (*kept, *(row._asdict() for row in rows))]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--only", default=",".join(PARTS), help=f"{', '.join(PARTS)}; several with commas")
    parser.add_argument("--pools", type=Path, help="folder where trained pools are kept")
    parser.add_argument("--out", type=Path)
    choices = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, parts = choices.pools or Path(name) / "pools", choices.only.split(",")
        if not {*parts} <= {*DRAWN}:
            train_pools(folder)
        start = time.monotonic()
        for part in parts:
            for row in PARTS[part](folder, choices.sets):
                print(*row, f"{time.monotonic() - start:.0f} s", sep="  ", flush=True)
                if choices.out:
                    write([row], choices.out / "placebos.json")


if __name__ == "__main__":
    main()
