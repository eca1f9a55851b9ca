"""What people are shown of a Result: titles, facts and small tables as text, the same for terminal and HTML."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gpustab.results import Result, Table
from gpustab.studies.instability.titles import OBSERVATIONS, TITLES
from gpustab.studies.notes import COLLAPSED


@dataclass
class SmallTable:
    """A table of text cells; the first column is words, the others are numbers or words."""

    title: str
    header: list[str]
    rows: list[list[str]]

    @property
    def words(self) -> list[bool]:
        """Which columns are read as words: they stand to the left, and fold where the page is narrow.

        >>> SmallTable("", ["word", "loss", "agrees"], [["a", "0.1", "yes"], ["b", "–", "no"]]).words
        [True, False, True]
        """
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.header)
        return [k == 0 or not all(cell[:1] in "0123456789+-−–" for cell in column) for k, column in enumerate(columns)]


@dataclass
class Shown:
    """One block of a page.

    Attributes:
        title: its heading.
        facts: ``(name, value, explanation)`` lines.
        tables: small tables.
        layout: which tables stand beside each other, by number; one inner list per line.
    """

    title: str
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    tables: list[SmallTable] = field(default_factory=list)
    layout: list[list[int]] = field(default_factory=list)


_RUNS_BESIDE = 5
"""As many lists fit beside each other."""

_ASKED = 50
"""As many words are shown when they are asked for by name; the table ``words`` has all."""

_NOISE = 1e-12
"""Rounding noise of float64, shown as 0."""


def number(value: float | None, digits: int = 4) -> str:
    """Return a number for people: significant digits, ``–`` for an undefined one.

    >>> number(0.019704968), number(float("nan")), number(0.00007281, 2), number(1.2e-7, 2)
    ('0.01970', '–', '0.000073', '1.2e-07')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) < _NOISE:
        return "0"
    if abs(value) < 1e-5:
        return f"{value:.{digits - 1}e}"
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])  # after rounding: 0.000999 with two digits is 0.0010
    return f"{value:.{max(digits - 1 - exponent, 0)}f}"


def describe(result: Result) -> list[Shown]:
    """Return the blocks of a result's page, in reading order."""
    describers: dict[str, Callable[[Result], list[Shown]]] = {
        "stability": _stability,
        "neighbours": _neighbours,
        "average": _average,
        "info": _info,
        "instability": _instability,
    }
    return describers.get(result.name, _generic)(result)


def _stability(result: Result) -> list[Shown]:
    measured = {entry["group"]: entry for entry in result.settings["measured"]}
    blocks = [_comparison(result)] if len(result.groups) > 1 else []
    blocks += [_group(group, measured[group["name"]], _asked(result, group)) for group in result.groups]
    for contrast in result.contrasts:
        value = contrast["value"]
        meaning = "what another sample of documents adds to training noise"
        if value is None:
            meaning = f"undefined: bootstrap runs differ less than shuffled, {contrast['signed_square']:.1e} squared"
        blocks.append(Shown(f"{' → '.join(contrast['groups'])}", [("extrinsic instability", number(value), meaning)]))
    return blocks


def _comparison(result: Result) -> Shown:
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
    return Shown(f"{len(rows)} groups", [], [SmallTable("", header, rows)], [[0]])


def _group(group: dict[str, Any], measured: dict[str, Any], asked: SmallTable | None) -> Shown:
    vocabulary, pip = group["vocabulary"], group["pip"]["reduced"]
    shown = Shown(
        f"{group['name']}: {len(group['runs'])} runs, {vocabulary['joint']:,} words, {group['dimension']} dimensions"
    )
    spread = f"SD {number(pip['sd'], 2)} over {_count(len(pip['pairs']), 'pair')}, SE {number(pip['se'], 2)}"
    shown.facts.append(("reduced PIP loss", number(pip["mean"]), spread))
    if group["scale"]:
        chance = group["scale"]["chance_reduced_pip"]
        share = f"of unrelated spaces; the runs reach {pip['mean'] / chance:.0%} of it" if chance else ""
        shown.facts.append(("  chance level", number(chance), share))
        shown.facts.append(("  mean cosine", number(group["scale"]["mean_cosine"], 3), "of two different words"))
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
    shown.tables.append(
        SmallTable(
            f"Shared nearest neighbours of {measured['targets']:,} target words",
            ["n", "p@n", "SD", "SE", "j@n", "chance p", "ties"],
            rows,
        )
    )
    for title, key in (("Least stable words", "least_stable"), ("Most stable words", "most_stable")):
        words = [[word, number(mean, 3), number(sd, 2)] for word, mean, sd in group["words"][key]]
        shown.tables.append(SmallTable(title, ["word", "PIP loss", "SD"], words))
    shown.layout = [[0], [1, 2]]
    if asked:
        shown.tables.append(asked)
        shown.layout.insert(1, [3])
    return shown


def _asked(result: Result, group: dict[str, Any]) -> SmallTable | None:
    """The words that were asked for by name."""
    if result.settings["targets"] != "words":
        return None
    n = max(group["neighbours"], key=int)
    table = result.tables["words"]
    columns = [table[name] for name in ("group", "word", "pip_mean", "pip_sd", f"p@{n}")]
    rows = [
        row for row in zip(*columns, strict=True) if row[0] == group["name"] and row[4] is not None and row[4] == row[4]
    ]
    cells = [[word, number(mean, 3), number(sd, 2), number(p, 3)] for _, word, mean, sd, p in rows[:_ASKED]]
    more = f", the first {_ASKED} of {len(rows)}" if len(rows) > _ASKED else ""
    return SmallTable(f"Words asked for{more}", ["word", "PIP loss", "SD", f"p@{n}"], cells)


