"""One group's stability in plain values: the ``groups`` of the JSON ``gpustab.stability/1``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from gpustab import engine
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.overlap import Overlap, chance_overlap, mean_over_measured
from gpustab.machine.memory import let_go
from gpustab.results.page import percent
from gpustab.runs.key import SAMPLINGS
from gpustab.runs.runs import Runs
from gpustab.statistics.reliability import Reliability
from gpustab.statistics.windows import standing_out
from gpustab.studies.stability import claims
from gpustab.studies.stability.words import Words


class Vocabulary(TypedDict):
    """How many words are compared, and how many are not."""

    rule: str
    joint: int
    dropped: int
    undefined: int


class Scale(TypedDict):
    """What losses are measured by."""

    mean_cosine: float
    chance_reduced_pip: float


class Losses(TypedDict):
    """The reduced PIP loss over so many pairs; that of each of them stands in the table ``pairs``."""

    mean: float
    sd: float | None
    se: float | None
    pairs: int


class Common(TypedDict):
    """The part of a list that all of m runs have in common (r@n of Hellrich & Hahn 2016), mean over all choices."""

    runs: int
    r: float
    r_se: float | None


class Neighbours(TypedDict):
    """Shared neighbours at one list length; in common to all runs, also as a part of the union of the lists.

    ``common_jaccard_left_out`` is the mean over leaving each run out, as Hellrich, Kampe & Hahn (2019) print it.
    """

    p: float
    pairs: int
    p_sd: float | None
    p_se: float | None
    j: float
    j_sd: float | None
    j_se: float | None
    chance_p: float
    ties: int
    common: list[Common]
    common_jaccard: float | None
    common_jaccard_left_out: float | None


class Similarity(TypedDict):
    """A further metric of pairs, with its value of equal spaces and its mean for spaces that are unrelated."""

    mean: float
    sd: float | None
    se: float | None
    equal: float
    chance: float


ReliabilitySummary = TypedDict(
    "ReliabilitySummary",
    {"words": int, "reliability": float, "runs_for_0.9": "int | None", "variance": "dict[str, float]"},
)
"""How reliable a ranking of words is, and from how many runs on it would be 0.9."""


class RankingSummary(TypedDict):
    """The reliability of a ranking of all words, and of one with frequency removed."""

    all: ReliabilitySummary | None
    like_frequency: ReliabilitySummary | None


class WordsSummary(TypedDict):
    """How far these runs rank words, and the least and the most stable ones beside words of like frequency.

    Of each word that is listed: its count, and what :class:`gpustab.studies.stability.words.Words` knows of it.
    """

    n: int
    rankings: dict[str, RankingSummary]
    by: str | None
    heading: str
    ranking: str
    standing_out: int
    list: str
    pip_and_p: float
    least_stable: list[dict[str, Any]]
    most_stable: list[dict[str, Any]]


class Precision(TypedDict):
    """How the losses were computed."""

    products: str
    relative_error: float


class Targets(TypedDict):
    """How many words' neighbours were compared, and how many wanted ones are not there."""

    words: int
    missing: int


class GroupSummary(TypedDict):
    """One group; ``constant`` if all its runs are equal though their seeds differ, so that they show no noise."""

    name: str
    runs: list[str]
    vocabulary: Vocabulary
    dimension: int
    scale: Scale | None
    pip: dict[str, Losses]
    neighbours: dict[str, Neighbours]
    words: WordsSummary
    precision: Precision
    targets: Targets
    similarity: NotRequired[dict[str, Similarity]]
    constant: NotRequired[bool]


def summarise(
    runs: Runs,
    pip: engine.PipPass,
    words: Words,
    overlaps: Overlap,
    ties: dict[int, int],
    targets: Targets,
    common: dict[int, engine.CommonOverlap],
) -> GroupSummary:
    """Return the summary of one group.

    By list length ``ties`` says how many lists have a tie at the cut, in the order of the overlaps, and ``common`` what
    all of some runs have in common.
    """
    chance = mean_over_measured(chance_overlap(runs.present), overlaps.targets.to(runs.device))
    return {
        "name": runs.name,
        "runs": list(runs.names),
        "vocabulary": {
            "rule": runs.joining.rule,
            "joint": int(runs.joint.sum()),
            "dropped": runs.joining.dropped,
            "undefined": runs.joining.undefined,
        },
        "dimension": runs.dimension,
        "scale": _scale(pip),
        "pip": {"reduced": _pip(pip, len(runs))},
        "neighbours": {str(n): _overlap(overlaps, m, n * chance, ties[n], common.get(n)) for m, n in enumerate(ties)},
        "words": _words(runs, words),
        "precision": {"products": pip.precision, "relative_error": pip.error},
        "targets": targets,
    }


