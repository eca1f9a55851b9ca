"""What a pack shall hold: which runs, in which groups, how they are read, joined and stored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

import torch

from gpustab.errors import InputError, option
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.runs.group import Group, want_two
from gpustab.runs.key import Key
from gpustab.runs.load import measurable, sort_out
from gpustab.runs.loading import Rule
from gpustab.runs.packing.records import fingerprint, options_record

Stored = Literal["float32", "float16", "bfloat16"]
"""How numbers are stored."""


@dataclass(frozen=True)
class Request:
    """What a pack shall hold.

    Attributes:
        groups: the run files of every group.
        vocabulary: which words, see :func:`gpustab.runs.plan.plan_join`.
        min_runs: see there.
        dtype: how numbers are stored.
        options: how files are read.
    """

    groups: Mapping[Key, tuple[Path, ...]]
    vocabulary: Rule = "joint"
    min_runs: int | None = None
    dtype: Stored = "float32"
    options: LoadOptions = DEFAULTS

    @property
    def torch_dtype(self) -> torch.dtype:
        """The type of the stored tensor."""
        return cast(torch.dtype, getattr(torch, self.dtype))

    def record(self) -> dict[str, Any]:
        """Return everything that the packed bytes depend on, as JSON values.

        Raises:
            InputError: if a file is missing.
        """
        return {
            "groups": {key.path: [fingerprint(file) for file in files] for key, files in self.groups.items()},
            "vocabulary": self.vocabulary,
            "min_runs": self.min_runs,
            "dtype": self.dtype,
            "options": options_record(self.options),
        }


def request(
    sources: Iterable[str | os.PathLike[str]],
    *,
    vocabulary: Rule = "joint",
    min_runs: int | None = None,
    dtype: Stored = "float32",
    options: LoadOptions | None = None,
) -> Request:
    """Return the request to pack some files, leaves and run sets; the files form one group named ``runs``.

    Raises:
        InputError: for an unknown dtype, fewer than two runs in a group, two groups of one name, or what is packed.
    """
    if dtype not in get_args(Stored):
        raise InputError(f"{option('dtype')} is {dtype!r}, wanted {', '.join(get_args(Stored))}")
    single, folders = sort_out(sources)
    groups: dict[Key, Group] = {}
    loose = [Group(Key(), tuple(Path(source) for source in single))] if single else []
    for group in [*map(want_two, loose), *measurable(folders)]:
        if group.packed:
            raise InputError(f"{group.folder}: is packed already; pack again the runs that it was made of")
        if group.key in groups:
            raise InputError(
                f"two groups are called '{group.name}': {groups[group.key].folder} and {group.folder}; "
                "pack them into run sets of their own"
            )
        groups[group.key] = group
    if not groups:
        raise InputError("no runs were given")
    files = {key: group.sources for key, group in groups.items()}
    return Request(files, vocabulary, min_runs, dtype, options or LoadOptions())
