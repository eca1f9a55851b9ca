"""Models by what is typed: ``bow``, ``mean=SPACE``, ``pv-dm=CORPUS``, ``encoder=FOLDER``, ..."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from gpustab.errors import InputError, near, option
from gpustab.studies.localization.models.bag_of_words import BagOfWords
from gpustab.studies.localization.models.word_vectors import mean_of_words
from gpustab.studies.localization.study import Runs

_PLAIN = ("model", "0_Transformer")
"""Folders whose parents have the names."""

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


def _paragraphs(memory: bool) -> Made:
    def made(path: Path, runs: int, device: torch.device) -> Runs:
        from gpustab.studies.localization.models.paragraph_vectors import (
            ParagraphOptions,
            read_sentences,
            train_paragraphs,
        )

        name = "PV-DM" if memory else "PV-DBOW"
        sentences, options = read_sentences(path), ParagraphOptions(memory=memory)
        return Runs(name, lambda run: train_paragraphs(sentences, run, options, name, device), runs)

    return made


def _folded(trained: bool) -> Made:
    def made(path: Path, runs: int, _device: torch.device) -> Runs:
        from gpustab.studies.localization.models.folded import load_folded, train_folded
        from gpustab.studies.localization.models.paragraph_vectors import read_sentences
        from gpustab.studies.localization.models.urae import FoldOptions

        name = "U-RAE" if trained else "U-RAE, untrained"
        if trained and path.suffix == ".pt":
            return Runs(name, lambda _run: load_folded(path).embedding(name))
        sentences = read_sentences(path)
        options = FoldOptions() if trained else FoldOptions(epochs=0)
        return Runs(name, lambda run: train_folded(sentences, run, options).embedding(name), runs)

    return made


def _encoder(path: Path, _runs: int, device: torch.device) -> Runs:
    from gpustab.studies.localization.models.encoder import encoder

    name = path.resolve().name
    name = path.resolve().parent.name if name in _PLAIN else name
    return Runs(name, lambda _run: encoder(path, name, device))


KINDS: dict[str, Made] = {
    "mean": _mean,
    "pv-dm": _paragraphs(memory=True),
    "pv-dbow": _paragraphs(memory=False),
    "urae": _folded(trained=True),
    "untrained-urae": _folded(trained=False),
    "encoder": _encoder,
}
"""What takes a file, by kind."""
