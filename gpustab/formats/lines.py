"""The lines of a source, as bytes."""

from __future__ import annotations

from collections.abc import Iterator

from gpustab.formats.sniff import UTF8_BOM
from gpustab.formats.source import Source


class Lines:
    """The lines of a source with their numbers from 1 upwards, without their ends and without a BOM.

    A line ends only at 0x0A; a 0x0D right before it belongs to the end, anywhere else to the line.

    Attributes:
        has_bom: whether a UTF-8 byte-order mark was removed.
        unfinished: number of a last line that has no 0x0A, once it was reached.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.has_bom = source.head.startswith(UTF8_BOM)
        self.unfinished: int | None = None

    def sample(self) -> list[bytes]:
        """Return the complete lines of the head; of a short file all lines."""
        *lines, rest = self._source.head.split(b"\n")
        if self._source.is_short and rest and not self._source.damage:
            lines.append(rest)
        return self._clean(lines, first=True)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        rest, number = b"", 0
        for block in self._source.blocks():
            *lines, rest = (rest + block).split(b"\n")
            yield from enumerate(self._clean(lines, first=number == 0), number + 1)
            number += len(lines)
        if rest and not self._source.damage:
            self.unfinished = number + 1
            yield number + 1, self._clean([rest], first=number == 0)[0]

    def _clean(self, lines: list[bytes], *, first: bool) -> list[bytes]:
        if first and lines:
            lines[0] = lines[0].removeprefix(UTF8_BOM)
        return [line.removesuffix(b"\r") for line in lines]
