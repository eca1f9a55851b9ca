"""The demonstration: skip-gram runs of three samplings on the Lee corpus, a small real one that gensim brings along."""

from __future__ import annotations

from pathlib import Path

from gpustab.machine.progress import Progress
from gpustab.runs.load import load_groups
from gpustab.runs.runs import Runs

RUNS = 5
EPOCHS = 30
"""At 5 epochs the space is collapsed (mean cosine 0.98) and would look stable; at 30 the mean cosine is about 0.25."""


def train_demo_runs(folder: Path, progress: Progress) -> list[Runs]:
    """Train skip-gram runs (100 dimensions) of fixed, shuffled and bootstrap samples, on a GPU where there is one.

    Args:
        folder: where the run set is made.
        progress: called with the name of the work and its finished part.

    Raises:
        InputError: if the packages of the extra ``train`` are missing.
    """
    from gpustab.training import read_settings, train_runs

    plan = {"corpus": "lee", "runs": RUNS, "jobs": 2, "options": {"min_count": 5}, "sgns": {"epochs": EPOCHS}}
    train_runs(read_settings(plan), folder, progress=progress)
    return load_groups(folder)
