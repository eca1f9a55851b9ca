"""Classes of words, for a probe to learn: WordNet's kinds of nouns, or the user's own file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpustab.errors import InputError
from gpustab.evaluation.files import read_lines
from gpustab.spaces.words import show
from gpustab.wordnet.lexicon import Lexicon, read_lexicon

FEWEST = 20
"""Words of a class below which nothing is learned of it."""

KINDS = (
    *("tops", "act", "animal", "artifact", "attribute", "body", "cognition", "communication", "event", "feeling"),
    *("food", "group", "location", "motive", "object", "person", "phenomenon", "plant", "possession", "process"),
    *("quantity", "relation", "shape", "state", "substance", "time"),
)
"""WordNet's files of nouns, called supersenses too (``lexnames(5WN)``), from number 3 on."""
_FIRST = 3
_BETWEEN = (b"\t", b",", b";")
"""What stands between a word and its class, the first that is there: a class may have blanks after a tab."""


class Labels(NamedTuple):
    """Words with their classes.

    Attributes:
        name: what tells the classes.
        classes: their names.
        of: by word the number of its class.
    """

    name: str
    classes: Sequence[str]
    of: Mapping[bytes, int]


def labels_of(words: Sequence[bytes], source: str | os.PathLike[str] | None = None, least: int = FEWEST) -> Labels:
    """Return the classes of those words that have one; classes of fewer words than ``least`` are left out.

    Args:
        words: of a vocabulary.
        source: a file of a word and its class a line, between them a tab, comma, semicolon or blank; default: WordNet.
        least: words of a class.

    Raises:
        InputError: if WordNet is not here, or the file is missing or no such file; the message names the line.
    """
    lexicon = read_lexicon(tags=False) if source is None else None
    own = dict(_of_wordnet(words, lexicon)) if lexicon else read_labels(Path(source or ""))
    known = [(word, own[word]) for word in words if word in own]
    counts = Counter(label for _, label in known)
    classes = sorted(label for label, many in counts.items() if many >= least)
    number = {label: k for k, label in enumerate(classes)}
    name = "WordNet's kinds of nouns" if source is None else Path(source).name
    return Labels(name, classes, {word: number[label] for word, label in known if label in number})


def _of_wordnet(words: Sequence[bytes], lexicon: Lexicon) -> Iterator[tuple[bytes, str]]:
    """Nouns that are nothing else, all of whose senses are of one kind: else a vector has no right class."""
    for word in words:
        text = word.decode("utf-8", "replace")
        senses = lexicon.senses(text, "n")
        kinds = {int(lexicon.synsets["n"][sense].keys[0].split("%")[1].split(":")[1]) for sense in senses}
        if len(kinds) == 1 and not any(lexicon.senses(text, pos) for pos in "var"):
            yield word, KINDS[kinds.pop() - _FIRST]


def read_labels(path: Path) -> dict[bytes, str]:
    """Return words and their classes from a file, one a line, between them a tab, comma, semicolon or blank.

    Raises:
        InputError: if the file is missing or no such file; the message names the line.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such file, wanted a word and its class a line")
    found: dict[bytes, str] = {}
    for line in read_lines(path):
        text = line.content.strip()
        parts = [part.strip() for part in text.split(next((one for one in _BETWEEN if one in text), None))]
        if len(parts) != 2 or not all(parts):
            raise InputError(
                f"{path}: line {line.number} is '{show(line.content[:80])}', wanted a word and its class, between them "
                "a tab, comma, semicolon or blank"
            )
        word, label = parts[0], show(parts[1])
        if found.setdefault(word, label) != label:
            raise InputError(f"{path}: line {line.number}: '{show(word)}' is {label} here and {found[word]} above")
    return found
