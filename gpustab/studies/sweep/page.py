"""The page of a sweep: its settings, how far each is from the baseline, and a grid as squares of two parameters.

Rettenmeier 2020, tables 3.1-3.4: epochs × negative samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from gpustab.report import Result
from gpustab.report.origin import embeddings
from gpustab.results import Block, Card, Column, Content, Sheet, SmallTable, Table
from gpustab.results.page import Columns, cell, counted, number, percent, signed, with_half
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import OBSERVATIONS, rules, verdicts, verdicts_by_chance
from gpustab.studies.shared.wording import listed, of_list, percents
from gpustab.studies.sweep.claims_of_parameters import ALONG, EFFECT, SCORES, Effect, P, Scores, effects
from gpustab.studies.sweep.claims_of_sizes import STEADIER
from gpustab.studies.sweep.measure import CHANGES, SHARE, Change, Measured, change, numbers_of
from gpustab.studies.sweep.page_of_sizes import judged_sampling, of_sizes, said_of_sizes, verdicts_on_sizes
from gpustab.studies.sweep.plans import BASELINE, BITS, Setting, values_of
from gpustab.studies.sweep.tables_of_sizes import EFFECTS, SIZES

CITATIONS = ("rettenmeier2020", "leszczynski2020")
_TWO = 2
"""So many runs, which a sweep asks for, give no interval of a difference."""
_PLAIN = "reduced_pip"
_MEASURES = {
    _PLAIN: "PIP loss (chance differs between settings: compare the shares of chance)",
    SHARE: "PIP loss, share of chance",
}


_IN_WORDS = {
    "dim": "the number of dimensions",
    "epochs": "the number of epochs",
    "window": "the window",
    "min_count": "the least count of a word",
    "negative": "the number of negative samples",
    "bits": "the bits a number",
}
"""What people call parameters that are often varied."""


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many settings of how many runs answer it."""
    swept = result.settings.get("swept", {})
    varied = listed([_IN_WORDS.get(name, name.replace("_", " ")) for name in swept] or ["a parameter"])
    runs = counted(int(result.settings.get("runs", 0)), "run")
    about = f"{counted(len(result.groups), 'setting')}, {runs} of each kind"
    return f"What {'do' if ' and ' in varied else 'does'} {varied} do to {embeddings(result)}?", about


def cards(result: Content) -> list[Card]:
    """Return shared neighbours and losses at the least and at the largest value of the first parameter."""
    found = next(_effects(result), None)
    if found is None:
        return []
    effect, _ = found
    style = effect.kind if effect.kind in ("bootstrap", "shuffled", "fixed") else ""
    made = []
    for value, p, loss in (
        (effect.low, effect.before, effect.loss_before),
        (effect.high, effect.after, effect.loss_after),
    ):
        what = f"{effect.name} {cell(value)}, {effect.kind} runs"
        made.append(Card(what, number(10 * p.value, 2), "of ten neighbours come back", of_list(p, 10), style))
        made.append(Card(what, f"{percent(loss.value)}", "of chance", f"PIP loss; {percents(loss)}", style))
    return made


def _effects(result: Content) -> Iterator[tuple[Effect, Scores]]:
    return effects(ALONG.of(result.tables), {}, result.tables.get("settings", Table()))


def may_claim(result: Content) -> str:
    """Return what a paper may say by this sweep."""
    sizes = _of_sizes(result)
    if _bits_alone(result):
        return sizes
    silent = [s for s in result.verdict if "is not tested" in s and s not in said_of_sizes(result.tables)]
    if silent:
        return " ".join(["Nothing about stability yet.", *silent, sizes]).strip()
    judged = {effect.name: EFFECT.judge(effect) for effect, _ in _effects(result)}
    sure, opposite = ([x for x in judged if judged[x] in of] for of in (("more", "less"), ("disagree",)))
    if opposite and not sure:
        return (
            f"What {listed(opposite)} did by neighbours, and what by the loss; never that stability changed as such. "
            f"{sizes}"
        ).strip()
    if not sure:
        return (
            "Nothing about stability yet: no value surely differs from another. Train more runs of each setting. "
            f"{sizes}"
        ).strip()
    return (
        f"That {listed([_IN_WORDS.get(name, name) for name in sure])} changed how stable the neighbours of this "
        "technique are on this corpus, by the numbers above. Other corpora may differ. A more stable setting is not a "
        f"better one: see the scores. {sizes}"
    ).strip()


def _bits_alone(result: Content) -> bool:
    return [*result.settings.get("swept", {})] == [BITS]


