"""Which engine trains the techniques that have two of them."""

from __future__ import annotations

from typing import Any, cast

import torch

from gpustab.errors import InputError, option
from gpustab.kernels.dispatch import use_triton
from gpustab.machine.device import choose_device, log
from gpustab.trainers import ON_GPU, UNTRIED, Engine
from gpustab.trainers.base import Parameters
from gpustab.trainers.word2vec import Word2VecParameters
from gpustab.training.settings import TrainingSettings


def resolve_engine(settings: TrainingSettings) -> TrainingSettings:
    """Return the settings with ``engine = "auto"`` decided: gpu where it can train what is asked for, else gensim.

    So is GloVe's ``device = "auto"``.

    An engine that is asked for is taken or refused, never replaced. Why ``auto`` is gensim stands in the log. Where no
    technique has two engines nothing is decided.

    Raises:
        InputError: if the engine gpu is asked for and cannot be used, or ``programs_per_run`` without it.
    """
    asked, problem = settings.engine, _problem(settings)
    if asked == "gpu" and problem:
        raise InputError(f"engine gpu cannot be used: {problem}")
    engine = asked if asked != "auto" else "gensim" if problem else "gpu"
    if engine == "gensim" and settings.programs_per_run > 1:
        why = f", which cannot be used: {problem}" if asked == "auto" else ""
        many = f"{option('programs_per_run')} is {settings.programs_per_run}"
        raise InputError(f"{many}; more than 1 is for engine gpu{why}")
    settings = _with_device(settings)
    if asked != "auto" or ON_GPU.keys().isdisjoint(settings.techniques):
        return settings
    log.info("engine auto is %s", f"gensim: {problem}" if problem else "gpu")
    return settings.model_copy(update={"engine": engine})


def _with_device(settings: TrainingSettings) -> TrainingSettings:
    """Decide ``device = "auto"`` of GloVe: CPU and CUDA round differently, and a leaf keeps to one."""
    if "glove" not in settings.techniques:
        return settings
    device = choose_device(settings.parameters_of("glove").model_dump()["device"]).type
    parameters = settings.parameters | {"glove": settings.parameters.get("glove", {}) | {"device": device}}
    return settings.model_copy(update={"parameters": parameters})


def card_of(technique: str, engine: Engine, parameters: Parameters) -> dict[str, str]:
    """Return what a plan and a run say about the card: cards of another kind give other vectors; nothing of a CPU."""
    there = on_card(technique, engine, parameters) and torch.cuda.is_available()
    return {"card": torch.cuda.get_device_name()} if there else {}


def on_card(technique: str, engine: Engine, parameters: Parameters) -> bool:
    """Tell whether runs are trained on a GPU: in this process, many at once, one call after the other."""
    return engine == "gpu" or (technique == "glove" and parameters.model_dump()["device"] == "cuda")


def _problem(settings: TrainingSettings) -> str:
    """Return why the engine gpu cannot train what is asked for, as a clause; empty if it can."""
    from gpustab.trainers.word2vec_gpu import unfit

    names = [name for name in settings.techniques if name in ON_GPU]
    if not names:
        return f"it trains {' and '.join(ON_GPU)}, not {', '.join(settings.techniques)}"
    for name in names:
        if problem := unfit(cast(Word2VecParameters, settings.parameters_of(name))):
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
    return "" if fused else reason


def engine_of(technique: str, settings: TrainingSettings) -> tuple[Engine, int]:
    """Return what trains a technique and by how many programs a run, by settings that are resolved."""
    if settings.engine == "gpu" and technique in ON_GPU:
        return "gpu", settings.programs_per_run
    return "gensim", 1


def engine_plan(technique: str, engine: Engine, programs_per_run: int) -> dict[str, Any]:
    """Return what a plan says about the engine: nothing where the technique has only one."""
    return {"engine": engine, "programs_per_run": programs_per_run} if technique in ON_GPU else {}


def engine_record(technique: str, engine: Engine, programs_per_run: int) -> dict[str, Any]:
    """Return what a run says about the engine, and whether it can be trained again with the same vectors."""
    plan = engine_plan(technique, engine, programs_per_run)
    return plan | ({"hogwild": programs_per_run > 1} if plan else {}) | {"deterministic": programs_per_run == 1}
