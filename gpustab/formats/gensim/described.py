"""What a pickle would build, described; and the dictionaries, attributes and arrays found in a description."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.spaces.words import as_word, show


class Global(NamedTuple):
    """A name that a pickle refers to; it stands for nothing but itself."""

    module: str
    name: str

    def __str__(self) -> str:
        return show(as_word(f"{self.module}.{self.name}"))


class Described:
    """What a call would have made.

    Attributes:
        kind: the class or function.
        arguments: what it would have been called with.
        state: what the object would have been set to afterwards.
        items: what would have been put into it: elements, or keys and values in turn.
    """

    __slots__ = ("arguments", "items", "kind", "state")

    def __init__(self, kind: Global, arguments: Any = ()) -> None:
        self.kind = kind
        self.arguments = arguments
        self.state: Any = None
        self.items: list[Any] = []


def pairs_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys that are text, with their values, of a described dictionary; of anything else nothing."""
    if isinstance(value, Described):
        pairs = zip(value.items[::2], value.items[1::2], strict=False)
        yield from ((key, item) for key, item in pairs if isinstance(key, str))


def attributes_of(value: Described) -> dict[str, Any]:
    """Return what the attributes of a described object would have been."""
    return dict(pairs_of(value.state))


def whole_of(value: Any) -> int | None:
    """Return a whole number, Python's or NumPy's; of anything else ``None``."""
    if type(value) is int:
        return value
    match value:
        case Described(kind=Global(name="scalar"), arguments=(Described() as dtype, data)):
            kind, content = _dtype(dtype), _bytes(data)
            if kind is not None and kind.kind in "iu" and content is not None and len(content) == kind.itemsize:
                return int(np.frombuffer(content, kind)[0])
    return None


def array_of(value: Any) -> NDArray[Any] | None:
    """Return a described NumPy array of real numbers, mostly without a copy; of anything else ``None``.

    Raises:
        InputError: if its bytes are more or fewer than its shape and type take.
    """
    if not isinstance(value, Described):
        return None
    order: Literal["C", "F"]
    match value.kind.name, value.arguments, value.state:
        case "_reconstruct", _, (*_, tuple() as shape, Described() as dtype, fortran, data):
            order = "F" if fortran else "C"
        case "_frombuffer", (data, Described() as dtype, tuple() as shape, "C" | "F" as layout), _:
            order = "F" if layout == "F" else "C"
        case _:
            return None
    kind, content = _dtype(dtype), _bytes(data)
    if kind is None or content is None or not all(type(length) is int and 0 <= length < 1 << 63 for length in shape):
        return None
    if math.prod(shape) * kind.itemsize != len(content):
        raise InputError(f"an array of {kind} {shape} has {len(content)} bytes")
    array: NDArray[Any] = np.frombuffer(content, kind).reshape(shape, order=order)
    return array


def _dtype(value: Described) -> np.dtype[Any] | None:
    """Return a type of real numbers, ``None`` for any other."""
    match value.arguments, value.state:
        case (str() as name, *_), (_, "<" | ">" | "|" | "=" as order, *_) if re.fullmatch("f[248]|[iu][1248]", name):
            return np.dtype(f"{order}{name}")
    return None


def _bytes(value: Any) -> bytes | memoryview | None:
    match value:
        case memoryview():
            return value
        case str():  # Python 2
            return value.encode("utf-8", "surrogateescape")
        case Described(kind=Global(name="encode"), arguments=(str() as text, "latin1")):  # protocol 2 of Python 3
            return text.encode("latin-1") if max(text, default="") <= "\xff" else None
        case Described(kind=Global(name="bytes"), arguments=()):  # the same, of no bytes
            return b""
    return None
