"""Word sets: tests of two sets of targets and two of attributes, as a file has them, and as runs spell their words."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.errors import InputError, naming, some_of
from gpustab.formats.parsed import parse_toml
from gpustab.formats.plain_text import read_utf8
from gpustab.results.page import counted
from gpustab.spaces.words import show

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
    text = read_utf8(path)
    with naming(path):
        return parse_sets(text)


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


def spelled(tests: Sequence[Sets], joint: Collection[bytes], vocabulary: Container[bytes] = ()) -> dict[bytes, bytes]:
    """Return those words of the tests that all runs have, with how these spell them.

    A word that no run has is that of theirs which differs by capitals alone, as *He* is *he* where a text was
    lower-cased, if there is just one; not where a test has both, which were one word then.

    Args:
        tests: whose words are asked for.
        joint: words that all runs have.
        vocabulary: words that some run has, and which so are words of their own.

    >>> one = Sets("t", ("x", "y", "a", "b"), ((b"He", b"Son"), (b"US", b"us"), (b"A", b"b"), (b"c", b"d")))
    >>> spelled([one], [b"he", b"us", b"b", b"Son"])
    {b'Son': b'Son', b'us': b'us', b'b': b'b', b'He': b'he'}
    """
    own = set(joint)
    asked = list(dict.fromkeys(word for sets in tests for word in (*sets.targets, *sets.attributes)))
    known = {word: word for word in asked if word in own}
    found = _alike([word for word in asked if word not in own and word not in vocabulary], joint, _without_capitals)
    one = {word: theirs[0] for word, theirs in found.items() if len(theirs) == 1}
    for sets in tests:
        words = (*sets.targets, *sets.attributes)
        uses = Counter(known.get(word) or one.get(word) for word in words)
        one = {word: theirs for word, theirs in one.items() if word not in words or uses[theirs] == 1}
    return known | one


def spelling(known: Mapping[bytes, bytes], joint: Collection[bytes], asked: Sequence[bytes]) -> Iterator[str]:
    """Yield what is said of words that runs spell in another way: which are taken so, and which are not."""
    if other := [f"{show(word)} as {show(theirs)}" for word, theirs in known.items() if word != theirs]:
        many = counted(len(other), "word", "is/are", of=len(asked))
        yield f"{many} read with other capitals, as these runs have them: {some_of(other)}."
    lacking = [word for word in asked if word not in known]
    if near := [
        f"{show(word)} ({', '.join(map(show, theirs[:3]))})"
        for word, theirs in _alike(lacking, joint, _letters).items()
    ]:
        yield (
            f"{counted(len(near), 'word')} that these runs lack they have in another spelling, in brackets: "
            f"{some_of(near)}. Write it so in the file if you mean it."
        )


def _alike(lacking: Sequence[bytes], joint: Collection[bytes], form: Callable[[str], str]) -> dict[bytes, list[bytes]]:
    """Words of runs that have the same form as some that these lack."""
    forms = {word: own for word in lacking if (own := form(word.decode("utf-8", "surrogateescape")))}
    found: dict[str, list[bytes]] = {own: [] for own in forms.values()}
    for word in joint if found else ():
        if (own := form(word.decode("utf-8", "surrogateescape"))) in found:
            found[own].append(word)
    return {word: found[own] for word, own in forms.items() if found[own]}


def _without_capitals(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _letters(text: str) -> str:
    """Letters and digits without capitals, accents, and what stands between the parts of a word."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if c.isalnum())
