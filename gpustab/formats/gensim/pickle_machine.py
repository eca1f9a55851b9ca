"""What the steps of a pickle work on: the place in the file, stack, marks and memo; and the names that are let by."""

from __future__ import annotations

import struct
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.gensim.described import Global

_NUMPY = frozenset(["ndarray", "dtype", "memmap", "float16", "float32", "float64", "int32", "int64", "uint32"])
_BUILTINS = frozenset(
    ["bytearray", "bytes", "dict", "float", "frozenset", "hash", "int", "list", "long", "object", "set"]
)
_MULTIARRAY = frozenset({"_reconstruct", "scalar"})
_KNOWN = {
    "numpy": _NUMPY,
    "numpy.core.multiarray": _MULTIARRAY,
    "numpy._core.multiarray": _MULTIARRAY,
    "numpy.core.numeric": frozenset({"_frombuffer"}),
    "numpy._core.numeric": frozenset({"_frombuffer"}),
    "numpy.core.memmap": frozenset({"memmap"}),
    "numpy._core.memmap": frozenset({"memmap"}),
    "_codecs": frozenset({"encode"}),
    "copyreg": frozenset({"_reconstructor"}),
    "copy_reg": frozenset({"_reconstructor"}),
    "collections": frozenset({"defaultdict", "OrderedDict"}),
    "builtins": _BUILTINS,
    "__builtin__": _BUILTINS,
}
_KNOWN_PACKAGES = ("gensim", "numpy.random")


class Machine:
    """State of a pickle that is read, and what is read from it; the steps are in :mod:`.pickle_opcodes`."""

    def __init__(self, content: memoryview) -> None:
        self.at = 0
        self.globals: list[Global] = []
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.content = content

    def take(self, size: int) -> memoryview:
        """Return the next bytes."""
        part = self.content[self.at : self.at + size]
        if len(part) != size:
            raise IndexError
        self.at += size
        return part

    def number(self, form: struct.Struct) -> Any:
        """Return the next number."""
        (number,) = form.unpack_from(self.content, self.at)
        self.at += form.size
        return number

    def line(self) -> str:
        """Return the text up to the end of the line."""
        start = self.at
        while self.content[self.at] != 0x0A:
            self.at += 1
        self.at += 1
        return str(self.content[start : self.at - 1], "utf-8")

    def marked(self) -> list[Any]:
        """Take from the stack what lies above the last mark."""
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def name(self, module: Any, name: Any) -> Global:
        """Return a name, if vectors may need it."""
        if not isinstance(module, str) or not isinstance(name, str):
            raise TypeError
        found = Global(module, name)
        if not _is_known(found):
            of = f" of {self.globals[0]}" if self.globals else ""
            raise InputError(f"the pickle{of} refers to {found}, which vectors do not need; not opened{_way(found)}")
        self.globals.append(found)
        return found


_WAYS = {
    "pandas": "where you trust it: pandas.read_pickle(FILE).to_parquet(OTHER), which is read",
    "joblib": "where you trust it: joblib.load(FILE), saved as text, .npy or Parquet",
    "torch": "where you trust it: torch.save(OBJECT.state_dict(), OTHER), which is read",
    "sklearn": "where you trust it: joblib.load(FILE), whose matrix numpy.save writes",
    "spacy": "where you trust it: its vectors as text, .npy or Parquet",
}


def _way(found: Global) -> str:
    """Return how to convert what a known package wrote."""
    way = _WAYS.get(found.module.partition(".")[0])
    return f"; {way}" if way else ""


def _is_known(found: Global) -> bool:
    inside = any(f"{found.module}.".startswith(f"{package}.") for package in _KNOWN_PACKAGES)
    return inside or found.name in _KNOWN.get(found.module, ())