def _scale(pip: engine.PipPass) -> Scale | None:
    if pip.scale is None:
        return None
    # Losses of pairs combine by their squares; chance levels do too.
    chance = pip.scale.chance.square().mean().sqrt()
    return {"mean_cosine": float(pip.scale.mean_cosine.mean()), "chance_reduced_pip": float(chance)}


def _pip(pip: engine.PipPass, runs: int) -> Losses:
    over_pairs = pair_statistics(pair_matrix(pip.reduced, runs))
    return {"mean": over_pairs.mean, "sd": over_pairs.sd, "se": over_pairs.se, "pairs": over_pairs.pairs}


def _overlap(overlaps: Overlap, m: int, chance: float, ties: int, common: engine.CommonOverlap | None) -> Neighbours:
    runs = len(overlaps.targets)
    p, j = (pair_statistics(pair_matrix(values[m], runs)) for values in (overlaps.p_pairs, overlaps.j_pairs))
    let_go()  # of a thousand runs the matrices of every length take 30 MB
    return {
        "p": p.mean,
        "pairs": p.pairs,
        "p_sd": p.sd,
        "p_se": p.se,
        "j": j.mean,
        "j_sd": j.sd,
        "j_se": j.se,
        "chance_p": chance,
        "ties": ties,
        "common": _common(common) if common else [],
        "common_jaccard": common.jaccard if common else None,
        "common_jaccard_left_out": common.left_out if common and not math.isnan(common.left_out) else None,
    }


def _common(common: engine.CommonOverlap) -> list[Common]:
    rows = zip(common.runs, common.share.tolist(), common.se.tolist(), strict=True)
    return [{"runs": m, "r": r, "r_se": None if math.isnan(se) else se} for m, r, se in rows]


def _words(runs: Runs, words: Words) -> WordsSummary:
    best, (least, most) = words.best, words.listed()
    counts = runs.counts_in_a_run()
    by = None if best is None or best.like is None else (best.name, best.like.value)
    expected = float(words.least[least].nan_to_num().sum()) if least else 0.0
    listed = claims.Least(len(least), expected, float(words.p.nanmean()), len(runs))
    shown = least if claims.LEAST_LISTED.judge(listed) == "yes" else []
    ranked = claims.Ranking(by and by[1], len(runs))
    stable = most if claims.RANKS_WORDS.judge(ranked) == "place" else []
    return {
        "n": words.n,
        "rankings": {
            x.name: {"all": _reliability(x.whole), "like_frequency": _reliability(x.like)} for x in words.rankings
        },
        "by": by and by[0],
        "heading": claims.RANKS_WORDS.sentence(ranked),
        "ranking": claims.ranking(len(runs), [(called(x.name), x.whole) for x in words.rankings]),
        "standing_out": len(standing_out(words.least)),
        "list": claims.LEAST_LISTED.sentence(listed),
        "pip_and_p": words.agreement[0],
        "least_stable": [_word(runs, words, counts, k) for k in shown],
        "most_stable": [_word(runs, words, counts, k) for k in stable],
    }


def called(name: str) -> str:
    """Return what pages call a ranking of words."""
    return "PIP loss" if name == "pip" else name


def _reliability(reliability: Reliability | None) -> ReliabilitySummary | None:
    if reliability is None:
        return None
    return {
        "words": reliability.words,
        "reliability": reliability.value,
        "runs_for_0.9": reliability.needed(0.9),
        "variance": {"word": reliability.word, "run": reliability.run, "pair": reliability.pair},
    }


def _word(runs: Runs, words: Words, counts: list[int | None], k: int) -> dict[str, Any]:
    known = ("pip", "pip_se", "pip_place", "p", "p_se", "p_place", "least")
    numbers = {name: float(getattr(words, name)[k]) for name in known}
    return {"word": runs.vocabulary.text(k), "count": counts[k], **numbers}


def leading(groups: Sequence[GroupSummary]) -> list[GroupSummary]:
    """Return the group of the lead, and what it is compared with: bootstrap and shuffled runs of one technique."""
    first = next((group for group in groups if sampling_of(group) == "bootstrap"), None)
    if first is None:
        return list(groups[:2])
    family = first["name"].rpartition("/")[0]
    others = [group for group in groups if group is not first and group["name"].rpartition("/")[0] == family]
    return [first, *sorted(others, key=lambda group: sampling_of(group) != "shuffled")[:1]]


def sampling_of(group: GroupSummary) -> str:
    """Return how the runs of a group were sampled; empty where its name does not say."""
    last = group["name"].rpartition("/")[2].partition("-")[0]  # bootstrap-author is a bootstrap
    return last if last in SAMPLINGS else ""


def share_of_chance(group: GroupSummary) -> str:
    """Return the loss in parts of that of unrelated spaces; empty where there is no such level."""
    chance = group["scale"] and group["scale"]["chance_reduced_pip"]
    return percent(group["pip"]["reduced"]["mean"] / chance) if chance else ""
