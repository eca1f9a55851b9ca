"""A group of runs that is still to be loaded: many groups need not lie in memory at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpustab.errors import InputError
from gpustab.machine.device import choose_device
from gpustab.runs.join import join
from gpustab.runs.key import Key
from gpustab.runs.loading import LEAST_RUNS, Loading
from gpustab.runs.manifest import PACKED
from gpustab.runs.packing.open import open_packed
from gpustab.runs.runs import Runs
from gpustab.runs.sources import load_spaces


@dataclass(frozen=True)
class Group:
    """Runs that may be compared with each other, before they are read.

    Attributes:
        key: what the group is.
        sources: its runs in order: files, or objects in memory.
        folder: the leaf that the files lie in, if they are of a run set.
        loading: how they are read.
    """

    key: Key
    sources: tuple[Any, ...]
    folder: Path | None = None
    loading: Loading = Loading()

    @property
    def name(self) -> str:
        """Name of the group."""
        return str(self.key)

    @property
    def packed(self) -> bool:
        """Whether the group lies in a packed leaf."""
        return self.folder is not None and (self.folder / PACKED).is_file()

    def __len__(self) -> int:
        return len(self.sources)

    def load(self) -> Runs:
        """Return the runs over one vocabulary; those of a packed leaf stay on disk.

        Raises:
            InputError: if a run cannot be read, or the runs cannot be joined.
        """
        how = self.loading
        shared: dict[str, Any] = {
            "min_runs": how.min_runs,
            "allow_small_overlap": how.allow_small_overlap,
            "centre": how.centre,
            "unit": how.unit,
            "key": self.key,
        }
        if self.folder is not None and self.packed:
            runs = open_packed(self.folder, vocabulary=how.vocabulary, options=how.options, **shared)
        else:
            spaces = load_spaces(self.sources, how.options, how.jobs)
            runs = join(spaces, vocabulary=how.vocabulary or "joint", **shared)
        return runs if how.device == "cpu" else runs.to(choose_device(how.device))


def loaded(group: Group | Runs) -> Runs:
    """Return the runs of a group, read now unless they are there already."""
    return group if isinstance(group, Runs) else group.load()


def want_two(group: Group) -> Group:
    """Return the group, or refuse it with fewer than two runs."""
    if len(group) < LEAST_RUNS:
        raise InputError(
            f"group '{group.name}' has only {len(group)} run; give at least two, since stability is measured between "
            "runs"
        )
    return group
