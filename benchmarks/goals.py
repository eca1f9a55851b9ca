"""The table of a card: seconds and errors of every step before, now, and what they should be; as lines and as JSON.

gpustab bench --device cuda --out DIR; python -m benchmarks.goals DIR/summary.json --out goals-cuda.json

Without a file, or for a step that it does not hold, it says "unmeasured". "Before" is the first run on a card, an H200
at commit 421bf10: times of another card are to be compared with it as such.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

import torch

from benchmarks.setting import environment, keep

SIZE = {"runs": 128, "words": 200_000, "dimension": 300}


class Goal(NamedTuple):
    """One row.

    Attributes:
        seconds: the goal, on an H200.
        before: seconds there at commit 421bf10.
        before_error: the error then.
        allowed: error that the goal allows, ``None`` where the answer must be exact.
    """

    seconds: float
    before: float
    before_error: float
    allowed: float | None = None


H200 = {
    ("gram", "fast"): Goal(0.9, 3.35, 1.5e-5, 1e-4),
    ("gram", "auto"): Goal(1.5, 7.1, 0, 1e-5),
    ("words", "fast"): Goal(1.5, 2.76, 1.1e-4, 1e-3),
    ("words", "auto"): Goal(2.5, 11.1, 0, 5e-5),
    ("procrustes", "exact"): Goal(0.6, 0.82, 0),
    ("average", "exact"): Goal(0.35, 1.00, 2e-7),
    ("neighbours", "exact"): Goal(0.4, 1.27, 0),
    ("overlap", "exact"): Goal(0.3, 0.012, 0),
    ("all-neighbours", "exact"): Goal(0.3, 0.955, 0),
    ("cosines", "exact"): Goal(0.05, 0.140, 0),
}
"""By step and arithmetic."""


def table(result: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return one row per goal: step, arithmetic, before, goal, and what was measured or why it was not.

    Raises:
        ValueError: for a result of another size.
    """
    steps = {}
    if result is not None:
        size = {name: result["settings"].get(name) for name in SIZE}
        if size != SIZE:
            raise ValueError(f"the goals are for {SIZE}, the result is of {size}")
        steps = {(step["step"], step["precision"]): step for step in result["groups"][0]["steps"]}
    rows = []
    for (name, kind), goal in H200.items():
        step = steps.get((name, kind), {})
        seconds = step.get("seconds")
        status = step.get("status", "unmeasured") if seconds is None else "met" if seconds <= goal.seconds else "missed"
        now = {"seconds": seconds, "error": step.get("error"), "status": status}
        rows.append({"step": name, "precision": kind} | goal._asdict() | {"goal": goal.seconds} | now)
    return rows


def line(row: dict[str, Any]) -> str:
    """Return a row as people read it."""
    seconds, error = row["seconds"], row["error"]
    now = "unmeasured" if seconds is None else f"{seconds:.3g} s"
    erring = "" if error is None else f", error {error:.1e}"
    return (
        f"{row['step']:15} {row['precision']:6} before {row['before']:5.3g} s  now {now:>10}{erring}  "
        f"goal {row['goal']:5.3g} s: {row['status']}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "file", type=Path, nargs="?", help="summary.json of gpustab bench; without it all is unmeasured"
    )
    parser.add_argument("--out", type=Path, help="write the table here as JSON")
    choice = parser.parse_args()
    try:
        result = json.loads(choice.file.read_text("utf-8")) if choice.file else None
        rows = table(result)
    except (OSError, ValueError, KeyError) as problem:
        raise SystemExit(f"{choice.file}: {problem}") from None
    print("\n".join(map(line, rows)))
    if choice.out:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        setting = environment(device) | {"card": (result or {}).get("environment", {}).get("device_name")}
        content = {"environment": setting, "before": "H200, commit 421bf10", "size": SIZE, "rows": rows}
        keep(content, choice.out)


if __name__ == "__main__":
    main()
