"""How the runs of a group are read and joined, what became of their vocabularies, and whether enough is in common.

Runs that share hardly any word are of two languages, two spellings, or a file too many rather than of one technique.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, NamedTuple

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
        composed: how many of the words left out would be in enough runs if all were spelled in one form.
        form: which one, see :data:`FORMS`; empty where that is not said, then in one normal form of Unicode.
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
    form: str = ""


class Form(NamedTuple):
    """A form in which words that differ by it alone are one.

    Attributes:
        mend: gives a word in it.
        says: what differs, and how words are brought to it.
        least: share of the smallest vocabulary that is no accident.
    """

    mend: Callable[[str], str]
    says: str
    least: float = 0.0


def _once(word: str) -> str:
    try:
        return word.encode("cp1252").decode()
    except UnicodeError:
        return word


_UNSEEN = re.compile("[\xad\u200b-\u200d\u2060\ufeff]")
FORMS = {
    "accents": Form(
        partial(unicodedata.normalize, "NFC"),
        "in one normal form of Unicode: their accents are signs of their own in some files and not in others; write "
        "the words of all by Python's unicodedata.normalize('NFC', ...)",
    ),
    "widths": Form(
        partial(unicodedata.normalize, "NFKC"),
        "in one width: some files have full-width letters or ligatures; write the words of all by Python's "
        "unicodedata.normalize('NFKC', ...)",
    ),
    "unseen": Form(
        lambda word: _UNSEEN.sub("", word),
        "without signs that nobody sees: some files have soft hyphens or spaces of no width in words; write the words "
        r"of all by Python's re.sub('[\xad\u200b-\u200d\u2060\ufeff]', '', ...)",
        0.01,
    ),
    "entities": Form(
        html.unescape,
        "without codes of HTML: some files have &amp; and the like; write the words of all by Python's "
        "html.unescape(...)",
    ),
    "twice": Form(
        _once,
        "in one encoding: some files have UTF-8 that was read as cp1252 (Ã¼ for ü); write their words by Python's "
        "word.encode('cp1252').decode()",
    ),
    "case": Form(
        str.lower,
        "in one letter case: words of some files begin with capitals or have them throughout; write the words of all "
        "in lower case, or train on a text in one case",
        0.05,
    ),
}


def in_one_form(words: int, form: str = "") -> str:
    """Return what is to be said where the forms of words keep them apart.

    Args:
        words: how many, see :class:`Joining`.
        form: see there.
    """
    return f"{words:,} more would be in common {FORMS[form or 'accents'].says}"


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
        form = f"; {in_one_form(joining.composed, joining.form)}" if joining.composed and joining.form != "case" else ""
        raise InputError(f"{found}{hint()}{form}; {ways}")
