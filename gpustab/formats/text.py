"""Vectors as text: one word and its values a line, with word2vec's header or, as GloVe writes, without.

Everything happens on bytes. Rows end only at 0x0A (a 0x0D right before it is dropped), fields are parted only by
0x20 and 0x09, and the last ``d`` fields of a row are its vector: so a word may hold spaces, no-break spaces, or bytes
that are no UTF-8, and none of it depends on the platform.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gpustab.errors import InputError
from gpustab.formats.decimals import SEPARATORS, RowError, parse_row
from gpustab.formats.format import Format
from gpustab.formats.layout import Layout, settle
from gpustab.formats.lines import Lines
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import Event, RowTable
from gpustab.formats.sniff import foreign
from gpustab.formats.source import Source
from gpustab.formats.words import describe_words, name_of
from gpustab.space import LoadReport, Space
from gpustab.vocabulary import Vocabulary


def read_text(source: Source, options: LoadOptions) -> Space:
    """Read word2vec or GloVe text, plain or gzip.

    Args:
        source: the opened file.
        options: how to read it.

    Returns:
        The space, its vectors ``(v, d)`` float32 rounded from the decimals' float64 values, without counts.

    Raises:
        InputError: if the file is damaged, ambiguous, or has rows that the options do not let pass.
    """
    try:
        return _Reading(source, options).run()
    except RowError as error:
        raise InputError(f"{source.path}, {error}") from error
    except InputError as error:
        raise InputError(f"{source.path}: {error}") from error


class _Reading:
    """One pass over one file: the rows taken in so far, and what happened on the way."""

    def __init__(self, source: Source, options: LoadOptions) -> None:
        self._source = source
        self._options = options
        self._lines = Lines(source)
        self._blank = Event()
        self._empty = Event()
        self._rows = 0
        self._notes: list[str] = []

    def run(self) -> Space:
        sample = self._lines.sample()
        layout = self._settle(sample)
        self._table = RowTable(layout.dimension, self._capacity(layout, sample), self._options)
        for number, line in self._lines:
            if layout.header and number == 1:
                continue
            if self._rows == self._options.limit:
                self._notes.append(f"limit={self._rows}: the rows from line {number} on were not read")
                break
            if not self._take(line, number, layout.dimension):
                break
        else:
            self._check_end(layout)
        return self._space(layout)

    def _settle(self, sample: list[bytes]) -> Layout:
        try:
            return settle(sample, self._options)
        except InputError:
            self._check_damage()  # where few rows are left, the damage is the reason to name
            raise

    def _take(self, line: bytes, number: int, dimension: int) -> bool:
        """Take in one line; return whether to read on."""
        if not line.strip(SEPARATORS):
            self._blank.add(f"line {number}")
            return True
        try:
            word, values = parse_row(line, dimension)
            if not word and not self._options.skip_empty_tokens:
                raise RowError(
                    "the row begins with a separator, so its word is empty; skip_empty_tokens passes over it"
                )
        except RowError as error:
            return self._stop_at(number, error)
        self._rows += 1
        if word:
            self._table.add(word, values, number)
        else:
            self._empty.add(f"line {number}")
        return True

    def _stop_at(self, number: int, error: RowError) -> bool:
        """End the reading at an unreadable row if damage explains it, else refuse the file."""
        if self._source.is_damaged():
            self._check_damage()
            return False
        if number != self._lines.unfinished:
            raise RowError(f"line {number}: {error}") from error
        if not self._options.allow_truncated:
            raise RowError(
                f"line {number}: {error}; the file ends within this row: incomplete or damaged download "
                f"(allow_truncated keeps the {self._rows} complete rows)"
            ) from error
        self._notes.append(f"allow_truncated: the last row, line {number}, is cut and was left out")
        return False

    def _capacity(self, layout: Layout, sample: list[bytes]) -> int:
        """Return the rows to make room for: never more than the file can hold, whatever its header promises."""
        size = self._source.most_bytes()
        # The shortest row is a word of one byte, d digits, d separators and a line end; the last end may be missing.
        possible = None if size is None else (size + 1) // (2 * layout.dimension + 2)
        if layout.header:
            rows = layout.header[0]
            if possible is not None and rows > possible and not self._may_be_short():
                raise InputError(
                    f"the header promises {rows} rows of {layout.dimension} values, which {size} bytes cannot hold; "
                    f"found {self._count_rows()} rows: incomplete or damaged download"
                )
        else:
            mean = sum(map(len, sample)) / len(sample) + 1
            rows = int((size or len(self._source.head)) / mean * 1.05) + 1
        return min([rows, *(bound for bound in (possible, self._options.limit) if bound is not None)])

    def _may_be_short(self) -> bool:
        return self._options.allow_count_mismatch or self._options.allow_truncated

    def _count_rows(self) -> int:
        return sum(1 for _, line in self._lines if line.strip(SEPARATORS)) - 1

    def _check_damage(self) -> None:
        source = self._source
        if not source.damage:
            return
        what = (
            f"incomplete or damaged download ({source.damage.rstrip('.')}): "
            f"{source.bytes_read} decompressed bytes and {self._rows} complete rows could be read"
        )
        if not self._options.allow_truncated:
            raise InputError(f"{what}; allow_truncated keeps these rows")
        self._notes.append(f"allow_truncated: {what}")

    def _check_end(self, layout: Layout) -> None:
        """Compare what was read with what the file should hold."""
        self._check_damage()
        if self._lines.unfinished:
            self._notes.append(
                f"no newline at the end of line {self._lines.unfinished}: the last row may be cut within a number"
            )
        if layout.header and layout.header[0] != self._rows:
            what = f"the header declares {layout.header[0]} rows, found {self._rows}"
            if self._rows < layout.header[0] and not self._may_be_short():
                raise InputError(f"{what}; allow_count_mismatch accepts this")
            self._notes.append(f"{what}; all of them were read")

    def _space(self, layout: Layout) -> Space:
        vectors = torch.from_numpy(self._table.finish())
        report = LoadReport(
            source=str(self._source.path),
            format="word2vec text" if layout.header else "GloVe text",
            compression=self._source.compression,
            header=layout.header,
            rows=self._rows,
            notes=(*self._notes, *self._events(layout)),
        )
        return Space(Vocabulary(self._table.words), vectors, name=name_of(self._source.path), report=report)

    def _events(self, layout: Layout) -> Iterator[str]:
        table, options = self._table, self._options
        if self._lines.has_bom:
            yield "a byte-order mark (UTF-8 BOM) at the start was removed"
        if layout.header and layout.header[1] != layout.dimension:
            yield f"the header declares {layout.header[1]} values a row, but dim={layout.dimension} was asked for"
        if self._blank.count:
            yield f"{self._blank.count} blank line(s) passed over: {self._blank}"
        if self._empty.count:
            yield f"skip_empty_tokens: {self._empty.count} row(s) with an empty word left out: {self._empty}"
        if table.duplicates.count:
            yield f"{table.describe_duplicates()}; the {options.keep_duplicate} row of each was kept"
        if table.nonfinite.count:
            yield f"drop_nonfinite: left out {table.describe_nonfinite()}"
        yield from describe_words(table.words, table.lines)


TEXT = Format("text", matches=lambda head: foreign(head) is None, read=read_text)
