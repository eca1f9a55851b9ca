"""The page of a comparison: its title, what to cite, all words, and its blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpustab.report import Result
from gpustab.report.origin import corpus as corpus_of
from gpustab.report.origin import in_words
from gpustab.report.svg.colours import series
from gpustab.report.words import Browsed
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, Shown, counted, number, percent, with_half
from gpustab.results.table import titles
from gpustab.statistics.intervals import Estimate
from gpustab.studies.compare import study
from gpustab.studies.compare.claims_of_spaces import DIFFER, Spaces
from gpustab.studies.compare.spaces import COSINES, SPACES, UNLIKE, Agreement, Unlike
from gpustab.studies.compare.study import Word
from gpustab.studies.shared.observations import verdicts_by_chance
from gpustab.studies.shared.wording import difference_span, listed, number_span, of_list, percents, the_runs

CITATIONS = ("rettenmeier2020", "antoniak2018", "wendlandt2018")
WORDS = {
    "words": {
        "count": "times in a run",
        "p_first": "p@n, first",
        "p_second": "p@n, second",
        "difference": Browsed("difference", beside="less_first"),  # no word's, where no word is judged
        "se": Browsed("its SE", beside="less_first"),
        "less_first": Browsed("disadvantage, first", "percent"),
        "less_second": Browsed("second", "percent"),
        "p_between": "p@n, a run of each",
        "beyond": Browsed("beyond noise", beside="unlike"),
        "beyond_se": Browsed("its SE", beside="unlike"),
        "unlike": Browsed("seen differently", "percent"),
    }
}
_SHOWN = 10
_SMALL = 0.01
"""Differences below are shown with more digits, as those of losses are."""


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and what is compared."""
    about = f" on {corpus}" if (corpus := corpus_of(result)) else ""
    runs = " and ".join(counted(len(group.get("runs", ())), "run") for group in result.groups)
    return f"Which is more stable{about}: {_alternatives([str(group.get('name')) for group in result.groups])}?", runs


def _alternatives(names: Sequence[str]) -> str:
    """Two groups as a question; what they have in common stands once.

    >>> _alternatives(["lsa/bootstrap", "sgns/bootstrap"]), _alternatives(["sgns/fixed", "sgns/bootstrap"])
    ('LSA or skip-gram (bootstrap runs)', 'fixed or bootstrap runs of skip-gram')
    >>> _alternatives(["old", "new"])
    'old or new'
    """
    whats, kinds = zip(*((name.rpartition("/")[0], name.rpartition("/")[2]) for name in names), strict=True)
    if all(whats) and len(set(kinds)) == 1:
        return f"{' or '.join(map(in_words, whats))} ({kinds[0]} runs)"
    if all(whats) and len(set(whats)) == 1:
        return f"{' or '.join(kinds)} runs of {in_words(whats[0])}"
    return " or ".join(map(in_words, names))


def cards(result: Content) -> list[Card]:
    """Return both measures of both groups."""
    shared = next((str(x["name"]) for x in result.contrasts if x["name"].startswith("p@")), "")
    looks = series(str(group["name"]) for group in result.groups)
    made = []
    for group in result.groups if shared else ():
        n, name = int(shared.removeprefix("p@")), in_words(group["name"])
        p, loss, style = group[shared], group["of_chance"], looks[group["name"]].style
        span, exact = (_of(group, measure) for measure in (p, loss))
        about = f"PIP loss over {group['words']:,} common words; {percents(exact)}"
        runs = counted(len(group["runs"]), "run")
        shown = f"{of_list(span, n)}; of {runs}"
        made.append(Card(name, number(n * p["mean"], 2), f"of {n} neighbours come back", shown, style))
        made.append(Card(name, percent(loss["mean"]), "of chance", about, style))
    return made


def _of(group: dict[str, Any], measure: dict[str, Any]) -> Estimate:
    return Estimate.of_runs(measure["mean"], measure["se"], len(group["runs"]))


def may_claim(result: Content) -> str:
    """Return what a paper may say by this comparison."""
    verdict = result.contrasts[0].get("verdict") if result.contrasts else None
    if result.alarms:
        return ""
    samplings = {str(group["name"]).rpartition("/")[2] for group in result.groups}
    unlike = " The runs were sampled in different ways, so that this is a difference of the samples, not of techniques."
    techniques = {str(group["name"]).rpartition("/")[0] for group in result.groups}
    more = unlike if len(samplings) > 1 and len(techniques) == 1 else ""
    names = [the_runs(str(group["name"])) for group in result.groups]
    if verdict == "second":
        names.reverse()
    by = "" if result.contrasts and result.contrasts[-1].get("verdict") == verdict else " by their neighbours"
    return _CLAIMS.get(str(verdict), _CLAIMS["open"]).format(*names, by=by) + more + _agreed(result)


