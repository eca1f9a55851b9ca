"""What the report of consistency says beside its blocks: its title, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.results import Content
from gpustab.results.page import counted
from gpustab.results.table import titles
from gpustab.studies.consistency.tables import TEXTS, TermNumbers
from gpustab.studies.shared.wording import listed

CITATIONS = ("bloem2019",)

WORDS = {"terms": titles(TermNumbers, "occurrences", "sentences", "same", "null", "auc", "rank", "own")}


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and what was looked at."""
    title = "Do parts of one text give a term the same vector?"
    if not result.groups:
        return title, ""
    texts = {group["text"]: f"{counted(group['terms'], 'term')} of {group['text']}" for group in result.groups}
    samples = max(group["samples"] for group in result.groups)
    return title, f"{listed(list(texts.values()))} · up to {counted(samples, 'sample')}"


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    if not result.groups:
        return ""
    s, first = result.settings, result.groups[0]
    how = (
        f"up to {s['samples']} non-overlapping random samples of up to {s['sentences']} sentences"
        if s["split"] == "random"
        else "all its sentences in each half of the text"
    )
    copies = "" if s["sample_file"] else "duplicate sentences left out first, "
    how = "the samples of a given file" if s["sample_file"] else how
    several = (
        " Texts were compared by samples cut at random to one number of context words, with errors over the terms of "
        "each text and over the runs of the background."
        if TEXTS.name in result.tables
        else ""
    )
    return (
        f"Consistency was measured with gpustab {result.environment.get('gpustab')}, after Bloem et al. (2019): of "
        f"each of {counted(first['terms'], 'term')}, {how} were taken, {copies}and the background "
        f"vectors of the context words ({s['window']} words within the sentence, subsampled at {s['subsample']:g}) "
        "were added. Cosines of samples of one term are compared with those of samples of different terms without a "
        "common sentence (area under the curve over all pairs of both); the same was done without the mean background "
        "vector of the text's tokens. Intervals are 95 % by jackknife over terms." + several
    )
