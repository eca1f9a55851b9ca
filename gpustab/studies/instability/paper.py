"""What the report of the study says beside its blocks: its title, and what to cite."""

from __future__ import annotations

from gpustab.results import Content
from gpustab.results.page import counted

CITATIONS = ("rettenmeier2020",)


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many runs of which techniques were studied."""
    runs = sum(len(names) for group in result.groups for names in group["runs"].values())
    techniques = ", ".join(str(group["name"]) for group in result.groups)
    about = f"{counted(runs, 'run')} of {techniques}" if techniques else ""
    return "How unstable are these word embeddings, and why?", about
