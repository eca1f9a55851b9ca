"""Sentences whose words have tags, forms and relations: of spaCy's English model, or of a file in CoNLL-U."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.corpus.formats.format import TextFile
from gpustab.corpus.formats.registry import suffix_of
from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError
from gpustab.installing import install
from gpustab.sentences.language import SPACY, Written, package


class Word(NamedTuple):
    """One word of a sentence, with punctuation a word of its own.

    Attributes:
        text: as it is written.
        spaced: whether a blank follows.
        lemma: its dictionary form.
        tag: of the language's own tags: Penn's of English, those of STTS of German.
        kind: of the tags that all languages share (UPOS): ``NOUN``, ``VERB``, ...
        feats: forms by name, as Universal Dependencies call them.
        head: position of the word that it hangs on; its own for the root.
        relation: to that word, as Universal Dependencies call it.
        entity: what it is part of a name of, as the parser calls that: ``PERSON``, ``GPE``, ...; empty of other words.
    """

    text: str
    spaced: bool
    lemma: str
    tag: str
    kind: str
    feats: Mapping[str, str]
    head: int
    relation: str
    entity: str = ""

    @property
    def person(self) -> bool:
        """Whether it is part of a person's name."""
        return self.entity in ("PER", "PERSON")


Parsed = tuple[Word, ...]
"""The words of a sentence."""


def written(sentence: Sequence[Word]) -> Written:
    """Return the tokens of a sentence, which know how it is written.

    >>> words = [Word(text, text != "It", text, "", "", {}, 0, "") for text in ("It", "'s", "I")]
    >>> written(words), written(words).text
    (('It', "'s", 'I'), "It's I")
    """
    text = "".join(word.text + " " * word.spaced for word in sentence).strip()
    return Written(tuple(word.text for word in sentence), text)


def children(sentence: Parsed, of: int) -> Iterator[int]:
    """Yield the positions of the words that hang on one."""
    return (k for k, word in enumerate(sentence) if word.head == of and k != of)


def root_of(sentence: Parsed) -> int:
    """Return the position of the root; −1 where no word is one."""
    return next((k for k, word in enumerate(sentence) if word.head == k), -1)


_AS_UD = {
    "nsubjpass": "nsubj:pass",
    "csubjpass": "csubj:pass",
    "auxpass": "aux:pass",
    "dobj": "obj",
    "prt": "compound:prt",
    "poss": "nmod:poss",
}
"""What Universal Dependencies call spaCy's relations of English, where the names differ and we ask for them."""


@cache
def _pipeline(model: str) -> Any:
    spacy = package("spacy", f"sentences are parsed by spaCy: {install('sentences')}")
    try:
        return spacy.load(model)
    except OSError:
        raise InputError(f"spaCy's model {model} is not here: {install('sentences')}") from None


_LONGEST = 100_000
"""Letters that spaCy parses at once: its memory grows with them, and it refuses a million.

Short texts are parsed together: one by one, sentences take twice the time.
"""


def pieces_of(text: str, most: int) -> Iterator[str]:
    """Yield a text in pieces of so many letters at most: up to the end of a sentence, else to a blank, else cut.

    >>> list(pieces_of("It rains. It pours and pours", 12))
    ['It rains.', 'It pours and', 'pours']
    """
    while len(text) > most:
        end = text.rfind(". ", 0, most) + 1 or text.rfind(" ", 0, most + 1)
        end = end if end > 0 else most
        yield text[:end]
        text = text[end:].lstrip()
    yield text


def lots_of(pieces: Iterable[str], most: int) -> Iterator[list[str]]:
    """Yield pieces together that have so many letters at most, or one that has more.

    >>> list(lots_of(["It rains.", "It", "pours."], 11))
    [['It rains.', 'It'], ['pours.']]
    """
    lot, size = list[str](), 0
    for piece in pieces:
        if lot and size + len(piece) > most:
            yield lot
            lot, size = [], 0
        lot.append(piece)
        size += len(piece)
    if lot:
        yield lot


