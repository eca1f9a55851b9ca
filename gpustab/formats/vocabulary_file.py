"""The words that go with vectors: one a line in a file beside them, or a list among the arrays of one file."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpustab.errors import InputError, option, some_of
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.parsed import parse_json
from gpustab.formats.sniff import UTF8_BOM, foreign, structured
from gpustab.formats.source import open_source
from gpustab.formats.text.decimals import is_number_like
from gpustab.spaces.words import LONGEST_WORD, show, too_long

_NAMES = ("{stem}.vocab", "{stem}.words", "{stem}.txt", "{stem}.vocab.txt", "vocab.txt", "words.txt")
# At most 18 digits: these fit 64 bits.
_COUNTED = {"tab": re.compile(rb"([^\t]+)\t([0-9]{1,18})"), "space": re.compile(rb"([^ \t]+) ([0-9]{1,18})")}
_COUNT = re.compile(rb"[0-9]{1,18}")
_SAMPLE = 20
_NEARLY_ALL = 0.9
"""Lines of one form, from which on another form is a mistake on its line."""


class WordList(NamedTuple):
    """The words of a vocabulary file.

    Attributes:
        path: the file.
        words: in the order of its lines.
        counts: the second column, where every line has one.
        notes: what was found and done.
        columns: of the file; the first line of several may name them.
    """

    path: Path
    words: list[bytes]
    counts: list[int] | None
    notes: list[str]
    columns: int = 1


def words_for(path: Path, rows: int, options: LoadOptions, dimension: int = 0) -> WordList:
    """Read the words of a file that holds vectors alone: those of ``options.vocab``, else of the file beside it.

    Returns:
        As many words as rows, or fewer where the last rows are padding.

    Raises:
        InputError: if there is no vocabulary file or more than one, or it cannot be read, or its words are more or
            fewer than the rows; the message names the file of vectors where that is at fault.
    """
    words = read_words(find_words(path) if options.vocab is None else options.vocab)
    return match_words(words, path, rows, options, dimension)


def match_words(found: WordList, path: Path, rows: int, options: LoadOptions, dimension: int = 0) -> WordList:
    """Return the words if there is one for every row, or for the first rows where the others may be padding.

    Raises:
        InputError: if there are more words than rows, or fewer and that is not allowed; as many words as the vectors
            have values, which is ``dimension`` where it is known, are those of a matrix on its side.
    """
    words = len(found.words)
    if words == rows:
        return found
    if words == rows + 1 and found.columns > 1:
        named = f"the first line of {found.path.name} names its columns ('{show(found.words[0])}') and is no word"
        counts = None if found.counts is None else found.counts[1:]
        return found._replace(words=found.words[1:], counts=counts, notes=[*found.notes, named])
    what = f"{found.path}: there are {words} words, but {rows} vectors in {path}"
    if words == dimension and not (options.allow_padding and words < rows):
        raise InputError(
            f"{what}, of {dimension} values: is each column a word's vector? then save the matrix turned (.T)"
        )
    if words > rows:
        raise InputError(f"{what}; name the right words by {option('vocab', ...)}")
    if not options.allow_padding:
        ways = f"{option('allow_padding')} leaves the last {rows - words} rows out, as models pad their tables"
        raise InputError(f"{what}; {ways}, or name the right words by {option('vocab', ...)}")
    note = f"allow_padding: the last {rows - words} of {rows} rows have no word and were left out"
    return found._replace(notes=[*found.notes, note])


def find_words(path: Path) -> Path:
    """Return the vocabulary file that lies beside a file of vectors.

    Raises:
        InputError: if there is none, or more than one.
    """
    names = dict.fromkeys(name.format(stem=path.stem) for name in _NAMES)
    found = [file for name in names if (file := path.with_name(name)).is_file() and file != path]
    if len(found) == 1:
        return found[0]
    if found:
        there = ", ".join(file.name for file in found)
        raise InputError(
            f"{path}: several files beside it may hold its words: {there}; choose one by {option('vocab', ...)}"
        )
    raise InputError(
        f"{path}: it holds no words, and beside it is no vocabulary file, one word a line "
        f"(looked for {', '.join(names)}); name it by {option('vocab', ...)}"
    )


def read_words(path: str | os.PathLike[str]) -> WordList:
    r"""Read a list of words as bytes; lines end at 0x0A only, a 0x0D right before it is dropped.

    Where every line is one word and one whole number, parted by a single space or by a tab, as word2vec's
    ``-save-vocab`` writes, the numbers are counts, unless they number the lines. Otherwise the whole line is the word.

    Raises:
        InputError: if the file cannot be read, is no text in UTF-8 or alike, has a blank line or one that is no
            word by its length, holds vectors, or numbers the words in another order than that of its lines.
    """
    with open_source(path) as source:
        content = b"".join(source.blocks())
    path = source.path
    if source.damage:
        raise InputError(f"{path}: incomplete or damaged download: {source.damage}")
    if (said := _as_json(content)) is not None:
        raise InputError(f"{path}: this is JSON, wanted words, one a line; {said}")
    if b"\x00" in source.head or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{path}: this is {foreign(source.head) or 'a binary file'}, wanted words, one a line")
    lines = [line.removesuffix(b"\r") for line in content.removeprefix(UTF8_BOM).split(b"\n")]
    if not lines[-1]:
        del lines[-1]  # the end of the last line and no word
    if b"" in lines:
        raise InputError(f"{path}, line {lines.index(b'') + 1}: the line is blank, wanted a word")
    if not lines:
        raise InputError(f"{path}: this is an empty file, wanted words, one a line")
    if _are_vectors(lines[1 : _SAMPLE + 1] or lines):
        raise InputError(f"{path}: its lines end in several numbers, as vectors do; wanted words, one a line")
    notes = ["a byte-order mark (UTF-8 BOM) at the start of the vocabulary file was removed"]
    found = _with_counts(path, lines, notes if content.startswith(UTF8_BOM) else [])
    if (size := max(map(len, found.words))) > LONGEST_WORD:
        raise InputError(f"{path}: {too_long(size, max(found.words, key=len))}")
    return found


def _as_json(content: bytes) -> str | None:
    """Return how words in JSON become lines, ``None`` for what is no JSON of words."""
    if content.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        value = parse_json(content)
    except ValueError:
        return "save its words so" if structured(content) else None
    if isinstance(value, dict) and value and all(isinstance(number, int) for number in value.values()):
        lines = "sorted(words, key=words.get)"
    elif isinstance(value, list) and len(value) > 1 and all(isinstance(word, str) for word in value):
        lines = "words"
    else:
        return "save its words so" if isinstance(value, dict | list) and value else None
    return f"in Python: words = json.loads(Path(FILE).read_text()); Path('x.vocab').write_text('\\n'.join({lines}))"


def _are_numbers_of_lines(path: Path, column: int, counts: Sequence[int]) -> bool:
    """Tell whether whole numbers are those of the lines and no counts.

    Numbers that fall to 1 may be ranks: counts that nobody knew, as gensim makes them.

    Raises:
        InputError: if they number the words in another order.
    """
    n, steps = len(counts), range(min(counts), min(counts) + len(counts))
    if n < 2 or min(counts) > 1 or (found := sorted(counts)) != [*steps]:
        return False
    if list(counts) == found or n < _SAMPLE or list(counts) == found[::-1]:
        return list(counts) == found
    raise InputError(
        f"{path}: column {column} numbers the words, {steps[0]} to {steps[-1]}, in another order than that of the "
        "lines; sort the lines by it if the rows of vectors have that order, else take it off"
    )


def _are_vectors(lines: list[bytes]) -> bool:
    ends = [line.split(b"\t" if b"\t" in line else None)[1:][-2:] for line in lines]
    return all(len(fields) == 2 and all(map(is_number_like, fields)) for fields in ends)


def _with_counts(path: Path, lines: list[bytes], notes: list[str]) -> WordList:
    if (table := _of_columns(path, lines, notes)) is not None:
        return table
    for separator, pattern in _COUNTED.items():
        matches = [pattern.fullmatch(line) for line in lines]
        rows = [match for match in matches if match]
        if len(rows) == len(lines):
            counts = [int(row[2]) for row in rows]
            if _are_numbers_of_lines(path, 2, counts):
                notes.append(f"the words are column 1 of 2 in {path.name}; column 2 numbers the lines")
                return WordList(path, [row[1] for row in rows], None, notes)
            notes.append(
                f"the words and their counts were read from {path.name}: each line is a word, a {separator}, "
                "and a whole number"
            )
            return WordList(path, [row[1] for row in rows], counts, notes)
        if len(rows) >= _NEARLY_ALL * len(lines):
            odd = matches.index(None)
            raise InputError(
                f"{path}, line {odd + 1}: '{show(lines[odd][:60])}', wanted a word, a {separator} and a whole number "
                f"as on {len(rows):,} of {len(lines):,} lines; mend the line, or take off numbers that are no counts"
            )
        if rows and matches[0]:
            notes.append(
                f"{len(rows)} of {len(lines)} lines of {path.name} end in a {separator} and a whole number: "
                "no counts, it was taken for a part of the word"
            )
    notes.append(f"the words were read from {path.name}, one a line")
    return WordList(path, lines, None, notes)


def _of_columns(path: Path, lines: list[bytes], notes: list[str]) -> WordList | None:
    """Read a table with tabs, as TensorBoard's metadata are: its first column of text is the words.

    Its first line may name the columns; whether it does, its numbers tell, or else that it is one line too many.
    """
    widths = Counter(line.count(b"\t") + 1 for line in lines)
    ((width, times),) = widths.most_common(1)
    if width < 2 or times < max(_NEARLY_ALL * len(lines), 2):
        return None
    rows = [line.split(b"\t") for line in lines]
    if times < len(lines):
        odd = next(k for k, row in enumerate(rows) if len(row) != width)
        raise InputError(
            f"{path}, line {odd + 1}: {len(rows[odd])} columns, wanted {width} as on {times:,} of {len(lines):,} "
            "lines; mend the line, or leave the words alone"
        )
    whole = [all(_COUNT.fullmatch(row[i]) for row in rows[1:]) for i in range(width)]
    place = next((i for i in range(width) if not whole[i]), 0)
    numbers = [i for i in range(width) if whole[i] and i != place]
    named = any(not _COUNT.fullmatch(rows[0][i]) for i in numbers)
    if named:
        notes.append(f"line 1 of {path.name} names its columns ('{show(lines[0][:60])}') and is no word")
        rows = rows[1:]
    if not all(row[place] for row in rows):
        odd = next(k for k, row in enumerate(rows, 1 + named) if not row[place])
        raise InputError(f"{path}, line {odd}: column {place + 1} is empty, wanted a word")
    columns = {i: [int(row[i]) for row in rows] for i in numbers}
    counted = next((i for i in numbers if not _are_numbers_of_lines(path, i + 1, columns[i])), None)
    if width == 2 and counted == 1 and not named:
        notes.append(
            f"the words and their counts were read from {path.name}: each line is a word, a tab, and a whole number"
        )
    else:
        with_counts = "" if counted is None else f", their counts column {counted + 1}"
        numbered = "".join(f"; column {i + 1} numbers the lines" for i in numbers if i < (counted or width))
        notes.append(f"the words are column {place + 1} of {width} in {path.name}{with_counts}{numbered}")
    counts = None if counted is None else columns[counted]
    return WordList(path, [row[place] for row in rows], counts, notes, width)


Shape = tuple[int, ...]


def choose_matrix(
    path: Path, shapes: Mapping[str, Shape], lists: Mapping[str, Sequence[bytes]], options: LoadOptions
) -> tuple[str, WordList]:
    """Return the name of the matrix of a file, and as many words as rows of it are to be read.

    The words are those of ``vocab``, else the lists of the file, else the file beside it. The matrix is the one that
    ``tensor`` names, in full or by its end, else ``vectors``, else the only one that has a row for every word.

    Raises:
        InputError: if there is no such matrix, or more than one, or no list of words that fits it.
    """
    names = _matrices(path, shapes, options)
    words = _lists(path, lists, options)
    pairs = [(name, label) for name in names for label, one in words.items() if shapes[name][0] == len(one.words)]
    fitting = dict.fromkeys(name for name, _ in pairs)
    if len(fitting) > 1 or (not pairs and len(names) > 1):
        way = f"choose by {option('tensor', ...)}"
        lengths = " or ".join(f"{len(one.words)}" for one in words.values())
        said = "have a row for every word" if pairs else f"are there, none with a row for {lengths} words"
        raise InputError(f"{path}: several matrices {said}: {_listed(shapes, [*fitting] or names)}; {way}")
    matrix = next(iter(fitting), names[0])
    labels = [label for _, label in pairs] or list(words)
    if len(labels) > 1:
        raise InputError(
            f"{path}: the {shapes[matrix][0]} rows of '{matrix}' may have the words of {' or '.join(labels)}; "
            f"choose by {option('vocab', ...)}"
        )
    found = match_words(words[labels[0]], path, shapes[matrix][0], options, shapes[matrix][1])
    notes = [] if matrix == DEFAULTS.tensor else [f"the vectors are '{matrix}'"]
    return matrix, found._replace(notes=[*notes, *found.notes])


def _matrices(path: Path, shapes: Mapping[str, Shape], options: LoadOptions) -> list[str]:
    named = by_end(options.tensor, shapes)
    if len(named) == 1:
        return named
    if named and options.tensor != DEFAULTS.tensor:
        raise InputError(f"{path}: {several_end(options.tensor, named)}")
    if options.tensor != DEFAULTS.tensor:
        raise InputError(f"{path}: there is no matrix '{options.tensor}'; the file has {_listed(shapes, list(shapes))}")
    if not shapes:
        raise InputError(f"{path}: there is no matrix of real numbers (v, d) in this file")
    return list(shapes)


def by_end(asked: str, names: Iterable[str]) -> list[str]:
    """Return the tensors that a name may mean: the one that has it, or those that end in it, ``.weight`` left out.

    Wrappers put names before those of a model.

    >>> by_end("tok_emb", ["model._orig_mod.module.tok_emb.weight", "model._orig_mod.module.pos_emb.weight"])
    ['model._orig_mod.module.tok_emb.weight']
    """
    names = list(names)
    if asked in names:
        return [asked]
    return [name for name in names if f".{name}".endswith((f".{asked}", f".{asked}.weight"))]


def several_end(asked: str, names: Sequence[str]) -> str:
    """Return the message on a name that several tensors end in; it lacks the file's name."""
    return f"{' and '.join(names[:3])} end in '{asked}'; choose by {option('tensor', names[0])}"


def _lists(path: Path, lists: Mapping[str, Sequence[bytes]], options: LoadOptions) -> dict[str, WordList]:
    """Return the lists of words that may be meant, those that are equal once."""
    if options.vocab is not None:
        return {"vocab": read_words(options.vocab)}
    if not lists:
        return {"beside": read_words(find_words(path))}
    distinct: dict[tuple[bytes, ...], str] = {}
    for name, words in lists.items():
        distinct.setdefault(tuple(words), name)
    return {
        f"'{name}'": WordList(path, list(words), None, [f"the words are '{name}'"]) for words, name in distinct.items()
    }


def _listed(shapes: Mapping[str, Shape], names: Sequence[str]) -> str:
    return some_of([f"{name} {tuple(shapes[name])}" for name in names]) or "none"
