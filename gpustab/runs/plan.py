"""Planning one vocabulary for several runs: which words, in which order, and where each run has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count, islice
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError, option, some_of
from gpustab.runs.joining import FORMS, LEAST_SHARE, Joining, Rule, in_one_form
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import show

_SAMPLE = 5


class Numbering:
    """The distinct words of several runs, numbered from 0 in the order in which they first come.

    Example:
        >>> numbering = Numbering()
        >>> numbering.take([b"the", b"of"]).tolist(), numbering.take([b"and", b"the"]).tolist()
        ([0, 1], [2, 0])
        >>> list(numbering)
        [b'the', b'of', b'and']
    """

    def __init__(self) -> None:
        # A word that is missing gets the next number: no line of Python for any word.
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[bytes]:
        """Go through the words by number."""
        return iter(self._numbers)

    def take(self, words: Collection[bytes]) -> NDArray[np.int64]:
        """Return the numbers of some words, ``(n,)``; those that are new join."""
        return np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(words))


class Header(NamedTuple):
    """What joining needs to know of one run: everything but its vectors.

    Attributes:
        name: of the run.
        numbers: ``(v_r,)`` of its words, see :class:`Numbering`.
        counts: ``(v_r,)`` or ``None``.
        defined: ``(v_r,)`` bool; False for a zero vector, which has no cosine.
    """

    name: str
    numbers: NDArray[np.int64]
    counts: Tensor | None
    defined: Tensor


def headers_of(spaces: Sequence[Space]) -> tuple[list[bytes], list[Header]]:
    """Return the distinct words of some runs, by number, and their headers."""
    numbering = Numbering()
    # Many runs may share one vocabulary.
    distinct = {id(space.vocabulary): space.vocabulary for space in spaces}
    numbers = {which: numbering.take(own) for which, own in distinct.items()}
    headers = [
        Header(space.name, numbers[id(space.vocabulary)], space.counts, space.vectors.any(dim=1)) for space in spaces
    ]
    return list(numbering), headers


class Plan(NamedTuple):
    """A joined vocabulary and where its words stand in every run.

    Attributes:
        vocabulary: the joined words in canonical order.
        counts: ``(v,)`` total counts, or ``None`` unless every run has counts.
        joining: the account of what was kept and dropped.
        rows: for every run ``(v,)`` row numbers, −1 where the run lacks the word.
    """

    vocabulary: Vocabulary
    counts: Tensor | None
    joining: Joining
    rows: list[Tensor]


def plan_join(
    words: Sequence[bytes], headers: Sequence[Header], *, vocabulary: Rule = "joint", min_runs: int | None = None
) -> Plan:
    """Find the joined vocabulary of several runs.

    The order is: descending total count where every run has counts, else mean position in the runs; ties by bytes.
    So nothing depends on the order in which the runs are given. A zero vector is undefined in its run: under the
    joint rule the word is left out and reported.

    Args:
        words: of all runs, by number.
        headers: one per run.
        vocabulary: ``"joint"`` keeps the words of all runs, ``"union"`` those of at least ``min_runs``.
        min_runs: under ``"union"``; default 2, since a word in one run has no stability.

    Raises:
        InputError: if fewer than two words are left, a run has zero vectors only, or ``min_runs`` is impossible.
    """
    runs = len(headers)
    if vocabulary == "joint" and min_runs is not None:
        raise InputError(f"{option('min_runs')} is for {option('vocabulary', 'union')}: joint words are in all runs")
    for one in headers:
        if not one.defined.any():
            raise InputError(
                f"{one.name}: all of its {len(one.numbers):,} vectors are zero, so no word of it has a direction"
            )
    need = runs if vocabulary == "joint" else (min(2, runs) if min_runs is None else min_runs)
    if not 1 <= need <= runs:
        raise InputError(f"{option('min_runs')} is {min_runs}, wanted 1 to {runs} for {runs} runs")
    has, defined = np.zeros(len(words), np.int64), np.zeros(len(words), np.int64)
    for one in headers:
        has[one.numbers] += 1
        defined[one.numbers] += one.defined.numpy()
    counts = _total_counts(headers, len(words))
    order = _canonical_order(words, headers, has, counts)
    keep = order[defined[order] >= need]
    dropped, enough = order[has[order] < need], order[has[order] >= need]
    composed, form = _composed(words, headers, dropped, enough, need)
    if len(keep) < 2:
        shared = int((has >= need).sum())
        nothing = _nothing_shared(words, headers, len(keep), need, composed, form)
        raise InputError(_all_zero(headers, shared) if shared > 1 else nothing)
    undefined = order[(has[order] >= need) & (defined[order] < has[order])]
    smallest = min(len(one.numbers) for one in headers)
    return Plan(
        Vocabulary.from_index({words[i]: k for k, i in enumerate(keep.tolist())}),
        None if counts is None else torch.from_numpy(counts[keep]),
        Joining(
            vocabulary,
            need,
            len(words),
            len(dropped),
            tuple(words[i] for i in dropped[:_SAMPLE]),
            len(undefined),
            tuple(words[i] for i in undefined[:_SAMPLE]),
            smallest,
            len(_folded(words, headers)) if len(keep) < LEAST_SHARE * smallest else 0,
            composed,
            form,
        ),
        [_rows_of(one.numbers, keep, len(words)) for one in headers],
    )


def take_rows(vectors: Tensor, rows: Tensor) -> Tensor:
    """Return a copy of the given rows, zero where the row number is −1."""
    return vectors[rows.clamp(min=0)].masked_fill_((rows < 0)[:, None], 0)


def _total_counts(headers: Sequence[Header], n: int) -> NDArray[np.int64] | None:
    total = np.zeros(n, np.int64)
    for one in headers:
        if one.counts is None:
            return None
        total[one.numbers] += one.counts.numpy()
    return total


def _canonical_order(
    words: Sequence[bytes], headers: Sequence[Header], has: NDArray[np.int64], counts: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    positions = np.zeros(len(words), np.int64)
    for one in headers:
        positions[one.numbers] += np.arange(len(one.numbers))
    key = positions / has if counts is None else -counts
    by_bytes = np.array(sorted(range(len(words)), key=words.__getitem__), dtype=np.int64)
    return by_bytes[np.argsort(key[by_bytes], kind="stable")]


def _rows_of(own: NDArray[np.int64], keep: NDArray[np.int64], n: int) -> Tensor:
    row_of = np.full(n, -1, np.int64)
    row_of[own] = np.arange(len(own))
    return torch.from_numpy(row_of[keep])


def _all_zero(headers: Sequence[Header], shared: int) -> str:
    """Words are shared, but not with a vector: which runs hold zeros, and how many."""
    zeros = [(h.name, int((~h.defined).sum()), len(h.numbers)) for h in headers if not h.defined.all()]
    shown = some_of([f"{name} ({n:,} of {of:,} words)" for name, n, of in zeros], _SAMPLE)
    return (
        f"{shared:,} words are in the runs, but a vector of zeros has no direction, and fewer than two words have "
        f"another in as many runs as they must; zero vectors are in {shown}"
    )


def _composed(
    words: Sequence[bytes], headers: Sequence[Header], dropped: NDArray[np.int64], kept: NDArray[np.int64], need: int
) -> tuple[int, str]:
    """Count the dropped words that enough runs would have if all were spelled in one form: the one that joins most.

    It is no matter of some files where as many words that are kept would be spelled otherwise too ("m²" and "m2").
    """
    texts = [_text(words[i]) for i in dropped.tolist()]
    smallest = min(len(one.numbers) for one in headers)
    best = 0, ""
    for name, form in FORMS.items():
        mended = {k: own for k, text in enumerate(texts) if (own := form.mend(text)) != text}
        numbers = {own: number for number, own in enumerate(dict.fromkeys(mended.values()))}
        if not numbers:
            continue
        form_of = np.full(len(words), -1, np.int64)  # what no other word is mended to stays as it is
        form_of[dropped] = [numbers.get(mended.get(k, text), -1) for k, text in enumerate(texts)]
        has = np.zeros(len(numbers), np.int64)
        for one in headers:
            found = np.unique(form_of[one.numbers])
            has[found[found >= 0]] += 1
        joined = int((has >= need).sum())
        often = 3 * joined >= len(texts) if form.least else joined > _otherwise(form.mend, words, kept, joined)
        if joined > best[0] and joined >= form.least * smallest and often:
            best = joined, name
    return best


def _otherwise(mend: Callable[[str], str], words: Sequence[bytes], kept: NDArray[np.int64], most: int) -> int:
    """Count the kept words that a form changes, up to so many."""
    changed = (i for i in kept.tolist() if mend(text := _text(words[i])) != text)
    return sum(1 for _ in islice(changed, most))


def _text(word: bytes) -> str:
    return word.decode("utf-8", "surrogateescape")


def letter_case(words: Sequence[bytes], headers: Sequence[Header], kept: int) -> str:
    """Return what is to be said where letter case keeps most words apart, else nothing."""
    return _letter_case(len(_folded(words, headers)), 2 * kept)


def _letter_case(lower: int, kept: int) -> str:
    return f"; {lower:,} would be if letter case did not count" if lower > kept else ""


def _nothing_shared(
    words: Sequence[bytes], headers: Sequence[Header], kept: int, need: int, composed: int, form: str
) -> str:
    case = _letter_case(len(_folded(words, headers)), 1) + (
        f"; {in_one_form(composed, form)}" if composed and form != "case" else ""
    )
    first = headers[0]
    unlike = min(headers[1:], key=lambda one: float(np.isin(one.numbers, first.numbers).mean()), default=first)
    examples = "; ".join(
        f"{h.name} has {', '.join(show(words[i]) for i in h.numbers[:3])} ..." for h in (first, unlike)
    )
    return (
        f"the runs have {'no word' if not kept else 'only one word'} in common "
        f"({need} of {len(headers)} runs must have it with a non-zero vector){case}: {examples}"
    )


def _folded(words: Sequence[bytes], headers: Sequence[Header]) -> set[bytes]:
    """The words that all runs have with a vector, if letter case does not count."""
    defined = (one.numbers[one.defined.numpy()] for one in headers)
    return set.intersection(*({show(words[i]).lower().encode() for i in own} for own in defined))
