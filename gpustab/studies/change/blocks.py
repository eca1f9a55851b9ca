"""The test of single words on the text of the epochs that were measured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from gpustab.corpus.slices import by_epoch
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import InputError, option
from gpustab.machine.progress import Progress
from gpustab.studies.change.options import ChangeOptions

COLUMNS = ("first", "second", "word", "change", "expected", "z", "p", "q", "found")


def discovered_words(names: Sequence[str], options: ChangeOptions, report: Progress) -> Iterator[dict[str, Any]]:
    """Yield the words of every two consecutive epochs, with whether their contexts differ beyond the authors'.

    Args:
        names: of the epochs, as ranges of years.
        options: with a corpus and its column of authors.
        report: told how far the work is.

    Raises:
        InputError: if an epoch is not called by its years, or as the functions of
            :mod:`gpustab.studies.change.permutation`.
    """
    from gpustab.studies.change.permutation import discoveries, documents_of

    years = [re.fullmatch(r"(-?\d+)-(-?\d+)", name) for name in names]
    if not all(years) or options.corpus is None or options.authors is None:
        raise InputError(f"{option('corpus')} needs epochs that are called by their years, not {', '.join(names)}")
    report(f"reading {options.corpus}", 0.9)
    corpus = prepare_corpus(options.corpus)
    epochs = by_epoch(corpus, [(int(found[1]), int(found[2])) for found in years if found])
    for (first, one), (second, two) in pairwise(zip(names, epochs, strict=True)):

        def told(part: float, what: str = f"{first} to {second}") -> None:
            report(f"dealing out {options.authors}: {what}", 0.9 + 0.1 * part)

        documents = documents_of([one.corpus, two.corpus], options.authors, min_count=options.min_count)
        for row in discoveries(documents, deals=options.deals, seed=options.seed, told=told):
            yield {"first": first, "second": second, **row._asdict(), "found": row.q <= options.rate}
