"""How the runs of a group are read and joined, what became of their vocabularies, and whether enough is in common.

Runs that share hardly any word are of two languages, two spellings, or a file too many rather than of one technique.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.options import Option, Options

Rule = Literal["joint", "union"]
LEAST_RUNS = 2
"""Stability is measured between runs: fewer are refused."""


@dataclass(frozen=True)
class Loading(Options):
    """How the runs of a group are read and joined.

    Attributes:
        vocabulary: ``"joint"``: words of all runs; ``"union"``: words of at least ``min_runs`` runs. Default: as it was
            packed, or ``"joint"``.
        min_runs: of ``vocabulary`` ``"union"``: runs that a word must be in; default 2.
        centre: subtract the mean over the joint words, before scaling to unit length.
        unit: scale rows to unit length.
        options: how files are read.
        device: where tensors shall lie: ``"cpu"``, ``"cuda"``, ... or ``"auto"``.
        jobs: files read at once, by threads; default one per core.
        allow_small_overlap: measure runs that share fewer than one word in twenty of the smallest vocabulary.
    """

    vocabulary: Rule | None = None
    min_runs: Annotated[int | None, Option(low=1)] = None
    centre: Annotated[bool, Option(flags=("--centre", "--center"))] = False
    unit: Annotated[bool, Option(typed=False)] = True
    options: Annotated[LoadOptions, Option(typed=False)] = LoadOptions()
    device: Annotated[str, Option(typed=False)] = "cpu"
    jobs: Annotated[int | None, Option(low=1)] = None
    allow_small_overlap: bool = False


LEAST_SHARE = 0.05
"""Part of the smallest vocabulary. Bootstrap runs of lee and of sotu (a fifth of the documents drawn, words of 5 counts
and more) shared 24 % and 51 % in 128 runs, 51 % and 75 % in four: one word in twenty is no accident of sampling."""


@dataclass(frozen=True)
class Joining:
    """How the vocabularies of the runs were joined, and which words did not come along.

    Attributes:
        rule: ``"joint"``: words present in all runs; ``"union"``: words present in ``min_runs`` of them.
        min_runs: least number of runs that a word must be in.
        seen: number of distinct words over all runs.
        dropped: words left out because too few runs have them.
        dropped_sample: the first of these in canonical order.
        undefined: words whose vector is zero in some run, so that they have no cosine there.
        undefined_sample: the first of these in canonical order.
        smallest: words of the run that has the fewest; 0 where it is not known.
        folded: where hardly any words are in common, how many would be if letter case did not count; else 0.
        composed: how many of the words left out would be in enough runs if all were in one normal form of Unicode.
    """

    rule: Rule
    min_runs: int
    seen: int
    dropped: int = 0
    dropped_sample: tuple[bytes, ...] = ()
    undefined: int = 0
    undefined_sample: tuple[bytes, ...] = ()
    smallest: int = 0
    folded: int = 0
    composed: int = 0


def in_one_form(words: int) -> str:
    """Return what is to be said where normal forms of Unicode keep words apart.

    Args:
        words: how many, see :class:`Joining`.
    """
    return (
        f"{words:,} more would be in common in one normal form of Unicode: their accents are signs of their own in "
        "some files and not in others; write the words of all by Python's unicodedata.normalize('NFC', ...)"
    )


def small_overlap(joining: Joining, words: int) -> str | None:
    """Return the sentence on runs that share too few words to speak for them, ``None`` where they share enough.

    Args:
        joining: how they were joined; a pack of before this rule does not know the smallest vocabulary.
        words: how many words came along, those that are undefined somewhere included.
    """
    if not words < LEAST_SHARE * joining.smallest:
        return None
    return (
        f"only {words:,} of {joining.seen:,} words are in common, {100 * words / joining.smallest:.1f} % of the "
        f"smallest vocabulary ({joining.smallest:,} words): numbers over so few do not speak for the runs"
    )


def require_overlap(joining: Joining, words: int, allowed: bool, hint: Callable[[], str] = str) -> None:
    """Refuse runs that share too few words.

    Args:
        joining: see :func:`small_overlap`.
        words: see there.
        allowed: whether this was asked for.
        hint: says what may be the cause.

    Raises:
        InputError: unless it is allowed.
    """
    found = small_overlap(joining, words)
    if found and not allowed:
        ways = f"are they of one language, spelling and letter case? {option('allow_small_overlap')} measures them"
        form = f"; {in_one_form(joining.composed)}" if joining.composed else ""
        raise InputError(f"{found}{hint()}{form}; {ways}")
