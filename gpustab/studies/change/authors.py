"""Do contexts differ between two periods beyond the sampling of authors? Blocks of documents are permuted.

A block is what one author (president, newspaper) wrote; documents of one author are not exchangeable, so blocks are
dealt out to the periods anew. Each deal is measured as the true one is: co-occurrence, PPMI, singular vectors,
alignment, 1 − cosine. A word's statistic is its change less the mean over the deals, in SDs, compared with the same of
all words in all deals (each against the other deals), and cut by Benjamini and Hochberg. Without pooling, B deals
resolve p ≥ 1/(B + 1) only, with which no word among hundreds can be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import false_discovery_control

from gpustab.corpus.cooccurrence import count
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.slices import by_epoch, epoch_slices
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import InputError, near, option
from gpustab.kernels.displacement import moved
from gpustab.machine.progress import Progress
from gpustab.results.page import counted
from gpustab.runs.group import Group
from gpustab.spaces.words import readings
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.series import Series, years_of
from gpustab.studies.change.tables import Discovery
from gpustab.studies.shared.finished import Finished, digest_of
from gpustab.studies.shared.frame import made_of, reading_of
from gpustab.trainers.ppmi_svd import factor, ppmi

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

DIM = 50
"""Of the spaces of a deal."""


class Text:
    """The documents of the periods, read as for the training, with their authors; parts are those of the periods.

    Raises:
        InputError: if no corpus is known, a period is not called by its years, or a document has no author.
    """

    def __init__(self, series: Series, options: ChangeOptions, report: Progress) -> None:
        made = next((how for group in series.members if isinstance(group, Group) and (how := made_of(group))), {})
        place = options.corpus or (made["corpus"]["name"] if made else None)
        if place is None:
            raise InputError(f"these runs do not tell their corpus; {option('corpus')} names it")
        self.names = series.periods
        years = years_of(self.names)
        if not made.get("epochs_by") and not all(years):
            raise InputError(
                f"{option('corpus')} needs periods that are called by their years, not {', '.join(self.names)}"
            )
        report(f"reading {place}", 0.0)
        corpus = _read(place, made, options)
        ranges = [(int(match[1]), int(match[2])) for match in years if match]
        unclear = reading_of(made).unclear_dates if made else "undated"
        by = made.get("epochs_by")
        slices = (
            epoch_slices(corpus, by, unclear_dates=unclear) if by else by_epoch(corpus, ranges, unclear_dates=unclear)
        )
        parts = {part.part[0][1]: part.corpus for part in slices}
        if lacking := [name for name in self.names if name not in parts]:
            raise InputError(f"{corpus.name} has no period {', '.join(lacking)}; it has {', '.join(parts)}")
        self.parts = [parts[name] for name in self.names]
        _check_authors(str(options.authors), self)
        _check_anchors(options, self)


def _read(place: str, made: dict[str, Any], options: ChangeOptions) -> Corpus:
    try:
        return prepare_corpus(place, reading_of(made) if made else CorpusOptions(), look=False)
    except InputError as error:
        if options.corpus is not None:
            raise
        raise InputError(f"the run set's corpus cannot be read again ({error}); {option('corpus')} names it") from None


def _check_authors(column: str, text: Text) -> None:
    """Refuse, before the work, documents without an author."""
    records = [record for part in text.parts for record in part.records]
    lacking = [record.id for record in records if not record.metadata.get(column)]
    if not lacking:
        return
    known = sorted({name for record in records for name in record.metadata})
    raise InputError(
        f"{option('authors', column)}: {len(lacking)} of {len(records)} documents have none (first '{lacking[0]}')"
        f"{near(column, known)}; columns are {', '.join(known) or 'none'}"
    )


def _check_anchors(options: ChangeOptions, text: Text) -> None:
    """Refuse, before the work, anchors that leave the turn of the spaces of the deals open."""
    for (first, one), (second, two) in pairwise(zip(text.names, text.parts, strict=True)):
        known = _frequent([one, two], options.min_count)
        found, dim = (
            len(
                {own for word in options.anchors for own in readings(word)}
                & {one.vocabulary[k] for k in known.tolist()}
            ),
            _dimensions(len(known)),
        )
        if options.anchors and found < dim:
            raise InputError(
                f"{option('anchors')}: {counted(found, 'word', 'is/are', of=len(options.anchors))} frequent enough in "
                f"{first} and {second}, fewer than the {dim} dimensions of the deals of {option('authors')}; name more"
            )


def discovered_words(
    text: Text, options: ChangeOptions, report: Progress, finished: Finished | None = None
) -> Iterator[Discovery]:
    """Yield the words of every two consecutive periods, with whether their contexts differ beyond the authors'.

    Deals that an earlier call had measured are taken from ``finished``.

    Raises:
        InputError: as :func:`documents_of` and :func:`discoveries`.
    """
    for (first, one), (second, two) in pairwise(zip(text.names, text.parts, strict=True)):

        def progress(part: float, what: str = f"{first} to {second}") -> None:
            report(f"dealing out {options.authors}: {what}", 0.9 + 0.1 * part)

        authors = [record.metadata[str(options.authors)] for part in (one, two) for record in part.records]
        depends_on = [first, second, options.min_count, options.seed, options.authors, authors, list(options.anchors)]
        kept = (finished or Finished(None)).of(digest_of(depends_on, one.tokens, two.tokens))
        documents = documents_of([one, two], str(options.authors), min_count=options.min_count)
        how = partial(discoveries, deals=options.deals, seed=options.seed, anchors=options.anchors)
        for word in how(documents, report=progress, finished=kept):
            yield Discovery(first, second, *word, found=word.q <= options.rate)


class Documents(NamedTuple):
    """What is needed of the documents of two periods.

    Attributes:
        words: ``(v,)`` those that are frequent enough in both.
        pairs: ``(m, p)`` co-occurrences of every document; columns are pairs of words ``i · v + j``.
        columns: ``(p,)`` which pair a column is.
        period: ``(m,)`` 0 or 1.
        block: ``(m,)`` number of the author.
    """

    words: list[str]
    pairs: sparse.csr_matrix
    columns: NDArray[np.int64]
    period: Labels
    block: Labels


class Tested(NamedTuple):
    """One word: its name, and the columns of :class:`~gpustab.studies.change.tables.Discovery` that the test gives."""

    word: str
    change: float
    expected: float
    z: float
    p: float
    q: float


def documents_of(periods: Sequence[Corpus], column: str, *, min_count: int, window: int = 5) -> Documents:
    """Count the pairs of words, at most a window apart, in every document of two periods of one corpus.

    Words are those that occur ``min_count`` times in both; a column of the metadata tells the author.

    Raises:
        InputError: if a document has no author, or fewer than three words are frequent enough.
    """
    known = _frequent(periods, min_count)
    if len(known) < 3:
        raise InputError(f"{len(known)} words occur {min_count:,} times in both periods; wanted three or more")
    place = np.full(len(periods[0].vocabulary), len(known), np.int32)
    place[known] = np.arange(len(known), dtype=np.int32)
    rows = [_flat(part, k, place, len(known), window) for part in periods for k in range(len(part.records))]
    authors = [record.metadata.get(column, "") for part in periods for record in part.records]
    if not all(authors):
        raise InputError(f"{authors.count('')} of {len(authors)} documents have no {column}")
    matrix = sparse.vstack(rows).tocsc()
    columns = np.flatnonzero(np.diff(matrix.indptr))
    return Documents(
        [periods[0].vocabulary.text(int(k)) for k in known],
        matrix[:, columns].tocsr(),
        columns,
        np.repeat([0, 1], [len(part.records) for part in periods]),
        np.unique(authors, return_inverse=True)[1],
    )


def _frequent(periods: Sequence[Corpus], min_count: int) -> NDArray[np.int64]:
    """The words that occur so often in both periods."""
    first, second = (np.bincount(part.tokens, minlength=len(part.vocabulary)) for part in periods)
    return np.flatnonzero((first >= min_count) & (second >= min_count))


def _dimensions(words: int, dim: int = DIM) -> int:
    return min(dim, words - 1)


def _flat(corpus: Corpus, k: int, place: NDArray[np.int32], words: int, window: int) -> sparse.csr_matrix:
    """Co-occurrences of one document as a row; words that are too rare keep their places."""
    start, stop = corpus.documents[k], corpus.documents[k + 1]
    texts = corpus.texts[start : stop + 1]
    tokens = place[corpus.tokens[texts[0] : texts[-1]]]
    square = count(tokens, texts - texts[0], words + 1, window, "flat", kept=tokens < words)[:words, :words].tocoo()
    flat = square.row.astype(np.int64) * words + square.col
    return sparse.csr_matrix((square.data, (np.zeros(len(flat), np.int64), flat)), (1, words * words))


def changes(documents: Documents, period: Labels, dim: int, over: torch.Tensor | None = None) -> Floats:
    """Return how far every word moved between two sets of documents, ``(v,)``.

    Args:
        documents: of two periods.
        period: ``(m,)`` in which set each is.
        dim: of the spaces.
        over: ``(v,)`` bool, the words over which the one space is turned onto the other; default: all.
    """
    spaces = []
    for which in (0, 1):
        v = len(documents.words)
        sums = np.asarray((sparse.csr_matrix((period == which).astype(np.float64)) @ documents.pairs).todense()).ravel()
        counts = sparse.csr_matrix((sums, (documents.columns // v, documents.columns % v)), (v, v))
        counts.eliminate_zeros()
        spaces.append(torch.from_numpy(factor(ppmi(counts), _dimensions(v, dim), 0.5, 0)))
    unit = [torch.nn.functional.normalize(space, dim=1) for space in spaces]
    return np.asarray(moved(unit[0], unit[1], over).numpy(), np.float64)


def deal(documents: Documents, rng: np.random.Generator) -> Labels:
    """Return new periods: whole blocks, in random order, until the first has as many documents as it had.

    A block that is in both periods is two, one in each, so that time can differ within an author too.
    """
    block = documents.block * 2 + documents.period
    names, sizes = np.unique(block, return_counts=True)
    wanted = int((documents.period == 0).sum())
    order = rng.permutation(len(names))
    before = np.cumsum(sizes[order]) - sizes[order] / 2
    first = names[order[before < wanted]]
    return np.where(np.isin(block, first), 0, 1)


def discoveries(
    documents: Documents,
    *,
    deals: int = 39,
    dim: int = DIM,
    seed: int = 0,
    anchors: Sequence[str] = (),
    report: Callable[[float], None] | None = None,
    finished: Finished | None = None,
) -> list[Tested]:
    """Return all words, those of lowest q first, after so many deals of the blocks to spaces of so many dimensions.

    Deals that a call had measured before it was stopped are taken from ``finished``, by their numbers. Spaces are
    turned over the words ``anchors``; default: over all.

    Raises:
        InputError: for fewer than nine deals, or fewer than six blocks.
    """
    blocks = len(np.unique(documents.block * 2 + documents.period))
    if deals < 9 or blocks < 6:
        raise InputError(f"{deals} deals of {blocks} blocks; wanted nine or more, and six blocks or more")
    rng = np.random.default_rng(seed)
    over = torch.tensor([word in anchors for word in documents.words], device="cpu") if anchors else None
    true = changes(documents, documents.period, dim, over)
    dealt = []
    for k in range(deals):
        period = deal(documents, rng)  # dealt even if it is measured already, since the next one follows it
        dealt.append((finished or Finished(None)).part(k, partial(changes, documents, period, dim, over)))
        if report:
            report((k + 1) / deals)
    null = np.stack(dealt)
    z, pool = studentised(true, null)
    p = p_values(z, pool)
    q = false_discovery_control(p)
    rows = zip(documents.words, true.tolist(), null.mean(0).tolist(), z.tolist(), p.tolist(), q.tolist(), strict=True)
    return sorted((Tested(*row) for row in rows), key=lambda row: (row.q, -row.z, row.word))


def p_values(z: Floats, pool: Floats) -> Floats:
    """Return which share of the null values is as large, the value itself among them: never 0.

    >>> p_values(np.array([5.0, 1.0, -1.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [0.25, 0.75, 1.0]
    """
    as_large = len(pool) - np.searchsorted(np.sort(pool), z)
    p: Floats = (1 + as_large) / (1 + len(pool))
    return p


def studentised(true: Floats, null: Floats) -> tuple[Floats, Floats]:
    """Return z of every word ``(v,)`` and the pooled z of all deals ``(B · v,)``, each against the other deals.

    To every SD the median SD of the words is added (Tusher, Tibshirani & Chu 2001): words that hardly vary would
    otherwise have z by the dozen in some deal, and no other word could be found.
    """
    sd = null.std(0, ddof=1)
    usual = float(np.median(sd))
    n = len(null)
    means = (null.sum(0) - null) / (n - 1)
    variances = ((null**2).sum(0) - null**2 - (n - 1) * means**2) / (n - 2)
    pool = (null - means) / (np.sqrt(np.maximum(variances, 0)) + usual)
    return (true - null.mean(0)) / (sd + usual), pool.ravel()
