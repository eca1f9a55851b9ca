"""What a group of runs is, as fields: names and paths are made from them and never parsed back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from gpustab.errors import InputError
from gpustab.spaces.words import printable

Part = tuple[tuple[str, str], ...]

Sampling = Literal["fixed", "shuffled", "bootstrap"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)
WHOLE = ("shuffled", "fixed")
"""Samplings whose runs read the whole corpus; the first is asked first where these choose what bootstrap runs judge."""
ENCODER, MODEL = "encoder", "model"
"""Technique of runs of encoders, whose fixed runs are fine-tunings, and the part that names one of these."""
Unit = Literal["document", "sentence"]


def noun_of(unit: str) -> str:
    """Return what is drawn, as a noun.

    >>> noun_of("sentence"), noun_of("author"), noun_of("blocks-10")
    ('sentence', 'author', 'block')
    """
    return "block" if unit.startswith("blocks-") else unit


_FORBIDDEN = frozenset('/\\:*?"<>|%')
"""What some file system does not take within a name, and the sign that escapes it."""


@dataclass(frozen=True, order=True)
class Key:
    """What a group of runs is.

    Attributes:
        technique: what the runs were trained by, or what people call them. May hold slashes.
        sampling: ``"fixed"``, ``"shuffled"``, ``"bootstrap"``; empty where it is not known.
        unit: what was drawn: ``"document"``, ``"sentence"``, or what documents were drawn together by: a column such as
            ``"author"``, or ``"blocks-10"``, ten documents that stand beside each other.
        fraction: the part of the corpus that was used, above 0 and up to 1.
        part: anything else that sets the group apart: ``(("epoch", "1790-1810"),)``, ``(("half", "a"),)``.

    Raises:
        InputError: if a field is empty that must not be, or cannot be a part of a path.

    Example:
        >>> key = Key("sgns", "shuffled", "sentence", 0.2, (("epoch", "1790-1810"),))
        >>> key.path
        'sgns/shuffled-sentence-0.2/epoch=1790-1810'
        >>> str(Key("my runs"))
        'my runs'
    """

    technique: str = "runs"
    sampling: str = ""
    unit: str = "document"
    fraction: float = 1.0
    part: Part = ()

    def __post_init__(self) -> None:
        pieces = [*self.technique.split("/"), *(text for pair in self.part for text in pair)]
        if bad := [piece for piece in pieces if piece in {"", ".", ".."}]:
            raise InputError(f"a group cannot be called '{self.technique}' {self.part or ''}: '{bad[0]}' is no name")
        if not 0 < self.fraction <= 1:
            raise InputError(f"fraction is {self.fraction!r}, wanted a number above 0 and up to 1")

    @property
    def path(self) -> str:
        """The leaf's path below its run set."""
        technique = "/".join(map(_component, self.technique.split("/")))
        return "/".join([*self._leaf(technique), *(f"{_component(a)}={_component(b)}" for a, b in self.part)])

    def __str__(self) -> str:
        return printable("/".join([*self._leaf(self.technique), *(f"{name}={value}" for name, value in self.part)]))

    def _leaf(self, technique: str) -> list[str]:
        rest = [_component(self.unit)] * (self.unit != "document") + [repr(self.fraction)] * (self.fraction != 1)
        return [technique, "-".join([self.sampling, *rest])] if self.sampling else ["-".join([technique, *rest])]

    def record(self) -> dict[str, Any]:
        """Return the fields as JSON values, for a manifest."""
        return {
            "technique": self.technique,
            "sampling": self.sampling,
            "unit": self.unit,
            "fraction": self.fraction,
            "part": [list(pair) for pair in self.part],
        }

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Key:
        """Rebuild a key from :meth:`record`.

        Raises:
            InputError: if it is not of that form.
        """
        try:
            part = tuple((str(name), str(value)) for name, value in record["part"])
            technique, sampling, unit = (str(record[field]) for field in ("technique", "sampling", "unit"))
            return cls(technique, sampling, unit, float(record["fraction"]), part)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{repr(record)[:200]} is no key of a group ({error})") from None

    @classmethod
    def of_path(cls, path: str) -> Key:
        """Read ``<technique>/<sampling>[-<unit>][-<fraction>]``: what people type, and manifests of schema 1 hold.

        Any other path is the name of a group of which nothing else is known.

        >>> Key.of_path("sgns/bootstrap-sentence")
        Key(technique='sgns', sampling='bootstrap', unit='sentence', fraction=1.0, part=())
        >>> Key.of_path("mine/first").technique
        'mine/first'
        """
        technique, _, leaf = path.strip("/").rpartition("/")
        sampling, *rest = leaf.split("-")
        unit = rest.pop(0) if rest and rest[0] in get_args(Unit) else "document"
        try:
            fraction = float(rest.pop(0)) if rest else 1.0
        except ValueError:
            return cls(path)
        if not technique or sampling not in SAMPLINGS or rest:
            return cls(path)
        return cls(technique, sampling, unit, fraction)


def _component(text: str) -> str:
    """A name as one component of a path: what a file system may refuse stands as %XX."""
    return "".join(f"%{ord(c):02X}" if c in _FORBIDDEN or not c.isprintable() else c for c in text)
