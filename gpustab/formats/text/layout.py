"""The layout of a text file, settled from its first rows: is there a header, and how many values has a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.formats.sniff import read_header
from gpustab.formats.text.decimals import SEPARATORS, count_values, is_sparse
from gpustab.spaces.words import show

SAMPLE_ROWS = 50


@dataclass(frozen=True)
class Layout:
    """How the rows of one text file are to be read.

    Attributes:
        dimension: number of values ``d`` of every row.
        header: the declared ``(rows, dimension)``, or ``None`` where the first line is a row.
    """

    dimension: int
    header: tuple[int, int] | None


def settle(lines: Sequence[bytes], options: LoadOptions) -> Layout:
    """Decide header and dimension; what stays ambiguous is refused.

    Two integers on line 1 are a header only if the second is the width of the rows that follow.
    Without a header the width of most rows is the dimension.

    Args:
        lines: the first lines of the file, without their ends.
        options: ``dim`` and ``header`` overrule what the lines say.

    Raises:
        InputError: if two readings are possible, or no row ends in numbers; the message lacks the file's name.
    """
    first = lines[0] if lines else b""
    declared = None if options.header is False else read_header(first)
    if options.header and declared is None:
        raise InputError(
            f"line 1 is '{_start(first)}', but {option('header', True)} wants the two integers of a header"
        )
    _refuse_sparse(lines)
    rows = [line for line in lines[1 if declared else 0 :] if line.strip(SEPARATORS)]
    widths = Counter(count_values(row) for row in rows[:SAMPLE_ROWS])
    if declared and (options.header or _is_header(declared, widths, options.dim)):
        return Layout(_positive(options.dim or declared[1]), declared)
    return Layout(options.dim or _majority(widths), None)


def _is_header(declared: tuple[int, int], widths: Counter[int], dim: int | None) -> bool:
    rows, dimension = declared
    if dim in (None, dimension) and widths and 2 * widths[dimension] >= widths.total():
        return True
    if dim == 1 and dimension != 1:
        return False  # as a header it would contradict the dimension that was asked for
    following = ", ".join(str(width) for width, _ in widths.most_common(3)) or "no"
    raise InputError(
        f"line 1, '{rows} {dimension}', is either a header ({rows} rows of {dimension} values) or the word '{rows}' "
        f"with 1 value, but the rows after it have {following} values; say "
        f"{option('header', True)} or {option('header', False)}, and {option('dim', ...)}"
    )


def _majority(widths: Counter[int]) -> int:
    if not widths:
        raise InputError("there are no rows")
    (width, count), *_ = widths.most_common(1)
    if 2 * count <= widths.total():
        found = ", ".join(str(width) for width in sorted(widths))
        raise InputError(
            f"the first rows have {found} values and no width is that of most rows; say {option('dim', ...)}"
        )
    if not width:
        raise InputError("the rows do not end in numbers: this is no file of vectors")
    return width


def _refuse_sparse(lines: Sequence[bytes]) -> None:
    for number, line in enumerate(lines[:SAMPLE_ROWS], 1):
        fields = line.replace(b"\t", b" ").rstrip(b" ").rsplit(b" ", 1)
        if is_sparse(fields[-1]):
            raise InputError(
                f"line {number}: '{show(fields[-1])}' is sparse (index:value); only dense rows can be read"
            )


def _positive(dimension: int) -> int:
    if not dimension:
        raise InputError(f"line 1 declares rows of 0 values; say {option('dim', ...)}")
    return dimension


def _start(line: bytes) -> str:
    return show(line[:40]) + "…" * (len(line) > 40)
