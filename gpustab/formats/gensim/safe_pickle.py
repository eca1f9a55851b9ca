"""A pickle read as data: what it would build is described, and nothing of it is ever called.

Python's own unpickler is no ground to build on, even with a filter for names: a file of eight bytes makes it clear
gigabytes for its memo (LONG_BINPUT), and a tuple nested deeply enough, used as a key, ends the process. Here a
name stays a name, a call stays a description of the call, and a dictionary stays a list of pairs: nothing is
imported, called, hashed or compared, nothing recurses, and no step takes more memory than a small multiple of its
bytes in the file. That only known names are let through is the second line of defence, and serves the message.
"""

from __future__ import annotations

import pickletools
import struct
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.gensim.described import Global
from gpustab.formats.gensim.pickle_machine import Machine
from gpustab.formats.gensim.pickle_opcodes import STEPS, STOP


def describe_pickle(content: bytes | memoryview) -> tuple[Any, list[Global]]:
    r"""Read a pickle of protocol 2 to 5 as data.

    Args:
        content: the whole pickle; byte strings come back as views of it.

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
        return _run(machine), machine.globals
    # TypeError, AttributeError: a step met an object of another kind than it needs.
    except (IndexError, KeyError, struct.error, UnicodeError, ValueError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the pickle is cut or damaged at byte {machine.at}") from error


def _run(machine: Machine) -> Any:
    content, steps = machine.content, STEPS
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
