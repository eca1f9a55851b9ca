"""The page of a sweep: what each setting's runs are like, then how far they are from the baseline's."""

from __future__ import annotations

from gpustab.report import Result
from gpustab.results import Block
from gpustab.results.page import whole

_TITLES = {"settings": "Settings", "changes": "Changes against the baseline", "scores": "Scores"}


def page(result: Result) -> list[Block]:
    """Return all three tables."""
    return [Block(title, [], [whole("", result.tables[name])]) for name, title in _TITLES.items()]
