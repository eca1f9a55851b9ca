"""What finished parts of a study said, kept on disk until the study is done, so that a stopped one goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
import torch

from gpustab.errors import InputError
from gpustab.formats.atomic import WritingError, clear_leftovers, make_folder, remove, write_text
from gpustab.formats.parsed import read_json

T = TypeVar("T")
_PART = re.compile(r"[0-9a-f]{32}\.(?:json|npy)")
"""Name of a part that is kept, see :func:`digest_of`."""


class Finished:
    """The finished parts of a study: named tuples and dataclasses of plain values and arrays, by key.

    Args:
        folder: where they are kept, made at the first; ``None`` keeps nothing.
        kinds: the named tuples and dataclasses that are kept.
    """

    _basis: tuple[Any, ...] = ()

    def __init__(self, folder: Path | None, kinds: Iterable[type] = ()) -> None:
        self.folder = folder
        self._kinds = {kind.__name__: kind for kind in kinds}
        if folder is not None and folder.is_dir():
            clear_leftovers(folder)

    def of(self, *basis: Any) -> Finished:
        """Return the same for parts that depend on these besides, see :func:`digest_of`."""
        same = copy(self)
        same._basis += basis
        return same

    def part(self, name: Any, make: Callable[[], T]) -> T:
        """Return a part that is finished, or make it and keep it."""
        if self.folder is None:
            return make()
        key = digest_of(*self._basis, name)
        part: T | None = self.get(key)
        if part is None:
            part = make()
            self.put(key, part)
        return part

    def get(self, key: str) -> Any | None:
        """Return what a part said, if it was finished; a file that is no such thing is taken for none."""
        if self.folder is None:
            return None
        try:
            kept = read_json(self.folder / f"{key}.json")
            return self._read(kept["said"]) if kept["crc32"] == _sum_of(kept["said"]) else None
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def put(self, key: str, said: Any) -> None:
        """Keep what a part said.

        Raises:
            InputError: if the folder could not be written to.
        """
        if self.folder is None:
            return
        make_folder(self.folder)
        plain = self._plain(said)
        write_text(self.folder / f"{key}.json", json.dumps({"said": plain, "crc32": _sum_of(plain)}))

    def _plain(self, value: Any) -> Any:
        """Values as JSON has them, with the names of their types."""
        if type(value).__name__ in self._kinds:
            names = [field.name for field in fields(value)] if is_dataclass(value) else value._fields
            return {"type": type(value).__name__, "fields": [self._plain(getattr(value, name)) for name in names]}
        if isinstance(value, np.ndarray):
            return {"array": value.tolist(), "dtype": str(value.dtype)}
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, dict):
            return {"keys": list(value), "values": [self._plain(part) for part in value.values()]}
        return [self._plain(part) for part in value] if isinstance(value, list | tuple) else value

    def _read(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._read(part) for part in value]
        if not isinstance(value, dict):
            return value
        if "array" in value:
            return np.array(value["array"], dtype=value["dtype"])
        if "keys" in value:
            return dict(zip(value["keys"], map(self._read, value["values"]), strict=True))
        return self._kinds[value["type"]](*map(self._read, value["fields"]))


def _sum_of(plain: Any) -> int:
    """Return the checksum of a part: a damaged one is made again, whatever it says."""
    return crc32(json.dumps(plain).encode())


def digest_of(*said: Any) -> str:
    """Return a name for all that numbers depend on; tensors and arrays by their bytes, the rest as JSON has it."""
    digest = sha256()
    for part in said:
        if isinstance(part, torch.Tensor):
            part = part.detach().cpu().contiguous().view(torch.uint8).numpy()
        if isinstance(part, np.ndarray):
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(json.dumps(part, default=str).encode())
        digest.update(b"\0")
    return digest.hexdigest()[:32]


def clear_finished(folder: Path) -> None:
    """Remove the parts that a folder keeps, and the folder, unless it holds files of others."""
    if not folder.is_dir() or folder.is_symlink():
        return
    with suppress(InputError, WritingError, OSError):  # the study is written: what stays here costs room alone
        clear_leftovers(folder)
        for path in folder.iterdir():
            if _PART.fullmatch(path.name) and not path.is_dir():
                remove(path)
        folder.rmdir()
