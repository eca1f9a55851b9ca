"""Counts how often each rule of `gpustab study instability` is wrong, and how often it says nothing, at few runs.

OMP_WAIT_POLICY=PASSIVE PYTHONPATH=. python -m benchmarks.verdicts --sets 200 --out benchmarks/results

Sets of runs whose truth is known are drawn again and again and judged by the product's own rules. *False* is the share
of sets with the wrong verdict (where no verdict is right, of any but *undecided*), *missed* that of *undecided* ones.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch

from benchmarks.setting import keep
from benchmarks.verdict_cases.case import Case
from benchmarks.verdict_cases.every import cases

RUNS = (3, 4, 6, 8, 16)


def count(case: Case, runs: int, sets: int, seed: int = 0) -> dict[str, float]:
    """Return the shares of false, missed and right verdicts over some sets of runs."""
    rng = np.random.default_rng([seed, runs])
    torch.manual_seed(seed)
    found = Counter(case.draw(runs, rng) for _ in range(sets))
    undecided = found["undecided"]
    right = undecided if case.right == "-" else found[case.right]
    missed = 0 if case.right == "-" else undecided
    return {"false": (sets - right - missed) / sets, "missed": missed / sets, "right": right / sets}


def table(wanted: Iterable[Case], sizes: Iterable[int], sets: int) -> list[dict]:
    """Return one row per case: rates by number of runs."""
    rows = []
    for case in wanted:
        started = time.perf_counter()
        drawn = max(1, round(sets * case.part))
        rates = {str(runs): count(case, runs, drawn) for runs in sizes if runs >= case.least}
        rows.append({"rule": case.rule, "truth": case.truth, "right": case.right, "sets": drawn, "rates": rates})
        print(line(rows[-1]), f"{time.perf_counter() - started:5.1f} s", flush=True)
    return rows


def line(row: dict) -> str:
    """Return a row for people: false and missed in percent at every number of runs."""
    cells = [f"{100 * r['false']:3.0f}/{100 * r['missed']:3.0f}" for r in row["rates"].values()]
    cells = ["   –   "] * (len(RUNS) - len(cells)) + cells
    return f"{row['rule']:<24} {row['truth']:<38} {row['right']:<4} " + "  ".join(cells)


def write(rows: list[dict], path: Path) -> None:
    """Write the rows; what a file that is there says of other rules stays."""
    known = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    merged = {(row["rule"], row["truth"]): row for row in [*known, *rows]}
    order = {(case.rule, case.truth): k for k, case in enumerate(cases())}
    kept = sorted((key for key in merged if key in order), key=order.__getitem__)
    keep({"runs": RUNS, "rows": [merged[key] for key in kept]}, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--rule", help="only rules whose name holds this")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    wanted = [case for case in cases() if not chosen.rule or chosen.rule in case.rule]
    print(f"{'rule':<24} {'truth':<38} {'is':<4} false/missed in % at " + ", ".join(f"R = {r}" for r in RUNS))
    rows = table(wanted, RUNS, chosen.sets)
    if chosen.out:
        write(rows, chosen.out / "verdicts.json")


if __name__ == "__main__":
    main()
