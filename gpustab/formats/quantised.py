"""Tables of numbers in few bits: read with their scales where the formula is sure, refused by their kind elsewhere.

A table in int8 or float8 means nothing without the scales that lie beside it, and one in four bits is packed: read as
it is stored it has other rows, or another geometry, and looks like any other matrix. What a table is, its type and the
tensors beside it tell, not the name of the program that wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError, some_of

PLAIN = frozenset({torch.float64, torch.float32, torch.float16, torch.bfloat16})
"""Types whose numbers are the vectors."""

_SCALED = frozenset({torch.int8, torch.float8_e4m3fn, torch.float8_e5m2})
"""Types of which each number is times a scale; one of uint8 may as well be two of four bits."""

_SCALES = {"_scale": 1.0, "_scale_inv": 1.0, "scale_weight": 1.0, "SCB": 1 / 127}
"""What scales are called, by what follows the name of their table or module, and the factor that each of them has."""

_ZERO = "_zero_point"
_BESIDE = re.compile(r"scale|absmax|zero|quant|SCB|g_idx")
"""In the names of what lies beside a table in its module because it is quantised."""

_PACKED = re.compile(r"absmax|quant_state|quant_map")
"""The same, of what is kept in a type of floats too (bitsandbytes' ``quant_storage``)."""

_FORMAT = "_format"
"""The same, of the order of bitsandbytes' numbers, 0 by rows."""

_HARMLESS = {_FORMAT, "input_scale", "output_scale"}
"""The same, of what changes no number: the scales of activations are no part of the table."""

CODES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
"""Types by safetensors' names of them; PyTorch has no tables of the others."""


class Table(NamedTuple):
    """What is known of a stored table before its numbers are read.

    Attributes:
        name: of the tensor.
        dtype: of its numbers; ``None``: one that PyTorch has no tables of.
        shape: as it is stored.
        parts: names of the tensors that belong to it, by what follows the name of the table or of its module.
    """

    name: str
    dtype: torch.dtype | None
    shape: tuple[int, ...]
    parts: Mapping[str, str]

    @property
    def is_plain(self) -> bool:
        """Whether its numbers are the vectors: floats with a scale beside them may be times it, or not yet."""
        has_parts = any(map(_PACKED.search, self.parts)) or bool(self.parts.keys() & _SCALES.keys())
        return self.dtype in PLAIN and not has_parts

    @property
    def is_few(self) -> bool:
        """Whether its numbers have too few bits to be vectors by themselves."""
        return self.dtype in _FEW or self.is_quantised

    @property
    def is_quantised(self) -> bool:
        """Whether it surely is no plain table: integers alone may be anything, a list of ids, say."""
        if self.dtype in _INTEGERS:
            return any(map(_BESIDE.search, self.parts))
        return not self.is_plain and not (self.dtype and self.dtype.is_complex)

    def refusal(self, why: str = "") -> str:
        """Return the end of a message that names its kind; it lacks the file's name."""
        beside = f"beside {some_of(sorted(self.parts.values()), 3)}" if self.parts else "without scales"
        return (
            f"'{self.name}' is quantised: {self.kind} {self.shape} {beside}{why}; read the model by the library that "
            "wrote it and save the table as float32"
        )

    @property
    def kind(self) -> str:
        """Name of the type."""
        return str(self.dtype).removeprefix("torch.") if self.dtype else "numbers of few bits"


_FEW = (torch.int8, torch.uint8)
_INTEGERS = frozenset({torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool})


def vectors_among(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the matrices that may be vectors: of floats, and quantised ones, but not the scales of those."""
    matrices = {name: one for name, one in tables.items() if len(one.shape) == 2}
    scales = {part for one in matrices.values() if one.is_quantised for part in one.parts.values()}
    return {name: one for name, one in matrices.items() if name not in scales and (one.is_plain or one.is_quantised)}


def may_be_parts(names: Collection[str]) -> Collection[str]:
    """Return the names of tensors among which a table may have parts: none where nothing is called as a scale is."""
    return names if any(map(_BESIDE.search, names)) else ()


def parts_of(name: str, names: Iterable[str]) -> dict[str, str]:
    """Return the tensors that belong to a table, by what follows its name or its module's.

    >>> parts_of("e.weight", ["e.weight", "e.weight_scale", "e.SCB", "e.bias", "f.weight_scale"])
    {'_scale': 'e.weight_scale', 'SCB': 'e.SCB'}
    """
    module = name.rpartition(".")[0] + "." * ("." in name)
    found = {}
    for one in names:
        if one.startswith((f"{name}_", f"{name}.", f"{name}:")):
            found[one.removeprefix(name)] = one
        elif one != name and one.rpartition(".")[0] == module.rstrip(".") and _BESIDE.search(one.removeprefix(module)):
            found[one.removeprefix(module)] = one
    return found


def dequantised(table: Table, tensor: Callable[[str], Tensor]) -> tuple[Tensor, str]:
    """Return the numbers of a table ``(v, d)`` float32, and what was done.

    ``value = (number - zero point) · scale``, with one scale for the table or one a row: ``weight_scale`` and
    ``weight_zero_point`` (compressed-tensors, FBGEMM, ModelOpt), ``scale_weight``, ``weight_scale_inv`` (which
    multiplies, too), and ``SCB / 127`` (bitsandbytes' int8); or what PyTorch's own quantised tensors hold.

    Raises:
        InputError: if the numbers are packed, have no scales, or scales of another form; the message lacks the file's
            name.
    """
    want_known(table)
    if table.dtype in _PYTORCHS:
        said = f"'{table.name}' is quantised: its {table.kind} numbers were taken times their scales"
        return tensor(table.name).dequantize(), said
    if _FORMAT in table.parts and tensor(table.parts[_FORMAT]).any():
        raise InputError(table.refusal(" in another order than by rows"))
    numbers = tensor(table.name).to(torch.float32)
    if _ZERO in table.parts:
        numbers -= _by_row(tensor(table.parts[_ZERO]), table, _ZERO)
    (ending,) = table.parts.keys() & _SCALES.keys()
    scale = _by_row(tensor(table.parts[ending]), table, ending) * _SCALES[ending]
    each = "one scale" if scale.numel() == 1 else "one a row"
    said = f"'{table.name}' is quantised: its {table.kind} numbers were taken times {table.parts[ending]}, {each}"
    return numbers * scale, said


_PYTORCHS = (torch.qint8, torch.quint8, torch.qint32)


def want_known(table: Table) -> None:
    """Refuse a table that is not plain, and of which no formula is sure; the message lacks the file's name."""
    is_known = table.parts.keys() <= {*_SCALES, *_HARMLESS, _ZERO} and len(table.parts.keys() & _SCALES.keys()) == 1
    is_scaled = table.dtype in _SCALED and len(table.shape) == 2 and is_known
    if not (table.is_plain or table.dtype in _PYTORCHS or is_scaled):
        raise InputError(table.refusal())


def _by_row(part: Tensor, table: Table, ending: str) -> Tensor:
    if part.numel() == 1 or part.shape in ((table.shape[0],), (table.shape[0], 1)):
        return part.to(torch.float32).reshape(-1, 1)
    raise InputError(table.refusal(f", of which {table.parts[ending]} {tuple(part.shape)} is not one a row"))
