"""The pass for the PIP loss word by word, over all pairs of runs."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from gpustab.engine.gram import GramPass
from gpustab.engine.precision import FLOAT64
from gpustab.engine.proofs import WORDS, proved
from gpustab.engine.tiles import tile_pass
from gpustab.kernels import centred, gram, pip_loss
from gpustab.kernels.dispatch import use_triton
from gpustab.machine.device import DEFAULT, Compute
from gpustab.machine.log import log
from gpustab.machine.out_of_memory import telling_memory, with_smaller_tiles
from gpustab.machine.proof import prove
from gpustab.runs.runs import Runs

TERMS = {"fast": 1, "auto": 2}
"""Terms of float16 that the fused kernel rounds rows to, by the precision that was asked for."""
_ROUNDING = {"fast": 1e-4, "auto": 1e-5}
"""What rounding may change in words' losses by its estimate; these err by up to three times as much, see
`gpustab.kernels.triton.packed_gram`. Of runs that are nearer to each other than to the others it changes more."""
_CHECKED = 16
"""Words on which the fused kernel must agree with float64 whenever it is used, to ten times that."""
_FEW = 2
"""Runs whose words need no fast kernel, and whose errors are ten times those of three."""
_WELL = 5e-7
"""What the plain form in float64 may lose of words' losses where deviations are at hand."""

_Measure = Callable[[Tensor, Tensor], pip_loss.WordwisePip]
"""Of rows of all runs ``(R, c, d)`` and which run has which of them ``(R, c)``."""


@telling_memory
def wordwise_pass(runs: Runs, basis: GramPass, compute: Compute = DEFAULT) -> pip_loss.WordwisePip:
    """Return mean, SD and standard error over all pairs of every word's PIP loss; every field is ``(v,)``.

    A word's cosines are compared with all joint words, over the pairs of runs that have the word. On a card the fused
    kernel reads a basis of deviations, unless ``precision`` is one of a dtype; its errors stand in
    :mod:`gpustab.kernels.triton.packed_gram`. Elsewhere such a basis is read in that form if it is what resolves the
    losses.
    """
    if basis.moments is None:
        return basis.wordwise or _by_tiles(runs, basis, compute)
    r, d = len(runs), runs.dimension
    fused = _fused(runs, basis, compute)
    plain = not fused and _resolves(basis)
    measure = fused or (_plain if plain else _centred)(basis)

    def work(tile: int) -> pip_loss.WordwisePip:
        found = torch.zeros(len(pip_loss.WordwisePip._fields), runs.words, dtype=torch.float64, device=runs.device)
        dtype = basis.arithmetic or basis.dtype
        for start, chunk in runs.chunks(tile, dtype=dtype, share=compute.ranks.share):
            some = measure(chunk, runs.present[:, start : start + tile])
            found[:, start : start + tile] = torch.stack([field.double() for field in some])
        compute.ranks.total_(found)  # what another process measured is 0 here
        words = pip_loss.WordwisePip(*found)
        return words._replace(pairs=words.pairs.long())

    numbers = 4 * r * d if plain else 4 * r * (r + d)  # of a word, with inner products of all runs
    tile = compute.tile(8 * numbers, runs.words)
    most = gram.ROWS_PER_MATMUL
    if runs.device.type == "cpu":
        most //= 2  # of 4,096 rows, what is formed of two runs leaves the processor's cache: 20.9 ms to 13.2 in float64
    return with_smaller_tiles(work, tile if fused else min(tile, most), compute.ranks)


def _by_tiles(runs: Runs, basis: GramPass, compute: Compute) -> pip_loss.WordwisePip:
    """Form the tiles of a Gram that was not kept once more, where nobody said before that words would be asked for."""
    assert basis.counted is not None  # noqa: S101  # where no moments are
    arithmetic = basis.arithmetic or basis.dtype
    found = tile_pass(runs, compute, basis.counted, basis.dtype, arithmetic).wordwise
    assert found is not None  # noqa: S101  # it was asked for
    return found


