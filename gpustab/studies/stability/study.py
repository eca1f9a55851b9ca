"""How stable are these runs? Reduced PIP loss, neighbour overlap and words, each beside its chance level."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpustab import engine
from gpustab.engine.similarity import chance_pass, similarity_pass
from gpustab.errors import InputError, OutOfMemoryError
from gpustab.kernels.gram import run_pairs
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.overlap import Overlap
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.machine.device import CPU, Compute
from gpustab.machine.log import log
from gpustab.machine.memory import let_go
from gpustab.machine.progress import Progress
from gpustab.machine.threads import side_by_side
from gpustab.options import SIMILARITIES, chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.families import families
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.spaces.words import near_words, some_words
from gpustab.studies.shared import spaces
from gpustab.studies.shared.copies import same_pairs
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of
from gpustab.studies.shared.same_runs import said_of, same_runs
from gpustab.studies.shared.ties import alarm_of_ties
from gpustab.studies.shared.wording import groups_in_words
from gpustab.studies.stability.contrasts import ACROSS, across, compare_halves, compare_samplings, pairs_of_halves
from gpustab.studies.stability.nearest import nearest_table
from gpustab.studies.stability.options import StabilityOptions
from gpustab.studies.stability.summary import Similarity, Targets, summarise
from gpustab.studies.stability.verdict import NO_VERDICT, Judged, Verdict, judge
from gpustab.studies.stability.words import Words, look_at_words

LENGTH = 10
"""Words are judged, and sentences made, by p@10, or by the next shorter list that was asked for."""
TOGETHER = (3, 5, 10)
"""Numbers of runs whose common neighbours are counted, beside all of them: papers have three and ten."""

_BESIDE = 256
"""Runs up to which parts are measured beside each other: of a thousand it spares half a second and takes 20 MB."""


def stability(
    groups: Groups,
    options: StabilityOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Measure the stability of one or several groups of runs, exactly: all pairs, all words.

    Args:
        groups: from :func:`gpustab.load_runs`, :func:`gpustab.load_groups` or :func:`gpustab.open_groups`. Groups are
            never pooled; those that are still to be loaded are held family by family (shuffled and bootstrap runs of
            one technique), so that many need not lie in memory at once.
        options: what is measured.
        compute: device, precision, back end; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one: ``neighbours=[1, 10]``, ``targets="all"``, ``words=["war"]``, ``seed=1``; see
            :class:`StabilityOptions`.

    Returns:
        ``groups`` and ``contrasts`` in the form of ``gpustab.stability/1``; tables ``pairs`` (one row per pair of
        runs), ``between`` (the same of some runs of different samplings) and ``words`` (one row per word: mean and SD
        of its PIP loss over pairs, mean p@n, each with its error and its place among words of like frequency).

    Example:
        >>> import numpy as np
        >>> from gpustab import load_runs
        >>> words, space = [f"w{i}" for i in range(50)], np.random.default_rng(0).normal(size=(50, 8))
        >>> result = stability(load_runs([(words, space), (words, space[:, ::-1])]))  # a mirrored copy
        >>> round(result.groups[0]["pip"]["reduced"]["mean"], 6), result.groups[0]["neighbours"]["10"]["p"]
        (0.0, 1.0)
    """
    options = chosen(StabilityOptions, options, choices)
    given = groups_of(groups)
    with answering("stability", options, given, compute, progress) as answer:
        answer.result.tables = {name: Table(long=True) for name in ("pairs", "words", "nearest")}
        verdict = Verdict(several=len(given) > 1)
        for family in families(given):
            _measure_family(family.members, options, answer, verdict)
        for first, second in pairs_of_halves(given):
            _measure_halves(first, second, options, answer, verdict)
        answer.result.alarms, answer.result.verdict = verdict.alarms, verdict.sentences
        if options.proxy is not None:
            answer.result.notes.append(
                f"PIP losses are over {options.proxy:,} sampled words, not the whole vocabulary."
            )
    return answer.result


