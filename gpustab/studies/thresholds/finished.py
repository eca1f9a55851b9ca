"""What of a run is kept until the study is done, and under which name."""

from __future__ import annotations

from typing import NamedTuple

from gpustab.machine.device import Compute
from gpustab.machine.environment import environment
from gpustab.options import record
from gpustab.runs.runs import Runs
from gpustab.studies.shared.finished import digest_of
from gpustab.studies.shared.same_runs import fingerprints
from gpustab.studies.thresholds.baselines import Baseline, Levels
from gpustab.studies.thresholds.distributions import Distribution, Law, Moments
from gpustab.studies.thresholds.one_run import GroupRow, RunFound, Threshold, WindowRow
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.thresholds.welch import ListThreshold, ValueThreshold


class Said(NamedTuple):
    """What one run said.

    Attributes:
        distribution: of its similarities.
        found: its groups and thresholds; ``None`` without a baseline.
    """

    distribution: Distribution
    found: RunFound | None


KINDS = (
    Said,
    Distribution,
    GroupRow,
    Law,
    ListThreshold,
    Moments,
    RunFound,
    Threshold,
    ValueThreshold,
    WindowRow,
)


def key_of(runs: Runs, r: int, baseline: Baseline | None, options: ThresholdsOptions, compute: Compute) -> str:
    """Return a name for all that one run's numbers depend on: vectors, baseline, options, precision, version."""
    chosen = record(options) | {"tests": None, "draws": None}  # which the numbers of a run do not depend on
    said = [fingerprints(runs.take([r]))[0].hex(), runs.names[r], runs.centre, runs.unit, int(runs.joint.sum())]
    said += [chosen, str(compute.dtype), environment(compute.device).get("gpustab")]
    if baseline is None:
        return digest_of(said)
    first = baseline.block(0, 1) if isinstance(baseline, Levels) else baseline.pairs  # another WordNet differs there
    return digest_of([*said, baseline.name], baseline.rows, baseline.values, first)
