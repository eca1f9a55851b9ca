"""The page of neighbours: its title, its blocks, a methods paragraph, and what to cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpustab.report import Result
from gpustab.report.origin import embeddings, in_words
from gpustab.report.svg.colours import series
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, counted, number, percent
from gpustab.statistics.intervals import Estimate
from gpustab.studies.neighbours.claims import FIRM, OPEN, PASSING, RULE, SOME_HOLD, UNJUDGED
from gpustab.studies.neighbours.study import SHARES, Share
from gpustab.studies.shared.observations import called_by_chance
from gpustab.studies.shared.wording import of_list, quoted, sampling_of, the_runs

CITATIONS = ("antoniak2018", "rettenmeier2020")

_OTHERS = 10
"""So many neighbours of single runs stand below those that are judged; the file of the table has all."""


def page(result: Result) -> list[Block]:
    """Return how sure each neighbour is in the leading group, the same of all groups side by side, and their details.

    The picture has the lists of all runs.
    """
    first, *others = result.groups
    drawn = sampling_of(first["name"]) == "bootstrap"
    blocks = [_group(result, first, f"{RULE} {SOME_HOLD.paper}." if drawn else RULE)]
    if others:
        blocks.append(_side_by_side(result))
        blocks += [Block(f"{in_words(x['name'])}: all numbers", *_numbers(result, x), folded=True) for x in others]
    return blocks


def _group(result: Result, group: dict[str, Any], aside: str) -> Block:
    facts, tables = _numbers(result, group)
    of = f"{in_words(group['name'])}: " if len(result.groups) > 1 else ""
    title = f"{of}the {group['n']} nearest neighbours of “{group['word']}” in {len(group['runs'])} runs"
    return Block(title[:1].upper() + title[1:], facts, tables, aside=aside)


def _numbers(result: Result, group: dict[str, Any]) -> tuple[list[tuple[str, str, str]], list[SmallTable]]:
    n, p = group["n"], Estimate.of_runs(group["p"], group["p_se"], len(group["runs"]))
    shared = f"of {n} neighbours, {of_list(p, n, group['chance_p'])} (p@{n} {number(p.value, 3)})"
    facts = [("two runs share", number(n * p.value, 2), shared)]
    rows = list(SHARES.rows(result.tables, group=group["name"]))
    placed = sum(row.place is not None for row in rows)
    table = SmallTable.of("", rows[: placed + _OTHERS], _SHARES, SHARES.row)
    if placed < len(rows):
        others, shown = len(rows) - placed, len(table.rows) - placed
        which = f"the surest {shown} of {others} are here" if shown < others else f"{others} in all"
        table.title = f"Words without a place are neighbours in some runs only: {which}"
    table.first = placed
    table.key = {**table.key, "place": f"by mean cosine over {the_runs(group['chosen_by'])}"}
    return facts, [table]


def _side_by_side(result: Result) -> Block:
    """Every word that some group lists: in how many runs, its cosine, and whether it holds; a column for each group."""
    held: dict[str, dict[str, Share]] = {}
    for group in result.groups:
        for row in SHARES.rows(result.tables, group=group["name"]):
            if row.place is not None:
                held.setdefault(row.neighbour, {})
    for group in result.groups:
        for row in SHARES.rows(result.tables, group=group["name"]):
            if row.neighbour in held:
                held[row.neighbour][group["name"]] = row
    names = [group["name"] for group in result.groups]
    rows = [[word, *(_held(of.get(name)) for name in names)] for word, of in held.items()]
    table = SmallTable("Verdict, runs that list it, mean cosine", ["neighbour", *map(in_words, names)], rows)
    return Block("Do all kinds of runs say the same?", tables=[table])


def _held(row: Share | None) -> str:
    if row is None:
        return "–"
    verdict = "" if row.verdict == UNJUDGED else f"{row.verdict}, "
    return f"{verdict}{row.runs} of {row.of}, {number(row.cosine, 2)}"


_SHARES: Columns = [
    "neighbour",
    "verdict",
    ("place", lambda row: str(row.place or "–")),
    ("runs", lambda row: f"{row.runs} of {row.of}"),
    "share",
    ("95 % interval", lambda row: f"{100 * row.low:.0f}–{percent(row.high)}"),
    "margin",
    "cosine",
    "cosine_sd",
]


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many runs answer it."""
    runs = sum(len(group["runs"]) for group in result.groups)
    groups = f" in {counted(len(result.groups), 'group')}" if len(result.groups) > 1 else ""
    made = embeddings(result, "")
    title = f"Which neighbours of “{result.settings.get('word', '')}” can you trust{f' in {made}' if made else ''}?"
    return title, f"{counted(runs, 'run')}{groups}"


