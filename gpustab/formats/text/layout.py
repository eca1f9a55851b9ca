"""The lines of a text file, and their layout by the first ones: is there a header, and how many values has a row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.formats.sniff import UTF8_BOM, read_header
from gpustab.formats.source import Source
from gpustab.formats.text.decimals import (
    SEPARATORS,
    are_running,
    count_among,
    count_values,
    is_number_like,
    is_sparse,
    start_of,
)
from gpustab.spaces.words import show

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
        rest, blocks = b"", self._source.blocks()
        for block in chain([next(blocks, b"").removeprefix(UTF8_BOM)], blocks):
            end = block.rfind(b"\n") + 1
            if not end:
                rest += block
                if len(rest) > LONGEST_LINE:
                    raise InputError(f"a line is longer than {LONGEST_LINE >> 20} MiB: this is not a vector file")
                continue
            whole, rest = rest + block[:end], block[end:]
            yield whole
        if rest and not self._source.damage:
            self.unfinished = True
            yield rest + b"\n"


SAMPLE_ROWS = 50
_ABOVE_WORDS = frozenset(
    (b"", b"word", b"words", b"token", b"tokens", b"term", b"key", b"index", b"unnamed:", b"label")
)
_MISSING = frozenset((b"na", b"n/a", b"null", b"none", b"nan", b"-", b"?"))
"""How a missing value is written: no name of a column."""
_ENDED = re.compile(rb"[^\n]*[0-9.]([;,|:])\s*")
_OTHER_NUMBER = re.compile(
    rb"(?:\xe2\x88\x92|[+-])?(?:0[xX][0-9a-fA-F.]++(?:[pP][+-]?\d++)?|[\d.,]++(?:(?:\xe2\x80\xaf|\xc2\xa0|')[\d.,]++)*+"
    rb"(?:[dDeE](?:\xe2\x88\x92|[+-])?\d++)?)"
)
"""A number with a minus sign of Unicode, Fortran's exponent, in hexadecimal digits or with thousands apart."""
_FEWEST = 3
"""Rows that must agree: two may do so by chance."""


@dataclass(frozen=True)
class Layout:
    """How the rows of one text file are to be read.

    Attributes:
        dimension: number of values ``d`` of every row.
        header: the declared ``(rows, dimension)``, or ``None`` where the first line is a row.
        names: whether the first line, or the one after the header, names the columns.
    """

    dimension: int
    header: tuple[int, int] | None
    names: bool = False


def settle(lines: Sequence[bytes], options: LoadOptions) -> Layout:
    """Decide header and dimension; what stays ambiguous is refused.

    Two integers on line 1 are a header only if the second is the width of the rows that follow. A line 1 of column
    names, as data frames are written with, is no row. Without a header the width of most rows is the dimension. ``dim``
    and ``header`` overrule what the lines say.

    Raises:
        InputError: if two readings are possible, or no row ends in numbers; the message lacks the file's name.
    """
    first = lines[0] if lines else b""
    declared = None if options.header is False else read_header(first)
    if declared is None and options.header is not False and (names := _with_names(lines, options)):
        if options.dim is None:
            refuse_doubtful([line for line in lines[1:SAMPLE_ROWS] if line.strip(SEPARATORS)], names.dimension)
        return names
    if options.header and declared is None:
        raise InputError(
            f"line 1 is '{start_of(first, 40)}', but {option('header', True)} wants the two integers of a header"
        )
    _refuse_sparse(lines)
    rows = [line for line in lines[1 if declared else 0 :] if line.strip(SEPARATORS)]
    widths = Counter(count_values(row) for row in rows[:SAMPLE_ROWS])
    if widths and not any(widths):
        _refuse_ends(rows[:SAMPLE_ROWS])
    _refuse_other_numbers(rows[:SAMPLE_ROWS])
    if declared and _is_header(declared, widths, rows[:SAMPLE_ROWS], options):
        named = options.header is None and _with_names(lines[1:], options) is not None
        if not (dimension := options.dim or declared[1]):
            raise InputError(f"line 1 declares rows of 0 values; say {option('dim', ...)}")
        layout = Layout(dimension, declared, named)
    else:
        layout = Layout(options.dim or _majority(widths), None)
    if options.dim is None:
        refuse_doubtful(rows[layout.names : SAMPLE_ROWS], layout.dimension)
    return layout


