"""Scores on real word tests, of spaces in which words lie as the tests want them, and of spaces that know nothing.

An analogy holds where its words lie a step apart that is the same for all of its section; a word pair is as similar as
people say where its second word is placed by that. Runs are that space and noise: averages of them know it better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, Row, Truth, World, cells, should
from benchmarks.placebos.losses import Chapter, Groups, ask
from benchmarks.placebos.made import Law, normal
from benchmarks.placebos.runsets import Source, knowing_nothing, placed
from gpustab.evaluation.analogies import score_analogies
from gpustab.evaluation.files import read_similarity
from gpustab.evaluation.questions import AnalogyTest, read_analogies
from gpustab.results import Table
from gpustab.runs.load import load_runs
from gpustab.studies.instability.claims_of_averages import PLATEAU_FROM
from gpustab.studies.instability.scores import DOUBLINGS, SCORES, Gain, Score, gain, quality_tables
from gpustab.studies.instability.technique import Technique
from gpustab.studies.instability.trees import as_runs, levels_of

TESTS = ("wordsim353", "simlex999", "questions-words")
DIMENSIONS = 30
SECTIONS = ("capital-common-countries", "family")
SIMILAR, ANALOGIES = "wordsim353", "questions-words"
STEP = 0.8
"""Length of the step from one word of an analogy to the other, where words have unit length."""
QUIET, LOUD = 0.4, 0.8
"""Noise as a part of the length of a word: analogies are solved in most and in few cases."""
TECHNIQUES = ("sgns", "glove", "fasttext")
FEW, MANY = (5, 8, 16), (128, 256)
"""Which R: an average of two wants two of them; a plateau from 32 runs on wants 128."""


def scores(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """Scores of runs and of averages on the word tests."""
    return quality_tables(technique)


def on(test: str) -> Chapter:
    """The scores on one test alone, so that a set has one verdict."""

    def chapter(technique: Technique, tables: Mapping[str, Table]) -> dict[str, Table]:
        return {title: table.where(test=test) for title, table in scores(technique, tables).items()}

    return chapter


def analogies(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """Scores of runs on analogies alone."""
    total = score_analogies(technique.runs, _questions(), ignore_case=True, compute=technique.compute).total
    own = total.accuracy
    assert own.mean is not None
    numbers = own.mean, own.sd, own.best, own.worst
    return SCORES.named([Score(technique.name, ANALOGIES, 1, own.n, total.answered, total.questions, *numbers)])


def doubling(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """Scores on analogies of averages of 64 runs less those of 32: the levels that a plateau is judged by."""
    runs, found = technique.runs, {}
    for level in levels_of(runs, list(range(len(runs))), renormalise=False):
        if level.beneath in (PLATEAU_FROM, 2 * PLATEAU_FROM):
            spaces = as_runs(runs, level.averages)
            total = score_analogies(spaces, _questions(), ignore_case=True, compute=technique.compute).total
            found[level.beneath] = level.runs, total.accuracy
    (parts, before), (wholes, after) = found[PLATEAU_FROM], found[2 * PLATEAU_FROM]
    halves = [[k for k, part in enumerate(parts) if set(part) <= set(whole)] for whole in wholes]
    gained = gain(before, after, halves)
    return DOUBLINGS.named([Gain(technique.name, ANALOGIES, 2 * PLATEAU_FROM, *gained)])


@cache
def _questions() -> AnalogyTest:
    return read_analogies(ANALOGIES)


@cache
def law(noise: float, *, similar: bool = True, knows: bool = True) -> Law:
    """Return the law of a space that word tests fit, with noise of a size.

    Args:
        noise: of every word, as a part of its length.
        similar: whether the words of the similarity test are there too.
        knows: whether the space is in every run the same; else there is noise alone.
    """
    places = _places(similar=similar)
    words, vectors = list(places), np.stack(list(places.values()))
    like = load_runs([(words, vectors), (words, vectors)])
    mean = like.rows[0][0 : like.words].double()
    about = f"words as tests want them, with noise of {noise:g} of their length" if knows else "noise alone"
    sizes = torch.full((like.words,), noise if knows else 1.0, dtype=torch.float64)
    return Law(about, like, mean if knows else torch.zeros_like(mean), normal(sizes, DIMENSIONS))


def _places(*, similar: bool) -> dict[bytes, np.ndarray]:
    rng, places = np.random.default_rng(0), {}
    for section in _questions().sections:
        if section.name in SECTIONS:
            step = STEP * _drawn(rng)
            for first, second, *_ in section.questions:
                if first not in places and second not in places:
                    places[first] = _drawn(rng)
                    places[second] = places[first] + step
    test = read_similarity(SIMILAR)
    top = max(test.gold)
    for (first, second), score in zip(test.pairs, test.gold, strict=True):
        if similar:
            one = places.setdefault(first, _drawn(rng))
            cosine = score / top
            places.setdefault(second, cosine * one + (1 - cosine**2) ** 0.5 * _drawn(rng))
    return places


def _drawn(rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(size=DIMENSIONS)
    return x / np.linalg.norm(x)


def _ask(laws: Sequence[Law], r: int, rng: np.random.Generator, chapter: Chapter = scores) -> None:
    techniques: dict[str, Groups] = {
        name: {"shuffled": of.runs(r, rng, placed(name))} for name, of in zip(TECHNIQUES, laws, strict=False)
    }
    ask((chapter,), techniques)


def of_nothing(source: Source) -> World:
    """Vectors dealt out to other words in every run: nothing can be known of any test, by averages neither."""
    deal = source.dealt([placed("sgns")])

    def asked(r: int, rng: np.random.Generator) -> None:
        ask((on(str(rng.choice(TESTS))),), {"sgns": {"shuffled": knowing_nothing(deal(r, rng)[0], rng)}})

    claim = {"instability.averaging-raises-score": NEITHER}
    return World("vectors dealt out to other words in every run", asked, claim, FEW[:-1])


def of_averaging() -> Iterator[World]:
    """What averaging does to scores: nothing where there is nothing to be known, and much where noise is loud."""
    claim = "instability.averaging-raises-score"
    nothing, planted = law(1.0, knows=False), law(LOUD, similar=False)
    yield World(
        nothing.about, lambda r, rng: _ask([nothing], r, rng, on(str(rng.choice(TESTS)))), {claim: NEITHER}, FEW
    )
    yield World(planted.about, lambda r, rng: _ask([planted], r, rng, on(ANALOGIES)), {claim: should("yes", "no")}, FEW)


def of_fasttext() -> Iterator[World]:
    """Which technique solves most analogies: of one law none, else the one whose noise is the smallest."""
    claim = "instability.fasttext-most-analogies"
    for noise in (QUIET, LOUD):
        same = law(noise, similar=False)
        louder = law(1.2 * noise, similar=False)
        yield _of_three(f"three techniques of one law: {same.about}", [same] * 3, {claim: NEITHER})
        about = f"{same.about}; of the other two techniques a fifth more"
        yield _of_three(about, [louder, louder, same], {claim: should("yes", "no")})
        about = f"{same.about}; of fastText a fifth more"
        yield _of_three(about, [same, same, louder], {claim: should("no", "yes")})


def _of_three(about: str, laws: Sequence[Law], truths: Mapping[str, Truth]) -> World:
    return World(about, lambda r, rng: _ask(laws, r, rng, analogies), truths, (3, *FEW))


def of_plateau() -> Iterator[World]:
    """Whether scores rise no more from 32 runs on: with quiet noise they do not, with very loud noise they do."""
    claim = "instability.scores-reach-a-plateau"
    for noise, truth in ((QUIET, should("yes", "no")), (4 * LOUD, should("no", "yes"))):
        of = law(noise, similar=False)
        yield World(of.about, lambda r, rng, of=of: _ask([of], r, rng, doubling), {claim: truth}, MANY)


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of scores."""
    for kind in ("shuffled", "bootstrap"):
        source = Source(folder, kind)
        yield from cells(of_nothing(source), source.noise, sets)
    for world in (*of_averaging(), *of_fasttext(), *of_plateau()):
        yield from cells(world, "made, see there", sets)
