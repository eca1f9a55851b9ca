"""The pass for many runs of few words: the cosines of a word in every run, and one product for all pairs of runs.

With ``z_ik`` for row k of ``V_i V_iᵀ``, the loss of word k is ``‖z_ik − z_jk‖``, and ``‖C_ij‖² = Σ_k ⟨z_ik, z_jk⟩``.
All ``z_ik`` of a word are a matrix ``(R, v)``, whose product with its transpose has the losses of all pairs. That takes
``R v² d + R² v²`` multiplications where the block Gram and the words' losses from it take ``R² v d²``: for 128 runs of
lee (1,738 words, d = 100) a quarter.
"""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.engine.finite import require_finite
from gpustab.engine.precision import rounding_error, tolerated, worst_condition
from gpustab.engine.tiles import TilePass
from gpustab.kernels.arithmetic import product
from gpustab.kernels.pip_loss import pip_from_norms
from gpustab.kernels.word_pairs import WordwisePip, of_all_pairs
from gpustab.machine.device import Compute, free_memory, telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs

_WORDS = 64
"""Words at a time: of fewer the products are narrow, of more nothing is gained."""


def fewer_products(runs: Runs, compute: Compute) -> bool:
    """Tell whether words' losses are found sooner by the cosines of every word: on a CPU, of many runs of few words.

    The parts of the rule were measured on one core, of 8 to 128 runs of 500 to 6,000 words, d = 50 to 300: it is right
    to a tenth of the time.
    """
    if compute.device.type != "cpu" or compute.dtype != torch.float64 or compute.precision == "fast":
        return False
    r, v, d = len(runs), runs.words, runs.dimension
    free = compute.ranks.least(free_memory(compute.device) if compute.memory is None else compute.memory)
    if 8 * r * v * d > free // 4:
        return False
    return 2 * v * d + (1.4 * r + 20) * v < 2 * r * d**2


@telling_memory
def rows_pass(runs: Runs, compute: Compute, counted: Tensor) -> TilePass | None:
    """Measure all pairs of runs and all words; ``None`` where two runs are too near for differences of products.

    Args:
        runs: the runs.
        compute: how to compute.
        counted: ``(v,)`` bool, the words to sum over.
    """
    spaces = [runs.run(r) for r in range(len(runs))]
    columns = spaces if bool(counted.all()) else [space[counted] for space in spaces]
    sums = torch.stack([some.sum(0) for some in columns])
    require_finite(runs, [sums])
    r, words, ranks = len(runs), int(counted.sum()), compute.ranks

    def work(tile: int) -> tuple[Tensor, Tensor]:
        found = torch.zeros(len(WordwisePip._fields), runs.words, dtype=torch.float64, device=runs.device)
        norms = torch.zeros(r, r, dtype=torch.float64, device=runs.device)
        cosines = torch.empty(tile, r, words, dtype=torch.float64, device=runs.device)
        for start in range(ranks.rank * tile, runs.words, ranks.world * tile):
            part = slice(start, min(start + tile, runs.words))
            some = cosines[: part.stop - start]
            for of_run, space, others in zip(some.unbind(1), spaces, columns, strict=True):
                torch.mm(space[part], others.mT, out=of_run)
            inner = product(some, some.mT)  # (c, R, R)
            norms += inner[counted[part]].sum(0)
            of_words = of_all_pairs(inner, words, runs.present[:, part])
            found[:, part] = torch.stack([field.double() for field in of_words])
        ranks.total_(found, norms)  # what another process measured is 0 here
        return found, norms

    found, norms = with_smaller_tiles(work, min(_WORDS, compute.tile(8 * r * (words + 4 * r), runs.words)), ranks)
    loss = pip_from_norms(norms)
    errors = rounding_error(loss.condition, torch.float64)
    if not bool((errors <= tolerated(compute)).all()):
        return None
    squares = torch.stack([some.square().sum() for some in columns])
    of_words = WordwisePip(*found)
    of_words = of_words._replace(pairs=of_words.pairs.long())
    return TilePass(loss, worst_condition(errors), norms, squares, sums, of_words)