def _with_names(lines: Sequence[bytes], options: LoadOptions) -> Layout | None:
    rows = [line for line in lines[1 : SAMPLE_ROWS + 1] if line.strip(SEPARATORS)]
    widths = Counter(count_values(row) for row in rows)
    ((width, times),) = widths.most_common(1) or [(0, 0)]
    fields = lines[0].replace(b"\t", b" ").split(b" ") if rows else []
    fields = [field for i, field in enumerate(fields) if field or not i]
    dimension = options.dim or width
    if dimension < 2 or 2 * times <= widths.total() or len(fields) not in (dimension, dimension + 1):
        return None
    label, named = (fields[0], fields[1:]) if len(fields) > dimension else (b"", fields)
    if sum(map(is_number_like, named)) not in (0, dimension):
        return None  # the number in a name would as well be a value after a word
    values = [row.replace(b"\t", b" ").split()[-dimension:] for row in rows]
    return Layout(dimension, None, True) if are_names(label, named, values) else None


def are_names(label: bytes, fields: Sequence[bytes], values: Sequence[Sequence[bytes]]) -> bool:
    """Tell whether a first line names columns of numbers, instead of holding numbers.

    It does if none of its fields is a number, or if they run 0, 1, 2 ... or 1, 2, 3 ... above values with decimal
    points, or beside the name that a column of words has.

    Args:
        label: what stands above the words.
        fields: what stands above the numbers.
        values: the numbers of the next rows.

    >>> are_names(b"word", [b"0", b"1", b"2"], [[b".5", b"1", b"-3"]]), are_names(b"a", [b"1", b"2"], [[b"3", b"4"]])
    (True, False)
    """
    named = [field.strip(b'"').lower() for field in fields if not is_number_like(field.strip(b'"'))]
    if len(set(fields)) < len(fields) or not _MISSING.isdisjoint(named):
        return False
    if len(named) == len(fields):
        return True
    running = [field.strip(b'"') for field in fields if is_number_like(field.strip(b'"'))]
    if not are_running(running):
        return False
    broken = sum(any(b"." in value or b"e" in value for value in row) for row in values)
    above_words = label.strip(b'"').lower() in _ABOVE_WORDS
    return above_words or (len(running) > 2 and len(values) > 0 and broken == len(values))


def _is_header(declared: tuple[int, int], widths: Counter[int], lines: Sequence[bytes], options: LoadOptions) -> bool:
    (rows, dimension), dim = declared, options.dim
    most = [width for width, times in widths.items() if 2 * times >= widths.total()]
    if (dim in (None, dimension) and dimension in most) or (options.header and (dim or not most or 0 in most)):
        return True
    if dim == 1 and dimension != 1:
        return False  # as a header it would contradict the dimension that was asked for
    if dim in most:
        return True  # one value less than other rows have makes no row, but a number that is wrong
    following = ", ".join(str(width) for width, _ in widths.most_common(3)) or "no"
    if most == [dimension + 1]:
        refuse_doubtful(lines, dimension + 1)
    of_header = f"{option('header', True)} and {option('dim', max(most, default=dimension) or dimension)}"
    of_word = f", or {option('header', False)} if it is a word" * (1 in most)
    raise InputError(
        f"line 1, '{rows} {dimension}', is either a header ({rows} rows of {dimension} values) or the word '{rows}' "
        f"with 1 value, but the rows after it have {following} values; say {of_header} if it is a header{of_word}"
    )


def _refuse_ends(rows: Sequence[bytes]) -> None:
    """Refuse rows that all end in one sign after the last number."""
    signs = {found and found[1] for found in map(_ENDED.fullmatch, rows)}
    if len(signs) == 1 and (sign := next(iter(signs))):
        raise InputError(f"the rows end in '{sign.decode()}' after the last number; take it away from every line")


