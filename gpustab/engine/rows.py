"""The pass for many runs of few words: the cosines of a word in every run, and one product for all pairs of runs.

With ``z_ik`` for row k of ``V_i V_iᵀ``, the loss of word k is ``‖z_ik − z_jk‖``, and ``‖C_ij‖² = Σ_k ⟨z_ik, z_jk⟩``.
All ``z_ik`` of a word are a matrix ``(R, v)``, whose product with its transpose has the losses of all pairs. That takes
``R v² d + R² v²`` multiplications where the block Gram and the words' losses from it take ``R² v d²``: for 128 runs of
lee (1,738 words, d = 100) a quarter. The nearest neighbours of all words are read from the same cosines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from queue import SimpleQueue

import numpy as np
import torch
from torch import Tensor

from gpustab.engine.finite import require_finite
from gpustab.engine.neighbours import NeighbourPass, neighbour_pass
from gpustab.engine.precision import rounding_error, tolerated, worst_condition
from gpustab.engine.tiles import TilePass
from gpustab.kernels.neighbours import lists_of_cosines
from gpustab.kernels.pip_loss import pip_from_norms
from gpustab.kernels.word_pairs import WordwisePip, of_all_pairs
from gpustab.machine.device import Compute, free_memory
from gpustab.machine.out_of_memory import telling_memory, with_smaller_tiles
from gpustab.machine.threads import side_by_side, workers
from gpustab.runs.runs import Runs

_WORDS, _COSINES = 64, 1 << 26
"""Words at a time in a thread, and bytes of their cosines: of fewer products are narrow, of more nothing is gained."""


def fewer_products(runs: Runs, compute: Compute, *, wordwise: bool = True) -> bool:
    """Tell whether losses are found sooner by the cosines of every word: on a CPU, of many runs of few words.

    The parts of the rule were measured on one core, of 8 to 128 runs of 500 to 6,000 words, d = 50 to 300: it is right
    to a tenth of the time. Without the words' losses the block Gram alone is half of the products; it is held besides:
    of 128 runs of lee it takes 5.7 s and 660 MB, the cosines 4.5 s.

    Args:
        runs: the runs.
        compute: how to compute.
        wordwise: whether the words' losses are asked for.
    """
    if compute.device.type != "cpu" or compute.dtype != torch.float64 or compute.precision == "fast":
        return False
    r, v, d = len(runs), runs.words, runs.dimension
    free = compute.ranks.least(free_memory(compute.device) if compute.memory is None else compute.memory)
    if 8 * r * v * d > free // 4:
        return False
    return 2 * v * d + (1.4 * r + 20) * v < (1 + wordwise) * r * d**2


class _Lists:
    """The k nearest neighbours of every word in every run, as the cosines of some words come up."""

    def __init__(self, runs: Runs, k: int) -> None:
        shape = (len(runs), runs.words, k)
        self.runs = runs
        self.found = NeighbourPass(
            torch.arange(runs.words, device=runs.device),
            k,
            torch.empty(shape, dtype=torch.long, device=runs.device),
            torch.empty(shape, dtype=torch.float64, device=runs.device),
            torch.empty(shape, dtype=torch.bool, device=runs.device),
            runs.present,
        )
        self.proven = torch.zeros(len(runs), runs.words, dtype=torch.bool, device=runs.device)

    def add(self, words: slice, cosines: Tensor) -> None:
        """Read the lists of some words from their cosines ``(c, R, v)``, which are used up."""
        found = self.found
        lists, proven = lists_of_cosines(cosines, found.targets[words], found.k, self.runs.dimension)
        self.proven[:, words] = proven.T
        for field, its in zip((found.indices, found.cosines, found.tied), lists, strict=True):
            field[:, words] = its.transpose(0, 1)

    def whole(self, compute: Compute) -> NeighbourPass:
        """Search once more for the lists that are not proven, and return all."""
        left = (~self.proven.all(0)).nonzero().flatten()
        if len(left):
            again = neighbour_pass(self.runs, left, self.found.k, compute)
            for name in ("indices", "cosines", "tied"):
                getattr(self.found, name)[:, left] = getattr(again, name)
        return self.found


def _prepared(runs: Runs, counted: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """Return the rows of every run, and those of them that are counted."""
    spaces = [runs.run(r) for r in range(len(runs))]
    return spaces, spaces if bool(counted.all()) else [space[counted] for space in spaces]


def _cosines(spaces: Sequence[Tensor], columns: Sequence[Tensor], part: slice | Tensor, out: Tensor) -> Tensor:
    """Form the cosines of some words with the counted ones in every run, in ``out`` ``(c, R, v)``."""
    for of_run, space, others in zip(out.unbind(1), spaces, columns, strict=True):
        torch.mm(space[part], others.mT, out=of_run)
    return out


def inner_products(runs: Runs, words: Tensor) -> Iterator[Tensor]:
    """Yield ``⟨z_ik, z_jk⟩`` ``(c, R, R)`` of words k, given by row number, over all joint ones; a few at a time."""
    spaces, columns = _prepared(runs, runs.joint)
    tile = max(1, min(_WORDS, _COSINES // (8 * len(runs) * len(columns[0]))))
    cosines = torch.empty(tile, len(runs), len(columns[0]), dtype=torch.float64, device=runs.device)
    for part in words.split(tile):
        yield _with_itself(_cosines(spaces, columns, part, cosines[: len(part)]))


def _with_itself(x: Tensor) -> Tensor:
    """Products of matrices ``(c, R, v)`` on a CPU with their transposes; NumPy forms one half of each and copies it."""
    values = x.numpy()
    return torch.from_numpy(np.matmul(values, values.swapaxes(1, 2)))


@telling_memory
def rows_pass(
    runs: Runs, compute: Compute, counted: Tensor, nearest: int = 0, *, inner: bool = False
) -> TilePass | None:
    """Measure all pairs of runs and all words; ``None`` where two runs are too near for differences of products.

    Args:
        runs: the runs.
        compute: how to compute.
        counted: ``(v,)`` bool, the words to sum over.
        nearest: how many neighbours of every word are wanted; found where all runs have all words, which all count.
        inner: whether the inner products are wanted.
    """
    same = runs.unit and compute.ranks.world == 1 and bool(counted.all()) and bool(runs.present.all())
    k = min(nearest, runs.words - 1) if same else 0
    spaces, columns = _prepared(runs, counted)
    sums = torch.stack([some.sum(0) for some in columns])
    require_finite(runs, [sums])
    r, words, ranks = len(runs), int(counted.sum()), compute.ranks

    def work(tile: int) -> tuple[Tensor, Tensor, Tensor | None, _Lists | None]:
        lists = _Lists(runs, k) if k else None
        found = torch.zeros(len(WordwisePip._fields), runs.words, dtype=torch.float64, device=runs.device)
        norms = torch.zeros(r, r, dtype=torch.float64, device=runs.device)
        products = torch.zeros(runs.words, r, r, dtype=torch.float64, device=runs.device) if inner else None
        starts = range(ranks.rank * tile, runs.words, ranks.world * tile)
        free: SimpleQueue[Tensor] = SimpleQueue()
        for _ in range(min(jobs, len(starts))):
            free.put(torch.empty(tile, r, words, dtype=torch.float64, device=runs.device))

        def measure(start: int) -> Tensor:
            part, cosines = slice(start, min(start + tile, runs.words)), free.get()
            some = _cosines(spaces, columns, part, cosines[: part.stop - start])
            both = _with_itself(some)  # (c, R, R)
            of_part = both[counted[part]].sum(0)
            if products is not None:
                products[part] = both
            of_words = of_all_pairs(both, words, runs.present[:, part])
            found[:, part] = torch.stack([field.double() for field in of_words])
            if lists:
                lists.add(part, some)
            free.put(cosines)
            return of_part

        for of_part in side_by_side(measure, starts, runs.device):
            norms += of_part
        own = [] if products is None else [products]
        ranks.total_(found, norms, *own)  # what another process measured is 0 here
        return found, norms, products, lists

    jobs = workers(runs.device)
    most = max(1, min(_WORDS, _COSINES // (8 * r * words)))
    tile = min(most, compute.tile(8 * r * (words + 4 * r) * jobs, runs.words))
    found, norms, products, lists = with_smaller_tiles(work, tile, ranks)
    loss = pip_from_norms(norms)
    errors = rounding_error(loss.condition, torch.float64)
    if not bool((errors <= tolerated(compute)).all()):
        return None
    squares = torch.stack([some.square().sum() for some in columns])
    of_words = WordwisePip(*found)
    of_words = of_words._replace(pairs=of_words.pairs.long())
    nearest_words = lists.whole(compute) if lists else None
    return TilePass(loss, worst_condition(errors), norms, squares, sums, of_words, nearest_words, products)
