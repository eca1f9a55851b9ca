"""Training both periods of every language of SemEval-2020 task 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpustab.machine.progress import Progress
from gpustab.runs.group import Group
from gpustab.runs.load import open_groups
from gpustab.runs.loading import Loading
from gpustab.studies.change.languages import PERIODS, languages_in, text_of
from gpustab.studies.change.options import GridPlan
from gpustab.studies.change.series import EPOCH, LANGUAGE

if TYPE_CHECKING:
    from gpustab.training.settings import TrainingSettings


def train_grid(
    place: Path,
    plan: GridPlan,
    folder: Path,
    seed: int,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
) -> list[Group]:
    """Train both periods of every language, and return the groups; runs that are there already are kept.

    A line is a document, words are what blanks part, and only words are left out that are rarer than 5: targets are
    written as ``attack_nn``.

    Args:
        place: see :func:`gpustab.studies.change.languages.languages_in`.
        plan: what is trained.
        folder: of the run sets, one for each language and period.
        seed: of everything random.
        parameters: by technique, and under ``"options"`` how the texts are read, what differs from this.
        progress: see :func:`gpustab.training.runner.train_runs`.

    Raises:
        InputError: if a text is missing, or the plan cannot be used.
        ComputationError: if runs failed; the others are there.
    """
    from gpustab.training import train_runs

    places = languages_in(place)
    plans = [(own, k, plan_for(plan, text_of(own, PERIODS[k]), seed, parameters)) for own in places for k in range(2)]
    found: list[Group] = []
    for language, k, settings in plans:
        name = language.resolve().name
        own = folder / name / str(k + 1)
        train_runs(settings, own, progress=progress)
        part = ((LANGUAGE, name), (EPOCH, str(k + 1)))
        groups = open_groups([own], Loading(), single_runs=True)
        wanted = [
            own for own in groups if own.key.technique in settings.techniques and own.key.sampling in settings.samplings
        ]
        found += [replace(group, key=replace(group.key, part=part)) for group in wanted]
    return found


def plan_for(
    plan: GridPlan, text: Path, seed: int, parameters: Mapping[str, Mapping[str, Any]] | None = None
) -> TrainingSettings:
    """Return the checked settings of one training, see :func:`train_grid`."""
    from gpustab.training import read_settings

    content: dict[str, Any] = {"corpus": str(text), "techniques": list(plan.technique or ("sgns",)), "seed": seed}
    content |= {"samplings": list(plan.sampling or ("shuffled", "bootstrap"))}
    content |= {"runs": plan.runs or 8, "jobs": plan.jobs or 1}
    given = dict(parameters or {})
    reading: dict[str, Any] = {
        "layout": None if text.is_dir() else "lines",
        "tokenizer": "whitespace",
        "lowercase": False,
    }
    reading |= {"drop_duplicates": False, "min_count": 5}
    return read_settings(content | given | {"options": reading | dict(given.get("options", {}))})
