"""What Antoniak & Mimno (2018) find in §1, §7 and §8, and whether these runs show it.

Every rule has a margin and an error: *yes* or *no* only where the 95 % interval over runs leaves no doubt, *no test*
where these groups cannot tell however many runs they had. ``benchmarks/bootstrap_verdicts.py`` counts how often the
rules are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gpustab.results.page import number
from gpustab.studies.bootstrap import across, rules
from gpustab.studies.bootstrap.rules import Row, alike, below, factor, leaves, ratio, seen
from gpustab.studies.bootstrap.tables import estimate
from gpustab.studies.shared.claims import Observation, Verdict, above, all_of, within


def claims(rows: Sequence[Row], same: Sequence[frozenset[str]], distances: Sequence[Row]) -> list[Observation]:
    """Return every finding that the groups can speak to, with its verdict.

    Args:
        rows: of the table of settings.
        same: pairs of groups that share runs bit for bit: comparing them tests nothing.
        distances: of the table of distances.
    """
    found: list[Observation] = []
    for one in leaves(rows):
        found += _of_leaf(one, same, distances)
    for one in across.by_setting(rows):
        found += across.of_techniques(one)
    found += across.ppmi_ratio(rows)
    found += across.pairs_of(rows, "unit", across.units)
    found += across.pairs_of(rows, "fraction", across.fractions)
    return sorted(found, key=lambda x: rules.ORDERED.index(x.claim))


def _of_leaf(leaf: dict[str, Row], same: Sequence[frozenset[str]], distances: Sequence[Row]) -> Iterator[Observation]:
    fixed, shuffled, bootstrap = (leaf.get(name) for name in ("fixed", "shuffled", "bootstrap"))
    if fixed:
        jaccard = estimate(fixed, "jn")
        rule = "two runs' lists of ten share at least two of three words (set Jaccard 0.5)"
        yield seen(
            rules.SMALL,
            [fixed],
            f"Jaccard {jaccard.text('.2f')}, SD {number(fixed['sd'], 2)}",
            above(jaccard, rules.FIRM_LISTS),
            rule,
        )
    if fixed and shuffled:
        yield _order(fixed, shuffled, same, distances)
    whole = shuffled or fixed
    if bootstrap and whole:
        yield from _of_bootstrap(bootstrap, whole)
    if bootstrap:
        yield from _of_bootstrap_alone(bootstrap)


def _order(fixed: Row, shuffled: Row, same: Sequence[frozenset[str]], distances: Sequence[Row]) -> Observation:
    difference = ratio(shuffled, fixed)
    pair = frozenset((fixed["group"], shuffled["group"]))
    apart = next((row for row in distances if frozenset((row["first"], row["second"])) == pair), None)
    verdict: Verdict = "no test" if pair in same else alike(difference)
    shows = f"shuffled / fixed {factor(difference)}"
    if apart:
        shows += (
            f"; two runs of one setting lie {number(apart['within'], 2)} apart in their cosines, "
            f"of both {number(apart['between'], 2)}"
        )
    return seen(
        rules.ORDER_CLAIM, [shuffled, fixed], shows, verdict, "the spreads of the cosines are within a factor of 1.25"
    )


def _of_bootstrap(bootstrap: Row, whole: Row) -> Iterator[Observation]:
    name = whole["sampling"]
    wider = ratio(bootstrap, whole)
    rule = "the spread of the cosines with the closest words grows, beyond its interval"
    yield seen(rules.WIDER, [bootstrap, whole], f"bootstrap / {name} {factor(wider)}", above(wider, 0.0), rule)
    mean = estimate(bootstrap, "mean").minus(estimate(whole, "mean"))
    rule = "the mean cosine with the closest words falls, beyond its interval"
    yield seen(
        rules.LOWER, [bootstrap, whole], f"{mean.text('.3f').replace('-', '−')} against {name}", below(mean, 0.0), rule
    )
    fewer = [estimate(bootstrap, j).minus(estimate(whole, j)) for j in ("j2", "jn")]
    shows = ", ".join(
        f"{of}: {estimate(bootstrap, j).text('.2f')} against {estimate(whole, j).text('.2f')}"
        for of, j in (("two", "j2"), ("ten", "jn"))
    )
    rule = f"the set Jaccard of two and of ten words falls from {name} to bootstrap, beyond its interval"
    yield seen(rules.JACCARD, [bootstrap, whole], shows, all_of([below(one, 0.0) for one in fewer]), rule)
    change = estimate(bootstrap, "rank_change").minus(estimate(whole, "rank_change"))
    shows = " against ".join(f"{estimate(row, 'rank_change').text('.2f')}" for row in (bootstrap, whole))
    rule = f"mean |rank − median rank| of the closest words grows from {name} to bootstrap, beyond its interval"
    yield seen(rules.RANKS, [bootstrap, whole], shows, above(change, 0.0), rule)


def _of_bootstrap_alone(row: Row) -> Iterator[Observation]:
    shows = f"{row['disjoint']:.1%} of query and pair of runs; {number(row['everywhere'], 2)} words are in every list"
    empty: Verdict = "yes" if row["disjoint"] > 0 else "undecided"
    yield seen(rules.DISJOINT, [row], shows, empty, "there is one; that there is none so far proves nothing")
    two = estimate(row, "j2")
    rule = "mean set Jaccard of the two nearest words is below 0.9"
    yield seen(rules.TOP_TWO, [row], f"Jaccard {two.text('.2f')}", below(two, 0.9), rule)
    rise = estimate(row, "rise")
    rule = (
        "the mean SD rises from 2 runs to all by more than a tenth beyond the bias of the population SD; not if what "
        "is left of the rise is surely within a tenth"
    )
    left = within(rise, -math.inf, rules.BIAS_ALONE)
    yield seen(rules.STABILISES, [row], f"beyond the bias {factor(rise)}", _opposite(left), rule)
    back = estimate(row, "recurring")
    rule = (
        f"averages of {row['runs'] // 2} runs each, of two halves, share at least nine of ten words; more runs would "
        "share more, and interval is over the query words"
    )
    yield seen(rules.AVERAGE, [row], f"share {back.text('.2f')}", above(back, rules.SUFFICIENT), rule)


def _opposite(verdict: Verdict) -> Verdict:
    return {"yes": "no", "no": "yes"}.get(verdict, verdict)  # type: ignore[return-value]
