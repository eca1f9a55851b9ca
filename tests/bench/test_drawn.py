"""A few sets of every drawn truth that is soon drawn: hardly a rule is wrong, and each says something at many runs."""

from dataclasses import replace

import pytest

from benchmarks.placebos.__main__ import PARTS
from benchmarks.placebos.cells import DRAWN, cells, never, should
from benchmarks.placebos.drawn.bootstrap import two_groups
from benchmarks.placebos.drawn.case import drawn
from benchmarks.placebos.drawn.every import WORLDS
from docs import claims as page
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import every_claim

SETS = 10
LONG = (
    *("normals", "t(", "true ρ", "both from", "of their own", "SDs differ", "one SD", "noise like", "small noise"),
    *("20 % of the pairs", "5 % of the pairs", "skewness 0.03", "skewness 0.6", "noisy copies"),
)
"""What takes seconds."""
AGAIN = "1,000 of 40 items"
"""What is as the 300 pairs of 60 items beside it, and takes three times as long."""
MISSED = ("50 % of antonyms farther, 60", "equal spreads", ", 5 terms")
"""What so few components, terms or runs of unlike noise seldom tell."""


def few(world):
    return next((r for r in world.runs if r > 3), world.runs[0])


RULES = [
    world
    for name in WORLDS
    if name not in ("change", "consistency")
    for world in WORLDS[name]()
    if not any(part in world.about for part in LONG)
]


def called(world):
    about = f"{next(iter(world.truths))}: {world.about}"
    marks = [pytest.mark.slow] if AGAIN in about else []
    return pytest.param(world, id=about.replace(" ", "_"), marks=marks)


def test_the_claims_of_drawn_truths_are_known():
    assert {claim for name in WORLDS for world in WORLDS[name]() for claim in world.truths} <= set(every_claim())
    assert {f"drawn-{name}" for name in WORLDS} <= set(PARTS)


@pytest.mark.parametrize("world", [called(world) for world in RULES])
def test_a_rule_is_seldom_wrong_and_not_always_silent(world):
    """A claim that nobody judged is an error, and so is one that is unknown."""
    shown, many = set(), world.runs[-1]
    for row in cells(replace(world, runs=sorted({few(world), many}), part=1), DRAWN, SETS, seed=1):
        shown.add(row.claim)
        assert row.wrong <= 2, row  # 3 of 10; at 5 % that is one case in 90
        if row.runs == many and not any(part in world.about for part in MISSED):
            assert row.missed < SETS, row
    assert shown == set(world.truths)


@pytest.mark.parametrize("name", [name for name in WORLDS if name != "cosines"])  # whose nulls are simulated first
def test_every_claim_of_a_drawn_truth_is_asked_at_its_fewest_runs(name):
    """Two sets of each, but of those whose fewest runs are asked above."""
    asked = {(*world.truths, world.about) for world in RULES if few(world) == world.runs[0]}
    for world in WORLDS[name]():
        if (*world.truths, world.about) not in asked or AGAIN in world.about:
            shown = {row.claim for row in cells(replace(world, runs=world.runs[:1], part=0), DRAWN, 2)}
            assert shown == set(world.truths)


def test_the_page_shows_what_the_bench_draws():
    """Every truth that is drawn has its figures, and no figures are left of one that is drawn no more."""
    counted = {(row["claim"], row["placebo"]) for row in page.placebo_cells() if row["noise"] == DRAWN}
    worlds = {(claim, world.about) for worlds in WORLDS.values() for world in worlds() for claim in world.truths}
    assert {pair for pair in counted if "proven below" not in pair[1]} == worlds
    assert page.DRAWN == DRAWN


def test_equal_spreads_of_loud_runs_are_seldom_called_wider():
    """In at most one set of twenty, whatever the number of runs."""
    world = drawn("bootstrap.varies-more", "equal", never("yes"), two_groups(1.0, 0.5, 60), (4, 8))
    for row in cells(world, DRAWN, 120):
        assert row.wrong <= 7, row


def test_a_verdict_that_is_not_given_counts_as_missed():
    claim, estimates = "instability.extrinsic-part", iter([0.5, None, -0.5, 0.0])

    def draw(runs, rng):
        value = next(estimates)
        return None if value is None else Estimate.of_runs(value, 0.1, runs)

    (row,) = cells(drawn(claim, "planted", should("yes", "no"), draw, (8,)), DRAWN, 4)
    assert (row.said, row.wrong, row.missed) == (2, 1, 3)
