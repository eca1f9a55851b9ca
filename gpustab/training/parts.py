"""Training on parts of a corpus: both halves, whose runs tell what other documents would say, or epoch by epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.slices import epoch_slices
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.report import Result
from gpustab.training.runner import train_runs
from gpustab.training.settings import TrainingSettings


def train_halves(settings: TrainingSettings, folder: Path, **how: Any) -> Result:
    """Train what a plan wants on each half of the documents, drawn once at random by the plan's seed.

    Args:
        settings: the plan.
        folder: the run set; its groups are called ``.../half=a`` and ``.../half=b``.
        **how: as :func:`gpustab.training.runner.train_runs` takes it.
    """
    return _all(settings, [{"half": half} for half in ("a", "b")], folder, how | {"prepare": _once(settings)})


def train_epochs(settings: TrainingSettings, folder: Path, *, splits: int = 0, **how: Any) -> Result:
    """Train what a plan wants on each epoch, and on the epochs of random splits of the same documents.

    Args:
        settings: the plan, with ``epochs_by``.
        folder: the run set; its groups are called ``.../epoch=1790-1809`` and ``.../control=1/epoch=1790-1809``.
        splits: how many splits as a control.
        **how: as :func:`gpustab.training.runner.train_runs` takes it.

    Raises:
        InputError: as that function, and if the corpus has fewer than two such epochs.
    """
    prepare = _once(settings)
    names = [dict(own.part)["epoch"] for own in epoch_slices(prepare(), settings.epochs_by)]
    parts = [{"epoch": name, "control": control} for control in range(splits + 1) for name in names]
    return _all(settings, parts, folder, how | {"prepare": prepare})


def _once(settings: TrainingSettings) -> Callable[[], Corpus]:
    """Return what reads the corpus when it is first wanted, and keeps it for all parts."""
    return cache(lambda: prepare_corpus(settings.corpus, settings.options))


def _all(settings: TrainingSettings, parts: Sequence[dict[str, Any]], folder: Path, how: dict[str, Any]) -> Result:
    """Train one part after the other; the answers are put together."""
    quiet = how | {"announce": None}  # the settings are told once
    results = [
        train_runs(settings.model_copy(update=part), folder, **(quiet if number else how))
        for number, part in enumerate(parts)
    ]
    first, *others = results
    for other in others:
        first.add(other)
    return first