def spacy_parser(texts: Iterable[str], model: str = SPACY) -> Iterator[Parsed]:
    """Yield the sentences of some texts as spaCy's small English model parses them.

    Raises:
        InputError: if spaCy or its model is missing.
    """
    pipeline = _pipeline(model)
    pieces = (piece for text in texts for piece in pieces_of(" ".join(text.split()), _LONGEST))
    lots = lots_of(pieces, _LONGEST)
    for document in chain.from_iterable(pipeline.pipe(lot, batch_size=len(lot)) for lot in lots):
        for sentence in document.sents:
            first = sentence.start
            yield tuple(
                Word(
                    token.text,
                    bool(token.whitespace_),
                    token.lemma_,
                    token.tag_,
                    token.pos_,
                    token.morph.to_dict(),
                    token.head.i - first,
                    _AS_UD.get(token.dep_, token.dep_.lower()),
                    token.ent_type_,
                )
                for token in sentence
            )


_FIELDS = 10
_TAGGED = ".conllu"


def is_conllu(path: str | os.PathLike[str]) -> bool:
    """Return whether a file, which may be packed, is one in CoNLL-U: by its name, or by its first row."""
    path = Path(path)
    if suffix_of(path) == _TAGGED:
        return True
    if not path.is_file():  # what can be read once
        return False
    try:
        row = next((line for line in _lines(path) if line and line[0] != "#"), "").split("\t")
    except InputError:  # of other letters than UTF-8
        return False
    return len(row) == _FIELDS and bool(_FIRST.fullmatch(row[0])) and (row[6].isdecimal() or row[0] != "1")


_FIRST = re.compile(r"1(?:-\d+)?|0\.\d+")


def _lines(path: str | os.PathLike[str]) -> Iterator[str]:
    return TextFile(Path(path), "utf-8-sig", ReadOptions()).lines()


def read_conllu(path: str | os.PathLike[str]) -> Iterator[Parsed]:
    """Yield the sentences of a file in CoNLL-U, as it is or packed: the form of Universal Dependencies' treebanks.

    Words that are written as one ("zum" of zu and dem) are one word here, which hangs where the last of them that
    leaves the group hangs. A person's name has ``NER=PER``, ``NER=B-PER`` or ``NER=S-PERSON`` in the last column.

    Raises:
        InputError: naming file and line, for a line of other fields, or a head that is not there.
    """
    rows: list[list[str]] = []
    start = 1
    for number, line in enumerate(chain(_lines(path), [""]), 1):
        if line.startswith("#"):
            continue
        if line:
            fields = line.split("\t")
            if len(fields) != _FIELDS:
                raise InputError(f"{path}: line {number} has {len(fields)} fields, wanted {_FIELDS} with tabs between")
            start = start if rows else number
            rows.append(fields)
        elif rows:
            try:
                yield _sentence(rows)
            except (ValueError, KeyError) as error:
                raise InputError(f"{path}: the sentence of line {start} has no whole tree: {error}") from None
            rows = []


def _sentence(rows: Sequence[Sequence[str]]) -> Parsed:
    """Words of the lines of a sentence; empty nodes (8.1) are left out."""
    joined: dict[str, str] = {}
    groups: list[tuple[Sequence[str], list[Sequence[str]]]] = []  # how it is written, and its words
    for row in rows:
        if "-" in row[0]:
            first, last = map(int, row[0].split("-"))
            joined |= {str(k): row[0] for k in range(first, last + 1)}
            groups.append((row, []))
        elif "." not in row[0]:
            if row[0] not in joined:
                groups.append((row, []))
            groups[-1][1].append(row)
    place = {row[0]: k for k, (_, own) in enumerate(groups) for row in own}
    found = []
    for k, (shown, own) in enumerate(groups):
        row = next((one for one in reversed(own) if one[6] == "0" or place[one[6]] != k), own[-1])
        feats = dict(pair.split("=", 1) for pair in row[5].split("|")) if row[5] != "_" else {}
        misc = dict(pair.split("=", 1) for pair in shown[9].split("|") if "=" in pair)
        entity = misc.get("NER", "").rpartition("-")[2]
        found.append(
            Word(
                shown[1],
                misc.get("SpaceAfter") != "No",
                row[2],
                row[4],
                row[3],
                feats,
                k if row[6] == "0" else place[row[6]],
                row[7],
                "" if entity == "O" else entity,
            )
        )
    return tuple(found)
