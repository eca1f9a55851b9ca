"""Contrasts between groups of runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch

from gpustab import engine
from gpustab.machine.device import Compute
from gpustab.results import Result
from gpustab.runs import Runs


def add_extrinsic(groups: Sequence[Runs], compute: Compute, result: Result) -> None:
    """Add the extrinsic instability of every technique that has shuffled and bootstrap runs, over the same words.

    ``sqrt(mean(bootstrap)² − mean(shuffled)²)``: reproduces table 2.11 of the thesis (eq. 2.44 lacks the squares).
    """
    bootstraps = {_kind(runs, "bootstrap"): runs for runs in groups if _kind(runs, "bootstrap")}
    for shuffled in groups:
        bootstrap = bootstraps.get(_kind(shuffled, "shuffled"))
        if bootstrap is None:
            continue
        common = _joint_words(shuffled) & _joint_words(bootstrap)
        if len(common) < 2:
            result.notes.append(f"{shuffled.group} and {bootstrap.group} have no common words, so no contrast.")
            continue
        intrinsic, total = (
            float(engine.pip_pass(engine.place(_only(runs, common), compute), compute).reduced.mean())
            for runs in (shuffled, bootstrap)
        )
        signed = total**2 - intrinsic**2
        result.contrasts.append(
            {
                "name": "extrinsic",
                "groups": [shuffled.group, bootstrap.group],
                "value": math.sqrt(signed) if signed >= 0 else None,
                "signed_square": signed,
            }
        )
        result.notes.append(
            f"{shuffled.group} and {bootstrap.group}: over their {len(common):,} common words the reduced PIP loss is "
            f"{intrinsic:.4g} (intrinsic) and {total:.4g}."
        )


def _kind(runs: Runs, sampling: str) -> tuple[str, ...] | None:
    """What two groups must share to be contrasted: technique, unit (document, if none is named) and fraction.

    ``None`` for a group ``<technique>/<sampling>[-<unit>][-<fraction>]`` of another sampling.
    """
    technique, _, name = runs.group.rpartition("/")
    kind, *rest = name.split("-")
    return (technique, *(part for part in rest if part != "document")) if kind == sampling else None


def _joint_words(runs: Runs) -> set[bytes]:
    return {word for word, joint in zip(runs.vocabulary, runs.joint.tolist(), strict=True) if joint}


def _only(runs: Runs, words: set[bytes]) -> Runs:
    mask = torch.tensor([word in words for word in runs.vocabulary], device=runs.device)
    return replace(runs, present=runs.present & mask)
