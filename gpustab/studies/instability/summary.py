"""What the result says of each technique in short, and the notes that hold for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpustab.results import Table
from gpustab.runs.families import Family
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.studies.shared.claims import records


def summary(
    name: str, groups: Mapping[str, Runs], tables: Mapping[str, Table], no_verdict: str | None
) -> dict[str, Any]:
    """Return what the JSON and the page say of a technique; ``no_verdict`` is why nothing is said of it."""
    losses = {row["sampling"]: row for row in records(tables, "table_2_8")}
    extrinsic = next(records(tables, "table_2_11"), {})
    shuffled = groups["shuffled"]
    return {
        "name": name,
        "runs": {sampling: list(runs.names) for sampling, runs in groups.items()},
        "words": losses["shuffled"]["words"] if losses else int(shuffled.joint.sum()),
        "dimension": shuffled.dimension,
        "pip": {sampling: {key: row[key] for key in ("reduced_pip", "sd", "se")} for sampling, row in losses.items()},
        "extrinsic": extrinsic.get("extrinsic"),
        "signed_square": extrinsic.get("signed_square"),
        "no_verdict": no_verdict,
    }


def general_notes(techniques: Sequence[Family[Runs | Group]]) -> list[str]:
    """Return the notes that hold whatever was found."""
    shuffled = [member for family in techniques for member in family.members if member.key.sampling == "shuffled"]
    return [
        *(f"{t.name}: without bootstrap runs, no extrinsic part." for t in techniques if t.of("bootstrap") is None),
        f"Means and SDs that predict p@n are estimates from {min(map(len, shuffled))} or more runs, the same that are "
        "measured: the means scatter by σ/√R, which spreads the words and raises the prediction.",
        "± and intervals are at 95 %, by Student's t with as many degrees of freedom as runs (or averages) less one; "
        "SE and SD stand by these names. Intervals of trends hold the scatter over words and that over runs.",
    ]
