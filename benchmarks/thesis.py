"""The functions that the thesis was computed with, from a checkout of its published code that somebody names.

Rettenmeier (2020): repository lucasrettenmeier/word-embedding-stability on GitHub. Nothing of it is part of this
project.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from torch import Tensor

from benchmarks.harness import Bench, Contender, relative_error

METHOD = "published code of the thesis, float64"


def published(
    bench: Bench,
    job: Callable[[Path, Tensor, Tensor], Callable[[], Any]],
    x: Tensor,
    y: Tensor,
    truth: Any,
    share: float,
) -> list[Contender]:
    """The thesis' own code on one pair, where there is a checkout of it."""
    if bench.thesis is None:
        return []
    check = partial(relative_error, truth=truth)
    return [Contender(METHOD, job(bench.thesis, x, y), check, 1e-9, share, "one pair timed, scaled")]


def pip(folder: Path, x: Tensor, y: Tensor) -> Callable[[], float]:
    """Return what computes the reduced PIP loss of a pair; the thesis' code leaves its factor 1/2 out."""
    return partial(_quietly, _evaluation(folder).get_pip_norm, _model(x), _model(y))


def wordwise(folder: Path, x: Tensor, y: Tensor) -> Callable[[], Any]:
    """Return what computes the word-wise reduced PIP loss of all words of a pair."""
    return partial(_quietly, _evaluation(folder).get_ww_pip_norm, _model(x), _model(y), np.arange(len(x)))


def _quietly(work: Callable[..., Any], *arguments: Any) -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        return work(*arguments) / 2


def _model(rows: Tensor) -> SimpleNamespace:
    return SimpleNamespace(embeddings=rows.cpu().numpy())


def _evaluation(folder: Path) -> ModuleType:
    if not (folder / "lib" / "eval.py").is_file():
        raise SystemExit(f"{folder}: no lib/eval.py there; wanted a checkout of word-embedding-stability")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    sys.modules.setdefault("fasttext", ModuleType("fasttext"))  # which its models import, and measuring needs not
    return importlib.import_module("lib.eval")