def _measure_family(
    groups: Sequence[Runs | Group], options: StabilityOptions, answer: Answer, verdict: Verdict
) -> None:
    """Measure groups that differ in sampling, and what lies between them; they are let go when this returns."""
    members = [answer.take(group) for group in groups]
    for runs in members:
        _measure_or_fall_back(runs, options, answer, verdict)
        let_go()
    verdict.of_family()
    answer.result.notes += said_of(same_runs({runs.name: runs for runs in members}))
    _measure_samplings(members, answer, verdict)
    for one, other in combinations(members, 2):
        ACROSS.add(answer.result.tables, across(one, other, answer.compute))


def _measure_samplings(members: Sequence[Runs], answer: Answer, verdict: Verdict) -> None:
    """Measure the extrinsic instability of a family that has shuffled and bootstrap runs.

    It is over the runs that the verdict is about; where too few of them remain, over all, and without a sentence.
    """
    by_sampling = {runs.key.sampling: runs for runs in reversed(members)}
    shuffled, bootstrap = by_sampling.get("shuffled"), by_sampling.get("bootstrap")
    if shuffled is None or bootstrap is None:
        return
    kept = {name: judged.kept for name, judged in verdict.judged.items()}
    extrinsic = compare_samplings(shuffled, bootstrap, kept, answer.compute)
    if extrinsic is None:
        answer.result.notes.append(
            f"{groups_in_words([shuffled.name, bootstrap.name])} share no words, so they are not compared."
        )
        return
    answer.result.contrasts.append(extrinsic.contrast())
    if kept[shuffled.name] and kept[bootstrap.name]:
        verdict.of_documents(str(replace(shuffled.key, sampling="")), extrinsic.shuffled, extrinsic.bootstrap)


def _measure_halves(
    first: Runs | Group, second: Runs | Group, options: StabilityOptions, answer: Answer, verdict: Verdict
) -> None:
    answer.report(f"{first.name} and {second.name}", 0.0)
    targets = options.targets if isinstance(options.targets, int) else None
    halves = compare_halves(first, second, _length(options.neighbours), answer.compute, targets, options.seed)
    if halves is None:
        answer.result.notes.append(
            f"{groups_in_words([first.name, second.name])} share no words, so they are not compared."
        )
        return
    answer.result.contrasts.append(halves.contrast((first.name, second.name)))
    verdict.of_halves(halves.name, halves.between, halves.within, halves.n)


def _length(lengths: Sequence[int]) -> int:
    return max((n for n in lengths if n <= LENGTH), default=lengths[0])


def _measure_or_fall_back(runs: Runs, options: StabilityOptions, answer: Answer, verdict: Verdict) -> None:
    """Measure one group; if the device's memory does not suffice for any tile, on the CPU, and say so."""
    compute = answer.compute
    try:
        _measure(engine.place(runs, compute), options, compute, answer, verdict)
    except OutOfMemoryError as error:
        if compute.device.type == "cpu" or compute.ranks.world > 1:
            raise
        log.warning("%s: %s; going on with the CPU", runs.name, error)
        _measure(runs.to(CPU), options, replace(compute, device=CPU, backend="torch"), answer, verdict)
        answer.result.notes.append(
            f"{groups_in_words([runs.name])}: measured on the CPU, because the memory of {compute.device} was too "
            "small."
        )


