"""The figure of neighbours: words × runs, and beside it how sure each word is."""

from __future__ import annotations

from collections.abc import Sequence

from gpustab.report.origin import in_words
from gpustab.report.svg.axes import cut, short
from gpustab.report.svg.colours import called, series
from gpustab.report.svg.matrix import Cell, Line, lattice
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from, each
from gpustab.report.svg.rows import Dot
from gpustab.results import Table
from gpustab.results.page import counted

_NAMED = 4
"""So many words stand in the title."""
_MOST = 40
"""A panel shows so many words."""


@drawn_from("shares")
def words_and_runs(shares: Table, tables: Tables) -> Picture:
    """One panel per group: a cell for every word and run where the word is a neighbour, the stronger the nearer."""
    lists = tables.get("lists")
    if not lists:
        return Picture()
    groups = dict(shares.split("group")) if "group" in shares else {"": shares}
    drawn, names = series(groups), called(groups)
    panels, said, hidden = [], [], 0
    for group, part in groups.items():
        listed = lists.where(group=group) if "group" in lists else lists
        runs = list(dict.fromkeys(listed["run"]))
        if len(runs) < 2:
            continue
        every = [word for word, hits in each(part, "neighbour", "runs") if hits == len(runs)]
        said.append(
            _in_all(every, sum(hits > 0 for hits in part["runs"]), len(runs), names[group] if len(groups) > 1 else "")
        )
        hidden += max(0, part.height - _MOST)
        panels.append(_panel(group, drawn[group].style, part.take(range(min(_MOST, part.height))), listed))
    if not panels:
        return Picture(missing="The picture of words and runs needs two runs or more that have the word.")
    caption = f" Below, {counted(hidden, 'word', 'is/are')} in the table only." if hidden else ""
    return Picture(". ".join(said[:3]), panels, caption=_CAPTION + caption)


def _in_all(words: Sequence[str], ever: int, runs: int, kind: str) -> str:
    """Which words all runs of a group list, as a clause."""
    some = ", ".join(words[:_NAMED]) + f" and {len(words) - _NAMED} more" * (len(words) > _NAMED)
    of = f"{runs} {kind} runs".replace("  ", " ")
    return f"In all {of}: {some}" if words else f"In all {of}: no word, of the {ever} that some runs list"


def _panel(group: str, style: str, shares: Table, lists: Table) -> str:
    cells, runs = _cells(lists), dict.fromkeys(lists["run"])
    firm = [verdict == "firm" for verdict in shares.get("verdict", [""] * shares.height)]
    rows = zip(firm, each(shares, "neighbour", "share", "low", "high"), strict=True)
    lines = [
        Line(cut(word, 28), "bold" * bold, [cells.get((word, run)) for run in runs], Dot(share, style, 0, low, high))
        for bold, (word, share, low, high) in rows
    ]
    said = "; ".join(f"{word} {n} of {of}" for word, n, of in each(shares, "neighbour", "runs", "of"))
    heading = short(in_words(group), 40)
    return lattice(lines, heading, style, "share of runs", f"Words and runs, {heading}. {said}")


def _cells(lists: Table) -> dict[tuple[str, str], Cell]:
    """By word and run its place in the list of the run, the stronger the nearer."""
    longest = max(1, max(lists["rank"]) - 1)
    return {
        (word, run): Cell(1 - 0.7 * (rank - 1) / longest, f"{rank}", f"{run}: place {rank}")
        for word, run, rank in each(lists, "neighbour", "run", "rank")
    }


_CAPTION = (
    "Rows are words that are among the nearest in some run, columns are runs; the number is the place in the run's "
    "list, the stronger the nearer. Right: in which share of the runs the word is among the nearest, with its 95 % "
    "Wilson interval. Bold: firm."
)

FIGURES: Figures = {"lattice": (_CAPTION, words_and_runs)}
"""How to read the figure, and its drawing."""
