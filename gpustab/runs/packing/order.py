"""The canonical order of a group, found from words, counts and zero vectors, and kept on disk for stopped calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, cast

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from gpustab.errors import InputError
from gpustab.formats.atomic import replacing
from gpustab.runs.join import load_notes, run_names
from gpustab.runs.manifest import read_manifest, write_manifest
from gpustab.runs.packing.output import writing
from gpustab.runs.packing.request import Request
from gpustab.runs.packing.stage import Stage
from gpustab.runs.plan import Header, header, plan_join
from gpustab.spaces.load_report import LoadReport
from gpustab.spaces.vocabulary import Vocabulary

_PLAN, _ROWS = "plan.json", "plan.safetensors"
_SCHEMA = "gpustab.pack-order/1"
_FIELDS = {"names": list, "dimensions": list, "joining": dict, "notes": list}

OnFile = Callable[[Path, float], None]


class Order(NamedTuple):
    """What is known of a group once every source was looked at.

    Attributes:
        vocabulary: the words of all packed runs, in order.
        names: of the runs.
        dimensions: of each run.
        joining: the account of joining, as JSON values.
        notes: what reading the runs found.
        file: where the row numbers of every run lie.
    """

    vocabulary: Vocabulary
    names: list[str]
    dimensions: list[int]
    joining: dict[str, Any]
    notes: list[str]
    file: Path

    def rows(self, run: int) -> Tensor:
        """Return ``(v,)`` row numbers in the source of one run, −1 where it lacks the word."""
        with safe_open(self.file, framework="pt") as file:
            return cast(Tensor, file.get_slice("rows")[run])


class _Seen(NamedTuple):
    """What is left of a space without its vectors."""

    name: str
    report: LoadReport | None


def find_order(request: Request, stage: Stage, folder: Path, report: OnFile) -> Order:
    """Return the order of a group; the first call reads every run, one at a time.

    Args:
        request: how runs are joined.
        stage: the sources.
        folder: where the order is kept.
        report: called with every file before it is read, and how many were read before it.

    Raises:
        InputError: if a run cannot be read, or the runs cannot be joined.
    """
    if not (folder / _PLAN).is_file():
        _write(request, stage, folder, report)
    found = read_manifest(folder / _PLAN, _SCHEMA, fields=_FIELDS)
    try:
        with safe_open(folder / _ROWS, framework="pt") as file:
            words = Vocabulary.from_tensors(file.get_tensor("words"), file.get_tensor("offsets"))
    except (SafetensorError, OSError) as error:
        raise InputError(f"{folder / _ROWS}: damaged: {error}; remove {folder.parent}") from None
    return Order(words, found["names"], found["dimensions"], found["joining"], found["notes"], folder / _ROWS)


def _write(request: Request, stage: Stage, folder: Path, report: OnFile) -> None:
    headers: list[Header] = []
    seen: list[_Seen] = []
    dimensions: list[int] = []
    words: dict[bytes, bytes] = {}
    vocabularies: dict[Vocabulary, Vocabulary] = {}
    for run in range(len(stage.files)):
        report(stage.files[run], run)
        space = stage.read(run)
        headers.append(_shared(header(space), words, vocabularies))
        seen.append(_Seen(space.name, space.report))
        dimensions.append(space.dimension)
        del space  # before the next is read
    plan = plan_join(headers, vocabulary=request.vocabulary, min_runs=request.min_runs)
    names = run_names(seen)
    buffer, offsets = plan.vocabulary.to_tensors()
    with writing(folder):
        with replacing(folder / _ROWS) as temporary:
            save_file({"words": buffer, "offsets": offsets, "rows": torch.stack(plan.rows)}, temporary)
        joining = asdict(plan.joining)
        for key in ("dropped_sample", "undefined_sample"):
            joining[key] = [word.decode("utf-8", "surrogateescape") for word in joining[key]]
        write_manifest(
            folder / _PLAN,
            {
                "schema": _SCHEMA,
                "names": names,
                "dimensions": dimensions,
                "joining": joining,
                "notes": load_notes(seen, names),
            },
        )


def _shared(own: Header, words: dict[bytes, bytes], known: dict[Vocabulary, Vocabulary]) -> Header:
    """Return the header with words that are one object in all runs: many vocabularies would outweigh the vectors."""
    if own.vocabulary not in known:
        vocabulary = Vocabulary(words.setdefault(word, word) for word in own.vocabulary)
        vocabulary.forget_positions()
        known[vocabulary] = vocabulary
    return own._replace(vocabulary=known[own.vocabulary])