def _judged(result: Content) -> list[Share]:
    """The neighbours that lead the page: those of the first group, bootstrap where there is one."""
    first = result.groups[0]["name"] if result.groups else ""
    return [row for row in SHARES.rows(result.tables, group=first) if row.place is not None]


def cards(result: Content) -> list[Card]:
    """Return how many neighbours are firm, passing and open, and how many two runs share."""
    rows = _judged(result)
    if not rows:
        return []
    group, style = result.groups[0], series([result.groups[0]["name"]])[result.groups[0]["name"]].style
    n, runs = group["n"], len(group["runs"])
    lacking = [(word, UNJUDGED) for word in group["lacking"]]
    made = verdict_cards([*((row.neighbour, row.verdict) for row in rows), *lacking], n, style)
    exact = of_list(Estimate.of_runs(group["p"], group["p_se"], runs), n, group["chance_p"])
    return [*made, Card("Two runs have in common", number(n * group["p"], 2), f"of {n} neighbours", exact, style)]


def verdict_cards(judged: Sequence[tuple[str, str]], of: int, style: str) -> list[Card]:
    """Return how many neighbours are firm, passing and open, with some of them; and how many nobody judged.

    Args:
        judged: neighbours with their verdicts.
        of: how many there are.
        style: of the runs that judge.
    """
    meant = {FIRM: "come back in most runs", PASSING: "come back in few", OPEN: "these runs cannot tell"}
    meant[UNJUDGED] = "too few runs"
    counts = {verdict: [word for word, own in judged if own == verdict] for verdict in meant}
    silent = counts[UNJUDGED]
    if not silent or len(silent) == len(judged):
        counts = {verdict: words for verdict, words in counts.items() if (verdict == UNJUDGED) == bool(silent)}
    return [
        Card(f"{verdict.capitalize()}: {meant[verdict]}", str(len(words)), f"of {of}", _some(words), style)
        for verdict, words in counts.items()
    ]


def _some(words: Sequence[str]) -> str:
    """The words that stand on a card, and how many stand elsewhere."""
    more = len(words) - _SOME
    return ", ".join(words[:_SOME]) + (f" and {more} more" if more > 0 else "")


_SOME = 4
"""So many words stand on a card."""


def may_claim(result: Content) -> str:
    """Return what a paper may say of the neighbours of this word."""
    first, word = result.groups[0]["name"] if result.groups else "", result.settings.get("word", "")
    rows = list(SHARES.rows(result.tables, group=first))
    firm = [row.neighbour for row in rows if row.verdict == FIRM]
    if result.alarms:
        return ""
    if all(row.verdict in (OPEN, UNJUDGED) for row in rows):
        return (
            f"Nothing yet about “{word}”: these runs cannot judge its neighbours. Nor may you write that they are "
            "unstable. Train more runs."
        )
    if not firm:
        return f"No neighbour of “{word}” yet. Name the word, the runs, and that none of its neighbours is firm."
    drawn = sampling_of(first) == "bootstrap"
    rest = "" if drawn else " No run drew the documents again: other documents may have other neighbours."
    chance = called_by_chance(sum(row.verdict in (FIRM, PASSING) for row in rows))
    return (
        f"That {quoted(firm)} {'is a neighbour' if len(firm) == 1 else 'are neighbours'} of “{word}” in this text, "
        "with the "
        f"share of runs and its interval. Of the others, name none{_tempting(rows)}.{f' {chance}' * bool(chance)}{rest}"
    )


def _tempting(rows: Sequence[Share]) -> str:
    """The word that most runs list though they cannot judge it, where half of them do: a reader would name it."""
    best = max((row for row in rows if row.verdict == OPEN), key=lambda row: (row.share, not row.place), default=None)
    if best is None or 2 * best.runs < best.of:
        return ""
    return f", not even “{best.neighbour}” ({best.runs} of {best.of} runs): these runs cannot judge it"


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    groups = ", ".join(f"{counted(len(group['runs']), 'run')} of {in_words(group['name'])}" for group in result.groups)
    n = result.settings.get("n")
    return (
        f"The {n} nearest neighbours of “{result.settings.get('word')}” by cosine were found in every run ({groups}) "
        f"with gpustab {result.environment.get('gpustab')}. For each word that is among the {n} nearest in some run we "
        "report in how many of the runs that have the query this is so (a run that lacks the word does not list it), "
        "with the 95 % Wilson interval of that share. p@n is the share of the neighbours of one run that are "
        "neighbours in another too, mean over all pairs of runs."
    )
