"""Values that were finite when they were loaded and are no longer: named by run and word."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor

from gpustab.errors import ComputationError, InputError
from gpustab.runs.runs import Runs

_STEP = 8192


def require_finite(runs: Runs, found: Iterable[Tensor]) -> None:
    """Refuse what a pass found where it is not finite, and say which value of the runs made it so.

    Readers refuse such values; somebody may have changed them since, or the disk. Only what a pass sums up is looked
    at, so that a pass over good runs costs nothing more.

    Args:
        runs: what was read.
        found: sums of the rows, or the rows.

    Raises:
        InputError: naming the run and the word whose values are not finite.
        ComputationError: if all are.
    """
    if all(bool(part.isfinite().all()) for part in found):
        return
    for r, name in enumerate(runs.names):
        for start in range(0, runs.words, _STEP):
            rows = runs.run(r, start=start, stop=start + _STEP)
            bad = (~rows.isfinite()).any(1)
            if bad.any():
                word = runs.vocabulary.text(start + int(bad.nonzero()[0]))
                raise InputError(f"{name}: a value of '{word}' is not finite; it was when the run was loaded")
    raise ComputationError(f"group '{runs.name}': sums of its rows are not finite, though all values are")
