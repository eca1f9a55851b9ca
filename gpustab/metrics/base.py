"""What all metrics of two matrices have in common: rows that are kept, their ids, and processes without a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad
from torchmetrics import Metric
from torchmetrics.utilities.distributed import gather_all_tensors

from gpustab.errors import InputError
from gpustab.kernels.arithmetic import full_precision
from gpustab.kernels.pair_rows import pair_rows, refuse_unmeasurable
from gpustab.kernels.shapes import want_tensor

__all__ = ["MatrixMetric", "PairMetric"]

_SAME = 1e-2
"""Part of its length by which a row that comes twice may differ: rounding of another batch or card is less."""


class MatrixMetric(Metric):
    """A metric of two matrices.

    Args:
        normalize: scale rows to unit length first.
        kind: metrics of another number never share their states in a ``MetricCollection``.
        **kwargs: of ``torchmetrics.Metric``.
    """

    full_state_update = False
    columns: Tensor

    def __init__(self, *, normalize: bool, kind: int, **kwargs: Any) -> None:
        with _home():
            super().__init__(**kwargs)
        self.normalize = normalize
        self.add_state("kind", torch.tensor(2 * kind + normalize, device=self.device), dist_reduce_fx="max")
        self.add_state("columns", torch.zeros(2, dtype=torch.int64, device=self.device), dist_reduce_fx=_same_columns)

    def extra_repr(self) -> str:
        """Return the choices, for ``print``."""
        return f"normalize={self.normalize}"

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot one value, or several as a line; needs matplotlib.

        Args:
            val: what ``compute`` or ``forward`` returned, or a list of these; default: the value now.
            ax: axes of matplotlib to draw on.
        """
        return self._plot(val, ax)

    def _with_columns(self, x: Tensor, y: Tensor) -> Tensor:
        """The state ``columns`` once rows ``(c, d1)`` and ``(c, d2)`` are there, too.

        Raises:
            ValueError: where the rows before them have other widths: those are not of one space.
        """
        return _same_columns(torch.stack([self.columns, self.columns.new_tensor([x.shape[1], y.shape[1]])]))

    def _nan(self) -> Tensor:
        return torch.full((), torch.nan, dtype=torch.float64, device=self.device)


class PairMetric(MatrixMetric):
    """A metric of two matrices that come in chunks of rows; arguments as of :class:`MatrixMetric`."""

    x: list[Tensor]
    y: list[Tensor]
    ids: list[Tensor]

    def __init__(self, *, normalize: bool = True, kind: int = 0, **kwargs: Any) -> None:
        super().__init__(normalize=normalize, kind=kind, **kwargs)
        for name in ("x", "y", "ids"):
            self.add_state(name, [], dist_reduce_fx="cat")

    def _keep(self, x: Tensor, y: Tensor, ids: Tensor | None, scaled: bool) -> None:
        """Keep rows ``(c, d1)`` and ``(c, d2)``, checked."""
        refuse_unmeasurable(pair_rows(x, y, None, scaled))
        columns = self._with_columns(x, y)
        if ids is not None:
            want_tensor("ids", ids)
            if ids.shape != x.shape[:1] or ids.is_floating_point() or ids.is_complex():
                raise InputError(
                    f"ids have shape {tuple(ids.shape)} and are {ids.dtype}, wanted ({len(x)},) whole numbers"
                )
            self.ids.append(ids.detach().to(self.device, torch.int64))
        for kept, rows in ((self.x, x), (self.y, y)):
            kept.append(rows.detach())
        self.columns = columns

    def _rows(self) -> tuple[Tensor, Tensor]:
        """All rows that were kept, ``(v, d1)`` and ``(v, d2)``; of those that have the same id, the first one.

        Raises:
            ValueError: where some rows have ids and others not, or rows of one id differ.
        """
        x, y = _together(self.x), _together(self.y)
        ids = _together(self.ids)
        if not len(ids):
            return x, y
        if len(ids) != len(x):
            raise InputError(f"{len(ids)} of {len(x)} rows have ids, wanted all or none")
        ids, order = ids.long().sort(stable=True)
        first = torch.ones_like(ids, dtype=torch.bool)
        first[1:] = ids[1:] != ids[:-1]
        of_id = first.long().cumsum(0) - 1
        for name, rows in (("x", x[order]), ("y", y[order])):
            differs = (rows - rows[first][of_id]).norm(dim=1) > _SAME * rows.norm(dim=1)
            if bool(differs.any()):
                raise InputError(f"the id {int(ids[differs][0])} came twice, with different rows of {name}")
        kept = order[first].sort().values
        return x[kept], y[kept]

    def _form(self) -> list[int]:
        """What the processes must agree on before their states are gathered; the largest of each is taken."""
        x, y = _together(self.x), _together(self.y)
        widths = [part.shape[1] if part.ndim == 2 else 0 for part in (x, y)]
        with_ids = len(_together(self.ids)) > 0
        return [*widths, torch.float64 in (x.dtype, y.dtype), with_ids, len(x) > 0 and not with_ids]

    def _take_form(self, form: list[int]) -> None:
        """Bring what is kept to a form, so that processes without a row have some of the right type, but none."""
        width_x, width_y, double, with_ids, without = form[:5]
        if with_ids and without:
            raise InputError("some rows have ids, and others not: wanted all or none")
        if not width_x:
            return
        dtype = torch.float64 if double else torch.float32
        for name, width in (("x", width_x), ("y", width_y)):
            rows = _together(getattr(self, name))
            rows = (
                rows.to(self.device, dtype)
                if rows.ndim == 2
                else torch.zeros(0, width, dtype=dtype, device=self.device)
            )
            setattr(self, name, [pad(rows, (0, width - rows.shape[1]))])
        self.ids = [_together(self.ids).to(self.device, torch.int64)]

    def _sync_dist(self, dist_sync_fn: Callable[..., Any] = gather_all_tensors, process_group: Any = None) -> None:
        form = torch.tensor(self._form(), dtype=torch.int64, device=self.device)
        forms = dist_sync_fn(form, group=process_group or self.process_group)
        self._take_form(torch.stack(list(forms)).amax(0).tolist())
        super()._sync_dist(dist_sync_fn, process_group)


def _home() -> torch.device:
    """Where metrics are made: the default device of the program, but not ``meta``, from which nothing can be moved."""
    default = torch.get_default_device()
    return torch.device("cpu") if default.type == "meta" else default


def _same_columns(columns: Tensor) -> Tensor:
    """The widths of x and y, ``(2,)``, that batches or processes ``(n, 2)`` have in common; 0 is of no rows yet."""
    widths = columns.amax(0)
    for name, width, others in zip("xy", widths.tolist(), columns.T.tolist(), strict=True):
        if other := next((one for one in others if one not in (0, width)), None):
            raise InputError(f"some rows of {name} have {other} columns, and others {width}: wanted rows of one space")
    return widths


def _together(parts: list[Tensor] | Tensor) -> Tensor:
    """One tensor of a state that is a list, or was one before it was gathered; ``(0,)`` of nothing."""
    if isinstance(parts, Tensor):
        return parts
    if not parts:
        return torch.zeros(0, device="cpu")
    with full_precision(parts[0].device):  # autocast takes no float64 beside float16
        return torch.cat(parts)
