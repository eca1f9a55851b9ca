"""The pages of claims, margins and tables, made from what the studies declare.

``python -m docs.claims`` writes the table of margins into ``docs/pages/reference/margins.md``, where a test holds it
against the rules: no margin changes unseen. As a hook of MkDocs it puts the claims and the tables of all studies where
a page asks for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import gpustab.studies
from gpustab.results import Sheet
from gpustab.results.table import columns_of
from gpustab.statistics.intervals import wilson
from gpustab.studies.shared.claims import every_claim, every_margin

MARGINS_PAGE = Path(__file__).parent / "pages" / "reference" / "margins.md"
PLACEBOS = Path(__file__).parents[1] / "benchmarks" / "results" / "placebos.json"
CLAIMS_HERE, TABLES_HERE, PLACEBOS_HERE = "<!-- claims -->", "<!-- tables -->", "<!-- placebos -->"
HEAD = "| margin | value | of what |\n|---|---|---|\n"


def margin_rows() -> list[str]:
    """Return one row a margin: id, value, what it bounds."""
    return [f"| `{name}` | {float(margin):.6g} | {_cell(margin.about)} |" for name, margin in every_margin().items()]


def claim_rows() -> list[str]:
    """Return one row a claim: id, claim, source, rule."""
    return [
        f"| `{claim.id}` | {_cell(claim.says)} | {_cell(claim.source)} | {_cell(claim.rule)} |"
        for claim in every_claim().values()
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def sheets() -> Iterator[tuple[str, Sheet[Any]]]:
    """Yield the tables that every study declares, with the study's name."""
    for study in sorted(module.name for module in iter_modules(gpustab.studies.__path__) if module.ispkg):
        package = import_module(f"gpustab.studies.{study}")
        declared: dict[str, Sheet[Any]] = {}
        for module in sorted(module.name for module in iter_modules(package.__path__) if not module.ispkg):
            for value in vars(import_module(f"{package.__name__}.{module}")).values():
                if isinstance(value, Sheet) and value.row.__module__.startswith(f"{package.__name__}."):
                    declared.setdefault(value.name, value)
        yield from ((study, sheet) for sheet in declared.values())


def table_lines() -> Iterator[str]:
    """Yield the text of the page of tables: a heading a study, a list of columns a table."""
    last = ""
    for study, sheet in sheets():
        if study != last:
            yield f"\n## {study}\n"
        last = study
        kept = "; in files only" if sheet.long else ""
        yield f"\n### {sheet.name}\n\n{sheet.about[:1].upper()}{sheet.about[1:]}{kept}.\n"
        yield "| column | title | what it is |\n|---|---|---|"
        for name, column in columns_of(sheet.row).items():
            yield f"| `{name}` | {_cell(column.title)} | {_cell(column.about)} |"


def placebo_lines() -> Iterator[str]:
    """Yield how often sentences were wrong on real text, a line a placebo, and which claims were not asked there."""
    rows = json.loads(PLACEBOS.read_text(encoding="utf-8"))
    sizes = sorted({row["runs"] for row in rows})
    every = every_claim()
    yield f"| claim | placebo or truth | runs of | {' | '.join(f'R = {r}' for r in sizes)} |"
    yield "|---|---|---|" + "---|" * len(sizes)
    cells: dict[tuple[str, str, str], dict[int, str]] = {}
    for row in sorted(rows, key=lambda row: list(every).index(row["claim"])):
        cells.setdefault((row["claim"], row["placebo"], row["noise"]), {})[row["runs"]] = _wrong(row)
    for (claim, placebo, noise), own in cells.items():
        counted = " | ".join(own.get(r, "") for r in sizes)
        yield f"| `{claim}` | {_cell(placebo)} | {_cell(noise)} | {counted} |"
    left = ", ".join(f"`{name}`" for name in every if name not in {row["claim"] for row in rows})
    yield f"\nNot asked on real text yet, but by simulation where `benchmarks/README.md` says so: {left}."


def _wrong(row: dict[str, Any]) -> str:
    """How often a sentence was wrong, the upper end of the 95 % interval, and how often what is there was missed."""
    if not row["of"]:
        return "not said"
    missed = f"; missed {row['missed']:,}" if row["missed"] else ""
    return f"{row['wrong']:,} of {row['of']:,} (≤ {wilson(row['wrong'], row['of'])[1]:.0%}){missed}"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the claims or the tables of all studies where a page asks for them."""
    if CLAIMS_HERE in markdown:
        table = ["| claim | what it states | source | rule |", "|---|---|---|---|", *claim_rows()]
        markdown = markdown.replace(CLAIMS_HERE, "\n".join(table))
    for mark, lines in ((TABLES_HERE, table_lines), (PLACEBOS_HERE, placebo_lines)):
        if mark in markdown:
            markdown = markdown.replace(mark, "\n".join(lines()))
    return markdown


def write_margins() -> None:
    """Write the table of margins below the text of its page."""
    text = MARGINS_PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    MARGINS_PAGE.write_text(text + HEAD + "\n".join(margin_rows()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_margins()
