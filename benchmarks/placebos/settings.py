"""Settings of a sweep: runs of one group under several numbers of epochs, and settings that differ by what is known.

A setting is more stable where it has less noise, solves more where its vectors belong to their words, and has half
collapsed where all of its words are pushed one way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, Row, World, cells, never, should
from benchmarks.placebos.moved import of_rows
from benchmarks.placebos.planted import SIZES, with_noise
from benchmarks.placebos.runsets import Source, knowing_nothing, placed
from gpustab.evaluation.questions import read_analogies
from gpustab.machine.device import DEFAULT
from gpustab.results import Table
from gpustab.runs.load import load_runs
from gpustab.runs.runs import Runs
from gpustab.studies.sweep.claims import observation_table
from gpustab.studies.sweep.claims_of_parameters import EFFECT, SCORES, along, effects
from gpustab.studies.sweep.measure import change_table, measure
from gpustab.studies.sweep.plans import settings_of
from gpustab.training import read_settings

EPOCHS = (5, 10, 20, 40)
PUSH = 2.0
"""Lengths of a vector by which all words of a setting are pushed one way, so that it has half collapsed."""

STABLE, OFF, MATTERS = "sweep.longer-is-more-stable", "sweep.levels-off", "sweep.parameter-matters"
BETTER, SCORED = "sweep.longer-is-better", "sweep.scores-change"


def swept(groups: Sequence[Runs]) -> None:
    """Ask what a sweep says of groups whose settings differ in the number of epochs."""
    plan = read_settings({"corpus": "lee", "techniques": ["sgns"], "samplings": ["shuffled"], "runs": len(groups[0])})
    plans = settings_of(plan, {"epochs": EPOCHS[: len(groups)]}, grid=False)
    measured = {
        setting.label: measure(setting.label, {"shuffled": runs}, {"shuffled": 0.0}, 0, DEFAULT, {})
        for setting, runs in zip(plans, groups, strict=True)
    }
    base, *_ = measured
    observation_table(plans, measured, change_table(measured[base], {k: v for k, v in measured.items() if k != base}))
    numbers = Table.of([row for found in measured.values() for row in found.settings.records()])
    for effect, scores in effects(along(plans, measured, ["epochs"]), measured, numbers):
        EFFECT.judge(effect)
        SCORES.judge(scores)


def pushed(runs: Runs) -> Runs:
    """Return runs whose words are all pushed one way."""
    way = np.random.default_rng(0).normal(size=runs.dimension)

    def push(x: torch.Tensor) -> torch.Tensor:
        common = torch.from_numpy(way / np.linalg.norm(way)).to(x.dtype)
        return x + PUSH * x.norm(dim=1, keepdim=True) * common

    return of_rows(runs, push)


def of_stability(source: Source, size: float) -> Iterator[World]:
    """Settings of one law, one run in ten odd where wanted; settings whose noise falls; one that has half collapsed."""
    four, three = ([placed("sgns")] * n for n in (4, 3))
    one = source.dealt(four)
    yield World(
        "runs of one group under four numbers of epochs",
        lambda r, rng: swept(one(r, rng)),
        {STABLE: NEITHER, OFF: should("yes", "no"), MATTERS: never("more", "less", "disagree")},
    )
    odd = source.dealt(three, odd=True)
    yield World(
        "runs of one group under three numbers of epochs, one run in ten odd",
        lambda r, rng: swept(odd(r, rng)),
        {STABLE: NEITHER, OFF: never("no"), MATTERS: never("more", "less", "disagree")},
        part=0.5,
    )
    falling = with_noise(source.dealt(three), (2 * size, size, 0))
    yield World(
        f"settings with noise of {2 * size:g}, {size:g} and none of the lengths added",
        lambda r, rng: swept(falling(r, rng)),
        {STABLE: should("yes", "no"), OFF: should("no", "yes"), MATTERS: should("more", "less", "disagree")},
        part=0.5,
    )

    def collapsing(r: int, rng: np.random.Generator) -> list[Runs]:
        *others, last = source.dealt(three)(r, rng)
        return [*others, pushed(last)]

    yield World(
        f"runs of one group under three numbers of epochs, words of the last pushed one way by {PUSH:g} lengths",
        lambda r, rng: swept(collapsing(r, rng)),
        {STABLE: NEITHER, OFF: NEITHER, MATTERS: never("disagree")},
        part=0.5,
    )


def of_scores(source: Source) -> Iterator[World]:
    """Analogies over their words alone: settings of one law, and such as know nothing before they train longer."""
    keys, about, names = [placed("sgns")] * 2, "runs of one group under two numbers of epochs", (BETTER, SCORED)
    for odd in (False, True):
        deal = source.dealt(keys, odd=odd)
        yield World(
            about + ", one run in ten odd" * odd,
            lambda r, rng, deal=deal: swept(deal(r, rng)),
            dict.fromkeys(names, NEITHER),
        )
    deal = source.dealt(keys)

    def learning(r: int, rng: np.random.Generator) -> list[Runs]:
        before, after = deal(r, rng)
        return [knowing_nothing(before, rng), after]

    yield World(
        "runs of which the shorter ones have their vectors dealt out",
        lambda r, rng: swept(learning(r, rng)),
        dict.fromkeys(names, should("yes", "no")),
    )
    yield World(
        "runs that know nothing under two numbers of epochs",
        lambda r, rng: swept([knowing_nothing(runs, rng) for runs in deal(r, rng)]),
        dict.fromkeys(names, NEITHER),
    )


def of_questions(source: Source) -> Source:
    """Return a source of the words of analogies alone, so that many questions can be asked at little cost."""
    asked = {
        word for section in read_analogies("questions-words").sections for own in section.questions for word in own
    }
    own = [word for word in source.runs.vocabulary if word in asked]
    rows, names = source.runs.rows_of(own), [word.decode() for word in own]
    other = copy(source)
    other.runs = load_runs([(names, run[:][rows].numpy()) for run in source.runs.rows])
    return other


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of settings."""
    for seed, (sampling, size) in enumerate(SIZES.items()):
        source, whole = Source(folder, sampling), Source(folder, sampling, words=None)
        for world in of_stability(source, size):
            yield from cells(replace(world, whole_to=8), source.noise, sets, seed)
        for world in of_scores(of_questions(whole)):
            yield from cells(replace(world, whole_to=8), whole.noise, sets, seed)