def _measure(runs: Runs, options: StabilityOptions, compute: Compute, answer: Answer, verdict: Verdict) -> None:
    answer.report(f"{runs.name}: PIP loss", 0.0)
    proxy = None if options.proxy is None else engine.draw_proxy(runs, options.proxy, options.seed)
    rows, missing = _target_rows(runs, options)
    longest = max(options.neighbours)
    nearest = longest if len(rows) == runs.words else 0
    pip = engine.pip_pass(runs, compute, proxy, wordwise=True, nearest=nearest)
    answer.report(f"{runs.name}: word by word", 0.2)
    similarities = similarity_pass(runs, pip, options.metrics or (), compute, proxy)
    by_chance = chance_pass(runs, pip, options.metrics or (), compute, proxy, options.seed)
    words = engine.wordwise_pass(runs, pip.basis, compute)
    lists = pip.basis.lists or engine.neighbour_pass(
        runs,
        rows,
        longest,
        compute,
        lambda done: answer.report(f"{runs.name}: neighbours", 0.3 + 0.6 * done / len(runs)),
    )
    let_go()
    lengths = sorted({min(n, lists.k) for n in options.neighbours})
    answer.report(f"{runs.name}: overlap", 0.9)
    n = _length(lengths)
    together, short = sorted({m for m in (*TOGETHER, len(runs)) if m <= len(runs)}), [m for m in lengths if m <= LENGTH]
    sums, pip = [pip], pip.without_sums()
    judged: Judged
    overlaps: Overlap
    judged, overlaps, *shared = _beside(
        runs,
        # Before the overlaps are there, and the sums are held no longer: of a thousand runs each takes 50 MB or more.
        lambda: judge(runs, pip, same_pairs(runs, sums.pop())),
        partial(engine.overlap_pass, lists, lengths, compute, spread=n),
        *(partial(engine.common_pass, lists, m, together, compute) for m in reversed(short)),
    )
    common = dict(zip(reversed(short), shared, strict=True))
    if judged.kept and (tied := alarm_of_ties(lists, n)):
        judged = judged._replace(alarms=[*judged.alarms, f"{tied[0]} {NO_VERDICT}"], kept=[])
    ties = {n: int(lists.tied[:, :, n - 1].sum()) for n in lengths}
    by_word, between = overlaps.of_words(), pair_matrix(overlaps.p_pairs[lengths.index(n)], len(runs))
    result, targets = answer.result, Targets(words=len(rows), missing=len(missing))
    near: Table
    looked_at: Words
    near, looked_at = _beside(
        runs,
        partial(nearest_table, runs, lists, n, by_word.mean),
        partial(look_at_words, runs, pip, words, n, by_word, between, rows),
    )
    notes = spaces.of_group(runs, pip, lists, options.neighbours, ties, missing)
    answer.notes[runs.name] = [*judged.notes, *notes]
    del lists  # of a thousand runs 40 MB
    let_go()
    summary = summarise(runs, pip, looked_at, overlaps, ties, targets, common)
    let_go()
    if judged.constant:
        summary["constant"] = True
    result.groups.append({**summary})
    result.tables["pairs"].extend(pair_table(runs, pip, overlaps, lengths))
    result.tables["words"].extend(word_table(runs, words, looked_at, overlaps, lengths, rows))
    result.tables["nearest"].extend(near)
    let_go()
    verdict.of_group(runs, judged, between, n, summary["neighbours"][str(n)]["chance_p"])
    _add_similarities(similarities, by_chance, len(runs), result)
    verdict.of_ranks(runs.name, *looked_at.agreement, looked_at.n)
    answer.report(f"{runs.name}: done", 1.0)


def _beside(runs: Runs, *parts: Callable[[], Any]) -> Iterator[Any]:
    """Yield what parts return, in order; each has one thread nearly throughout, so two take the time of one."""
    if len(runs) <= _BESIDE:
        yield from side_by_side(operator.call, parts, runs.device)
        return
    for part in parts:
        yield part()
        let_go()


def _add_similarities(similarities: dict[str, Tensor], by_chance: dict[str, float], runs: int, result: Result) -> None:
    """Add the metrics that were asked for to the last group and to its pairs, which stand last in their table."""
    if not similarities:
        return
    statistics = {name: pair_statistics(pair_matrix(values, runs)) for name, values in similarities.items()}
    result.groups[-1]["similarity"] = {
        name: Similarity(mean=of.mean, sd=of.sd, se=of.se, equal=SIMILARITIES[name], chance=by_chance[name])
        for name, of in statistics.items()
    }
    pairs = result.tables["pairs"]
    for name, values in similarities.items():
        column = pairs.get(name, np.full(pairs.height - len(values), np.nan))
        pairs[name] = np.concatenate([column[: pairs.height - len(values)], values.cpu().numpy()])


