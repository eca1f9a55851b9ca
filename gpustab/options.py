"""Options written once: a field of a dataclass is an argument of the library, an option of a command, and a record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from numbers import Integral
from typing import Any, TypeVar

from gpustab.errors import InputError, near, option

T = TypeVar("T")

LENGTHS = (1, 2, 5, 10, 25, 50)
"""List lengths n of p@n and j@n, unless others are asked for."""

SIMILARITIES = {
    **dict.fromkeys(("pip", "procrustes", "angular"), 0.0),
    **dict.fromkeys(("cka", "rdm", "cca", "svcca", "pwcca"), 1.0),
}
"""Metrics of two spaces by name, each with its value of equal spaces; see `gpustab.engine.similarity`."""

_LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class Option:
    """How a field is typed on a command line: ``Annotated[int, Option("Of every random draw.")]``.

    Attributes:
        help: what it is for.
        flags: how it is written; default: the field's name with hyphens.
        metavar: stands for its value in the help.
        low: smallest number that is taken.
        parse: reads the value from the text that was typed; raises InputError.
        default: how the field's default is typed, where ``parse`` is given and the default is not ``None``.
    """

    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    low: int | None = None
    parse: Callable[[str], Any] | None = None
    default: str | None = None


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
    found = kind(**choices) if given is None else given
    if "seed" in known:
        check_seed(getattr(found, "seed"))  # noqa: B009  # not every kind has one
    return found


def check_seed(value: int, name: str = "seed") -> int:
    """Return a seed, or refuse what is none everywhere: training takes 32 bits.

    Raises:
        InputError: if it is no whole number from 0 to 2³² − 1.
    """
    if not isinstance(value, Integral) or not 0 <= value <= _LARGEST_SEED:
        raise InputError(f"{option(name)} is {value}, wanted a whole number from 0 to {_LARGEST_SEED}")
    return int(value)


def record(options: Any) -> dict[str, Any]:
    """Return the choices as plain values, for the settings of a result."""
    return asdict(options)


def numbers(name: str, low: int = 1) -> Callable[[str], tuple[int, ...]]:
    """Return a reader of whole numbers with commas between, for an option of a name.

    >>> numbers("neighbours")("1, 5")
    (1, 5)
    """

    def read(text: str) -> tuple[int, ...]:
        try:
            values = tuple(int(part) for part in text.split(","))
        except ValueError:
            raise InputError(f"{option(name)} is '{text}', wanted whole numbers with commas between") from None
        if min(values) < low:
            raise InputError(f"{option(name)} is '{text}', wanted numbers from {low}")
        return values

    return read
