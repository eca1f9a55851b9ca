"""The tensors of a folder that Hugging Face's libraries write, whole or in shards.

Nothing in such a folder is executed: safetensors cannot, and ``.bin`` files are unpickled by torch's ``weights_only``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from torch import Tensor

from gpustab.errors import InputError, first_line, some_of
from gpustab.formats.binary.tensors import open_tensors
from gpustab.formats.binary.torch_file import describe_refused
from gpustab.formats.parsed import read_json
from gpustab.formats.quantised import CODES, Table, parts_of

Kind = TypeVar("Kind")

WHOLE = ("model.safetensors", "pytorch_model.bin")
"""Files that hold all tensors; safetensors come first."""

INDEXES = tuple(f"{name}.index.json" for name in WHOLE)
"""Files that say which shard holds which tensor."""

_SHARD = re.compile(r"(?:model-\d+-of-(\d+)\.safetensors|pytorch_model-\d+-of-(\d+)\.bin)")

_MOST = 10_000
"""Shards that are looked for where only a name says how many there are."""


def forms(folder: Path) -> list[str]:
    """Return the files that stand for the weights of a folder, in the order in which transformers takes them.

    Safetensors come before ``.bin``, and of each what is whole before what has an index; shards without an index, which
    transformers does not read, count where there is nothing else, and the first of them stands for all.
    """
    names = [name for pair in zip(WHOLE, INDEXES, strict=True) for name in pair]
    return [name for name in names if (folder / name).is_file()] or _shards(folder)[:1]


def _shards(folder: Path) -> list[str]:
    shards = sorted(file.name for file in folder.glob("*-of-*") if _SHARD.fullmatch(file.name) and file.is_file())
    return [name for name in shards if Path(name).suffix == Path(shards[0]).suffix]  # safetensors of two kinds


class Weights:
    """Where the tensors of a checkpoint lie.

    Attributes:
        folder: the checkpoint.
        form: the file that stands for the weights.
        files: the file of every tensor, by its name; it may be missing.
        lacking: shards that are not there.
    """

    def __init__(self, folder: Path, form: str | None = None) -> None:
        there = forms(folder)
        if not there:
            raise InputError(f"{folder}: there are no weights; wanted one of {', '.join((*WHOLE, *INDEXES))}")
        self.folder, self.form = folder, form or there[0]
        self._loaded: dict[Path, Mapping[str, Tensor]] = {}
        self.lacking: list[str] = []
        self.files = self._files()

    def _files(self) -> dict[str, Path]:
        if self.form in INDEXES:
            return self._indexed(self.folder / self.form)
        if self.form in WHOLE:
            return dict.fromkeys(self._names(self.folder / self.form), self.folder / self.form)
        shards, count = _shards(self.folder), next(filter(None, _SHARD.fullmatch(self.form).groups()))  # type: ignore[union-attr]
        if other := [name for name in shards if f"-of-{count}." not in name]:
            raise InputError(f"{self.folder}: {self.form} and {other[0]} are of two sets of shards; remove one of them")
        every = [
            re.sub(r"(?<!\d)\d++(?=-of)", f"{k:0{len(count)}d}", self.form)
            for k in range(1, min(int(count), _MOST) + 1)
        ]
        self.lacking = [name for name in every if name not in shards]
        return {name: self.folder / shard for shard in shards for name in self._names(self.folder / shard)}

    def _indexed(self, index: Path) -> dict[str, Path]:
        where = read_object(index).get("weight_map")
        if not isinstance(where, dict):
            raise InputError(f"{index}: there is no weight_map")
        files = {str(name): self.folder / Path(str(shard)).name for name, shard in where.items()}
        self.lacking = [file.name for file in dict.fromkeys(files.values()) if not file.is_file()]
        return files

    def _names(self, file: Path) -> list[str]:
        if file.suffix == ".bin":
            return list(self._pickled(file))
        with open_tensors(file) as tensors:
            return list(tensors.keys())

    def has(self, name: str) -> bool:
        """Tell whether a tensor lies in a file that is there."""
        return name in self.files and self.files[name].is_file()

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor; of safetensors without reading it."""
        return tuple(self._read(name, lambda file: file.get_slice(name).get_shape(), lambda tensor: tensor.shape))

    def tensor(self, name: str) -> Tensor:
        """Return a tensor as it is stored."""
        found: Tensor = self._read(name, lambda file: file.get_tensor(name), lambda tensor: tensor)
        return found

    def table(self, name: str) -> Table:
        """Return what is known of a tensor without reading it."""
        dtype = self._read(name, lambda file: CODES.get(file.get_slice(name).get_dtype()), lambda tensor: tensor.dtype)
        return Table(name, dtype, self.shape(name), parts_of(name, self.files))

    def _read(self, name: str, of_file: Any, of_tensor: Any) -> Any:
        if name not in self.files:
            raise InputError(f"{self.folder / self.form}: there is no tensor {name}")
        file = self.files[name]
        if not file.is_file():
            raise InputError(f"{self.folder / self.form}: the shard {file.name}, which has {name}, is not there")
        try:
            if file.suffix == ".bin":
                return of_tensor(self._pickled(file)[name])
            with open_tensors(file) as tensors:
                return of_file(tensors)
        except (KeyError, SafetensorError) as error:
            raise InputError(f"{file}: the tensor {name}, which {self.form} says is here, cannot be read") from error

    def _pickled(self, file: Path) -> Mapping[str, Tensor]:
        if file not in self._loaded:
            self._loaded[file] = _unpickled(file)
        return self._loaded[file]

    def notes(self, name: str) -> Iterator[str]:
        """Yield what a reader must know of where a tensor was read: other forms of the weights, shards that lack."""
        if self.form not in (*WHOLE, *INDEXES):
            yield "there is no index: every shard was asked for its tensors"
        if self.lacking:
            yield f"shards that were not needed are not there: {some_of(self.lacking, 3)}"
        for other in forms(self.folder):
            if other != self.form:
                yield f"{self.form} was read, as transformers does, and not {other}, {self._beside(other, name)}"

    def _beside(self, other: str, name: str) -> str:
        try:
            found = Weights(self.folder, other).tensor(name)
        except InputError:
            return "whose table could not be compared"
        return f"which has {'the same' if equal(found, self.tensor(name)) else 'other'} numbers in {name}"


