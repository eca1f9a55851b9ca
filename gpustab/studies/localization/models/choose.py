"""Models by what is typed: ``bow``, ``mean=SPACE``, ``encoder=FOLDER``, ``pv-dm``, ``urae=SAVED.pt``, ..."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import file_digest, sha256
from pathlib import Path

import torch

from gpustab.errors import InputError, near, option
from gpustab.studies.localization.models.bag_of_words import BagOfWords
from gpustab.studies.localization.models.model import Runs
from gpustab.studies.localization.models.trained import KINDS as TRAINED
from gpustab.studies.localization.models.trained import SAVED, trained
from gpustab.studies.localization.models.word_vectors import mean_of_words
from gpustab.studies.localization.options import TrainingOptions

_PLAIN = ("model", "0_Transformer")
"""Folders whose parents have the names."""

KINDS = ("bow", "mean", "encoder", *TRAINED)
FOLDING = [kind for kind, own in TRAINED.items() if own.folds]


def choose_all(texts: Sequence[str], training: TrainingOptions, device: torch.device, spare: Path | None) -> list[Runs]:
    """Return the models of some texts, each once; see :func:`choose`.

    Raises:
        InputError: also if it was said how to train, and no model is trained.
    """
    models = [choose(text, training, device, spare) for text in dict.fromkeys(texts)]
    if not any(text.partition("=")[0] in TRAINED and not text.endswith(SAVED) for text in texts):
        usual = TrainingOptions()
        for name in ("train_on", "runs", "dim", "epochs", "rate", "min_count", "inference", "tree", "models"):
            if (value := getattr(training, name)) != getattr(usual, name):
                raise InputError(f"{option(name, value)} has no effect here: no model is trained")
    if training.parses is not None and not any(text.partition("=")[0] in FOLDING for text in texts):
        raise InputError(f"{option('parses', training.parses)} has no effect here: no model reads trees")
    return models


def choose(text: str, training: TrainingOptions, device: torch.device, spare: Path | None = None) -> Runs:
    """Return the model of a text.

    Args:
        text: ``bow``; or a kind, ``=``, and the file or folder that it takes; or the kind of a trained model alone.
        training: how models are trained.
        device: where distances are computed.
        spare: see :func:`~gpustab.studies.localization.models.trained.trained`.

    Raises:
        InputError: for an unknown kind, or a file that is not there.
    """
    kind, equals, place = text.partition("=")
    if kind not in KINDS:
        raise InputError(f"{option('model')} is '{text}'{near(kind, KINDS)}; wanted one of {', '.join(KINDS)}")
    if kind == "bow":
        if equals:
            raise InputError(f"{option('model')} is '{text}': bow takes no file")
        return Runs("bag of words", lambda _run: BagOfWords(), key="bow")
    if (equals or kind not in TRAINED) and not (place and Path(place).exists()):
        raise InputError(f"{option('model')} is '{text}': there is no file '{place}'")
    if kind in TRAINED:
        return trained(kind, Path(place) if equals else None, training, device, spare)
    return _mean(Path(place), device) if kind == "mean" else _encoder(Path(place), device)


def _mean(path: Path, device: torch.device) -> Runs:
    from gpustab.formats.registry import read_space

    name = f"mean of {path.name}"
    return Runs(name, lambda _run: mean_of_words(read_space(path), name, device), key=_digest(path))


def _encoder(path: Path, device: torch.device) -> Runs:
    from gpustab.studies.localization.models.encoder import encoder

    name = path.resolve().name
    name = path.resolve().parent.name if name in _PLAIN else name
    return Runs(name, lambda _run: encoder(path, name, device), key=_digest(path))


def _digest(path: Path) -> str:
    """A name for the bytes of a file, or of all files of a folder."""
    digest = sha256()
    for file in sorted(part for part in path.rglob("*") if part.is_file()) if path.is_dir() else [path]:
        with file.open("rb") as content:
            digest.update(f"{file.relative_to(path)}\0{file_digest(content, 'sha256').hexdigest()}\0".encode())
    return digest.hexdigest()[:32]
