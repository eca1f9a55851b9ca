"""Vectors as text: one word and its values a line, with word2vec's header or, as GloVe writes, without.

Everything happens on bytes. Rows end only at 0x0A (a 0x0D right before it is dropped), fields are parted only by
0x20 and 0x09, and the last ``d`` fields of a row are its vector: so a word may hold spaces, no-break spaces, or bytes
that are no UTF-8, and none of it depends on the platform. Whole blocks of lines are parsed at once; a line that is not
beyond doubt is read again with care.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError, marked, naming, option
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import Format, RowTable
from gpustab.formats.sniff import foreign
from gpustab.formats.source import Source
from gpustab.formats.text.bulk import BulkRows, parse_block
from gpustab.formats.text.decimals import SEPARATORS, RowError, parse_row
from gpustab.formats.text.layout import Layout, Lines, settle
from gpustab.formats.text.numbers import are_numbers_alone, read_numbers
from gpustab.spaces.space import Event, Space
from gpustab.spaces.words import show


def read_text(source: Source, options: LoadOptions) -> Space:
    """Read word2vec or GloVe text, plain or compressed.

    Raises:
        InputError: if the file is damaged, ambiguous, or has rows that the options do not let pass.
    """
    try:
        with naming(source.path):
            if options.vocab is not None and are_numbers_alone(Lines(source).sample()):
                return read_numbers(source, options)
            return _Reading(source, options).run()
    except RowError as error:
        raise InputError(f"{source.path}, {marked(error)}") from error


class _Reading:
    """One pass over one file: the rows taken in so far, and what happened on the way."""

    def __init__(self, source: Source, options: LoadOptions) -> None:
        self._source = source
        self._options = options
        self._lines = Lines(source)
        self._rows = 0
        self._line = 1  # the next one
        self._blank, self._empty = Event(), Event()
        self._notes: list[str] = []

    def run(self) -> Space:
        sample = self._lines.sample()
        layout = self._settle(sample)
        self._dimension = layout.dimension
        self._table = RowTable(layout.dimension, self._capacity(layout, sample), self._options)
        if self._read(layout):
            self._check_end(layout)
        form = "word2vec text" if layout.header else "GloVe text"
        return self._table.space(self._source, form, header=layout.header, notes=[*self._notes, *self._events(layout)])

    def _settle(self, sample: list[bytes]) -> Layout:
        try:
            return settle(sample, self._options)
        except InputError:
            self._check_damage()  # where few rows are left, the damage is the reason to name
            raise

    def _read(self, layout: Layout) -> bool:
        """Take in the rows; return whether the end of the file was reached."""
        for block in self._lines.blocks():
            if self._line == 1 and (above := (layout.header is not None) + layout.names):
                self._line, block = 1 + above, block.split(b"\n", above)[above]
            while block:
                if self._rows == self._options.limit:
                    self._notes.append(f"limit={self._rows}: the rows from line {self._line} on were not read")
                    return False
                if self._table.complete:
                    self._notes.append(f"words: all were found before line {self._line}, and no more was read")
                    return False
                part, block = self._within_limit(block)
                if not self._take(part):
                    return False
        return True

    def _within_limit(self, block: bytes) -> tuple[bytes, bytes]:
        """Part the lines that can still be taken from the others."""
        if self._options.limit is None:
            return block, b""
        lines = block.split(b"\n", self._options.limit - self._rows)
        rest = lines.pop()
        return block[: len(block) - len(rest)], rest

    def _take(self, block: bytes) -> bool:
        """Take in the rows of some whole lines, up to one that cannot be read; return whether there was none."""
        bulk, failed = parse_block(block, self._dimension, self._options.wanted), None
        first, empty = self._line, self._empty.count
        words, vectors, lines = bulk.words, bulk.vectors, bulk.lines
        if len(bulk.odd):
            careful, failed = self._read_with_care(block, bulk.odd.tolist(), first)
            words, vectors, lines = self._in_order(bulk, careful, len(block) if failed is None else failed[0] - first)
        unwanted = bulk.total - len(bulk.lines) - len(bulk.odd)
        self._line += bulk.total
        self._rows += unwanted + len(words) + self._empty.count - empty
        self._table.add(words, vectors, (lines + first).tolist())
        if failed:
            self._stop_at(*failed)
        return failed is None

    def _read_with_care(
        self, block: bytes, odd: list[int], first: int
    ) -> tuple[list[tuple[int, bytes, list[float]]], tuple[int, RowError] | None]:
        """Read the odd lines of a block one by one, up to the first that cannot be read."""
        lines = block.split(b"\n")
        rows: list[tuple[int, bytes, list[float]]] = []
        for i in odd:
            line = lines[i].removesuffix(b"\r")
            if not line.strip(SEPARATORS):
                self._blank.add(f"line {first + i}")
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
        self._empty.add(f"line {number}")

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

    def _stop_at(self, number: int, error: RowError) -> None:
        """End the reading at an unreadable row if damage explains it, else refuse the file."""
        if self._source.is_damaged():
            self._check_damage()
            return
        if not (self._lines.unfinished and number == self._line - 1):
            raise RowError(f"line {number}: {marked(error)}") from error
        if not self._options.allow_truncated:
            raise RowError(
                f"line {number}: {error}; the file ends within this row: incomplete or damaged download "
                f"({option('allow_truncated')} keeps the {self._rows} complete rows)"
            ) from error
        self._notes.append(f"allow_truncated: the last row, line {number}, is cut and was left out")

    def _capacity(self, layout: Layout, sample: list[bytes]) -> int:
        """Return the rows to make room for: never more than the file can hold, whatever its header promises."""
        size = self._source.most_bytes()
        # The shortest row is a word of one byte, d digits, d separators and a line end; the last end may be missing.
        possible = None if size is None else (size + 1) // (2 * layout.dimension + 2)
        if layout.header:
            rows = layout.header[0]
            if possible is not None and rows > possible and not self._may_be_short():
                lines = (line for block in self._lines.blocks() for line in block.split(b"\n"))
                found = sum(bool(line.strip(b" \t\r")) for line in lines) - 1
                raise InputError(
                    f"the header promises {rows} rows of {layout.dimension} values, which {size} bytes cannot hold; "
                    f"found {found} rows: incomplete or damaged download"
                )
        else:
            mean = sum(map(len, sample)) / len(sample) + 1
            rows = int(self._source.likely_bytes() / mean * 1.05) + 1
        return min([rows, *(bound for bound in (possible, self._options.limit) if bound is not None)])

    def _may_be_short(self) -> bool:
        return self._options.allow_count_mismatch or self._options.allow_truncated

    def _check_damage(self) -> None:
        source = self._source
        if not source.damage:
            return
        what = (
            f"incomplete or damaged download ({source.damage.rstrip('.')}): "
            f"{source.bytes_read} decompressed bytes and {self._rows} complete rows could be read"
        )
        if not self._options.allow_truncated:
            raise InputError(f"{what}; {option('allow_truncated')} keeps these rows")
        self._notes.append(f"allow_truncated: {what}")

    def _check_end(self, layout: Layout) -> None:
        self._check_damage()
        if self._lines.unfinished:
            self._notes.append(
                f"no newline at the end of line {self._line - 1}: the last row may be cut within a number"
            )
        if layout.header and layout.header[0] != self._rows:
            what = f"the header declares {layout.header[0]} rows, found {self._rows}"
            if self._rows < layout.header[0] and not self._may_be_short():
                raise InputError(f"{what}; {option('allow_count_mismatch')} accepts this")
            self._notes.append(f"{what}; all of them were read")

    def _events(self, layout: Layout) -> Iterator[str]:
        if self._options.vocab is not None:
            yield f"vocab={self._options.vocab} was not read: every row begins with its word"
        if self._lines.has_bom:
            yield "a byte-order mark (UTF-8 BOM) at the start was removed"
        if layout.header and layout.header[1] != layout.dimension:
            yield f"the header declares {layout.header[1]} values a row, but dim={layout.dimension} was asked for"
        if layout.names:
            number = 1 + (layout.header is not None)
            first = show(self._lines.sample()[number - 1][:60])
            way = "" if layout.header else f"; {option('header', False)} reads it as one"
            yield f"line {number} names columns ('{first}') and is no row{way}"
        if self._blank.count:
            yield f"{self._blank.count} blank line(s) passed over: {self._blank}"
        if self._empty.count:
            yield f"skip_empty_tokens: {self._empty.count} row(s) with an empty word left out: {self._empty}"


TEXT = Format("text", matches=lambda head: foreign(head) is None, read=read_text)
