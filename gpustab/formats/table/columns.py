"""Which column of a table holds the words, which the dimensions, and which neither."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.formats.text.decimals import are_running, count_among

Kind = Literal["text", "numbers", "lists"] | None
"""What a column holds; ``None`` for dates, pictures and other things."""

_WORDS = frozenset(
    {"word", "words", "token", "tokens", "term", "terms", "lemma", "form", "item", "key", "entry", "name", "label"}
    | {"vocab", "vocabulary"}
)
_COUNTS = frozenset({"count", "counts", "freq", "frequency"})
_ROW_NUMBERS = frozenset({"", "unnamed: 0", "index", "id", "rank", "row", "__index_level_0__"})
_NUMBERED = re.compile(r"((?:.*[^0-9])?+)[0-9]+")
_SHOWN = 6


class Columns(NamedTuple):
    """What the columns of a table are, by their numbers from 0 upwards."""

    word: int
    vectors: tuple[int, ...]
    counts: int | None
    notes: list[str]


def choose_columns(
    names: Sequence[str], kinds: Sequence[Kind], sample: Callable[[int], Sequence[object]], options: LoadOptions
) -> Columns:
    """Find the words and the dimensions among the columns of a table.

    Args:
        names: of the columns; empty texts where the table has no names.
        kinds: what the columns hold.
        sample: gives the first values of a column.
        options: ``word_column`` is the name, or number from 1 upwards, of the words; with ``dim`` nothing is doubted.

    Raises:
        InputError: if no column, or more than one, may be the words, no numbers are left, or a count seems to be among
            the values; the message lacks the file's name.
    """
    word = _word(list(names), kinds, options.word_column)
    numbers = [i for i, kind in enumerate(kinds) if kind == "numbers" and i != word]
    running = [i for i in numbers if (names[i].lower() in _ROW_NUMBERS) and are_running(sample(i))]
    running = running if any(names) else [i for i in running if i == 0]
    counts = next((i for i in numbers if names[i].lower() in _COUNTS), None)
    rest = [i for i in numbers if i not in running and i != counts]
    vectors = _numbered(names, rest)
    if not vectors:
        vectors = _lists(names, kinds, options)
    elif options.dim is None:
        _refuse_count(names, vectors, [sample(i) for i in vectors])
    notes = [f"the words are {_called(names, word)}, the vectors {_span(names, vectors)}"]
    if counts is not None:
        notes.append(f"the counts are {_called(names, counts)}")
    if left := [i for i in range(len(names)) if i not in (word, counts, *vectors)]:
        shown = ", ".join(_called(names, i) for i in left[:_SHOWN]) + " ..." * (len(left) > _SHOWN)
        notes.append(f"{len(left)} other column(s) were not read: {shown}")
    return Columns(word, tuple(vectors), counts, notes)


def _lists(names: Sequence[str], kinds: Sequence[Kind], options: LoadOptions) -> list[int]:
    lists = [i for i, kind in enumerate(kinds) if kind == "lists"]
    if not lists:
        raise InputError("no column of numbers is left for the vectors")
    vectors = [i for i in lists if names[i] == options.tensor] if len(lists) > 1 else lists
    if len(vectors) != 1:
        which = " or ".join(_called(names, i) for i in lists[:_SHOWN])
        raise InputError(f"the vectors may be {which}, which hold lists; choose by {option('tensor', ...)}")
    return vectors


def _refuse_count(names: Sequence[str], vectors: Sequence[int], columns: Sequence[Sequence[object]]) -> None:
    rows = [
        [str(value).strip().encode("utf-8", "surrogateescape") for value in row] for row in zip(*columns, strict=True)
    ]
    if (place := count_among(rows)) is None:
        return
    named = any(names)
    way = "name it 'count', or save the table without it" if named else "save the table without it"
    raise InputError(
        f"{_called(names, vectors[place])} has whole numbers ('{columns[place][0]}' in the first row) and no other "
        f"column of values has: a count? {way}, or say {option('dim', len(vectors))} if these are values"
    )


def _word(names: list[str], kinds: Sequence[Kind], asked: str | None) -> int:
    if asked is not None:
        place = int(asked) - 1 if asked.isdecimal() and 1 <= int(asked) <= len(names) else None
        # Columns of numbers are often named by numbers, words are not: a number is a place, unless words are so named.
        if asked in names and (place is None or (kinds[names.index(asked)] == "text" and kinds[place] != "text")):
            return names.index(asked)
        if place is not None:
            return place
        raise InputError(f"there is no column {option('word_column', asked)}; {_there(names)}")
    texts = [i for i, kind in enumerate(kinds) if kind == "text"]
    if len(texts) == 1:
        return texts[0]
    named = [i for i in texts or range(len(names)) if names[i].lower() in _WORDS]
    if len(named) == 1:
        return named[0]
    which = " or ".join(_called(names, i) for i in (named or texts)[:_SHOWN])
    said = f"the words may be {which}" if which else "no column holds words"
    if not which and len(set(names)) == len(names) and not any(map(_NUMBERED.fullmatch, names)) and all(names):
        said += f", and those on line 1 are {len(names)} different ones: is each column a word's vector? then save the "
        said += "table turned (pandas.read_csv(FILE).T.to_csv(OTHER))"
    raise InputError(f"{said}; {_there(names)}; choose by {option('word_column', ...)}")


def _numbered(names: Sequence[str], columns: Sequence[int]) -> list[int]:
    """Return the columns whose names differ by a number alone, or all where they are not of this kind."""
    stems = {i: match[1] for i in columns if (match := _NUMBERED.fullmatch(names[i]))}
    if not stems:
        return list(columns)
    ((stem, times),) = Counter(stems.values()).most_common(1)
    return [i for i in columns if stems.get(i) == stem] if times > 1 else list(columns)


def _called(names: Sequence[str], i: int) -> str:
    return f"column {i + 1}" + (f" '{names[i]}'" if names[i] else "")


def _span(names: Sequence[str], columns: Sequence[int]) -> str:
    first = _called(names, columns[0])
    return first if len(columns) == 1 else f"{len(columns)} columns from {first} to {_called(names, columns[-1])}"


def _there(names: Sequence[str]) -> str:
    if not any(names):
        return f"there are {len(names)} columns without names"
    return f"columns are {', '.join(repr(name) for name in names[:_SHOWN])}" + " ..." * (len(names) > _SHOWN)
