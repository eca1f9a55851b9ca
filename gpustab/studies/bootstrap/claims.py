"""What Antoniak & Mimno (2018) find in §1, §7 and §8, and whether these runs show it.

*Yes* or *no* is said only where the 95 % interval over runs leaves no doubt, *no test* where these groups cannot tell
however many runs they had. ``benchmarks/bootstrap_verdicts.py`` counts how often the rules are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.tables import Distance, Number, Setting
from gpustab.studies.shared.claims import Claim, Margin, Observation, Verdict, above, all_of, within

ALIKE = Margin(math.log(1.25), "logarithm of the ratio of two spreads that are alike: a factor of 1.25")
FIRM_LISTS = Margin(0.5, "set Jaccard of two runs' lists: they share two of three words")
TOP_TWO_STAY = Margin(0.9, "set Jaccard of two runs' two nearest words, below which even they drop out")
SUFFICIENT = Margin(0.9, "share of ten words that the averages of two halves of the runs have in common")
AS_MANY = Margin(25, "runs of each half from which averages that differ speak against averaging: the paper has 50 runs")
FLAT = Margin(0.97, "mean cosine with the ten closest words above which a space does not tell near words apart")
BIAS_ALONE = Margin(0.1, "logarithm of what is left of figure 6's rise after its bias: a tenth")
FLAT_RULE = f"no test where the mean cosine with the closest words is above {FLAT}: near-ties are compared"
"""Stands for the rule of a finding on a group that is flat."""

K = TypeVar("K")


def alike(difference: Estimate) -> Verdict:
    """Tell whether two spreads are within a factor of 1.25, by the difference of their logarithms.

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


def is_flat(group: Setting) -> bool:
    """Tell whether the nearest words of a group all have nearly the query's own direction.

    Their order is then a matter of the third decimal, and SDs of cosines near 1 are small whatever the runs are.
    """
    return group.mean_value > FLAT


def factor(difference: Estimate) -> str:
    """Return a difference of logarithms as a factor with its interval."""
    low, high = difference.interval
    if math.isnan(difference.value):
        return "–"
    span = "no interval" if math.isnan(low) else f"{math.exp(low):.2f}–{math.exp(min(high, 700)):.2f}"
    return f"× {math.exp(difference.value):.2f} ({span})"


class Pair(NamedTuple):
    """Two groups that are compared."""

    first: Setting
    second: Setting

    def less(self, name: Number = "log_spread") -> Estimate:
        """Return a number of the first less that of the second; of logarithms it is that of the groups' ratio."""
        return self.first.estimate(name).minus(self.second.estimate(name))


class Ranked(NamedTuple):
    """Techniques within one setting: those that should vary less, and those that should vary more."""

    less: Sequence[Setting]
    more: Sequence[Setting]


def _varies_less(techniques: Ranked) -> Verdict:
    """Whether each varies less on its own scale than each of the others, and its lists agree more."""
    pairs = [Pair(a, b) for a in techniques.less for b in techniques.more]
    relative = [below(pair.less("relative"), 0.0) for pair in pairs]
    return all_of([*relative, *(above(pair.less("jn"), 0.0) for pair in pairs)])


def _only_bias(group: Setting) -> Verdict:
    """No if what is left of the rise after its bias surely is within a tenth, yes if it surely is not."""
    left = within(group.estimate("rise"), -math.inf, BIAS_ALONE)
    opposite: dict[Verdict, Verdict] = {"yes": "no", "no": "yes"}
    return opposite.get(left, left)


_RELATIVE = (
    "in its spread relative to that of the query's cosines over all words, and {lists} agree more, beyond the "
    "intervals: where all near words have one cosine its SD is small and says nothing"
)

