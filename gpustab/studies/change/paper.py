"""What the report of change says beside its blocks: its title, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.results import Content
from gpustab.results.page import counted

CITATIONS = ("rettenmeier2020",)


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many periods and runs answer it."""
    runs = sum(sum(group["runs"]) for group in result.groups)
    periods = max((len(group["epochs"]) for group in result.groups), default=0)
    return "What changed between periods, beyond noise?", f"{counted(periods, 'period')} · {counted(runs, 'run')}"


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    standard = "in every pair of periods" if result.settings.get("per_pair") else "over all pairs of periods together"
    count, version = result.settings.get("min_count"), result.environment.get("gpustab")
    return (
        "Spaces of consecutive periods were aligned by orthogonal Procrustes over their joint vocabulary, and the "
        f"change of a word is one minus the cosine of its vectors, with gpustab {version} after Rettenmeier (2020). It "
        "was measured between all pairs of a run of each period, between the aligned averages of all runs, and "
        "corrected for training noise by the mean cosines of runs within each period. Errors are by the jackknife over "
        f"the runs of both periods. Words count that occur at least {count} times in both. The effect of frequency is "
        "from a linear mixed model with a random intercept per word (REML), both variables being logarithms that were "
        f"standardised {standard}; shares of variance are those of Nakagawa and Schielzeth (2013)."
    )
