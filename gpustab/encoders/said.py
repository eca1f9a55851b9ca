"""What is said of runs of encoders, by what their files tell of how they were made."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gpustab.corpus.corpus import Corpus
from gpustab.encoders.options import Encoding
from gpustab.errors import some_of
from gpustab.results.page import counted
from gpustab.runs.key import Key

_SHOWN = 5


class Read(NamedTuple):
    """What was read by one model, and what its vectors are like."""

    model: str
    occurrences: int
    pieces_per_occurrence: float | None
    windows: int
    cut_passages: int
    mean_cosine_before: float | None
    mean_cosine: float | None


def read_of(records: Sequence[Mapping[str, Any]]) -> Iterator[Read]:
    """Yield a row for every model, by its first run."""
    for record in records:
        read = Counter(record["read"])
        with_vector = read["occurrences"] - read["without a piece"] - read["unknown"]
        pieces = read["pieces"] / with_vector if read["pieces"] else None
        yield Read(record["name"], with_vector, pieces, read["windows"], read["cut passages"], *record["cosines"])


def verdict_of(
    corpus: Corpus, records: Sequence[Mapping[str, Any]], wanted: Mapping[Key, int], encoding: Encoding, *, new: bool
) -> Iterator[str]:
    """Yield which runs there are, and by what they differ."""
    runs = counted(sum(wanted.values()), "run")
    by = some_of([record["name"] for record in records], _SHOWN)
    yield f"{runs} of {encoding.items} of {corpus.name} by {by}" + (" are there." if new else " were there already.")
    if "fixed" in encoding.drawn and len(records) > 1:
        alike = len({json.dumps(record["shape"]) for record in records}) == 1
        by = "what fine-tuning does" if alike else "more than fine-tuning, since their kinds, sizes or tokens do"
        yield f"The fixed runs are the {len(records)} models: they differ by {by}."
    if "bootstrap" in encoding.drawn:
        yield f"The bootstrap runs of a model differ by the {corpus.drawn}s drawn alone, the same for all models."


def notes_of(records: Sequence[Mapping[str, Any]], encoding: Encoding) -> Iterator[str]:
    """Yield what the vectors are, and what has none."""
    taken = f"mean and {encoding.directions} leading directions were" if encoding.directions else "mean was"
    why = "all states of a transformer point one way, which says nothing of a word"
    if encoding.items == "words":
        yield (
            f"A word is the mean of its occurrences, each the mean of its pieces in layer {records[0]['layer']}; "
            "--layer chooses another."
        )
    if encoding.centred:
        yield f"The {taken} taken out of every run: {why} (--no-centre keeps it in)."
    else:
        yield "Vectors are as the model gives them; --centre takes their mean out."
    for record in records:
        read, name = Counter(record["read"]), record["name"]
        yield from (f"{name}: {note}" for note in record["said"])
        if read["cut passages"]:
            yield (
                f"{name}: {read['cut passages']:,} of {counted(read['passages'], 'passage')} are longer than the model "
                f"takes and were read in windows that overlap by a quarter; {_long(encoding)}."
            )
        for what, why in (("without a piece", "the tokenizer drops them"), ("unknown", "it does not know their signs")):
            if n := read[what]:
                yield f"{name}: {counted(n, 'occurrence', 'has/have', of=read['occurrences'])} no vector: {why}."
        if (lost := record.get("lost")) and lost[0]:
            yield f"{name}: {counted(lost[0], 'item', 'has/have')} no vector: {lost[1]}."


def _long(encoding: Encoding) -> str:
    return "no word is lost" if encoding.items == "words" else "their vector is the mean of these"
