"""Options written once: a field of a dataclass is an argument of the library, an option of a command, and a record.

Its type and its :class:`Option` say which values it takes, and :class:`Options` refuses all others, for the library and
the command line alike. Its help is its entry in the docstring of its class.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from functools import cache, reduce
from numbers import Integral, Real
from operator import or_
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from gpustab.errors import InputError, near, option

T = TypeVar("T")

_UNIONS = (Union, types.UnionType)

_FOLDERS = ("DIR", "FOLDER")
"""What stands for the value of an option that names a folder."""

FigureFormat = Literal["svg", "pdf", "png"]
"""What figures are written as."""

LENGTHS = (1, 2, 5, 10, 25, 50)
"""List lengths n of p@n and j@n, unless others are asked for."""

SIMILARITIES = {
    **dict.fromkeys(("pip", "procrustes", "angular", "eigenspace_instability"), 0.0),
    **dict.fromkeys(("cka", "debiased_cka", "rdm", "cca", "svcca", "pwcca", "eigenspace_overlap"), 1.0),
}
"""Metrics of two spaces by name, each with its value of equal spaces; see `gpustab.engine.similarity`."""


@dataclass(frozen=True)
class Option:
    """What a field takes beside its type, and how it is typed on a command line: ``Annotated[int, Option(low=1)]``.

    A field without one is typed as its name with hyphens, and takes what its type says.

    Attributes:
        help: what it is for, where no docstring says it.
        flags: how it is written; default: the field's name with hyphens.
        also: further spellings, each of which gives way to an option of the same command that is called so.
        metavar: stands for its value in the help; default: its type, choices and bounds.
        low: smallest number that is taken, alone or in a list.
        high: largest number that is taken.
        above: what a number must lie above.
        below: what a number must lie below.
        names: values that the help lists and a shell completes; what takes them refuses others.
        typed: whether it is an option of commands, too.
        parse: reads the value from the text that was typed; raises InputError.
        reads: whether it names a file or folder that must be there; or words that it takes besides.
        each: refuses a value that is none, alone or in a list; raises InputError.
    """

    help: str = ""
    flags: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    metavar: str | None = None
    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    names: Sequence[str] = ()
    typed: bool = True
    parse: Callable[[str], Any] | None = None
    reads: bool | tuple[str, ...] = False
    each: Callable[[Any], object] | None = None

    @property
    def bounds(self) -> str:
        """The numbers that are taken, in words: ``"from 1 upwards"``; empty if all are."""
        between = self.low is not None and self.high is not None
        parts = {"from": self.low, "above": self.above, "to" if between else "up to": self.high, "below": self.below}
        told = [f"{word} {number}" for word, number in parts.items() if number is not None]
        return f"from {self.low} upwards" if told == [f"from {self.low}"] else (" " if between else " and ").join(told)

    def __get_pydantic_core_schema__(self, kind: Any, schema_of: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """Let a model of pydantic refuse the numbers that options refuse: a bound is said once for both."""
        bounds = {"ge": self.low, "le": self.high, "gt": self.above, "lt": self.below}
        return schema_of(kind) | {name: bound for name, bound in bounds.items() if bound is not None}

    def holds(self, number: Any) -> bool:
        """Whether a number is within the bounds; NaN never is."""
        return bool(
            number == number  # NaN is not
            and (self.low is None or number >= self.low)
            and (self.high is None or number <= self.high)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )


Seed = Annotated[int, Option("Of every random draw.", metavar="<int>", low=0, high=2**32 - 1)]
"""A seed everywhere: training takes 32 bits."""

Count = Annotated[int, Option(low=1)]

ListLength = Annotated[int, Option("Length of the lists of neighbours.", ("-n", "--top"), low=1)]


@dataclass(frozen=True)
class Options:
    """Base of options: every value is one that its field declares.

    What is no matter of one field, such as two options that exclude each other, a class checks in
    :meth:`check_together`. Files are looked for last: a file of an option that has no effect is not worth a search.

    Raises:
        InputError: naming the option, its value and what is wanted.

    >>> @dataclass(frozen=True)
    ... class Lists(Options):
    ...     n: Annotated[int, Option(low=1)] = 10
    >>> Lists(n=0)
    Traceback (most recent call last):
    gpustab.errors.InputError: n is 0, wanted a whole number from 1 upwards
    """

    def __post_init__(self) -> None:
        kind: type = type(self)
        for name, declared in declarations(kind).items():
            declared.check_value(name, getattr(self, name))
        self.check_together()
        for name, declared in declarations(kind).items():
            declared.check_there(name, getattr(self, name))

    def check_together(self) -> None:
        """Refuse values that do not go together."""


class Declared(NamedTuple):
    """What a field declares: its type without ``Annotated``, its option, its default (``MISSING``: none)."""

    kind: Any
    option: Option
    default: Any
    accepted: tuple[Accepted, ...]

    def check(self, name: str, value: object) -> None:
        """Refuse a value that is not taken, or a file that is not there."""
        self.check_value(name, value)
        self.check_there(name, value)

    def check_value(self, name: str, value: object) -> None:
        """Refuse a value that is not taken."""
        if self.accepted and not any(one.takes(value) for one in self.accepted):
            wanted = " or ".join(one.wanted for one in self.accepted if one.wanted)
            raise InputError(f"{option(name)} is {_shown(value)}, wanted {wanted}")
        if value is not None and self.option.each:
            for one in [value] if isinstance(value, str) or not isinstance(value, Iterable) else value:
                self.option.each(one)

    def check_there(self, name: str, value: object) -> None:
        """Refuse a file that is not there, before hours of work."""
        reads = self.option.reads
        besides = reads if isinstance(reads, tuple) else ()
        if reads and isinstance(value, str | PathLike) and value not in besides:
            want_there(name, value, "folder" if self.option.metavar in _FOLDERS else "file")


class Accepted(NamedTuple):
    """One kind of values that are taken."""

    takes: Callable[[Any], bool]
    wanted: str
    several: str = ""
    """What is wanted where there may be several of them."""


@cache
def declarations(kind: type) -> dict[str, Declared]:
    """Return what the fields of a dataclass declare, by their names."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: declared_by(hints[field.name], field.default) for field in fields(kind)}


