"""Blocks of text lines turned into rows: at once where they are beyond doubt, line by line and with care elsewhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import option
from gpustab.formats.options import LoadOptions
from gpustab.formats.text.bulk import BulkRows, parse_block
from gpustab.formats.text.decimals import SEPARATORS, RowError, parse_row
from gpustab.spaces.load_report import Event


class BlockRows(NamedTuple):
    """The rows of one block, in the order of their lines.

    Attributes:
        words: ``b`` words.
        vectors: ``(b, d)`` float32.
        lines: the line number of each.
        total: rows in the block, also those of words that nobody asked for or that are empty.
        end: number of the line after the block.
        failed: line number and reason of a row that cannot be read; rows after it are not given.
    """

    words: list[bytes]
    vectors: NDArray[np.float32]
    lines: list[int]
    total: int
    end: int
    failed: tuple[int, RowError] | None


class BlockReader:
    """Reads blocks of lines with one dimension and counts what is passed over.

    Args:
        dimension: number of values ``d``.
        options: ``words``, ``skip_empty_tokens``.

    Attributes:
        blank: blank lines.
        empty: rows with an empty word, where these may be left out.
    """

    def __init__(self, dimension: int, options: LoadOptions) -> None:
        self.blank = Event()
        self.empty = Event()
        self._dimension = dimension
        self._options = options

    def read(self, block: bytes, first: int) -> BlockRows:
        """Read some whole lines; ``first`` is the number of the first of them."""
        bulk = parse_block(block, self._dimension, self._options.wanted)
        unwanted, end = bulk.total - len(bulk.lines) - len(bulk.odd), first + bulk.total
        if not len(bulk.odd):
            count = unwanted + len(bulk.words)
            return BlockRows(bulk.words, bulk.vectors, (bulk.lines + first).tolist(), count, end, None)
        empty = self.empty.count
        careful, failed = self._read_with_care(block, bulk.odd.tolist(), first)
        words, vectors, lines = self._in_order(bulk, careful, len(block) if failed is None else failed[0] - first)
        count = unwanted + len(words) + self.empty.count - empty
        return BlockRows(words, vectors, (lines + first).tolist(), count, end, failed)

    def _read_with_care(
        self, block: bytes, odd: list[int], first: int
    ) -> tuple[list[tuple[int, bytes, list[float]]], tuple[int, RowError] | None]:
        """Read the odd lines of a block one by one, up to the first that cannot be read."""
        lines = block.split(b"\n")
        rows: list[tuple[int, bytes, list[float]]] = []
        for i in odd:
            line = lines[i].removesuffix(b"\r")
            if not line.strip(SEPARATORS):
                self.blank.add(f"line {first + i}")
                continue
            try:
                word, values = parse_row(line, self._dimension)
                if word:
                    rows.append((i, word, values))
                else:
                    self._pass_over_empty(first + i)
            except RowError as error:
                return rows, (first + i, error)
        return rows, None

    def _pass_over_empty(self, number: int) -> None:
        if not self._options.skip_empty_tokens:
            raise RowError(
                f"the row begins with a separator, so its word is empty; {option('skip_empty_tokens')} passes over it"
            )
        self.empty.add(f"line {number}")

    def _in_order(
        self, bulk: BulkRows, careful: list[tuple[int, bytes, list[float]]], stop: int
    ) -> tuple[list[bytes], NDArray[np.float32], NDArray[np.int64]]:
        """Bring the rows of both ways of reading into the order of their lines, up to line ``stop`` of the block."""
        good = int(np.searchsorted(bulk.lines, stop))
        words = bulk.words[:good] + [word for _, word, _ in careful]
        lines = np.concatenate([bulk.lines[:good], np.array([i for i, _, _ in careful], dtype=np.int64)])
        values = np.array([values for _, _, values in careful], dtype=np.float64).reshape(-1, self._dimension)
        order = np.argsort(lines)
        with np.errstate(over="ignore"):  # becomes inf, which the table looks for
            vectors = np.concatenate([bulk.vectors[:good], values.astype(np.float32)])[order]
        return [words[i] for i in order], vectors, lines[order]
