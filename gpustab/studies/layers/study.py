"""Where do fine-tunings of one encoder differ? Every layer of every pair, beside what chance and rounding give.

Debiased CKA after Kornblith et al. 2019 and Nguyen et al. 2021, Procrustes loss as Ding et al. 2021 recommend, and the
share of nearest sentences in common.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.encoders.layers import Layers, read_layers
from gpustab.encoders.runner import Model, models_of, shape_of
from gpustab.errors import InputError, option, some_of
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.weights import read_object
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results.page import counted
from gpustab.results.page import number as shown
from gpustab.studies.layers.claims import (
    ALIKE,
    BEYOND,
    CLEAR,
    FLOOR,
    LEAST,
    PARTED,
    PARTING,
    Beyond,
    Parted,
    beyond_base,
    is_same,
    layer_called,
    missing,
)
from gpustab.studies.layers.measure import Floats, LayerNumbers, Means, kept_of, measure_layer
from gpustab.studies.layers.options import FEWEST, LayersOptions
from gpustab.studies.layers.tables import FROM_BASE, LAYERS, PAIRS, READ, SENTENCES, Layer, Pair, ReadBy, Sentence
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.frame import Answer, answering
from gpustab.studies.shared.wording import number_span

Numbers = NDArray[np.int64]

_LISTED = 50
"""Sentences in the table of those that models read most differently."""
_READING = 0.8
"""Part of the work that reading is."""
_MEASURES = ("cka", "procrustes", "shared")


def layers(
    sentences: Sequence[str],
    models: Sequence[Path],
    options: LayersOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Tell in which layers fine-tunings of one encoder differ, by the states that they give to sentences.

    Args:
        sentences: distinct ones, in the order of their text; all of them are read.
        models: two folders or more; see :class:`gpustab.formats.checkpoints.encoder.SentenceEncoder`.
        options: lists of neighbours, and the base.
        compute: the device that models run on; default: the CPU.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`LayersOptions`.

    Returns:
        Tables ``layers``, ``pairs``, ``models``, ``parting``, ``sentences``, ``observations``, with a base
        ``from_base``.

    Raises:
        InputError: for fewer than two models or 40 sentences, or models that differ in their layers or dimensions.
    """
    options = chosen(LayersOptions, options, choices)
    if len(models) < 2:
        raise InputError(
            f"{counted(len(models), 'model')} cannot differ: give {option('model', 'FOLDER')} twice or more"
        )
    if len(set(sentences)) < max(FEWEST, len(sentences)):
        raise InputError(f"{counted(len(set(sentences)), 'distinct sentence')}, wanted {FEWEST} at least, each once")
    if options.base and Path(options.base).resolve() in [model.resolve() for model in models]:
        raise InputError(f"{option('base', Path(options.base))}: is one of the models too; a base is beside them")
    every = models_of([*models, *([Path(options.base)] if options.base else [])])
    tuned, base = every[: len(models)], every[len(models) :]
    texts, pairs = list(sentences), list(combinations(range(len(tuned)), 2))
    with answering("layers", options, (), compute, progress) as answer, TemporaryDirectory() as folder:
        result = answer.result
        read, shapes = _read(every, texts, Path(folder), answer)
        known = np.flatnonzero(np.all([own.known for own in read], axis=0))
        if len(known) < FEWEST:
            raise InputError(f"{counted(len(known), 'sentence')} of {len(texts):,} have a token in every model")
        result.groups = [{"name": "models", "runs": [model.name for model in tuned], "sentences": len(known)}]
        result.settings |= {"models": {model.name: str(model.folder) for model in every}}
        from_base = [(k, len(tuned)) for k in range(len(tuned) * len(base))]
        found = list[LayerNumbers]()
        for layer in range(read[0].shape[0]):
            answer.report(f"comparing layer {layer}", _READING + (1 - _READING) * layer / read[0].shape[0])
            found.append(_measure(read, layer, known, [*pairs, *from_base], options.n))
        kept = [texts[known[k]] for k in kept_of(len(known)).tolist()]
        _tables(result, found, pairs, from_base, [model.name for model in every])
        means = [
            Means.of(np.stack([getattr(one, name)[: len(pairs)] for one in found]), pairs, len(tuned))
            for name in _MEASURES
        ]
        n = min(options.n, len(kept) - 1)
        LAYERS.add(result.tables, _layers(found, means, len(pairs), n / (len(kept) - 1)))
        PARTED.add(result.tables, [parted(means[0], means[2], len(tuned), len(known), n, len(kept))])
        if base:
            own = np.stack([one.shared[len(pairs) :] for one in found])
            BEYOND.add(result.tables, [_beyond(result, means[2], Means.of(own, from_base, len(tuned)), base[0].name)])
        SENTENCES.add(result.tables, _sentences(result, found, pairs, tuned, kept))
        result.notes += _notes(result, tuned, shapes, len(texts) - len(known))
        _answer(result)
    return result


