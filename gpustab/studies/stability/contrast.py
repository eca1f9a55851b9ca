"""Contrasts between groups of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpustab import engine
from gpustab.kernels.jackknife import pair_matrix
from gpustab.runs.runs import Runs
from gpustab.statistics.extrinsic import extrinsic
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.documents import ratio_of
from gpustab.studies.shared.frame import Answer
from gpustab.studies.stability.judged import statistics_of
from gpustab.studies.stability.verdict import Verdict


def extrinsic_contrast(members: Sequence[Runs], answer: Answer, verdict: Verdict) -> None:
    """Add the extrinsic instability of a family that has shuffled and bootstrap runs, over the same words.

    It is over the runs that the verdict is about; where too few of them remain, over all, and without a sentence.
    """
    found = [next((runs for runs in members if runs.key.sampling == kind), None) for kind in ("shuffled", "bootstrap")]
    shuffled, bootstrap = found
    if shuffled is None or bootstrap is None:
        return
    there = frozenset(bootstrap.joint_words())
    common = [word for word in shuffled.joint_words() if word in there]
    if len(common) < 2:
        answer.result.notes.append(f"{shuffled.name} and {bootstrap.name} have no common words, so no contrast.")
        return
    losses = [_loss(runs, common, answer, verdict) for runs in (shuffled, bootstrap)]
    answer.result.contrasts.append(_contrast([shuffled.name, bootstrap.name], *losses))
    answer.result.notes.append(
        f"{shuffled.name} and {bootstrap.name}: over their {len(common):,} common words the reduced PIP loss is "
        f"{losses[0].value:.4g} (intrinsic) and {losses[1].value:.4g}."
    )
    if all(verdict.judged[runs.name].kept for runs in (shuffled, bootstrap)):
        family = str(replace(shuffled.key, sampling=""))
        verdict.of_documents(family, *losses)


def _loss(runs: Runs, common: Sequence[bytes], answer: Answer, verdict: Verdict) -> Estimate:
    """Mean reduced PIP loss over the common words, of the runs that the verdict is about."""
    compute = answer.compute
    reduced = engine.pip_pass(engine.place(runs.restricted(common), compute), compute).reduced
    kept = verdict.judged[runs.name].kept or list(range(len(runs)))
    found = statistics_of(pair_matrix(reduced, len(runs)), kept)
    return Estimate.of_runs(found.mean, found.se, len(kept))


def _contrast(groups: list[str], shuffled: Estimate, bootstrap: Estimate) -> dict[str, Any]:
    added = extrinsic(shuffled.value, bootstrap.value, shuffled.se, bootstrap.se)
    ratio = ratio_of(bootstrap, shuffled)
    return {
        "name": "extrinsic",
        "groups": groups,
        "value": added.value,
        "se": added.se,
        "signed_square": added.signed_square,
        "square_se": added.square_se,
        "ratio": ratio.value,
        "ratio_interval": list(ratio.interval),
        "runs": [shuffled.freedom + 1, bootstrap.freedom + 1],
    }
