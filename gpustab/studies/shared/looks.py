"""What was found when the runs of a group were looked at, kept for the next question about them.

The user's folder of what can be made again has a small file for each look. It is found by the vectors themselves, so
that a copy of a run set is known too, and runs that were trained anew are not. Nothing but time depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zlib import crc32

import torch

import gpustab
from gpustab.errors import GpustabError
from gpustab.formats.atomic import remove
from gpustab.machine.device import Compute
from gpustab.machine.measured import cache_folder
from gpustab.machine.threads import in_order
from gpustab.runs.runs import Rows, Runs
from gpustab.studies.shared.finished import Finished, digest_of

_MOST = 200
"""Looks that are kept, the latest ones: some hundred bytes each."""
_STEP = 8192


def kept_look(runs: Runs, compute: Compute, look: Callable[[], list[str]]) -> list[str]:
    """Return the sentences of a look at runs: those that are kept, or those that it finds now.

    On CUDA it takes less time than to see whether it is kept; and several processes must all look, or none.
    """
    if runs.device.type != "cpu" or compute.ranks.world > 1:
        return look()
    folder = cache_folder() / "looks"
    kept, mark = Finished(folder), _mark(runs, compute)
    said = kept.get(mark)
    if isinstance(said, list) and all(isinstance(sentence, str) for sentence in said):
        return said
    said = look()
    with suppress(GpustabError, OSError):  # a folder that nobody may write to costs time alone
        kept.put(mark, said)
        for path in sorted(folder.glob("*.json"), key=lambda path: -path.stat().st_mtime_ns)[_MOST:]:
            remove(path)
    return said


def _mark(runs: Runs, compute: Compute) -> str:
    """Return a name for all that the sentences depend on: vectors, names, how they are read, and what judges them."""
    same = [runs.names, runs.seeds, str(runs.key), runs.centre, runs.unit, compute.precision]
    sums = list(in_order(_checksum, runs.rows))
    return digest_of(gpustab.__version__, _newest_code(), *same, runs.present, runs.lengths, runs.means, sums)


def _checksum(rows: Rows) -> int:
    """Return the checksum of a run's vectors: 3.5 GB a second and core, where a look reads them twice to multiply."""
    found = 0
    for start in range(0, rows.shape[0], _STEP):
        part = rows[start : start + _STEP].cpu().contiguous()
        found = crc32(part.view(torch.uint8).numpy().data, found)
    return found


def _newest_code() -> int:
    """Return when the code was changed last: who works on it must not be told what it said before."""
    return max((path.stat().st_mtime_ns for path in Path(__file__).parents[2].rglob("*.py")), default=0)
