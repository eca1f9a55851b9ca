"""The pages of claims, margins and tables, made from what the studies declare.

``python -m docs.claims`` writes the table of margins into ``docs/pages/reference/margins.md``, and every sentence that
a claim says of the examples of :mod:`docs.examples` into ``claims.md`` beside it. A test holds both against the code:
no margin and no sentence changes unseen. As a hook of MkDocs this module puts the tables of all studies where a page
asks for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom, false_discovery_control

import gpustab.studies
from benchmarks.placebos.lacking import WHY, gaps
from docs.examples import examples
from gpustab.errors import as_flags
from gpustab.results import Sheet
from gpustab.results.table import columns_of
from gpustab.statistics.intervals import wilson
from gpustab.studies.shared.claims import Claim, every_claim, every_margin

MARGINS_PAGE = Path(__file__).parent / "pages" / "reference" / "margins.md"
CLAIMS_PAGE = MARGINS_PAGE.with_name("claims.md")
PLACEBOS = Path(__file__).parents[1] / "benchmarks" / "results" / "placebos.json"
DRAWN = "drawn"
"""Noise of a row whose numbers a model drew, as ``benchmarks.placebos.cells`` names it."""
TABLES_HERE, PLACEBOS_HERE = "<!-- tables -->", "<!-- placebos -->"
DRAWN_HERE, LACKING_HERE = "<!-- drawn -->", "<!-- lacking -->"
HEAD = "| margin | value | of what |\n|---|---|---|\n"
BELOW = "<!-- made by python -m docs.claims -->\n"


def margin_rows() -> list[str]:
    """Return one row a margin: id, value, what it bounds."""
    return [f"| `{name}` | {float(margin):.6g} | {_cell(margin.about)} |" for name, margin in every_margin().items()]


class Said(NamedTuple):
    """What a claim says of one example.

    Attributes:
        verdict: by its rule.
        sentence: on the page of a study; empty where the verdict says nothing by itself.
        stands: the clause beside what the paper found; empty where there is none.
    """

    verdict: str
    sentence: str
    stands: str


def said_of(claim: Claim[Any], judged: Sequence[Any]) -> list[Said]:
    """Return what a claim says of examples, by verdict; the same words once."""
    said = [Said(claim.judge(x), _filled(claim.sentence(x)), _filled(claim.stands(x))) for x in judged]
    verdicts = list(dict.fromkeys(one.verdict for one in said))
    return sorted(dict.fromkeys(said), key=lambda one: verdicts.index(one.verdict))


def _filled(text: str) -> str:
    """A text whose names of options are as they are typed, and names that only a study fills are in italics."""
    return re.sub(r"\{(\w+)\}", r"*\1*", as_flags(text))


def claim_lines() -> Iterator[str]:
    """Yield the text of the page of claims: a heading a study and claim, its rule, and what it says by each verdict."""
    asked, last = examples(), ""
    for claim in every_claim().values():
        study = claim.id.partition(".")[0]
        if study != last:
            yield f"## {study.capitalize()}\n"
        last = study
        yield f"### {_filled(claim.says).rstrip('.')}\n\n`{claim.id}`{f' · {claim.source}' if claim.source else ''}\n"
        yield from [f"{_filled(claim.paper).rstrip('.')}.\n"] if claim.paper else []
        yield f"Rule: {_filled(claim.rule).rstrip('.')}.\n"
        said = said_of(claim, asked.get(claim.id, ()))
        for verdict, sentence, stands in said:
            texts = [sentence, *([f"Beside the paper: {stands}."] if stands else [])]
            if any(texts):
                yield f"- **{verdict}**: {' '.join(filter(None, texts))}"
        if silent := dict.fromkeys(one.verdict for one in said if not one.sentence and not one.stands):
            yield f"- Without a sentence of its own: {', '.join(f'**{verdict}**' for verdict in silent)}"
        yield ""


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


def placebo_cells() -> list[dict[str, Any]]:
    """Return the counted cells of the placebos, each with the sets of all its batches."""
    cells: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in json.loads(PLACEBOS.read_text(encoding="utf-8")):
        cell = cells.setdefault(tuple(row[name] for name in ("claim", "placebo", "noise", "runs")), row)
        if cell is not row:
            cell |= {name: cell[name] + row[name] for name in ("of", "said", "wrong", "missed")}
    return list(cells.values())


class Beyond(NamedTuple):
    """How many cells have more wrong sentences than one in twenty.

    Attributes:
        cells: that were counted.
        more: of them, by their share.
        by_chance: of how many a binomial test would say so, each for itself at 5 %, if all were wrong in 5 %. That is
            less than one in twenty: the counts are whole numbers, so the test of a cell is wrong in less than 5 %.
        each: those of which the test says so.
        surely: those of which it says so at a false discovery rate of 5 %.
    """

    cells: int
    more: int
    by_chance: float
    each: int
    surely: int


def cells_beyond(cells: Sequence[Mapping[str, Any]]) -> Beyond:
    """Return how many cells are wrong more often than in 5 %, and how many of them are so beyond chance."""
    counts = [(int(cell["wrong"]), int(cell["of"])) for cell in cells if cell["of"]]
    p = [float(binom.sf(wrong - 1, of, 0.05)) for wrong, of in counts]
    more = sum(wrong > 0.05 * of for wrong, of in counts)
    surely = int((false_discovery_control(p) <= 0.05).sum())
    return Beyond(len(counts), more, sum(_size(of) for _, of in counts), sum(x <= 0.05 for x in p), surely)


def _size(of: int) -> float:
    """How often the test of a cell of so many sets says so where 5 % are wrong: at most in 5 %."""
    tails = binom.sf(np.arange(of + 1) - 1, of, 0.05)
    return float(tails[tails <= 0.05].max(initial=0.0))


def placebo_lines() -> Iterator[str]:
    """Yield how often sentences were wrong on real text, a line a placebo, and which claims were not asked there."""
    found = cells_beyond(placebo_cells())
    yield (
        f"Of {found.cells:,} cells, drawn ones too, {found.more} have more than 5 % wrong sentences. If all rules were "
        f"wrong in 5 %, a binomial test of each cell at 5 % would call about {found.by_chance:.0f} of them too often "
        "wrong (fewer than one in twenty, since counts are whole numbers). It calls "
        f"{found.each} so, and at a false discovery rate of 5 % {found.surely or 'none'}.\n"
    )
    rows = [row for row in placebo_cells() if row["noise"] != DRAWN]
    yield from _table(rows, {"placebo": "placebo or truth", "noise": "runs of"})
    asked, drawn = ({row["claim"] for row in own} for own in (rows, placebo_cells()))
    left = {"by drawn numbers alone": drawn - asked, "nowhere yet": set(every_claim()) - drawn}
    for where, names in left.items():
        if names:
            listed = ", ".join(f"`{name}`" for name in every_claim() if name in names)
            yield f"\nAsked {where}: {listed}."


def lacking_lines() -> Iterator[str]:
    """Yield a line for every claim that was not asked at every R, noise and kind of runs, with the reason."""
    yield "| claim | not asked at | why |\n|---|---|---|"
    cells = [row for row in placebo_cells() if row["noise"] != DRAWN]
    for name in every_claim():
        if left := gaps(row for row in cells if row["claim"] == name):
            yield f"| `{name}` | {'; '.join(left)} | {WHY[name]} |"


def drawn_lines() -> Iterator[str]:
    """Yield how often sentences were wrong on numbers that a model drew, a line a truth."""
    yield from _table([row for row in placebo_cells() if row["noise"] == DRAWN], {"placebo": "truth"})


def _table(rows: list[dict[str, Any]], columns: dict[str, str]) -> Iterator[str]:
    """A line for each claim and what the columns hold, a cell for each R."""
    sizes, every = sorted({row["runs"] for row in rows}), list(every_claim())
    yield f"| claim | {' | '.join(columns.values())} | {' | '.join(f'R = {r}' for r in sizes)} |"
    yield "|---" * (1 + len(columns) + len(sizes)) + "|"
    lines: dict[tuple[str, ...], dict[int, str]] = {}
    for row in sorted(rows, key=lambda row: every.index(row["claim"])):
        lines.setdefault((f"`{row['claim']}`", *(_cell(row[name]) for name in columns)), {})[row["runs"]] = _wrong(row)
    for names, cells in lines.items():
        yield f"| {' | '.join([*names, *(cells.get(r, '') for r in sizes)])} |"


def _wrong(row: dict[str, Any]) -> str:
    """How often a sentence was wrong, the upper end of the 95 % interval, and how often what is there was missed."""
    if not row["of"]:
        return "not said"
    missed = f"; missed {row['missed']:,}" if row["missed"] else ""
    return f"{row['wrong']:,} of {row['of']:,} (≤ {wilson(row['wrong'], row['of'])[1]:.0%}){missed}"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the tables of all studies, or what is known of their sentences, where a page asks for them."""
    every = {
        TABLES_HERE: table_lines,
        PLACEBOS_HERE: placebo_lines,
        DRAWN_HERE: drawn_lines,
        LACKING_HERE: lacking_lines,
    }
    for mark, lines in every.items():
        if mark in markdown:
            markdown = markdown.replace(mark, "\n".join(lines()))
    return markdown


def write_margins() -> None:
    """Write the table of margins below the text of its page."""
    text = MARGINS_PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    MARGINS_PAGE.write_text(text + HEAD + "\n".join(margin_rows()) + "\n", encoding="utf-8")


def write_claims() -> None:
    """Write every sentence below the text of the page of claims."""
    text = CLAIMS_PAGE.read_text(encoding="utf-8").partition(BELOW)[0]
    CLAIMS_PAGE.write_text(text + BELOW + "\n" + "\n".join(claim_lines()), encoding="utf-8")


if __name__ == "__main__":
    write_margins()
    write_claims()
