"""Safetensors files as they are: opened with their tensors on disk, and written piece by piece, whole or not at all."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from gpustab.errors import InputError, marked
from gpustab.formats.atomic import replacing

KINDS = {
    torch.int64: "I64",
    torch.float64: "F64",
    torch.float32: "F32",
    torch.bfloat16: "BF16",
    torch.float16: "F16",
    torch.uint8: "U8",
}
"""Names of the types, in the order in which the library puts them: none needs padding then."""


_HEADER = 16 << 20
"""Bytes of the longest header that is read: parsed, it takes up to twenty times as many."""


def open_tensors(path: Path) -> Any:  # safetensors types none of the methods
    """Open a file; the handle's tensors are read when somebody looks at them.

    Raises:
        InputError: if it is missing, cut or damaged, or its header would fill the memory.
    """
    try:
        with path.open("rb") as file:
            header = int.from_bytes(file.read(8), "little")
            if _HEADER < header <= path.stat().st_size:  # what is longer than the file is found below
                raise InputError(
                    f"{path}: its header has {header / 1e6:,.0f} MB; at most {_HEADER / 1e6:.0f} MB are read"
                )
        return safe_open(path, framework="pt")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (SafetensorError, OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise InputError(f"{path}: not a complete safetensors file, perhaps cut or damaged: {marked(error)}") from error


def load_tensors(path: Path, *names: str) -> list[Tensor]:
    """Return copies of some tensors of a file, so that on Windows it can be replaced.

    Raises:
        InputError: if it is missing, cut or damaged, or lacks one of them.
    """
    with open_tensors(path) as file:
        try:
            return [file.get_tensor(name).clone() for name in names]
        except SafetensorError as error:
            raise InputError(f"{path}: damaged: {error}") from None


SUMS = "gpustab.crc32"
"""Key of the string metadata with the checksums of a file: of each tensor's bytes, and of the other metadata."""


def sums_of(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """Return the checksums of a file's content as its metadata hold them.

    CRC-32 is the cheapest that Python brings: 3.5 GB/s on one core, where SHA-256 has 1.3 and BLAKE2b 0.8. It tells
    every change of two bits of a tensor of up to 512 MiB, and of any other damage all but one of 4 milliards.
    """
    other = json.dumps({key: text for key, text in metadata.items() if key != SUMS}, sort_keys=True)
    sums = {name: zlib.crc32(_bytes(tensor)) for name, tensor in tensors.items()}
    return json.dumps({"tensors": sums, "metadata": zlib.crc32(other.encode())}, sort_keys=True)


def _bytes(tensor: Tensor) -> memoryview | bytes:
    # Bytes: NumPy has no bfloat16.
    return tensor.contiguous().flatten().view(torch.uint8).numpy().data if tensor.numel() else b""


class Part(NamedTuple):
    """One tensor of a file; its pieces are contiguous, and looked at once, each before the next is asked for."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    pieces: Iterable[Tensor]

    @classmethod
    def of(cls, tensor: Tensor) -> Part:
        """Return a tensor that is there as one piece."""
        # contiguous().cpu(): a view or a tensor on a GPU has no bytes that could be written as they are.
        return cls(tuple(tensor.shape), tensor.dtype, [tensor.detach().contiguous().cpu()])


def write_tensors(parts: Mapping[str, Part], path: Path, metadata: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Write tensors to a file, which appears whole or not at all.

    Returns:
        Its size in bytes and its SHA-256 in hexadecimal.

    Raises:
        InputError: if it may not be written.
        WritingError: if the disk is full or fails.
    """
    names = sorted(parts, key=lambda name: (list(KINDS).index(parts[name].dtype), name))
    digest, size = sha256(), 0
    with replacing(path) as file:
        for piece in _pieces(names, parts, metadata):
            digest.update(piece)
            size += file.write(piece)
    return size, digest.hexdigest()


def _pieces(
    names: Sequence[str], parts: Mapping[str, Part], metadata: Mapping[str, str] | None
) -> Iterable[bytes | memoryview]:
    yield _header(names, parts, metadata)
    for name in names:
        for piece in parts[name].pieces:
            yield _bytes(piece)


def _header(names: Sequence[str], parts: Mapping[str, Part], metadata: Mapping[str, str] | None) -> bytes:
    content: dict[str, object] = {} if metadata is None else {"__metadata__": dict(metadata)}
    end = 0
    for name in names:
        shape, dtype, _ = parts[name]
        start, end = end, end + prod(shape) * dtype.itemsize
        content[name] = {"dtype": KINDS[dtype], "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text
