"""Which of the paper's findings the groups can speak to, with what they show and the verdict."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, TypeVar, get_args

from gpustab.results.page import number, percent, with_half
from gpustab.runs.key import WHOLE, Unit
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap import claims
from gpustab.studies.bootstrap.claims import Pair, Ranked, factor, is_flat
from gpustab.studies.bootstrap.tables import Distance, Number, Setting
from gpustab.studies.shared.claims import Claim, Observation
from gpustab.studies.shared.wording import number_span, share_with_error, technique, with_error

K = TypeVar("K")


def findings(
    settings: Sequence[Setting], same: Collection[frozenset[str]], distances: Sequence[Distance]
) -> list[Observation]:
    """Return every finding that the groups can speak to, with its verdict.

    Args:
        settings: one row a group.
        same: pairs of groups that share runs bit for bit: comparing them tests nothing.
        distances: between settings.
    """
    rows = [
        *(row for leaf in _by(settings, "sampling") for row in _of_leaf(leaf, same, distances)),
        *(row for own in _by([row for row in settings if row.sampling], "technique") for row in _of_techniques(own)),
        *_ppmi_effects(settings),
        *_of_units(settings),
        *(_of_parts(Pair(*parts)) for parts in _bootstrap_pairs(settings, "fraction")),
    ]
    order = {claim.says: k for k, claim in enumerate(claims.FINDINGS)}
    return sorted(rows, key=lambda row: order[row.claim])


def _finding(claim: Claim[K], judged: K, groups: Sequence[Setting], shows: str, **names: object) -> Observation:
    """A finding on the first of the groups that are compared; no test where one is flat, unfit, or two runs."""
    reasons = {
        claims.FLAT_RULE: any(map(is_flat, groups)),
        claims.UNFIT_RULE: any(row.unfit for row in groups),
        claims.TWO_RULE: any(row.runs < 3 for row in groups),
    }
    if why := [rule for rule, holds in reasons.items() if holds]:
        return claim.open(shows)._replace(technique=groups[0].group, rule=why[0])
    return claim.observed(judged, groups[0].group, shows, **names)


def _by(settings: Iterable[Setting], field: str) -> list[dict[Any, Setting]]:
    """Groups that differ in one field alone, by that field, in the order in which they first come."""
    gathered: dict[tuple[object, ...], dict[Any, Setting]] = {}
    for row in settings:
        gathered.setdefault(row.but(field), {})[getattr(row, field)] = row
    return list(gathered.values())


def _of_leaf(
    leaf: dict[str, Setting], same: Collection[frozenset[str]], distances: Sequence[Distance]
) -> Iterator[Observation]:
    fixed, shuffled, bootstrap = (leaf.get(name) for name in ("fixed", "shuffled", "bootstrap"))
    if fixed:
        shows = f"Jaccard {share_with_error(fixed.estimate('jn'))}, SD {number(fixed.sd, 2)}"
        yield _finding(claims.SMALL, fixed, [fixed], shows)
        low, high = (math.exp(min(end, 700)) for end in fixed.estimate("log_spread").interval)
        shows = f"spread {number(fixed.spread, 2)} ({number_span(low, high, 3)}), mean SD {number(fixed.sd, 2)}"
        yield _finding(claims.SMALL_BY_SD, fixed, [fixed], shows)
    if fixed and shuffled:
        yield _of_order(shuffled, fixed, same, distances)
    whole = shuffled or fixed
    if bootstrap and whole:
        yield from _of_bootstrap(bootstrap, whole)
    if bootstrap:
        yield from _of_bootstrap_alone(bootstrap)


def _of_order(
    shuffled: Setting, fixed: Setting, same: Collection[frozenset[str]], distances: Sequence[Distance]
) -> Observation:
    pair, names = Pair(shuffled, fixed), frozenset((fixed.group, shuffled.group))
    shows = f"shuffled / fixed {factor(pair.less())}"
    apart = next((row for row in distances if frozenset((row.first, row.second)) == names), None)
    if apart:
        shows += (
            f"; the cosines of two runs of one setting lie {number(apart.within, 2)} apart, those of a run of each "
            f"{number(apart.between, 2)}"
        )
    return _finding(claims.ORDER, None if names in same else pair, pair, shows)


def _of_bootstrap(bootstrap: Setting, whole: Setting) -> Iterator[Observation]:
    name, pair = whole.sampling, Pair(bootstrap, whole)
    yield _finding(claims.WIDER, pair, pair, f"bootstrap / {name} {factor(pair.less())}")
    shows = f"mean cosine {_against(pair, 'mean')} in {name} runs"
    yield _finding(claims.LOWER, pair, pair, shows)
    both = (("two words", "j2"), ("ten", "jn"))
    shows = ", ".join(f"Jaccard of {of} {_against(pair, j)}" for of, j in both)  # type: ignore[arg-type]
    yield _finding(claims.JACCARD, pair, pair, shows, whole=name)
    yield _finding(claims.RANKS, pair, pair, f"{_against(pair, 'rank_change')} ranks", whole=name)


def _against(pair: Pair, name: Number) -> str:
    written = share_with_error if name in ("j2", "jn") else _not_negative if name == "rank_change" else with_error
    return " against ".join(written(group.estimate(name)) for group in pair)


def _not_negative(estimate: Estimate) -> str:
    return with_half(estimate.value, estimate.half, 0.0)


def _of_bootstrap_alone(group: Setting) -> Iterator[Observation]:
    shows = f"{percent(group.disjoint, 1)} of the pairs of lists; {number(group.everywhere, 2)} words are in every list"
    yield _finding(claims.DISJOINT, group, [group], shows)
    yield _finding(claims.TOP_TWO, group, [group], f"Jaccard {share_with_error(group.estimate('j2'))}")
    few = (
        f"{group.runs} runs of the {claims.PLATEAU:g} or more that this takes; " if group.runs < claims.PLATEAU else ""
    )
    yield _finding(claims.STABILISES, group, [group], f"{few}rise beyond the bias {factor(group.estimate('rise'))}")
    few = f"averages of {group.runs // 2} runs; " if group.runs // 2 < claims.AS_MANY else ""
    shows = f"{few}shared part {share_with_error(group.estimate('recurring'))}"
    yield _finding(claims.AVERAGE, group, [group], shows, half=group.runs // 2)


def _of_techniques(techniques: dict[str, Setting]) -> Iterator[Observation]:
    """Yield the findings that compare techniques within one setting; none of one alone."""
    stable = [techniques[name] for name in ("glove", "lsa") if name in techniques]
    others = [row for name, row in techniques.items() if name not in ("glove", "lsa")]
    sampling = next(iter(techniques.values())).sampling
    if stable and others and sampling in WHOLE:
        yield _finding(claims.LEAST, Ranked(stable, others), [*stable, *others], _spreads([*stable, *others]))
    if "ppmi_svd" in techniques and len(techniques) > 1:
        ppmi, less = techniques["ppmi_svd"], [row for name, row in techniques.items() if name != "ppmi_svd"]
        ranked, every = Ranked(less, [ppmi]), [ppmi, *less]
        yield _finding(claims.MOST, ranked, every, _spreads(every))
        shows = ", ".join(f"{technique(row.technique)} {share_with_error(row.estimate('jn'))}" for row in every)
        yield _finding(claims.PPMI_LISTS, ranked, every, shows)


def _spreads(rows: Sequence[Setting]) -> str:
    return ", ".join(
        f"{technique(row.technique)} {number(row.relative, 2)} "
        f"(SD {number(row.sd, 2)}, Jaccard {number(row.jn_value, 2)})"
        for row in rows
    )


def _ppmi_effects(settings: Sequence[Setting]) -> Iterator[Observation]:
    """What bootstrap does to PPMI-SVD and to the other techniques, by unit, fraction and part."""
    effects: dict[Any, dict[str, Pair]] = {}
    for leaf in _by(settings, "sampling"):
        whole = leaf.get("fixed") or leaf.get("shuffled")
        if whole and "bootstrap" in leaf and not (whole.unfit or leaf["bootstrap"].unfit):
            place = (whole.unit, whole.fraction, whole.part)
            effects.setdefault(place, {})[whole.technique] = Pair(leaf["bootstrap"], whole)
    for own in effects.values():
        if "ppmi_svd" in own and len(own) > 1:
            others = [pair for name, pair in own.items() if name != "ppmi_svd"]
            shows = ", ".join(f"{technique(name)} {factor(pair.less())}" for name, pair in own.items())
            yield claims.WEAKER.observed((own["ppmi_svd"], others), "ppmi_svd", shows)


def _bootstrap_pairs(settings: Sequence[Setting], field: str) -> Iterator[tuple[Setting, Setting]]:
    """Bootstrap groups that differ in one field alone, in the order of its values."""
    for rows in _by([row for row in settings if row.sampling == "bootstrap"], field):
        yield from combinations([rows[value] for value in sorted(rows)], 2)


def _of_units(settings: Sequence[Setting]) -> Iterator[Observation]:
    for document, sentence in _bootstrap_pairs([row for row in settings if row.unit in get_args(Unit)], "unit"):
        pair = Pair(sentence, document)
        yield _finding(claims.SENTENCE, pair, pair, f"sentence / document {factor(pair.less())}")


def _of_parts(pair: Pair) -> Observation:
    shows = (
        f"{percent(pair.first.fraction)} / {percent(pair.second.fraction)} {factor(pair.less('relative'))}; raw SDs "
        f"{factor(pair.less())}; Jaccard {_against(pair, 'jn')}"
    )
    return _finding(claims.SIZE, pair, pair, shows)
