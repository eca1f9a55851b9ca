"""Training on both halves of a corpus, whose runs tell what other documents would say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpustab.report import Result
from gpustab.training.runner import train_runs
from gpustab.training.settings import TrainingSettings


def train_halves(settings: TrainingSettings, folder: Path, **how: Any) -> Result:
    """Train what a plan wants on each half of the documents, drawn once at random by the plan's seed.

    Args:
        settings: the plan.
        folder: the run set; its groups are called ``.../half=a`` and ``.../half=b``.
        **how: as :func:`gpustab.training.runner.train_runs` takes it.
    """
    first, second = (train_runs(settings.model_copy(update={"half": half}), folder, **how) for half in ("a", "b"))
    first.groups += second.groups
    first.tables["groups"].extend(second.tables["groups"])
    first.notes += [note for note in second.notes if note not in first.notes]
    first.environment["seconds"] += second.environment["seconds"]
    return first