SMALL = Claim[Setting](
    id="bootstrap.small-variation",
    says="Each technique has a small variation over fixed runs",
    source="§7",
    rule="two runs' lists of ten share at least two of three words (set Jaccard 0.5)",
    judge=lambda fixed: above(fixed.estimate("jn"), FIRM_LISTS),
)
ORDER = Claim[Pair | None](
    id="bootstrap.order-has-no-effect",
    says="The order of the documents has no effect on the variation",
    source="§7, §8",
    rule="the spreads of the cosines are within a factor of 1.25",
    judge=lambda x: "no test" if x is None else alike(x.less()),
)
WIDER = Claim[Pair](
    id="bootstrap.varies-more",
    says="Bootstrap runs vary more: which documents are there matters",
    source="§7, figure 1",
    rule="the spread of the cosines with the closest words grows, beyond its interval",
    judge=lambda x: above(x.less(), 0.0),
)
LOWER = Claim[Pair](
    id="bootstrap.lower-cosines",
    says="Bootstrap runs have lower mean cosines",
    source="§7, table 4",
    rule="the mean cosine with the closest words falls, beyond its interval",
    judge=lambda x: below(x.less("mean"), 0.0),
)
LEAST = Claim[Ranked](
    id="bootstrap.glove-and-lsa-least",
    says="GloVe and LSA vary least over fixed and shuffled runs",
    source="§7, figure 1",
    rule=f"each is below each of the others {_RELATIVE.replace('{lists}', 'its lists')}",
    judge=_varies_less,
)
MOST = Claim[Ranked](
    id="bootstrap.ppmi-most",
    says="PPMI varies most in all settings",
    source="§7, figure 1",
    rule=f"each other is below it {_RELATIVE.replace('{lists}', 'their lists')}",
    judge=_varies_less,
)
WEAKER = Claim[tuple[Estimate, Sequence[Estimate]]](
    id="bootstrap.weakest-for-ppmi",
    says="The effect of bootstrap is weakest for PPMI, whose fixed runs are closest to its bootstrap runs",
    source="§7, §8",
    rule="bootstrap / whole corpus is smaller than for each other technique, beyond the interval",
    judge=lambda x: all_of([below(x[0].minus(other), 0.0) for other in x[1]]),
)
JACCARD = Claim[Pair](
    id="bootstrap.lists-agree-less",
    says="Lists of the nearest words agree much less over bootstrap runs",
    source="§7, figure 2",
    rule="the set Jaccard of two and of ten words falls from {whole} to bootstrap, beyond its interval",
    judge=lambda x: all_of([below(x.less(name), 0.0) for name in ("j2", "jn")]),
)
PPMI_LISTS = Claim[Ranked](
    id="bootstrap.ppmi-lists-least",
    says="The lists of PPMI agree least",
    source="§7, figure 2",
    rule="below each of the others, beyond the interval",
    judge=lambda x: all_of([below(Pair(a, b).less("jn"), 0.0) for a in x.more for b in x.less]),
)
TOP_TWO = Claim[Setting](
    id="bootstrap.top-two-drop-out",
    says="Even very highly ranked words drop out of the list",
    source="§7, figure 2",
    rule=f"mean set Jaccard of the two nearest words is below {TOP_TWO_STAY}",
    judge=lambda x: below(x.estimate("j2"), TOP_TWO_STAY),
)
DISJOINT = Claim[Setting](
    id="bootstrap.disjoint-lists",
    says="Two bootstrap runs may have no word of ten in common",
    source="§1",
    rule="there is one; that there is none so far proves nothing",
    judge=lambda x: "yes" if x.disjoint > 0 else "undecided",
)
RANKS = Claim[Pair](
    id="bootstrap.ranks-change",
    says="Words change their rank under bootstrap",
    source="§7, figure 3",
    rule="mean |rank − median rank| of the closest words grows from {whole} to bootstrap, beyond its interval",
    judge=lambda x: above(x.less("rank_change"), 0.0),
)
SENTENCE = Claim[Pair](
    id="bootstrap.sentences-vary-less",
    says="Sentences as units vary less than whole documents",
    source="§7, figure 4",
    rule="the spread of the cosines is smaller, beyond its interval",
    judge=lambda x: below(x.less(), 0.0),
)
SIZE = Claim[Pair](
    id="bootstrap.small-varies-more",
    says="A smaller corpus varies more",
    source="§7, figure 5",
    rule=(
        "the spread in units of the query's cosines' SD over all words is larger, beyond its interval: raw SDs shrink "
        "where a space collapses. The part is the first documents, so that size and period differ together"
    ),
    judge=lambda x: above(x.less("relative"), 0.0),
)
STABILISES = Claim[Setting](
    id="bootstrap.stabilises",
    says="The variability rises with the number of runs and stabilises at about 25",
    source="§7, figure 6",
    rule=(
        "the mean SD rises from 2 runs to all by more than a tenth beyond the bias of the population SD; not if what "
        "is left of the rise is surely within a tenth"
    ),
    judge=_only_bias,
)


