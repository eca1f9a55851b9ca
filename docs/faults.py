"""As a hook of MkDocs: the tables of ``reference/faults.md``, from what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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
    """With a row of sums; what was not counted is none."""
    columns = zip(*(row[1:] for row in rows), strict=True)
    return [*rows, ["all", *(sum(cell for cell in column if isinstance(cell, int)) for column in columns)]]


_UNKNOWN = "not counted"


def call_lines() -> Iterator[str]:
    """Yield the table of disturbed calls."""
    keys = ("operations", "sites", "sites and faults", "of them tried", "faults", "tried", "survived")
    rows = [[row["call"], *(row.get(key, _UNKNOWN) for key in keys)] for row in _results("faults.json")["calls"]]
    head = ("operations", "sites", "sites × faults", "tried", "operations × faults", "tried", "survived")
    yield from _table(("call", *head), _with_sum(rows))


def file_lines() -> Iterator[str]:
    """Yield the table of broken files."""
    keys = ("kinds of forms", "of them tried", "forms", "tried", "refused", "read as whole", "wrong")
    rows = [[row["file"], *(row.get(key, _UNKNOWN) for key in keys)] for row in _results("faults.json")["files"]]
    head = ("places × damages", "tried", "forms", "tried", *keys[4:])
    yield from _table(("file", *head), _with_sum(rows))


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


def limit_lines() -> Iterator[str]:
    """Yield the memory of text, runs, and small files that unpack to much."""
    content = _results("limits-cpu.json")
    for job, what in (("text", "text_mb"), ("runs", "runs"), ("bombs", "bomb")):
        rows = [
            [
                row[what],
                row["commit"],
                f"{row['file_mb']:.3f}",
                row["seconds"],
                row["peak_mb"],
                row["more_mb"],
                _end(row["code"]),
            ]
            for row in content[job]
        ]
        head = ("commit", "file, MB", "processor seconds", "peak, MB", "more than the first, MB", "end")
        yield from _table((what.replace("_mb", ", MB"), *head), rows)
        yield ""


def _end(code: int) -> str:
    return {0: "done", 2: "refused", -24: "stopped after 5 minutes of a processor"}.get(code, f"ended with {code}")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the tables where the page asks for them."""
    for name, lines in (
        ("calls", call_lines),
        ("files", file_lines),
        ("growth", growth_lines),
        ("limits", limit_lines),
    ):
        if (mark := f"<!-- faults: {name} -->") in markdown:
            markdown = markdown.replace(mark, "\n".join(lines()))
    return markdown
