"""What a file format has to offer to be readable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpustab.formats.options import LoadOptions
from gpustab.formats.placed import Placed
from gpustab.formats.source import Source
from gpustab.spaces.space import Space


@dataclass(frozen=True)
class Format:
    """One readable format.

    Attributes:
        name: name for people.
        matches: tells from the first bytes of the content (up to 1 MiB, unpacked) whether it is this format.
        read: reads an opened source; raises ``InputError``.
        place: the same without the vectors, of a source where each lies together as float32, ``None`` of another.
    """

    name: str
    matches: Callable[[bytes], bool]
    read: Callable[[Source, LoadOptions], Space]
    place: Callable[[Source, LoadOptions], Placed | None] = lambda _source, _options: None
