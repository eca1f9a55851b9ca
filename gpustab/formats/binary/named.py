"""Files of several named arrays and lists: which of them is the matrix of vectors, and which are its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpustab.errors import InputError, option
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.vocabulary_file import WordList, find_words, match_words, read_words

_SHOWN = 10

Shape = tuple[int, ...]


class Settled(NamedTuple):
    """The matrix and its words.

    Attributes:
        matrix: name of the matrix.
        found: as many words as rows are to be read.
    """

    matrix: str
    found: WordList


def settle(
    path: Path, shapes: Mapping[str, Shape], lists: Mapping[str, Sequence[bytes]], options: LoadOptions
) -> Settled:
    """Find the matrix and the words of a file.

    The words are those of ``vocab``, else the lists of the file, else the file beside it. The matrix is the one that
    ``tensor`` names, else ``vectors``, else the only one that has a row for every word.

    Args:
        path: the file.
        shapes: of its matrices of real numbers.
        lists: of its lists of words.
        options: ``tensor``, ``vocab``, ``allow_padding``.

    Raises:
        InputError: if there is no such matrix, or more than one, or no list of words that fits it.
    """
    names = _matrices(path, shapes, options)
    words = _lists(path, lists, options)
    pairs = [(name, label) for name in names for label, one in words.items() if shapes[name][0] == len(one.words)]
    fitting = dict.fromkeys(name for name, _ in pairs)
    if len(fitting) > 1 or (not pairs and len(names) > 1):
        said = "have a row for every word" if pairs else f"are there, none with a row for {_lengths(words)}"
        raise InputError(f"{path}: several matrices {said}: {_listed(shapes, fitting or names)}; {_choose()}")
    matrix = next(iter(fitting), names[0])
    labels = [label for _, label in pairs] or list(words)
    if len(labels) > 1:
        raise InputError(
            f"{path}: the {shapes[matrix][0]} rows of '{matrix}' may have the words of {' or '.join(labels)}; "
            f"choose by {option('vocab', ...)}"
        )
    found = match_words(words[labels[0]], path, shapes[matrix][0], options)
    notes = [] if matrix == DEFAULTS.tensor else [f"the vectors are '{matrix}'"]
    return Settled(matrix, found._replace(notes=[*notes, *found.notes]))


def _matrices(path: Path, shapes: Mapping[str, Shape], options: LoadOptions) -> list[str]:
    if options.tensor in shapes:
        return [options.tensor]
    if options.tensor != DEFAULTS.tensor:
        raise InputError(f"{path}: there is no matrix '{options.tensor}'; the file has {_listed(shapes, shapes)}")
    if not shapes:
        raise InputError(f"{path}: there is no matrix of real numbers (v, d) in this file")
    return list(shapes)


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


def _lengths(words: Mapping[str, WordList]) -> str:
    return " or ".join(f"{len(one.words)}" for one in words.values()) + " words"


def _listed(shapes: Mapping[str, Shape], names: Mapping[str, object] | Sequence[str]) -> str:
    shown = [f"{name} {tuple(shapes[name])}" for name in names][:_SHOWN]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(shown) or 'none'}{more}"


def _choose() -> str:
    return f"choose by {option('tensor', ...)}"