def _of_sizes(result: Content) -> str:
    """Return what may be said of sizes; nothing where no bits vary."""
    found = EFFECTS.rows(result.tables, sampling=judged_sampling(result.tables))
    sure = [effect for effect in found if STEADIER.judge(effect) in ("yes", "no")]
    if sure:
        return (
            "Of sizes: how often the predictions of this probe, of these classes and words, changed with the size. "
            "Another classifier or task may differ."
        )
    return "Nothing about how large a space must be." * bool(BITS in result.settings.get("swept", {}))


def page(result: Result) -> list[Block]:
    """Return the picture, the changes, the squares of a grid, and what longer training shows of the thesis' §3.1."""
    blocks, chance = [*of_sizes(result.tables)], verdicts_by_chance(_tested(result))
    if _bits_alone(result):
        alone = [replace(block, answer=f"{block.answer} {chance}".rstrip()) for block in blocks]
        return [*alone, *_details(result)]
    blocks.append(
        Block("What does the parameter do to stability, and to scores?", figures=["parameters"], answer=chance)
    )
    changes = [
        SmallTable.of(_MEASURES.get(measure, measure), rows, _changes(result.settings["runs"]))
        for measure, rows in sorted(CHANGES.of(result.tables).split("measure"), key=lambda part: part[0] == _PLAIN)
    ]
    blocks.append(Block("How far is each setting from the baseline?", tables=changes))
    grid = SQUARES.of(result.tables)
    if first := next(grid.rows(), None):
        blocks.append(Block(f"{first.rows} × {first.columns}", [], squares(grid, result.settings["runs"])))
    observations = OBSERVED.of(result.tables)
    if observations.height:
        blocks += [Block(OBSERVATIONS, tables=[verdicts(observations)]), *rules(observations)]
    return [*blocks, *_details(result)]


def _tested(result: Result) -> int:
    """How many verdicts rest on an interval: on parameters, scores, sizes, and the thesis' claims."""
    given: list[str] = [row.agrees for row in OBSERVED.rows(result.tables)]
    for effect, scores in _effects(result):
        given += [EFFECT.judge(effect), SCORES.judge(scores)]
    return sum(verdict != "no test" for verdict in [*given, *verdicts_on_sizes(result.tables)])


def _details(result: Result) -> Iterator[Block]:
    details = [SmallTable.of("Settings", result.tables["settings"].records(), _SETTINGS)]
    if result.tables["scores"].height:
        details.append(SmallTable.of("Scores", result.tables["scores"].records(), _SCORES))
    yield Block("All settings and scores", tables=details, folded=True)


def _changes(runs: int) -> Columns:
    """Columns of changes, whose ± is half of the 95 % interval over so many runs of both settings."""
    return [
        "setting",
        "sampling",
        ("baseline", ("baseline", 3)),
        ("value", ("value", 3)),
        (
            "difference, ± 95 %" if runs > _TWO else "difference (of two runs, no interval)",
            lambda row: with_half(row.difference, _half(row.se, runs)),
        ),
        ("change", lambda row: f"{signed(row.percent, 0)} %" if row.percent == row.percent else "–"),
    ]


def _half(error: float, runs: int) -> float:
    return Estimate.of_runs(0.0, error, runs).half


_SETTINGS: Columns = [
    *("setting", "sampling", "words"),
    *(("PIP loss", ("reduced_pip", 3)), ("standard error", ("se", 2)), ("by chance", ("chance", 3))),
    *(("mean cosine", ("mean_cosine", 2)), (P, (P, 2)), ("its standard error", (f"{P}_se", 2))),
    ("seconds a run", ("seconds", 2)),
]
_SCORES: Columns = [
    *("setting", "sampling", "test", ("asked", lambda row: f"{row['used']:,} of {row['total']:,}"), "runs"),
    *(("mean", ("mean", 2)), ("SD", ("sd", 2))),
]


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    swept = "; ".join(
        f"{name.replace('_', ' ')} {', '.join(map(cell, values))}"
        for name, values in result.settings.get("swept", {}).items()
    )
    of_bits = (
        " Vectors were rounded to few bits a number, and a probe told classes of words from them (after Leszczynski et "
        "al. 2020; errors by leaving out one run of all sizes at once)."
    ) * any(SIZES.rows(result.tables))
    return (
        f"With gpustab {result.environment.get('gpustab')}, after Rettenmeier (2020, section 3.1), this baseline was "
        f"trained again with other values ({swept}), all else and the seed being the same. Stability was measured "
        "between all pairs of runs of a setting and sampling, as the reduced PIP loss in parts of that of unrelated "
        "spaces and as p@10, the share of ten nearest neighbours that two runs have in common. Errors are by the "
        f"jackknife over runs, intervals by Student's t at 95 %; settings are taken for independent.{of_bits}"
    )


