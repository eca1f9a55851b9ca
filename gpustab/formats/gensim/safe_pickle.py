"""A pickle read as data: what it would build is described, and nothing of it is ever called.

Python's own unpickler is no ground to build on, even with a filter for names: a file of eight bytes makes it clear
gigabytes for its memo (LONG_BINPUT), and a tuple nested deeply enough, used as a key, ends the process. Here a
name stays a name, a call stays a description of the call, and a dictionary stays a list of pairs: nothing is
imported, called, hashed or compared, nothing recurses, and no step takes more memory than a small multiple of its
bytes in the file. That only known names are let through is the second line of defence, and serves the message.
"""

from __future__ import annotations

import codecs
import pickletools
import struct
from collections.abc import Callable, Mapping
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.gensim.described import Described, Global

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
    # Python 3.4 wrote its collections for Python 2 under the names that three of Python 2's modules had.
    **dict.fromkeys(("collections", "UserString", "UserList", "UserDict"), frozenset({"defaultdict", "OrderedDict"})),
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
        """Return the text up to the end of the line, its bytes as Latin-1: names are ASCII, text is escaped."""
        start = self.at
        while self.content[self.at] != 0x0A:
            self.at += 1
        self.at += 1
        return str(self.content[start : self.at - 1], "latin-1")

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
    way = _WAYS.get(found.module.partition(".")[0])
    return f"; {way}" if way else ""


def _is_known(found: Global) -> bool:
    inside = any(f"{found.module}.".startswith(f"{package}.") for package in _KNOWN_PACKAGES)
    return inside or found.name in _KNOWN.get(found.module, ())


_DICT = Global("builtins", "dict")
_SET = Global("builtins", "set")


def _call(machine: Machine) -> None:
    arguments = machine.stack.pop()
    kind = machine.stack.pop()
    if not isinstance(kind, Global):
        raise TypeError
    machine.stack.append(Described(kind, arguments))


def _call_with_names(machine: Machine) -> None:
    machine.stack.pop()
    _call(machine)


def _put_into(target: Any, items: list[Any]) -> None:
    (target if isinstance(target, list) else target.items).extend(items)


def _put(machine: Machine, count: int) -> None:
    items = machine.stack[-count:]
    del machine.stack[-count:]
    _put_into(machine.stack[-1], items)


def _put_marked(machine: Machine) -> None:
    items = machine.marked()
    _put_into(machine.stack[-1], items)


def _build(machine: Machine) -> None:
    state = machine.stack.pop()
    target = machine.stack[-1]
    if not isinstance(target, Described):
        raise TypeError
    target.state = state


def _tuple(machine: Machine, count: int) -> None:
    if len(machine.stack) < count:
        raise IndexError
    machine.stack[-count:] = [tuple(machine.stack[-count:])]


def _of_marked(kind: Global) -> Callable[[Machine], None]:
    def make(machine: Machine) -> None:
        made = Described(kind)
        made.items = machine.marked()
        machine.stack.append(made)

    return make


def _stack_global(machine: Machine) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    machine.stack.append(machine.name(module, name))


def _decimal(machine: Machine) -> None:
    text = machine.line()
    machine.stack.append(text == "01" if text in ("00", "01") else int(text))  # Python 2: integers of 64 bits


def _protocol(machine: Machine) -> None:
    version = machine.take(1)[0]
    if not 2 <= version <= 5:  # those of before have no such step
        raise InputError(f"this is a pickle of protocol {version}, wanted 2 to 5")


def _text(part: memoryview) -> str:
    return str(part, "utf-8", "surrogatepass")


def _python2_string(part: memoryview) -> str:
    return str(part, "utf-8", "surrogateescape")  # a name, or bytes: reversible


def _integer(part: memoryview) -> int:
    return int.from_bytes(part, "little", signed=True)


def _quoted(machine: Machine) -> None:
    """Read a byte string as Python 2 wrote it in a line, in quotes and with escapes."""
    text = machine.line().strip()
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "'\"":
        raise ValueError(text)
    content, _ = codecs.escape_decode(text[1:-1].encode("latin-1"))
    machine.stack.append(_python2_string(memoryview(content)))


def _number_step(form: str) -> Callable[[Machine], None]:
    packed = struct.Struct(form)
    return lambda machine: machine.stack.append(machine.number(packed))


def _sized_step(form: str, convert: Callable[[memoryview], Any]) -> Callable[[Machine], None]:
    packed = struct.Struct(form)
    return lambda machine: machine.stack.append(convert(machine.take(machine.number(packed))))