def declared_by(hint: Any, default: Any = MISSING) -> Declared:
    """Return what an annotation declares, of a field or of an argument: ``Seed``, ``Seed | None`` ..."""
    parts = get_args(hint) if get_origin(hint) in _UNIONS else (hint,)
    extras = [extra for part in parts for extra in getattr(part, "__metadata__", ()) if isinstance(extra, Option)]
    kind = reduce(or_, (part.__origin__ if hasattr(part, "__metadata__") else part for part in parts))
    spec = extras[0] if extras else Option()
    return Declared(kind, spec, default, tuple(_accepted(kind, spec)))


def check(name: str, value: object, kind: Any) -> None:
    """Refuse a value of an argument that its type does not take, as options are refused.

    >>> check("errors", "ignore", Literal["strict", "replace"])
    Traceback (most recent call last):
    gpustab.errors.InputError: errors is 'ignore', wanted 'strict' or 'replace'
    """
    declared_by(kind).check(name, value)


def check_seed(value: int, name: str = "seed") -> int:
    """Return a seed, or refuse what is none everywhere.

    Raises:
        InputError: if it is not a whole number from 0 to 2³² − 1.
    """
    check(name, value, Seed)
    return int(value)


def chosen(kind: type[T], given: T | None, choices: Mapping[str, Any]) -> T:
    """Return options that are given as a whole, or one by one by their names.

    Raises:
        InputError: for a name that is no option, with the nearest that is, or for both ways at once.
    """
    if given is not None and choices:
        raise InputError(f"give {kind.__name__} or {', '.join(map(option, choices))}, not both")
    assert is_dataclass(kind)  # noqa: S101  # all options are
    known = [field.name for field in fields(kind)]
    for name in choices:
        if name not in known:
            raise InputError(f"there is no option {name}{near(name, known)}")
    return kind(**choices) if given is None else given


def record(options: Any) -> dict[str, Any]:
    """Return the choices as plain values, for the settings of a result."""
    return asdict(options)


def given(options: Any) -> dict[str, Any]:
    """Return those options of a bundle that were given; the others are ``None``."""
    return {name: value for name, value in asdict(options).items() if value is not None}


def members(kind: Any) -> list[Any]:
    """Return the types that a union is of; a type that is none is alone.

    >>> members(int | None)
    [<class 'int'>]
    """
    parts = get_args(kind) if get_origin(kind) in _UNIONS else (kind,)
    return [part for part in parts if part is not type(None)]


def item_of(kind: Any) -> Any:
    """Return the type of the items of a type of lists, or ``None``.

    >>> item_of(tuple[int, ...]), item_of(str)
    (<class 'int'>, None)
    """
    lists = (tuple, list, Sequence, Iterable)
    return get_args(kind)[0] if get_origin(kind) in lists else None


def _accepted(kind: Any, spec: Option) -> list[Accepted]:
    """The kinds of values that a type takes; none where anything goes."""
    accepted = [_accepted_one(member, spec) for member in members(kind)]
    if any(one is None for one in accepted):
        return []
    optional = type(None) in get_args(kind)
    return [Accepted(lambda value: value is None, "")] * optional + [one for one in accepted if one]


def _accepted_one(kind: Any, spec: Option) -> Accepted | None:
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        names = " or ".join(map(repr, choices))
        return Accepted(lambda value: isinstance(value, str) and value in choices, names, f"one or more of {names}")
    if kind is bool:
        return Accepted(lambda value: isinstance(value, bool), "True or False")  # 'False' in quotes would be true
    if kind in (int, float):
        number: type = Integral if kind is int else Real
        words = ("a whole number", "whole numbers") if kind is int else ("a number", "numbers")
        one, several = (f"{word} {spec.bounds}".strip() for word in words)
        return Accepted(
            lambda value: isinstance(value, number) and not isinstance(value, bool) and spec.holds(value),
            one,
            f"{several} with commas between",
        )
    return None if (item := item_of(kind)) is None else _accepted_list(item, spec)


def _accepted_list(item: Any, spec: Option) -> Accepted:
    items = _accepted(item, spec)
    if not items:  # of text, which may be read but once
        wanted = "several words" if bytes in members(item) else "several names"
        return Accepted(lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes), wanted)

    def all_are(value: Any) -> bool:
        if isinstance(value, str | bytes) or not isinstance(value, Collection):
            return False
        return len(value) > 0 and all(any(one.takes(part) for one in items) for part in value)

    return Accepted(all_are, " or ".join(one.several for one in items))


def want_there(name: str, path: str | PathLike[str], what: str = "file") -> None:
    """Refuse the file of an option if it is not there.

    Args:
        name: of the option.
        path: of the file.
        what: what is wanted, in a word.

    Raises:
        InputError: with what is called nearly so.
    """
    from gpustab.formats.source import near_file  # which imports this module

    if not Path(path).exists():
        typed = os.fspath(path)
        listed = "; it names a file with a word a line, not the words" if "," in typed and what == "file" else ""
        raise InputError(f"{option(name)}: {typed}: there is no such {what}{near_file(Path(path))}{listed}")


def _shown(value: Any) -> str:
    if isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping):
        return repr(",".join(map(str, value)))
    return repr(value) if isinstance(value, str | bytes) else str(value)
