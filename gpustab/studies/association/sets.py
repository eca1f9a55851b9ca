"""Word sets as a file has them: tests of two sets of targets and two of attributes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.errors import InputError, some_of
from gpustab.formats.parsed import parse_toml
from gpustab.formats.source import near_file
from gpustab.results.page import counted

FEWEST = 2
"""Words of a set, below which it has no spread."""
KINDS = ("targets", "attributes")


class Sets(NamedTuple):
    """A test.

    Attributes:
        name: of the test.
        names: of the four sets X, Y (targets), A and B (attributes).
        words: of these sets.
    """

    name: str
    names: tuple[str, str, str, str]
    words: tuple[tuple[bytes, ...], ...]

    @property
    def targets(self) -> tuple[bytes, ...]:
        """The words of X and Y."""
        return self.words[0] + self.words[1]

    @property
    def attributes(self) -> tuple[bytes, ...]:
        """The words of A and B."""
        return self.words[2] + self.words[3]

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """How many words each set has."""
        x, y, a, b = map(len, self.words)
        return x, y, a, b

    def kept(self, lacking: frozenset[bytes]) -> Sets:
        """Return the test without some words."""
        return self._replace(words=tuple(tuple(word for word in own if word not in lacking) for own in self.words))


def read_sets(path: Path) -> list[Sets]:
    """Return the tests of a TOML file.

    Words of a set are a list, or one text with spaces or commas between them.

    Raises:
        InputError: if it cannot be read, or a test has not two sets of targets and two of attributes, of two words or
            more each, no word twice; it names the file, the test and the words.
    """
    try:
        return parse_sets(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        missing = f"there is no such file{near_file(path)}"
        raise InputError(f"{path}: {missing if isinstance(error, FileNotFoundError) else error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is no UTF-8 text") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def parse_sets(text: str) -> list[Sets]:
    """Return the tests of a TOML text.

    >>> made = parse_sets('''
    ...     [sea]
    ...     targets.ships = "ship navy"
    ...     targets.men = ["army", "fort"]
    ...     attributes.far = "ocean, world"
    ...     attributes.near = "town farm"
    ... ''')
    >>> made[0].name, made[0].names, made[0].words[1]
    ('sea', ('ships', 'men', 'far', 'near'), (b'army', b'fort'))
    """
    try:
        content = parse_toml(text)
    except ValueError as error:
        raise InputError(f"this is no TOML: {error}") from None
    if not content:
        raise InputError("holds no test; see the documentation of study association for its form")
    return [_test(name, table) for name, table in content.items()]


def _test(name: str, table: Any) -> Sets:
    what = f"test '{name}'"
    if not isinstance(table, Mapping) or sorted(table) != sorted(KINDS):
        own = f"; it has {some_of(list(table))}" if isinstance(table, Mapping) and table else ""
        raise InputError(f"{what} wants targets and attributes, and nothing else{own}")
    sets: dict[str, tuple[bytes, ...]] = {}
    for kind in KINDS:
        own_sets = table[kind]
        if not isinstance(own_sets, Mapping) or len(own_sets) != 2:
            many = f"; it has {len(own_sets)}" if isinstance(own_sets, Mapping) else ""
            raise InputError(f"{what} wants two named sets of {kind}{many}")
        if again := set(own_sets) & set(sets):
            raise InputError(f"{what}: two sets are called '{min(again)}'")
        sets |= {key: _words(f"{what}, set '{key}'", value) for key, value in own_sets.items()}
    first_in: dict[bytes, str] = {}
    for key, words in sets.items():
        for word in words:
            if (before := first_in.setdefault(word, key)) != key:
                raise InputError(f"{what}: '{word.decode()}' is in two sets, '{before}' and '{key}'")
    x, y, a, b = sets
    return Sets(name, (x, y, a, b), tuple(sets.values()))


def _words(what: str, value: Any) -> tuple[bytes, ...]:
    if isinstance(value, str):
        value = value.replace(",", " ").split()
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise InputError(f"{what} wants a list of words, or a text of them with spaces between")
    if again := [word for k, word in enumerate(value) if word in value[:k]]:
        raise InputError(f"{what}: '{again[0]}' stands there twice")
    if len(value) < FEWEST:
        raise InputError(f"{what} has {counted(len(value), 'word')}; it wants two or more")
    return tuple(word.encode("utf-8", "surrogateescape") for word in value)
