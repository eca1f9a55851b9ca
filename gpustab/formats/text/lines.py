"""The lines of a source, as bytes, in blocks of whole lines."""

from __future__ import annotations

from collections.abc import Iterator

from gpustab.errors import InputError
from gpustab.formats.sniff import UTF8_BOM
from gpustab.formats.source import Source

LONGEST_LINE = 1 << 26
"""Bytes of a line, 64 MiB: far beyond a row of vectors, and small enough to be held."""


class Lines:
    """The lines of a source, without a BOM.

    A line ends only at 0x0A; a 0x0D right before it belongs to the end, anywhere else to the line.

    Attributes:
        has_bom: whether a UTF-8 byte-order mark was removed.
        unfinished: whether the last line has no 0x0A, once it was reached.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.has_bom = source.head.startswith(UTF8_BOM)
        self.unfinished = False

    def sample(self) -> list[bytes]:
        """Return the complete lines of the head without their ends; of a short file all lines."""
        *lines, rest = self._source.head.removeprefix(UTF8_BOM).split(b"\n")
        if self._source.is_short and rest and not self._source.damage:
            lines.append(rest)
        return [line.removesuffix(b"\r") for line in lines]

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes of whole lines, each ended by 0x0A.

        A last line without an end comes alone, with an end added; then :attr:`unfinished` is true.

        Raises:
            InputError: if a line is longer than 64 MiB; the message lacks the file's name.
        """
        rest = b""
        for block in _without_bom(self._source.blocks()):
            end = block.rfind(b"\n") + 1
            if not end:
                rest += block
                if len(rest) > LONGEST_LINE:
                    raise InputError(f"a line is longer than {LONGEST_LINE >> 20} MiB: this is no vector file")
                continue
            whole, rest = rest + block[:end], block[end:]
            yield whole
        if rest and not self._source.damage:
            self.unfinished = True
            yield rest + b"\n"


def _without_bom(blocks: Iterator[bytes]) -> Iterator[bytes]:
    yield next(blocks, b"").removeprefix(UTF8_BOM)
    yield from blocks
