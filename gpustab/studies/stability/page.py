"""The page of stability."""

from __future__ import annotations

import math
from typing import cast

from gpustab.report import Result
from gpustab.results import Block, SmallTable
from gpustab.results.page import counted, number, percent, thousands
from gpustab.spaces.words import as_word, show
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.spaces import COLLAPSED
from gpustab.studies.stability.contrasts import ExtrinsicContrast, HalvesContrast
from gpustab.studies.stability.summary import GroupSummary, ReliabilitySummary, WordSummary

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
        if contrast["name"] == "halves":
            blocks.append(_halves(cast(HalvesContrast, contrast)))
        else:
            blocks.append(_extrinsic(cast(ExtrinsicContrast, contrast)))
    return blocks


def _halves(contrast: HalvesContrast) -> Block:
    n = contrast["n"]
    facts = [
        (f"p@{n} between halves", number(contrast["between"], 3), f"SE {number(contrast['between_se'], 2)}"),
        (f"p@{n} within a half", number(contrast["within"], 3), f"SE {number(contrast['within_se'], 2)}"),
    ]
    title = f"{' and '.join(contrast['groups'])}: do other documents say the same?"
    return Block(title, facts, aside=f"Over {contrast['words']:,} common words. One split at random: it has no error.")


def _extrinsic(contrast: ExtrinsicContrast) -> Block:
    value, (low, high) = contrast["value"], contrast["ratio_interval"]
    meaning = f"SE {number(contrast['se'], 2)}; √(bootstrap² − shuffled²), what resampling adds to training noise"
    if value is None:
        meaning = f"undefined: bootstrap runs differ less than shuffled, {contrast['signed_square']:.1e} squared"
    ratio = f"{number(low, 3)} – {number(high, 3)}: loss of bootstrap by loss of shuffled runs, 95 % interval"
    facts = [("extrinsic instability", number(value), meaning), ("  ratio", number(contrast["ratio"], 3), ratio)]
    return Block(f"{' → '.join(contrast['groups'])}: does it matter which documents there are?", facts)


def _comparison(groups: list[GroupSummary]) -> Block:
    """All groups in one table."""
    common = set.intersection(*(set(group["neighbours"]) for group in groups))
    n = "10" if "10" in common else max(common, key=int, default=None)
    rows = []
    for group in groups:
        pip, scale = group["pip"]["reduced"], group["scale"]
        chance, mean = (scale["chance_reduced_pip"], scale["mean_cosine"]) if scale else (None, None)
        rows.append(
            [
                group["name"],
                str(len(group["runs"])),
                number(pip["mean"]),
                number(pip["se"], 2),
                f"{pip['mean'] / chance:.0%}" if chance else "–",
                number(mean, 3) + " collapsed" * (mean is not None and mean > COLLAPSED),
                number(group["neighbours"][n]["p"], 3) if n else "–",
            ]
        )
    header = ["group", "runs", "PIP loss", "SE", "of chance", "mean cosine", f"p@{n}"]
    return Block(f"{len(rows)} groups", [], [SmallTable("", header, rows)])


def _group(group: GroupSummary, wanted: SmallTable | None) -> Block:
    vocabulary, pip = group["vocabulary"], group["pip"]["reduced"]
    block = Block(
        f"{group['name']}: {len(group['runs'])} runs, {vocabulary['joint']:,} words, {group['dimension']} dimensions"
    )
    spread = f"SD {number(pip['sd'], 2)} over {counted(len(pip['pairs']), 'pair')}, SE {number(pip['se'], 2)}"
    block.facts.append(("reduced PIP loss", number(pip["mean"]), spread))
    if group["scale"]:
        chance = group["scale"]["chance_reduced_pip"]
        share = f"of unrelated spaces; share of chance {pip['mean'] / chance:.0%}" if chance else ""
        block.facts.append(("  chance level", number(chance), share))
        block.facts.append(("  mean cosine", number(group["scale"]["mean_cosine"], 3), "of two different words"))
    rows = [
        [
            n,
            number(x["p"], 3),
            number(x["p_sd"], 2),
            number(x["p_se"], 2),
            number(x["j"], 3),
            number(x["chance_p"], 2),
            f"{x['ties']:,}",
        ]
        for n, x in group["neighbours"].items()
    ]
    block.tables.append(
        SmallTable(
            f"Shared nearest neighbours of {_targets(group)}",
            ["n", "p@n", "SD", "SE", "j@n", "by chance", "ties"],
            rows,
        )
    )
    if "similarity" in group:
        rows = [
            [name, number(x["mean"]), number(x["sd"], 2), number(x["se"], 2), number(x["equal"])]
            for name, x in group["similarity"].items()
        ]
        header = ["metric", "mean", "SD", "SE", "of equal spaces"]
        block.tables.append(SmallTable("Similarity of pairs of spaces", header, rows))
    block.aside = _TYPICAL
    if wanted:
        block.layout.insert(1, [len(block.tables)])
        block.tables.append(wanted)
    block.layout = [[k] for k in range(len(block.tables))]
    return block


