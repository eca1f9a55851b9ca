"""The page of a sweep: what each setting's runs are like, how far they are from the baseline's, a grid as squares."""

from __future__ import annotations

from gpustab.report import Result
from gpustab.results import Block
from gpustab.results.page import whole
from gpustab.studies.shared.claims import OBSERVATIONS, OBSERVED, facts
from gpustab.studies.sweep.squares import SQUARES, squares

_TITLES = {"settings": "Settings", "changes": "Changes against the baseline", "scores": "Scores"}


def page(result: Result) -> list[Block]:
    """Return all three tables, the squares of a grid, and what longer training shows of the thesis' §3.1."""
    blocks = [Block(title, [], [whole("", result.tables[name])]) for name, title in _TITLES.items()]
    grid = SQUARES.of(result.tables)
    if first := next(grid.rows(), None):
        blocks.append(Block(f"{first.rows} × {first.columns}", [], squares(grid)))
    observations = OBSERVED.of(result.tables)
    if observations.height:
        blocks.append(Block(OBSERVATIONS, facts(observations)))
    return blocks
