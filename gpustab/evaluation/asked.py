"""Analogy questions as rows of the vocabulary: which are asked, and which rows can be their answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gpustab.evaluation.analogy_file import AnalogyTest, Question
from gpustab.evaluation.lookup import Lookup


@dataclass(frozen=True)
class Asked:
    """The questions that are asked, as row numbers; lists that are too short are filled up by repeats.

    Attributes:
        inputs: ``(q, 3)``.
        excluded: ``(q, e)`` the inputs and their variants in letter case.
        answers: ``(q, f)`` the right answer and its variants.
        impossible: ``(q,)`` bool, whether the right answer is an input.
        section: ``(q,)`` number of the section.
    """

    inputs: Tensor
    excluded: Tensor
    answers: Tensor
    impossible: Tensor
    section: Tensor


def ask(test: AnalogyTest, lookup: Lookup) -> tuple[Asked, tuple[bytes, ...]]:
    """Find the questions whose words every run has, and the words that some run lacks."""
    questions = [(n, question) for n, section in enumerate(test.sections) for question in section.questions]
    row = {word: lookup.row(word) for _, question in questions for word in question}
    known = [(n, question) for n, question in questions if all(row[word] is not None for word in question)]
    asked = Asked(
        torch.tensor([[row[word] for word in question[:3]] for _, question in known]).view(-1, 3),
        _filled([_variants(lookup, question[:3]) for _, question in known]),
        _filled([lookup.rows(question[3]) for _, question in known]),
        torch.tensor([_is_impossible(lookup, question) for _, question in known], dtype=torch.bool),
        torch.tensor([n for n, _ in known], dtype=torch.long),
    )
    return asked, tuple(word for word, where in row.items() if where is None)


def _variants(lookup: Lookup, words: Sequence[bytes]) -> list[int]:
    return [row for word in words for row in lookup.rows(word)]


def _is_impossible(lookup: Lookup, question: Question) -> bool:
    return lookup.key(question[3]) in map(lookup.key, question[:3])


def _filled(lists: list[list[int]]) -> Tensor:
    """``(q, longest)``; shorter lists repeat their first number."""
    longest = max(map(len, lists), default=0)
    return torch.tensor([own + own[:1] * (longest - len(own)) for own in lists]).view(len(lists), longest)
