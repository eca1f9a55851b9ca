"""What the report of stability says beside its blocks: its title, a methods paragraph, what to cite, and all words."""

from __future__ import annotations

from typing import Any

from gpustab.results import Content
from gpustab.results.page import counted

CITATIONS = ("rettenmeier2020", "antoniak2018")

WORDS = {
    "words": {
        "count": "occurrences",
        "pip_mean": "PIP loss",
        "pip_se": "its SE",
        "p@10": "p@10",
        "p@10_se": "its SE",
        "p@10_place": "less stable than",
        "least": "in the least tenth",
    }
}


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many runs of how many words were compared."""
    runs = sum(len(group["runs"]) for group in result.groups)
    words = sorted({group["vocabulary"]["joint"] for group in result.groups})
    if not words:
        return "How stable are these word embeddings?", ""
    span = f"{words[0]:,}" if len(words) == 1 else f"{words[0]:,}–{words[-1]:,}"
    groups = f" in {counted(len(result.groups), 'group')}" if len(result.groups) > 1 else ""
    return "How stable are these word embeddings?", f"{counted(runs, 'run')}{groups} · {span} words"


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    return (
        f"We compared {_groups(result.groups)} with gpustab {result.environment.get('gpustab')}. Stability was "
        "measured between all pairs of runs of a group and never across groups: as the reduced PIP loss, half the "
        "root mean square difference of the cosines of all pairs of words, beside the value of unrelated spaces, and "
        "as p@n, the share of a word's n nearest neighbours in one run that are among the n nearest in another "
        f"(n = {', '.join(map(str, result.settings.get('neighbours', ())))}), over {_targets(result.groups)} target "
        f"words. {_sampled(result)} Intervals are 95 % intervals over runs: the standard error is found by leaving out "
        "one run after the other, and multiplied by Student's t with one degree of freedom less than there are runs."
    )


def _sampled(result: Content) -> str:
    proxy = result.settings.get("proxy")
    return "All pairs of words were compared." if proxy is None else f"Losses are over {proxy:,} words drawn at random."


def _groups(groups: list[dict[str, Any]]) -> str:
    each = [
        f"{counted(len(group['runs']), 'run')}{_of(group['name'])} ({group['vocabulary']['joint']:,} words, "
        f"{group['dimension']} dimensions)"
        for group in groups
    ]
    return "".join(each) if len(each) < 2 else f"{', '.join(each[:-1])} and {each[-1]}"


def _of(name: str) -> str:
    return "" if name == "runs" else f" of {name}"  # what runs without a name are called


def _targets(groups: list[dict[str, Any]]) -> str:
    found = sorted({group["targets"]["words"] for group in groups})
    return " or ".join(f"{n:,}" for n in found)
