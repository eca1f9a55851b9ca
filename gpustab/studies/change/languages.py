"""The languages of SemEval-2020 task 1: where their texts lie, and training both periods of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpustab.errors import InputError
from gpustab.machine.progress import Progress
from gpustab.runs.group import Group
from gpustab.runs.joining import Loading
from gpustab.runs.load import open_groups
from gpustab.studies.change.options import GridPlan
from gpustab.studies.change.series import LANGUAGE, PERIOD

if TYPE_CHECKING:
    from gpustab.training.settings import TrainingSettings

PERIODS = ("corpus1", "corpus2")


def languages_in(folder: Path) -> list[Path]:
    """Return the folders of languages at or below a folder, in the layout of the data or of the evaluation package.

    Raises:
        InputError: if there is none, two have one name, or one lacks a period.
    """
    places = [folder] if (folder / "targets.txt").is_file() else []
    places += sorted(path.parent for form in ("*/targets.txt", "*/*/targets.txt") for path in folder.glob(form))
    if not places:
        raise InputError(f"{folder}: no folder here has a targets.txt; give that of SemEval-2020 task 1")
    names = [place.resolve().name for place in places]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"{folder}: there are two folders of {twice}: {', '.join(map(str, places))}")
    for place in places:
        for period in PERIODS:
            text_of(place, period)
    return places


def text_of(place: Path, period: str) -> Path:
    """Return the text of one period of a language: its one file, or the folder of several.

    Raises:
        InputError: if there is none.
    """
    folder = place / period / "lemma"
    files = [path for path in folder.glob("*") if path.is_file() and not path.name.startswith(".")]
    if not files:
        raise InputError(f"{folder}: holds no file; the lemma version of each period is read")
    return files[0] if len(files) == 1 else folder


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
        place: see :func:`languages_in`.
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

    languages = languages_in(place)
    plans = [
        (language, k, plan_for(plan, text_of(language, PERIODS[k]), seed, parameters))
        for language in languages
        for k in range(2)
    ]
    trained: list[Group] = []
    for language, k, settings in plans:
        name = language.resolve().name
        runset = folder / name / str(k + 1)
        train_runs(settings, runset, progress=progress)
        part = ((LANGUAGE, name), (PERIOD, str(k + 1)))
        groups = open_groups([runset], Loading(), single_runs=True)
        wanted = [
            group
            for group in groups
            if group.key.technique in settings.techniques and group.key.sampling in settings.samplings
        ]
        trained += [replace(group, key=replace(group.key, part=part)) for group in wanted]
    return trained


def plan_for(
    plan: GridPlan, text: Path, seed: int, parameters: Mapping[str, Mapping[str, Any]] | None = None
) -> TrainingSettings:
    """Return the checked settings of one training, see :func:`train_grid`."""
    from gpustab.training import read_settings

    content: dict[str, Any] = {"corpus": str(text), "techniques": list(plan.technique or ("sgns",)), "seed": seed}
    content |= {"samplings": list(plan.sampling or ("shuffled", "bootstrap"))}
    content |= {"runs": plan.runs or 8, "jobs": plan.jobs or 1}
    parameters = dict(parameters or {})
    reading: dict[str, Any] = {
        "layout": None if text.is_dir() else "lines",
        "tokenizer": "whitespace",
        "lowercase": False,
    }
    reading |= {"drop_duplicates": False, "min_count": 5}
    return read_settings(content | parameters | {"options": reading | dict(parameters.get("options", {}))})