def _suffices(group: Setting) -> Verdict:
    """No test where the averages are of fewer runs than the paper's, and do not suffice: more of them may."""
    verdict = above(group.estimate("recurring"), SUFFICIENT)
    return verdict if verdict == "yes" or group.runs // 2 >= AS_MANY else "no test"


AVERAGE = Claim[Setting](
    id="bootstrap.averaging-suffices",
    says="Averaging over bootstrap runs is sufficient for stable results",
    source="§1",
    rule=(
        "averages of {half} runs each, of two halves, share at least nine of ten words; the interval is over the query "
        f"words; more runs would share more, so that below {AS_MANY:g} a half, half of the paper's 50, no *no* is said"
    ),
    judge=_suffices,
)
FINDINGS: tuple[Claim[Any], ...] = (
    SMALL, ORDER, WIDER, LOWER, LEAST, MOST, WEAKER, JACCARD, PPMI_LISTS, TOP_TWO, DISJOINT, RANKS, SENTENCE, SIZE,
    STABILISES, AVERAGE,
)  # fmt: skip
"""In the order of the page."""


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
        *(_of_units(Pair(sentence, document)) for document, sentence in _bootstrap_pairs(settings, "unit")),
        *(_of_parts(Pair(*parts)) for parts in _bootstrap_pairs(settings, "fraction")),
    ]
    order = {claim.says: k for k, claim in enumerate(FINDINGS)}
    return sorted(rows, key=lambda row: order[row.claim])


def _finding(claim: Claim[K], judged: K, groups: Sequence[Setting], shows: str, **names: object) -> Observation:
    """A finding on the first of the groups that are compared; there is no test where one of them is flat."""
    row = claim.observed(judged, groups[0].group, shows, **names)
    return row._replace(agrees="no test", rule=FLAT_RULE) if any(map(is_flat, groups)) else row


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
        shows = f"Jaccard {fixed.estimate('jn').text('.2f')}, SD {number(fixed.sd, 2)}"
        yield _finding(SMALL, fixed, [fixed], shows)
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
            f"; two runs of one setting lie {number(apart.within, 2)} apart in their cosines, "
            f"of both {number(apart.between, 2)}"
        )
    return _finding(ORDER, None if names in same else pair, pair, shows)


def _of_bootstrap(bootstrap: Setting, whole: Setting) -> Iterator[Observation]:
    name, pair = whole.sampling, Pair(bootstrap, whole)
    yield _finding(WIDER, pair, pair, f"bootstrap / {name} {factor(pair.less())}")
    mean = pair.less("mean")
    yield _finding(LOWER, pair, pair, f"{mean.text('.3f').replace('-', '−')} against {name}")
    shows = ", ".join(f"{of}: {_against(pair, j)}" for of, j in (("two", "j2"), ("ten", "jn")))  # type: ignore[arg-type]
    yield _finding(JACCARD, pair, pair, shows, whole=name)
    yield _finding(RANKS, pair, pair, _against(pair, "rank_change"), whole=name)


