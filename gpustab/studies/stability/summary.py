"""One group's stability in plain values: the ``groups`` of the JSON ``gpustab.stability/1``."""

from __future__ import annotations

from typing import Any

from gpustab import engine
from gpustab.kernels.gram import run_pairs
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.overlap import Overlap, chance_overlap, mean_over_measured
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.runs.runs import Runs

_SHOWN = 10


def summarise(
    runs: Runs, pip: engine.PipPass, words: WordwisePip, overlaps: Overlap, ties: dict[int, int]
) -> dict[str, Any]:
    """Return the summary of one group.

    Args:
        runs: the group.
        pip: reduced PIP losses of its pairs.
        words: PIP losses word by word.
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
        "words": _extremes(runs, words),
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


def _extremes(runs: Runs, words: WordwisePip) -> dict[str, list[list[Any]]]:
    """The least and the most stable words with mean and SD over pairs."""
    measured = (words.pairs > 0).nonzero().flatten()
    order = measured[words.mean[measured].argsort(stable=True)].tolist()

    def rows(which: list[int]) -> list[list[Any]]:
        return [[runs.vocabulary.text(k), float(words.mean[k]), float(words.sd[k])] for k in which]

    return {"least_stable": rows(order[::-1][:_SHOWN]), "most_stable": rows(order[:_SHOWN])}
