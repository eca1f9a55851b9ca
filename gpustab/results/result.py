"""The one form of every answer: what commands and studies return and writers write."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import torch

from gpustab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Table = dict[str, list[Any]]
"""Columns of equal length by name."""


@dataclass
class Result:
    """What a command or study found.

    Attributes:
        name: of the command or study; the JSON schema is ``gpustab.<name>/1``.
        settings: every choice that the numbers depend on.
        environment: versions, device, seconds, peak memory.
        groups: one summary per group of runs, plain values (the ``groups`` of the JSON).
        contrasts: comparisons between groups.
        tables: long tables by name, as columns; :meth:`frame` gives them as pandas.
        figures: SVG texts by name.
        notes: warnings and facts that a reader must know, in sentences.
    """

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, Any] = field(default_factory=dict)
    groups: list[dict[str, Any]] = field(default_factory=list)
    contrasts: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[str, Table] = field(default_factory=dict)
    figures: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def schema(self) -> str:
        """Name and version of the JSON form."""
        return f"gpustab.{self.name}/1"

    def frame(self, table: str) -> pd.DataFrame:
        """Return one of the tables as a pandas DataFrame .

        Raises:
            InputError: if there is none of this name, or pandas, of the extra ``report``, is missing.
        """
        try:
            import pandas as pd
        except ImportError:
            raise InputError("a table as DataFrame needs pandas: pip install 'gpustab[report]'") from None
        if table not in self.tables:
            raise InputError(f"there is no table '{table}'; there are {', '.join(self.tables)}")
        return pd.DataFrame(self.tables[table])

    def __repr__(self) -> str:
        groups = ", ".join(str(group.get("name")) for group in self.groups)
        return f"Result({self.name}: groups {groups}; tables {', '.join(self.tables)}; {len(self.notes)} notes)"


def environment(device: torch.device) -> dict[str, Any]:
    """Return versions, machine, device and peak memory so far."""
    found: dict[str, Any] = {
        "gpustab": _version("gpustab"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "torch": torch.__version__,
        "numpy": _version("numpy"),
        "faiss": _version("faiss-cpu") or _version("faiss-gpu") or _version("faiss-gpu-cuvs"),
        "device": str(device),
        "threads": torch.get_num_threads(),
        "peak_memory_bytes": peak_memory(),
    }
    if device.type == "cuda":
        found["device_name"] = torch.cuda.get_device_name(device)
        found["peak_device_memory_bytes"] = torch.cuda.max_memory_allocated(device)
    return found


def peak_memory() -> int | None:
    """Return the largest resident size of this process so far, in bytes; ``None`` where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS counts bytes, Linux KiB


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