def _read(
    models: Sequence[Model], texts: Sequence[str], folder: Path, answer: Answer
) -> tuple[list[Layers], list[dict[str, Any]]]:
    """Return what every model makes of the texts, and its shape."""
    read, shapes = list[Layers](), list[dict[str, Any]]()
    for number, model in enumerate(models):

        def tell(done: float, number: int = number, name: str = model.name) -> None:
            answer.report(f"reading by {name}", _READING * (number + done) / len(models))

        tell(0.0)
        encoder = SentenceEncoder(model.folder, answer.compute.device)
        shapes.append(shape_of(encoder))
        _same_shape(models, shapes)
        read.append(read_layers(encoder, texts, folder / str(number), tell))
    rows = [
        ReadBy(model.name, int(own.known.sum()), own.cut, own.shape[0] - 1, own.shape[2])
        for model, own in zip(models, read, strict=True)
    ]
    READ.add(answer.result.tables, rows)
    return read, shapes


def named_base(models: Sequence[Model]) -> str:
    """Return the model that all folders say they were made from; empty where they do not agree, or say nothing.

    Transformers before version 5 wrote it.
    """
    named = {
        str(read_object(file).get("_name_or_path", "")) if (file := model.folder / "config.json").is_file() else ""
        for model in models
    }
    return named.pop() if len(named) == 1 else ""


def _same_shape(models: Sequence[Model], shapes: Sequence[dict[str, Any]]) -> None:
    """Refuse models whose layers do not stand beside each other."""
    first, last = shapes[0], shapes[-1]
    if any(first[name] != last[name] for name in ("layers", "width")):
        raise InputError(
            f"{models[len(shapes) - 1].folder}: has {last['layers']} layers of {last['width']} dimensions, "
            f"{models[0].folder} {first['layers']} of {first['width']}: only fine-tunings of one model have "
            "layers that stand beside each other"
        )


def _measure(
    read: Sequence[Layers], layer: int, known: Numbers, pairs: Sequence[tuple[int, int]], n: int
) -> LayerNumbers:
    def rows(model: int, start: int, stop: int) -> Tensor:
        own = known[start:stop]
        return read[model].rows(layer, int(own[0]), int(own[-1]) + 1)[torch.from_numpy(own - own[0])]

    return measure_layer(rows, len(read), len(known), pairs, n, f"layer {layer}")


def _tables(
    result: Result,
    found: Sequence[LayerNumbers],
    pairs: Sequence[tuple[int, int]],
    from_base: Sequence[tuple[int, int]],
    names: Sequence[str],
) -> None:
    """Add what every pair of models is in every layer."""
    for layer, one in enumerate(found):
        numbers = zip(1 - one.cka[:, 0], one.procrustes[:, 0], 1 - one.shared[:, 0], strict=True)
        rows = [
            Pair(layer, names[i], names[j], *map(float, of))
            for (i, j), of in zip([*pairs, *from_base], numbers, strict=True)
        ]
        PAIRS.add(result.tables, rows[: len(pairs)])
        FROM_BASE.add(result.tables, [row._replace(first=row.second, second=row.first) for row in rows[len(pairs) :]])


def _layers(found: Sequence[LayerNumbers], means: Sequence[Means], pairs: int, chance: float) -> Iterator[Layer]:
    for layer, one in enumerate(found):
        cka, loss, shared = (mean.layer(layer) for mean in means)
        yield Layer(
            layer,
            1 - cka.value,
            *_turned(cka.interval),
            1 - float(one.dealt_cka[:pairs].mean()),
            loss.value,
            *_within(loss.interval),
            float(one.dealt_procrustes[:pairs].mean()),
            1 - shared.value,
            *_turned(shared.interval),
            chance,
        )


def _turned(interval: tuple[float, float]) -> tuple[float, float]:
    """The ends of one less a number from 0 to 1."""
    low, high = _within(interval)
    return 1 - high, 1 - low


def _within(interval: tuple[float, float]) -> tuple[float, float]:
    return max(interval[0], 0.0), min(interval[1], 1.0)


