"""What finished runs said, kept on disk until the study is done, so that a stopped one goes on."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpustab.errors import InputError
from gpustab.formats.atomic import clear_leftovers, write_text
from gpustab.machine.device import Compute
from gpustab.machine.environment import environment
from gpustab.options import record
from gpustab.runs.runs import Runs
from gpustab.studies.shared.same_runs import fingerprints
from gpustab.studies.thresholds.baselines import Baseline, Levels
from gpustab.studies.thresholds.distributions import Distribution, Law, Moments
from gpustab.studies.thresholds.one_run import GroupRow, RunFound, Threshold, WindowRow
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.thresholds.welch import ListThreshold, ValueThreshold

_MADE = {
    kind.__name__: kind
    for kind in (
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
}


class Said(NamedTuple):
    """What one run said.

    Attributes:
        distribution: of its similarities.
        found: its groups and thresholds.
    """

    distribution: Distribution
    found: RunFound


class Finished:
    """The finished runs of a study.

    Args:
        folder: where they are kept, made at the first; ``None`` keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        if folder is not None and folder.is_dir():
            clear_leftovers(folder)

    def get(self, key: str) -> Said | None:
        """Return what a run said, if it was finished; a file that is no such thing is taken for none."""
        if self.folder is None:
            return None
        try:
            distribution, found = _read(json.loads((self.folder / f"{key}.json").read_text("utf-8")))
            return Said(distribution, found)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def put(self, key: str, said: Said) -> None:
        """Keep what a run said.

        Raises:
            InputError: if the folder could not be written to.
        """
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be made: {error.strerror}") from None
        write_text(self.folder / f"{key}.json", json.dumps(_plain(tuple(said))))


def key_of(runs: Runs, r: int, baseline: Baseline, options: ThresholdsOptions, compute: Compute) -> str:
    """Return a name for all that one run's numbers depend on: vectors, baseline, options, precision, version."""
    chosen = record(options) | {"tests": None, "draws": None}  # which the numbers of a run do not depend on
    said = [fingerprints(runs.take([r]))[0].hex(), runs.names[r], runs.centre, runs.unit, int(runs.joint.sum())]
    said += [chosen, str(compute.dtype), environment(compute.device).get("gpustab"), baseline.name]
    digest = sha256(json.dumps(said, default=str).encode())
    first = baseline.block(0, 1) if isinstance(baseline, Levels) else baseline.pairs  # another WordNet differs there
    for part in (baseline.rows, baseline.values, first):
        digest.update(part.cpu().numpy().tobytes())
    return digest.hexdigest()[:32]


def _plain(value: Any) -> Any:
    """Values as JSON has them, with the names of their types."""
    if type(value).__name__ in _MADE:
        names = [field.name for field in fields(value)] if is_dataclass(value) else value._fields
        return {"type": type(value).__name__, "fields": [_plain(getattr(value, name)) for name in names]}
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"], dtype=value["dtype"])
    return _MADE[value["type"]](*map(_read, value["fields"]))
