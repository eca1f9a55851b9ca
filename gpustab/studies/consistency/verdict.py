"""The verdict: which sentences are said of which background and text, in which order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from gpustab.results import Table
from gpustab.studies.consistency.claims import HALVES_DIFFER, TOLD_APART, texts_compared
from gpustab.studies.consistency.claims_of_sums import MOSTLY_COMMON, Sums
from gpustab.studies.consistency.tables import ADDITIVE, CENTRED, CONSISTENCY, ENCODER, SPLIT, TEXTS, ModelNumbers
from gpustab.studies.shared.wording import groups_in_words

R = TypeVar("R")

_MOST = 4
"""Sentences of the verdict; the others stand in their blocks."""


def verdict(tables: Mapping[str, Table[Any]]) -> list[str]:
    """Return the answer: how texts compare, what samples tell apart by encoders and sums, what the cosine hides."""
    cases = of_cases(tables)
    sentences = of_each(TEXTS.of(tables), lambda rows: " ".join(map(texts_compared, rows)))
    sentences += [*of_encoders(tables), *(apart for apart, _ in cases)]
    sentences += of_each(SPLIT.of(tables), lambda rows: HALVES_DIFFER.sentence(rows[0]))
    return [*sentences, *(raw for _, raw in cases)][:_MOST]


def paper_and_here(paper: str, here: Sequence[str]) -> str:
    """Return what the paper found, and how every background and text stands to that."""
    return f"{paper}. Here: {'; '.join(here)}."


def beside_paper(tables: Mapping[str, Table[Any]]) -> list[str]:
    """Return how what samples tell apart, and what the cosine hides, stand to what the paper found."""
    apart = [of + TOLD_APART.stands(both.raw) for of, both in _sums(tables)]
    common = [of + MOSTLY_COMMON.stands(both) for of, both in _sums(tables)]
    return [paper_and_here(TOLD_APART.paper, apart), paper_and_here(MOSTLY_COMMON.paper, common)]


def of_cases(tables: Mapping[str, Table[Any]]) -> list[tuple[str, str]]:
    """Return for every background and text what its samples tell apart, and what the cosine hides."""
    by = "Sums of the background's vectors: " if _encoders(tables) else ""
    return [(of + by + TOLD_APART.sentence(both.raw), of + MOSTLY_COMMON.sentence(both)) for of, both in _sums(tables)]


def of_encoders(tables: Mapping[str, Table[Any]]) -> list[str]:
    """Return for every background, text and encoder what samples tell apart by its states."""
    rows = _encoders(tables)
    several = len({row.group for row in rows}) > 1
    return [f"{f'{_called(row.group)}, ' if several else ''}{row.model}: {TOLD_APART.sentence(row)}" for row in rows]


def _encoders(tables: Mapping[str, Table[Any]]) -> list[ModelNumbers]:
    return [row for row in CONSISTENCY.rows(tables) if row.model.startswith(ENCODER)]


def _sums(tables: Mapping[str, Table[Any]]) -> list[tuple[str, Sums]]:
    """Both models of sums of every background and text, with its name where they are several."""
    raw, centred = (list(CONSISTENCY.rows(tables, model=model)) for model in (ADDITIVE, CENTRED))
    pairs = zip(raw, centred, strict=True)
    return [(f"{_called(one.group)}: " if len(raw) > 1 else "", Sums(one, two)) for one, two in pairs]


def of_each(table: Table[R], says: Callable[[list[R]], str]) -> list[str]:
    """Return a sentence on the rows of every background and text, with its name where they are several."""
    parts = table.split("group")
    return [(f"{_called(group)}: " if len(parts) > 1 else "") + says(list(part.rows())) for group, part in parts]


def _called(group: str) -> str:
    """A background, and the text where there are several, at the beginning of a sentence."""
    background, comma, text = group.partition(", ")
    return f"{groups_in_words([background])}{comma}{text}"
