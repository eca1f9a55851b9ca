"""What Antoniak & Mimno (2018) find in §1, §7 and §8, and whether these runs show it.

Every rule has a margin and an error: *yes* or *no* only where the 95 % interval over runs leaves no doubt, *no test*
where these groups cannot tell however many runs they had. ``benchmarks/bootstrap_verdicts.py`` counts how often the
rules are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.tables import estimate
from gpustab.studies.shared.verdicts import Observation, Verdict, above, all_of, within

Row = dict[str, Any]

ALIKE = math.log(1.25)
"""Two spreads within a factor of 1.25 are alike."""
FIRM_LISTS = 0.5
"""Two lists with a set Jaccard of one half share two of three words."""
SUFFICIENT = 0.9
"""Averaged lists of which nine in ten words come back are stable."""
FLAT = 0.97
"""Mean cosine with the ten closest words above which a space does not tell near words apart."""
FLAT_RULE = f"no test where the mean cosine with the closest words is above {FLAT}: near-ties are compared"
"""Stands for the rule of a finding on a group that is flat."""
_BIAS_ALONE = 0.1
"""What is left of figure 6's rise after its bias counts from this logarithm on: a tenth."""


def ratio(first: Row, second: Row, name: str = "log_spread") -> Estimate:
    """Return the logarithm of the ratio of two groups' spreads."""
    return estimate(first, name).minus(estimate(second, name))


def alike(difference: Estimate) -> Verdict:
    """Tell whether two spreads are within a factor of 1.25.

    >>> alike(Estimate(0.0, 0.02, 9)), alike(Estimate(0.0, 0.2, 9)), alike(Estimate(0.6, 0.02, 9))
    ('yes', 'undecided', 'no')
    """
    return within(difference, -ALIKE, ALIKE)


def below(estimate: Estimate, bound: float) -> Verdict:
    """Tell whether a number lies below a bound.

    >>> below(Estimate(0.2, 0.1, 9), 0.5), below(Estimate(0.5, 0.1, 9), 0.5), below(Estimate(0.9, 0.1, 9), 0.5)
    ('yes', 'undecided', 'no')
    """
    return within(estimate, -math.inf, bound)


def claims(rows: Sequence[Row], same: Sequence[frozenset[str]], distances: Sequence[Row]) -> list[Observation]:
    """Return every finding that the groups can speak to, with its verdict.

    Args:
        rows: of the table of settings.
        same: pairs of groups that share runs bit for bit: comparing them tests nothing.
        distances: of the table of distances.
    """
    found: list[Observation] = []
    for one in _leaves(rows):
        found += _of_leaf(one, same, distances)
    for one in _settings(rows):
        found += _of_techniques(one)
    found += _ppmi_ratio(rows)
    found += _pairs_of(rows, "unit", _units)
    found += _pairs_of(rows, "fraction", _fractions)
    return sorted(found, key=lambda x: _ORDER.index(x.claim))


def is_flat(row: Row) -> bool:
    """Tell whether the nearest words of a group all have nearly the query's own direction.

    Their order is then a matter of the third decimal, and SDs of cosines near 1 are small whatever the runs are.
    """
    return bool(row["mean_value"] > FLAT)