def _refuse_other_numbers(rows: Sequence[bytes]) -> None:
    """Refuse rows of a word and numbers that are written as other programs read them, by the first that is so."""
    fields = [row.replace(b"\t", b" ").split() for row in rows]
    ((width, times),) = Counter(map(len, fields)).most_common(1) or [(0, 0)]
    of_width = [row[1:] for row in fields if len(row) == width]
    if width <= _FEWEST or 2 * times <= len(rows):
        return
    odd = [[field for field in row if not is_number_like(field)] for row in of_width]
    if 2 * sum(map(bool, odd)) > len(odd) and all(map(_OTHER_NUMBER.fullmatch, chain.from_iterable(odd))):
        first = next(filter(None, odd))[0]
        raise InputError(
            f"'{start_of(first)}' is no decimal number as most programs read them, such as -0.25 or 1e-3; save the "
            "vectors anew, or replace what is other in all rows (a minus sign, Fortran's D, hexadecimal digits)"
        )


_MANY_WIDTHS = 10
"""Different widths of rows without a majority that no damage makes."""


def _majority(widths: Counter[int]) -> int:
    if not widths:
        raise InputError("there are no rows")
    (width, count), *_ = widths.most_common(1)
    if 2 * count <= widths.total():
        if len(widths) > _MANY_WIDTHS:
            raise InputError(
                f"the first rows have {min(widths)} to {max(widths)} values, hardly two the same: vectors are of "
                "one width. Are they the numbers of words in sentences? Give the text in words"
            )
        found = ", ".join(str(width) for width in sorted(widths))
        raise InputError(
            f"the first rows have {found} values and no width is that of most rows; say {option('dim', ...)}"
        )
    if not width:
        raise InputError("the rows do not end in numbers: this is not a file of vectors")
    return width


def _refuse_sparse(lines: Sequence[bytes]) -> None:
    for number, line in enumerate(lines[:SAMPLE_ROWS], 1):
        fields = line.replace(b"\t", b" ").rstrip(b" ").rsplit(b" ", 1)
        if is_sparse(fields[-1]):
            raise InputError(
                f"line {number}: '{show(fields[-1])}' is sparse (index:value); only dense rows can be read"
            )


def refuse_doubtful(rows: Sequence[bytes], dimension: int) -> None:
    """Refuse rows of numbers alone, and rows with a number of the row or a count among word and values.

    Raises:
        InputError: with the way on; the message lacks the file's name.
    """
    fields = [row.replace(b"\t", b" ").split() for row in rows]
    if len(fields) < _FEWEST:
        return
    lengths, first = {len(row) for row in fields}, show(fields[0][0])
    if lengths == {dimension + 1} and all(_is_fraction(row[0]) for row in fields):
        raise InputError(
            f"the rows are numbers alone, and '{first}' is not a word (a file of numpy.savetxt, or TensorBoard's "
            f"vectors.tsv?): name the file of the words, one a line, by {option('vocab', ...)}; or, if it is a word, "
            f"say {option('dim', dimension)}"
        )
    if lengths == {dimension + 2} and are_running([row[0] for row in fields]):
        raise InputError(
            f"the rows begin with their own numbers ('{first}') and not with the words; save them without, or say "
            f"{option('dim', dimension)} if the number belongs to the word"
        )
    if lengths == {dimension + 1} and (place := count_among([row[1:] for row in fields])) is not None:
        shown = show(fields[0][1 + place])
        raise InputError(
            f"{_value(place, dimension)} of every row is a whole number ('{shown}' on the first) and no "
            f"other is: a count? save the rows without it, or say {option('dim', dimension)} if it is a value"
        )


def _value(place: int, of: int) -> str:
    return "the first value" if not place else "the last value" if place == of - 1 else f"value {place + 1}"


def _is_fraction(field: bytes) -> bool:
    return is_number_like(field) and field.count(b".") == 1 and field != b"."