def _memo_step(form: str) -> Callable[[Machine], None]:
    packed = struct.Struct(form)

    def put(machine: Machine) -> None:
        machine.memo[machine.number(packed)] = machine.stack[-1]

    return put


def _recall_step(form: str) -> Callable[[Machine], None]:
    packed = struct.Struct(form)
    return lambda machine: machine.stack.append(machine.memo[machine.number(packed)])


def _memoize(machine: Machine) -> None:
    machine.memo[len(machine.memo)] = machine.stack[-1]


# The steps of protocols 0 to 5 (pickletools describes each). Missing on purpose: EXT*, PERSID, BINPERSID, INST, OBJ,
# DUP and NEXT_BUFFER.
STOP = ord(".")
STEPS: dict[int, Callable[[Machine], Any]] = {
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
    ord("F"): lambda machine: machine.stack.append(float(machine.line())),
    ord("L"): lambda machine: machine.stack.append(int(machine.line().removesuffix("L"))),
    ord("S"): _quoted,
    ord("V"): lambda machine: machine.stack.append(machine.line().encode("latin-1").decode("raw_unicode_escape")),
    ord("l"): lambda machine: machine.stack.append(machine.marked()),
    ord("d"): _of_marked(_DICT),
    ord("p"): lambda machine: machine.memo.update({int(machine.line()): machine.stack[-1]}),
    ord("g"): lambda machine: machine.stack.append(machine.memo[int(machine.line())]),
    0x8A: _sized_step("<B", _integer),
    0x8B: _sized_step("<I", _integer),
    ord("X"): _sized_step("<I", _text),
    0x8C: _sized_step("<B", _text),
    0x8D: _sized_step("<Q", _text),
    ord("T"): _sized_step("<I", _python2_string),
    ord("U"): _sized_step("<B", _python2_string),
    ord("B"): _sized_step("<I", memoryview),
    ord("C"): _sized_step("<B", memoryview),
    0x8E: _sized_step("<Q", memoryview),
    0x96: _sized_step("<Q", memoryview),
    ord("]"): lambda machine: machine.stack.append([]),
    ord("}"): lambda machine: machine.stack.append(Described(_DICT)),
    0x8F: lambda machine: machine.stack.append(Described(_SET)),
    ord(")"): lambda machine: machine.stack.append(()),
    ord("a"): lambda machine: _put(machine, 1),
    ord("s"): lambda machine: _put(machine, 2),
    ord("e"): _put_marked,
    ord("u"): _put_marked,
    0x90: _put_marked,
    0x91: _of_marked(_SET),
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


def describe_pickle(content: bytes | memoryview) -> tuple[Any, list[Global]]:
    r"""Read a pickle of protocol 0 to 5 as data.

    Returns:
        The object: ``None``, ``bool``, ``int``, ``float``, ``str``, ``memoryview``, ``list``, ``tuple``,
        :class:`~.described.Global` or :class:`~.described.Described`; and the names it refers to, in the order of
        the file.

    Raises:
        InputError: if it is cut or damaged, uses steps that gensim's files do not, or refers to a name that vectors
            do not need; the message lacks the file's name.

    >>> describe_pickle(b"\x80\x02]K\x01a.")
    ([1], [])
    >>> describe_pickle(b"\x80\x02cos\nsystem\nU\x02ls\x85R.")
    Traceback (most recent call last):
    gpustab.errors.InputError: the pickle refers to os.system, which vectors do not need; not opened
    """
    machine = Machine(memoryview(content))
    try:
        return run(machine), machine.globals
    # TypeError, AttributeError: a step met an object of another kind than it needs.
    except (IndexError, KeyError, struct.error, UnicodeError, ValueError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the pickle is cut or damaged at byte {machine.at}") from error


def run(machine: Machine, steps: Mapping[int, Callable[[Machine], Any]] = STEPS) -> Any:
    """Run a machine to the end of the pickle at which it stands, and return what that describes."""
    content = machine.content
    while (code := content[machine.at]) != STOP:
        step = steps.get(code)
        if step is None:
            raise InputError(_describe_step(code, machine.at))
        machine.at += 1
        step(machine)
    return machine.stack.pop()


def _describe_step(code: int, at: int) -> str:
    names = [step.name for step in pickletools.opcodes if step.code == chr(code)]
    what = f"the step {names[0]}" if names else f"the byte {code:#04x}"
    return f"the pickle has {what} at byte {at}, which no file of gensim's has; not opened"
