"""What the report of neighbours says beside its blocks: its title, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.results import Content
from gpustab.results.page import counted

CITATIONS = ("antoniak2018", "rettenmeier2020")


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many runs answer it."""
    runs = sum(len(group["runs"]) for group in result.groups)
    groups = f" in {counted(len(result.groups), 'group')}" if len(result.groups) > 1 else ""
    return f"Which neighbours of “{result.settings.get('word', '')}” can you trust?", f"{counted(runs, 'run')}{groups}"


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    groups = ", ".join(f"{counted(len(group['runs']), 'run')} of {group['name']}" for group in result.groups)
    n = result.settings.get("n")
    return (
        f"The {n} nearest neighbours of “{result.settings.get('word')}” by cosine were found in every run ({groups}) "
        f"with gpustab {result.environment.get('gpustab')}. For each word that is among the {n} nearest in some run we "
        "report in how many of the runs that have it this is so, with the 95 % Wilson interval of that share. p@n is "
        "the share of the neighbours of one run that are neighbours in another too, mean over all pairs of runs."
    )
