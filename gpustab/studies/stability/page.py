"""The page of stability: how near runs are, which words are stable, and whether the documents matter."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, cast

from gpustab.report import Result
from gpustab.report.origin import in_words
from gpustab.results import Block, SmallTable
from gpustab.results.page import Columns, counted, minus, number, percent, thousands, with_half
from gpustab.spaces.words import readings, show
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import DOCUMENTS_MATTER, MOST
from gpustab.studies.shared.observations import verdicts_by_chance
from gpustab.studies.shared.spaces import COLLAPSED
from gpustab.studies.shared.wording import groups_in_words, listed, share_with_error
from gpustab.studies.stability.summary import (
    GroupSummary,
    ReliabilitySummary,
    called,
    leading,
    sampling_of,
    share_of_chance,
)

_ASKED = 50
"""As many words are shown when they are asked for by name; the table ``words`` has all."""


def page(result: Result) -> list[Block]:
    """Return how near runs are, which words are stable, and every contrast; several groups are columns of one block."""
    groups = [cast(GroupSummary, group) for group in result.groups]
    if len(groups) == 1:
        blocks = [_group(groups[0], _wanted(result, groups[0])), _words(groups[0])]
    else:
        blocks = [_side_by_side(result, groups), _stable_words(groups)] if groups else []
    if groups and (together := _common(groups)).tables:
        blocks.append(together)
    blocks += [_extrinsic(some)] if (some := [x for x in result.contrasts if x["name"] == "extrinsic"]) else []
    return blocks + [_halves(contrast) for contrast in result.contrasts if contrast["name"] == "halves"]


def _halves(contrast: Mapping[str, Any]) -> Block:
    n = contrast["n"]
    facts = [
        (
            f"p@{n} between halves",
            number(contrast["between"], 3),
            f"standard error {number(contrast['between_se'], 2)}",
        ),
        (f"p@{n} within a half", number(contrast["within"], 3), f"standard error {number(contrast['within_se'], 2)}"),
    ]
    title = f"{' and '.join(map(in_words, contrast['groups']))}: do other documents say the same?"
    return Block(title, facts, aside=f"Over {contrast['words']:,} common words. One split at random: it has no error.")


def _extrinsic(contrasts: Sequence[Mapping[str, Any]]) -> Block:
    """What bootstrap adds, one family a row."""

    def value(row: Mapping[str, Any]) -> str:
        if row["value"] is None:
            return f"undefined: bootstrap runs differ less, {minus(format(row['signed_square'], '.1e'))} squared"
        return with_half(row["value"], _half(row["value"], row["se"], min(row["runs"])), 0.0)

    columns: Columns = [
        ("runs", lambda row: f"{in_words(row['groups'][1])} beside {in_words(row['groups'][0])}"),
        ("extrinsic instability", value),
        ("words of both", lambda row: thousands(row["words"])),
        ("PIP loss, bootstrap", lambda row: number(row["losses"][1])),
        ("PIP loss, shuffled", lambda row: number(row["losses"][0])),
        ("bootstrap by shuffled", lambda row: number(row["ratio"], 3)),
        ("95 % interval", lambda row: "–".join(number(x, 3) for x in row["ratio_interval"])),
    ]
    aside = (
        "These losses are over the words of both groups; those further up are over all words of each group. Extrinsic "
        "instability is √(bootstrap² − shuffled²) of the losses: what resampling adds to the noise of training. The "
        "ratio of gpustab study bootstrap is another: of the SDs over runs, for the nearest words of query words "
        f"alone. {DOCUMENTS_MATTER.paper}."
    )
    table = SmallTable.of("", contrasts, columns, row=dict)
    return Block("Does it matter which documents there are?", tables=[table], aside=aside)


def _half(value: float | None, se: float | None, runs: int) -> float:
    return Estimate.of_runs(value, se, runs).half


def _columns(names: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], title: str = "") -> SmallTable:
    """A table with a column for every group."""
    return SmallTable(title, ["", *names], [[name, *cells] for name, cells in rows])


def _side_by_side(result: Result, groups: Sequence[GroupSummary]) -> Block:
    """What is known of pairs of runs, by group."""

    def each(value: Callable[[GroupSummary], str]) -> list[str]:
        return [value(group) for group in groups]

    names, pip = [in_words(group["name"]) for group in groups], "reduced"
    rows = [
        ("runs", each(lambda x: str(len(x["runs"])))),
        ("words", each(lambda x: f"{x['vocabulary']['joint']:,}")),
        ("PIP loss", each(lambda x: with_half(x["pip"][pip]["mean"], _of_pip(x), 0.0))),
        ("share of chance", each(lambda x: share_of_chance(x) or "–")),
        ("chance level", each(lambda x: number(x["scale"]["chance_reduced_pip"]) if x["scale"] else "–")),
        ("mean cosine", each(_mean_cosine)),
    ]
    lengths = sorted({n for group in groups for n in group["neighbours"]}, key=int)
    shared = [(f"p@{n}", each(lambda x, n=n: _of_list(x, n))) for n in lengths]  # type: ignore[misc]
    by_chance = [(f"p@{n} by chance", each(lambda x, n=n: _chance_of_list(x, n))) for n in lengths if n == lengths[-1]]  # type: ignore[misc]
    targets = listed(list(dict.fromkeys(f"{group['targets']['words']:,}" for group in groups)))
    tables = [
        _columns(names, rows, "How far two runs differ; ± is half of the 95 % interval over runs"),
        _columns(names, [*shared, *by_chance], f"Share of n nearest neighbours in common, of {targets} words"),
    ]
    if metrics := list(dict.fromkeys(name for group in groups for name in group.get("similarity", {}))):
        similar = [(m, each(lambda x, m=m: _similar(x, m))) for m in metrics]  # type: ignore[misc]
        tables.append(_columns(names, similar, "Similarity of pairs of spaces"))
    for group, name in zip(groups, names, strict=True):
        if (wanted := _wanted(result, group)) is not None:
            wanted.title = f"{name}: {wanted.title}"
            tables.append(wanted)
    return Block("How near are two runs?", tables=tables, answer=verdicts_by_chance(_tested(result, groups)))


def _tested(result: Result, groups: Sequence[GroupSummary]) -> int:
    """How many verdicts rest on an interval: of how many neighbours come back, and of whether documents matter."""
    back = sum(
        len(group["runs"]) > 2 and any(of_n["chance_p"] <= MOST for of_n in group["neighbours"].values())
        for group in groups
    )
    return back + sum(math.isfinite(x["ratio_interval"][0]) for x in result.contrasts if x["name"] == "extrinsic")


def _of_pip(group: GroupSummary) -> float:
    pip = group["pip"]["reduced"]
    return _half(pip["mean"], pip["se"], len(group["runs"]))


def _of_list(group: GroupSummary, n: str) -> str:
    of_n = group["neighbours"].get(n)
    return share_with_error(Estimate.of_runs(of_n["p"], of_n["p_se"], len(group["runs"]))) if of_n else "–"


def _chance_of_list(group: GroupSummary, n: str) -> str:
    of_n = group["neighbours"].get(n)
    return number(of_n["chance_p"], 2) if of_n else "–"


def _similar(group: GroupSummary, metric: str) -> str:
    of = group.get("similarity", {}).get(metric)
    return with_half(of["mean"], _half(of["mean"], of["se"], len(group["runs"]))) if of else "–"


def _mean_cosine(group: GroupSummary) -> str:
    mean = group["scale"]["mean_cosine"] if group["scale"] else None
    return number(mean, 3) + " collapsed" * (mean is not None and mean > COLLAPSED)


def _group(group: GroupSummary, wanted: SmallTable | None) -> Block:
    words, pip, scale = group["vocabulary"]["joint"], group["pip"]["reduced"], group["scale"]
    spread = f"SD {number(pip['sd'], 2)} over {counted(pip['pairs'], 'pair')}, standard error {number(pip['se'], 2)}"
    facts = [("reduced PIP loss", number(pip["mean"]), spread)]
    if scale:
        share = share_of_chance(group)
        level = f"of unrelated spaces; share of chance {share}" if share else ""
        facts.append(("  chance level", number(scale["chance_reduced_pip"]), level))
        facts.append(("  mean cosine", number(scale["mean_cosine"], 3), "of two different words"))
    lists = [{"n": n, **x} for n, x in group["neighbours"].items()]
    targets = group["targets"]["words"]
    drawn = " drawn at random (--words adds yours)" if targets < words else ""
    tables = [SmallTable.of(f"Shared nearest neighbours of {targets:,} words{drawn}", lists, _LISTS)]
    if "similarity" in group:
        metrics = [{"metric": name, **x} for name, x in group["similarity"].items()]
        tables.append(SmallTable.of("Similarity of pairs of spaces", metrics, _METRICS))
    title = f"{group['name']}: {len(group['runs'])} runs, {words:,} words, {group['dimension']} dimensions"
    return Block(title, facts, [*tables, *([wanted] if wanted else [])])


def _common(groups: Sequence[GroupSummary]) -> Block:
    """The part of a list that all of some runs have in common, a column a group; nothing where it was not counted."""
    lengths = list(dict.fromkeys(n for group in groups for n in group["neighbours"]))
    tables = []
    for n in lengths:
        if numbers := sorted({m for group in groups for m in _common_of(group, n)}):
            names = [in_words(group["name"]) for group in groups]
            rows = [(f"of {m} runs", [_common_of(group, n).get(m, "–") for group in groups]) for m in numbers]
            unions = [x["neighbours"][n]["common_jaccard"] if n in x["neighbours"] else None for x in groups]
            rows.append(("of all runs, as a part of the union", ["–" if x is None else number(x, 3) for x in unions]))
            tables.append(_columns(names, rows, f"Of {n} nearest neighbours"))
    aside = (
        "Of a word's n nearest neighbours, the share that all of so many runs list, mean over words; ± is half of the "
        "95 % interval over runs. It falls as runs are added: compare it only at one number of runs. The last row "
        "divides the words that all runs list by those that any of them lists. Hellrich and Hahn call both reliability."
    )
    return Block("Which share of neighbours do several runs all have?", tables=tables, aside=aside, folded=True)


def _common_of(group: GroupSummary, n: str) -> dict[int, str]:
    """What all of so many runs have in common of n neighbours, by that number; nothing where it was not counted."""
    runs = len(group["runs"])
    common = group["neighbours"][n]["common"] if n in group["neighbours"] else []
    return {one["runs"]: share_with_error(Estimate.of_runs(one["r"], one["r_se"], runs)) for one in common}


_LISTS: Columns = [
    *(
        "n",
        ("p@n", ("p", 3)),
        ("SD", ("p_sd", 2)),
        ("standard error", ("p_se", 2)),
        ("j@n", ("j", 3)),
        ("by chance", ("chance_p", 2)),
    ),
    ("ties", lambda row: thousands(row["ties"])),
]
_METRICS: Columns = [
    *("metric", ("mean", ("mean", 4)), ("SD", ("sd", 2)), ("standard error", ("se", 2)), ("by chance", ("chance", 4))),
    ("of equal spaces", ("equal", 4)),
]


def _words(group: GroupSummary) -> Block:
    """Which words are the least and the most stable, if these runs can tell."""
    words, runs, facts, tables = group["words"], len(group["runs"]), [], []
    for name, ranking in words["rankings"].items():
        every, like = ranking["all"], ranking["like_frequency"]
        if every is None or like is None:
            continue
        needed = f"to reach 0.9: {_needed(every)} runs; among words of like frequency {number(like['reliability'], 2)} "
        needed += f"({_needed(like)} runs)"
        facts.append((f"reliability by {called(name)}", number(every["reliability"], 2), needed))
    for title, some in (("Least stable", words["least_stable"]), ("Most stable", words["most_stable"])):
        if some:
            title = f"{title} beside words of like frequency, by {called(str(words['by']))}"
            tables.append(_listed(title, [{"runs": runs, **row} for row in some], words["n"]))
    aside = (
        f"±: 95 %. Less stable than: the part of the 200 words of like frequency that are more stable, by "
        f"p@{words['n']}. In the least tenth: how probably the word is in the least stable tenth of them, by "
        f"p@{words['n']}."
    )
    return Block(
        f"{group['name']}: which words are stable?",
        facts,
        tables,
        answer=" ".join(part for part in (words["heading"], words["ranking"], words["list"]) if part),
        aside=aside if words["least_stable"] else "",
    )


def _stable_words(groups: Sequence[GroupSummary]) -> Block:
    """How far each group ranks words, and the words that it names, group beside group."""
    names = [in_words(group["name"]) for group in groups]
    rows = [
        (f"reliability by {called(by)}", [_reliability_of(group, by) for group in groups])
        for by in dict.fromkeys(name for group in groups for name in group["words"]["rankings"])
    ]
    tables = [
        _columns(
            names, rows, "Would other runs rank the words alike? 1: exactly; in brackets how many runs would give 0.9"
        )
    ]
    for title, key in (("Least stable", "least_stable"), ("Most stable", "most_stable")):
        some = [group for group in groups if group["words"][key]]  # type: ignore[literal-required]
        if some:
            lists = [[_with_number(row) for row in group["words"][key]] for group in some]  # type: ignore[literal-required]
            cells = [list(chain(*pairs)) for pairs in zip_longest(*lists, fillvalue=("", ""))]
            heads = [
                (f"{in_words(x['name'])}, by {called(str(x['words']['by']))}", f"p@{x['words']['n']}") for x in some
            ]
            which = ", in those runs that can tell" if len(some) < len(groups) else ""
            head = list(chain(*heads))
            title = f"{title} beside words of like frequency{which}"
            tables.append(SmallTable(title, head, cells, opens=range(0, len(head), 2)))
    first = leading(groups)[0]
    answer = " ".join(
        part
        for part in (
            first["words"]["heading"],
            first["words"]["ranking"],
            first["words"]["list"],
            _others(first, groups),
        )
        if part
    )
    return Block("Which words are stable?", tables=tables, answer=f"{in_words(first['name'])}: {answer}")


def _with_number(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["word"], number(row["p"], 2)


def _others(first: GroupSummary, groups: Sequence[GroupSummary]) -> str:
    """Say where other runs name the most stable words though those that lead the page do not."""
    naming = [group["name"] for group in groups if group["words"]["most_stable"]]
    if not naming or first["name"] in naming:
        return ""
    drawn = any(sampling_of(group) == "bootstrap" for group in groups if group["name"] in naming)
    why = "" if drawn else ": none of them drew the documents again"
    return f"{groups_in_words(naming)} do, below{why}."


def _reliability_of(group: GroupSummary, by: str) -> str:
    every = group["words"]["rankings"].get(by, {"all": None})["all"]
    return f"{number(every['reliability'], 2)} ({_needed(every).removeprefix('about ')})" if every else "–"


def _needed(ranking: ReliabilitySummary) -> str:
    return "more than 1,000" if ranking["runs_for_0.9"] is None else f"about {ranking['runs_for_0.9']}"


def _listed(title: str, rows: Sequence[Mapping[str, Any]], n: int) -> SmallTable:
    """Some words with what is known of them, each with the number of runs that its errors rest on."""

    def half(row: Mapping[str, Any], se: str) -> str:
        return number(Estimate.of_runs(math.nan, row[se], row["runs"]).half, 2)

    columns: Columns = [
        *("word", ("count", lambda row: thousands(row["count"]))),
        *(("PIP loss", ("pip", 3)), ("±", lambda row: half(row, "pip_se"))),
        *((f"p@{n}", ("p", 2)), ("±", lambda row: half(row, "p_se"))),
        ("less stable than", lambda row: percent(row["p_place"])),
        ("in the least tenth", lambda row: percent(row["least"])),
    ]
    return SmallTable.of(f"{title} (last two columns: by p@{n})", rows, columns)


def _wanted(result: Result, group: GroupSummary) -> SmallTable | None:
    if result.settings["words"] is None:
        return None
    n, names = group["words"]["n"], {show(own) for word in result.settings["words"] for own in readings(word)}
    rows = [row for row in result.tables["words"].records(group=group["name"]) if row["word"] in names]
    columns = {"pip": "pip_mean", "p": f"p@{n}", "p_se": f"p@{n}_se", "p_place": f"p@{n}_place"}
    some = [row | {name: row[column] for name, column in columns.items()} for row in rows[:_ASKED]]
    more = f", the first {_ASKED} of {len(rows)}" if len(rows) > _ASKED else ""
    return _listed(f"Words asked for{more}", some, n)
