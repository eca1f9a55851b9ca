"""What a reader is told first: alarms and the verdict, in sentences that are chosen by rules from numbers.

A rule has a margin and an error: a finding is said only where the 95 % interval lies beyond the margin.
``benchmarks/sentences.py`` counts how often each is wrong at 3 to 16 runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from gpustab.results.page import counted, number
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.reliability import Reliability
from gpustab.studies.shared.wording import about, listed, number_span, word

READ_ONE = 0.85
"""p@10 above which neighbours may be read from one run: at most three in twenty would not come back."""
HARDLY = 0.2
"""p@10 below which neighbours of one run say next to nothing."""
ALIKE = 0.05
"""Differences of p@n between halves and within them that are none: half a neighbour of ten."""
OPPOSITE = 0.2
"""ρ of the words' PIP loss and p@n above which the two point opposite ways.

Measured with 3 runs: −0.23 to −0.62 in runs that learned their corpus (skip-gram and LSA on lee and sotu, mean cosine
up to 0.4); in collapsing skip-gram −0.01, +0.22, +0.27, +0.56, +0.59 at mean cosines of 0.54, 0.60, 0.67, 0.86, 0.97.
"""

Leave = Literal["", "advice", "permission"]
"""What runs of the same texts leave to bootstrap runs: nothing; all advice; or the permission to read one run alone,
where the bootstrap runs have no verdict."""
_LITTLE = {
    "": "You may read neighbours from one run.",
    "advice": "Another training of the same texts changes little; for reading, go by the bootstrap runs.",
    "permission": "Another training of the same texts changes little; the bootstrap runs, which say more, have no "
    "verdict.",
}
"""What follows where nearly all neighbours come back."""

BOOTSTRAP_IS = (
    "Bootstrap runs are resamples of these documents: what other documents would say they cannot tell; it may differ "
    "more."
)


def again(sampling: str) -> str:
    """Return what another run of a sampling stands for, as the beginning of a sentence."""
    return {
        "bootstrap": "Draw these documents again, some twice and some not at all, and train again",
        "shuffled": "Train again, with the documents in another order",
        "fixed": "Train again on the same texts",
    }.get(sampling, "Train again")


def may_read_one(p: Estimate) -> bool:
    """Whether neighbours may be read from one run."""
    return p.interval[0] >= READ_ONE


def neighbours_return(p: Estimate, n: int, chance: float, sampling: str = "", leave: Leave = "") -> str:
    """Return how many of n nearest neighbours come back in another run, and what follows for reading them.

    Args:
        p: p@n.
        n: length of the lists.
        chance: p@n of unrelated runs.
        sampling: of the runs.
        leave: what the technique's bootstrap runs are left to say.

    >>> neighbours_return(Estimate.of_runs(0.905, 0.001, 4), 10, 0.002)
    'Train again, and nine of ten nearest neighbours come back (9.0–9.1; by chance 0.02 of ten). You may read \
neighbours from one run.'
    """
    low, high = (min(max(x, 0.0), 1.0) for x in p.interval)
    span = f"{number_span(n * low, n * high)}; {_by_chance(n, chance)}"
    if may_read_one(p):
        then = _LITTLE[leave]
    elif high < HARDLY and sampling == "bootstrap":
        then = "Most neighbours hang on single documents: read those that most bootstrap runs keep."
    elif high < HARDLY:
        then = "Neighbours of one run say next to nothing: these vectors hardly hold this corpus."
    elif leave == "advice":
        then = "For reading, go by the bootstrap runs."
    else:
        then = "Do not rest an argument on a neighbour before you have seen it in several runs."
    back = about(n * p.value)
    come = "comes" if back == "one" else "come"
    return f"{again(sampling)}, and {back} of {word(n)} nearest neighbours {come} back ({span}). {then}"


def two_runs(p: float, n: int, chance: float) -> str:
    """Return what two runs say, and what they cannot."""
    share = f"{about(n * p)} of {word(n)} neighbours ({number(n * p, 2)}; {_by_chance(n, chance)})"
    return (
        f"Two runs share {share}. With one pair nobody can say how far off that is: there is no interval. Train at "
        "least three runs, better eight."
    )


def _by_chance(n: int, chance: float) -> str:
    return f"by chance {number(n * chance, 1)} of {word(n)}"


def halves(between: Estimate, within: Estimate, drawn: float | None, n: int) -> tuple[str, str]:
    """Return whether other documents would say something else: ``"other"``, ``"same"`` or ``"open"``, and the sentence.

    Args:
        between: p@n of a run of one half of the documents and a run of the other.
        within: of two runs of one half.
        drawn: of two bootstrap runs of one half, if there are such.
        n: length of the lists.
    """
    low, high = (min(max(x, 0.0), 1.0) for x in between.interval)
    shared = f"{number(n * between.value, 2)} of {word(n)} neighbours ({number_span(n * low, n * high)})"
    one = f"two runs of one half {number(n * within.value, 2)}"
    one += "" if drawn is None else f", two bootstrap runs of it {number(n * drawn, 2)}"
    first = f"The two halves of the documents share {shared}, {one}."
    less, most = within.minus(between).interval
    if less > ALIKE:
        return "other", f"{first} Other documents would say something else: what one half says need not hold there."
    if most < ALIKE:
        return "same", f"{first} One half says what the other says."
    return "open", f"{first} Whether other documents would say something else cannot be told from these runs."


def ranking(runs: int, by: Sequence[tuple[str, Reliability | None]]) -> str:
    """Return how far other runs would rank the words alike, and how many runs are needed; best ranking first.

    Args:
        runs: how many runs there are.
        by: the name of each number and the reliability of its ranking.
    """
    known = [(name, found) for name, found in by if found is not None and not math.isnan(found.value)]
    if runs < 3:
        return "Two runs say nothing of how far other runs would rank the words alike."
    if not known:
        return ""
    known.sort(key=lambda x: -x[1].value)
    assuming = ", assuming that runs and pairs differ as they usually do" if runs == 3 else ""
    first, *others = [f"{found.value:.2f} by {name}" for name, found in known]
    rest = f" ({', '.join(others)})" if others else ""
    needed = [f"{_needed(found)} by {name}" for name, found in known]
    return (
        f"Train {counted(runs, 'other run')}, and the order of the {known[0][1].words:,} words would agree with this "
        f"one at about {first}{rest}{assuming}. For 0.9 one needs {', '.join(needed)}."
    )


def heading(value: float | None, runs: int) -> str:
    """Return what may be read from a list of words, by the reliability of the list's own scale.

    >>> heading(0.47, 3)
    'These 3 runs cannot rank words.'
    """
    if value is None or math.isnan(value):
        return "Two runs cannot rank words." if runs == 2 else f"These {runs} runs cannot rank words."
    if value < 0.5:
        return f"These {runs} runs cannot rank words."
    if value < 0.8:
        return "These runs tell a word's group, not its place."
    return "These runs tell a word's place, within its error."


def points_opposite(agreement: float, words: int) -> bool:
    """Whether words of small loss have the fewer neighbours in common."""
    return agreement > OPPOSITE and words >= 100


def opposite(agreements: Sequence[float], words: int, n: int) -> str:
    """Return the alarm of one group, or of several, where words of small loss have the fewer neighbours in common."""
    return (
        f"PIP loss and p@{n} point opposite ways: words of smaller loss have neighbours that are less stable (ρ = "
        f"{_span(agreements, '+.2f')} over {words:,} words). The losses mostly measure how far words stand out of a "
        f"bundle that they all form; go by p@{n}, or train longer."
    )


def little_in_common(joint: int, seen: int, folded: int) -> str:
    """Return the alarm of runs that share hardly any words."""
    case = f" If letter case did not count, they would share {folded:,}." if folded > joint else ""
    return (
        f"These runs share {joint:,} of {seen:,} words ({100 * joint / seen:.1g} %). Nothing can be concluded about "
        f"the rest.{case}"
    )


def collapsed(names: Sequence[str], cosines: Sequence[float], *, every: bool) -> str:
    """Return the alarm of runs whose words all point one way.

    Args:
        names: of the runs.
        cosines: mean cosine of the collapsed runs, of one group or of each of several.
        every: whether these are all runs of the groups.
    """
    who, whose = ("All runs are", "their") if every else (f"{listed(names)} {_are(names)}", _whose(names))
    rest = "No verdict is given." if every else "The sentences below are without, the tables with it."
    return (
        f"{who} collapsed: {whose} words all point one way (mean cosine {_span(cosines, '.2f')}), so that a tiny loss "
        f"means nothing. Train longer, or see what centring leaves. {rest}"
    )


def _span(values: Sequence[float], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def odd(name: str, share: float | None, others: float | None, without: float, with_it: float) -> str:
    """Return the alarm of one run that lies far from all others.

    Args:
        name: of the run.
        share: mean loss to the others in parts of chance; ``None`` without a chance level.
        others: that of the others among each other.
        without: mean reduced PIP loss of the others.
        with_it: that of all runs.
    """
    far = f"{name} lies far from all others"
    if share is not None and others is not None:
        far = f"{name} is {share:.0%} of chance away from the others, these {others:.0%} from each other"
    return (
        f"One run does not belong. {far}. Without it the loss is {number(without, 3)}, with it {number(with_it, 3)}. "
        "Is it of another kind, did its training fail, or were its words written in another order? The sentences below "
        "are without, the tables with it."
    )


def copies(names: Sequence[str]) -> str:
    """Return the alarm of runs that are one space several times."""
    return (
        f"{listed(names)} are the same vectors in {word(len(names))} files. One of them is kept in the sentences "
        "below; counted more than once, they would make the runs look more stable than they are."
    )


def _needed(found: Reliability) -> str:
    needed = found.needed(0.9)
    return "more than a thousand runs" if needed is None else f"about {needed} runs"


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _whose(names: Sequence[str]) -> str:
    return "its" if len(names) == 1 else "their"