def _agreed(result: Content) -> str:
    """What may be said of how far both agree, a sentence; nothing where no agreement is told."""
    names = [str(group["name"]) for group in result.groups]
    rows = [(row, DIFFER.judge(Spaces(names[0], names[1], row, 0))) for row in SPACES.rows(result.tables)]
    by: dict[str, list[str]] = {}
    for row, verdict in rows:
        what = "the cosines" if row.measure == COSINES else "neighbours"
        by.setdefault(verdict, []).append(f"by {what} (agreement {number(row.agreement, 2)})")
    clauses = [f"{text} {listed(by[verdict])}" for verdict, text in _AGREE.items() if verdict in by]
    return f" And that both {listed(clauses)}; 1 would be the same." if clauses else ""


_AGREE = {
    "differ": "differ beyond the noise of single runs",
    "alike": "differ hardly more than by the noise of single runs",
    "other level": "order pairs of words alike, though the cosines differ in mean or spread,",
}


_MORE = "That {0} are more stable than {1}{by} on this text with these settings, by the numbers above."
_CLAIMS = {
    "first": _MORE,
    "second": _MORE,
    "alike": "That {0} and {1} are equally stable{by}, neighbours within 0.2 of ten.",
    "disagree": "Which one is more stable by neighbours and which by the loss. Not that one is more stable as such.",
    "open": "Not that one is more stable than the other, and not that they are equal: train more runs.",
}


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    n = result.settings.get("n")
    groups = listed([f"{counted(len(x['runs']), 'run')} of {in_words(x['name'])}" for x in result.groups])
    drawn = f", neighbours of {some} drawn at random" if (some := _drawn(result)) else ""
    return (
        f"We compared {groups} with gpustab {result.environment.get('gpustab')} over the words that all of them "
        f"have{drawn}. Stability was measured between all pairs of runs of a group, as p@{n}, "
        f"the share of a word's {n} nearest "
        "neighbours in one run that are among the nearest in another, and as the reduced PIP loss in parts of that of "
        "unrelated spaces. Differences have 95 % intervals over runs: jackknife errors, Student's t with the fewer "
        "degrees "
        "of freedom of the two. A word is named if, beside 200 words of like frequency, it is in the tenth that "
        "differs most "
        "one way. How far both agree is the share of neighbours of a run of each beyond chance, by the root of the "
        "product of those of two runs of either group (Spearman's correction for attenuation), and the same of "
        "cosines."
    )


def page(result: Result) -> list[Block]:
    """Return the numbers of both groups, the words that surely differ, and how far both agree."""
    return [_numbers(result), *_words(result), *_spaces(result)]


def _spaces(result: Result) -> list[Block]:
    """How far the spaces of both groups agree, and the words that they see most differently."""
    spaces, unlike = list(SPACES.rows(result.tables)), list(UNLIKE.rows(result.tables))
    first, second = (in_words(group["name"]) for group in result.groups)
    named = {"first": f"two runs of {first}", "second": f"two runs of {second}"}

    def shown(name: str) -> tuple[str, Shown]:
        return named.get(name, titles(Agreement)[name]), lambda row: _spanned(row.estimate(name))

    columns: Columns = [
        ("by", lambda row: "PIP loss, share of chance" if row.measure == COSINES else row.measure),
        *(shown(name) for name in ("first", "second", "between", "agreement")),
    ]
    tables = [SmallTable.of("95 % intervals over runs", spaces, columns, Agreement)]
    if unlike:
        runs = min(len(group["runs"]) for group in result.groups)
        lists: Columns = [
            "word",
            "times",
            *((named.get(name, titles(Unlike)[name]), (name, 2)) for name in ("first", "second", "between")),
            ("beyond noise", lambda row: with_half(row.beyond, Estimate.of_runs(row.beyond, row.se, runs).half)),
            "sure",
            (f"near it in {first}", lambda row: row.in_first),
            (f"near it in {second}", lambda row: row.in_second),
        ]
        left = f"; the surest {_SHOWN}" if len(unlike) > _SHOWN else ""
        title = (
            f"{counted(len(unlike), 'word')} of which both have other neighbours, beyond the noise of single runs{left}"
        )
        tables.append(SmallTable.of(title, unlike[:_SHOWN], lists, Unlike))
    return [
        Block(
            "Do both see the same neighbours?",
            tables=tables,
            figures=["spaces"],
            aside=(
                "This is not about which is more stable. The agreement says how far what both expect is the same, "
                "however noisy their single runs are: 1 if the runs of both list the same words equally often, 0 by "
                "chance. It is what a run of each shares beyond chance, by the root of the product of what two runs of "
                "either group share. Few runs may give more than 1. By PIP loss the same is asked of the cosines of "
                "all pairs of words. Beyond noise is the mean p@n of two runs of one group less that of a run of each."
            ),
        )
    ]