def _against(pair: Pair, name: Number) -> str:
    return " against ".join(group.estimate(name).text(".2f") for group in pair)


def _of_bootstrap_alone(group: Setting) -> Iterator[Observation]:
    shows = f"{group.disjoint:.1%} of query and pair of runs; {number(group.everywhere, 2)} words are in every list"
    yield _finding(DISJOINT, group, [group], shows)
    yield _finding(TOP_TWO, group, [group], f"Jaccard {group.estimate('j2').text('.2f')}")
    yield _finding(STABILISES, group, [group], f"beyond the bias {factor(group.estimate('rise'))}")
    back = group.estimate("recurring")
    yield _finding(AVERAGE, group, [group], f"share {back.text('.2f')}", half=group.runs // 2)


def _of_techniques(techniques: dict[str, Setting]) -> Iterator[Observation]:
    """Yield the findings that compare techniques within one setting; none of one alone."""
    stable = [techniques[name] for name in ("glove", "lsa") if name in techniques]
    others = [row for name, row in techniques.items() if name not in ("glove", "lsa")]
    sampling = next(iter(techniques.values())).sampling
    if stable and others and sampling in ("fixed", "shuffled"):
        yield _finding(LEAST, Ranked(stable, others), [*stable, *others], _spreads([*stable, *others]))
    if "ppmi_svd" in techniques and len(techniques) > 1:
        ppmi, less = techniques["ppmi_svd"], [row for name, row in techniques.items() if name != "ppmi_svd"]
        ranked, every = Ranked(less, [ppmi]), [ppmi, *less]
        yield _finding(MOST, ranked, every, _spreads(every))
        shows = ", ".join(f"{row.technique} {row.estimate('jn').text('.2f')}" for row in every)
        yield _finding(PPMI_LISTS, ranked, every, shows)


def _spreads(rows: Sequence[Setting]) -> str:
    return ", ".join(
        f"{row.technique} {number(row.relative, 2)} (SD {number(row.sd, 2)}, Jaccard {number(row.jn_value, 2)})"
        for row in rows
    )


def _ppmi_effects(settings: Sequence[Setting]) -> Iterator[Observation]:
    """What bootstrap does to PPMI-SVD and to the other techniques, by unit, fraction and part."""
    effects: dict[Any, dict[str, Estimate]] = {}
    for leaf in _by(settings, "sampling"):
        whole = leaf.get("fixed") or leaf.get("shuffled")
        if whole and "bootstrap" in leaf:
            place = (whole.unit, whole.fraction, whole.part)
            effects.setdefault(place, {})[whole.technique] = Pair(leaf["bootstrap"], whole).less()
    for own in effects.values():
        if "ppmi_svd" in own and len(own) > 1:
            others = [one for name, one in own.items() if name != "ppmi_svd"]
            shows = ", ".join(f"{name} {factor(one)}" for name, one in own.items())
            yield WEAKER.observed((own["ppmi_svd"], others), "ppmi_svd", shows)


def _bootstrap_pairs(settings: Sequence[Setting], field: str) -> Iterator[tuple[Setting, Setting]]:
    """Bootstrap groups that differ in one field alone, in the order of its values."""
    for rows in _by([row for row in settings if row.sampling == "bootstrap"], field):
        yield from combinations([rows[value] for value in sorted(rows)], 2)


def _of_units(pair: Pair) -> Observation:
    return _finding(SENTENCE, pair, pair, f"sentence / document {factor(pair.less())}")


def _of_parts(pair: Pair) -> Observation:
    shows = (
        f"{pair.first.fraction:.0%} / {pair.second.fraction:.0%} {factor(pair.less('relative'))}; of raw SDs "
        f"{factor(pair.less())}; Jaccard {_against(pair, 'jn')}"
    )
    return _finding(SIZE, pair, pair, shows)
