"""How stable are these runs? Reduced PIP loss, neighbour overlap and words, each beside its chance level.

Rettenmeier 2020, chapters 2.2-2.3; conventions and corrections in the README.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError, OutOfMemoryError
from gpustab.machine.device import CPU, Compute, log
from gpustab.machine.progress import Progress, no_progress
from gpustab.results import Result, environment
from gpustab.runs import Runs
from gpustab.spaces.vocabulary import as_word, show, some_words
from gpustab.studies import notes as sentences
from gpustab.studies.contrast import add_extrinsic
from gpustab.studies.summary import summarise
from gpustab.studies.tables import extend, pair_table, word_table

LENGTHS = (1, 2, 5, 10, 25, 50)

Targets = Literal["all"] | int | Iterable[str | bytes] | None
Notes = dict[str, list[str]]


def stability(
    groups: Runs | Sequence[Runs],
    *,
    neighbours: Sequence[int] = LENGTHS,
    targets: Targets = None,
    seed: int = 0,
    proxy: int | None = None,
    compute: Compute | None = None,
    progress: Progress | None = None,
) -> Result:
    """Measure the stability of one or several groups of runs, exactly: all pairs, all words.

    Args:
        groups: from :func:`gpustab.load_runs` or :func:`gpustab.load_groups`. Groups are never pooled.
        neighbours: list lengths n of p@n and j@n.
        targets: whose neighbours are compared: ``"all"``, a number of words to draw, the words themselves, or
            ``None``: all while there are at most 20,000, else a draw of 1,000.
        seed: of the draws.
        proxy: compare each word with so many words drawn at random instead of all (thesis §2.2.3.3), never needed.
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
    if not groups:
        raise InputError("no group of runs was given")
    if len({runs.group for runs in groups}) < len(groups):
        raise InputError(f"groups must have different names, not {', '.join(runs.group for runs in groups)}")
    if not neighbours or min(neighbours) < 1:
        raise InputError(f"neighbours are {list(neighbours)}, wanted whole numbers from 1")
    question = _Question(sorted(set(neighbours)), targets, seed, proxy)
    compute = compute or Compute(groups[0].device)
    result = Result("stability", tables={"pairs": {}, "words": {}})
    notes: Notes = {}
    for runs in groups:
        _measure_or_fall_back(runs, question, compute, progress or no_progress, result, notes)
    result.notes[:0] = sentences.merged(notes)
    add_extrinsic(groups, compute, result)
    if proxy is not None:
        result.notes.append(f"PIP losses are over a sampled proxy of {proxy:,} words, not the whole vocabulary.")
    result.settings |= {
        "neighbours": question.lengths,
        "targets": targets if isinstance(targets, int | str | None) else "words",
        "seed": seed,
        "proxy": proxy,
        "centre": groups[0].centre,
        "unit": groups[0].unit,
        "vocabulary": groups[0].joining.rule,
        "precision": compute.precision,
        "backend": compute.backend,
    }
    result.environment = environment(compute.device) | {"seconds": time.perf_counter() - started}
    return result


@dataclass(frozen=True)
class _Question:
    """What is measured in every group; see :func:`stability`."""

    lengths: list[int]
    targets: Targets
    seed: int
    proxy: int | None


def _measure_or_fall_back(
    runs: Runs, question: _Question, compute: Compute, report: Progress, result: Result, notes: Notes
) -> None:
    """Measure one group; if the device's memory does not suffice for any tile, on the CPU, and say so."""
    try:
        _measure(engine.place(runs, compute), question, compute, report, result, notes)
    except OutOfMemoryError as error:
        if compute.device.type == "cpu":
            raise
        log.warning("%s: %s; going on with the CPU", runs.group, error)
        _measure(runs.to(CPU), question, replace(compute, device=CPU, backend="torch"), report, result, notes)
        result.notes.append(f"{runs.group}: The memory of {compute.device} did not suffice; measured on the CPU.")


def _measure(runs: Runs, question: _Question, compute: Compute, report: Progress, result: Result, notes: Notes) -> None:
    """Measure one group and add it to the result."""
    report(f"{runs.group}: PIP loss", 0.0)
    proxy = None if question.proxy is None else engine.draw_proxy(runs, question.proxy, question.seed)
    pip = engine.pip_pass(runs, compute, proxy)
    report(f"{runs.group}: word by word", 0.2)
    words = engine.wordwise_pass(runs, pip.basis, compute)
    rows, missing = _target_rows(runs, question.targets, question.seed)
    found = engine.neighbour_pass(
        runs,
        rows,
        max(question.lengths),
        compute,
        lambda done: report(f"{runs.group}: neighbours", 0.3 + 0.6 * done / len(runs)),
    )
    lengths = sorted({min(n, found.k) for n in question.lengths})
    report(f"{runs.group}: overlap", 0.9)
    overlaps = engine.overlap_pass(found, lengths, compute)
    ties = {n: int(found.tied[:, :, n - 1].sum()) for n in lengths}
    result.groups.append(summarise(runs, pip, words, overlaps, ties))
    result.settings.setdefault("measured", []).append(
        {
            "group": runs.group,
            "words_seen": runs.joining.seen,
            "min_runs": runs.joining.min_runs,
            "targets": len(rows),
            "missing_targets": len(missing),
            "precision": pip.precision,
            "relative_error": pip.error,
        }
    )
    extend(result.tables["pairs"], pair_table(runs, pip, overlaps, lengths))
    extend(result.tables["words"], word_table(runs, words, overlaps, lengths, rows))
    notes[runs.group] = sentences.of_group(runs, pip, found, question.lengths, ties, missing)
    report(f"{runs.group}: done", 1.0)


def _target_rows(runs: Runs, targets: Targets, seed: int) -> tuple[Tensor, list[bytes]]:
    """Row numbers of the target words, and those of the wanted words that are not there."""
    if targets is None or targets == "all":
        return engine.draw_targets(runs, runs.words if targets else None, seed), []
    if isinstance(targets, int):
        if targets < 1:
            raise InputError(f"targets is {targets}, wanted at least 1")
        return engine.draw_targets(runs, targets, seed), []
    if isinstance(targets, str | bytes):
        raise InputError(f"targets is '{show(as_word(targets))}', wanted 'all', a number, or a list of words")
    wanted = list(dict.fromkeys(as_word(word) for word in targets))
    missing = [word for word in wanted if word not in runs.vocabulary]
    there = [runs.vocabulary.index_of(word) for word in wanted if word in runs.vocabulary]
    if not there:
        raise InputError(f"group '{runs.group}': no target word is there{': ' if missing else ''}{some_words(missing)}")
    return torch.tensor(there, dtype=torch.long), missing
