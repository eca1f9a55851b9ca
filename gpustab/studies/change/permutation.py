"""Do contexts differ between two epochs beyond the sampling of authors? Blocks of documents are permuted.

A block is what one author (president, newspaper) wrote; documents of one author are not exchangeable, so blocks are
dealt out to the epochs anew. Each deal is measured as the true one is: co-occurrence, PPMI, singular vectors,
alignment, 1 − cosine. A word's statistic is its change less the mean over the deals, in SDs, compared with the same of
all words in all deals (each against the other deals), and cut by Benjamini and Hochberg. Without pooling, B deals
resolve p ≥ 1/(B + 1) only, with which no word among hundreds can be found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from gpustab.corpus.cooccurrence import count
from gpustab.corpus.corpus import Corpus
from gpustab.errors import InputError
from gpustab.kernels.displacement import moved
from gpustab.trainers.ppmi_svd import factor, ppmi

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


class Documents(NamedTuple):
    """What is needed of the documents of two epochs.

    Attributes:
        words: ``(v,)`` those that are frequent enough in both.
        pairs: ``(m, p)`` co-occurrences of every document; columns are pairs of words ``i · v + j``.
        columns: ``(p,)`` which pair a column is.
        epoch: ``(m,)`` 0 or 1.
        block: ``(m,)`` number of the author.
    """

    words: list[str]
    pairs: sparse.csr_matrix
    columns: NDArray[np.int64]
    epoch: Labels
    block: Labels


class Discovery(NamedTuple):
    """One word.

    Attributes:
        word: the word.
        change: 1 − cosine between the two epochs.
        expected: mean over the deals.
        z: how many of their SDs the change lies above that.
        p: share of the pooled deals with a z as large.
        q: smallest rate of false discoveries at which the word is found.
    """

    word: str
    change: float
    expected: float
    z: float
    p: float
    q: float


def documents_of(epochs: Sequence[Corpus], column: str, *, min_count: int, window: int = 5) -> Documents:
    """Count the pairs of words in every document of two epochs.

    Args:
        epochs: two parts of one corpus.
        column: metadata that tells the author.
        min_count: occurrences that a word must have in both.
        window: furthest distance of a pair.

    Raises:
        InputError: if a document has no author, or fewer than three words are frequent enough.
    """
    first, second = (np.bincount(own.tokens, minlength=len(own.vocabulary)) for own in epochs)
    known = np.flatnonzero((first >= min_count) & (second >= min_count))
    if len(known) < 3:
        raise InputError(f"{len(known)} words occur {min_count:,} times in both periods; wanted three or more")
    place = np.full(len(first), len(known), np.int32)
    place[known] = np.arange(len(known), dtype=np.int32)
    rows = [_flat(own, k, place, len(known), window) for own in epochs for k in range(len(own.records))]
    authors = [record.metadata.get(column, "") for own in epochs for record in own.records]
    if not all(authors):
        raise InputError(f"{authors.count('')} of {len(authors)} documents have no {column}")
    matrix = sparse.vstack(rows).tocsc()
    columns = np.flatnonzero(np.diff(matrix.indptr))
    return Documents(
        [epochs[0].vocabulary.text(int(k)) for k in known],
        matrix[:, columns].tocsr(),
        columns,
        np.repeat([0, 1], [len(own.records) for own in epochs]),
        np.unique(authors, return_inverse=True)[1],
    )


def _flat(corpus: Corpus, k: int, place: NDArray[np.int32], words: int, window: int) -> sparse.csr_matrix:
    """Co-occurrences of one document as a row; words that are not asked for keep their places."""
    start, stop = corpus.documents[k], corpus.documents[k + 1]
    texts = corpus.texts[start : stop + 1]
    tokens = place[corpus.tokens[texts[0] : texts[-1]]]
    found = count(tokens, texts - texts[0], words + 1, window, "flat", kept=tokens < words)[:words, :words].tocoo()
    flat = found.row.astype(np.int64) * words + found.col
    return sparse.csr_matrix((found.data, (np.zeros(len(flat), np.int64), flat)), (1, words * words))


def changes(documents: Documents, epoch: Labels, dim: int) -> Floats:
    """Return how far every word moved between two sets of documents, ``(v,)``."""
    spaces = []
    for which in (0, 1):
        v = len(documents.words)
        sums = np.asarray((sparse.csr_matrix((epoch == which).astype(np.float64)) @ documents.pairs).todense()).ravel()
        counts = sparse.csr_matrix((sums, (documents.columns // v, documents.columns % v)), (v, v))
        counts.eliminate_zeros()
        spaces.append(torch.from_numpy(factor(ppmi(counts), min(dim, v - 1), 0.5, 0)))
    unit = [torch.nn.functional.normalize(own, dim=1) for own in spaces]
    return np.asarray(moved(*unit).numpy(), np.float64)


def deal(documents: Documents, rng: np.random.Generator) -> Labels:
    """Return new epochs: whole blocks, in random order, until the first has as many documents as it had.

    A block that is in both epochs is two, one in each, so that time can differ within an author too.
    """
    block = documents.block * 2 + documents.epoch
    names, sizes = np.unique(block, return_counts=True)
    wanted = int((documents.epoch == 0).sum())
    order = rng.permutation(len(names))
    before = np.cumsum(sizes[order]) - sizes[order] / 2
    first = names[order[before < wanted]]
    return np.where(np.isin(block, first), 0, 1)


def discoveries(
    documents: Documents,
    *,
    deals: int = 39,
    dim: int = 50,
    seed: int = 0,
    told: Callable[[float], None] | None = None,
    once: Callable[[int, Callable[[], Floats]], Floats] | None = None,
) -> list[Discovery]:
    """Return all words, those of lowest q first.

    Args:
        documents: of two epochs.
        deals: how often blocks are dealt out.
        dim: of the spaces.
        seed: of the deals.
        told: called with the finished part.
        once: gives the changes of a deal by its number, measuring them if nobody has; default: measured.

    Raises:
        InputError: for fewer than nine deals, or fewer than six blocks.
    """
    blocks = len(np.unique(documents.block * 2 + documents.epoch))
    if deals < 9 or blocks < 6:
        raise InputError(f"{deals} deals of {blocks} blocks; wanted nine or more, and six blocks or more")
    from scipy.stats import false_discovery_control

    rng = np.random.default_rng(seed)
    true = changes(documents, documents.epoch, dim)
    dealt = []
    for k in range(deals):
        epoch = deal(documents, rng)  # dealt even if it is measured already, since the next one follows it
        measured = partial(changes, documents, epoch, dim)
        dealt.append(once(k, measured) if once else measured())
        if told:
            told((k + 1) / deals)
    null = np.stack(dealt)
    z, pool = studentised(true, null)
    p = (1 + (len(pool) - np.searchsorted(np.sort(pool), z))) / (1 + len(pool))
    q = false_discovery_control(p)
    rows = zip(documents.words, true.tolist(), null.mean(0).tolist(), z.tolist(), p.tolist(), q.tolist(), strict=True)
    return sorted((Discovery(*row) for row in rows), key=lambda row: (row.q, -row.z, row.word))


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
