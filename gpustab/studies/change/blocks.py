"""The test of single words on the text of the epochs that were measured."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.slices import by_epoch, epoch_slices
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import InputError, near, option
from gpustab.machine.progress import Progress
from gpustab.runs.group import Group
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.series import Series
from gpustab.studies.shared.finished import Finished, digest_of
from gpustab.studies.shared.made import made_of, reading_of

COLUMNS = ("first", "second", "word", "change", "expected", "z", "p", "q", "found")


class Text:
    """The documents of the epochs, read as for the training, with their authors.

    Args:
        series: whose epochs these are.
        options: with a column of authors, and the corpus if the run set does not tell it.
        report: told that it is being read.

    Attributes:
        names: of the epochs.
        epochs: their documents.

    Raises:
        InputError: if no corpus is known, an epoch is not called by its years, or a document has no author.
    """

    def __init__(self, series: Series, options: ChangeOptions, report: Progress) -> None:
        made = next((own for group in series.members if isinstance(group, Group) and (own := made_of(group))), {})
        place = options.corpus or (made["corpus"]["name"] if made else None)
        if place is None:
            raise InputError(f"these runs do not tell their corpus; {option('corpus')} names it")
        self.names = series.epochs
        years = [re.fullmatch(r"(-?\d+)-(-?\d+)", name) for name in self.names]
        if not made.get("epochs_by") and not all(years):
            raise InputError(
                f"{option('corpus')} needs periods that are called by their years, not {', '.join(self.names)}"
            )
        report(f"reading {place}", 0.0)
        try:
            corpus = prepare_corpus(place, reading_of(made) if made else CorpusOptions())
        except InputError as error:
            if options.corpus is not None:
                raise
            raise InputError(
                f"the run set's corpus cannot be read again ({error}); {option('corpus')} names it"
            ) from None
        if made.get("epochs_by"):
            parts = {own.part[0][1]: own.corpus for own in epoch_slices(corpus, made["epochs_by"])}
        else:
            found = by_epoch(corpus, [(int(own[1]), int(own[2])) for own in years if own])
            parts = {own.part[0][1]: own.corpus for own in found}
        if lacking := [name for name in self.names if name not in parts]:
            raise InputError(f"{corpus.name} has no period {', '.join(lacking)}; it has {', '.join(parts)}")
        self.epochs = [parts[name] for name in self.names]
        _check_authors(str(options.authors), self)


def _check_authors(column: str, text: Text) -> None:
    """See before the work that every document has an author.

    Raises:
        InputError: if there is no such column, or it is empty somewhere.
    """
    records = [record for own in text.epochs for record in own.records]
    lacking = [record.id for record in records if not record.metadata.get(column)]
    if not lacking:
        return
    known = sorted({name for record in records for name in record.metadata})
    raise InputError(
        f"{option('authors', column)}: {len(lacking)} of {len(records)} documents have none (first '{lacking[0]}')"
        f"{near(column, known)}; columns are {', '.join(known) or 'none'}"
    )


def discovered_words(
    text: Text, options: ChangeOptions, report: Progress, finished: Finished | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the words of every two consecutive epochs, with whether their contexts differ beyond the authors'.

    Args:
        text: the documents of the epochs.
        options: with their column of authors.
        report: told how far the work is.
        finished: deals that an earlier call had measured.

    Raises:
        InputError: as the functions of :mod:`gpustab.studies.change.permutation`.
    """
    from gpustab.studies.change.permutation import discoveries, documents_of

    finished = finished or Finished(None)
    for (first, one), (second, two) in pairwise(zip(text.names, text.epochs, strict=True)):

        def told(part: float, what: str = f"{first} to {second}") -> None:
            report(f"dealing out {options.authors}: {what}", 0.9 + 0.1 * part)

        authors = [record.metadata[str(options.authors)] for own in (one, two) for record in own.records]
        said = [first, second, options.min_count, options.seed, options.authors, authors]
        once = partial(_once, finished, digest_of(said, one.tokens, two.tokens))
        documents = documents_of([one, two], str(options.authors), min_count=options.min_count)
        for row in discoveries(documents, deals=options.deals, seed=options.seed, told=told, once=once):
            yield {"first": first, "second": second, **row._asdict(), "found": row.q <= options.rate}


def _once(finished: Finished, of: str, number: int, measured: Callable[[], NDArray[np.float64]]) -> NDArray[np.float64]:
    """The changes of a deal, measured if no earlier call has: a stopped call goes on with the next deal."""
    key = digest_of(of, number)
    found: NDArray[np.float64] | None = finished.get(key)
    if found is None:
        found = measured()
        finished.put(key, found)
    return found