class Cell(NamedTuple):
    """One measure of one setting, placed by its values of two parameters."""

    held: Annotated[str, Column(about="values of the other varied parameters; empty where only two vary")]
    sampling: Annotated[str, Column(about="of the runs; extrinsic: what the draw of documents adds to training")]
    measure: Annotated[str, Column(about="reduced_pip, p@10 or the name of a test")]
    rows: Annotated[str, Column(about="the parameter that varies down the square, the first that was named")]
    row: Annotated[Any, Column(about="its value")]
    columns: Annotated[str, Column(about="the parameter that varies across the square")]
    column: Annotated[Any, Column(about="its value")]
    value: Annotated[float, Column(about="mean over pairs of runs (of scores: over runs)")]
    value_se: float
    difference: Annotated[float, Column(about="from the baseline; this and all after it are NaN in its own cell")]
    se: float
    percent: Annotated[float, Column(about="the difference in percent of the baseline")]
    percent_se: float


SQUARES = Sheet("squares", Cell, "one row a setting, sampling and measure of a grid")


def square_table(
    settings: Sequence[Setting], measured: Mapping[str, Measured], parameters: Sequence[str]
) -> Table[Cell]:
    """Place every setting of a grid: the first parameter varies down, the second across, the others are held.

    Args:
        settings: all combinations of values, and the baseline; that has a cell where its values are of the grid.
        measured: their numbers by label.
        parameters: the varied ones, two or more.

    Returns:
        One :class:`Cell` per setting, sampling and measure, numbers from small to large.
    """
    rows, columns, *others = parameters
    before = numbers_of(measured[BASELINE])
    cells = []
    for setting, values in _placed(settings, parameters):
        held = ",".join(f"{name}={cell(values[name])}" for name in others)
        for (sampling, measure), (value, se) in numbers_of(measured[setting.label]).items():
            was, was_se = before.get((sampling, measure), (float("nan"), float("nan")))
            new = setting.label != BASELINE
            changed = change(was, value, was_se, se) if new else Change(*[float("nan")] * 4)
            place = (held, sampling, measure, rows, values[rows], columns, values[columns])
            cells.append(Cell._make((*place, value, se, *changed)))
    return SQUARES.table(cells)


def _placed(settings: Sequence[Setting], parameters: Sequence[str]) -> list[tuple[Setting, dict[str, Any]]]:
    """Settings with their values of the varied parameters; the baseline only where the grid has its values."""
    settled = [(s, {name: values_of(s.plan)[name] for name in parameters}) for s in settings]
    grid = {name: [values[name] for s, values in settled if s.label != BASELINE] for name in parameters}
    placed = [(s, v) for s, v in settled if s.label != BASELINE or all(v[name] in grid[name] for name in parameters)]
    order = {name: _ordered([values[name] for _, values in placed]) for name in parameters}
    names = (*parameters[2:], *parameters[:2])
    return sorted(placed, key=lambda x: [order[name].index(x[1][name]) for name in names])


def _ordered(values: Sequence[Any]) -> list[Any]:
    """Each value once, numbers from small to large, others as they first stand there."""
    once = list(dict.fromkeys(values))
    return sorted(once) if all(isinstance(value, int | float) for value in once) else once


def squares(table: Table[Cell], runs: int) -> list[SmallTable]:
    """Return two small tables per measure: values, and changes (percent of losses, differences of others).

    Args:
        table: the cells.
        runs: of a setting; ± is half of the 95 % interval over them.
    """
    shown = []
    for held, part in table.split("held"):
        for sampling, rest in part.split("sampling"):
            for measure, cells in rest.split("measure"):
                title = ", ".join(filter(None, (held, sampling, measure)))
                loss = ("change in percent", "percent", "percent_se")
                against = loss if measure == "reduced_pip" else ("change", "difference", "se")
                for what, *columns in (("value", "value", "value_se"), against):
                    shown.append(_square(f"{title}: {what}, ± 95 %", cells, runs, *columns))
    return shown


def _square(title: str, cells: Table[Cell], runs: int, value: str, error: str) -> SmallTable:
    first = next(cells.rows())
    across = list(dict.fromkeys(cells["column"]))
    header = [f"{first.rows} \\ {first.columns}", *map(cell, across)]
    rows = []
    for down, line in cells.split("row"):
        texts = {row.column: _text(row, runs, value, error) for row in line.rows()}
        rows.append([cell(down), *(texts.get(column, "–") for column in across)])
    return SmallTable(title, header, rows)


def _text(row: Cell, runs: int, value: str, error: str) -> str:
    if value != "value" and row.difference != row.difference:
        return "0 (baseline)" if row.value == row.value else "–"
    return with_half(getattr(row, value), _half(getattr(row, error), runs))
