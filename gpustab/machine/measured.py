"""Which search of neighbours was the faster on a device: what `gpustab bench` measured, kept for ``--backend auto``.

The folder is that of the variable ``GPUSTAB_CACHE``, else the user's own for what can be made again. A measurement
counts for the device, the threads and the versions that it was made with. A file that is damaged, or of something else,
is told in one line and ignored; nothing but time depends on it.
"""

from __future__ import annotations

import json
import math
import os
import platform
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from gpustab.errors import first_line
from gpustab.formats.atomic import clear_abandoned, make_folder, write_text
from gpustab.formats.parsed import parse_json
from gpustab.machine.environment import environment
from gpustab.machine.log import log
from gpustab.machine.proof import name_of
from gpustab.runs.lock import one_at_a_time

_FORM = "gpustab.measured/1"
_LARGEST = 1 << 20
"""Bytes of a file that is still read: one of ours has some hundred for each device."""
_BROKEN = (OSError, ValueError, ArithmeticError, RecursionError)
"""What reading and checking a file of something else may raise; its numbers may have any size, its lists any depth."""
_VERSIONS = ("gpustab", "torch", "faiss", "threads")


def cache_folder() -> Path:
    """Return the folder of what can be made again."""
    if own := os.environ.get("GPUSTAB_CACHE"):
        return Path(own)
    cache = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(cache) if cache else _home() / ".cache") / "gpustab"


def measured_file() -> Path:
    """Return where measurements are kept."""
    return cache_folder() / "measured.json"


def faster(device: torch.device) -> str | None:
    """Return which search was the faster at every size that was measured on a device; ``None`` where none was."""
    try:
        return _winner(_entries().get(_key(device)))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except _BROKEN as error:
        log.warning("%s: ignored, as it is no measurement of gpustab (%s)", measured_file(), first_line(error))
    return None


def keep(device: torch.device, sizes: Mapping[str, Mapping[str, float]]) -> Path:
    """Keep seconds by size and way; those of other devices stay, a damaged file is replaced.

    Raises:
        GpustabError: if it cannot be written.
    """
    path = measured_file()
    make_folder(path.parent)
    with one_at_a_time(path.parent, "measured"):
        clear_abandoned(path)
        entries: dict[str, Any] = {}
        with suppress(*_BROKEN):
            entries = {key: old for key, old in _entries().items() if _is_whole(old)}
        write_text(path, json.dumps({"form": _FORM, "devices": entries | {_key(device): sizes}}, indent=1))
    return path


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # of a user whom the system does not know
        return Path(tempfile.gettempdir())


def _entries() -> dict[str, Any]:
    content = parse_json(_read(measured_file()))
    if not isinstance(content, dict) or content.get("form") != _FORM or not isinstance(content.get("devices"), dict):
        raise ValueError(f"its form is not {_FORM}")
    devices: dict[str, Any] = content["devices"]
    return devices


def _read(path: Path) -> bytes:
    """Read a file of measurements; a pipe would be waited for, and a device has no end."""
    with os.fdopen(
        os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb"
    ) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is no file")
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError("it is too large")
    return content


def _is_whole(sizes: Any) -> bool:
    with suppress(*_BROKEN):
        return _winner(sizes) is not None
    return False


def _winner(sizes: Any) -> str | None:
    """The way that won at every size, torch where they differ; checked, as the file may be anybody's."""
    if sizes is None:
        return None
    if not isinstance(sizes, dict) or not sizes:
        raise ValueError("a device has no sizes")
    won = set()
    for ways in sizes.values():
        if not isinstance(ways, dict) or set(ways) != {"torch", "faiss"}:
            raise ValueError("a size has other ways than torch and faiss")
        if not all(type(one) in (int, float) and math.isfinite(one) and one > 0 for one in ways.values()):
            raise ValueError("seconds are no positive numbers")
        won.add(min(ways, key=lambda way: ways[way]))
    return won.pop() if len(won) == 1 else "torch"


def _key(device: torch.device) -> str:
    """The device with the versions that its times depend on."""
    there = environment(device)
    name = name_of(device) if device.type == "cuda" else _processor()
    return ", ".join([name, *(f"{part} {there[part]}" for part in _VERSIONS)])


def _processor() -> str:
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        if names := [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]:
            return names[0]
    return platform.processor() or platform.machine()