def _leaves(rows: Sequence[Row]) -> list[dict[str, Row]]:
    """By technique, unit, fraction and part: the rows by sampling."""
    found: dict[Any, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(_but(row, "sampling"), {})[row["sampling"]] = row
    return list(found.values())


def _but(row: Row, name: str) -> tuple[Any, ...]:
    return tuple(row[field] for field in ("technique", "sampling", "unit", "fraction", "part") if field != name)


def _of_leaf(leaf: dict[str, Row], same: Sequence[frozenset[str]], distances: Sequence[Row]) -> Iterator[Observation]:
    fixed, shuffled, bootstrap = (leaf.get(name) for name in ("fixed", "shuffled", "bootstrap"))
    if fixed:
        jaccard = estimate(fixed, "jn")
        rule = "two runs' lists of ten share at least two of three words (set Jaccard 0.5)"
        yield _seen(
            _SMALL,
            [fixed],
            f"Jaccard {jaccard.text('.2f')}, SD {number(fixed['sd'], 2)}",
            above(jaccard, FIRM_LISTS),
            rule,
        )
    if fixed and shuffled:
        yield _order(fixed, shuffled, same, distances)
    whole = shuffled or fixed
    if bootstrap and whole:
        yield from _of_bootstrap(bootstrap, whole)
    if bootstrap:
        yield from _of_bootstrap_alone(bootstrap)


def _seen(claim: str, rows: Sequence[Row], shows: str, agrees: Verdict, rule: str) -> Observation:
    """Return a finding on the first of the groups that are compared; there is no test where one of them is flat."""
    if any(map(is_flat, rows)):
        agrees, rule = "no test", FLAT_RULE
    return Observation(_SOURCE[claim], claim, rows[0]["group"], shows, agrees, rule)


def _order(fixed: Row, shuffled: Row, same: Sequence[frozenset[str]], distances: Sequence[Row]) -> Observation:
    difference = ratio(shuffled, fixed)
    pair = frozenset((fixed["group"], shuffled["group"]))
    apart = next((row for row in distances if frozenset((row["first"], row["second"])) == pair), None)
    verdict: Verdict = "no test" if pair in same else alike(difference)
    shows = f"shuffled / fixed {_factor(difference)}"
    if apart:
        shows += (
            f"; but two runs of one setting lie {number(apart['within'], 2)} apart in their cosines, "
            f"of both {number(apart['between'], 2)}"
        )
    return _seen(
        _ORDER_CLAIM, [shuffled, fixed], shows, verdict, "the spreads of the cosines are within a factor of 1.25"
    )


def _of_bootstrap(bootstrap: Row, whole: Row) -> Iterator[Observation]:
    name = whole["sampling"]
    wider = ratio(bootstrap, whole)
    rule = "the spread of the cosines with the closest words grows, beyond its interval"
    yield _seen(_WIDER, [bootstrap, whole], f"bootstrap / {name} {_factor(wider)}", above(wider, 0.0), rule)
    mean = estimate(bootstrap, "mean").minus(estimate(whole, "mean"))
    rule = "the mean cosine with the closest words falls, beyond its interval"
    yield _seen(
        _LOWER, [bootstrap, whole], f"{mean.text('.3f').replace('-', '−')} against {name}", below(mean, 0.0), rule
    )
    fewer = [estimate(bootstrap, j).minus(estimate(whole, j)) for j in ("j2", "jn")]
    shows = ", ".join(
        f"{of}: {estimate(bootstrap, j).text('.2f')} against {estimate(whole, j).text('.2f')}"
        for of, j in (("two", "j2"), ("ten", "jn"))
    )
    rule = f"the set Jaccard of two and of ten words falls from {name} to bootstrap, beyond its interval"
    yield _seen(_JACCARD, [bootstrap, whole], shows, all_of([below(one, 0.0) for one in fewer]), rule)
    change = estimate(bootstrap, "rank_change").minus(estimate(whole, "rank_change"))
    shows = " against ".join(f"{estimate(row, 'rank_change').text('.2f')}" for row in (bootstrap, whole))
    rule = f"mean |rank − median rank| of the closest words grows from {name} to bootstrap, beyond its interval"
    yield _seen(_RANKS, [bootstrap, whole], shows, above(change, 0.0), rule)


def _of_bootstrap_alone(row: Row) -> Iterator[Observation]:
    shows = f"{row['disjoint']:.1%} of query and pair of runs; {number(row['everywhere'], 2)} words are in every list"
    empty: Verdict = "yes" if row["disjoint"] > 0 else "undecided"
    yield _seen(_DISJOINT, [row], shows, empty, "there is one; that there is none so far proves nothing")
    two = estimate(row, "j2")
    rule = "mean set Jaccard of the two nearest words is below 0.9"
    yield _seen(_TOP_TWO, [row], f"Jaccard {two.text('.2f')}", below(two, 0.9), rule)
    rise = estimate(row, "rise")
    rule = (
        "the mean SD rises from 2 runs to all by more than a tenth beyond the bias of the population SD; not if what "
        "is left of the rise is surely within a tenth"
    )
    left = within(rise, -math.inf, _BIAS_ALONE)
    yield _seen(STABILISES, [row], f"beyond the bias {_factor(rise)}", _opposite(left), rule)
    back = estimate(row, "recurring")
    rule = (
        f"averages of {row['runs'] // 2} runs each, of two halves, share at least nine of ten words; more runs would "
        "share more, and interval is over the query words"
    )
    yield _seen(_AVERAGE, [row], f"share {back.text('.2f')}", above(back, SUFFICIENT), rule)


def _opposite(verdict: Verdict) -> Verdict:
    return {"yes": "no", "no": "yes"}.get(verdict, verdict)  # type: ignore[return-value]


def _settings(rows: Sequence[Row]) -> list[dict[str, Row]]:
    """By sampling, unit, fraction and part: the rows by technique, where there are several."""
    found: dict[Any, dict[str, Row]] = {}
    for row in rows:
        if row["sampling"]:
            found.setdefault(_but(row, "technique"), {})[row["technique"]] = row
    return [own for own in found.values() if len(own) > 1]


def _of_techniques(own: dict[str, Row]) -> Iterator[Observation]:
    stable = [own[name] for name in ("glove", "lsa") if name in own]
    others = [row for name, row in own.items() if name not in ("glove", "lsa")]
    rule = (
        "each is below each of the others in its spread relative to that of the query's cosines over all words, and "
        "its lists agree more, beyond the intervals: where all near words have one cosine its SD is small and says "
        "nothing"
    )
    sampling = next(iter(own.values()))["sampling"]
    if stable and others and sampling in ("fixed", "shuffled"):
        verdict = all_of([less for a in stable for b in others for less in _varies_less(a, b)])
        yield _seen(_LEAST, [*stable, *others], _spreads([*stable, *others]), verdict, rule)
    if "ppmi_svd" in own:
        ppmi, rest = own["ppmi_svd"], [row for name, row in own.items() if name != "ppmi_svd"]
        verdict = all_of([less for b in rest for less in _varies_less(b, ppmi)])
        rule = rule.replace("each is below each of the others", "each other is below it").replace(
            "its lists", "their lists"
        )
        yield _seen(_MOST, [ppmi, *rest], _spreads([ppmi, *rest]), verdict, rule)
        lower = [below(estimate(ppmi, "jn").minus(estimate(b, "jn")), 0.0) for b in rest]
        shows = ", ".join(f"{row['technique']} {estimate(row, 'jn').text('.2f')}" for row in (ppmi, *rest))
        yield _seen(_PPMI_LISTS, [ppmi, *rest], shows, all_of(lower), "below each of the others, beyond the interval")


def _varies_less(first: Row, second: Row) -> tuple[Verdict, Verdict]:
    """Whether the cosines of the first group vary less on their own scale, and whether its lists agree more."""
    lists = estimate(first, "jn").minus(estimate(second, "jn"))
    return below(ratio(first, second, "relative"), 0.0), above(lists, 0.0)


def _spreads(rows: Sequence[Row]) -> str:
    return ", ".join(
        f"{row['technique']} {number(row['relative'], 2)} (SD {number(row['sd'], 2)}, "
        f"Jaccard {number(row['jn_value'], 2)})"
        for row in rows
    )


def _ppmi_ratio(rows: Sequence[Row]) -> Iterator[Observation]:
    """The effect of bootstrap is weaker for PPMI: its fixed runs are closest to its bootstrap runs."""
    found: dict[Any, dict[str, Estimate]] = {}
    for leaf in _leaves(rows):
        whole = leaf.get("fixed") or leaf.get("shuffled")
        if whole and "bootstrap" in leaf:
            place = (whole["unit"], whole["fraction"], whole["part"])
            found.setdefault(place, {})[whole["technique"]] = ratio(leaf["bootstrap"], whole)
    for own in found.values():
        if "ppmi_svd" in own and len(own) > 1:
            rest = [one for name, one in own.items() if name != "ppmi_svd"]
            verdict = all_of([below(own["ppmi_svd"].minus(one), 0.0) for one in rest])
            shows = ", ".join(f"{name} {_factor(one)}" for name, one in own.items())
            rule = "bootstrap / whole corpus is smaller than for each other technique, beyond the interval"
            yield Observation(_SOURCE[_WEAKER], _WEAKER, "ppmi_svd", shows, verdict, rule)


def _pairs_of(rows: Sequence[Row], name: str, judge: Callable[[Row, Row], Observation]) -> Iterator[Observation]:
    """Bootstrap groups that differ in one field alone."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        if row["sampling"] == "bootstrap":
            found.setdefault(_but(row, name), []).append(row)
    for own in found.values():
        for first, second in combinations(sorted(own, key=lambda row: row[name]), 2):
            yield judge(first, second)


def _units(document: Row, sentence: Row) -> Observation:
    difference = ratio(sentence, document)
    rule = "the spread of the cosines is smaller, beyond its interval"
    return _seen(
        _SENTENCE, [sentence, document], f"sentence / document {_factor(difference)}", below(difference, 0.0), rule
    )


def _fractions(small: Row, large: Row) -> Observation:
    difference, raw = ratio(small, large, "relative"), ratio(small, large)
    shows = (
        f"{small['fraction']:.0%} / {large['fraction']:.0%} {_factor(difference)}; of raw SDs {_factor(raw)}; Jaccard "
        f"{estimate(small, 'jn').text('.2f')} against {estimate(large, 'jn').text('.2f')}"
    )
    rule = (
        "the spread in units of the query's cosines' SD over all words is larger, beyond its interval: raw SDs shrink "
        "where a space collapses. The part is the first documents, so that size and period differ together"
    )
    return _seen(_SIZE, [small, large], shows, above(difference, 0.0), rule)


def _factor(difference: Estimate) -> str:
    low, high = difference.interval
    if math.isnan(difference.value):
        return "–"
    span = "no interval" if math.isnan(low) else f"{math.exp(low):.2f}–{math.exp(min(high, 700)):.2f}"
    return f"× {math.exp(difference.value):.2f} ({span})"


_SMALL = "Each technique has a small variation over fixed runs"
_ORDER_CLAIM = "The order of the documents has no effect on the variation"
_WIDER = "Bootstrap runs vary more: which documents are there matters"
_LOWER = "Bootstrap runs have lower mean cosines"
_LEAST = "GloVe and LSA vary least over fixed and shuffled runs"
_MOST = "PPMI varies most in all settings"
_WEAKER = "The effect of bootstrap is weakest for PPMI, whose fixed runs are closest to its bootstrap runs"
_JACCARD = "Lists of the nearest words agree much less over bootstrap runs"
_PPMI_LISTS = "The lists of PPMI agree least"
_TOP_TWO = "Even very highly ranked words drop out of the list"
_DISJOINT = "Two bootstrap runs may have no word of ten in common"
_RANKS = "Words change their rank under bootstrap"
_SENTENCE = "Sentences as units vary less than whole documents"
_SIZE = "A smaller corpus varies more"
STABILISES = "The variability rises with the number of runs and stabilises at about 25"
_AVERAGE = "Averaging over bootstrap runs is sufficient for stable results"

_SOURCE = {
    _SMALL: "§7",
    _ORDER_CLAIM: "§7, §8",
    _WIDER: "§7, figure 1",
    _LOWER: "§7, table 4",
    _LEAST: "§7, figure 1",
    _MOST: "§7, figure 1",
    _WEAKER: "§7, §8",
    _JACCARD: "§7, figure 2",
    _PPMI_LISTS: "§7, figure 2",
    _TOP_TWO: "§7, figure 2",
    _DISJOINT: "§1",
    _RANKS: "§7, figure 3",
    _SENTENCE: "§7, figure 4",
    _SIZE: "§7, figure 5",
    STABILISES: "§7, figure 6",
    _AVERAGE: "§1",
}
_ORDER = list(_SOURCE)
