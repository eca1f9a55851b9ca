"""From a text and a background to samples with their counts of context words and their null pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from gpustab.errors import InputError
from gpustab.results.page import counted
from gpustab.runs.runs import Runs
from gpustab.spaces.words import some_words
from gpustab.studies.consistency import terms as chosen_terms
from gpustab.studies.consistency.background import Frequencies, frequencies, keeping
from gpustab.studies.consistency.contexts import context_counts, kept_tokens
from gpustab.studies.consistency.nulls import NullPairs
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Samples, draw_samples, of_members
from gpustab.studies.consistency.text import Ids, Term, Text, joined


class Prepared(NamedTuple):
    """What all models of one background share.

    Attributes:
        text: with terms of several words joined.
        samples: P of them.
        found: the text's words in the background.
        kept: ``(n,)`` tokens that subsampling left.
        counts: ``(P, v)`` context words of every sample.
        words: ``(P,)`` how many those are.
        allowed: null pairs of the samples.
        notes: sentences on all of it.
    """

    text: Text
    samples: Samples
    found: Frequencies
    kept: NDArray[np.bool_]
    counts: sparse.csr_matrix
    words: Tensor
    allowed: NullPairs
    notes: list[str]

    @property
    def own(self) -> Tensor:
        """``(P,)`` background row of every sample's term, −1 for none."""
        return torch.from_numpy(self.found.rows[self.samples.terms[self.samples.term]]).to(self.words.device)

    def of(self, samples: Samples, runs: Runs, options: ConsistencyOptions) -> Prepared:
        """Return the same of other samples."""
        counts = context_counts(self.text, samples, self.found.rows, runs.words, self.kept, options)
        return self.with_counts(samples, counts)

    def with_counts(self, samples: Samples, counts: sparse.csr_matrix) -> Prepared:
        """Return the same of samples with other context words, ``(P, v)``."""
        words = torch.from_numpy(np.asarray(counts.sum(1)).ravel()).to(self.words.device)
        return self._replace(samples=samples, counts=counts, words=words, allowed=NullPairs(samples, words))


def prepare(
    text: Text,
    asked: list[Term] | None,
    runs: Runs,
    options: ConsistencyOptions,
    device: torch.device,
    given: Samples | None = None,
) -> Prepared:
    """Return samples of the terms with their context words.

    Args:
        text: as it was read.
        asked: terms of a file; ``None`` where they are drawn or keywords.
        runs: the background.
        options: of the study.
        device: where tensors shall lie.
        given: samples that were not drawn from the text, but came with it.

    Raises:
        InputError: if fewer than two terms have samples, or the background knows none of the text's words.
    """
    text = joined(text, asked or [])
    found = frequencies(text, runs)
    _want_known(text, runs, found)
    chance, said = keeping(text, found, options)
    kept = kept_tokens(text, chance, options.seed)
    samples, notes = (given, []) if given is not None else _drawn(text, asked, found, options)
    counts = context_counts(text, samples, found.rows, runs.words, kept, options)
    there = torch.from_numpy(np.asarray(counts.sum(1)).ravel()).to(device)
    notes = [*_of_text(text), *notes, said]
    prepared = Prepared(text, samples, found, kept, counts, there, NullPairs(samples, there), notes)
    full, lost = _without_empty(samples, prepared.words.cpu().numpy())
    if lost:
        names = some_words([text.words[k] for k in lost])
        prepared.notes.append(
            f"{counted(len(lost), 'term', 'has/have')} a sample without any context word that the background knows "
            f"and {'is' if len(lost) == 1 else 'are'} left out: {names}."
        )
        chosen_terms.want_two(text, full.terms.tolist(), options)
        prepared = prepared.of(full, runs, options)
    if not prepared.allowed.any():
        raise InputError(
            f"{text.name}: no two terms have samples without a common sentence and with like numbers of context words, "
            "so there is no null level; give more terms or more text"
        )
    return prepared


def _drawn(
    text: Text, asked: list[Term] | None, found: Frequencies, options: ConsistencyOptions
) -> tuple[Samples, list[str]]:
    words, notes = _terms(text, asked, found, options)
    chosen_terms.want_two(text, words, options)
    return draw_samples(text, words, options), notes


def _terms(
    text: Text, asked: list[Term] | None, found: Frequencies, options: ConsistencyOptions
) -> tuple[list[int], list[str]]:
    if asked is not None:
        return chosen_terms.listed(text, asked, options)
    if options.terms == "keywords":
        return chosen_terms.keywords(text, found.counts, found.total, options)
    return chosen_terms.drawn(text, options)


def _without_empty(samples: Samples, words: NDArray[np.float64]) -> tuple[Samples, list[int]]:
    """Return the samples of the terms all of whose samples have context words, and the other terms."""
    bad = np.bincount(samples.term, words == 0, len(samples.terms)) > 0
    good = ~bad[samples.term[samples.owner]]
    kept = of_members(samples.terms, samples.term, samples.owner[good], samples.members[good])
    return kept, samples.terms[bad].tolist()


def _want_known(text: Text, runs: Runs, found: Frequencies) -> None:
    known = found.rows[text.tokens] >= 0
    if not known.any():
        raise InputError(f"'{runs.name}' knows none of the {len(text.words):,} words of {text.name}")


def _of_text(text: Text) -> list[str]:
    n = len(text.starts) - 1
    parts = counted(n, "different sentence"), counted(len(text.tokens), "token"), text.documents[-1] + 1
    said = f"{text.name}: {parts[0]}, {parts[1]}, {counted(parts[2], 'document')}."
    if not text.duplicates:
        return [said]
    share = text.duplicates / (n + text.duplicates)
    return [
        said,
        f"{counted(text.duplicates, 'sentence', 'was/were')} left out ({share:.1%}), since the same words had stood "
        "before: else consistency would be the finding of copies.",
    ]


def known_share(text: Text, rows: Ids) -> float:
    """Return the share of tokens that the background knows."""
    return float((rows[text.tokens] >= 0).mean())
