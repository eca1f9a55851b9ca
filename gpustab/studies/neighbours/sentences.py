"""Which neighbours hold: a verdict for each by a rule with a margin and an error, and the sentence on the word."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpustab.statistics.shares import wilson
from gpustab.studies.shared.wording import word as in_words

FIRM, PASSING, OPEN = "firm", "passing", "open"
LEAST_RUNS = 5
"""Fewer runs judge no neighbour: at 4 *firm* is right in 0.81 to 0.88 of the cases, at 5 in 0.95, at 10 in 0.99."""
_OFTEN, _SELDOM = 0.8, 0.2
RULE = (
    "Firm: in the list of at least 80 % of the runs, ahead of the next word with probability 0.8 by its cosines, and "
    "the 95 % interval of its share lies above one half. Passing: the interval lies below one half, or share and "
    "probability are at most 20 %. Open: neither can be told from so many runs."
)


def verdict(hits: int, runs: int, margin: float) -> str:
    """Return whether a word is a neighbour in most runs: firm, passing, or open.

    Args:
        hits: runs that have the word among the nearest.
        runs: runs that have the word.
        margin: probability ``Φ(m̄ / s)`` that it is nearer than the first word outside the list.

    >>> verdict(9, 10, 0.95), verdict(1, 10, 0.1), verdict(5, 10, 0.5), verdict(4, 4, 1.0)
    ('firm', 'passing', 'open', 'open')
    """
    if runs < LEAST_RUNS:
        return OPEN
    (low, high), share = wilson(hits, runs), hits / runs
    if share >= _OFTEN and margin >= _OFTEN and low >= 0.5:
        return FIRM
    if high < 0.5 or (share <= _SELDOM and margin <= _SELDOM):
        return PASSING
    return OPEN


def margin(mean: float, sd: float) -> float:
    """Return the probability that a word is nearer than the first one outside the list, from R margins.

    >>> round(margin(0.02, 0.02), 3), margin(0.01, 0.0), margin(-0.01, 0.0)
    (0.841, 1.0, 0.0)
    """
    if math.isnan(mean) or math.isnan(sd) or sd == 0:
        return math.nan if math.isnan(mean) or math.isnan(sd) else float(mean > 0)
    return 0.5 * math.erfc(-mean / sd / math.sqrt(2))


def of_word(query: str, n: int, listed: Sequence[tuple[int, int, str]], runs: int, kind: str) -> str:
    """Return the sentence on a word: how many of its nearest neighbours are firm, and what that means.

    Args:
        query: the word.
        n: how many are listed.
        listed: of each, in how many runs it is a neighbour, of how many that have it, and its verdict.
        runs: runs that judge.
        kind: what these are, ``"bootstrap runs"`` or ``"runs"``.
    """
    nearest = f"Of the {in_words(n)} nearest words of {query}"
    if runs < LEAST_RUNS:
        return f"{nearest} none can be judged by {runs} {kind}; five are needed, better ten."
    firm = [(hits, of) for hits, of, found in listed if found == FIRM]
    passing = sum(found == PASSING for *_, found in listed)
    rest = f"{in_words(passing)} passing, {in_words(len(listed) - len(firm) - passing)} open"
    if len(listed) < n:
        rest += f", {in_words(n - len(listed))} not in these runs"
    if not firm:
        return f"{nearest} none is firm in these {runs} {kind}; {rest}."
    hits, of = min(firm, key=lambda x: x[0] / x[1])
    low, high = wilson(hits, of)
    each = "is" if len(firm) == 1 else "are"
    least = "" if len(firm) == 1 or hits == of else "at least "
    return (
        f"{nearest}, {in_words(len(firm))} {each} there in {least}{in_words(hits)} of {in_words(of)} {kind} "
        f"({100 * low:.0f}–{100 * high:.0f} %); {rest}."
    )
