"""What the report of thresholds says beside its blocks: its title, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.results import Content
from gpustab.results.page import counted

CITATIONS = ("elekes2018",)


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many runs of how many words were looked at."""
    runs = sum(len(group["runs"]) for group in result.groups)
    words = sorted({group["words"] for group in result.groups})
    title = "When is the similarity of two words meaningful?"
    if not words:
        return title, ""
    span = f"{words[0]:,}" if len(words) == 1 else f"{words[0]:,}–{words[-1]:,}"
    groups = f" in {counted(len(result.groups), 'group')}" if len(result.groups) > 1 else ""
    return title, f"{counted(runs, 'run')}{groups} · {span} words"


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    base = next((group["baseline"] for group in result.groups if group["baseline"]), None)
    if base is None:
        return ""
    confidence = result.settings.get("confidence", 0.99)
    return (
        f"Thresholds of cosine similarity were found with gpustab {result.environment.get('gpustab')}, after Elekes et "
        f"al. (2018). All pairs of {base['words']:,} words that the baseline knows ({base['name']}) were grouped by "
        "their cosine in steps of 0.01, in every run by itself. A threshold is the lowest cosine from which on the "
        "mean of the baseline, made monotone by weighted least squares, is above that of all pairs, or a tenth of a "
        "standard deviation above that of the least similar 1 % of the pairs. Where it surely lies was tested step by "
        f"step from the most similar pairs down, one-sided at {confidence:.0%}, with standard errors that take pairs "
        "which share a word for dependent; errors over runs are 95 % intervals by Student's t. The thresholds of the "
        "paper are by Welch's test between groups."
    )
