"""Counts how often sentences are wrong, on placebos of real text and on numbers that a model drew.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.placebos --out benchmarks/results

With ``--batch 1``, ``2``, … other sets are drawn where a cell could still be wrong in more than one of ten, as many as
it lacks and ``--sets`` at most, and count beside those before.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.placebos import (
    associations,
    authors,
    calibrations,
    edited,
    factors,
    layers,
    losses,
    moved,
    neighbourhoods,
    nouns,
    periods,
    planted,
    runsets,
    samples,
    scored,
    sentences,
    settings,
    several,
    sizes,
    spaces,
    terms,
    usages,
    words,
)
from benchmarks.placebos.cells import Draws, Row, drawing
from benchmarks.placebos.drawn.every import PARTS as DRAWN
from gpustab.statistics.intervals import wilson
from gpustab.training import read_settings, train_runs

POOL = 64
ENOUGH = 0.1
"""How often a sentence is wrong at most, by the upper end of its interval."""
PARTS: dict[str, Callable[[Path, int], Iterator[Row]]] = {
    "runsets": runsets.rows,
    "planted": planted.rows,
    "settings": settings.rows,
    "sizes": sizes.rows,
    "losses": losses.rows,
    "frequency": losses.rows_of_frequency,
    "predictions": losses.rows_of_predictions,
    "trees": losses.rows_of_trees_and_proxies,
    "several": several.rows,
    "scores": scored.rows,
    "words": words.rows,
    "terms": terms.rows,
    "encoders": terms.rows_of_encoders,
    "samples": samples.rows,
    "nouns": nouns.rows,
    "sentences": sentences.rows,
    "edits": edited.rows,
    "periods": periods.rows,
    "moved": moved.rows,
    "neighbourhoods": neighbourhoods.rows,
    "authors": authors.rows,
    "factors": factors.rows,
    "spaces": spaces.rows,
    "calibrations": calibrations.rows,
    "associations": associations.rows,
    "layers": layers.rows,
    "usages": usages.rows,
    **DRAWN,
}


def train_pools(folder: Path, runs: int = POOL) -> Path:
    """Train the pools, where they are not there yet: LSA, shuffled and bootstrap runs; returns the folder."""
    choices = {"corpus": "lee", "techniques": ["lsa"], "samplings": ["shuffled", "bootstrap"], "runs": runs}
    train_runs(read_settings(choices | {"options": {"min_count": 3}, "lsa": {"dim": 30}}), folder)
    return folder


def missing_in(path: Path, most: int) -> Callable[[str, str, int], int | None]:
    """Return what tells how many sets a world lacks until all its sentences are known to be wrong in few cases.

    These are at most ``most``, and None for a world that the file does not have. A world that has no wrong sentence
    lacks so many sets that :data:`ENOUGH` is reached if none of them is wrong either.
    """
    counts: dict[tuple[str, str, int, str], list[int]] = {}
    for row in json.loads(path.read_text(encoding="utf-8")):
        own = counts.setdefault((row["placebo"], row["noise"], row["runs"], row["claim"]), [0, 0])
        own[0] += row["wrong"]
        own[1] += row["of"]
    lacked: dict[tuple[str, str, int], int] = {}
    for (*world, _), (wrong, of) in counts.items():
        more = next((n for n in range(most) if of + n and wilson(wrong, of + n)[1] <= ENOUGH), most)
        lacked[tuple(world)] = max(more, lacked.get(tuple(world), 0))
    return lambda *world: lacked.get(world)


def write(rows: list[Row], path: Path) -> None:
    """Write the rows, one a line; cells that were not counted again stay as they are."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    new = {(*row[:4], row.batch) for row in rows}
    names = ("claim", "placebo", "noise", "runs", "batch")
    kept = [row for row in kept if tuple(row.get(name, 0) for name in names) not in new]
    lines = [json.dumps(row, ensure_ascii=False) for row in (*kept, *(row._asdict() for row in rows))]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--only", default=",".join(PARTS), help=f"{', '.join(PARTS)}; several with commas")
    parser.add_argument("--pools", type=Path, help="folder where trained pools are kept")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--batch", type=int, default=0, help="other sets, for the cells that are not sure yet")
    choices = parser.parse_args()
    missing = missing_in(choices.out / "placebos.json", choices.sets) if choices.batch else Draws().missing
    with tempfile.TemporaryDirectory() as name, drawing(Draws(choices.batch, missing)):
        folder, parts = choices.pools or Path(name) / "pools", choices.only.split(",")
        if not {*parts} <= {*DRAWN, "neighbourhoods", "layers", "usages", "sentences", "edits"}:
            train_pools(folder)
        start = time.monotonic()
        for part in parts:
            for row in PARTS[part](folder, choices.sets):
                print(*row, f"{time.monotonic() - start:.0f} s", sep="  ", flush=True)
                if choices.out:
                    write([row], choices.out / "placebos.json")


if __name__ == "__main__":
    main()
