"""The tests that come with installed packages, scored one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from gpustab.errors import InputError
from gpustab.evaluation.analogies import score_analogies
from gpustab.evaluation.files import SIMILARITY_TESTS, read_similarity
from gpustab.evaluation.lookup import RunScores
from gpustab.evaluation.questions import ANALOGY_TESTS, read_analogies
from gpustab.evaluation.similarity import score_similarity
from gpustab.machine.device import Compute
from gpustab.runs.runs import Runs


class UsualScore(NamedTuple):
    """What the runs scored on one test.

    Attributes:
        test: its name.
        used: questions that could be asked.
        total: all its questions.
        by_run: the score of every run.
    """

    test: str
    used: int
    total: int
    by_run: RunScores


_similarity, _analogies = cache(read_similarity), cache(read_analogies)
"""Files that come with a package, read once: many groups of runs are asked the same questions."""


def usual_scores(runs: Runs, compute: Compute, notes: list[str]) -> Iterator[UsualScore]:
    """Yield every test that is installed; those that could not be done leave a sentence in ``notes``."""
    for test in SIMILARITY_TESTS:
        try:
            pairs = _similarity(test)
            notes += [pairs.notes[0]] if pairs.notes[0] not in notes else []
            similarity = score_similarity(runs, pairs, ignore_case=True)
        except InputError as error:
            notes.append(f"Not scored: {error}")
            continue
        yield UsualScore(test, similarity.used, similarity.total, similarity.rho)
    for test in ANALOGY_TESTS:
        try:
            analogies = score_analogies(runs, _analogies(test), ignore_case=True, compute=compute)
        except InputError as error:
            notes.append(f"Not scored: {error}")
            continue
        yield UsualScore(test, analogies.total.answered, analogies.total.questions, analogies.total.accuracy)
