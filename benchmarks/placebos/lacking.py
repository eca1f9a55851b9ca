"""What claims are not asked, and why: the page prints it beside the counts, and a test wants a reason for every gap."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.placebos.cells import RUNS

LOW, HIGH = "shuffled, p@10", "bootstrap, p@10"
WHY: Mapping[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""By id of a claim, its own reason."""


def gaps(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return at which R, noise and runs a claim was not asked, by its cells of real text."""
    known = list(rows)
    left = [str(r) for r in RUNS if r not in {row["runs"] for row in known}]
    found = [f"R = {', '.join(left)}"] if left else []
    for name, part, where in (
        ("low noise", LOW, "noise"),
        ("high noise", HIGH, "noise"),
        ("one run in ten odd", "odd", "placebo"),
    ):
        found += [name] * (not any(part in row[where] for row in known))
    return found
