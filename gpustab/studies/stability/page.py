"""The page of stability: its title, its blocks, a methods paragraph, what to cite, and the columns of all words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from gpustab.report import Result
from gpustab.results import Block, Content, SmallTable
from gpustab.results.page import Columns, counted, number, percent, thousands
from gpustab.spaces.words import readings, show
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.spaces import COLLAPSED
from gpustab.studies.shared.wording import listed
from gpustab.studies.stability.summary import GroupSummary, ReliabilitySummary, called

CITATIONS = ("rettenmeier2020", "antoniak2018")

WORDS = {
    "words": {
        "count": "occurrences",
        "pip_mean": "PIP loss",
        "pip_se": "its SE",
        "p@10": "p@10",
        "p@10_se": "its SE",
        "p@10_place": "less stable than",
        "least": "in the least tenth",
    }
}

_ASKED = 50
"""As many words are shown when they are asked for by name; the table ``words`` has all."""

_TYPICAL = (
    "What is usual: 249 speeches (1.9 million words) give p@10 0.60 with skip-gram, 0.71 with LSA, 0.86 with GloVe. "
    "Small corpora give less."
)


def page(result: Result) -> list[Block]:
    """Return a block that compares the groups, one for each of them, and one for every contrast."""
    groups = [cast(GroupSummary, group) for group in result.groups]
    blocks = [_comparison(groups)] if len(groups) > 1 else []
    for group in groups:
        blocks += [_group(group, _wanted(result, group)), _words(group)]
    for contrast in result.contrasts:
        blocks.append(_halves(contrast) if contrast["name"] == "halves" else _extrinsic(contrast))
    return blocks


def _halves(contrast: Mapping[str, Any]) -> Block:
    n = contrast["n"]
    facts = [
        (f"p@{n} between halves", number(contrast["between"], 3), f"SE {number(contrast['between_se'], 2)}"),
        (f"p@{n} within a half", number(contrast["within"], 3), f"SE {number(contrast['within_se'], 2)}"),
    ]
    title = f"{' and '.join(contrast['groups'])}: do other documents say the same?"
    return Block(title, facts, aside=f"Over {contrast['words']:,} common words. One split at random: it has no error.")


def _extrinsic(contrast: Mapping[str, Any]) -> Block:
    value, (low, high) = contrast["value"], contrast["ratio_interval"]
    meaning = f"SE {number(contrast['se'], 2)}; √(bootstrap² − shuffled²), what resampling adds to training noise"
    if value is None:
        meaning = f"undefined: bootstrap runs differ less than shuffled, {contrast['signed_square']:.1e} squared"
    ratio = f"{number(low, 3)} – {number(high, 3)}: loss of bootstrap by loss of shuffled runs, 95 % interval"
    facts = [("extrinsic instability", number(value), meaning), ("  ratio", number(contrast["ratio"], 3), ratio)]
    return Block(f"{' → '.join(contrast['groups'])}: does it matter which documents there are?", facts)


def _comparison(groups: list[GroupSummary]) -> Block:
    common = set.intersection(*(set(group["neighbours"]) for group in groups))
    n = "10" if "10" in common else max(common, key=int, default=None)
    columns: Columns = [
        ("group", "name"),
        ("runs", lambda group: str(len(group["runs"]))),
        ("PIP loss", lambda group: number(group["pip"]["reduced"]["mean"])),
        ("SE", lambda group: number(group["pip"]["reduced"]["se"], 2)),
        ("of chance", lambda group: _share_of_chance(group) or "–"),
        ("mean cosine", _mean_cosine),
        (f"p@{n}", lambda group: number(group["neighbours"][n]["p"], 3) if n else "–"),
    ]
    return Block(f"{len(groups)} groups", [], [SmallTable.of("", groups, columns)])


def _share_of_chance(group: GroupSummary) -> str:
    """The loss in parts of that of unrelated spaces; empty where there is no such level."""
    chance = group["scale"] and group["scale"]["chance_reduced_pip"]
    return f"{group['pip']['reduced']['mean'] / chance:.0%}" if chance else ""


def _mean_cosine(group: GroupSummary) -> str:
    mean = group["scale"]["mean_cosine"] if group["scale"] else None
    return number(mean, 3) + " collapsed" * (mean is not None and mean > COLLAPSED)


def _group(group: GroupSummary, wanted: SmallTable | None) -> Block:
    words, pip, scale = group["vocabulary"]["joint"], group["pip"]["reduced"], group["scale"]
    spread = f"SD {number(pip['sd'], 2)} over {counted(len(pip['pairs']), 'pair')}, SE {number(pip['se'], 2)}"
    facts = [("reduced PIP loss", number(pip["mean"]), spread)]
    if scale:
        share = _share_of_chance(group)
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
    return Block(title, facts, [*tables, *([wanted] if wanted else [])], aside=_TYPICAL)


_LISTS: Columns = [
    *(
        "n",
        ("p@n", ("p", 3)),
        ("SD", ("p_sd", 2)),
        ("SE", ("p_se", 2)),
        ("j@n", ("j", 3)),
        ("by chance", ("chance_p", 2)),
    ),
    ("ties", lambda row: thousands(row["ties"])),
]
_METRICS: Columns = [
    *("metric", ("mean", ("mean", 4)), ("SD", ("sd", 2)), ("SE", ("se", 2)), ("by chance", ("chance", 4))),
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
        f"±: 95 %. Less stable than: by p@{words['n']}, this part of the 200 words of like frequency. In the least "
        f"tenth: how probably the word is in the least stable tenth of them, by p@{words['n']}."
    )
    return Block(
        f"{group['name']}: which words are stable?",
        facts,
        tables,
        answer=" ".join(part for part in (words["heading"], words["ranking"], words["list"]) if part),
        aside=aside if words["least_stable"] else "",
    )


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


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many runs of how many words were compared."""
    runs = sum(len(group["runs"]) for group in result.groups)
    words = sorted({group["vocabulary"]["joint"] for group in result.groups})
    if not words:
        return "How stable are these word embeddings?", ""
    span = f"{words[0]:,}" if len(words) == 1 else f"{words[0]:,}–{words[-1]:,}"
    groups = f" in {counted(len(result.groups), 'group')}" if len(result.groups) > 1 else ""
    return "How stable are these word embeddings?", f"{counted(runs, 'run')}{groups} · {span} words"


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    targets = " or ".join(f"{n:,}" for n in sorted({group["targets"]["words"] for group in result.groups}))
    groups, proxy = [_runs_of(group) for group in result.groups] or [""], result.settings.get("proxy")
    sampled = (
        "All pairs of words were compared." if proxy is None else f"Losses are over {proxy:,} words drawn at random."
    )
    return (
        f"We compared {listed(groups)} with gpustab {result.environment.get('gpustab')}. Stability was "
        "measured between all pairs of runs of a group and never across groups: as the reduced PIP loss, half the "
        "root mean square difference of the cosines of all pairs of words, beside the value of unrelated spaces, and "
        "as p@n, the share of a word's n nearest neighbours in one run that are among the n nearest in another "
        f"(n = {', '.join(map(str, result.settings.get('neighbours', ())))}), over {targets} target "
        f"words. {sampled} Intervals are 95 % intervals over runs: the standard error is found by leaving out "
        "one run after the other, and multiplied by Student's t with one degree of freedom less than there are runs."
    )


def _runs_of(group: dict[str, Any]) -> str:
    of = "" if group["name"] == "runs" else f" of {group['name']}"  # what runs without a name are called
    words, dimension = group["vocabulary"]["joint"], group["dimension"]
    return f"{counted(len(group['runs']), 'run')}{of} ({words:,} words, {dimension} dimensions)"
