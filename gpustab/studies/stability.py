"""How stable are these runs? Reduced PIP loss, neighbour overlap and words, each beside its chance level.

Rettenmeier 2020, chapters 2.2-2.3; conventions and corrections in the README.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import torch
from torch import Tensor

from gpustab import engine
from gpustab.device import Compute
from gpustab.errors import InputError
from gpustab.kernels.gram import run_pairs
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.overlap import Overlap
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.result import Result, Table, environment
from gpustab.runs import Runs
from gpustab.studies import notes as sentences
from gpustab.vocabulary import as_word, show

LENGTHS = (1, 2, 5, 10, 25, 50)
_SHOWN = 10

Targets = Literal["all"] | int | Iterable[str | bytes] | None
Progress = Callable[[str, float], None]


def stability(
    groups: Runs | Sequence[Runs],
    *,
    neighbours: Sequence[int] = LENGTHS,
    targets: Targets = None,
    seed: int = 0,
    compute: Compute | None = None,
    progress: Progress | None = None,
) -> Result:
    """Measure the stability of one or several groups of runs, exactly: all pairs, all words.

    Args:
        groups: from :func:`gpustab.load_runs` or :func:`gpustab.load_groups`. Groups are never pooled.
        neighbours: list lengths n of p@n and j@n.
        targets: whose neighbours are compared: ``"all"``, a number of words to draw, the words themselves, or
            ``None``: all while there are at most 20,000, else a draw of 1,000.
        seed: of the draw.
        compute: device, precision, back end; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.

    Returns:
        ``groups`` and ``contrasts`` in the form of ``gpustab.stability/1``; tables ``pairs`` (one row per pair of
        runs) and ``words`` (one row per word: mean, SD and jackknife error of its PIP loss over pairs, mean p@n).

    Example:
        >>> import numpy as np
        >>> from gpustab import load_runs
        >>> words, space = [f"w{i}" for i in range(50)], np.random.default_rng(0).normal(size=(50, 8))
        >>> result = stability(load_runs([(words, space), (words, space[:, ::-1])]))  # a mirrored copy
        >>> round(result.groups[0]["pip"]["reduced"]["mean"], 6), result.groups[0]["neighbours"]["10"]["p"]
        (0.0, 1.0)
    """
    started = time.perf_counter()
    groups = [groups] if isinstance(groups, Runs) else list(groups)
    if not neighbours or min(neighbours) < 1:
        raise InputError(f"neighbours are {list(neighbours)}, wanted whole numbers from 1")
    lengths = sorted(set(neighbours))
    compute = compute or Compute(groups[0].device)
    result = Result("stability", tables={"pairs": {}, "words": {}})
    for runs in groups:
        _measure(runs.to(compute.device), lengths, targets, seed, compute, progress or _nothing, result)
    _add_extrinsic(groups, compute, result)
    result.settings |= {
        "neighbours": lengths,
        "targets": targets if isinstance(targets, int | str | None) else "words",
        "seed": seed,
        "centre": groups[0].centre,
        "unit": groups[0].unit,
        "vocabulary": groups[0].joining.rule,
        "precision": compute.precision,
        "backend": compute.backend,
    }
    result.environment = environment(compute.device) | {"seconds": time.perf_counter() - started}
    return result


def _measure(
    runs: Runs,
    lengths: list[int],
    targets: Targets,
    seed: int,
    compute: Compute,
    report: Progress,
    result: Result,
) -> None:
    """Measure one group and add it to the result."""
    report(f"{runs.group}: PIP loss", 0.0)
    pip = engine.pip_pass(runs, compute)
    report(f"{runs.group}: word by word", 0.2)
    words = engine.wordwise_pass(runs, pip.basis, compute)
    rows = _target_rows(runs, targets, seed)
    found = engine.neighbour_pass(
        runs,
        rows,
        lengths[-1],
        compute,
        lambda done: report(f"{runs.group}: neighbours", 0.3 + 0.6 * done / len(runs)),
    )
    usable = [n for n in lengths if n <= found.k] or [found.k]
    report(f"{runs.group}: overlap", 0.9)
    overlaps = engine.overlap_pass(found, usable, compute)
    ties = {n: int(found.tied[:, :, n - 1].sum()) for n in usable}
    result.groups.append(
        {
            "name": runs.group,
            "runs": list(runs.names),
            "vocabulary": _vocabulary(runs),
            "dimension": runs.dimension,
            "scale": _scale(pip),
            "pip": {"reduced": _pip(pip, len(runs))},
            "neighbours": {str(n): _overlap(overlaps, m, n, runs.words, ties[n]) for m, n in enumerate(usable)},
            "words": _extremes(runs, words),
        }
    )
    result.settings.setdefault("measured", []).append(
        {
            "group": runs.group,
            "words_seen": runs.joining.seen,
            "min_runs": runs.joining.min_runs,
            "targets": len(rows),
            "precision": pip.precision,
            "relative_error": pip.error,
        }
    )
    _extend(result.tables["pairs"], _pair_table(runs, pip, overlaps, usable))
    _extend(result.tables["words"], _word_table(runs, words, overlaps, usable, rows))
    result.notes += sentences.of_group(runs, pip, found, lengths, ties)
    report(f"{runs.group}: done", 1.0)


def _nothing(work: str, part: float) -> None:
    """Take a report of progress that nobody reads."""


def _target_rows(runs: Runs, targets: Targets, seed: int) -> Tensor:
    if targets is None or isinstance(targets, int):
        return engine.draw_targets(runs, targets, seed)
    if targets == "all":
        return engine.draw_targets(runs, runs.words)
    wanted = [as_word(word) for word in targets]
    missing = [word for word in wanted if word not in runs.vocabulary]
    if missing:
        raise InputError(f"group '{runs.group}': {len(missing)} target words are not there: {show(missing[0])} ...")
    return torch.tensor([runs.vocabulary.index_of(word) for word in wanted], dtype=torch.long)


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
    return {**pair_statistics(pair_matrix(pip.reduced, runs))._asdict(), "pairs": pairs}


def _overlap(overlaps: Overlap, m: int, n: int, words: int, ties: int) -> dict[str, Any]:
    p, j = pair_statistics(overlaps.p[m]), pair_statistics(overlaps.j[m])
    return {
        "p": p.mean,
        "p_sd": p.sd,
        "p_se": p.se,
        "j": j.mean,
        "j_sd": j.sd,
        "j_se": j.se,
        "chance_p": n / (words - 1),
        "ties": ties,
    }


def _extremes(runs: Runs, words: WordwisePip) -> dict[str, list[list[Any]]]:
    """The least and the most stable words with mean and SD over pairs."""
    measured = (words.pairs > 0).nonzero().flatten()
    order = measured[words.mean[measured].argsort(stable=True)].tolist()

    def rows(which: list[int]) -> list[list[Any]]:
        return [[runs.vocabulary.text(k), float(words.mean[k]), float(words.sd[k])] for k in which]

    return {"least_stable": rows(order[::-1][:_SHOWN]), "most_stable": rows(order[:_SHOWN])}


def _pair_table(runs: Runs, pip: engine.PipPass, overlaps: Overlap, lengths: list[int]) -> Table:
    i, j = run_pairs(len(runs))
    table: Table = {
        "group": [runs.group] * len(i),
        "run_i": [runs.names[k] for k in i.tolist()],
        "run_j": [runs.names[k] for k in j.tolist()],
        "reduced_pip": pip.reduced.tolist(),
        "chance_reduced_pip": [math.nan] * len(i) if pip.scale is None else pip.scale.chance.tolist(),
    }
    for m, n in enumerate(lengths):
        table[f"p@{n}"] = overlaps.p[m].cpu()[i, j].tolist()
        table[f"j@{n}"] = overlaps.j[m].cpu()[i, j].tolist()
    return table


def _word_table(runs: Runs, words: WordwisePip, overlaps: Overlap, lengths: list[int], targets: Tensor) -> Table:
    table: Table = {
        "group": [runs.group] * runs.words,
        "word": [runs.vocabulary.text(k) for k in range(runs.words)],
        "count": [None] * runs.words if runs.counts is None else runs.counts.tolist(),
        "runs": runs.present.sum(0).tolist(),
        "pip_mean": words.mean.tolist(),
        "pip_sd": words.sd.tolist(),
        "pip_se": words.se.tolist(),
        "pairs": words.pairs.tolist(),
    }
    for m, n in enumerate(lengths):
        for name, values in (("p", overlaps.p_word[m]), ("j", overlaps.j_word[m])):
            column = torch.full((runs.words,), torch.nan, dtype=torch.float64)
            column[targets] = values.cpu()
            table[f"{name}@{n}"] = column.tolist()
    return table


def _extend(table: Table, more: Table) -> None:
    """Append rows; a column that one side lacks (a list length too long for a small group) is filled with None."""
    before = len(next(iter(table.values()), []))
    rows = len(next(iter(more.values())))
    for name in {**table, **more}:
        table.setdefault(name, [None] * before).extend(more.get(name, [None] * rows))


def _add_extrinsic(groups: Sequence[Runs], compute: Compute, result: Result) -> None:
    """Add the extrinsic instability of every technique that has shuffled and bootstrap runs, over the same words.

    ``sqrt(mean(bootstrap)² − mean(shuffled)²)``: reproduces table 2.11 of the thesis (eq. 2.44 lacks the squares).
    """
    by_name = {runs.group: runs for runs in groups}
    for name, shuffled in by_name.items():
        bootstrap = by_name.get(name.replace("shuffled", "bootstrap"))
        if "shuffled" not in name or bootstrap is None:
            continue
        common = _joint_words(shuffled) & _joint_words(bootstrap)
        intrinsic, total = (
            float(engine.pip_pass(_only(runs, common).to(compute.device), compute).reduced.mean())
            for runs in (shuffled, bootstrap)
        )
        signed = total**2 - intrinsic**2
        result.contrasts.append(
            {
                "name": "extrinsic",
                "groups": [shuffled.group, bootstrap.group],
                "value": math.sqrt(signed) if signed >= 0 else None,
                "signed_square": signed,
            }
        )
        result.notes.append(
            f"{shuffled.group} and {bootstrap.group}: over their {len(common):,} common words the reduced PIP loss is "
            f"{intrinsic:.4g} (intrinsic) and {total:.4g}."
        )


def _joint_words(runs: Runs) -> set[bytes]:
    return {word for word, joint in zip(runs.vocabulary, runs.joint.tolist(), strict=True) if joint}


def _only(runs: Runs, words: set[bytes]) -> Runs:
    mask = torch.tensor([word in words for word in runs.vocabulary], device=runs.device)
    return replace(runs, present=runs.present & mask)