def _numbers(result: Result) -> Block:
    names = [contrast["name"] for contrast in result.contrasts]
    rows = [
        [
            _TITLES.get(name, name),
            *(_estimate(group[_KEYS.get(name, name)], math.inf if name in _TITLES else 1.0) for group in result.groups),
            _difference_of(x),
        ]
        for name, x in zip(names, result.contrasts, strict=True)
    ]
    header = [
        "",
        *(f"{in_words(group['name'])} ({counted(len(group['runs']), 'run')})" for group in result.groups),
        "difference",
    ]
    neighbours = f" (neighbours of {some})" if (some := _drawn(result)) else ""
    title = f"Which is more stable, over {result.groups[0]['words']:,} common words{neighbours}?"
    said = verdicts_by_chance(_tested(result))
    return Block(title, tables=[SmallTable("95 % intervals", header, rows)], figures=["measures"], answer=said)


def _tested(result: Result) -> int:
    """How many verdicts rest on an interval: which is more stable and how far both agree, each by two measures."""
    judged = [one for one in result.contrasts if "verdict" in one and result.contrasts[0]["verdict"] != "no test"]
    more_stable = sum(all(end is not None and math.isfinite(end) for end in one["interval"]) for one in judged)
    return more_stable + sum(math.isfinite(row.agreement_se) for row in SPACES.rows(result.tables))


def _spanned(estimate: Estimate) -> str:
    """Return a number with its interval, which may reach below 0; no number is no test."""
    if math.isnan(estimate.value):
        return "no test"
    span = "no interval" if math.isnan(estimate.half) else number_span(*estimate.interval)
    return f"{number(estimate.value, 3)} ({span})"


def _drawn(result: Content) -> str:
    """How many words were drawn of how many; nothing where all were taken."""
    words, targets = (int(result.groups[0].get(key, 0)) for key in ("words", "targets"))
    return f"{targets:,} of the {words:,} words" if targets < words else ""


_TITLES = {"loss": "PIP loss", "of_chance": "share of chance"}
_KEYS = {"loss": "pip"}
"""How a group calls what a contrast calls otherwise."""


def _words(result: Result) -> list[Block]:
    first, second = (in_words(group["name"]) for group in result.groups)
    runs = min(len(group["runs"]) for group in result.groups)  # of the group with fewer: its error is the less sure
    tables = []
    for place, name, other in (("first", first, second), ("second", second, first)):
        every = sorted(study.WORDS.rows(result.tables, surely=place), key=lambda row: -row.less(row.surely))
        some = every[:_SHOWN]
        columns: Columns = [
            "word",
            "count",
            (first, ("p_first", 2)),
            (second, ("p_second", 2)),
            ("difference", lambda row: _difference(row, runs)),
            ("how surely", lambda row: percent(row.less(row.surely)), _SURELY),
        ]
        if some:
            words = counted(len(every), "word", "loses/lose")
            title = f"{words} more in {name}, measured against {other}, than words as frequent do"
            if all((row.p_first > row.p_second) == (place == "first") for row in every):  # none is less stable there
                words = counted(len(every), "word", "is/are")
                title = f"{words} more stable in {name} than in {other}, but by less than words as frequent are"
            left = f": the surest {len(some)}" if len(some) < len(every) else ""
            tables.append(SmallTable.of(title + left, some, columns))
    return [
        *([Block("Which words differ?", tables=tables)] if tables else []),
        Block(
            "How stable is every word in both groups?",
            figures=["words"],
            answer=f"First: {first}. Second: {second}. p@n is the share of {result.settings['n']} neighbours.",
        ),
    ]


_SURELY = "how probably the word is in that tenth of words as frequent which loses most there"


def _difference(row: Word, runs: int) -> str:
    return f"{number(row.difference, 2)} ± {number(Estimate.of_runs(row.difference, row.se, runs).half, 2)}"


def _difference_of(contrast: dict[str, Any]) -> str:
    """Return a difference as the sentences say it: without signs where its interval has one."""
    low, high = (math.nan if end is None else end for end in contrast["interval"])
    mean = abs(contrast["mean"]) if low > 0 or high < 0 else contrast["mean"]
    digits = 3 if max(abs(low), abs(high)) > _SMALL else 5
    return f"{number(mean, 3)} ({difference_span(low, high, digits)})"


def _estimate(estimate: dict[str, Any], most: float) -> str:
    """Return a number with its interval, which stays on the scale from 0 to the most that there can be."""
    low, high = estimate["interval"]
    none = low is None or low != low
    band = "no interval" if none else f"{number(max(low, 0.0), 3)}–{number(min(high, most), 3)}"
    return f"{number(estimate['mean'], 3)} ({band})"
