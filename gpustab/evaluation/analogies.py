"""Word analogies: how many questions each run answers rightly, by section and in all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.evaluation.lookup import Lookup, RunScores
from gpustab.evaluation.questions import AnalogyTest, Question
from gpustab.kernels.analogies import Method, solve_analogies
from gpustab.machine.device import Compute
from gpustab.machine.out_of_memory import with_smaller_tiles
from gpustab.runs.runs import Runs

_TILE = {"cpu": 2**20, "cuda": 2**26}
"""Scores in one tile: what the caches of a CPU hold, and what fills a GPU."""


@dataclass(frozen=True)
class SectionScore:
    """The answers of the runs to the questions of one section, or of all.

    Attributes:
        name: of the section.
        questions: how many there are.
        answered: how many have three words and an answer that every run has; only these are asked.
        impossible: how many of the answered have an answer that is one of their inputs, and so is excluded: no run
            can be right.
        correct: right answers, one number per run.
    """

    name: str
    questions: int
    answered: int
    impossible: int
    correct: tuple[int, ...]

    @property
    def accuracy(self) -> RunScores:
        """Right answers per answered question, in [0, 1]; undefined without any."""
        return self._per(self.answered)

    @property
    def accuracy_all(self) -> RunScores:
        """Right answers per question, unanswered ones counted as wrong (gensim's ``dummy4unknown``)."""
        return self._per(self.questions)

    @property
    def coverage(self) -> float | None:
        """Answered questions per question (Rettenmeier 2020, table 1.6); undefined for an empty section."""
        return self.answered / self.questions if self.questions else None

    def _per(self, number: int) -> RunScores:
        return RunScores(tuple(right / number if number else None for right in self.correct))


@dataclass(frozen=True)
class AnalogyScore:
    """The answers of the runs to one test.

    Attributes:
        test: name of the test.
        method: ``"3CosAdd"`` or ``"3CosMul"``.
        sections: one score per section of the test, empty ones included.
        total: over all questions.
        missing: words of the test that not every run has among the words looked at, in the order of the test.
        notes: what a reader must know, in sentences.
    """

    test: str
    method: Method
    sections: tuple[SectionScore, ...]
    total: SectionScore
    missing: tuple[bytes, ...]
    notes: tuple[str, ...]


def score_analogies(
    runs: Runs,
    test: AnalogyTest,
    *,
    method: Method = "3CosAdd",
    restrict: int | None = 300_000,
    ignore_case: bool = False,
    epsilon: float = 0.001,
    compute: Compute | None = None,
    progress: Callable[[int], None] | None = None,
) -> AnalogyScore:
    """Ask every run the questions of a test.

    A question is asked if every run has its four words, so that all runs answer the same ones. With
    ``ignore_case=True`` 3CosAdd gives what gensim's ``evaluate_word_analogies`` gives by default.

    Args:
        runs: the runs.
        test: the questions.
        method: see :func:`gpustab.kernels.analogies.solve_analogies`.
        restrict: ask and answer only with so many words: the most frequent where the runs have counts, else the first
            in file order, which the notes say; ``None`` for all. The default is gensim's; Grave et al. (2018) and
            Rettenmeier (2020, section 1.2.4) take 200,000.
        ignore_case: compare words in upper case on both sides, as gensim's ``case_insensitive``, which is on there; of
            several variants of a word the first in the order of the vocabulary is asked, none of an input is an
            answer, and every variant of the right answer is right.
        epsilon: of 3CosMul; gensim's is 1e-6, where Levy & Goldberg (2014) have 0.001.
        compute: device and memory; default: where the runs lie.
        progress: called with the number of finished runs.

    Raises:
        InputError: for an unknown method, or a number out of range.

    Example:
        >>> from gpustab import load_runs
        >>> from gpustab.evaluation.questions import AnalogySection
        >>> words, x = ["man", "woman", "king", "queen"], [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]]
        >>> test = AnalogyTest("mine", (AnalogySection("royal", ((b"man", b"woman", b"king", b"queen"),)),))
        >>> score_analogies(load_runs([(words, torch.tensor(x))] * 2), test).total.accuracy.values
        (1.0, 1.0)
    """
    if method not in get_args(Method):
        raise InputError(f"method is {method!r}, wanted {' or '.join(map(repr, get_args(Method)))}")
    if not epsilon > 0:
        raise InputError(f"epsilon is {epsilon}, wanted above 0")
    compute = compute or Compute(runs.device)
    lookup = Lookup(runs, restrict, ignore_case)
    questions, missing = _answerable(test, lookup)
    right = torch.zeros(len(runs), len(questions.inputs), dtype=torch.bool, device="cpu")
    if len(questions.inputs):
        runs = engine.place(runs, compute)
        for r in range(len(runs)):
            answers = _answer(runs, r, lookup.words, questions, method, epsilon, compute)
            right[r] = (answers[:, None] == questions.answers).any(1)
            if progress:
                progress(r + 1)
    sections = _by_section(test, questions, right)
    total = SectionScore(
        "total",
        len(test),
        len(questions.inputs),
        sum(section.impossible for section in sections),
        tuple(right.sum(1).tolist()),
    )
    words = (word for section in test.sections for question in section.questions for word in question)
    return AnalogyScore(test.name, method, sections, total, missing, test.notes + lookup.notes + lookup.merged(words))


def _answer(
    runs: Runs, r: int, words: int, questions: _Questions, method: Method, epsilon: float, compute: Compute
) -> Tensor:
    """Return the rows that one run answers, ``(q,)`` on the CPU."""
    have = runs.present[r, :words].nonzero().flatten()  # row numbers in the joined vocabulary
    place = torch.full((words,), -1, device=have.device)
    place[have] = torch.arange(len(have), device=have.device)
    inputs = place[questions.inputs.to(have.device)]
    excluded = place[questions.excluded.to(have.device)]
    excluded = torch.where(excluded < 0, inputs[:, :1], excluded)  # a variant that this run lacks
    vectors = runs.directions(r)[:words]
    if len(have) < words:
        vectors = vectors[have]

    def solve(scores: int) -> Tensor:
        return solve_analogies(vectors, inputs, method=method, excluded=excluded, epsilon=epsilon, search_scores=scores)

    found = with_smaller_tiles(solve, compute.tile(32, _TILE[have.device.type]))
    return torch.where(found < 0, -1, have[found]).cpu()


def _by_section(test: AnalogyTest, questions: _Questions, right: Tensor) -> tuple[SectionScore, ...]:
    scores = []
    for n, section in enumerate(test.sections):
        own = questions.section == n
        scores.append(
            SectionScore(
                section.name,
                len(section.questions),
                int(own.sum()),
                int(questions.impossible[own].sum()),
                tuple(right[:, own].sum(1).tolist()),
            )
        )
    return tuple(scores)


@dataclass(frozen=True)
class _Questions:
    """Questions that every run can answer, as row numbers; lists that are too short are filled up by repeats.

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


def _answerable(test: AnalogyTest, lookup: Lookup) -> tuple[_Questions, tuple[bytes, ...]]:
    """Find the questions whose words every run has, and the words that some run lacks."""
    every = [(n, question) for n, section in enumerate(test.sections) for question in section.questions]
    row = {word: lookup.row(word) for word in {word: None for _, question in every for word in question}}
    known = [
        (n, question)
        for n, question in every
        if all(row[word] is not None for word in question[:3]) and any(row[word] is not None for word in question[3:])
    ]
    questions = _Questions(
        torch.tensor([[row[word] for word in question[:3]] for _, question in known], device="cpu").view(-1, 3),
        _filled([_variants(lookup, question[:3]) for _, question in known]),
        _filled([_variants(lookup, question[3:]) for _, question in known]),
        torch.tensor([_is_impossible(lookup, question) for _, question in known], dtype=torch.bool, device="cpu"),
        torch.tensor([n for n, _ in known], dtype=torch.long, device="cpu"),
    )
    return questions, tuple(word for word, where in row.items() if where is None)


def _variants(lookup: Lookup, words: Sequence[bytes]) -> list[int]:
    return [row for word in words for row in lookup.rows(word)]


def _is_impossible(lookup: Lookup, question: Question) -> bool:
    return {lookup.key(word) for word in question[3:]} <= {lookup.key(word) for word in question[:3]}


def _filled(lists: list[list[int]]) -> Tensor:
    """``(q, longest)``; shorter lists repeat their first number."""
    longest = max(map(len, lists), default=0)
    return torch.tensor([own + own[:1] * (longest - len(own)) for own in lists], device="cpu").view(len(lists), longest)
