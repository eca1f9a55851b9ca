"""What a pack records on its way: of sources and how they were read, as JSON values; of their rows, as tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from torch import Tensor

from gpustab.errors import InputError, marked
from gpustab.formats.binary.tensors import Part, write_tensors
from gpustab.formats.binary.tensors import load_tensors as load
from gpustab.formats.options import DEFAULTS, LoadOptions

Stored = Literal["float32", "float16", "bfloat16"]
"""How numbers are stored."""


def fingerprint(file: Path) -> dict[str, Any]:
    """Return what tells a file from another, or from what it was before: path, bytes, time of change.

    Raises:
        InputError: if it is not there.
    """
    try:
        status = file.stat()
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise InputError(f"{file}: {reason}") from None
    return {"path": str(file.absolute()), "bytes": status.st_size, "mtime_ns": status.st_mtime_ns}


def options_record(options: LoadOptions) -> dict[str, Any]:
    """Return the options that are not the default ones, as JSON values.

    >>> options_record(LoadOptions(limit=5))
    {'limit': 5}
    """
    default = asdict(DEFAULTS)
    chosen = {name: value for name, value in asdict(options).items() if value != default[name]}
    if options.wanted is not None:
        del chosen["only"]
        chosen["words"] = sorted(word.decode("utf-8", "surrogateescape") for word in options.wanted)
    if options.vocab is not None:
        chosen["vocab"] = str(Path(options.vocab).absolute())
    return chosen


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors that are needed on the way, whole or not at all."""
    write_tensors({name: Part.of(tensor) for name, tensor in tensors.items()}, path)


def load_tensors(path: Path, *names: str) -> list[Tensor]:
    """Return tensors of :func:`save_tensors`.

    Raises:
        InputError: if the file, two folders below all that is on the way, is damaged.
    """
    try:
        return load(path, *names)
    except InputError as error:
        raise InputError(f"{marked(error)}; remove {path.parent.parent}") from None
