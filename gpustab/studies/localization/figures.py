"""The figure of localization: table 1 by number of changes, synonyms beside random nouns."""

from __future__ import annotations

from gpustab.report.svg.colours import series
from gpustab.report.svg.elements import text
from gpustab.report.svg.picture import Figures, Picture, Tables
from gpustab.report.svg.plot import Plot, room, short
from gpustab.results import Table
from gpustab.studies.localization.tables import DRAWN, of_models

_NAMES = {"noun synonym within paraphrase": "synonym", "random noun within paraphrase": "random noun"}


def by_changes(tables: Tables) -> Picture:
    """One panel per model: share no farther than the paraphrase, for synonyms and for random nouns."""
    scores = tables.get("scores")
    if not scores or not scores.height:
        return Picture()
    panels, said = [], []
    for model, own in of_models(tables).where(subset="all").split("model"):
        lines = [(name, _of(own, comparison)) for comparison, name in _NAMES.items()]
        lines = [(name, part) for name, part in lines if part.height]
        if len(lines) == 2 and all(part.height > 1 for _, part in lines):
            panels.append(_panel(model, lines))
            ends = " and ".join(f"{100 * part['share'][0]:.0f}" for _, part in lines)
            said.append(f"{model} {ends} %")
    if not panels:
        return Picture(missing=f"The picture needs {DRAWN} sentences with two changed words.")
    return Picture(
        f"One synonym and one random noun lie within the paraphrase's distance: {'; '.join(said[:4])}", panels
    )


def _of(own: Table, comparison: str) -> Table:
    part = own.where(comparison=comparison)
    return part.take(k for k in range(part.height) if part["n"][k] >= DRAWN)


def _panel(model: str, lines: list[tuple[str, Table]]) -> str:
    last = max(max(part["k"]) for _, part in lines)
    plot = Plot((1, last), (0, 100), right=room(name for name, _ in lines), height=240)
    ticks = [(float(k), str(k)) for k in range(1, last + 1)]
    plot.axes("changed words", "% within paraphrase", ticks)
    styles = series(name for name, _ in lines)
    for name, part in lines:
        style, shape = styles[name]
        ks = [float(k) for k in part["k"]]
        ys, low, high = ([100 * x for x in part[column]] for column in ("share", "low", "high"))
        plot.band(ks, low, high, f"{style} area").curve(ks, ys, f"{style} line").marks(ks, ys, shape, f"{style} full")
    plot.labels((name, 100 * part["share"][-1], styles[name].style) for name, part in lines)
    plot.add(text(plot.right, 11, short(model, 30), "bold", "end"))
    ends = "; ".join(f"{name} {100 * part['share'][0]:.0f} to {100 * part['share'][-1]:.0f} %" for name, part in lines)
    return plot.done(f"{model}: share no farther than the paraphrase by changed words. {ends}")


FIGURES: Figures = {
    "by_changes": (
        "Share of the sentences that lie no farther from their base than its paraphrase, by the number of changed "
        "nouns. Bands are 95 % intervals by bootstrap over pairs that share a sentence. Synonyms keep the meaning, "
        "random nouns do not: what lies between the lines is meaning, the rest is form.",
        by_changes,
    )
}
"""How to read the figure, and its drawing."""
