"""Opening a packed leaf: its rows stay on disk."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import torch

from gpustab.errors import InputError
from gpustab.formats.binary.safetensors import SafetensorsRows, open_rows, read_metadata
from gpustab.formats.binary.tensors import KINDS
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.runs.join import prepare, seed_in
from gpustab.runs.joining import Joining, Rule, require_overlap
from gpustab.runs.key import Key
from gpustab.runs.manifest import PACKED, inside, read_packed
from gpustab.runs.packing.records import Stored, options_record
from gpustab.runs.runs import Runs
from gpustab.spaces.vocabulary import Vocabulary


def open_packed(
    folder: Path,
    *,
    key: Key = Key(),
    vocabulary: Rule | None = None,
    min_runs: int | None = None,
    options: LoadOptions = DEFAULTS,
    allow_small_overlap: bool = False,
    centre: bool = False,
    unit: bool = True,
) -> Runs:
    """Return the runs of a packed leaf; their rows are read from disk slice by slice, as float32.

    Args:
        folder: the leaf.
        key: what group it is.
        vocabulary: ``"joint"`` or ``"union"``, which must be as it was packed; ``None`` takes what is there.
        min_runs: likewise.
        options: likewise, where they are not the default ones.
        allow_small_overlap: open runs that share hardly any word, see :mod:`gpustab.runs.joining`.
        centre: subtract the mean over the joint words.
        unit: scale rows to unit length.

    Raises:
        InputError: if a file is missing or has another size, or the leaf was packed with other choices.
    """
    manifest = read_packed(folder)
    _check_choices(folder, manifest, vocabulary, min_runs, options)
    joining = _joining(manifest["joining"])
    _check_sizes(folder, manifest)
    rows = tuple(_open(folder, run) for run in manifest["runs"])
    words = Vocabulary.from_tensors(rows[0].tensor("words", torch.uint8), rows[0].tensor("offsets", torch.int64))
    if len(words) != manifest["words"]:
        raise InputError(f"{folder / PACKED}: damaged: it has {manifest['words']:,} words, the files {len(words):,}")
    require_overlap(joining, manifest["words"], allow_small_overlap)
    for part in rows:
        if len(part) != len(words):
            raise InputError(f"{part.path}: {len(part)} rows, but the shared vocabulary has {len(words)} words")
        if part.dtype != KINDS[getattr(torch, manifest["dtype"])]:
            raise InputError(f"{part.path}: holds {part.dtype}, packed was {manifest['dtype']}; pack the runs again")
    counts = None
    if all("counts" in part.names for part in rows):
        counts = torch.zeros(len(words), dtype=torch.int64, device="cpu")
        for part in rows:
            counts += part.tensor("counts", torch.int64)
    return prepare(
        words,
        rows,
        tuple(run["name"] for run in manifest["runs"]),
        joining,
        key=key,
        counts=counts,
        centre=centre,
        unit=unit,
        notes=tuple(manifest["notes"]),
        seeds=tuple(seed_in(read_metadata(part)) for part in rows),
        lengths=torch.stack([part.tensor("lengths", torch.float64) for part in rows]),
    )


def _check_sizes(folder: Path, manifest: dict[str, Any]) -> None:
    """Refuse an account that contradicts itself, before it is asked whether runs share enough words."""
    if manifest["dtype"] not in get_args(Stored):
        raise InputError(f"{folder / PACKED}: damaged: its dtype is {manifest['dtype']!r}")
    files = [run["file"] for run in manifest["runs"]]
    if len(set(files)) < len(files):
        raise InputError(f"{folder / PACKED}: damaged: a file of it stands for two runs")


def _open(folder: Path, run: dict[str, Any]) -> SafetensorsRows:
    path = inside(folder, run["file"])
    size = path.stat().st_size if path.is_file() else None
    if size != run["bytes"]:
        found = "is missing" if size is None else f"has {size} bytes, packed were {run['bytes']}"
        raise InputError(f"{path}: {found}; gpustab pack --verify tells what is damaged, packing again mends it")
    return open_rows(path)


def _check_choices(
    folder: Path, manifest: dict[str, Any], vocabulary: Rule | None, min_runs: int | None, options: LoadOptions
) -> None:
    """Refuse choices other than those of the packing: what was packed is what is opened."""
    there = {"vocabulary": manifest["joining"]["rule"], "min_runs": manifest["joining"]["min_runs"]}
    asked: dict[str, Any] = {} if vocabulary is None else {"vocabulary": vocabulary}
    if min_runs is not None:
        asked["min_runs"] = min_runs
    for name, value in (asked | options_record(options)).items():
        was = (there | manifest["options"]).get(name)
        if value != was:
            raise InputError(
                f"{folder}: was packed {_short(name, was)}, not {_short(name, value)}: "
                "ask for what it holds, or pack the runs again as you want them, into another folder"
            )


def _short(name: str, value: Any) -> str:
    if value is None:
        return f"without {name}"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"with {name} {text if len(text) < 60 else f'{text[:60]} ...'}"


def _joining(account: dict[str, Any]) -> Joining:
    samples = {
        key: tuple(str(word).encode("utf-8", "surrogateescape") for word in account[key])
        for key in ("dropped_sample", "undefined_sample")
    }
    # What has a default came later than the first packs.
    known = {field.name: account[field.name] for field in fields(Joining) if field.name in account}
    return Joining(**{**known, **samples})
