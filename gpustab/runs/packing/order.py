"""The canonical order of a group, found from words and counts, and kept on disk for stopped calls.

A zero vector has no direction, so that its word may not stay; but only reading all vectors finds one, and hardly any
run has one. So they are taken to have none until one is met in packing. Then all runs are looked through, and packed
anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import naming
from gpustab.formats.atomic import remove
from gpustab.formats.binary.stored import StoredSpace, StoredWords
from gpustab.formats.binary.tensors import open_tensors
from gpustab.formats.unusual import Unusual
from gpustab.machine.threads import in_order
from gpustab.runs.join import Seen, load_notes, run_names
from gpustab.runs.manifest import read_manifest, write_manifest
from gpustab.runs.packing.output import writing
from gpustab.runs.packing.records import load_tensors, save_tensors
from gpustab.runs.packing.request import Opened, Request, Stage
from gpustab.runs.plan import Header, Numbering, plan_join
from gpustab.spaces.space import LoadReport
from gpustab.spaces.vocabulary import Vocabulary, cut_out

ORDER = "order.json"
_ROWS = "order.safetensors"
_SCHEMA = "gpustab.pack-order/2"
_FIELDS = {"looked": list, "names": list, "dimensions": list, "joining": dict, "reports": list}

OnFile = Callable[[Path, float], None]


class Order(NamedTuple):
    """What is known of a group once every source was opened.

    Attributes:
        words: of all packed runs, in order.
        looked: of each run, whether its vectors were looked at for zeros, else it is taken to have none.
        names: of the runs.
        dimensions: of each run.
        joining: the account of joining, as JSON values.
        reports: what reading each run found: ``source``, and ``notes`` before and after those on its values.
        file: where the row numbers of every run lie.
    """

    words: StoredWords
    looked: list[bool]
    names: list[str]
    dimensions: list[int]
    joining: dict[str, Any]
    reports: list[dict[str, Any]]
    file: Path

    def rows(self, run: int) -> Tensor:
        """Return ``(v,)`` row numbers in the source of one run, −1 where it lacks the word."""
        with open_tensors(self.file) as file, torch.device("cpu"):
            return cast(Tensor, file.get_slice("rows")[run]).clone()  # as in load_tensors

    def notes(self, on_values: list[list[str]]) -> tuple[str, ...]:
        """Return what reading the runs found, with what their values said when they were packed."""
        seen = [
            Seen(name, LoadReport(report["source"], "", notes=(*report["before"], *values, *report["after"])))
            for name, report, values in zip(self.names, self.reports, on_values, strict=True)
        ]
        return load_notes(seen, self.names)


def find_order(request: Request, stage: Stage, folder: Path, report: OnFile, jobs: int) -> Order:
    """Return the order of a group; the first call opens every run.

    Args:
        request: how runs are joined.
        stage: the sources.
        folder: where the order is kept.
        report: called with every file before it is waited for, and how many were read before it.
        jobs: runs opened at once.

    Raises:
        InputError: if a run cannot be read, or the runs cannot be joined.
    """
    if not (folder / ORDER).is_file():
        _write(request, stage, folder, report, jobs, look=False)
    found = read_manifest(folder / ORDER, _SCHEMA, fields=_FIELDS)
    words = StoredWords(*load_tensors(folder / _ROWS, "words", "offsets"))
    return Order(words, **{name: found[name] for name in _FIELDS}, file=folder / _ROWS)


def look_through(request: Request, stage: Stage, folder: Path, report: OnFile, jobs: int) -> Order:
    """Return the order once more, now that a zero vector was met: all vectors are looked at, see :func:`find_order`."""
    remove(folder / ORDER)
    _write(request, stage, folder, report, jobs, look=True)
    return find_order(request, stage, folder, report, jobs)


def _write(request: Request, stage: Stage, folder: Path, report: OnFile, jobs: int, *, look: bool) -> None:
    def open_(run: int) -> tuple[Opened, Tensor | None]:
        opened = stage.open(run)
        # What was just copied lies in memory: to look at it is nothing beside that.
        return opened, _defined(opened.space) if look or opened.copied else None

    headers, seen, dimensions, reports, looked = [], [], [], [], []
    known = _KnownWords()
    for run, (opened, defined) in enumerate(in_order(open_, range(len(stage.files)), jobs)):
        report(stage.files[run], run)
        space = opened.space
        numbers, unusual = known.take(space.words, str(space.rows.path))
        looked.append(defined is not None)
        if defined is None:
            defined = torch.ones(len(numbers), dtype=torch.bool, device="cpu")
        headers.append(Header(space.name, numbers, space.counts, defined))
        seen.append(Seen(space.name, opened.report))
        dimensions.append(space.dimension)
        after = [] if opened.checked else unusual
        reports.append({"source": opened.report.source, "before": opened.report.notes, "after": after})
    plan = plan_join(list(known.all), headers, vocabulary=request.vocabulary, min_runs=request.min_runs)
    buffer, offsets = plan.vocabulary.to_tensors()
    joining = asdict(plan.joining)
    for key in ("dropped_sample", "undefined_sample"):
        joining[key] = [word.decode("utf-8", "surrogateescape") for word in joining[key]]
    found = dict(zip(_FIELDS, (looked, run_names(seen), dimensions, joining, reports), strict=True))
    with writing(folder):
        save_tensors(folder / _ROWS, {"words": buffer, "offsets": offsets, "rows": torch.stack(plan.rows)})
        write_manifest(folder / ORDER, {"schema": _SCHEMA, **found})


def _defined(space: StoredSpace) -> Tensor:
    """Return ``(v,)`` bool, which vectors are not zero."""
    return torch.cat([space.rows[part].any(dim=1) for part in space.parts(space.step)])


class _KnownWords:
    """The words of all runs; of runs that have the same ones, as many do, they are looked at once."""

    def __init__(self) -> None:
        self.all = Numbering()
        self._known: dict[bytes, tuple[NDArray[np.int64], list[str]]] = {}

    def take(self, words: StoredWords, source: str) -> tuple[NDArray[np.int64], list[str]]:
        """Return the numbers of a run's words, and what is to be said of these."""
        key = sha256(words.buffer.numpy().data)
        key.update(words.offsets.numpy().data)
        if key.digest() not in self._known:
            with naming(source):
                own = cut_out(words.buffer[: int(words.offsets[-1])], words.offsets)
                numbers = self.all.take(own)
                if np.bincount(numbers).max(initial=0) > 1:
                    Vocabulary(own)  # which says what occurs twice
            self._known[key.digest()] = numbers, list(Unusual(own, range(len(own)), "in row").sentences())
        return self._known[key.digest()]
