"""How far a table of vectors moves while it trains: measured every so often, logged, and a result at the end.

from gpustab.monitor import StabilityMonitor
monitor = StabilityMonitor(model.embedding, log=lambda values, step: writer.add_scalars("stability", values, step))
for epoch in range(10):
    train(model)
    monitor.step()
monitor.result().write("stability")
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from gpustab.errors import InputError, near
from gpustab.functional import linear_cka, neighbour_overlap, pip_loss, procrustes_loss
from gpustab.kernels.shapes import want_count
from gpustab.machine.environment import environment
from gpustab.report import Result
from gpustab.results import Table

_MEASURES: dict[str, Callable[[Tensor, Tensor, int], Tensor]] = {
    "pip": lambda x, y, _: pip_loss(x, y),
    "procrustes": lambda x, y, _: procrustes_loss(x, y),
    "cka": lambda x, y, _: linear_cka(x, y),
    "overlap": lambda x, y, k: neighbour_overlap(x, y, k),
}

_Log = Callable[[Mapping[str, float], int], object]

__all__ = ["StabilityMonitor"]


class StabilityMonitor:
    """Compares a table with a reference, or with itself at the time before, each time that :meth:`step` is called.

    Args:
        table: the tensor or parameter ``(v, d)``, a module with ``weight`` (the row of its ``padding_idx`` is left
            out), or a function that returns the tensor of now.
        reference: ``(v, d)``, row k being the same word; default: the table as it was when it was last measured, at
            first as it is now. A copy is kept, ``v d`` numbers.
        every: measure at every so many steps.
        metrics: names among ``pip``, ``procrustes``, ``cka``, ``overlap``, see :mod:`gpustab.functional`.
        k: length of the lists of ``overlap``, which takes all words and so time in proportion to v².
        rows: ``(n,)`` numbers of the rows to compare; default: all.
        log: called with the values by name and the number of the step.

    Raises:
        ValueError: for another name, an ``every`` or ``k`` that is not a whole number from 1, or a reference of another
            shape.

    Example:
        >>> table = torch.eye(3)
        >>> monitor = StabilityMonitor(table, metrics=["pip"])
        >>> table[0] = table[1]
        >>> round(monitor.step()["pip"], 6)
        0.235702
        >>> monitor.step()  # it has not moved since
        {'pip': 0.0}
    """

    def __init__(
        self,
        table: Any,
        reference: Tensor | None = None,
        *,
        every: int = 1,
        metrics: Sequence[str] = ("pip", "procrustes"),
        k: int = 10,
        rows: Tensor | None = None,
        log: _Log | None = None,
    ) -> None:
        want_count("every", every)
        want_count("k", k)
        if isinstance(metrics, str):
            raise InputError(f"metrics is {metrics!r}, wanted several names: ({metrics!r},)")
        for name in metrics:
            if name not in _MEASURES:
                raise InputError(f"metrics: '{name}' is none of {', '.join(_MEASURES)}{near(name, _MEASURES)}")
        self.metrics, self.every, self.k, self.log = tuple(metrics), every, k, log
        self._table, self._rows = table, rows
        self._moving = reference is None
        now = self._now()
        self._before = now.clone() if reference is None else self._taken(reference.detach().to(now.device)).clone()
        if self._before.shape != now.shape:
            raise InputError(f"reference has shape {tuple(self._before.shape)}, wanted {tuple(now.shape)}")
        self._steps = 0
        self._found: list[dict[str, float]] = []
        self._started = time.perf_counter()

    def step(self, number: int | None = None) -> dict[str, float] | None:
        """Measure, log and return the values by name; ``None`` at the steps between.

        Args:
            number: of the step; default: how often this was called.

        Raises:
            ValueError: for a row of zeros, which has no cosine; leave it out by ``rows``.
        """
        self._steps += 1
        if self._steps % self.every:
            return None
        number = self._steps if number is None else number
        now = self._now()
        with torch.no_grad():
            values = {name: float(_MEASURES[name](self._before, now, self.k)) for name in self.metrics}
        if self._moving:
            self._before = now.clone()
        self._found.append({"step": number, **values})
        if self.log is not None:
            self.log(values, number)
        return values

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint must keep, so that a run that is resumed is compared with what it was.

        It holds the vectors of the last time (or of the reference), ``v d`` numbers, the steps and the values; nothing
        in it needs unpickling. Within Lightning, the callback saves and restores it itself.
        """
        seconds = time.perf_counter() - self._started
        state = {"before": self._before, "steps": self._steps, "found": list(self._found), "seconds": seconds}
        return state | {"moving": self._moving, "metrics": list(self.metrics), "k": self.k}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what :meth:`state_dict` returned.

        Raises:
            InputError: for a state of another table, of other metrics, or of another reference than was given.
        """
        missing = {"before", "steps", "found", "seconds", "moving", "metrics", "k"} - set(state)
        if missing:
            raise InputError(f"the state of a monitor lacks {', '.join(sorted(missing))}")
        before = state["before"]
        if before.shape != self._before.shape:
            raise InputError(f"the state is of a table {tuple(before.shape)}, this one is {tuple(self._before.shape)}")
        if tuple(state["metrics"]) != self.metrics:
            raise InputError(f"the state has {', '.join(state['metrics'])}, this monitor {', '.join(self.metrics)}")
        if "overlap" in self.metrics and state["k"] != self.k:
            raise InputError(f"the state has k={state['k']}, this monitor k={self.k}")
        if state["moving"] != self._moving:
            this, other = ("no reference", "one") if self._moving else ("a reference", "none")
            raise InputError(f"this monitor has {this}, and the state is of {other}")
        if self._moving:
            self._before = before.to(self._before, copy=True)
        elif not torch.equal(before.to(self._before), self._before):
            raise InputError("the state is of another reference: give this monitor reference=state['before']")
        self._steps, self._found = int(state["steps"]), [dict(values) for values in state["found"]]
        self._started = time.perf_counter() - float(state["seconds"])

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_started": time.perf_counter() - self._started}  # no clock travels

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _started=time.perf_counter() - state["_started"])

    def result(self) -> Result:
        """Return what was measured: the table ``steps``, one row per measurement, and the last values."""
        result = Result("monitor")
        against = "the time before" if self._moving else "a reference"
        v, d = self._before.shape
        last = {name: self._found[-1][name] for name in self.metrics} if self._found else {}
        result.groups = [{"name": f"against {against}", "rows": v, "dimension": d, **last}]
        result.settings = {"every": self.every, "metrics": list(self.metrics), "k": self.k, "moving": self._moving}
        result.tables = {"steps": Table.of(self._found, ["step", *self.metrics])}
        seconds = time.perf_counter() - self._started
        result.environment = environment(self._before.device) | {"seconds": seconds}
        if not self._found:
            result.notes.append("Nothing was measured.")
        return result

    def lightning(self, name: str = "stability") -> Any:
        """Return a callback of PyTorch Lightning: it steps at the end of every epoch of training, and logs there.

        Its state is saved with the checkpoints of the trainer, so that ``fit(ckpt_path=...)`` goes on where it was. It
        can be pickled where the monitor can: ``log`` and a ``table`` that is a function must then be module-level.

        Args:
            name: what values are logged under, as ``stability/pip``. Several monitors of a trainer have a name each.

        Raises:
            InputError: if Lightning is not installed.
        """
        return _callback(self, name)

    def _now(self) -> Tensor:
        table = self._table() if callable(self._table) and not hasattr(self._table, "weight") else self._table
        tensor = getattr(table, "weight", table)
        if not isinstance(tensor, Tensor) or tensor.ndim != 2:
            raise InputError(f"the table is {_called(tensor)}, wanted a tensor of shape (v, d)")
        return self._taken(tensor.detach())

    def _taken(self, tensor: Tensor) -> Tensor:
        if self._rows is not None:
            return tensor[self._rows.to(tensor.device)]
        padding = getattr(self._table, "padding_idx", None)
        return tensor if padding is None else torch.cat([tensor[:padding], tensor[padding + 1 :]])


def _called(thing: Any) -> str:
    return f"a tensor of shape {tuple(thing.shape)}" if isinstance(thing, Tensor) else f"a {type(thing).__name__}"


def _callback(monitor: StabilityMonitor, name: str) -> Any:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        try:
            from pytorch_lightning import Callback
        except ImportError:
            raise InputError("a callback of Lightning needs it: pip install lightning") from None

    class LightningMonitor(Callback):  # type: ignore[misc]  # of whichever package is there
        """Steps a monitor at the end of every epoch of training."""

        def __init__(self) -> None:
            self.monitor = monitor

        def __reduce__(self) -> tuple[Any, ...]:
            return _callback, (self.monitor, name)  # this class is made where it is needed, and no name leads to it

        @property
        def state_key(self) -> str:
            return f"StabilityMonitor/{name}"

        def state_dict(self) -> dict[str, Any]:
            return self.monitor.state_dict()

        def load_state_dict(self, state_dict: dict[str, Any]) -> None:
            self.monitor.load_state_dict(state_dict)

        def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            values = self.monitor.step(trainer.current_epoch)
            if values:
                pl_module.log_dict({f"{name}/{metric}": value for metric, value in values.items()})

    return LightningMonitor()
