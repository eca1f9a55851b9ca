"""Models that are trained on a corpus: which kinds there are, how one run is made, kept and taken again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from gpustab.errors import InputError, option
from gpustab.options import record
from gpustab.studies.localization.language import Tokens
from gpustab.studies.localization.models.folded import load_folded, train_folded
from gpustab.studies.localization.models.model import Embedding, Runs
from gpustab.studies.localization.models.paragraph_vectors import (
    ParagraphOptions,
    load_paragraphs,
    train_paragraphs,
)
from gpustab.studies.localization.models.parses import read_parses
from gpustab.studies.localization.models.saved import read_sentences
from gpustab.studies.localization.models.trees import Merges
from gpustab.studies.localization.models.urae import FoldOptions
from gpustab.studies.localization.options import TrainingOptions
from gpustab.studies.shared.finished import digest_of

Parses = Mapping[Tokens, Merges] | None


@dataclass(frozen=True)
class Kind:
    """A kind of trained model.

    Attributes:
        name: shown to people.
        usual: its options, unless others are chosen.
        folds: whether it reads trees.
    """

    name: str
    usual: Any
    folds: bool = False

    def options(self, training: TrainingOptions) -> Any:
        """Return its options with what was chosen; a control that is not trained keeps its 0 epochs."""
        found = training.over(self.usual)
        return found if self.usual.epochs else replace(found, epochs=0)

    def train(self, sentences: Sequence[Tokens], run: int, options: Any, parses: Parses) -> Any:
        """Return one run."""
        if self.folds:
            return train_folded(sentences, run, options, parses)
        return train_paragraphs(sentences, run, options)

    def load(self, path: Path) -> Any:
        """Return a run that was kept.

        Raises:
            InputError: if the file is none, or of a model of another kind.
        """
        if self.folds:
            return load_folded(path)
        found = load_paragraphs(path)
        if found.options.memory != self.usual.memory:
            raise InputError(f"{path}: holds paragraph vectors of the other kind, not {self.name}")
        return found

    def embedding(self, run: Any, parses: Parses, device: torch.device) -> Embedding:
        """Return the model of sentences of one run."""
        found: Embedding = run.embedding(self.name, parses) if self.folds else run.embedding(self.name, device)
        return found


KINDS = {
    "pv-dm": Kind("PV-DM", ParagraphOptions(memory=True)),
    "pv-dbow": Kind("PV-DBOW", ParagraphOptions(memory=False)),
    "urae": Kind("U-RAE", FoldOptions(), folds=True),
    "untrained-urae": Kind("U-RAE, untrained", FoldOptions(epochs=0), folds=True),
}
"""By what is typed."""

SAVED = ".pt"
"""How files of kept models end."""


def trained(
    kind: str, path: Path | None, training: TrainingOptions, device: torch.device, spare: Path | None = None
) -> Runs:
    """Return the runs of a trained model.

    Args:
        kind: of :data:`KINDS`.
        path: a model that was kept (``.pt``), or the corpus to train on; default: the options' corpus.
        training: how it is trained.
        device: where distances are computed.
        spare: folder where models are kept if the options name none.

    Raises:
        InputError: if there is neither, or a file cannot be used.
    """
    own = KINDS[kind]
    parses = read_parses(training.parses) if training.parses is not None and own.folds else None
    if path is not None and path.suffix == SAVED:
        key = digest_of("saved", kind, path.read_bytes().hex(), _plain(parses))
        return Runs(own.name, lambda _run: own.embedding(own.load(path), parses, device), key=key)
    corpus = path or training.train_on
    if corpus is None:
        raise InputError(f"{option('model')} {kind} is trained: name its corpus with {option('train_on')}")
    sentences, options = read_sentences(corpus), own.options(training)
    key = digest_of(kind, record(options), sentences, _plain(parses), _gensim())
    folder = training.models or spare

    def make(run: int) -> Embedding:
        train = lambda: own.train(sentences, run, options, parses)  # noqa: E731  # one expression, used once
        return own.embedding(_kept(folder, f"{kind}-{run}-{key[:12]}{SAVED}", train, own.load), parses, device)

    return Runs(own.name, make, training.runs, key)


def _kept(folder: Path | None, name: str, train: Callable[[], Any], load: Callable[[Path], Any]) -> Any:
    """A model of a folder, or one that is trained and put there."""
    if folder is None:
        return train()
    path = folder / name
    if path.is_file():
        return load(path)
    found = train()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from None
    found.save(path)
    return found


def _plain(parses: Parses) -> list[Any] | None:
    return None if parses is None else [[*tokens, *merges] for tokens, merges in parses.items()]


def _gensim() -> str:
    try:
        import gensim
    except ImportError:
        raise InputError("models that are trained need gensim: pip install 'gpustab[train]'") from None
    return str(gensim.__version__)
