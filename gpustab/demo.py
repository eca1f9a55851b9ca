"""The demonstration: skip-gram runs of three samplings on the Lee corpus, a small real one that gensim brings along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpustab.machine.progress import Progress
from gpustab.runs.group import Group
from gpustab.runs.load import open_groups
from gpustab.runs.runs import Runs
from gpustab.studies.shared.frame import how_made

if TYPE_CHECKING:
    from gpustab.training import TrainingSettings

RUNS = 5
EPOCHS = 30
"""At 5 epochs the space is collapsed (mean cosine 0.98) and would look stable; at 30 the mean cosine is about 0.25."""


def demo_commands(folder: str) -> str:
    """Return the two commands that do by hand what the demonstration does, and the two for texts of one's own."""
    plan = _plan()
    count, epochs, runs = plan["options"]["min_count"], plan["sgns"]["epochs"], plan["runs"]
    train = f"gpustab train lee -o {folder} --runs {runs} --min-count {count} --epochs {epochs} --jobs {plan['jobs']}"
    own = "gpustab train FOLDER -o RUNS && gpustab stability RUNS --out REPORT"
    return f"{train} && gpustab stability {folder} ; next, a FOLDER of your own text files: {own}"


def _plan() -> dict[str, Any]:
    return {"corpus": "lee", "runs": RUNS, "jobs": 2, "options": {"min_count": 5}, "sgns": {"epochs": EPOCHS}}


def train_demo_runs(
    folder: Path, progress: Progress, announce: Callable[[TrainingSettings], None] | None = None
) -> list[Runs]:
    """Train skip-gram runs (100 dimensions) of fixed, shuffled and bootstrap samples, on a GPU where there is one.

    Args:
        folder: where the run set is made.
        progress: called with the name of the work and its finished part.
        announce: called with the settings before the training.

    Raises:
        InputError: if the packages of the extra ``train`` are missing.
    """
    from gpustab.training import read_settings, train_runs

    train_runs(read_settings(_plan()), folder, progress=progress, announce=announce)
    return [_loaded(group) for group in open_groups(folder)]


def _loaded(group: Group) -> Runs:
    """Load runs that still tell how they were made when their folder is gone."""
    (way,) = how_made([group])
    return replace(group.load(), trained={name: way[name] for name in ("made", "versions")})
