"""Models by what is typed: ``bow``, ``mean=SPACE``, ``pv-dm``, ``urae=SAVED.pt``, ...; trained ones are kept."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch

from gpustab.errors import InputError, option
from gpustab.formats.atomic import make_folder
from gpustab.formats.checkpoints.encoder import check_encoder
from gpustab.formats.checkpoints.folder import digest_of_files
from gpustab.formats.options import LoadOptions
from gpustab.installing import install
from gpustab.options import record
from gpustab.sentences.language import Tokens, package
from gpustab.sentences.model import BagOfWords, Embedding, Runs, read_sentences
from gpustab.sentences.paragraph_vectors import ParagraphOptions, load_paragraphs, train_paragraphs
from gpustab.sentences.pretrained import encoder, mean_of_words
from gpustab.sentences.trees import Merges, read_parses
from gpustab.sentences.urae import FoldOptions, load_folded, train_folded
from gpustab.studies.localization.options import SAVED, TrainingOptions, check_model, check_models, kind_and_place
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
        folded = self.folds
        return train_folded(sentences, run, options, parses) if folded else train_paragraphs(sentences, run, options)

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
        return cast(Embedding, run.embedding(self.name, parses) if self.folds else run.embedding(self.name, device))


TRAINED = {
    "pv-dm": Kind("PV-DM", ParagraphOptions(memory=True)),
    "pv-dbow": Kind("PV-DBOW", ParagraphOptions(memory=False)),
    "urae": Kind("U-RAE", FoldOptions(), folds=True),
    "untrained-urae": Kind("U-RAE, untrained", FoldOptions(epochs=0), folds=True),
}
"""By what is typed."""


def trained(
    kind: str, path: Path | None, training: TrainingOptions, device: torch.device, spare: Path | None = None
) -> Runs:
    """Return the runs of a trained model.

    Args:
        kind: of :data:`TRAINED`.
        path: a model that was kept (``.pt``), or the corpus to train on; default: the options' corpus.
        training: how it is trained.
        device: where distances are computed.
        spare: folder where models are kept if the options name none.

    Raises:
        InputError: if there is neither, or a file cannot be used.
    """
    own = TRAINED[kind]
    parses = read_parses(training.parses) if training.parses is not None and own.folds else None
    trees = None if parses is None else [[*tokens, *merges] for tokens, merges in parses.items()]
    if path is not None and path.suffix == SAVED:
        own.load(path)
        key = digest_of("saved", kind, path.read_bytes().hex(), trees)
        return Runs(own.name, lambda _run: own.embedding(own.load(path), parses, device), key=key)
    corpus = path or training.train_on
    if corpus is None:
        raise InputError(f"{option('model')} {kind} is trained: name its corpus with {option('train_on')}")
    sentences, options = read_sentences(corpus), own.options(training)
    gensim = package("gensim", f"models that are trained need gensim: {install('train')}")
    key = digest_of(kind, record(options), sentences, trees, str(gensim.__version__))
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
    make_folder(folder)
    found = train()
    found.save(path)
    return found


def choose_all(texts: Sequence[str], training: TrainingOptions, device: torch.device, spare: Path | None) -> list[Runs]:
    """Return the models of some texts, each once; see :func:`choose`. All are looked at before any is read.

    Models of one name are called by as much of their paths as tells them apart.

    Raises:
        InputError: also for what :func:`gpustab.studies.localization.options.check_models` refuses.
    """
    check_models(texts, training)
    each: dict[tuple[str, Path | None], str] = {}
    for text in texts:
        each.setdefault(_kind_and_path(text), text)
    found = [(choose(text, training, device, spare), path) for (_, path), text in each.items()]
    paths: dict[str, list[Path | None]] = defaultdict(list)
    for source, path in found:
        paths[source.name].append(path)
    return [replace(source, name=_apart(source.name, path, paths[source.name])) for source, path in found]


def _kind_and_path(text: str) -> tuple[str, Path | None]:
    kind, _, place = kind_and_place(text)
    return kind, Path(place).resolve() if place else None


def _apart(name: str, path: Path | None, paths: Sequence[Path | None]) -> str:
    """A model's name, with as much of its path as tells it from the others of that name."""
    if path is None or len(paths) < 2:
        return name
    above = os.path.commonpath([one.parent for one in paths if one])
    return f"{name} ({path.relative_to(above).as_posix()})"


def choose(text: str, training: TrainingOptions, device: torch.device, spare: Path | None = None) -> Runs:
    """Return the model of a text.

    Args:
        text: ``bow``; or a kind, ``=``, and the file or folder that it takes; or the kind of a trained model alone; or
            the folder of an encoder.
        training: how models are trained.
        device: where distances are computed.
        spare: see :func:`trained`.

    Raises:
        InputError: for an unknown kind, or a file that is not there.
    """
    kind, equals, place = kind_and_place(text)
    check_model(text)
    if kind == "bow":
        return Runs("bag of words", lambda _run: BagOfWords(), key="bow")
    path = Path(place)
    if kind in TRAINED:
        return trained(kind, path if equals else None, training, device, spare)
    if kind == "encoder":
        folder = path.resolve()
        folder = folder.parent if folder.name in ("model", "0_Transformer") else folder  # the parent has the name
        check_encoder(path)
        return Runs(folder.name, lambda _run: encoder(path, folder.name, device), key=digest_of_files(path))
    from gpustab.formats.registry import read_space

    read_space(path, LoadOptions(limit=1))  # a file of no vectors is refused before other models are read
    name = f"mean of {path.name}"
    return Runs(name, lambda _run: mean_of_words(read_space(path), name, device), key=digest_of_files(path))
