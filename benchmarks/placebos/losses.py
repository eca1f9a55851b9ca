"""One technique: what the thesis states of cosines, neighbours, averages and word frequency, on runs of known truth.

Truths are found from many runs, or from many sets of R (see :mod:`benchmarks.placebos.limits`): of trained runs, of
runs of known law, and of vectors that know nothing. Only those chapters of the study are asked that the claims rest
on, so that many sets are affordable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, Row, Said, Truth, World, cells, should
from benchmarks.placebos.limits import LIMIT, judged_by, truths_of_many, truths_of_sets
from benchmarks.placebos.made import Law, laws
from benchmarks.placebos.runsets import Source, knowing_nothing, placed
from gpustab import engine
from gpustab.kernels.jackknife import pair_matrix
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.instability import InstabilityOptions, averages, cosines, frequency, losses, neighbours, trees
from gpustab.studies.instability.answers import Findings, alarm_of, most_stable
from gpustab.studies.instability.claims import observation_table
from gpustab.studies.instability.claims_of_averages import AVERAGING_HELPS, largest_averages
from gpustab.studies.instability.subsets import DISTANCE, HOW_MANY, REDUCED_PIP, ErrorOfRuns, errors, with_distance
from gpustab.studies.instability.technique import Technique
from gpustab.studies.shared.claims import OBSERVED

WORDS = 300
RUNS = (3, 5, 8, 16)
PAIRS, COUPLES, TARGETS = 1000, 3000, 60
"""Word pairs whose cosines are averaged, couples of them that are tested, and words whose p@1 is predicted."""
EVERY, WILD = 100_000, 10
"""More words than there are; and how many of them move wildly."""
NAMES = ("sgns", "fasttext")
"""Of documents the thesis states another thing of fastText."""

Groups = dict[str, Runs]
Draw = Callable[[int, np.random.Generator], Groups]
Chapter = Callable[[Technique, Mapping[str, Table]], Mapping[str, Table]]


def distances(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """The losses of every sampling; what is wrong with the runs is kept."""
    return losses.instability_tables(technique)


def trends(technique: Technique, tables: Mapping[str, Table]) -> dict[str, Table]:
    """Losses over word frequency."""
    return frequency.frequency_tables(tables[losses.WORDS.name], technique)


def one_pair(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """How far the loss of one pair of runs is off: the table of the study has so many runs for every number of them."""
    runs = technique.runs
    losses_of_pairs = pair_matrix(engine.pip_pass(runs, technique.compute).reduced, len(runs))
    sizes = sorted({2, len(runs)})
    of_sizes = [(size, *errors(losses_of_pairs, size, technique.seed)) for size in sizes]
    return HOW_MANY.named(ErrorOfRuns(technique.name, REDUCED_PIP, *row, None) for row in of_sizes)


def lists(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """Lists of neighbours, and how p@n goes with the loss of a word."""
    lists_of_all = neighbours.measure(technique.runs, technique.compute, technique.joint).lists
    of_words = losses.word_matrices(technique.runs, technique.joint, technique.compute)
    beside = with_distance(technique.name, lists_of_all, of_words, technique.compute, technique.seed)
    return neighbours.overlap_tables(technique) | DISTANCE.named(beside)


def laws_of_cosines(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """Whether cosines are normal and independent, by more word pairs than the other chapters take."""
    return cosines.distribution_tables(replace(technique, options=replace(technique.options, pairs=COUPLES)))


def averaged(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """Averages of n runs, level by level."""
    return averages.averaging_tables(technique)


def aligned(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """The second term of eq. 3.4, and averages onto one reference."""
    return trees.alignment_tables(technique)


def predictions(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """P@1 as normals and the structure factor predict it."""
    return cosines.prediction_tables(technique, longest=1)


def proxies(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """Losses over fewer words."""
    return losses.proxy_tables(technique)


def two_trees(technique: Technique, _: Mapping[str, Table]) -> dict[str, Table]:
    """Averages of trees over other orders of the runs, in the place of averages onto one reference."""
    found = []
    for seed, kind in enumerate((trees.TREE, trees.ONE_REFERENCE)):
        seeded = replace(technique, options=replace(technique.options, seed=seed))
        rows = trees.TREES.rows(trees.alignment_tables(seeded), average=trees.TREE)
        found += [row._replace(average=kind) for row in rows]
    return trees.TREES.named(found)


def in_common(technique: Technique, tables: Mapping[str, Table]) -> dict[str, Table]:
    """Whether runs have anything in common, as the study asks before it gives a verdict."""
    alarm_of(technique.name, {}, {}, list(losses.LOSSES.rows(tables)))
    return {}


CHEAP: Sequence[Chapter] = (distances, trends, one_pair, lists, laws_of_cosines, averaged, aligned)
OF_FREQUENCY: Sequence[Chapter] = (distances, trends)


def ask(
    chapters: Sequence[Chapter],
    techniques: Mapping[str, Groups],
    places: Mapping[str, tuple[str, str]] | None = None,
    *,
    silent: bool = True,
) -> None:
    """Ask some chapters of the study, and its rules.

    Args:
        chapters: that are asked.
        techniques: the runs of every technique, by sampling.
        places: what each was trained by, and on which corpus, where there are several.
        silent: whether nothing is judged of runs that the study gives no verdict on.
    """
    tables: dict[str, Table] = {}
    for name, groups in techniques.items():
        options = InstabilityOptions(targets=TARGETS, pairs=PAIRS)
        technique, own = Technique(name, groups, options, place=(places or {}).get(name, ("", ""))), dict[str, Table]()
        for chapter in chapters:
            own |= chapter(technique, own)
        if not (silent and alarm_of(name, technique.flaws, {})[0]):
            for title, table in own.items():
                tables.setdefault(title, Table(long=table.long)).extend(table)
    observed = OBSERVED.name, observation_table(tables)
    most_stable(Findings(tables | dict([observed]), list(techniques), {}))
    for name in techniques:
        if level := largest_averages(tables, name):
            AVERAGING_HELPS.sentence(level)


def of_one(groups: Groups) -> dict[str, Groups]:
    """Return runs as those of the techniques that the thesis states something of: of documents, two things."""
    return dict.fromkeys(NAMES if "bootstrap" in groups else NAMES[:1], groups)


def worlds(
    about: str,
    draw: Draw,
    chapters: Sequence[Chapter],
    sure: Mapping[str, Truth] | None = None,
    *,
    only: Collection[str] | None = None,
    part: float = 1.0,
) -> Iterator[World]:
    """Yield a world for few runs and one for many, with the truths that many of its runs tell.

    Args:
        about: for the table.
        draw: returns the runs of every sampling.
        chapters: that are asked.
        sure: truths that are known without.
        only: claims that are asked about, of several samplings those that are judged once.
        part: of the sets that are drawn, where a study takes long.
    """
    rng = np.random.default_rng(1)
    many = truths_of_many(judged_by(lambda: ask(chapters, of_one(draw(LIMIT, rng)), silent=False)))

    def truths(said: Sequence[Said]) -> dict[str, Truth]:
        known = {**many, **truths_of_sets(said), **(sure or {})}
        return {name: truth for name, truth in known.items() if only is None or name in only}

    for runs, share in ((RUNS[:-1], part), (RUNS[-1:], part / 2)):
        yield World(about, lambda r, rng: ask(chapters, of_one(draw(r, rng))), truths, runs, share)


def of_law(law: Law) -> Draw:
    """Runs of a law, called shuffled."""
    return lambda r, rng: {"shuffled": law.runs(r, rng, placed("sgns"))}


def of_pool(source: Source) -> Draw:
    """Runs of a pool, called shuffled."""
    deal = source.dealt([placed("sgns")])
    return lambda r, rng: {"shuffled": deal(r, rng)[0]}


def of_nothing(source: Source) -> Draw:
    """Vectors that are dealt out to other words in every run."""
    deal = of_pool(source)
    return lambda r, rng: {"shuffled": knowing_nothing(deal(r, rng)["shuffled"], rng)}


def fixed_words(source: Source) -> Draw:
    """Runs in which every other word lies where it lies in the mean of all: what stands beside it varies by itself."""
    law = laws(source)["normal"]
    rows = torch.arange(law.like.words) % 2 == 0
    return of_law(replace(law, mean=law.mean, noise=lambda rng: law.noise(rng) * rows[:, None]))


def with_counts_dealt_out(draw: Draw) -> Draw:
    """Words get the counts of other ones: frequency has nothing to do with anything."""

    def dealt(r: int, rng: np.random.Generator) -> Groups:
        groups = draw(r, rng)
        order = torch.from_numpy(rng.permutation(groups["shuffled"].words))
        return {
            name: replace(runs, counts=runs.counts[order]) for name, runs in groups.items() if runs.counts is not None
        }

    return dealt


def _counts(runs: Runs) -> torch.Tensor:
    assert runs.counts is not None
    return runs.counts


def two_samplings(shuffled: Draw, drawn: Draw) -> Draw:
    """Runs of two kinds as shuffled and bootstrap runs."""

    def both(r: int, rng: np.random.Generator) -> Groups:
        groups = shuffled(r, rng)["shuffled"], drawn(r, rng)["shuffled"]
        return {
            name: replace(runs, key=placed("sgns", name))
            for name, runs in zip(("shuffled", "bootstrap"), groups, strict=True)
        }

    return both


def one_sampling(source: Source) -> Draw:
    """Runs of one sampling, half of them called bootstrap."""
    deal = source.dealt([placed("sgns"), placed("sgns", "bootstrap")])
    return lambda r, rng: dict(zip(("shuffled", "bootstrap"), deal(r, rng), strict=True))


NOTHING = {"instability.inconsistent-over-n": NEITHER, "instability.unrelated-to-distance": NEITHER}
"""Where no word has any place, no list length ranks words."""


def _of_one_group(source: Source) -> Iterator[World]:
    made = laws(source)
    yield from worlds(made["normal"].about, of_law(made["normal"]), CHEAP)
    yield from worlds("runs of a pool; truth by many of them", of_pool(source), CHEAP)
    yield from worlds("vectors dealt out to other words in every run", of_nothing(source), CHEAP, NOTHING)
    yield from worlds(made["heavy"].about, of_law(made["heavy"]), (distances, laws_of_cosines, averaged, aligned))
    yield from worlds(made["shared"].about, of_law(made["shared"]), (distances, one_pair, laws_of_cosines))


def _of_nothing(source: Source) -> Iterator[World]:
    """Runs that have nothing in common, and such as have, one in ten of them odd where wanted."""
    claim = "instability.nothing-in-common"
    odd = source.dealt([placed("sgns")], odd=True)
    for about, draw, truth in (
        ("vectors dealt out to other words in every run", of_nothing(source), should("yes", "no")),
        ("runs of a pool", of_pool(source), should("no", "yes")),
        ("runs of a pool, one run in ten odd", lambda r, rng: {"shuffled": odd(r, rng)[0]}, should("no", "yes")),
    ):
        yield World(
            about, lambda r, rng, draw=draw: ask((distances, in_common), {"sgns": draw(r, rng)}), {claim: truth}
        )  # type: ignore[misc]


def _of_trees(source: Source) -> Iterator[World]:
    draw = of_pool(source)
    truths = {"instability.reference-matters": NEITHER}
    yield World(
        "trees in the place of averages onto one reference",
        lambda r, rng: ask((two_trees,), of_one(draw(r, rng))),
        truths,
    )


def _of_proxies(folder: Path) -> Iterator[tuple[str, World]]:
    """All words of the pool: of fewer than 2,000 there is no test."""
    source = Source(folder, "shuffled", EVERY)
    own = laws(source)["normal"]
    few = torch.from_numpy(np.random.default_rng(0).permutation(source.runs.words)) < WILD
    wild = replace(own, noise=lambda rng: own.noise(rng) * torch.where(few, 20.0, 1.0)[:, None])
    loud = replace(own, noise=lambda rng: own.noise(rng) * 3)
    for about, draw in (
        ("runs of a pool; truth by many sets", of_pool(source)),
        (own.about, of_law(own)),
        (f"{own.about}, three times as large", of_law(loud)),
        (f"{own.about}, twenty times as large for {WILD} words", of_law(wild)),
    ):
        for world in worlds(about, draw, (proxies,), part=0.5):
            yield source.noise, world


ON_FREQUENCY = {f"instability.{name}" for name in ("intrinsic-flat", "extrinsic-flat", "extrinsic-falls")}


def _of_frequency(source: Source, other: Source) -> Iterator[World]:
    made = laws(source)
    asking = partial(worlds, chapters=OF_FREQUENCY, only=ON_FREQUENCY)
    moved = two_samplings(of_law(made["normal"]), of_law(made["more"]))
    yield from asking("bootstrap runs with more noise for rare words", moved)
    nothing = {
        "instability.extrinsic-falls": NEITHER,
        "instability.extrinsic-flat": should("yes", "no"),
        "instability.intrinsic-flat": should("yes", "no"),
    }
    dealt = with_counts_dealt_out(two_samplings(of_pool(source), of_pool(other)))
    yield from asking("counts dealt out to other words", dealt, sure=nothing)
    none = {"instability.extrinsic-falls": NEITHER, "instability.extrinsic-flat": NEITHER}
    about = "runs of one sampling, half of them called bootstrap"
    yield from asking(about, one_sampling(source), sure=none)


def _of_predictions(source: Source) -> Iterator[World]:
    made = laws(source)
    for about, draw in (
        ("normal noise of every other word, none of the rest", fixed_words(source)),
        (made["falling"].about, of_law(made["falling"])),
        ("runs of a pool; truth by many of them", of_pool(source)),
    ):
        yield from worlds(about, draw, (predictions,), part=0.5)


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of one technique."""
    low, high = (Source(folder, kind, WORDS) for kind in ("shuffled", "bootstrap"))
    for seed, source in enumerate((low, high)):
        for world in _of_one_group(source):
            yield from cells(world, source.noise, sets, seed)


def rows_of_frequency(folder: Path, sets: int) -> Iterator[Row]:
    """Yield those of word frequency."""
    low, high = (Source(folder, kind, WORDS) for kind in ("shuffled", "bootstrap"))
    for seed, (source, other) in enumerate(((low, high), (high, low))):
        for world in _of_frequency(source, other):
            yield from cells(world, source.noise, sets, seed)


def rows_of_trees_and_proxies(folder: Path, sets: int) -> Iterator[Row]:
    """Yield those of one reference where there is none, of nothing in common, and of losses over fewer words."""
    for seed, kind in enumerate(("shuffled", "bootstrap")):
        source = Source(folder, kind, WORDS)
        for world in (*_of_trees(source), *_of_nothing(source)):
            yield from cells(world, source.noise, sets, seed)
    for noise, world in _of_proxies(folder):
        yield from cells(world, noise, sets)


def rows_of_predictions(folder: Path, sets: int) -> Iterator[Row]:
    """Yield those of predicted p@1, which take long."""
    for seed, kind in enumerate(("shuffled", "bootstrap")):
        source = Source(folder, kind, WORDS)
        for world in _of_predictions(source):
            yield from cells(world, source.noise, sets, seed)
