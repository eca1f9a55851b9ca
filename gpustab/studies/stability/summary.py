"""One group's stability in plain values: the ``groups`` of the JSON ``gpustab.stability/1``."""

from __future__ import annotations

from typing import Any

from gpustab import engine
from gpustab.kernels.gram import run_pairs
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.overlap import Overlap, chance_overlap, mean_over_measured
from gpustab.runs.runs import Runs
from gpustab.studies.stability import sentences
from gpustab.studies.stability.words import COLUMNS, Words, surely_least


def summarise(runs: Runs, pip: engine.PipPass, words: Words, overlaps: Overlap, ties: dict[int, int]) -> dict[str, Any]:
    """Return the summary of one group.

    Args:
        runs: the group.
        pip: reduced PIP losses of its pairs.
        words: every word beside words of like frequency.
        overlaps: shared neighbours at the list lengths of ``ties``.
        ties: for every list length, how many lists have a tie at the cut.
    """
    chance = mean_over_measured(chance_overlap(runs.present), overlaps.targets.to(runs.device))
    return {
        "name": runs.name,
        "runs": list(runs.names),
        "vocabulary": _vocabulary(runs),
        "dimension": runs.dimension,
        "scale": _scale(pip),
        "pip": {"reduced": _pip(pip, len(runs))},
        "neighbours": {str(n): _overlap(overlaps, m, n * chance, ties[n]) for m, n in enumerate(ties)},
        "words": _words(runs, words),
        "precision": {"products": pip.precision, "relative_error": pip.error},
    }


def _vocabulary(runs: Runs) -> dict[str, Any]:
    return {
        "rule": runs.joining.rule,
        "joint": int(runs.joint.sum()),
        "dropped": runs.joining.dropped,
        "undefined": runs.joining.undefined,
    }


def _scale(pip: engine.PipPass) -> dict[str, float] | None:
    if pip.scale is None:
        return None
    # Losses of pairs combine by their squares; chance levels do too.
    chance = pip.scale.chance.square().mean().sqrt()
    return {"mean_cosine": float(pip.scale.mean_cosine.mean()), "chance_reduced_pip": float(chance)}


def _pip(pip: engine.PipPass, runs: int) -> dict[str, Any]:
    i, j = run_pairs(runs)
    pairs = [[a, b, value] for a, b, value in zip(i.tolist(), j.tolist(), pip.reduced.tolist(), strict=True)]
    found = pair_statistics(pair_matrix(pip.reduced, runs))
    return {"mean": found.mean, "sd": found.sd, "se": found.se, "pairs": pairs}


def _overlap(overlaps: Overlap, m: int, chance: float, ties: int) -> dict[str, Any]:
    p, j = pair_statistics(overlaps.p[m]), pair_statistics(overlaps.j[m])
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
    }


def _words(runs: Runs, words: Words) -> dict[str, Any]:
    """Return how far these runs rank words, and the least and the most stable ones beside words of like frequency."""
    best, (least, most) = words.best, words.listed()
    counts = runs.counts_in_a_run()
    by = None if best is None or best.like is None else (best.name, best.like.value)
    return {
        "n": words.n,
        "rankings": {ranking.name: ranking.plain() for ranking in words.rankings},
        "by": by and by[0],
        "heading": sentences.heading(by and by[1], len(runs)),
        "ranking": sentences.ranking(len(runs), [(_called(x.name), x.whole) for x in words.rankings]),
        "standing_out": len(surely_least(words)),
        "pip_and_p": words.agreement[0],
        "least_stable": [_word(runs, words, counts, k) for k in least],
        "most_stable": [_word(runs, words, counts, k) for k in most],
    }


def _called(name: str) -> str:
    return "PIP loss" if name == "pip" else name


def _word(runs: Runs, words: Words, counts: list[int | None], k: int) -> dict[str, Any]:
    values = {name: float(getattr(words, name)[k]) for name in COLUMNS}
    return {"word": runs.vocabulary.text(k), "count": counts[k]} | values
