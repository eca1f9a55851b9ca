"""PyTorch's ``.pt`` and ``.pth``: state dicts and what else ``torch.load(weights_only=True)`` opens."""

from __future__ import annotations

import pickle
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError, naming
from gpustab.formats.binary.npy import space_of_rows
from gpustab.formats.gensim.described import Described, Global
from gpustab.formats.gensim.safe_pickle import STEPS, Machine, run
from gpustab.formats.options import LoadOptions
from gpustab.formats.quantised import Table, dequantised, may_be_parts, parts_of, vectors_among, want_known
from gpustab.formats.rows import Format
from gpustab.formats.sniff import first_in_zip
from gpustab.formats.source import Source
from gpustab.formats.vocabulary_file import choose_matrix
from gpustab.spaces.space import Space
from gpustab.spaces.words import as_word

_OLD = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""The number that files of before PyTorch 1.6 begin with, as a pickle (``torch.serialization.MAGIC_NUMBER``)."""
_DEEPEST = 5
_LARGEST = 1 << 28
"""Bytes of a pickle that is looked through for the name of an entry."""
_WEIGHTS = re.compile(r"(?:^|[._])(?:weight|bias|running_mean|running_var|num_batches_tracked|gamma|beta)$")
_CLASS = re.compile(r"GLOBAL\s+([\w.]+)")


def is_torch(head: bytes) -> bool:
    """Tell a file of ``torch.save``: a zip archive that begins with its pickle, or with data (TorchScript)."""
    return re.fullmatch(r"[^/]+/(?:data\.pkl|data/0)", first_in_zip(head)) is not None or head.startswith(_OLD)


class TensorRows:
    """The rows of a ``(v, d)`` tensor, which may be mapped from a file."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor
        self.shape: tuple[int, ...] = tuple(tensor.shape)
        self.dtype = np.dtype(np.float32)
        self.kind = "" if tensor.dtype == torch.float32 else str(tensor.dtype).removeprefix("torch.")

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        """Return the rows ``[start:stop]`` as float32."""
        values: NDArray[Any] = self._tensor[rows].to(torch.float32).numpy()
        return values


def read_torch(source: Source, options: LoadOptions) -> Space:
    """Read the matrix of a state dict, or of whatever tensors, lists and dicts were saved together.

    Words are a list of text or a dict of word and row in the file (``itos``, ``vocab`` ...), else those of ``vocab`` or
    of the file beside; ``tensor`` names the matrix, with dots between the keys that lead to it. Nothing in the file is
    executed: ``weights_only``.

    Raises:
        InputError: if the file is packed, damaged, holds objects of a program, or its matrix or words cannot be told.
    """
    path = source.path
    if source.compression:
        raise InputError(f"{path}: a PyTorch file within {source.compression} cannot be mapped; unpack it first")
    source.watch()
    tensors, lists, notes = _sorted(_load(path, mapped=not source.head.startswith(_OLD)), options.tensor)
    tables = _tables(path, tensors)
    if "tensor" not in options.given:
        tied = _tied(tensors, tables)
        tables = {name: table for name, table in tables.items() if name not in tied}
        notes += [f"{other} has the same numbers as {one}" for other, one in tied.items()]
    matrix, found = choose_matrix(path, {name: one.shape for name, one in tables.items()}, lists, options)
    with naming(path):
        vectors = tensors[matrix]
        if not tables[matrix].is_plain:
            vectors, said = dequantised(tables[matrix], tensors.__getitem__)
            notes.append(said)
        found = found._replace(notes=[*found.notes, *notes])
        return space_of_rows(source, "PyTorch file", TensorRows(vectors), found, options)


def _tables(path: Path, tensors: Mapping[str, Tensor]) -> dict[str, Table]:
    """Return the tensors that may be vectors; one that is in few bits and cannot be read is refused."""
    names = may_be_parts(tensors.keys())
    tables = {
        name: Table(name, one.dtype, tuple(one.shape), parts_of(name, names))
        for name, one in tensors.items()
        if one.ndim == 2 and one.numel() and one.layout == torch.strided
    }
    sparse = [name for name, one in tensors.items() if one.layout != torch.strided]
    if sparse and not tables:
        raise InputError(f"{path}: '{sparse[0]}' is a sparse tensor; save it with its zeros, .to_dense()")
    found = vectors_among(tables)
    certain = [*found.values()] or [table for table in tables.values() if table.is_few]
    if len(certain) == 1:
        with naming(path):
            want_known(certain[0])  # before words are looked for, as packed rows have none
    return found


def _tied(tensors: Mapping[str, Tensor], tables: Mapping[str, Table]) -> dict[str, str]:
    """Return the matrices that have the numbers of one before them, as an output embedding that is tied."""
    tied: dict[str, str] = {}
    for k, one in enumerate(names := list(tables)):
        for other in names[k + 1 :] if one not in tied else ():
            a, b = tensors[one], tensors[other]
            if a.shape == b.shape and a.dtype == b.dtype and tables[one].is_plain and torch.equal(a, b):
                tied[other] = one
    return tied


def _load(path: Path, mapped: bool) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
    except pickle.UnpicklingError as error:
        raise InputError(
            f"{path}: this PyTorch file holds {describe_refused(path, error)}, which could run code and is not opened; "
            f"where you trust it: torch.save(model.state_dict(), FILE)"
        ) from None
    except Exception as error:  # whatever a damaged archive makes of PyTorch's reader
        if "TorchScript" in str(error):
            raise InputError(
                f"{path}: this is a TorchScript program; where you trust it: torch.save(torch.jit.load(FILE)."
                "state_dict(), OTHER)"
            ) from None
        reason = next(iter(str(error).splitlines()), type(error).__name__)[:200]
        raise InputError(f"{path}: not a complete PyTorch file, perhaps cut or damaged: {reason}") from error