def _neighbours(result: Result) -> list[Shown]:
    (group,) = result.groups
    shown = Shown(
        f"{group['name']}: the {group['n']} nearest neighbours of '{group['word']}' in {len(group['runs'])} runs"
    )
    spread = f"SD {number(group['p_sd'], 2)}, SE {number(group['p_se'], 2)}; chance {number(group['chance_p'], 2)}"
    shown.facts.append((f"p@{group['n']} of two runs", number(group["p"], 3), spread))
    rows = [
        [word, f"{hits}", number(share, 2), f"{number(low, 2)} – {number(high, 2)}", number(cosine, 3), number(sd, 2)]
        for word, hits, share, low, high, cosine, sd in group["neighbours"]
    ]
    shown.tables.append(SmallTable("", ["neighbour", "runs", "share", "95 %", "cosine", "SD"], rows))
    for start in range(0, len(group["runs"]), _RUNS_BESIDE):
        shown.tables.append(_by_run(group, start))
    shown.layout = [[k] for k in range(len(shown.tables))]
    return [shown]


def _by_run(group: dict[str, Any], start: int) -> SmallTable:
    """The lists of a few runs side by side."""
    some = slice(start, start + _RUNS_BESIDE)
    ranks = [[str(rank)] for rank in range(1, group["n"] + 1)]
    for words in group["lists"][some]:
        for k, row in enumerate(ranks):
            row.append(words[k] if k < len(words) else "–")
    return SmallTable("By run" if not start else "", ["rank", *group["runs"][some]], ranks)


def _average(result: Result) -> list[Shown]:
    (group,) = result.groups
    shown = Shown(f"{group['name']}: average of {group['runs']} runs, {group['words']:,} words")
    shown.facts = [
        ("loss between runs", number(group["loss_between_runs"]), "mean reduced PIP loss of two runs"),
        (
            "loss between orders",
            number(group["loss_between_orders"], 2),
            "of the averages in this and the reverse order",
        ),
    ]
    if "written" in group:
        shown.facts.append(("written to", group["written"], ""))
    shown.tables.append(_whole("Reduced PIP loss between averages of equally many runs", result.tables["levels"]))
    shown.layout = [[0]]
    return [shown]


def _info(result: Result) -> list[Shown]:
    """One file in full, several in a table; what cannot be read says why."""
    readable = [group for group in result.groups if "error" not in group]
    refused = [
        Shown(f"{group['name']}: cannot be read", [("", group["error"], "")])
        for group in result.groups
        if "error" in group
    ]
    if len(readable) == 1:
        (group,) = readable
        facts = [
            (name.replace("_", " "), _fact(value), "")
            for name, value in group.items()
            if name not in {"name", "made"} and value is not None
        ]
        return [Shown(group["name"], facts), *refused]
    columns = ["name", "format", "words", "dimension", "duplicates", "nonfinite", "undecodable", "zero_vectors"]
    table = _whole("", {name: [group[name] for group in readable] for name in columns})
    return [Shown(f"{len(readable)} files", [], [table], [[0]])] * bool(readable) + refused


def _fact(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(value) if isinstance(value, list) else _cell(value)


def _instability(result: Result) -> list[Shown]:
    """The tables with a title, in the order of the titles; those of one row per word go to Parquet only."""
    blocks = []
    for group in result.groups:
        runs = ", ".join(f"{len(names)} {sampling}" for sampling, names in group["runs"].items())
        pip = [
            (f"reduced PIP loss, {sampling}", number(x["reduced_pip"]), f"SE {number(x['se'], 2)}")
            for sampling, x in group["pip"].items()
        ]
        extrinsic = ("extrinsic instability", number(group["extrinsic"]), "")
        title = f"{group['name']}: {runs} runs, {group['words']:,} words, {group['dimension']} dimensions"
        blocks.append(Shown(title, [*pip, extrinsic]))
    seen = result.tables["observations"]
    facts = [
        (f"{source}  {technique}", agrees, f"{claim}: {shows}. Rule: {rule}.")
        for source, claim, technique, shows, agrees, rule in zip(*seen.values(), strict=True)
    ]
    blocks.append(Shown(OBSERVATIONS, facts))
    for name, title in TITLES.items():
        if result.tables.get(name, {}).get("technique"):
            blocks.append(Shown(title, [], [_whole("", result.tables[name])], [[0]]))
    return blocks


def _generic(result: Result) -> list[Shown]:
    """A page for any other result: the plain facts of each group, then its tables."""
    blocks = []
    for group in result.groups:
        facts = [
            (key.replace("_", " "), number(value) if isinstance(value, float) else str(value), "")
            for key, value in group.items()
            if key != "name" and not isinstance(value, dict | list)
        ]
        blocks.append(Shown(str(group["name"]), facts))
    for name, columns in result.tables.items():
        blocks.append(Shown(name.replace("_", " "), [], [_whole("", columns)], [[0]]))
    return blocks


def _whole(title: str, columns: Table) -> SmallTable:
    rows = [[_cell(value) for value in row] for row in zip(*columns.values(), strict=True)]
    return SmallTable(title, [name.replace("_", " ") for name in columns], rows)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return number(value, 3)
    return "–" if value is None else str(value)


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