def _resolves(basis: GramPass) -> bool:
    """Tell whether the plain form, which takes half the time of deviations, has the losses of words."""
    if basis.centred is None:
        return True
    if basis.dtype != torch.float64:
        return False
    return float(pip_loss.pip_from_gram(basis.gram).condition.max()) * FLOAT64 <= _WELL  # not of equal runs


def _plain(basis: GramPass) -> _Measure:
    return lambda chunk, present: pip_loss.wordwise_pip(chunk, basis.gram, basis.words, present)


def _centred(basis: GramPass) -> _Measure:
    """Return the measure by deviations in one frame."""
    assert basis.centred is not None  # noqa: S101  # else the plain form has the losses
    frame_gram = basis.centred.gram

    def measure(chunk: Tensor, present: Tensor) -> pip_loss.WordwisePip:
        return centred.centred_wordwise_pip(_rows(basis, chunk, present), frame_gram, basis.words, present)

    return measure


def _rows(basis: GramPass, chunk: Tensor, present: Tensor) -> Tensor:
    """Mean and deviations of some words in the frame of the basis."""
    assert basis.centred is not None  # noqa: S101  # of _centred and _fused
    return centred.centred_rows(chunk, basis.centred.maps.to(chunk.dtype), present)


def takes_fused(runs: Runs, basis: GramPass, compute: Compute) -> tuple[bool, str]:
    """Tell whether the fused kernel measures words, and why not."""
    if compute.precision not in TERMS:
        return False, f"precision is {compute.precision}"
    if basis.centred is None:
        return False, "the block Gram is that of the runs themselves"
    if len(runs) <= _FEW:
        return False, f"there are {len(runs)} runs"
    able, reason = use_triton(torch.empty(0, runs.dimension, dtype=torch.float16, device=basis.gram.device))
    if not able:
        return False, reason
    from gpustab.kernels.triton.packed_gram import rounding_of_words

    rounding = float(rounding_of_words(basis.centred.gram, basis.words).nan_to_num(torch.inf, torch.inf).max())
    if rounding > _ROUNDING[compute.precision]:
        return False, f"float16 may change words' losses by {rounding:.0e}"
    proof = proved(WORDS, basis.gram.device)
    return proof.works, "" if proof.works else f"it did not prove itself here: {proof}"


def _fused(runs: Runs, basis: GramPass, compute: Compute) -> _Measure | None:
    """Return the measure by the fused kernel, or say why it is another one."""
    able, reason = takes_fused(runs, basis, compute)
    if not able or basis.centred is None:
        if basis.centred is not None or compute.precision == "fast":
            log.info("words are measured by the plain kernel: %s", reason)
        return None
    from gpustab.kernels.triton.packed_gram import pack_gram
    from gpustab.kernels.triton.wordwise import packed_wordwise

    packed, terms = pack_gram(basis.centred.gram, basis.words), TERMS[compute.precision]

    def measure(chunk: Tensor, present: Tensor) -> pip_loss.WordwisePip:
        return packed_wordwise(_rows(basis, chunk, present).float(), packed, present, terms=terms)

    def at_these_sizes() -> float:
        return _difference(runs, measure, _centred(basis))

    allowed = 10 * _ROUNDING[compute.precision]
    return measure if prove(WORDS, basis.gram.device, at_these_sizes, allowed).works else None


def _difference(runs: Runs, one: _Measure, other: _Measure) -> float:
    """Return the largest relative difference of the first words' mean losses by two measures."""
    chunk, have = runs.chunk(0, min(_CHECKED, runs.words)), runs.present[:, :_CHECKED]
    found, true = one(chunk, have).mean, other(chunk, have).mean
    differences = (found / true - 1).abs().nan_to_num(torch.inf)
    return float(
        differences.where(true > 0, 0).max()
    )  # a word that no two runs have, or that never moves, tells nothing
