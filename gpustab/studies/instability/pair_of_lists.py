"""How the page shows the neighbours of one word in two spaces: narrow, so that both stand side by side."""

from __future__ import annotations

from gpustab.results import SmallTable, Table
from gpustab.results.page import number

SIDE_BY_SIDE = ("table_2_2", "table_3_5")
_HEADER = ["neighbour", "rank", "cosine", "rank of second", "cosine"]


def side_by_side(table: Table) -> list[SmallTable]:
    """Return one small table per technique; its title names the technique, the word and the two spaces."""
    shown = []
    for technique, rows in table.split("technique"):
        beneath = rows["runs_beneath"][0]
        spaces = "two runs" if beneath == 1 else f"two averages of {beneath} disjoint runs each"
        cells = [
            [
                row["neighbour"],
                str(row["first_rank"]),
                number(row["first_cosine"], 3),
                str(row["second_rank"]),
                number(row["second_cosine"], 3),
            ]
            for row in rows.records()
        ]
        shown.append(SmallTable(f"{technique}: '{rows['target'][0]}' in {spaces}", _HEADER, cells))
    return shown
