"""What trains each technique: engine, card and parameters, all decided before a corpus is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import torch

from gpustab.corpus.corpus import Corpus
from gpustab.errors import InputError, option
from gpustab.kernels.dispatch import use_triton
from gpustab.machine.device import choose_device
from gpustab.machine.log import log
from gpustab.trainers import ON_GPU, UNTRIED, Engine, technique
from gpustab.trainers.base import Parameters, Technique
from gpustab.trainers.word2vec import Word2VecParameters
from gpustab.training.settings import TrainingSettings


@dataclass(frozen=True)
class Trainer:
    """A technique with everything that decides how it is trained but for its text.

    Attributes:
        name: of the technique.
        parameters: of the technique.
        engine: what trains it.
    """

    name: str
    parameters: Parameters
    engine: Engine = "gensim"

    @property
    def technique(self) -> Technique:
        """The technique as the engine trains it."""
        return technique(self.name, self.engine)

    @property
    def on_card(self) -> bool:
        """Whether runs are trained on a GPU: in this process, many at once, one call after the other."""
        return self.engine == "gpu" or (self.name == "glove" and self.parameters.model_dump()["device"] == "cuda")

    @property
    def card(self) -> dict[str, str]:
        """What a plan and a run say about the card: cards of another kind give other vectors; nothing of a CPU."""
        return {"card": torch.cuda.get_device_name()} if self.on_card and torch.cuda.is_available() else {}

    @property
    def engine_plan(self) -> dict[str, Any]:
        """What a plan says about the engine: nothing where the technique has only one."""
        return {"engine": self.engine} if self.name in ON_GPU else {}

    @property
    def engine_record(self) -> dict[str, Any]:
        """What a run says about the engine, and that it can be trained again with the same vectors."""
        return self.engine_plan | {"deterministic": True}


def trainers_of(settings: TrainingSettings) -> list[Trainer]:
    """Return what trains every technique, by settings that :func:`resolve_engine` gave.

    Raises:
        InputError: if output vectors shall be kept and a technique has none of words.
    """
    engine: Engine = "gpu" if settings.engine == "gpu" else "gensim"
    trainers = [
        Trainer(name, settings.parameters_of(name), engine if name in ON_GPU else "gensim")
        for name in settings.techniques
    ]
    for trainer in trainers if settings.keep_output else ():
        _check_output(trainer)
    return trainers


def resolve_engine(settings: TrainingSettings) -> TrainingSettings:
    """Return the settings with ``engine = "auto"`` decided: gpu where it can train what is asked for, else gensim.

    So is GloVe's ``device = "auto"``.

    An engine that is asked for is taken or refused, never replaced. Why ``auto`` is gensim stands in the log. Where no
    technique has two engines nothing is decided.

    Raises:
        InputError: if the engine gpu is asked for and cannot be used.
    """
    wanted, problem = settings.engine, _problem(settings)
    if wanted == "gpu" and problem:
        raise InputError(f"engine gpu cannot be used: {problem}")
    engine = wanted if wanted != "auto" else "gensim" if problem else "gpu"
    settings = _with_device(settings)
    if wanted != "auto" or ON_GPU.keys().isdisjoint(settings.techniques):
        return settings
    log.info("engine auto is %s", f"gensim: {problem}" if problem else "gpu")
    return settings.model_copy(update={"engine": engine})


def check_dimensions(trainers: list[Trainer], corpus: Corpus) -> None:
    """Refuse a dimension that no sample of a corpus allows; a sample may allow fewer than its corpus.

    Raises:
        InputError: naming the largest that can be.
    """
    for trainer in trainers:
        most, dim = trainer.technique.most, getattr(trainer.parameters, "dim", 0)
        if most and dim > (can := most(corpus)):
            at_most = f"{option('dim', can)} at most, less where a sample has fewer words" if can > 0 else "give more"
            raise InputError(
                f"{corpus.name}: {trainer.name} cannot have dim {dim} with {len(corpus)} {corpus.sizes[0][1]}s and "
                f"{len(corpus.vocabulary):,} words; {at_most}"
            )


def _check_output(trainer: Trainer) -> None:
    if trainer.technique.with_output is None:
        raise InputError(f"{option('keep_output')}: {trainer.name} keeps no output vectors of words; sgns and cbow do")
    if trainer.parameters.model_dump()["hierarchical_softmax"]:
        raise InputError(
            f"{option('keep_output')}: hierarchical softmax has output vectors of the nodes of a tree, and none of "
            f"words; train {trainer.name} with negative samples"
        )


def _with_device(settings: TrainingSettings) -> TrainingSettings:
    """Decide ``device = "auto"`` of GloVe: CPU and CUDA round differently, and a leaf keeps to one."""
    if "glove" not in settings.techniques:
        return settings
    device = choose_device(settings.parameters_of("glove").model_dump()["device"]).type
    parameters = settings.parameters | {"glove": settings.parameters.get("glove", {}) | {"device": device}}
    return settings.model_copy(update={"parameters": parameters})


def _problem(settings: TrainingSettings) -> str:
    """Return why the engine gpu cannot train what is asked for, as a clause; empty if it can."""
    from gpustab.trainers.word2vec_gpu import proved_kernel, unfit

    names = [name for name in settings.techniques if name in ON_GPU]
    if not names:
        return f"it trains {' and '.join(ON_GPU)}, not {', '.join(settings.techniques)}"
    for name in names:
        if problem := unfit(_word2vec(settings, name)):
            return f"{name}: {problem}" if len(names) > 1 else problem
    if settings.engine == "auto" and (untried := sorted(UNTRIED.intersection(names))):
        return f"{' and '.join(untried)} has run on no card yet; --engine gpu takes it"
    device = choose_device()
    try:
        fused, reason = use_triton(torch.empty(1, 1, device=device))
    except ValueError as error:
        raise InputError(str(error)) from None
    if device.type != "cuda" and not (fused and settings.engine == "gpu"):  # interpreted on the CPU: for tests
        return "there is no CUDA device here; see gpustab doctor"
    if not fused:
        return reason
    proofs = {name: proved_kernel(_word2vec(settings, name), device, cbow=name == "cbow") for name in names}
    return next((f"{name} did not prove itself here: {found}" for name, found in proofs.items() if not found.works), "")


def _word2vec(settings: TrainingSettings, name: str) -> Word2VecParameters:
    return cast(Word2VecParameters, settings.parameters_of(name))
