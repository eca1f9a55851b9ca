"""What a reader needs to judge a time: machine, versions, commit, date."""

from __future__ import annotations

import json
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parent.parent
RESULTS = "benchmarks/results"
"""Where benches write, within a checkout: what they wrote before changes nothing that is measured."""
PACKAGES = (
    *("gpustab", "torch", "numpy", "faiss-cpu", "faiss-gpu", "faiss-gpu-cu13-cuvs", "torchmetrics", "triton"),
    *("pandas", "pyarrow"),
)


def environment(device: torch.device) -> dict[str, Any]:
    """Return what a reader needs to judge a time."""
    return {
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        "processor": _processor(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
        "cuda": torch.version.cuda,
        "commit": _commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def keep(content: Any, path: Path) -> None:
    """Write what was measured as JSON, in a folder that is made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def commit_of(tree: Path, *, digits: int | None = None) -> str:
    """Return the commit of a checkout, marked as dirty if a file of it was changed that is no result of a bench.

    Args:
        tree: the checkout.
        digits: of the hash.

    Raises:
        OSError: without git.
        subprocess.CalledProcessError: if it is no checkout.
    """
    name = _git(tree, "describe", "--always", *([f"--abbrev={digits}"] if digits else []))
    changed = _git(tree, "status", "--porcelain", "--untracked-files=no", "--", ".", f":(exclude){RESULTS}")
    return f"{name}-dirty" if changed else name


def _git(tree: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(tree), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _commit() -> str:
    try:
        return commit_of(ROOT, digits=12)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
