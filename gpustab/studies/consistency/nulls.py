"""Which pairs of samples are of different terms, and may be compared with those of one term."""

from __future__ import annotations

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from gpustab.studies.consistency.samples import Samples

_WHOLE = 1 << 24
"""So many pairs are kept; of more samples (4,096) they are found block by block, whenever they are wanted."""


class NullPairs:
    """Null pairs of P samples: of different terms, without a common sentence, of like numbers of context words.

    Those numbers are within a factor of two of each other. ``pairs[3:8]`` gives the rows of some samples, ``(5, P)``
    bool: all rows together would take 400 MB at P = 20,000.

    Args:
        samples: P of them.
        words: ``(P,)`` context words of each.
    """

    def __init__(self, samples: Samples, words: Tensor) -> None:
        self._term = torch.from_numpy(samples.term).to(words.device)
        self._words = words
        found, column = np.unique(samples.members, return_inverse=True)
        ones = np.ones(len(column), dtype=np.int32)
        self._incidence = sparse.csr_matrix((ones, (samples.owner, column)), (len(samples.term), len(found)))
        self._sentences = self._incidence.T.tocsr()
        self._kept = self._rows(slice(0, len(words))) if len(words) ** 2 <= _WHOLE else None

    def __len__(self) -> int:
        return len(self._words)

    def __getitem__(self, rows: slice) -> Tensor:
        """Return rows, ``(k, P)``."""
        return self._rows(rows) if self._kept is None else self._kept[rows]

    def any(self) -> bool:
        """Tell whether there is one."""
        size = max(1, _WHOLE // max(len(self), 1))
        return any(bool(self[start : start + size].any()) for start in range(0, len(self), size))

    def _rows(self, rows: slice) -> Tensor:
        mine = self._words[rows, None]
        low, high = torch.minimum(mine, self._words), torch.maximum(mine, self._words)
        shared = torch.from_numpy((self._incidence[rows] @ self._sentences).toarray() > 0)
        return (self._term[rows, None] != self._term) & ~shared.to(mine.device) & (high <= 2 * low)
