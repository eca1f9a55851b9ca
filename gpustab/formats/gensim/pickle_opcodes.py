"""The steps of pickles of protocol 2 to 5, each as what it does to the machine."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.gensim.described import Described, Global
from gpustab.formats.gensim.pickle_machine import Machine

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


def _frozenset(machine: Machine) -> None:
    made = Described(_SET)
    made.items = machine.marked()
    machine.stack.append(made)


def _stack_global(machine: Machine) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    machine.stack.append(machine.name(module, name))


def _decimal(machine: Machine) -> None:
    text = machine.line()
    machine.stack.append(text == "01" if text in ("00", "01") else int(text))  # Python 2: integers of 64 bits


def _protocol(machine: Machine) -> None:
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


# The steps of protocols 2 to 5 (pickletools describes each). Missing on purpose: EXT*, PERSID, BINPERSID, INST, OBJ,
# NEXT_BUFFER, and what only protocols 0 and 1 write.
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