def parted(cka: Means, shared: Means, models: int, sentences: int, n: int, kept: int) -> Parted:
    """Return what the claims judge.

    Args:
        cka: 1 − CKA by layer.
        shared: 1 − p@n by layer.
        models: how many.
        sentences: how many.
        n: length of the lists.
        kept: sentences that neighbours are sought among.
    """
    count, least = len(cka.whole), int(cka.whole.argmax())
    ratios = {k: cka.number(partial(_ratio, above=[least], below=[k])) for k in range(count) if k != least}
    ends = {k: ratio.among(len(ratios)) for k, ratio in ratios.items()}
    near = [k for k in ends if ends[k][1] < math.log(CLEAR)]  # these alone make a no
    beside = min(near or ends, key=lambda k: ends[k][0])
    jumps = {k: cka.number(partial(_ratio, above=[k], below=range(k))) for k in range(1, count)}
    jump = max(jumps, key=lambda k: jumps[k].value)
    (clear_low, clear_high), (jump_low, jump_high) = (
        map(math.exp, one.among(count - 1)) for one in (ratios[beside], jumps[jump])
    )
    there = shared.layer(least)
    return Parted(
        models,
        sentences,
        layers=count - 1,
        n=n,
        largest=float(cka.whole[least]),
        least=least,
        beside=beside,
        clear_low=clear_low,
        clear_high=clear_high,
        shared=1 - there.value,
        shared_low=_turned(there.interval)[0],
        shared_high=_turned(there.interval)[1],
        chance=n / (kept - 1),
        jump=jump,
        below=float(cka.whole[:jump].max()),
        there=float(cka.whole[jump]),
        jump_low=jump_low,
        jump_high=jump_high,
    )


def _beyond(result: Result, between: Means, from_base: Means, base: str) -> Beyond:
    """Compare 1 − p@n between fine-tunings with that from their base, in the least alike layer."""
    (row,) = PARTED.rows(result.tables)
    fewer = Means(*(a - b for a, b in zip(between, from_base, strict=True))).layer(row.least)
    return Beyond(base, row.least, row.n, 1 - float(from_base.whole[row.least]), fewer.value, *fewer.interval)


def _ratio(values: Floats, above: Sequence[int], below: Sequence[int]) -> Floats:
    """The logarithm of the ratio of the largest differences in some layers."""
    logs = np.log(np.maximum(values, FLOOR))
    ratio: Floats = logs[list(above)].max(0) - logs[list(below)].max(0)
    return ratio


def _sentences(
    result: Result,
    found: Sequence[LayerNumbers],
    pairs: Sequence[tuple[int, int]],
    tuned: Sequence[Model],
    texts: Sequence[str],
) -> Iterator[Sentence]:
    """Yield the sentences that differ most in the least alike layer."""
    (row,) = PARTED.rows(result.tables)
    if is_same(row):
        return
    numbers = found[row.least]
    apart, shared = (x[: len(pairs)] for x in (numbers.own, numbers.own_shared))
    for k in np.argsort(-apart.mean(0), kind="stable")[:_LISTED].tolist():
        i, j = pairs[int(apart[:, k].argmax())]
        (first, near), (second, there) = ((tuned[m].name, texts[int(numbers.nearest[m, k])]) for m in (i, j))
        yield Sentence(texts[k], float(apart[:, k].mean()), float(shared[:, k].mean()), first, near, second, there)


def _notes(result: Result, tuned: Sequence[Model], shapes: Sequence[dict[str, Any]], lost: int) -> Iterator[str]:
    copies: dict[str, list[str]] = {}
    for model in tuned:
        copies.setdefault(model.digest, []).append(model.name)
    for names in copies.values():
        if names[1:]:
            result.alarms.append(f"{some_of(names)} are the same files: give each fine-tuning once.")
    if len({json.dumps(shape) for shape in shapes}) > 1:
        yield "The models differ in kind or tokens too: what differs is more than fine-tuning."
    if not FROM_BASE.of(result.tables).height and (name := named_base(tuned)):
        yield f"All folders say that they were made from {name}: {option('base', 'FOLDER')} sets it beside them."
    if lost:
        yield f"{counted(lost, 'sentence', 'is/are')} left out, without a token in some model."
    for row in READ.rows(result.tables):
        if row.cut:
            yield (
                f"{row.model}: {counted(row.cut, 'sentence', 'is/are')} longer than the model takes and the mean of "
                "several windows."
            )


def _answer(result: Result) -> None:
    """Add the table of observations, and as verdict what is said of all models."""
    (row,) = PARTED.rows(result.tables)
    (least,) = LAYERS.rows(result.tables, layer=row.least)
    claims = (ALIKE, LEAST, PARTING)
    evidence = (
        f"{row.n * least.shared:.1f} of {row.n} nearest sentences shared in {layer_called(row.least)}",
        f"CKA {least.cka:.4f} in {layer_called(row.least)}; 1 − CKA there by that in {layer_called(row.beside)}: "
        f"{number_span(row.clear_low, row.clear_high, 2)}",
        f"1 − CKA {shown(row.there, 2)} in layer {row.jump}, at most {shown(row.below, 2)} below",
    )
    OBSERVED.add(result.tables, [claim.observed(row, "", own) for claim, own in zip(claims, evidence, strict=True)])
    if not result.alarms:
        result.verdict = [said for claim in claims if (said := claim.sentence(row))]
        result.verdict += [] if is_same(row) else [beyond_base(own) for own in BEYOND.rows(result.tables)]
        result.verdict += [said] if (said := missing(row)) and not is_same(row) else []
