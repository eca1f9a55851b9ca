"""Consistency whose answer is known, and rows of tables."""

import numpy as np
import torch

from gpustab.small_data.text import Samples
from gpustab.studies.consistency.measures import consistency_of


def row(kind, **values):
    """A row of a table with some of its values; the others are none."""
    unknown = set(values) - set(kind._fields)
    assert not unknown, unknown
    return kind(**{name: values.get(name) for name in kind._fields})


def samples_of(terms, parts=5):
    """Samples of terms, each of one sentence of its own."""
    term = np.repeat(np.arange(terms), parts)
    return Samples(np.arange(terms), term, np.arange(len(term)), np.arange(len(term) + 1))


def drawn_consistency(terms, signal, generator, parts=5, d=20):
    """The consistency of vectors of a common mean, with a share of the term's own."""
    x = 1 + 2 * torch.randn(terms, parts, d, generator=generator, dtype=torch.float64)
    x += signal * torch.randn(terms, 1, d, generator=generator, dtype=torch.float64)
    samples = samples_of(terms, parts)
    term = torch.from_numpy(samples.term)
    return consistency_of(x.flatten(0, 1), samples, term[:, None] != term)
