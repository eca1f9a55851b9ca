"""Runs that share hardly any word: two languages, two spellings, or a file too many rather than one technique."""

from __future__ import annotations

from collections.abc import Callable

from gpustab.errors import InputError, option
from gpustab.runs.joining import Joining
from gpustab.runs.plan import LEAST_SHARE


def small_overlap(joining: Joining, words: int) -> str | None:
    """Return the sentence on runs that share too few words to speak for them, ``None`` where they share enough.

    Args:
        joining: how they were joined; a pack of before this rule does not know the smallest vocabulary.
        words: how many words came along, those that are undefined somewhere included.
    """
    if not words < LEAST_SHARE * joining.smallest:
        return None
    return (
        f"only {words:,} of {joining.seen:,} words are in common, {words / joining.smallest:.1%} of the smallest "
        f"vocabulary ({joining.smallest:,} words): numbers over so few do not speak for the runs"
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
        raise InputError(f"{found}{hint()}; {ways}")
