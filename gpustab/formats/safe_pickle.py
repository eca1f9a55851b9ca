"""A pickle read as data: what it would build is described, and nothing of it is ever called.

Python's own unpickler is no ground to build on, even with a filter for names: a file of eight bytes makes it clear
gigabytes for its memo (LONG_BINPUT), and a tuple nested deeply enough, used as a key, ends the process. Here a
name stays a name, a call stays a description of the call, and a dictionary stays a list of pairs: nothing is
imported, called, hashed or compared, nothing recurses, and no step takes more memory than a small multiple of its
bytes in the file. That only known names are let through is the second line of defence, and serves the message.
"""

from __future__ import annotations

import math
import pickletools
import re
import struct
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.vocabulary import as_word, show

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


_DICT = Global("builtins", "dict")
_SET = Global("builtins", "set")


def describe_pickle(content: bytes | memoryview) -> tuple[Any, list[Global]]:
    r"""Read a pickle of protocol 2 to 5 as data.

    Args:
        content: the whole pickle; byte strings come back as views of it.

    Returns:
        The object: ``None``, ``bool``, ``int``, ``float``, ``str``, ``memoryview``, ``list``, ``tuple``,
        :class:`Global` or :class:`Described`; and the names it refers to, in the order of the file.

    Raises:
        InputError: if it is cut or damaged, uses steps that gensim's files do not, or refers to a name that vectors
            do not need; the message lacks the file's name.

    >>> describe_pickle(b"\x80\x02]K\x01a.")
    ([1], [])
    >>> describe_pickle(b"\x80\x02cos\nsystem\nU\x02ls\x85R.")
    Traceback (most recent call last):
    gpustab.errors.InputError: the pickle refers to os.system, which vectors do not need; not opened
    """
    machine = _Machine(memoryview(content))
    try:
        return machine.run(), machine.globals
    # TypeError, AttributeError: a step met an object of another kind than it needs.
    except (IndexError, KeyError, struct.error, UnicodeError, ValueError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the pickle is cut or damaged at byte {machine.at}") from error


class _Machine:
    def __init__(self, content: memoryview) -> None:
        self.at = 0
        self.globals: list[Global] = []
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.content = content

    def run(self) -> Any:
        content, steps = self.content, _STEPS
        while (code := content[self.at]) != _STOP:
            step = steps.get(code)
            if step is None:
                raise InputError(_describe_step(code, self.at))
            self.at += 1
            step(self)
        return self.stack.pop()

    def take(self, size: int) -> memoryview:
        part = self.content[self.at : self.at + size]
        if len(part) != size:
            raise IndexError
        self.at += size
        return part

    def number(self, form: struct.Struct) -> Any:
        (number,) = form.unpack_from(self.content, self.at)
        self.at += form.size
        return number

    def line(self) -> str:
        start = self.at
        while self.content[self.at] != 0x0A:
            self.at += 1
        self.at += 1
        return str(self.content[start : self.at - 1], "utf-8")

    def marked(self) -> list[Any]:
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def name(self, module: Any, name: Any) -> Global:
        if not isinstance(module, str) or not isinstance(name, str):
            raise TypeError
        found = Global(module, name)
        if not _is_known(found):
            of = f" of {self.globals[0]}" if self.globals else ""
            raise InputError(f"the pickle{of} refers to {found}, which vectors do not need; not opened")
        self.globals.append(found)
        return found


def _is_known(found: Global) -> bool:
    inside = any(f"{found.module}.".startswith(f"{package}.") for package in _KNOWN_PACKAGES)
    return inside or found.name in _KNOWN.get(found.module, ())


def _describe_step(code: int, at: int) -> str:
    names = [step.name for step in pickletools.opcodes if step.code == chr(code)]
    what = f"the step {names[0]}" if names else f"the byte {code:#04x}"
    return f"the pickle has {what} at byte {at}, which no file of gensim's has; not opened"


def _call(machine: _Machine) -> None:
    arguments = machine.stack.pop()
    kind = machine.stack.pop()
    if not isinstance(kind, Global):
        raise TypeError
    machine.stack.append(Described(kind, arguments))


def _call_with_names(machine: _Machine) -> None:
    machine.stack.pop()
    _call(machine)


def _put_into(target: Any, items: list[Any]) -> None:
    (target if isinstance(target, list) else target.items).extend(items)


def _put(machine: _Machine, count: int) -> None:
    items = machine.stack[-count:]
    del machine.stack[-count:]
    _put_into(machine.stack[-1], items)


def _put_marked(machine: _Machine) -> None:
    items = machine.marked()
    _put_into(machine.stack[-1], items)


def _build(machine: _Machine) -> None:
    state = machine.stack.pop()
    target = machine.stack[-1]
    if not isinstance(target, Described):
        raise TypeError
    target.state = state


def _tuple(machine: _Machine, count: int) -> None:
    if len(machine.stack) < count:
        raise IndexError
    machine.stack[-count:] = [tuple(machine.stack[-count:])]


def _frozenset(machine: _Machine) -> None:
    made = Described(_SET)
    made.items = machine.marked()
    machine.stack.append(made)


def _stack_global(machine: _Machine) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    machine.stack.append(machine.name(module, name))


def _decimal(machine: _Machine) -> None:
    text = machine.line()
    machine.stack.append(text == "01" if text in ("00", "01") else int(text))  # Python 2: integers of 64 bits


def _protocol(machine: _Machine) -> None:
    version = machine.take(1)[0]
    if not 2 <= version <= 5:
        raise InputError(f"this is a pickle of protocol {version}, wanted 2 to 5")


def _text(part: memoryview) -> str:
    return str(part, "utf-8", "surrogatepass")


def _python2_string(part: memoryview) -> str:
    return str(part, "utf-8", "surrogateescape")  # a name, or bytes: reversible


def _integer(part: memoryview) -> int:
    return int.from_bytes(part, "little", signed=True)


def _same(part: memoryview) -> memoryview:
    return part


def _number_step(form: str) -> Callable[[_Machine], None]:
    packed = struct.Struct(form)
    return lambda machine: machine.stack.append(machine.number(packed))


def _sized_step(form: str, convert: Callable[[memoryview], Any]) -> Callable[[_Machine], None]:
    packed = struct.Struct(form)
    return lambda machine: machine.stack.append(convert(machine.take(machine.number(packed))))


def _memo_step(form: str) -> Callable[[_Machine], None]:
    packed = struct.Struct(form)

    def put(machine: _Machine) -> None:
        machine.memo[machine.number(packed)] = machine.stack[-1]

    return put


def _recall_step(form: str) -> Callable[[_Machine], None]:
    packed = struct.Struct(form)
    return lambda machine: machine.stack.append(machine.memo[machine.number(packed)])


def _memoize(machine: _Machine) -> None:
    machine.memo[len(machine.memo)] = machine.stack[-1]


# The steps of protocols 2 to 5 (pickletools describes each). Missing on purpose: EXT*, PERSID, BINPERSID, INST, OBJ,
# NEXT_BUFFER, and what only protocols 0 and 1 write.
_STOP = ord(".")
_STEPS: dict[int, Callable[[_Machine], Any]] = {
    0x80: _protocol,
    0x95: lambda machine: machine.take(8),  # a frame only says how much to read ahead
    ord("("): lambda machine: machine.marks.append(len(machine.stack)),
    ord("0"): lambda machine: machine.stack.pop(),
    ord("1"): lambda machine: machine.marked(),
    ord("N"): lambda machine: machine.stack.append(None),
    0x88: lambda machine: machine.stack.append(True),
    0x89: lambda machine: machine.stack.append(False),
    ord("J"): _number_step("<i"),
    ord("K"): _number_step("<B"),
    ord("M"): _number_step("<H"),
    ord("G"): _number_step(">d"),
    ord("I"): _decimal,
    0x8A: _sized_step("<B", _integer),
    0x8B: _sized_step("<I", _integer),
    ord("X"): _sized_step("<I", _text),
    0x8C: _sized_step("<B", _text),
    0x8D: _sized_step("<Q", _text),
    ord("T"): _sized_step("<I", _python2_string),
    ord("U"): _sized_step("<B", _python2_string),
    ord("B"): _sized_step("<I", _same),
    ord("C"): _sized_step("<B", _same),
    0x8E: _sized_step("<Q", _same),
    0x96: _sized_step("<Q", _same),
    ord("]"): lambda machine: machine.stack.append([]),
    ord("}"): lambda machine: machine.stack.append(Described(_DICT)),
    0x8F: lambda machine: machine.stack.append(Described(_SET)),
    ord(")"): lambda machine: machine.stack.append(()),
    ord("a"): lambda machine: _put(machine, 1),
    ord("s"): lambda machine: _put(machine, 2),
    ord("e"): _put_marked,
    ord("u"): _put_marked,
    0x90: _put_marked,
    0x91: _frozenset,
    ord("t"): lambda machine: machine.stack.append(tuple(machine.marked())),
    0x85: lambda machine: _tuple(machine, 1),
    0x86: lambda machine: _tuple(machine, 2),
    0x87: lambda machine: _tuple(machine, 3),
    ord("q"): _memo_step("<B"),
    ord("r"): _memo_step("<I"),
    0x94: _memoize,
    ord("h"): _recall_step("<B"),
    ord("j"): _recall_step("<I"),
    ord("c"): lambda machine: machine.stack.append(machine.name(machine.line(), machine.line())),
    0x93: _stack_global,
    ord("R"): _call,
    0x81: _call,
    0x92: _call_with_names,
    ord("b"): _build,
}


def pairs_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys that are text, with their values, of a described dictionary; of anything else nothing."""
    if isinstance(value, Described):
        pairs = zip(value.items[::2], value.items[1::2], strict=False)
        yield from ((key, item) for key, item in pairs if isinstance(key, str))


def attributes_of(value: Described) -> dict[str, Any]:
    """Return what the attributes of a described object would have been."""
    return dict(pairs_of(value.state))


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