def _target_rows(runs: Runs, options: StabilityOptions) -> tuple[Tensor, list[bytes]]:
    """Row numbers of the target words, the wanted ones among them, and those of these that are not there."""
    wanted = runs.words if options.targets == "all" else options.targets
    drawn = engine.draw_targets(runs, wanted if isinstance(wanted, int) else None, options.seed)
    if options.words is None:
        return drawn, []
    wanted_words = list(dict.fromkeys(map(runs.vocabulary.meant, options.wanted)))
    missing = [word for word in wanted_words if word not in runs.vocabulary]
    there = [word for word in wanted_words if word in runs.vocabulary]
    if not there:
        raise InputError(
            f"group '{runs.name}' has none of the target words{': ' if missing else ''}{some_words(missing)}"
            + "".join(near_words(word, runs.vocabulary) for word in missing[:1])
        )
    return torch.cat([drawn, runs.rows_of(there).to(drawn.device)]).unique(), missing


def pair_table(runs: Runs, pip: engine.PipPass, overlaps: Overlap, lengths: list[int]) -> Table:
    """Return one row per pair of runs: reduced PIP loss, chance level, p@n and j@n."""
    i, j = run_pairs(len(runs))
    columns: dict[str, Any] = {
        "group": [runs.name] * len(i),
        "run_i": [runs.names[k] for k in i.tolist()],
        "run_j": [runs.names[k] for k in j.tolist()],
        "reduced_pip": pip.reduced.cpu().numpy(),
        "chance_reduced_pip": np.full(len(i), np.nan) if pip.scale is None else pip.scale.chance.cpu().numpy(),
    }
    for m, n in enumerate(lengths):
        columns[f"p@{n}"] = overlaps.p_pairs[m].cpu().numpy()
        columns[f"j@{n}"] = overlaps.j_pairs[m].cpu().numpy()
    return Table(columns, long=True)


def word_table(
    runs: Runs, words: WordwisePip, looked_at: Words, overlaps: Overlap, lengths: list[int], targets: Tensor
) -> Table:
    """Return one row per word: its PIP loss over pairs, and for targets p@n and j@n (NaN for other words).

    ``count`` is what one run read, the mean over those that have the word. ``pip_se`` and ``p_se`` are pooled over
    words of like frequency, ``pip_place`` and ``p_place`` say which part of these is more stable, ``least`` how
    probably the word is in the least stable tenth of them.
    """
    columns: dict[str, Any] = {
        "group": [runs.name] * runs.words,
        "word": runs.vocabulary.texts(),
        "count": runs.counts_in_a_run(),
        "runs": runs.present.sum(0).cpu().numpy(),
        "pip_mean": words.mean.cpu().numpy(),
        "pip_sd": words.sd.cpu().numpy(),
        "pip_se": looked_at.pip_se.numpy(),
        "pip_place": looked_at.pip_place.numpy(),
        "pairs": words.pairs.cpu().numpy(),
    }
    for m, n in enumerate(lengths):
        for name, values in (("p", overlaps.p_word[m]), ("j", overlaps.j_word[m])):
            column = torch.full((runs.words,), torch.nan, dtype=torch.float64, device="cpu")
            column[targets.cpu()] = values.cpu()
            columns[f"{name}@{n}"] = column.numpy()
    names = {f"p@{looked_at.n}_se": "p_se", f"p@{looked_at.n}_place": "p_place", "least": "least"}
    columns |= {name: getattr(looked_at, field).numpy() for name, field in names.items()}
    return Table(columns, long=True)
