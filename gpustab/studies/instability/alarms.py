"""The alarm of a technique: one, whichever of its groups set it off, with everything that it forbids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gpustab.studies.shared.spaces import Collapse, Flaws, named
from gpustab.studies.shared.wording import listed


class Alarm(NamedTuple):
    """Why no verdict is given on a technique.

    Attributes:
        reason: in a few words, the end of a sentence.
        text: the whole of it.
    """

    reason: str
    text: str


def alarm_of(name: str, flaws: Mapping[str, Flaws], overlaps: Mapping[str, str]) -> Alarm | None:
    """Return the alarm of a technique, or nothing where its runs are sound.

    Args:
        name: of the technique.
        flaws: by sampling, what is wrong with its runs.
        overlaps: by sampling, the sentence on runs that share hardly any word.
    """
    fallen = {sampling: found.collapse for sampling, found in flaws.items() if found.collapse}
    said = [
        *(_collapsed(fallen, sum(found.of for found in fallen.values())) if fallen else ()),
        *_each({sampling: [sentence] for sampling, sentence in overlaps.items()}),
        *_each({sampling: found.copies for sampling, found in flaws.items()}),
        *_each({sampling: found.far for sampling, found in flaws.items()}),
    ]
    if not said:
        return None
    reason = _reason(fallen, flaws, overlaps)
    forbidden = (
        f"Of {name} this page therefore answers no question: not how unstable it is, nor whether documents matter, "
        "frequent words are safer, or averaging helps. Its numbers in tables and pictures stand as they were measured."
    )
    return Alarm(reason, f"No verdict on {name}: {reason}. {' '.join(said)} {forbidden}")


def silent_of(groups: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return why, of the techniques on which no verdict is given, from the summaries of all."""
    return {group["name"]: group["no_verdict"] for group in groups if group.get("no_verdict")}


def _reason(fallen: Mapping[str, Collapse], flaws: Mapping[str, Flaws], overlaps: Mapping[str, str]) -> str:
    """The gravest of what is wrong."""
    if fallen:
        every = fallen.keys() == flaws.keys() and all(len(found.names) == found.of for found in fallen.values())
        return "its runs are collapsed" if every else "some of its runs are collapsed"
    if overlaps:
        return "its runs share hardly any words"
    if any(found.copies for found in flaws.values()):
        return "some of its runs are equal"
    return "its runs do not all lie together"


def _collapsed(fallen: Mapping[str, Collapse], of: int) -> Iterator[str]:
    runs = sum(len(found.names) for found in fallen.values())
    which = f"all {of}" if runs == of else f"{runs} of {of}"
    names = "" if runs == of else f": {'; '.join(f'{s} {named(found.names)}' for s, found in fallen.items())}"
    whole = Collapse((), of, min(f.low for f in fallen.values()), max(f.high for f in fallen.values()))
    yield (
        f"In {which} {listed(list(fallen))} runs{names} all words point nearly one way: the mean cosine of two "
        f"different words is {whole.span}, and a small PIP loss means nothing. Train longer, or see what centring "
        "(--centre) leaves."
    )


def _each(sentences: Mapping[str, list[str]]) -> Iterator[str]:
    """Sentences on single groups; the same one of several groups once."""
    about: dict[str, list[str]] = {}
    for sampling, found in sentences.items():
        for sentence in found:
            about.setdefault(sentence, []).append(sampling)
    yield from (f"Of the {listed(samplings)} runs: {sentence}" for sentence, samplings in about.items())
