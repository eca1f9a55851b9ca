"""What the report of a comparison says beside its blocks: its title, what to cite, and all words."""

from __future__ import annotations

from gpustab.results import Content
from gpustab.results.table import titles
from gpustab.studies.compare.study import Word

CITATIONS = ("rettenmeier2020", "antoniak2018")

WORDS = {"words": {"count": "occurrences"} | titles(Word, "p_first", "p_second", "difference", "se")}


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and what is compared."""
    return "Which of two groups of runs is more stable?", " and ".join(
        str(group.get("name")) for group in result.groups
    )
