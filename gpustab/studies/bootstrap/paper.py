"""What the report of the bootstrap study says beside its blocks: its title, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.results import Content
from gpustab.results.page import counted
from gpustab.results.table import titles
from gpustab.studies.bootstrap.tables import Neighbour

CITATIONS = ("antoniak2018",)

WORDS = {
    "neighbours": titles(Neighbour, "query")
    | {"word": "word"}
    | titles(Neighbour, "group", "chosen_by", "verdict", "mean", "sd", "share", "rank")
}


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many runs of how many groups answer it."""
    runs = sum(len(group["runs"]) for group in result.groups)
    asked = counted(len(result.settings.get("query", ())), "query word")
    title = "Which neighbours of your query words can you trust?"
    return title, f"{counted(runs, 'run')} in {counted(len(result.groups), 'group')} · {asked}"


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    n = result.groups[0]["n"] if result.groups else 10
    groups = ", ".join(f"{counted(len(group['runs']), 'run')} of {group['name']}" for group in result.groups)
    asked = ", ".join(result.settings.get("query", ())[:40])
    return (
        f"With gpustab {result.environment.get('gpustab')}, after Antoniak & Mimno (2018), cosines of the query words "
        f"({asked}) with every word were averaged over runs ({groups}). The {n} words of highest mean cosine over runs "
        "of the whole corpus, among the words of at least half of the runs, were judged by bootstrap runs: in how "
        f"many of them they are among the {n} nearest, with the 95 % Wilson interval of that share, and by the "
        "probability that they are nearer than the first word outside the list. Spreads are roots of mean variances "
        "(ddof = 1) of the cosines with the ten closest words; errors are by the jackknife over runs, intervals by "
        "Student's t at 95 %. Lists of two runs are compared by the Jaccard index of sets."
    )
