"""SemEval-2020 task 1: where the texts of its languages lie, training on them, and the scores of the targets.

Classes and ranks of the targets are from runs, their average and their ensemble, as in table 4.3 of the thesis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.evaluation.semeval import ChangeTask
from gpustab.kernels.displacement import moved
from gpustab.machine.progress import Progress
from gpustab.runs.group import Group
from gpustab.runs.joining import Loading
from gpustab.runs.key import Key
from gpustab.runs.load import open_groups
from gpustab.statistics.intervals import jackknife_error
from gpustab.statistics.ranks import spearman
from gpustab.studies.change.options import GridPlan
from gpustab.studies.change.periods import Between
from gpustab.studies.change.series import LANGUAGE, PERIOD
from gpustab.studies.change.tables_of_tasks import Cell, Score, Target

if TYPE_CHECKING:
    from gpustab.training.settings import TrainingSettings

COLUMNS = "SemEval's targets are column 1 of targets.txt; of the truth words are column 1, scores column 2 (by tabs)."
PERIODS = ("corpus1", "corpus2")
Both = tuple[float, float]
"""Accuracy of some classes and Spearman's ρ of some changes."""


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

    plans = [
        (language, k, plan_for(plan, text_of(language, PERIODS[k]), seed, parameters))
        for language in languages_in(place)
        for k in range(2)
    ]
    trained: list[Group] = []
    for language, k, settings in plans:
        name = language.resolve().name
        runset = folder / name / str(k + 1)
        train_runs(settings, runset, progress=progress)
        part = ((LANGUAGE, name), (PERIOD, str(k + 1)))
        trained += [
            replace(group, key=replace(group.key, part=part))
            for group in open_groups([runset], Loading(), single_runs=True)
            if group.key.technique in settings.techniques and group.key.sampling in settings.samplings
        ]
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
    reading: dict[str, Any] = {"layout": None if text.is_dir() else "lines", "tokenizer": "whitespace"}
    reading |= {"lowercase": False, "drop_duplicates": False, "min_count": 5}
    return read_settings(content | parameters | {"options": reading | dict(parameters.get("options", {}))})


class Judged(NamedTuple):
    """The scores of one way, with those that their spread is from.

    Attributes:
        technique: of the series.
        sampling: of the series.
        way: IR, AA or EA.
        size: runs of each period behind one score.
        scores: accuracy of the classes and Spearman's ρ of the ranks.
        draws: the same of each pair of runs (IR), or of each half of the runs.
        without: the same without the k-th runs of both periods.
        majority: accuracy of calling all what most are.
        beyond: Spearman's ρ less that of single runs.
        beyond_without: the same without the k-th runs of both periods, of both: they share their runs, and their noise.
        gains: of every target, how often it is classified rightly, less whether calling all what most are does so.
    """

    technique: str
    sampling: str
    way: str
    size: int
    scores: Both
    draws: Sequence[Both]
    without: Sequence[Both]
    majority: float
    beyond: float
    beyond_without: Sequence[float]
    gains: Sequence[float]


class _Targets(NamedTuple):
    """The targets that both periods have, and the rule by which they changed."""

    words: list[str]
    rows: Tensor
    task: ChangeTask
    spread: float

    def classes(self, changes: Tensor) -> Tensor:
        """A target changed if its Δ exceeds ``τ = μ + spread · σ`` over all joint words (ddof 0, as the program)."""
        return changes[self.rows] > changes.mean() + self.spread * changes.std(correction=0)

    def right(self, classes: Tensor) -> list[float]:
        """Return of every target with a class whether it is the right one, 0 or 1."""
        binary, named = self.task.binary, zip(self.words, classes.tolist(), strict=True)
        return [float(is_so == binary[word]) for word, is_so in named if word in binary]

    def gains(self, each: Sequence[Tensor]) -> list[float]:
        """Return how often every target is classified rightly, less whether it is by calling all what most are."""
        classes = [value for word, value in self.task.binary.items() if word in set(self.words)]
        one = torch.full((len(self.words),), 2 * sum(classes) > len(classes), device="cpu")
        means = map(fmean, zip(*map(self.right, each), strict=True))
        return [mean - so for mean, so in zip(means, self.right(one), strict=True)]

    def score(self, classes: Tensor, changes: Tensor) -> Both:
        """Return accuracy of some classes and Spearman's ρ of some changes, of all words."""
        graded, ranked, right = self.task.graded, changes[self.rows], self.right(classes)
        kept = [k for k, word in enumerate(self.words) if word in graded]
        truth = torch.tensor([graded[self.words[k]] for k in kept], dtype=torch.float64, device="cpu")
        correlation = float(spearman(ranked[kept][None], truth[None])[0]) if len(kept) > 2 else math.nan
        return fmean(right or [math.nan]), correlation


