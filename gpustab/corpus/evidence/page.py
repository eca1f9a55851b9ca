"""The evidence of a source: what it was read as and why, its counts, what was left out, and every doubt."""

from __future__ import annotations

import re
from ast import literal_eval
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.document_dates import Dates, dates_of
from gpustab.corpus.documents import PASSED
from gpustab.corpus.evidence.doubt import Doubt
from gpustab.corpus.evidence.doubts import DOUBTS, doubts_of, strong_doubts_of
from gpustab.corpus.evidence.look import Look, Repeated
from gpustab.corpus.near import near_copies
from gpustab.corpus.numbering import END, FEW_WORDS, Numbered, number
from gpustab.corpus.options import ABOUT, CorpusOptions
from gpustab.errors import InputError, option, some_of
from gpustab.options import chosen

_FREQUENT, _COLUMNS = 20, 8
_NEAREST = 10
_GAP = "·"
"""Stands for rare words in an example."""
_OWN = 2
"""Doubts of this module: rare words, and files that are passed over."""
_DROPPED = re.compile("\ue000drop=([^\ue000\ue001]*)\ue001")


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a source is, before anything is trained on it.

    Attributes:
        name: of the source.
        read_as: what its files were taken for and why, and what was passed over.
        notes: what was done to words, and which words that are tokens already were cut.
        documents: how many there are, copies left out.
        sentences: texts between which no context reaches: sentences where the source or the options have them.
        tokens: words in all, rare ones left out.
        words: how many different ones are left.
        min_count: how often these occur at least.
        frequent: the most frequent words and how often they occur.
        example: one document as the trainer sees it: its id, and the words of its texts, with a dot for rare ones.
        left_out: what was left out, by why: copies, empty files, rare words ...
        dates: of its documents, where they have any.
        columns: what else is known of its documents, and how many values it has.
        doubts: what may be wrong with it, strong doubts first.
        characters: of the whole source; all counts are of all of it.
        looked_at: characters that the doubts looked at, spread over the source.
    """

    name: str
    read_as: tuple[str, ...]
    notes: tuple[str, ...]
    documents: int
    sentences: int
    tokens: int
    words: int
    min_count: int
    frequent: tuple[tuple[str, int], ...]
    example: tuple[str, tuple[tuple[str, ...], ...]]
    left_out: Mapping[str, int]
    dates: Dates | None
    columns: Mapping[str, int]
    doubts: tuple[Doubt, ...]
    characters: int
    looked_at: int

    @property
    def strong(self) -> tuple[Doubt, ...]:
        """The doubts that stop a training."""
        return tuple(doubt for doubt in self.doubts if doubt.strong)

    @property
    def at_once(self) -> str:
        """The way to follow the ways of several strong doubts that leave something out; empty where one does."""
        return _at_once(self.strong)

    @property
    def too_small(self) -> str:
        """Why nothing can be learned from so little, where chance alone fills much of a list of ten neighbours."""
        if not 1 < self.words < FEW_WORDS:
            return ""
        others = self.words - 1
        if others > _NEAREST:
            lists = f"ten neighbours are {100 * _NEAREST / others:.0f} %"
        else:
            lists = "every list of neighbours holds all others"
        return (
            f"too small to learn vectors from: of {_counted(self.words, 'different word')}, {lists}, and two lists "
            "share as much by chance. Give more text"
        )

    def refuse(self) -> None:
        """Refuse to go on where a doubt is strong.

        Raises:
            InputError: with each of these doubts, and the ways to go on.
        """
        _refuse(self.name, self.strong)


def refuse(numbered: Numbered) -> None:
    """Refuse a source as its evidence would (:meth:`Evidence.refuse`); what stops nobody is not looked for.

    Raises:
        InputError: for a strong doubt.
    """
    _refuse(numbered.source.name, strong_doubts_of(look_at(numbered, near=False)))


def _refuse(name: str, strong: Sequence[Doubt]) -> None:
    if strong:
        shown = (
            f"{doubt.says}{' ({})'.format('; '.join(doubt.examples)) if doubt.examples else ''}: {doubt.way}"
            for doubt in strong
        )
        told = "; ".join((*shown, *filter(None, [_at_once(strong)])))
        raise InputError(f"{name}: {told}; or {option('as_is')} if all of it is to become words")


def _at_once(strong: Sequence[Doubt]) -> str:
    ways = (_DROPPED.search(doubt.way) for doubt in strong)
    found = list(dict.fromkeys(literal_eval(way[1]) for way in ways if way))
    found.sort(key=lambda pattern: pattern.startswith("^"))  # a tag that begins a line is left out whole
    return f"for these at once say {option('drop', '|'.join(found))}" if len(found) > 1 else ""


def evidence(source: str | Path, options: CorpusOptions | None = None, **choices: Any) -> Evidence:
    """Read a source as training does, and return what it is.

    Everything is counted, which takes as long as preparing the corpus; doubts look at two million characters, which are
    spread evenly.

    Args:
        source: a file, a folder or a name, see :func:`gpustab.corpus.documents.open_documents`.
        options: how it is made a corpus; or
        **choices: some of its fields, by name.

    Raises:
        InputError: if the source cannot be read.

    >>> evidence("lee", min_count=5).frequent[:3]  # needs gensim
    (('the', 4059), ('to', 1644), ('of', 1504))
    """
    return evidence_of(number(source, chosen(CorpusOptions, options, choices)))


def evidence_of(numbered: Numbered) -> Evidence:
    """Return the evidence of a source whose words are numbered."""
    options, documents, counts = numbered.options, numbered.source, numbered.counts
    kept = counts >= options.min_count
    least = options.min_count if kept.any() else 1
    kept = kept if kept.any() else counts > 0  # then there is no corpus, but something to see
    look = look_at(numbered)
    frequent = sorted((-int(counts[i]), numbered.words[i]) for i in np.flatnonzero(kept))[:_FREQUENT]
    return Evidence(
        documents.name,
        tuple(documents.notes),
        numbered.notes,
        len(look.sizes),
        len(look.lengths),
        int(counts[kept].sum()),
        int(kept.sum()),
        least,
        tuple((word, -n) for n, word in frequent),
        _example(numbered, kept, look),
        numbered.left_out | {"rare words": int((~kept).sum()) - 1, "rare running words": int(counts[~kept].sum())},
        dates_of(numbered.records),
        _columns(numbered),
        (*_rare(counts, options), *doubts_of(look), *_passed(documents.notes)),
        look.characters,
        sum(len(text) for piece in look.pieces for text in piece.texts),
    )


def _rare(counts: NDArray[np.int64], options: CorpusOptions) -> Iterator[Doubt]:
    """Doubt a text of which no word is left; training refuses it."""
    if not counts.any():
        yield Doubt("rare", 1.0, (), False, "there are no words in this text", "give running text")
    elif not (counts >= options.min_count).any():
        says = f"no word occurs {options.min_count} times"
        yield Doubt("rare", 1.0, (), False, says, f"say {option('min_count', 1)}, or give more text")


def _passed(notes: Sequence[str]) -> Iterator[Doubt]:
    """Tell files that lie among the texts and are not read."""
    for note in notes:
        if files := note.partition(PASSED)[2].partition(";")[0]:
            yield Doubt("passed", 0.0, (), False, f"{PASSED}{files}", "make plain text of them if they belong here")


def look_at(numbered: Numbered, *, near: bool = True) -> Look:
    """Return what doubts look at.

    Args:
        numbered: the words of a source.
        near: whether documents that are nearly the same are looked for, among all of them.
    """
    documents = numbered.source
    lengths = np.diff(numbered.texts) - 1
    starts = numbered.starts - numbered.documents
    pairs = near_copies(numbered.ids, numbered.starts, END) if near else np.zeros((0, 2), np.int64)
    return Look(
        documents.name,
        documents.layout,
        numbered.options,
        numbered.sample.blocks,
        numbered.sample.characters,
        np.diff(starts),
        lengths,
        numbered.words,
        numbered.counts,
        numbered.tokenise,
        numbered.duplicates,
        numbered.copied,
        len(pairs),
        [(numbered.records[one].id, numbered.records[other].id) for one, other in pairs[:3].tolist()],
        documents.question,
        documents.runs_on,
        _repeated(numbered),
        numbered.records,
    )


def _columns(numbered: Numbered) -> dict[str, int]:
    values = defaultdict[str, set[str]](set)
    for record in numbered.records:
        for name, value in record.metadata.items():
            values[name].add(value)
    return {name: len(different) for name, different in values.items()}


def _repeated(numbered: Numbered) -> Repeated | None:
    found = numbered.boilerplate
    return found and Repeated(float(found.covered.mean()), found.documents, tuple(numbered.shown(found)), found.frames)


def _example(numbered: Numbered, kept: Any, look: Look) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """Return the document of median length, with a dot for its rare words, which are left out."""
    if not len(look.sizes):
        return "", ()
    which = int(np.argsort(look.sizes, kind="stable")[len(look.sizes) // 2])
    first, last = numbered.texts[numbered.documents[which : which + 2]]
    words, texts = list[str](), list[tuple[str, ...]]()
    for i in numbered.ids[first:last]:
        if i == END:
            texts.append(tuple(words))
            words = []
        elif kept[i]:
            words.append(numbered.words[i])
        elif words[-1:] != [_GAP]:
            words.append(_GAP)
    return numbered.records[which].id, tuple(texts)


_LONG, _SHORT = 60, 16
"""Words of the example that a page shows, and a line."""


def lines_of(found: Evidence, *, short: bool = False) -> Iterator[tuple[str, str]]:
    """Yield a label and what is to be said under it; options are marked."""
    for label, notes in (("read as", found.read_as), ("words", found.notes)):
        yield from ((label if not n else "", note.removeprefix(f"{found.name}: ")) for n, note in enumerate(notes))
    sizes = (
        (found.documents, "document"),
        (found.sentences, "sentence"),
        (found.tokens, "running word"),
        (found.words, "word"),
    )
    sized = [_counted(n, noun) for n, noun in sizes]
    least = f" that occur {found.min_count} times or more ({option('min_count', found.min_count)})"
    if rare := found.left_out.get("rare running words", 0):
        kept = f"{found.tokens:,} ({found.tokens / (found.tokens + rare):.0%})".replace("%", " %")
        sized[2:] = [f"{found.tokens + rare:,} running words, of which {kept} are of the {sized[3]}"]
    if found.name in ABOUT:
        yield "is", ABOUT[found.name]
    size = ", ".join(sized if found.sentences != found.documents else [sized[0], *sized[2:]])
    yield "holds", size + least * (found.min_count > 1)
    if found.too_small:
        yield "", found.too_small
    few = found.frequent[: 10 if short else None]
    yield "most frequent", ", ".join(word if short else f"{word} {n:,}" for word, n in few)
    yield "as trained", _in_short(found, _SHORT if short else _LONG)
    yield "left out", ", ".join(_counted(n, what) for what, n in found.left_out.items() if n) or "nothing"
    if found.dates:
        column = found.dates.column
        way = "" if column == "year" else f"; {option('date_column', column)} takes them for periods"
        yield "dates", found.dates.summary + way
    if others := [name for name in found.columns if not found.dates or name != found.dates.column]:
        shown = some_of([f"{name} ({_counted(found.columns[name], 'value')})" for name in others], _COLUMNS)
        yield "columns", shown
    if not found.doubts:
        looked = f"{found.looked_at:,} of {found.characters:,} characters"
        yield "doubts", f"none of the {len(DOUBTS) + _OWN} that were looked for, in {looked}"
    for n, doubt in enumerate(found.doubts):
        yield "doubts" if not n else "", told(doubt)
    if found.at_once:
        yield "", found.at_once


def told(doubt: Doubt) -> str:
    """Return a doubt in one line: what it is, examples, and the way to go on."""
    examples = f" ({'; '.join(doubt.examples)})" if doubt.examples else ""
    return f"{'STRONG: ' if doubt.strong else ''}{doubt.says}{examples}: {doubt.way}"


def _in_short(found: Evidence, most: int) -> str:
    name, texts = found.example
    words: list[str] = []
    for n, text in enumerate(texts):
        words += [*(["|"] if n else []), *text]
        if len(words) > most:
            break
    more = " …" if len(words) > most or sum(map(len, texts)) > most else ""
    gaps = f" ({_GAP}: rare words, left out)" * (_GAP in words[:most])
    return f"document {name}{gaps}: {' '.join(words[:most])}{more}"


def _counted(n: int, noun: str) -> str:
    one = noun.removesuffix("s") if n == 1 else noun if noun.endswith("s") else f"{noun}s"
    return f"{n:,} {one}"
