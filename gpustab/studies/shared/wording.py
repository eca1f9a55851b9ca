"""Numbers, lists, techniques and groups as they stand in sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from gpustab.report.origin import TECHNIQUES as TECHNIQUES
from gpustab.report.origin import technique as technique
from gpustab.results.page import counted, number, percent, signed, with_half
from gpustab.runs.key import SAMPLINGS, noun_of
from gpustab.statistics.intervals import Estimate

_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MOST_DIGITS = 4
_SHORT = 3


WORDS_DEPEND = (
    "Errors over words take words as independent. Words with similar contexts are not, so these errors are too small."
)


def false_ones(rate: float, found: int) -> str:
    """Return how many words of a list with this false discovery rate are false, a sentence or two.

    The rate is of all lists, the empty ones too, as Benjamini and Hochberg (1995) define it; of a short list alone it
    tells little.

    >>> false_ones(0.05, 31)
    'On average up to 5 % of the words in such lists are false.'
    """
    said = f"On average up to {percent(rate)} of the words in such lists are false."
    if found > _SHORT:
        return said
    none = f"where nothing changed, up to {percent(rate)} of texts give one."
    return f"{said} So short a list may be false as a whole: {none}"


def capital(text: str) -> str:
    """Return a text as the beginning of a sentence; a name with a capital of its own or an underscore stays.

    >>> capital("two runs share a word"), capital("fastText is stable"), capital("ρ is 0.3")
    ('Two runs share a word', 'fastText is stable', 'ρ is 0.3')
    >>> capital("mini_lm sees it")
    'mini_lm sees it'
    """
    if not text[:1].isascii():  # a Greek letter that is a number's name
        return text
    behind = text.partition(" ")[0][1:]
    return text if "_" in behind or behind != behind.lower() else text[:1].upper() + text[1:]


def group_in_words(name: str) -> str:
    """Return what a group is, as what a sentence is about.

    >>> group_in_words("sgns/bootstrap"), group_in_words("lsa/shuffled-sentence-0.2/half=a"), group_in_words("mine")
    ('skip-gram, bootstrap runs', 'LSA, shuffled runs (sentences, 20 % of the corpus, half a)', 'mine')
    """
    what, sampling, more = _parts(name)
    kind = f"{technique(what)}, {sampling} runs" if sampling else technique(what)
    return f"{kind} ({', '.join(more)})" if more else kind


def sampling_of(name: str) -> str:
    """Return how the runs of a group were sampled; empty where its name does not say.

    >>> sampling_of("lsa/bootstrap-sentence-0.2/half=a"), sampling_of("mine")
    ('bootstrap', '')
    """
    return _parts(name)[1]


def groups_in_words(names: Sequence[str]) -> str:
    """Return what one group or several are, at the beginning of a sentence about them.

    >>> groups_in_words(["sgns/bootstrap"]), groups_in_words(["a", "b"]), groups_in_words(["mine/fixed"])
    ('Skip-gram, bootstrap runs', 'a and b', 'mine, fixed runs')
    >>> groups_in_words(["sgns/bootstrap", "lsa/fixed"])
    'The bootstrap runs of skip-gram and the fixed runs of LSA'
    """
    if all(_parts(name)[1] for name in names) and len(names) > 1:
        return capital(listed([the_runs(name) for name in names]))
    said = listed([group_in_words(name) for name in names])
    return capital(said) if _parts(names[0])[0] in TECHNIQUES else said


def some_groups(names: Sequence[str], most: int = 2) -> str:
    """Return :func:`groups_in_words` of the first groups, and how many there are besides.

    >>> some_groups(["a/fixed", "b/fixed", "c/fixed"]), some_groups(["a", "b"])
    ('The fixed runs of a, the fixed runs of b and 1 more group', 'a and b')
    """
    if len(names) <= most:
        return groups_in_words(names)
    return capital(listed([*map(the_runs, names[:most]), counted(len(names) - most, "more group")]))


def the_runs(name: str) -> str:
    """Return the runs of a group, as a subject in the plural.

    >>> the_runs("sgns/bootstrap"), the_runs("lsa/shuffled/half=a"), the_runs("mine")
    ('the bootstrap runs of skip-gram', 'the shuffled runs of LSA (half a)', 'the runs of mine')
    """
    what, sampling, more = _parts(name)
    runs = f"the {sampling} runs of {technique(what)}" if sampling else f"the runs of {technique(what)}"
    return f"{runs} ({', '.join(more)})" if more else runs


def _parts(name: str) -> tuple[str, str, list[str]]:
    """The technique, the sampling where the name holds one, and what else sets a group apart; see ``Key``."""
    leaf, *pairs = re.split(r"/(?=\w+=)", name)
    what, _, last = leaf.rpartition("/")
    sampling, *rest = last.split("-")
    if not what or sampling not in SAMPLINGS:
        return leaf, "", [pair.replace("=", " ") for pair in pairs]
    drawn, part = "-".join(rest), 1.0
    if rest and re.fullmatch(r"0?\.\d+", rest[-1]):
        drawn, part = "-".join(rest[:-1]), float(rest[-1])
    more = [f"{noun_of(drawn)}s"] * bool(drawn) + [f"{percent(part)} of the corpus"] * (part != 1)
    return what, sampling, more + [pair.replace("=", " ") for pair in pairs]


def with_error(estimate: Estimate) -> str:
    """Return a number with half of its 95 % interval.

    >>> with_error(Estimate(0.05041, 0.00027, 7)), with_error(Estimate(0.5, math.nan, 1))
    ('0.05041 ± 0.00064', '0.500')
    """
    return with_half(estimate.value, estimate.half)


def share_with_error(share: Estimate) -> str:
    """Return a share, or any number from 0 to 1, with half of its 95 % interval, which stays between 0 and 1.

    >>> share_with_error(Estimate(0.93, 0.09, 3)), share_with_error(Estimate(0.5, 0.01, 3))
    ('0.93 (0.64–1)', '0.500 ± 0.032')
    """
    return with_half(share.value, share.half, 0.0, 1.0)


def percents(share: Estimate) -> str:
    """Return the 95 % interval of a share of chance in percent; it does not begin below 0.

    >>> percents(Estimate(0.65, 0.02, 7)), percents(Estimate(0.1, 0.1, 2)), percents(Estimate(0.1, math.nan, 1))
    ('60–70 %', '0–53 %', 'no interval')
    """
    low, high = share.interval
    return "no interval" if math.isnan(low + high) else f"{100 * max(low, 0.0):.0f}–{percent(high)}"


def of_list(share: Estimate, n: int, chance: float | None = None, unit: str = "") -> str:
    """Return the interval of how many of n neighbours come back, between 0 and n, beside those that do by chance.

    Args:
        share: p@n.
        n: length of the lists.
        chance: p@n of unrelated runs; where the interval reaches it, that is said.
        unit: after numbers, such as of percent where n is 100.

    >>> of_list(Estimate(0.6, 0.004, 7), 10, 0.006), of_list(Estimate(0.3, 0.2, 2), 10, 0.09)
    ('5.9–6.1; by chance 0.06', '0.0–10.0, perhaps no more than by chance, 0.9')
    >>> of_list(Estimate(0.6, math.nan, 1), 10), of_list(Estimate(1.0, 0.0, 3), 10)
    ('no interval', 'in every pair of runs')
    >>> of_list(Estimate(0.0, 0.0, 3), 10, 0.006), of_list(Estimate(0.6, 0.004, 7), 100, 0.006, " %")
    ('in no pair of runs; by chance 0.06', '59.1–60.9 %; by chance 0.6 %')
    """
    low, high = (min(max(end, 0.0), 1.0) for end in share.interval)
    if math.isnan(low + high):
        span = "no interval"
    elif low == high:
        span = "in every pair of runs" if high else "in no pair of runs"
    else:
        span = number_span(n * low, n * high) + unit
    if chance is None:
        return span
    by_chance = number(n * chance, 1) + unit
    reached = low <= chance and high > 0
    return f"{span}, perhaps no more than by chance, {by_chance}" if reached else f"{span}; by chance {by_chance}"


def change_by(value: float, low: float, high: float) -> str:
    """Return by how many percent something changes, with its interval; without a sign, as the sentence says which way.

    >>> change_by(-0.57, -0.63, -0.51), change_by(0.07, 0.05, 0.08), change_by(0.07, math.nan, math.nan)
    ('57 % (51–63 %)', '7 % (5–8 %)', '7 % (no interval)')
    >>> change_by(-0.12, -0.24, 0.01)
    '12 % (from 24 % less to 1 % more)'
    """
    return f"{percent(abs(value))} ({change_span(low, high)})"


def change_span(low: float, high: float) -> str:
    """Return the interval of :func:`change_by`, without brackets.

    >>> change_span(-0.08, -0.05), change_span(-0.24, 0.004)
    ('5–8 %', 'from 24 % less to 0.4 % more')
    """
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    if low < 0 < high:
        ends = [percent(abs(end), int(abs(end) < 0.005)) for end in (low, high)]
        return f"from {ends[0]} less to {ends[1]} more"
    least, most = sorted((abs(low), abs(high)))
    return f"{100 * least:.0f}–{percent(most)}"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def quoted(words: Sequence[str]) -> str:
    """Return words of the text as a list in a sentence: of *to* and *has* nobody else would know where they begin.

    >>> quoted(["to"]), quoted(["a", "has"])
    ('“to”', '“a” and “has”')
    """
    return listed([f"“{name}”" for name in words])


def word(n: int) -> str:
    """Return a small number as a word."""
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)


FEWER_THAN_ONE = "fewer than one"


def about(value: float) -> str:
    """Return a number of neighbours as a word, or as a number where it has no word.

    >>> about(1.46), about(1.44), about(9.5), about(0.6), about(0.0)
    ('one or two', 'one', 'nine or ten', 'fewer than one', 'none')
    """
    if value < 0.95:
        return FEWER_THAN_ONE if value else word(0)
    if value <= 10 and f"{value:.1f}".endswith(".5"):
        return f"{word(math.floor(value))} or {word(math.ceil(value))}"
    return word(round(value)) if value <= 10 else number(value, 2)


def number_span(low: float, high: float, digits: int | None = None) -> str:
    """Return a range; with one digit after the point, with two below 1, with more where its ends would look the same.

    One that begins below 0 has signs; one whose ends would look the same for all that is one number.

    >>> number_span(5.91, 6.04), number_span(0.56, 0.62), number_span(float("nan"), 1.0)
    ('5.9–6.0', '0.56–0.62', 'no interval')
    >>> number_span(0.1604, 0.1627)
    '0.160–0.163'
    >>> number_span(-0.1, 0.06)
    '−0.10 to +0.06'
    >>> number_span(3.0, 4.0, 0), number_span(-1.0, float("nan")), number_span(-1e-9, 0.5)
    ('3–4', 'no interval', '0.0000 to +0.5000')
    >>> number_span(9.999995, 10.0), number_span(1e-7, 2e-7)
    ('10.0', '0.0000')
    """
    digits = few = (2 if abs(high) < 1 else 1) if digits is None else digits
    if low < 0 or math.isnan(low + high):
        return signed_span(low, high, digits)
    while low != high and digits < _MOST_DIGITS and f"{low:.{digits}f}" == f"{high:.{digits}f}":
        digits += 1
    ends = [f"{end:.{digits}f}" for end in (low, high)]
    if low != high and ends[0] == ends[1]:
        return f"{low:.{few}f}" if float(f"{low:.{few}f}") else ends[0]
    return "–".join(ends)


def difference_span(low: float, high: float, digits: int | None = None) -> str:
    """Return the range of a difference: without signs where its ends have one, since the sentence says which way.

    >>> difference_span(-0.25, -0.15), difference_span(0.15, 0.25), difference_span(-0.1, 0.06)
    ('0.15–0.25', '0.15–0.25', '−0.10 to +0.06')
    >>> difference_span(0.3, 22, 0), difference_span(-22, -0.04, 1)  # no end looks like 0
    ('0.3–22.0', '0.04–22.00')
    """
    is_clear = low > 0 or high < 0
    while is_clear and digits is not None and digits < _MOST_DIGITS and 0 in (round(low, digits), round(high, digits)):
        digits += 1
    return number_span(-high, -low, digits) if high < 0 else number_span(low, high, digits)


def signed_span(low: float, high: float, digits: int = 2) -> str:
    """Return the range of a difference with its signs; with more digits where an end would look like 0, or both alike.

    >>> signed_span(-0.012, 0.021), signed_span(0.004, 0.012), signed_span(float("nan"), 1.0)
    ('−0.01 to +0.02', '+0.004 to +0.012', 'no interval')
    >>> signed_span(-19.2, 3.1, digits=0)
    '−19 to +3'
    >>> signed_span(-1e-9, 0.1), signed_span(-1.0, float("nan"))
    ('0.0000 to +0.1000', 'no interval')
    """
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    while digits < _MOST_DIGITS and any(float(f"{end:.{digits}f}") == 0 != end for end in (low, high)):
        digits += 1
    while low != high and digits < _MOST_DIGITS and f"{low:.{digits}f}" == f"{high:.{digits}f}":
        digits += 1
    return f"{signed(low, digits)} to {signed(high, digits)}"
