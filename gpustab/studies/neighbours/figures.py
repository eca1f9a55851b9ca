"""The figure of neighbours: words × runs, and beside it how sure each word is."""

from __future__ import annotations

from gpustab.report.svg.colours import called, series
from gpustab.report.svg.elements import LETTER, WIDTH, box, figure, line, mark, text, whisker
from gpustab.report.svg.picture import Figures, Picture, Tables
from gpustab.report.svg.plot import short
from gpustab.results import Table
from gpustab.results.page import counted

_MOST = 40
"""A panel shows so many words."""
_ROW, _TOP = 17.0, 44.0
_SHARES = 96.0
"""Width of the shares with their intervals."""
_RANKED = 13.0
"""Cells of this width hold the rank."""


def lattice(tables: Tables) -> Picture:
    """One panel per group: a cell for every word and run where the word is a neighbour, the stronger the nearer."""
    shares, lists = tables.get("shares"), tables.get("lists")
    if not shares or not lists or not shares.height:
        return Picture()
    groups = _groups(shares)
    drawn, names = series(groups), called(groups)
    panels, said, hidden = [], [], 0
    for group, part in groups.items():
        listed = lists.where(group=group) if "group" in lists else lists
        runs = list(dict.fromkeys(listed["run"]))
        if len(runs) < 2:
            continue
        every = sum(hits == len(runs) for hits in part["runs"])
        said.append(f"{every} of {part.height} in all {len(runs)} {names[group]} runs".replace("  ", " "))
        hidden += max(0, part.height - _MOST)
        panels.append(
            _panel(short(group, 40), drawn[group].style, part.take(range(min(_MOST, part.height))), listed, runs)
        )
    if not panels:
        return Picture(missing="The picture of words and runs needs two runs or more that have the word.")
    caption = f" Below, {counted(hidden, 'word', 'is/are')} in the table only." if hidden else ""
    return Picture(f"Words that are ever among the nearest: {'; '.join(said[:4])}", panels, caption=_CAPTION + caption)


def _panel(group: str, style: str, shares: Table, lists: Table, runs: list[str]) -> str:
    words = [short(word, 20) for word in shares["neighbour"]]
    left = 12 + LETTER * max(4, *map(len, words))
    right = WIDTH - _SHARES - 16
    size = min((right - left) / len(runs), 22.0)
    longest = max(lists["rank"])
    ranks = {(row["neighbour"], row["run"]): row["rank"] for row in lists.records()}
    parts = [text(0, 11, group, f"{style} own bold"), text(WIDTH, 11, "share of runs", "soft", "end")]
    start = right + 16
    bottom = _TOP + _ROW * len(words)
    for share, label, anchor in ((0.0, "0", "start"), (0.5, "½", "middle"), (1.0, "1", "end")):
        x = start + share * _SHARES
        parts += [text(x, _TOP - 8, label, "soft", anchor), line(x, _TOP - 3, x, bottom, "grid")]
    if size >= _RANKED:
        parts += [text(left + (k + 0.5) * size, _TOP - 8, k, "soft", "middle") for k in range(len(runs))]
    for k, row in enumerate(shares.records()):
        y = _TOP + _ROW * k
        parts.append(text(left - 7, y + 12, words[k], "bold" if row.get("verdict") == "firm" else "", "end"))
        parts += [
            part
            for r, run in enumerate(runs)
            for part in _cell(left + r * size, y, size, ranks.get((row["neighbour"], run)), longest, f"{run}")
        ]
        parts.append(whisker(start + row["low"] * _SHARES, start + row["high"] * _SHARES, y + 8, f"{style} line thin"))
        parts.append(mark(start + row["share"] * _SHARES, y + 8, 0, f"{style} full", 3.5))
    said = "; ".join(f"{word} {n} of {of}" for word, n, of in zip(words, shares["runs"], shares["of"], strict=True))
    return figure(bottom + 4, parts, f"Words and runs, {group}. {said}")


def _cell(x: float, y: float, size: float, rank: int | None, longest: int, run: str) -> list[str]:
    """One word in one run: filled where it is a neighbour, with its rank where there is room."""
    tall = _ROW - 2
    if rank is None:
        return [box(x, y, size - 1, tall, "heat full", 0.05)]
    shade = 1 - 0.7 * (rank - 1) / max(1, longest - 1)
    parts = [box(x, y, size - 1, tall, "heat full", round(shade, 2), f"{run}: place {rank}")]
    if size >= _RANKED:
        parts.append(text(x + (size - 1) / 2, y + 12, rank, "on" if shade > 0.55 else "", "middle"))
    return parts


def _groups(shares: Table) -> dict[str, Table]:
    return dict(shares.split("group")) if "group" in shares else {"": shares}


_CAPTION = (
    "Rows are words that are among the nearest in some run, columns are runs; the number is the place in the run's "
    "list, the stronger the nearer. Right: in which share of the runs the word is among the nearest, with its 95 % "
    "Wilson interval. Bold: firm."
)

FIGURES: Figures = {"lattice": (_CAPTION, lattice)}
"""How to read the figure, and its drawing."""
