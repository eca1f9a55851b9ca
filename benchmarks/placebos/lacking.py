"""What claims are not asked, and why: the page prints it beside the counts, and a test wants a reason for every gap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.placebos.cells import RUNS

ODD, LOW, HIGH = "odd", "shuffled, p@10", "bootstrap, p@10"
ALARM = "a group with a far run gets no verdict, which the alarm's own cells count (order of techniques, most stable)"
TEXTS = "texts and terms are drawn anew; a background is one run or three, as users have it, and a far one is an alarm"
MODELS = "the runs are those of models that are made for the question, which have the noise that they are given"
WHY: Mapping[str, str] = {
    "average.": "of three runs there are no two averages of equally many",
    "bootstrap.": "what is asked of both samplings or of several techniques takes two to six times R runs of 64",
    "change.": "three periods with two controls take nine times R runs of 64; SemEval's ways take four times R",
    "change.words-differ": "the test of authors counts words in documents and needs no runs",
    "compare.": "what two groups are told by is asked at all R",
    "consistency.": TEXTS,
    "instability.": ALARM,
    "instability.averaging-raises-score": "three averages need six runs; scores need words that a test asks for",
    "instability.fasttext-most-analogies": "words as tests want them have quiet and loud noise of their own",
    "instability.scores-reach-a-plateau": "averages of 64 runs need 128: no test below, and pools have 64",
    "localization.": MODELS,
    "neighbours.": "the truth is what runs say that were not drawn, which an odd run would change",
    "shared.": "it is asked beside every placebo of two samplings",
    "stability.": "a far run is the alarm of this page, and its verdict is about the others",
    "sweep.": "a far run is no test, which is counted",
    "thresholds.": "sixteen runs are held out to stand for what words mean, and two names take twice R of the other 48",
}
"""By the beginning of a claim's id, the longest one counts."""


def gaps(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return at which R, noise and runs a claim was not asked, by its cells of real text."""
    known = list(rows)
    left = [str(r) for r in RUNS if r not in {row["runs"] for row in known}]
    found = [f"R = {', '.join(left)}"] if left else []
    for name, part, where in (
        ("low noise", LOW, "noise"),
        ("high noise", HIGH, "noise"),
        ("one run in ten odd", ODD, "placebo"),
    ):
        found += [name] * (not any(part in row[where] for row in known))
    return found


def why(claim: str) -> str:
    """Return the reason for the gaps of a claim; empty where there is none."""
    return WHY[max(own, key=len)] if (own := [start for start in WHY if claim.startswith(start)]) else ""