def judge(key: Key, both: Between, changes: Callable[[], Tensor], task: ChangeTask, spread: float) -> Iterator[Judged]:
    """Yield the scores of the three ways.

    Args:
        key: of the runs.
        both: the periods.
        changes: gives those of :func:`gpustab.studies.change.periods.aligned`: a turn for every pair of runs.
        task: the targets.
        spread: see :class:`ChangeOptions`.

    Raises:
        InputError: if no target is in both periods; where their stems are, the message says what is wrong.
    """
    place = {word: k for k, word in enumerate(both.words)}
    known = [word for word in task.targets if word in place]
    if not known:
        raise InputError(why_none(task, place))
    targets = _Targets(known, torch.tensor([place[word] for word in known], device="cpu"), task, spread)
    each = changes()
    runs = min(each.shape[:2])
    size, several = runs // 2, range(runs if runs > 1 else 0)
    halves = [slice(0, size), slice(size, 2 * size)] if size else []
    without = [[k for k in range(runs) if k != left] for left in several]
    classes = [targets.classes(pair) for pair in each.flatten(0, 1)]
    pairs = [targets.score(own, pair) for own, pair in zip(classes, each.flatten(0, 1), strict=True)]
    grid = torch.tensor(pairs, dtype=torch.float64, device="cpu").reshape(*each.shape[:2], 2)
    ways: dict[str, tuple[Both, Sequence[Both], Sequence[Both]]] = {
        "IR": (_mean(grid), pairs, [_mean(grid[kept][:, kept]) for kept in without]),
        "AA": _averages(targets, both),
        "EA": (
            _ensemble(targets, each),
            [_ensemble(targets, each[half, half]) for half in halves],
            [_ensemble(targets, each[kept][:, kept]) for kept in without],
        ),
    }
    single, averaged = ways["IR"], both.averaged.value
    said = {"IR": classes, "AA": [targets.classes(averaged)], "EA": [_majority(classes)]}
    for way, scores in ways.items():
        beyond = scores[0][1] - single[0][1]
        left = [x[1] - y[1] for x, y in zip(scores[2], single[2], strict=True)]
        left = left if runs > 2 else []  # without one of two runs the average is the other
        place_of = key.technique, key.sampling, way, 1 if way == "IR" else runs
        yield Judged(*place_of, *scores, task.majority, beyond, left, targets.gains(said[way]))


def _mean(grid: Tensor) -> Both:
    """The mean scores of all pairs of runs, ``(R₁, R₂, 2)``."""
    accuracy, ranks = grid.mean((0, 1)).tolist()
    return accuracy, ranks


def score_of(series: str, task: ChangeTask, known: int, way: Judged) -> Score:
    """Return the row of one language, of whose targets so many are known."""
    accuracy, ranks = (
        (way.scores[k], sd([x[k] for x in way.draws]), jackknife_error([x[k] for x in way.without])) for k in (0, 1)
    )
    beyond = way.beyond, jackknife_error(way.beyond_without), max(len(way.without), 1)
    return Score(series, task.name, way.way, *accuracy, *ranks, *beyond, known, len(task.targets), task.majority)


def targets_of(series: str, both: Between, task: ChangeTask) -> list[Target]:
    """Return the targets that both periods have, by their change between the averages of all runs (table 4.2)."""
    place = {word: k for k, word in enumerate(both.words)}
    known = [word for word in task.targets if word in place]
    changes = {word: float(both.averaged.value[place[word]]) for word in known}
    by_change = sorted(known, key=lambda word: (-changes[word], word))
    graded = sorted((word for word in known if word in task.graded), key=lambda word: (-task.graded[word], word))
    return [
        Target(
            series,
            task.name,
            word,
            changes[word],
            by_change.index(word) + 1,
            task.graded.get(word),
            graded.index(word) + 1 if word in task.graded else None,
            bool(task.binary[word]) if word in task.binary else None,
        )
        for word in by_change
    ]


