"""As a hook of MkDocs: the tables of ``reference/faults.md``, from what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"


def _results(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((RESULTS / name).read_text(encoding="utf-8"))
    return content


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        cells = [f"{cell:,}" if isinstance(cell, int) else str(cell).replace("|", r"\|") for cell in row]
        yield f"| {' | '.join(cells)} |"


def _with_sum(rows: list[list[Any]]) -> list[list[Any]]:
    """With a row of sums, which say of how many rows they are where some were not counted."""
    columns = [[cell for cell in column if cell != _UNKNOWN] for column in zip(*(row[1:] for row in rows), strict=True)]
    sums = [
        sum(column) if len(column) == len(rows) else f"{sum(column):,} ({len(column)} of {len(rows)} rows)"
        for column in columns
    ]
    return [*rows, ["all", *sums]]


_UNKNOWN = "not counted"
_ANEW = "train, two jobs"
"""The call whose operations are of several processes: it cannot be forked at one of them."""


class Kind(NamedTuple):
    """What was broken: calls, or files.

    Attributes:
        name: of one, in its rows.
        parts: the column of the parts that every damage is to meet.
        columns: of the table, by their heads, after the name.
        whole: what was done where all was tried.
        some: what was done where all parts were.
    """

    name: str
    parts: str
    columns: dict[str, str]
    whole: str
    some: str


KINDS = {
    "calls": Kind(
        "call",
        "sites and faults",
        {
            "operations": "operations",
            "sites": "sites",
            "sites and faults": "sites × faults",
            "of them tried": "tried",
            "faults": "operations × faults",
            "tried": "tried",
            "survived": "survived",
        },
        "counted whole: every operation met every fault that applies to it",
        "every site met every fault, other operations of a site did not",
    ),
    "files": Kind(
        "file",
        "kinds of forms",
        {
            "kinds of forms": "places × damages",
            "of them tried": "tried",
            "forms": "forms",
            "tried": "tried",
            "refused": "refused",
            "read as whole": "read as whole",
            "wrong": "wrong",
        },
        "read in every form",
        "every place, items of a list being one, met every damage",
    ),
}


def _names(rows: Sequence[dict[str, Any]], key: str) -> str:
    return ", ".join(f"`{row[key]}`" for row in rows)


def counted_lines(what: str) -> Iterator[str]:
    """Yield how far calls or files were tried: whole, by their parts, or as a sample."""
    kind, rows = KINDS[what], _results("faults.json")[what]
    whole = [row for row in rows if row["tried"] == row.get("faults", row.get("forms"))]
    some = [row for row in rows if row not in whole and row.get(kind.parts) == row["of them tried"]]
    samples = [row for row in rows if row not in whole and row not in some]
    yield f"Of {len(rows)} {what} {len(whole)} were {kind.whole}."
    if some:
        yield f"At {len(some)} {kind.some}: {_names(some, kind.name)}."
    if samples:
        yield f"**Of {len(samples)} a sample was tried**, and *tried* says how many: {_names(samples, kind.name)}."
        yield "What was not tried there is not known to survive."


def forked_lines() -> Iterator[str]:
    """Yield which calls began anew for every fault."""
    yield "A call is forked at the operation, so that what came before is computed once;"
    yield f"`{_ANEW}` begins anew each time, and its *tried* counts what was met."
    if early := [row for row in _results("faults.json")["calls"] if "sites" not in row and row["call"] != _ANEW]:
        yield f"{_names(early, 'call')} began anew too: they were counted before calls were forked."


def table_lines(what: str) -> Iterator[str]:
    """Yield the table of disturbed calls, or of broken files."""
    kind = KINDS[what]
    rows = [
        [row[kind.name], *(row.get(key, _UNKNOWN) for key in kind.columns)] for row in _results("faults.json")[what]
    ]
    yield from _table((kind.name, *kind.columns.values()), _with_sum(rows))


def growth_lines() -> Iterator[str]:
    """Yield what takes longest of all expressions and functions of text, and how it grows."""
    rows = sorted(_results("growth.json")["rows"], key=lambda row: -row["seconds"])
    timed = [row for row in rows if row["exponent"] is not None]
    few = [[f"`{row['what']}`", f"{1000 * row['seconds']:.1f} ms", row["exponent"]] for row in timed[:25]]
    yield from _table(("expression, or function", "8,000 signs at worst", "power"), few)
    yield ""
    worst = max(row["exponent"] for row in timed)
    bad = sum(not row["linear"] for row in rows)
    yield (
        f"{len(rows)} in all; {bad} not linear. The largest of {len(timed)} powers is {worst}; the others take "
        "less than a fifth of a millisecond."
    )


def _limits(job: str, what: str) -> Iterator[str]:
    keys = ("seconds", "peak_mb", "more_mb")
    rows = [
        [row[what], row["commit"], f"{row['file_mb']:.3f}", *(row[key] for key in keys), _end(row["code"])]
        for row in _results("limits-cpu.json")[job]
    ]
    head = ("commit", "file, MB", "processor seconds", "peak, MB", "more than the first, MB", "end")
    yield from _table((what.replace("_mb", ", MB"), *head), rows)


def text_lines() -> Iterator[str]:
    """Yield the memory that text takes, and what an earlier version took."""
    rows = _results("limits-cpu.json")["text"]
    largest = [row for row in rows if row["text_mb"] == rows[-1]["text_mb"]]
    each = [f"{row['more_mb'] / row['text_mb']:.1f} MB ({row['commit']}, {row['seconds']} s)" for row in largest]
    yield f"Each MB of a text of {rows[-1]['text_mb']} MB takes {', then '.join(each)}."
    if len(largest) == 2:
        before, now = largest
        change = round(100 * (now["seconds"] / before["seconds"] - 1))
        yield f"The time {'rose' if change > 0 else 'fell'} by {abs(change)} % with that."
    yield ""
    yield from _limits("text", "text_mb")


def run_lines() -> Iterator[str]:
    """Yield the memory that runs take, and whether that is what was meant."""
    few, *_, many = _results("limits-cpu.json")["runs"]
    met = "is met" if many["peak_mb"] <= _GOAL else "is not met"
    yield (
        f"{many['runs']:,} runs take {many['peak_mb']:,} MB; {few['runs']} runs alone take {few['peak_mb']:,} MB. "
        f"The goal of {_GOAL} MB {met}."
    )
    yield ""
    yield from _limits("runs", "runs")


_GOAL = 500
"""MB that 1,000 runs of 50 words and 4 dimensions were to take at most."""


def bomb_lines() -> Iterator[str]:
    """Yield what small files do that unpack to much."""
    yield from _limits("bombs", "bomb")


def _end(code: int) -> str:
    return {0: "done", 2: "refused", -24: "stopped after 5 minutes of a processor"}.get(code, f"ended with {code}")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the tables where the page asks for them."""
    for name, lines in (
        *((what, partial(table_lines, what)) for what in KINDS),
        *((f"{what} counted", partial(counted_lines, what)) for what in KINDS),
        ("calls forked", forked_lines),
        ("growth", growth_lines),
        ("text", text_lines),
        ("runs", run_lines),
        ("bombs", bomb_lines),
    ):
        if (mark := f"<!-- faults: {name} -->") in markdown:
            markdown = markdown.replace(mark, "\n".join(lines()))
    return markdown
