"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.options import Option, Options, Seed


@dataclass(frozen=True)
class UsageOptions(Options):
    """Which usages are compared, and how.

    Attributes:
        epochs_by: the periods: ``year:1850-1949:50`` of fifty years each, ``year:1790-1900,1950-2020`` of these years,
            or a column whose values they are.
        words: file of the words that are looked at, one a line.
        targets: without such a file, so many words are drawn at random, of those in enough documents of every period.
        most: of a word in a period so many occurrences are read at most, spread over as many documents as they can be.
        layer: whose states a usage is; 0 is the input embedding, -1 the last.
        centre: what is taken out of every usage: the mean of ``"all"`` words of all sentences that are read; or that of
            the other words of its own ``"sentence"``, which lessens what style and topic do to all words alike.
        deals: how often the documents are dealt out to the two periods anew; in all ways there are, if these are no
            more.
        rate: of false discoveries among the words that are found.
        truth: table of words that people judged, as of RuShiftEval, DWUG or SemEval: a word and numbers, with tabs
            between. Its words are looked at too, and every measure is to rank them.
        truth_columns: its columns by name, or by number from 1, each with what a high value says of a word:
            ``change_graded:changed``, or ``COMPARE:unchanged`` of relatedness. Of more than two periods the earlier of
            those that it is about comes after: ``COMPARE:unchanged:1850-1899``.
        seed: of all draws.
    """

    epochs_by: str = ""
    words: Annotated[str | None, Option(flags=("--words", "-w"), metavar="FILE", reads=True)] = None
    targets: Annotated[int, Option(low=1)] = 100
    most: Annotated[int, Option(low=6)] = 100
    layer: int = -1
    centre: Literal["all", "sentence"] = "all"
    deals: Annotated[int, Option(low=99)] = 9999
    rate: Annotated[float, Option(above=0, below=1)] = 0.05
    truth: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    truth_columns: Annotated[tuple[str, ...], Option(metavar="NAME:changed,NAME:unchanged,...")] = ()
    seed: Seed = 0

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        if self.truth_columns and self.truth is None:
            raise InputError(f"{option('truth_columns')} has no effect: give their file, {option('truth', ...)}, too")
