"""Text whose rows can be read, but whose words or first values are plainly something else."""

from __future__ import annotations

from collections.abc import Sequence

from gpustab.errors import InputError, option
from gpustab.formats.text.decimals import is_number_like
from gpustab.spaces.words import show

_FEWEST = 3
"""Rows that must agree: two may do so by chance."""


def refuse_doubtful(rows: Sequence[bytes], dimension: int) -> None:
    """Refuse rows of numbers alone, and rows with a number of the row or a count among word and values.

    Args:
        rows: the first rows.
        dimension: values that were found at their ends.

    Raises:
        InputError: with the way on; the message lacks the file's name.
    """
    fields = [row.replace(b"\t", b" ").split() for row in rows]
    if len(fields) < _FEWEST:
        return
    lengths, first = {len(row) for row in fields}, show(fields[0][0])
    if lengths == {dimension + 1} and all(_is_fraction(row[0]) for row in fields):
        raise InputError(
            f"the rows are numbers alone, and '{first}' is no word (a file of numpy.savetxt, or TensorBoard's "
            f"vectors.tsv?): numpy.save('x.npy', numpy.loadtxt(FILE)), and the words, one a line, in x.vocab; or, if "
            f"it is a word, say {option('dim', dimension)}"
        )
    if lengths == {dimension + 2} and _are_running([row[0] for row in fields]):
        raise InputError(
            f"the rows begin with their own numbers ('{first}') and not with the words; save them without, or say "
            f"{option('dim', dimension)} if the number belongs to the word"
        )
    if lengths == {dimension + 1} and dimension > 2 and all(_has_count(row) for row in fields):
        raise InputError(
            f"the first value of every row is a whole number ('{show(fields[0][1])}' on the first) and no other is: "
            f"a count? save the rows without it, or say {option('dim', dimension)} if it is a value"
        )


def _is_fraction(field: bytes) -> bool:
    return is_number_like(field) and field.count(b".") == 1 and field != b"."


def _are_running(fields: Sequence[bytes]) -> bool:
    start = 1 if fields[0] == b"1" else 0
    return list(fields) == [b"%d" % i for i in range(start, start + len(fields))]


def _has_count(row: Sequence[bytes]) -> bool:
    return row[1].isdigit() and row[1] != b"0" and all(b"." in value or b"e" in value for value in row[2:])