def sd(values: Sequence[float]) -> float:
    """Return the SD (ddof 1); NaN for fewer than two values, or where one is NaN."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def missing(both: Between, task: ChangeTask) -> list[str]:
    """Return the targets that one of the periods lacks."""
    known = set(both.words)
    return [word for word in task.targets if word not in known]


def cells(judged: Sequence[Judged]) -> Iterator[Cell]:
    """Yield the rows of table 4.3 from the scores of the series of all languages; those without truth are left out."""
    places = dict.fromkeys((x.technique, x.sampling, x.way) for x in judged)
    for place in places:
        ways = [x for x in judged if (x.technique, x.sampling, x.way) == place and not math.isnan(x.majority)]
        if ways:
            accuracy, ranks = _over_languages(ways, 0), _over_languages(ways, 1)
            size, majority = min(x.size for x in ways), fmean(x.majority for x in ways)
            error = _spread([x.beyond_without for x in ways], jackknife_error)
            beyond = fmean(x.beyond for x in ways), error, min(max(len(x.without), 1) for x in ways)
            yield Cell(*place, size, len(ways), *accuracy, *ranks, *beyond, majority, *_gain([x.gains for x in ways]))


def _gain(each: Sequence[Sequence[float]]) -> tuple[float, float, int]:
    """Mean over languages of the mean gain over targets, its error over targets, and how many these are."""
    error = math.sqrt(sum(sd(gains) ** 2 / len(gains) for gains in each)) / len(each)
    return fmean(map(fmean, each)), error, sum(map(len, each))


def _over_languages(ways: Sequence[Judged], k: int) -> tuple[float, float, float]:
    """Mean over the languages, its SD over draws and its jackknife error; NaN where languages have other numbers."""
    draws = [[x[k] for x in way.draws] for way in ways]
    left = [[x[k] for x in way.without] for way in ways]
    return fmean(way.scores[k] for way in ways), _spread(draws, sd), _spread(left, jackknife_error)


def _spread(lists: Sequence[Sequence[float]], measure: Callable[[Sequence[float]], float]) -> float:
    if len({len(values) for values in lists}) > 1:
        return math.nan
    return float(measure([fmean(values) for values in zip(*lists, strict=True)]))


def _averages(targets: _Targets, both: Between) -> tuple[Both, list[Both], list[Both]]:
    """Scores of the averages of all runs, of both halves, and without the k-th runs."""
    first, second = (
        period.averages.rows(rows.to(period.runs.device))
        for period, rows in zip((both.first, both.second), both.rows, strict=True)
    )

    def scored(one: Sequence[Tensor], two: Sequence[Tensor]) -> list[Both]:
        each = [moved(x, y, both.over).cpu() for x, y in zip(one, two, strict=False)]
        return [targets.score(targets.classes(changes), changes) for changes in each]

    return (
        scored([first.top], [second.top])[0],
        scored(first.half, second.half),
        scored(first.without, second.without),
    )


def _ensemble(targets: _Targets, changes: Tensor) -> Both:
    """Scores of some pairs of runs together, ``(R₁, R₂, v)``: the majority of their classes, and their mean change."""
    each = changes.flatten(0, 1)
    return targets.score(_majority([targets.classes(pair) for pair in each]), each.mean(0))


def _majority(classes: Sequence[Tensor]) -> Tensor:
    """The class that most pairs of runs give to every target; a draw counts as no change."""
    return torch.stack(list(classes)).double().mean(0) > 0.5


def why_none(task: ChangeTask, place: Container[str]) -> str:
    """Say that no target is in both periods, and what is wrong where their stems are."""
    none = f"none of the {len(task.targets)} targets of {task.name} is in both periods"
    stems = [word for word in task.targets if word.rpartition("_")[0] in place]
    if stems:
        return (
            f"{none}, but '{stems[0].rpartition('_')[0]}' is: this text lacks the suffix. Train on the lemma version, "
            "or take the suffix off the words of the file"
        )
    return none
