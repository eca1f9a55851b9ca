"""The figures of localization: table 1 by number of changes, synonyms beside random nouns; and edits by kind."""

from __future__ import annotations

from gpustab.report.svg.axes import Axis, at, short
from gpustab.report.svg.charts import BANDED, corner, curve, lines
from gpustab.report.svg.colours import nth
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.report.svg.rows import HEADED, Dot, Row, Upright, dots
from gpustab.results import Table
from gpustab.studies.localization.claims_of_edits import CHANGES, equally_far, sees
from gpustab.studies.localization.tables import of_models
from gpustab.studies.localization.tables_of_edits import EditScore
from gpustab.studies.shared.wording import capital

_DRAWN = 30
"""Sentences behind every point, at least."""

_FLAT = "As many sentences lie within the paraphrase's distance at any number of changed words, synonyms or not"
_NAMES = {"synonym": "noun synonym within paraphrase", "random noun": "random noun within paraphrase"}


@drawn_from("scores")
def by_changes(_: Table, tables: Tables) -> Picture:
    """One panel per model: share no farther than the paraphrase, for synonyms and for random nouns."""
    panels, said, flat = [], [], []
    for model, scores in of_models(tables).where(subset="all").split("model"):
        enough = scores.take(k for k, sentences in enumerate(scores["n"]) if sentences >= _DRAWN)
        parts = {name: enough.where(comparison=comparison) for name, comparison in _NAMES.items()}
        if all(part.height > 1 for part in parts.values()):
            if len({share for part in parts.values() for share in part["share"]}) == 1:
                flat.append(f"{model} {100 * parts['synonym']['share'][0]:.0f} %")
                continue
            first = [part["share"][0] for part in parts.values()]
            panels.append(_panel(model, parts))
            said.append(f"{model} {' and '.join(f'{100 * share:.0f}' for share in first)} %")
    if flat and not panels:
        return Picture(missing=f"{_FLAT}: {'; '.join(flat)}. A picture would be one flat line.")
    if not panels:
        return Picture(missing=f"The picture needs {_DRAWN} sentences with two changed words.")
    title = f"One synonym and one random noun lie within the paraphrase's distance: {'; '.join(said[:4])}"
    caption = f"{_CAPTION} Not drawn, since nothing changes: {'; '.join(flat)}." if flat else ""
    return Picture(title, panels, caption=caption)


def _panel(model: str, parts: dict[str, Table]) -> str:
    last = max(max(part["k"]) for part in parts.values())
    drawn = [
        curve(part, "k", "share", nth(k), *BANDED, name=name, low="low", high="high", scale=100)
        for k, (name, part) in enumerate(parts.items())
    ]
    ends = "; ".join(f"{each.name} {each.y[0]:.0f} to {each.y[-1]:.0f} %" for each in drawn)
    return lines(
        Axis("changed words", 1, last, at(range(1, last + 1))),
        Axis("% within paraphrase", 0, 100),
        drawn,
        f"{model}: share no farther than the paraphrase by changed words. {ends}",
        over=[corner(short(model, 30))],
        height=240,
    )


_CAPTION = (
    "Share of the sentences that lie no farther from their base than its paraphrase, by the number of changed "
    "nouns. Bands are 95 % intervals by bootstrap over pairs that share a sentence. Synonyms keep the meaning, "
    "random nouns do not: what lies between the lines is meaning, the rest is form."
)


@drawn_from("edit_scores")
def edits(scores: Table[EditScore], _: Tables) -> Picture:
    """One panel per model: the share of sentences that a change moves farther than its control, by kind."""
    panels = []
    for model, own in scores.split("model"):
        judged = [row for row in own.rows() if sees(row) != "few"]
        if judged:
            rows = [_row(row) for row in judged]
            said = "; ".join(f"{row.kind} {100 * row.half:.0f} %" for row in judged)
            axis = Axis(f"{short(str(model), 24)}: % moved farther by the change", 0, 100, at(range(0, 101, 25)))
            panels.append(dots(rows, axis, HEADED, f"{model}: {said}"))
    return Picture("", panels, missing="" if panels else "There are too few edits for a picture.")


def _row(row: EditScore) -> Row:
    chance = Upright(50, "axis dash", (-7, 7))
    value, low, high = (100 * x for x in (row.half, row.low, row.high))
    ties = ", all equally far" if equally_far(row) else ""
    return Row(
        f"{capital(CHANGES[row.kind])}: {value:.0f} %{ties}", [Dot(value, *nth(0), low, high), chance], nth(0).style
    )


_OF_EDITS = (
    "Share of the sentences that the change moves farther than an edit of equal size that keeps the meaning; equal "
    "distances count half. Lines are 95 % intervals; the dashes stand at 50 %, which is chance. 100 % is always."
)

FIGURES: Figures = {"by_changes": (_CAPTION, by_changes), "edits": (_OF_EDITS, edits)}
"""How to read the figure, and its drawing."""
