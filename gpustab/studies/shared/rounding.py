"""What grid the values of a run lie on, and whether one run is another, rounded to its own grid.

Files of decimals, half precision and integers lie on grids of their own. Two trainings differ by far more than any of
these explains: nearly all values of a rounded copy lie within half a step of the other's, and of a run of its own only
as many as chance puts there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.runs.runs import Runs

Kind = Literal["decimals", "digits", "bits", "levels"]

_ROWS = 512
_PARTS = 8
_RUNS = 64
"""Runs that are looked at together: a thousand take 50 MB."""
_SOME_ROWS = 64
"""Rows among which two values lie one step apart, if all lie on some 16,000 levels."""
_FIRST = 48
"""Values that rule out nearly every grid at once."""

_OFF = 1 / 8
"""Steps by which a value on a grid may miss it, as it is a float32; of other values three in four miss by more."""

_FINEST = 2.0**-21
"""Steps in parts of a value below which float32 itself is the grid."""

_OFTEN = 1 / 4
"""Share of values at which short floats must lie wider than the decimals that they are written in."""

_MOST_LEVELS = 1 << 14
_FEWEST_VALUES = 100
_SIZES: dict[Kind, Tensor] = {
    "decimals": 10.0 ** torch.arange(2, -11, -1, dtype=torch.float64, device="cpu"),
    "digits": torch.arange(1, 8, dtype=torch.float64, device="cpu"),
    "bits": torch.arange(2, 22, dtype=torch.float64, device="cpu"),
}
_WIDER = 1.25
"""Half steps within which a rounded value lies: a fitted rotation and the length of a row err by a tenth of one."""

_MISSED = 0.02
"""Share of values that may lie outside; of two trainings that differ by a fifth of a step more do."""

_COARSEST = 1 / 6
"""Steps, in root mean square values, of the coarsest grid that is looked at: on one of 5 bits and fewer two trainings
may well agree.
"""


class Grid(NamedTuple):
    """The grid of a file.

    Attributes:
        kind: ``"decimals"`` and ``"levels"`` are equal steps (``"levels"`` of any size, perhaps one for every row or
            dimension), ``"digits"`` and ``"bits"`` those of significant digits and bits.
        size: the step, or the number of digits or bits.
        printed: the grid of the decimals in which numbers of a coarser one were written, as float16 often is.
    """

    kind: Kind
    size: Tensor
    printed: Grid | None = None

    def steps(self, values: Tensor) -> Tensor:
        """Return the step at every value, of the same shape."""
        if self.printed is not None:
            return self._replace(printed=None).steps(values) + self.printed.steps(values)
        if self.kind in ("decimals", "levels"):
            return self.size.expand_as(values)
        least = values.abs()[values != 0]
        size = values.abs().clamp(min=float(least.min()) if len(least) else 1.0)
        if self.kind == "digits":
            return 10.0 ** ((size.log10() + 1e-9).floor() + 1 - self.size)
        steps = 2.0 ** (size.log2().floor() + 1 - self.size)
        return steps.clamp(min=2.0**-24).where(self.size == 11, steps)  # float16 has no smaller number


class Rounding(NamedTuple):
    """What rounding explains of every run.

    Attributes:
        rows: ``(n,)`` the joint words that were looked at.
        grids: of every run, ``None`` without one that is coarser than float32.
        errors: ``(R,)`` root mean square error of rounding, in row lengths.
    """

    rows: Tensor
    grids: list[Grid | None]
    errors: Tensor


def rounding_of(runs: Runs) -> Rounding:
    """Return the grids of all runs, from some of their values."""
    rows, grids, errors = _drawn(runs.joint.cpu()), [], []
    few = torch.stack([_first(_raw(runs, r, rows[:_FIRST])) for r in range(len(runs))])
    screened = (fitting for part in few.split(_RUNS) for fitting in _screened(part))
    for r, fitting in enumerate(screened):
        values = _raw(runs, r, rows)
        grid = grid_of(values, fitting)
        grids.append(grid)
        square = 0.0 if grid is None else float((grid.steps(values).square().mean(1) / values.square().mean(1)).mean())
        errors.append((square / 12) ** 0.5)
    return Rounding(rows, grids, torch.tensor(errors, dtype=torch.float64, device="cpu"))


def _drawn(joint: Tensor) -> Tensor:
    """Return some joint words in a few parts, as files are read by slices."""
    words = joint.nonzero().flatten()
    starts = torch.linspace(0, max(len(words) - _ROWS // _PARTS, 0), _PARTS, device="cpu").long()
    offsets = torch.arange(_ROWS // _PARTS, device="cpu")
    return words[(starts[:, None] + offsets).flatten().clamp(max=len(words) - 1).unique()]


def _raw(runs: Runs, r: int, rows: Tensor) -> Tensor:
    """Return the values of a run as its file has them, ``(n, d_r)`` float64."""
    cuts = (rows.diff() > _ROWS).nonzero().flatten() + 1
    parts = list(rows.tensor_split(cuts.cpu()))
    of_file = runs.rows[r]
    return torch.cat([of_file[int(k[0]) : int(k[-1]) + 1].cpu()[k - k[0]] for k in parts]).double()


def grid_of(values: Tensor, screened: list[Grid] | None = None) -> Grid | None:
    """Return the coarsest grid of values ``(n, d)``, ``None`` if they are as fine as float32, or of five bits or fewer.

    Example:
        >>> values = torch.linspace(-1, 1, 300, dtype=torch.float64).sin().view(20, 15)
        >>> grid_of((values * 1000).round() / 1000).kind, grid_of(values.half().double()).kind
        ('decimals', 'bits')
        >>> grid_of(values.float().double())
    """
    if values.numel() < _FEWEST_VALUES or not values.isfinite().all():
        return None
    screened = _screened(_first(values)[None])[0] if screened is None else screened
    found = [grid for grid in _candidates(values, screened) if _lie_on(values, grid)]
    grid = max(found, key=lambda grid: float(grid.steps(values).square().mean()), default=None)
    if grid is None or grid.steps(values).square().mean() > _COARSEST**2 * values.square().mean():
        return None
    return grid


def _screened(few: Tensor) -> list[list[Grid]]:
    """Return for some values of every run, ``(R, n)``, on what grids they lie: most files lie on none."""
    screened: list[list[Grid]] = [[] for _ in few]
    for kind, sizes in _SIZES.items():
        steps = Grid(kind, sizes[:, None, None]).steps(few.expand(len(sizes), -1, -1))
        fits = (_off(few, steps) <= _OFF).all(2)  # (sizes, R)
        for r in fits.any(0).nonzero().flatten().tolist():
            screened[r].append(Grid(kind, sizes[int(fits[:, r].byte().argmax())]))  # the coarsest comes first
    return screened


def _first(values: Tensor) -> Tensor:
    """Return a few values that are not 0, again and again where they are fewer."""
    few = values.flatten()[values.flatten() != 0][:_FIRST]
    return few.repeat(_FIRST)[:_FIRST] if 0 < len(few) < _FIRST else few if len(few) else few.new_ones(_FIRST)


def _candidates(values: Tensor, screened: list[Grid]) -> Iterator[Grid]:
    """Yield grids that values may lie on, besides those on which a few do."""
    few = _first(values)
    for grid in screened:
        yield from _printed(few, grid)
        yield grid
    if screened or not _any_twice(torch.cat([values[2:, :2].flatten(), values[:2].flatten()])):
        return
    # If all rows have one step, some of them do; if every dimension has its own, two of them do. Sorting takes longest.
    for over, part in (((0, 1), values[:_SOME_ROWS]), ((0,), values[:, :2]), ((1,), values[:2])):
        levels = _levels(part, over)
        if levels is not None and _lie_on(part, levels) and (levels := _levels(values, over)) is not None:
            yield levels


def _any_twice(values: Tensor) -> bool:
    """Tell whether a value occurs twice, as levels do, and values as fine as float32 hardly."""
    return bool((values[values != 0].sort().values.diff() == 0).any())


def _printed(values: Tensor, decimals: Grid) -> Iterator[Grid]:
    """Yield the short floats whose decimals values are: each is what the nearest of them is written as."""
    if decimals.kind == "bits":
        return
    its = decimals.steps(values)
    for dtype, bits in ((torch.float16, 11), (torch.bfloat16, 8)):
        if ((values.to(dtype).double() - values).abs() > its).any():  # as most files tell at once
            continue
        grid = Grid("bits", torch.tensor(float(bits), dtype=torch.float64, device="cpu"), decimals)
        if _are_printed(values, grid, dtype):
            yield grid


def _are_printed(values: Tensor, grid: Grid, dtype: torch.dtype) -> bool:
    assert grid.printed is not None  # noqa: S101  # by its only callers
    short, its = values.to(dtype).double(), grid.printed.steps(values)
    coarser = grid._replace(printed=None).steps(values) > its
    back = ((short / its).round() * its - values).abs() <= _OFF * its
    return bool(back.double().mean() >= 1 - _MISSED and coarser.double().mean() > _OFTEN)


def _levels(values: Tensor, over: tuple[int, ...]) -> Grid | None:
    """Return levels of equal distance: of all values, of every dimension, or of every row."""
    lines = {1: values, 0: values.T}[over[0]] if len(over) == 1 else values.reshape(1, -1)
    gaps = torch.from_numpy(np.sort(lines.numpy(), axis=1)).diff()  # a fifth of the time of torch's
    span = (lines.amax(1) - lines.amin(1))[:, None]
    step = gaps.masked_fill(gaps <= span / _MOST_LEVELS, torch.inf).amin(1)
    if not (len(step) and step.isfinite().all()):
        return None
    return Grid("levels", step.view((1, 1) if len(over) == 2 else (-1, 1) if over[0] else (1, -1)))


def _off(values: Tensor, steps: Tensor) -> Tensor:
    """Return by how many steps values miss the grid; only 0 itself lies on its 0."""
    places = values / steps
    return (places - places.round()).abs().where((places.abs() > 1 / 2) | (values == 0), 1.0)


def _lie_on(values: Tensor, grid: Grid) -> bool:
    if grid.printed is not None:
        return _are_printed(values, grid, torch.float16 if int(grid.size) == 11 else torch.bfloat16)
    steps = grid.steps(values)
    # Levels may begin anywhere; a value so large that float32 has no digits for the step says nothing.
    fine = steps < _FINEST * values.abs()
    if grid.kind == "levels":
        values = values - (values.amin() if grid.size.numel() == 1 else values.amin(int(grid.size.shape[0] > 1), True))
    return bool(fine.double().mean() < 1 / 2 and ((_off(values, steps) <= _OFF) | fine).all())


def is_rounded(runs: Runs, found: Rounding, a: int, b: int, turn: Tensor) -> bool:
    """Tell whether of two runs the one with the coarser grid is the other, rounded, up to rotation and row lengths.

    Args:
        runs: the group.
        found: their grids.
        a: a run.
        b: another.
        turn: ``(d, d)``, the map from rows of a to those of b.
    """
    if found.errors[a] > found.errors[b]:
        a, b, turn = b, a, turn.mT
    grid, finer = found.grids[b], found.grids[a]
    assert grid is not None  # noqa: S101  # such pairs are not asked for
    values, raw = (_raw(runs, r, found.rows) for r in (b, a))
    turn = turn.cpu().double()[: raw.shape[1], : values.shape[1]]
    if plain := bool((turn - turn.round()).abs().max() < _OFF):  # dimensions exchanged, and signs: there is no fit
        turn = turn.round()
    rows = found.rows.to(runs.device)
    own = product(runs.select(a, rows).cpu()[:, : raw.shape[1]], turn)
    steps = grid.steps(values)
    # A fitted map moves small values by more than the steps of floats there.
    fit = 0.0 if plain else float(steps.square().mean().sqrt()) * (turn.shape[0] / (2 * int(runs.joint.sum()))) ** 0.5
    mean = runs.means[b].cpu()[: values.shape[1]] if runs.centre else 0.0
    for size, scale in _sizes(runs, a, b, rows):
        half = _WIDER * steps / 2 + fit
        if plain and finer is not None:
            its = product(finer.steps(raw), turn.abs()) * scale
            low, high = torch.minimum(its, steps), torch.maximum(its, steps)
            # On one grid, copies are equal: only another grid explains more.
            half = _WIDER * high / 2 + (low / 2).where((low <= high / 2) | (finer.kind != grid.kind), 0.0)
        if ((own * size + mean - values).abs() > half).double().mean() <= _MISSED:
            return True
    return False


def _sizes(runs: Runs, a: int, b: int, rows: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield by what prepared rows of a, and by what those of its file, are multiplied to be as long as those of b."""
    mine, others = (runs.lengths[r, rows].cpu()[:, None] for r in (a, b))
    if not runs.unit:
        yield torch.ones_like(mine), torch.ones_like(mine)
        return
    all_alike = (others / mine).median()
    yield mine * all_alike, all_alike.expand_as(mine)
    yield others, others / mine
