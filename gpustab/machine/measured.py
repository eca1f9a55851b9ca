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
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from gpustab.errors import first_line
from gpustab.machine.device import log
from gpustab.machine.environment import environment
from gpustab.machine.proof import name_of

_FORM = "gpustab.measured/1"
_LARGEST = 1 << 20
"""Bytes of a file that is still read: one of ours has some hundred for each device."""
_VERSIONS = ("gpustab", "torch", "faiss", "threads")


def measured_file() -> Path:
    """Return where measurements are kept."""
    if own := os.environ.get("GPUSTAB_CACHE"):
        return Path(own) / "measured.json"
    cache = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    home = Path(os.environ.get("HOME") or os.environ.get("USERPROFILE") or tempfile.gettempdir())
    return (Path(cache) if cache else home / ".cache") / "gpustab" / "measured.json"


def faster(device: torch.device) -> str | None:
    """Return which search was the faster at every size that was measured on a device; ``None`` where none was."""
    try:
        return _winner(_entries().get(_key(device)))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        log.warning("%s: ignored, as it is no measurement of gpustab (%s)", measured_file(), first_line(error))
    return None


def keep(device: torch.device, sizes: Mapping[str, Mapping[str, float]]) -> Path:
    """Keep seconds by size and way; those of other devices stay, a damaged file is replaced.

    Raises:
        OSError: if it cannot be written.
    """
    entries: dict[str, Any] = {}
    with suppress(OSError, ValueError, RecursionError):
        entries = _entries()
    path = measured_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_text(json.dumps({"form": _FORM, "devices": entries | {_key(device): sizes}}, indent=1), "utf-8")
    new.replace(path)
    return path


def _entries() -> dict[str, Any]:
    path = measured_file()
    if path.stat().st_size > _LARGEST:
        raise ValueError("it is too large")
    content = json.loads(path.read_text("utf-8"))
    if not isinstance(content, dict) or content.get("form") != _FORM or not isinstance(content.get("devices"), dict):
        raise ValueError(f"its form is not {_FORM}")
    devices: dict[str, Any] = content["devices"]
    return devices


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
