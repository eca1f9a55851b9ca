"""What blocks of the study's page are made of: a table, a sentence on every background and text, numbers as cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Shown, minus, with_half
from gpustab.studies.consistency.limits import as_cosine
from gpustab.studies.consistency.sentences import of_each

Row = Mapping[str, Any]
Columns = Sequence[tuple[str, Shown]]


def block_of(
    table: Table | None,
    title: str,
    shown: tuple[str, Columns],
    said: Callable[[Table], str],
    *,
    after: str = "",
    **more: Any,
) -> Iterator[Block]:
    """Yield a block of a table with a sentence on every background and text, if the table has rows.

    Args:
        table: with a column ``group``.
        title: of the block.
        shown: title and columns of its small table; who has the rows stands first where they are several.
        said: of the rows of one background and text.
        after: what else is said.
        more: of the block.
    """
    if table and table.height:
        answer = "\n".join([*of_each(table, said), after]).strip()
        yield Block(title, tables=[small_table(table, *shown)], answer=answer, **more)


def small_table(table: Table, title: str, columns: Columns) -> SmallTable:
    """Return a table as people read it; who has the rows stands first where they are several."""
    of: Columns = [("background, text", "group")] if len(set(table["group"])) > 1 else []
    return SmallTable.of(title, table.records(), [*of, *columns])


def half(name: str, of: str = "") -> Callable[[Row], str]:
    """What shows a number with half of its interval; of a difference the number has a longer name than its ends."""
    return lambda row: with_half(row[name + of], (row[f"{name}_high"] - row[f"{name}_low"]) / 2)


def cosine(name: str) -> Callable[[Row], str]:
    """What shows a cosine, if there is one."""
    return lambda row: "–" if row[name] is None else as_cosine(row[name])


def both(name: str) -> Callable[[Row], str]:
    """What shows a number of two texts."""
    return lambda row: " / ".join(minus(f"{row[of]:.3f}") for of in (name, f"{name}_against"))
