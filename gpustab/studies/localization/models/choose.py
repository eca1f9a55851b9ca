"""Models by what is typed: ``bow``, ``mean=SPACE``, ``pv-dm=CORPUS``, ``encoder=FOLDER``, ..."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from gpustab.errors import InputError, near, option
from gpustab.studies.localization.models.bag_of_words import BagOfWords
from gpustab.studies.localization.models.word_vectors import mean_of_words
from gpustab.studies.localization.study import Runs

Made = Callable[[Path, int, torch.device], Runs]


def choose(text: str, runs: int, device: torch.device) -> Runs:
    """Return the model of a text.

    Args:
        text: ``bow``, or a kind, ``=``, and the file or folder that it takes.
        runs: of a model that is trained.
        device: where distances are computed.

    Raises:
        InputError: for an unknown kind, or a file that is not there.
    """
    kind, equals, place = text.partition("=")
    if kind == "bow" and not equals:
        return Runs("bag of words", lambda _run: BagOfWords())
    if kind not in KINDS:
        raise InputError(
            f"{option('model')} is '{text}'{near(kind, ['bow', *KINDS])}; wanted bow, or one of "
            f"{', '.join(KINDS)} with = and a file"
        )
    if not place or not Path(place).exists():
        raise InputError(f"{option('model')} is '{text}': there is no file '{place}'")
    return KINDS[kind](Path(place), runs, device)


def _mean(path: Path, _runs: int, device: torch.device) -> Runs:
    from gpustab.formats.registry import read_space

    name = f"mean of {path.name}"
    return Runs(name, lambda _run: mean_of_words(read_space(path), name, device))


KINDS: dict[str, Made] = {"mean": _mean}
"""What takes a file, by kind."""