def _targets(group: GroupSummary) -> str:
    words = group["targets"]["words"]
    drawn = " drawn at random (--words adds yours)" if words < group["vocabulary"]["joint"] else ""
    return f"{words:,} words{drawn}"


def _words(group: GroupSummary) -> Block:
    """Which words are the least and the most stable, if these runs can tell."""
    words = group["words"]
    block = Block(f"{group['name']}: which words are stable?", answer=f"{words['heading']} {words['ranking']}".strip())
    for name, ranking in words["rankings"].items():
        every, like = ranking["all"], ranking["like_frequency"]
        if every is None or like is None:
            continue
        needed = f"to reach 0.9: {_needed(every)} runs; among words of like frequency {number(like['reliability'], 2)} "
        needed += f"({_needed(like)} runs)"
        called = "PIP loss" if name == "pip" else name
        block.facts.append((f"reliability by {called}", number(every["reliability"], 2), needed))
    runs = len(group["runs"])
    for title, listed in (("Least stable", words["least_stable"]), ("Most stable", words["most_stable"])):
        if listed:
            title = f"{title} beside words of like frequency, by {'PIP loss' if words['by'] == 'pip' else words['by']}"
            block.tables.append(_listed(title, [(row, runs) for row in listed], words["n"]))
    block.answer = f"{block.answer} {words['list']}".strip()
    if words["least_stable"]:
        block.aside = (
            f"±: 95 %. Less stable than: by p@{words['n']}, this part of the 200 words of like frequency. In the least "
            f"tenth: how probably the word is in the least stable tenth of them, by p@{words['n']}."
        )
    block.layout = [[k] for k in range(len(block.tables))]
    return block


def _needed(ranking: ReliabilitySummary) -> str:
    return "more than 1,000" if ranking["runs_for_0.9"] is None else f"about {ranking['runs_for_0.9']}"


def _listed(title: str, rows: list[tuple[WordSummary, int]], n: int) -> SmallTable:
    """Some words with what is known of them, each with the number of runs that its errors rest on."""
    cells = [
        [
            row["word"],
            thousands(row["count"]),
            number(row["pip"], 3),
            _half(row["pip_se"], runs),
            number(row["p"], 2),
            _half(row["p_se"], runs),
            percent(row["p_place"]),
            percent(row["least"]),
        ]
        for row, runs in rows
    ]
    header = ["word", "count", "PIP loss", "±", f"p@{n}", "±", "less stable than", "in the least tenth"]
    return SmallTable(f"{title} (last two columns: by p@{n})", header, cells)


def _half(se: float | None, runs: int) -> str:
    """Half of the 95 % interval of a mean over the pairs of so many runs."""
    return number(Estimate.of_runs(math.nan, se, runs).half, 2)


def _wanted(result: Result, group: GroupSummary) -> SmallTable | None:
    """The words that were asked for by name."""
    if result.settings["words"] is None:
        return None
    n, names = group["words"]["n"], {show(as_word(word)) for word in result.settings["words"]}
    rows = [row for row in result.tables["words"].records(group=group["name"]) if row["word"] in names]
    columns = {"pip": "pip_mean", "p": f"p@{n}", "p_se": f"p@{n}_se", "p_place": f"p@{n}_place"}
    known = ("word", "count", "pip", "pip_se", "p", "p_se", "p_place", "least")
    some = [
        (cast(WordSummary, {name: row[columns.get(name, name)] for name in known}), int(row["runs"]))
        for row in rows[:_ASKED]
    ]
    more = f", the first {_ASKED} of {len(rows)}" if len(rows) > _ASKED else ""
    return _listed(f"Words asked for{more}", some, n)
