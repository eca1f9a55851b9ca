"""Runs of encoders as a run set: a *fixed* one for each model, and for each *bootstrap* ones over documents."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.corpus.compact import counts_of
from gpustab.corpus.corpus import Corpus, CorpusOptions
from gpustab.corpus.sampling import draw, training_seed, unit_names
from gpustab.encoders.options import Encoding
from gpustab.encoders.passages import Passages
from gpustab.encoders.said import notes_of, read_of, verdict_of
from gpustab.encoders.sums import kept_sums, text_sums, weighted, word_sums
from gpustab.errors import ComputationError, InputError, marked, option
from gpustab.formats.atomic import told
from gpustab.formats.binary.safetensors import open_rows, read_metadata, write_safetensors
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.folder import digest_of_files
from gpustab.formats.checkpoints.windows import check_layer
from gpustab.kernels.arithmetic import product
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress, no_progress
from gpustab.report import Result
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.runs.key import ENCODER, MODEL, Key
from gpustab.runs.manifest import run_file
from gpustab.runs.place import check_place
from gpustab.runs.runset import names_runs, update_manifest
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import some_words
from gpustab.training.plan import PLAN_SCHEMA, corpus_record, keep_to_plan, training_alone
from gpustab.training.runner import corpus_notes

UNFINISHED = "unfinished-encoding"
"""What was read so far lies here, in the run set to be; it goes when all runs are there."""
_SHOWN = 5
_INNER = ("model", "0_Transformer")
"""Folders that are called by those above them."""


class Model(NamedTuple):
    """A model by its folder.

    Attributes:
        name: shown to people, and part of its groups' names.
        folder: where it lies.
        digest: of its files.
    """

    name: str
    folder: Path
    digest: str


class Task(NamedTuple):
    """One run: of a model, or of a model and a draw."""

    key: Key
    number: int
    model: Model


class _Made(NamedTuple):
    """The runs of one group."""

    group: str
    runs: int
    made_now: int


def models_of(folders: Sequence[Path]) -> list[Model]:
    """Return models by their folders, each called by as much of its path as tells it from the others.

    Raises:
        InputError: if a folder is not there, or given twice.
    """
    paths = [folder.resolve() for folder in folders]
    for folder, path in zip(folders, paths, strict=True):
        if not path.is_dir():
            raise InputError(f"{folder}: there is no such folder of a model")
        if paths.count(path) > 1:
            raise InputError(f"{folder}: is given twice; runs of one model are equal")
    names = [path.parent.name if path.name in _INNER else path.name for path in paths]
    if len(set(names)) < len(names):
        above = Path(os.path.commonpath(paths))
        names = [path.relative_to(above).as_posix() for path in paths]
    return [Model(*one) for one in zip(names, paths, map(digest_of_files, paths), strict=True)]


def encode_runs(
    corpus: Corpus,
    options: CorpusOptions,
    folders: Sequence[Path],
    output: Path,
    encoding: Encoding,
    *,
    device: torch.device | None = None,
    progress: Progress = no_progress,
    told_before: bool = False,
) -> Result:
    """Make the runs that a run set does not have yet; finished ones, and what was read of others, are kept.

    Every passage is read once by each model, whatever the number of runs. All models have the same draws.

    Args:
        corpus: read from a source.
        options: those that it was made with.
        folders: of the models, see :class:`gpustab.formats.checkpoints.encoder.SentenceEncoder`.
        output: the run set.
        encoding: what the vectors are of.
        device: where models run; default: the CPU.
        progress: called with the name of the work and its finished part.
        told_before: whether somebody saw the evidence of the corpus.

    Returns:
        Tables ``groups`` and ``models``.

    Raises:
        InputError: if a folder holds no model, or runs that were made in another way are there.
        ComputationError: if a model gives numbers that are not finite.
    """
    started, device = time.perf_counter(), device or torch.device("cpu")
    check_place(output, corpus.name)
    models, passages = models_of(folders), Passages(corpus, options)
    tasks = [task for sampling in encoding.drawn for task in _tasks(sampling, models, options, encoding.runs)]
    wanted = Counter(task.key for task in tasks)
    plan = _plan(corpus, options, encoding, device)
    with training_alone(output / key.path for key in wanted):
        for key in wanted:
            drawn = key.sampling == "bootstrap"
            of_draws = {"model": next(t.model.digest for t in tasks if t.key == key), "seed": encoding.seed}
            keep_to_plan(output / key.path, plan | {"sampling": key.sampling} | (of_draws if drawn else {}))
        missing = [task for task in tasks if not _is_there(task, output)]
        for model in models:
            if own := [task for task in missing if task.model == model]:
                tell = lambda part, name=model.name: progress(f"reading by {name}", part)  # noqa: E731
                _make(own, output, corpus, passages, encoding, plan, device, tell)
        _clear([_place(output, plan, model) for model in models])
    record = plan | {
        "models": {model.name: model.digest for model in models},
        "runs": encoding.runs,
        "seed": encoding.seed,
    }
    record |= {"options": asdict(options), "dropped": corpus.dropped}
    if missing or not names_runs(output, wanted):
        update_manifest(output, wanted, record)
    records = _firsts(tasks, output)
    tables = {"groups": _groups(wanted, missing), "models": Table.of(list(read_of(records)))}
    result = Result("encode", record, tables=tables)
    result.groups = [{"name": str(key), "runs": runs} for key, runs in wanted.items()]
    result.verdict = [*verdict_of(corpus, records, wanted, encoding, new=bool(missing))]
    drawn = "bootstrap" in encoding.drawn
    result.notes = [*corpus_notes(corpus, told=told_before, drawn=drawn), *notes_of(records, encoding)]
    result.environment = environment(device) | {"seconds": time.perf_counter() - started}
    return result


def _tasks(sampling: str, models: Sequence[Model], options: CorpusOptions, runs: int) -> list[Task]:
    if sampling == "fixed":
        key = Key(ENCODER, "fixed", options.unit, options.fraction)
        return [Task(key, k, model) for k, model in enumerate(models)]
    keys = [Key(ENCODER, "bootstrap", options.unit, options.fraction, ((MODEL, one.name),)) for one in models]
    return [Task(key, k, one) for key, one in zip(keys, models, strict=True) for k in range(runs)]


def _plan(corpus: Corpus, options: CorpusOptions, encoding: Encoding, device: torch.device) -> dict[str, Any]:
    """Return everything that the vectors of all groups depend on."""
    return {
        "schema": PLAN_SCHEMA,
        "technique": ENCODER,
        "corpus": corpus_record(corpus),
        "options": asdict(options),
        "parameters": {
            "items": encoding.items,
            "layer": encoding.layer if encoding.items == "words" else "pooled",
            "centre": encoding.centred,
            "directions": encoding.directions,
        },
        **({"card": torch.cuda.get_device_name(device)} if device.type == "cuda" else {}),
    }


def _is_there(task: Task, output: Path) -> bool:
    path = run_file(output / task.key.path, task.number)
    if path.is_file() and (there := _recorded(path))["model"] != task.model.digest:
        raise InputError(
            f"{path}: is of another model, {there['name']}, than {task.model.folder}: give the models in the same "
            "order, new ones last, or take another run set"
        )
    return path.is_file()


def _recorded(path: Path) -> dict[str, Any]:
    with open_rows(path) as rows:
        return read_metadata(rows)


def _place(output: Path, plan: dict[str, Any], model: Model) -> Path:
    """Return where lies what a model read in this way."""
    way = json.dumps([plan["corpus"]["hash"], plan["options"], plan["parameters"], model.digest])
    return output / UNFINISHED / sha256(way.encode()).hexdigest()[:16]


def _clear(places: Sequence[Path]) -> None:
    """Remove what was read on the way to finished runs; what another call reads for others stays."""
    for place in places:
        if place.is_dir():
            with told(place, "removed"):
                shutil.rmtree(place)
    above = places[0].parent
    if above.is_dir() and not any(above.iterdir()):
        with told(above, "removed"):
            above.rmdir()


def _make(
    tasks: Sequence[Task],
    output: Path,
    corpus: Corpus,
    passages: Passages,
    encoding: Encoding,
    plan: dict[str, Any],
    device: torch.device,
    tell: Callable[[float], None],
) -> None:
    """Read a corpus by one model, and make runs of it."""
    model = tasks[0].model
    tell(0.0)
    encoder = SentenceEncoder(model.folder, device)
    passages.lower, of_words = encoder.lower, encoding.items == "words"
    layer, shape = check_layer(encoder, encoding.layer), shape_of(encoder)
    if encoding.directions >= shape["width"]:
        raise InputError(f"{option('directions', encoding.directions)}: {model.name} has {shape['width']} dimensions")
    make = (lambda lot: word_sums(encoder, layer, lot)) if of_words else (lambda lot: text_sums(encoder, lot))
    names = list(corpus.vocabulary) if of_words else unit_names(corpus, np.arange(len(corpus)))
    made: dict[str, Any] = {"layer": layer if of_words else None, "said": [] if of_words else list(encoder.notes)}
    made["shape"] = shape
    files = kept_sums(_place(output, plan, model), passages, make, tell)
    for task in tasks:
        drawn = draw(corpus, "fixed" if task.key.sampling == "fixed" else "bootstrap", encoding.seed, task.number)
        sums, counts, read = weighted(files, np.bincount(drawn, minlength=len(corpus)), len(names))
        own = made | {"read": dict(sorted(read.items())), "corpus": corpus.hash}
        if task.key.sampling == "bootstrap":  # models have the same draws: their runs of one number are no pair
            own["training_seed"] = training_seed(encoding.seed, "bootstrap", task.number)
        else:
            lost = (counts == 0) & (counts_of(corpus.tokens, len(names)) > 0 if of_words else True)
            own["lost"] = [int(lost.sum()), some_words([names[k] for k in np.flatnonzero(lost)[:_SHOWN].tolist()])]
        write_safetensors(
            _space(task, names, sums, counts, drawn, encoding, own), run_file(output / task.key.path, task.number)
        )


def shape_of(encoder: SentenceEncoder) -> dict[str, Any]:
    """What two fine-tunings of one model have in common: its kind, its size and its tokens."""
    config, tokens = encoder.model.config, json.dumps(sorted(encoder.tokenizer.get_vocab().items()))
    return {
        "kind": config.model_type,
        "layers": int(config.num_hidden_layers),
        "width": int(config.hidden_size),
        "tokens": sha256(tokens.encode("utf-8", "surrogatepass")).hexdigest()[:16],
    }


def _space(
    task: Task,
    names: Sequence[bytes],
    sums: NDArray[np.float64],
    counts: NDArray[np.int64],
    drawn: NDArray[np.int64],
    encoding: Encoding,
    made: dict[str, Any],
) -> Space:
    """Return the means of the items that a draw has."""
    kept = np.flatnonzero(counts)
    if len(kept) < 2:
        raise InputError(f"{task.model.folder}: gives {counted(len(kept), 'item')} a vector, wanted two at least")
    means = sums if len(kept) == len(sums) else sums[kept]
    means /= counts[kept, None]  # in place, as are the next steps: a word takes some kilobytes in each copy
    rows = torch.from_numpy(means)
    before, rows = mean_cosine(rows), isotropic(rows, centre=encoding.centred, directions=encoding.directions)
    record = {
        "technique": ENCODER,
        "sampling": task.key.sampling,
        "run": task.number,
        "name": task.model.name,
        "model": task.model.digest,
        "deterministic": True,
        "cosines": [before, mean_cosine(rows)],
        **made,
    }
    words, name = Vocabulary(names[k] for k in kept.tolist()), f"run-{task.number:03d}"
    try:
        return Space(words, rows.float(), torch.from_numpy(counts[kept]), name, record, torch.from_numpy(drawn))
    except InputError as error:  # not finite
        raise ComputationError(f"{task.model.folder}: {marked(error)}") from error


def mean_cosine(rows: Tensor) -> float | None:
    """Return the mean cosine of two different rows of ``(v, d)``; ``None`` if no two have a direction.

    >>> mean_cosine(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
    0.0
    """
    lengths = rows.norm(dim=1)
    n = int((lengths > 0).sum())
    total = product(torch.where(lengths > 0, 1 / lengths, 0)[None], rows)
    return float((total.square().sum() - n) / (n * (n - 1))) if n > 1 else None


def isotropic(rows: Tensor, *, centre: bool = True, directions: int = 0) -> Tensor:
    """Return rows without what all have in common: their mean, and the directions in which they vary most.

    States of a transformer lie in a narrow cone (Ethayarajh 2019): the mean cosine of two words is far from 0, and a
    PIP loss of such spaces is small whatever the words do. Without their mean they tell words apart; the leading
    directions often hold frequency (Mu & Viswanath 2018, *All-but-the-Top*, algorithm 1).

    Args:
        rows: ``(v, d)`` float64; changed in place.
        centre: whether the mean is taken out.
        directions: how many directions of centred rows.

    Raises:
        InputError: if no direction would be left.
    """
    if directions >= min(rows.shape):
        raise InputError(f"{option('directions', directions)}: of {len(rows)} vectors of {rows.shape[1]} none is left")
    if centre:
        rows -= rows.mean(0)
    if directions:
        leading = torch.linalg.eigh(product(rows.mT, rows)).eigenvectors[:, -directions:]
        rows -= product(product(rows, leading), leading.mT)
    return rows


def _groups(wanted: Mapping[Key, int], missing: Sequence[Task]) -> Table:
    return Table.of([_Made(str(key), runs, sum(task.key == key for task in missing)) for key, runs in wanted.items()])


def _firsts(tasks: Sequence[Task], output: Path) -> list[dict[str, Any]]:
    """Return what the first run of every model says of itself."""
    first = {task.model.name: task for task in reversed(tasks)}
    return [_recorded(run_file(output / task.key.path, task.number)) for task in reversed(first.values())]
