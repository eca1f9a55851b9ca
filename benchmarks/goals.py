"""Sets the seconds of `gpustab bench --json` beside the goals for one card.

gpustab bench --device cuda --json > bench.json; python -m benchmarks.goals bench.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

SIZE = {"runs": 128, "words": 200_000, "dimension": 300}

H200 = {
    ("gram", "fast"): 0.9,
    ("gram", "auto"): 1.5,
    ("words", "fast"): 1.5,
    ("words", "auto"): 2.5,
    ("procrustes", "exact"): 0.6,
    ("average", "exact"): 0.35,
    ("neighbours", "exact"): 0.4,
    ("overlap", "exact"): 0.3,
    ("all-neighbours", "exact"): 0.3,
    ("cosines", "exact"): 0.05,
}
"""Seconds by step and arithmetic."""


def lines(result: dict) -> list[str]:
    """Return one line per step that has a goal; none at another size."""
    if {name: result["settings"].get(name) for name in SIZE} != SIZE:
        return [f"the goals are for {SIZE}"]
    found = []
    for step in result["groups"][0]["steps"]:
        goal, seconds = H200.get((step["step"], step["precision"])), step["seconds"]
        if goal is not None:
            verdict = _verdict(seconds, goal) if seconds else step["status"]
            found.append(f"{step['step']:15} {step['precision']:6} {seconds or 0:8.3g} s  goal {goal:.3g} s: {verdict}")
    return found


def _verdict(seconds: float, goal: float) -> str:
    return "met" if seconds <= goal else f"{seconds / goal:.1f} times it"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    print("\n".join(lines(json.loads(parser.parse_args().file.read_text("utf-8")))))