def describe_refused(path: Path, error: pickle.UnpicklingError) -> str:
    """Return what a file holds that torch's ``weights_only`` refuses, and the keys that lead to it."""
    kind = _CLASS.search(str(error))
    if not kind:
        return "more than tensors, lists and dicts"
    entry = _entry_of(path, kind[1])
    return f"objects of {kind[1]}" + (f" as '{entry}'" if entry else "")


class _Namer(Machine):
    """Reads any pickle as data, to find where it names something."""

    def name(self, module: Any, name: Any) -> Global:
        return Global(str(module), str(name))


def _storage(machine: Machine) -> None:
    machine.stack.append(Described(Global("torch", "storage"), machine.stack.pop()))


_WITH_STORAGES = {**STEPS, ord("Q"): _storage}


def _entry_of(path: Path, kind: str) -> str | None:
    """Return the keys that lead to the first object of a kind, ``None`` where they cannot be told."""
    try:
        with zipfile.ZipFile(path) as archive:
            part = next(one for one in archive.infolist() if one.filename.endswith("/data.pkl"))
            content = archive.read(part) if part.file_size < _LARGEST else b""
        root = run(_Namer(memoryview(content)), _WITH_STORAGES)
    except Exception:  # of a file of another form, or damaged: its kind is said all the same
        return None
    waiting, seen = [("", root)], set()
    while waiting:
        name, item = waiting.pop()
        if isinstance(item, Global) and kind == str(item).removeprefix("__builtin__.").removeprefix("builtins."):
            return name or None
        if id(item) in seen:  # a pickle may hold one object many times
            continue
        seen.add(id(item))
        waiting += reversed([(f"{name}.{key}" if name and key else key or name, part) for key, part in _inner(item)])
    return None


def _inner(item: Any) -> Iterator[tuple[str, Any]]:
    """Yield what is in a described object, by its key where it has one."""
    if isinstance(item, list | tuple):
        yield from ((str(k), part) for k, part in enumerate(item))
    elif isinstance(item, Described):
        is_dict = item.kind.name in ("dict", "OrderedDict")
        keys = map(str, item.items[::2]) if is_dict else map(str, range(len(item.items)))
        yield from zip(keys, item.items[1::2] if is_dict else item.items, strict=False)
        arguments = item.arguments if isinstance(item.arguments, tuple) else (item.arguments,)
        yield from (("", part) for part in (item.kind, *arguments, item.state))


def _sorted(root: Any, asked: str) -> tuple[dict[str, Tensor], dict[str, list[bytes]], list[str]]:
    """Return the tensors and the lists of words that a file holds, by the keys that lead to them, and what was found.

    The state of an optimizer has moments of the shape of every table; it counts only where it is asked for.
    """
    tensors: dict[str, Tensor] = {}
    lists: dict[str, list[bytes]] = {}
    single: dict[str, Mapping[str, Tensor]] = {}
    passed_over: list[str] = []
    for name, item in _walk(root, "", _DEEPEST):
        if name and _is_optimizer(item) and not asked.startswith(f"{name}."):
            passed_over.append(name)
        elif name.startswith(tuple(f"{one}." for one in passed_over)):
            continue
        elif isinstance(item, Tensor):
            tensors[name] = item.detach()
        elif isinstance(item, Mapping | Sequence) and (words := _words(item)):
            lists[name] = words
        elif isinstance(item, Mapping) and _is_word_by_word(item):
            single[name] = item
    if not any(one.ndim == 2 for one in tensors.values()) and len(single) == 1:
        ((name, rows),) = single.items()
        label = name or "one vector a word"
        return {label: torch.stack(list(rows.values()))}, {label: [as_word(word) for word in rows]}, []
    notes = [f"the state of an optimizer, '{passed_over[0]}', was passed over"] if passed_over else []
    return tensors, lists, notes


def _is_optimizer(item: Any) -> bool:
    """Tell the state of an optimizer by what torch's optimizers call its two parts."""
    return isinstance(item, Mapping) and {"state", "param_groups"} <= item.keys()


def _walk(item: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    yield name or "the tensor", item
    if depth and isinstance(item, Mapping | list | tuple) and not _words(item):
        pairs = item.items() if isinstance(item, Mapping) else enumerate(item)
        for key, value in pairs:
            yield from _walk(value, f"{name}.{key}" if name else str(key), depth - 1)


def _words(item: Any) -> list[bytes] | None:
    """Return the words of a list of text, or of a dict that leads from word to row or back."""
    if isinstance(item, list | tuple):
        return [as_word(word) for word in item] if item and all(isinstance(word, str) for word in item) else None
    if not isinstance(item, Mapping) or not item:
        return None
    if all(type(key) is int and isinstance(word, str) for key, word in item.items()):
        item = {word: row for row, word in item.items()}
    if not all(isinstance(word, str) and type(row) is int for word, row in item.items()):
        return None
    words = {row: word for word, row in item.items()}
    if sorted(words) != list(range(len(item))):
        return None
    return [as_word(words[row]) for row in range(len(item))]


def _is_word_by_word(item: Mapping[Any, Any]) -> bool:
    """Tell a dict of one vector a word from the parameters of a small layer."""
    values = list(item.values())
    return (
        len(values) > 1
        and all(isinstance(key, str) and not _WEIGHTS.search(key) for key in item)
        and all(isinstance(one, Tensor) and one.ndim == 1 and one.is_floating_point() for one in values)
        and len({len(one) for one in values}) == 1
    )


TORCH = Format("PyTorch file", matches=is_torch, read=read_torch)
