"""The page of stability."""

from __future__ import annotations

from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable
from gpustab.results.page import counted, number
from gpustab.studies.shared.spaces import COLLAPSED

_ASKED = 50
"""As many words are shown when they are asked for by name; the table ``words`` has all."""


def page(result: Result) -> list[Block]:
    """Return a block that compares the groups, one for each of them, and one for every contrast."""
    blocks = [_comparison(result)] if len(result.groups) > 1 else []
    blocks += [_group(group, _asked(result, group)) for group in result.groups]
    for contrast in result.contrasts:
        value = contrast["value"]
        meaning = "what another sample of documents adds to training noise"
        if value is None:
            meaning = f"undefined: bootstrap runs differ less than shuffled, {contrast['signed_square']:.1e} squared"
        blocks.append(Block(f"{' → '.join(contrast['groups'])}", [("extrinsic instability", number(value), meaning)]))
    return blocks


def _comparison(result: Result) -> Block:
    """All groups in one table."""
    common = set.intersection(*(set(group["neighbours"]) for group in result.groups))
    n = "10" if "10" in common else max(common, key=int, default=None)
    rows = []
    for group in result.groups:
        pip, scale = group["pip"]["reduced"], group["scale"] or {}
        chance, mean = scale.get("chance_reduced_pip"), scale.get("mean_cosine")
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


def _group(group: dict[str, Any], asked: SmallTable | None) -> Block:
    vocabulary, pip = group["vocabulary"], group["pip"]["reduced"]
    block = Block(
        f"{group['name']}: {len(group['runs'])} runs, {vocabulary['joint']:,} words, {group['dimension']} dimensions"
    )
    spread = f"SD {number(pip['sd'], 2)} over {counted(len(pip['pairs']), 'pair')}, SE {number(pip['se'], 2)}"
    block.facts.append(("reduced PIP loss", number(pip["mean"]), spread))
    if group["scale"]:
        chance = group["scale"]["chance_reduced_pip"]
        share = f"of unrelated spaces; the runs reach {pip['mean'] / chance:.0%} of it" if chance else ""
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
            f"Shared nearest neighbours of {group['targets']['words']:,} target words",
            ["n", "p@n", "SD", "SE", "j@n", "chance p", "ties"],
            rows,
        )
    )
    for title, key in (("Least stable words", "least_stable"), ("Most stable words", "most_stable")):
        words = [[word, number(mean, 3), number(sd, 2)] for word, mean, sd in group["words"][key]]
        block.tables.append(SmallTable(title, ["word", "PIP loss", "SD"], words))
    block.layout = [[0], [1, 2]]
    if "similarity" in group:
        rows = [
            [name, number(x["mean"]), number(x["sd"], 2), number(x["se"], 2), number(x["equal"])]
            for name, x in group["similarity"].items()
        ]
        header = ["metric", "mean", "SD", "SE", "of equal spaces"]
        block.layout.append([len(block.tables)])
        block.tables.append(SmallTable("Similarity of pairs of spaces", header, rows))
    if asked:
        block.layout.insert(1, [len(block.tables)])
        block.tables.append(asked)
    return block


def _asked(result: Result, group: dict[str, Any]) -> SmallTable | None:
    """The words that were asked for by name."""
    if result.settings["words"] is None:
        return None
    n = max(group["neighbours"], key=int)
    rows = [
        row
        for row in result.tables["words"].rows(group=group["name"])
        if row[f"p@{n}"] is not None and row[f"p@{n}"] == row[f"p@{n}"]  # NaN where it was not asked for
    ]
    cells = [
        [row["word"], number(row["pip_mean"], 3), number(row["pip_sd"], 2), number(row[f"p@{n}"], 3)]
        for row in rows[:_ASKED]
    ]
    more = f", the first {_ASKED} of {len(rows)}" if len(rows) > _ASKED else ""
    return SmallTable(f"Words asked for{more}", ["word", "PIP loss", "SD", f"p@{n}"], cells)