def equal(x: Tensor, y: Tensor) -> bool:
    """Tell whether two tensors of any types have the same numbers."""
    return x.shape == y.shape and (torch.equal(x, y) if x.dtype == y.dtype else torch.equal(x.double(), y.double()))


def _unpickled(file: Path) -> Mapping[str, Tensor]:
    try:
        try:
            state = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError:  # a file of the time before zip cannot be mapped
            state = torch.load(file, map_location="cpu", weights_only=True)
    except UnpicklingError as error:
        raise InputError(
            f"{file}: it holds {describe_refused(file, error)}, which could run code and is never executed; save the "
            "tensors alone as safetensors"
        ) from error
    except (RuntimeError, EOFError, OSError, ValueError) as error:
        raise InputError(f"{file}: this is not a whole file of tensors: {first_line(error)}") from error
    if not isinstance(state, dict) or not all(isinstance(part, Tensor) for part in state.values()):
        raise InputError(f"{file}: this is not a state dict, which is tensors by name")
    return state


def read_object(file: Path) -> dict[str, Any]:
    """Return the JSON object of a file.

    Raises:
        InputError: if it cannot be read or is none.
    """
    found = read_json(file)
    if not isinstance(found, dict):
        raise InputError(f"{file}: this is a {type(found).__name__}, wanted a JSON object")
    return found


def entry(content: Mapping[str, Any], key: str, kind: type[Kind], file: Path) -> Kind | None:
    """Return an entry of a JSON object, ``None`` where it is not there or null.

    Raises:
        InputError: if it is of another kind.
    """
    found = content.get(key)
    if found is not None and not isinstance(found, kind):
        raise InputError(f"{file}: {key} is a {type(found).__name__}, wanted a {kind.__name__}")
    return found


def nested(part: Any) -> Iterator[Any]:
    """Yield a value of JSON and all that is in it, however deep."""
    waiting = [part]
    while waiting:
        yield (item := waiting.pop())
        waiting += reversed([*item.values()] if isinstance(item, dict) else item if isinstance(item, list) else [])
