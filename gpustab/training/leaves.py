"""The leaf folders of a training: their names, the plan that each must keep to, and which runs are still missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.corpus.corpus import Corpus, CorpusOptions
from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError, option
from gpustab.formats.atomic import clear_leftovers, write_text
from gpustab.formats.binary.safetensors import read_metadata
from gpustab.formats.binary.safetensors_rows import open_rows
from gpustab.machine.device import log
from gpustab.runs.key import Key
from gpustab.runs.lock import alone
from gpustab.runs.outputs import OUTPUT, output_file
from gpustab.training.engines import card_of, engine_of, engine_plan
from gpustab.training.settings import TrainingSettings

PLAN = "plan.json"
_SCHEMA = "gpustab.plan/1"
_STREAM = "training_stream"
_BEFORE = {"engine": "gensim", "programs_per_run": 1, "parameters.spread": 1.0, _STREAM: "shared"} | {
    f"options.{field.name}": field.default for field in fields(CorpusOptions)
}
"""What plans mean that were written when there were no such keys."""
_READING = {f"options.{field.name}" for field in fields(ReadOptions)}
"""How text was read matters in what came of it, which the corpus' hash tells."""


class Leaf(NamedTuple):
    """One group of runs to train.

    Attributes:
        key: what it is.
        folder: where it lies.
        shared_seeds: whether its runs train with the seeds that all samplings once shared: it was begun so.
    """

    key: Key
    folder: Path
    shared_seeds: bool = False


def corpus_record(corpus: Corpus) -> dict[str, Any]:
    """Return what identifies a corpus."""
    return {"name": corpus.name, "hash": corpus.hash, "units": len(corpus), "tokens": len(corpus.tokens)}


def plan_of(key: Key, settings: TrainingSettings, corpus: Corpus) -> dict[str, Any]:
    """Return everything that the vectors of a leaf depend on; the settings must be resolved."""
    technique = key.technique
    parameters = settings.parameters_of(technique)
    return {
        "schema": _SCHEMA,
        "technique": technique,
        "sampling": key.sampling,
        "seed": settings.seed,
        "vary": sorted(settings.vary),
        _STREAM: "own",
        "corpus": corpus_record(corpus),
        "options": asdict(settings.options),
        **engine_plan(technique, *engine_of(technique, settings)),
        **card_of(technique, engine_of(technique, settings)[0], parameters),
        "parameters": parameters.model_dump(mode="json"),
    }


def keep_to_plan(folder: Path, plan: dict[str, Any]) -> bool:
    """Write a new leaf's plan, or see that the old one is the same; clear away what a killed run left half-written.

    Nobody else may be training there now, see :func:`training_alone`.

    The stream of training seeds is no choice of the caller: a leaf keeps to the one that it was begun with.

    Returns:
        Whether the leaf's runs train with the seeds that all samplings once shared.

    Raises:
        InputError: with every difference, if runs were trained there in another way.
    """
    path = folder / PLAN
    runs = any(folder.glob("run-*.safetensors"))
    if runs and not path.is_file():
        raise InputError(f"{folder}: holds runs but no {PLAN}, so it is not known how they were trained")
    if not runs:  # a plan that trained nothing binds nobody
        folder.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(plan, indent=2) + "\n")
    try:
        there = dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: damaged: {error}") from None
    _complete(there, plan, folder)
    stream = there.get(_STREAM, _BEFORE[_STREAM])
    differences = _differences(there, plan | {_STREAM: stream})
    if there.get("corpus") == plan["corpus"]:
        differences = [d for d in differences if d.partition(" ")[0] not in _READING]
    if differences:
        # What was chosen explains what follows from it.
        chosen = [d for d in differences if not d.startswith("corpus.")] or differences
        engine = there.get("engine", _BEFORE["engine"])
        take = f"take {option('engine', engine)}" if engine != plan.get("engine", engine) else "take those"
        raise InputError(
            f"{folder}: trained with other settings: {'; '.join(chosen)}; {take}, or another run set, or delete it"
        )
    for place in (folder, folder / OUTPUT):
        clear_leftovers(place)
    return bool(stream == "shared")


@contextmanager
def training_alone(folders: Iterable[Path]) -> Iterator[None]:
    """Hold leaves, which are made if they are not there, while their runs are trained.

    Raises:
        InputError: if another call is training one of them, or it cannot be made.
    """
    with ExitStack() as held:
        for folder in folders:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{folder}: cannot be made: {error.strerror}") from None
            held.enter_context(alone(folder, "training", "training"))
        yield


def _complete(there: dict[str, Any], plan: dict[str, Any], folder: Path) -> None:
    """Fill in what an older plan does not say, and nothing else tells: then it is what is asked for now."""
    parameters = there.get("parameters")
    if isinstance(parameters, dict) and parameters.get("device") == "auto":
        parameters["device"] = plan["parameters"].get("device")
        log.warning("%s: it is not known on what its runs were trained; now on %s", folder, parameters["device"])
    runs = sorted(folder.glob("run-*.safetensors"))
    if "card" not in there and "card" in plan and runs:
        with open_rows(runs[0]) as rows:
            there["card"] = read_metadata(rows).get("card", plan["card"])


def _differences(there: Any, now: Any, key: str = "") -> list[str]:
    if isinstance(there, dict) and isinstance(now, dict):
        names = sorted(set(there) | set(now))
        paths = [(n, f"{key}.{n}" if key else n) for n in names]
        return [d for n, path in paths for d in _differences(there.get(n, _BEFORE.get(path)), now.get(n), path)]
    return [] if there == now else [f"{key} was {json.dumps(there)}, now {json.dumps(now)}"]


def run_file(folder: Path, run: int) -> Path:
    """Return the path of a run."""
    return folder / f"run-{run:03d}.safetensors"


def missing_runs(folder: Path, runs: int, keep_output: bool = False) -> list[int]:
    """Return which of the first ``runs`` runs are not there yet; a file that is there is whole.

    A run whose output vectors are wanted and are not there is missing too.
    """
    paths = [run_file(folder, run) for run in range(runs)]
    return [
        run for run, path in enumerate(paths) if not path.is_file() or (keep_output and not output_file(path).is_file())
    ]
