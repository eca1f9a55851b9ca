"""Contrasts between groups of runs."""

from __future__ import annotations

from collections.abc import Sequence

from gpustab import engine
from gpustab.runs.runs import Runs
from gpustab.statistics.extrinsic import extrinsic
from gpustab.studies.frame import Answer


def extrinsic_contrast(members: Sequence[Runs], answer: Answer) -> None:
    """Add the extrinsic instability of a family that has shuffled and bootstrap runs, over the same words."""
    found = [next((runs for runs in members if runs.key.sampling == kind), None) for kind in ("shuffled", "bootstrap")]
    shuffled, bootstrap = found
    if shuffled is None or bootstrap is None:
        return
    result, compute = answer.result, answer.compute
    there = frozenset(bootstrap.joint_words())
    common = [word for word in shuffled.joint_words() if word in there]
    if len(common) < 2:
        result.notes.append(f"{shuffled.name} and {bootstrap.name} have no common words, so no contrast.")
        return
    intrinsic, total = (
        float(engine.pip_pass(engine.place(runs.restricted(common), compute), compute).reduced.mean())
        for runs in (shuffled, bootstrap)
    )
    added = extrinsic(intrinsic, total)
    result.contrasts.append(
        {
            "name": "extrinsic",
            "groups": [shuffled.name, bootstrap.name],
            "value": added.value,
            "signed_square": added.signed_square,
        }
    )
    result.notes.append(
        f"{shuffled.name} and {bootstrap.name}: over their {len(common):,} common words the reduced PIP loss is "
        f"{intrinsic:.4g} (intrinsic) and {total:.4g}."
    )
