"""Findings on several techniques, units and sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap import rules
from gpustab.studies.bootstrap.rules import Row, all_but, below, factor, leaves, ratio, seen
from gpustab.studies.bootstrap.tables import estimate
from gpustab.studies.shared.claims import Observation, Verdict, above, all_of


def by_setting(rows: Sequence[Row]) -> list[dict[str, Row]]:
    """By sampling, unit, fraction and part: the rows by technique, where there are several."""
    found: dict[Any, dict[str, Row]] = {}
    for row in rows:
        if row["sampling"]:
            found.setdefault(all_but(row, "technique"), {})[row["technique"]] = row
    return [own for own in found.values() if len(own) > 1]


def of_techniques(own: dict[str, Row]) -> Iterator[Observation]:
    """Yield the findings that compare techniques within one setting."""
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
        yield seen(rules.LEAST, [*stable, *others], _spreads([*stable, *others]), verdict, rule)
    if "ppmi_svd" in own:
        ppmi, rest = own["ppmi_svd"], [row for name, row in own.items() if name != "ppmi_svd"]
        verdict = all_of([less for b in rest for less in _varies_less(b, ppmi)])
        rule = rule.replace("each is below each of the others", "each other is below it").replace(
            "its lists", "their lists"
        )
        yield seen(rules.MOST, [ppmi, *rest], _spreads([ppmi, *rest]), verdict, rule)
        lower = [below(estimate(ppmi, "jn").minus(estimate(b, "jn")), 0.0) for b in rest]
        shows = ", ".join(f"{row['technique']} {estimate(row, 'jn').text('.2f')}" for row in (ppmi, *rest))
        yield seen(
            rules.PPMI_LISTS, [ppmi, *rest], shows, all_of(lower), "below each of the others, beyond the interval"
        )


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


def ppmi_ratio(rows: Sequence[Row]) -> Iterator[Observation]:
    """The effect of bootstrap is weaker for PPMI: its fixed runs are closest to its bootstrap runs."""
    found: dict[Any, dict[str, Estimate]] = {}
    for leaf in leaves(rows):
        whole = leaf.get("fixed") or leaf.get("shuffled")
        if whole and "bootstrap" in leaf:
            place = (whole["unit"], whole["fraction"], whole["part"])
            found.setdefault(place, {})[whole["technique"]] = ratio(leaf["bootstrap"], whole)
    for own in found.values():
        if "ppmi_svd" in own and len(own) > 1:
            rest = [one for name, one in own.items() if name != "ppmi_svd"]
            verdict = all_of([below(own["ppmi_svd"].minus(one), 0.0) for one in rest])
            shows = ", ".join(f"{name} {factor(one)}" for name, one in own.items())
            rule = "bootstrap / whole corpus is smaller than for each other technique, beyond the interval"
            yield Observation(rules.SOURCE[rules.WEAKER], rules.WEAKER, "ppmi_svd", shows, verdict, rule)


def pairs_of(rows: Sequence[Row], name: str, judge: Callable[[Row, Row], Observation]) -> Iterator[Observation]:
    """Bootstrap groups that differ in one field alone."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        if row["sampling"] == "bootstrap":
            found.setdefault(all_but(row, name), []).append(row)
    for own in found.values():
        for first, second in combinations(sorted(own, key=lambda row: row[name]), 2):
            yield judge(first, second)


def units(document: Row, sentence: Row) -> Observation:
    """Return whether sentences as units vary less than documents (figure 4)."""
    difference = ratio(sentence, document)
    rule = "the spread of the cosines is smaller, beyond its interval"
    return seen(
        rules.SENTENCE, [sentence, document], f"sentence / document {factor(difference)}", below(difference, 0.0), rule
    )


def fractions(small: Row, large: Row) -> Observation:
    """Return whether a part of the corpus varies more than all of it (figure 5)."""
    difference, raw = ratio(small, large, "relative"), ratio(small, large)
    shows = (
        f"{small['fraction']:.0%} / {large['fraction']:.0%} {factor(difference)}; of raw SDs {factor(raw)}; Jaccard "
        f"{estimate(small, 'jn').text('.2f')} against {estimate(large, 'jn').text('.2f')}"
    )
    rule = (
        "the spread in units of the query's cosines' SD over all words is larger, beyond its interval: raw SDs shrink "
        "where a space collapses. The part is the first documents, so that size and period differ together"
    )
    return seen(rules.SIZE, [small, large], shows, above(difference, 0.0), rule)
