"""Do different parts of one text give a term the same vector? Bloem, Fokkens & Herbelot 2019, with a null level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import option
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.consistency import rows, sentences
from gpustab.studies.consistency.additive import additive, centred, mean_context
from gpustab.studies.consistency.halves import halves_and_random
from gpustab.studies.consistency.measures import Consistency, Ranks, background_ranks, consistency_of, unit
from gpustab.studies.consistency.nonce import Output, grid, pairs_of, read_output, trained, updates
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.own import nearest, own_row, own_vector
from gpustab.studies.consistency.prepare import Prepared, known_share, prepare
from gpustab.studies.consistency.sizes import by_sentences
from gpustab.studies.consistency.svd import domain_difference, of_samples
from gpustab.studies.consistency.terms import read_terms
from gpustab.studies.consistency.text import Term, Text, joined, read_text
from gpustab.studies.frame import Answer, Groups, answering, groups_of

DRAWN = ("random", "keywords")
"""What ``terms`` may be besides a file."""

ADDITIVE, CENTRED = "additive", "additive (centred)"

Array = NDArray[np.float64]


def consistency(
    groups: Groups,
    text: str | Path,
    options: ConsistencyOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Measure whether samples of one text give each term the same vector.

    Args:
        groups: backgrounds; the runs of a group are several trainings of one, and give the instability of the
            background itself.
        text: the text that the terms are learned from, see :func:`gpustab.corpus.documents.open_documents`.
        options: terms, samples and models.
        compute: device; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`ConsistencyOptions`.

    Returns:
        Tables ``consistency`` (every model beside its null level, means over runs, 95 % intervals over terms),
        ``ranks`` (tables 1 and 3), ``sizes`` (table 2), ``own`` (table 6), ``neighbours`` (table 7), ``terms``,
        ``runs``.

    Raises:
        InputError: if fewer than two terms have sentences enough, or the background knows no word of the text.
    """
    options = chosen(ConsistencyOptions, options, choices)
    given = groups_of(groups)
    asked = None if options.terms in DRAWN else read_terms(Path(options.terms), options.language)
    with answering("consistency", options, given, compute, progress) as answer:
        answer.report("reading the text", 0.0)
        read = read_text(text, options.language, options.drop_short, options.layout)
        general = _general(options)
        answer.result.settings["text"] = str(text)
        for k, group in enumerate(given):
            _measure(answer.take(group, k / len(given)), read, general, asked, options, answer, (k, len(given)))
        answer.result.verdict = sentences.verdict(answer.result.tables, answer.result.contrasts)
    return answer.result


def _general(options: ConsistencyOptions) -> Text | None:
    if options.general is None:
        return None
    return read_text(options.general, options.language, options.drop_short, options.general_layout)


def _measure(
    runs: Runs,
    text: Text,
    general: Text | None,
    asked: list[Term] | None,
    options: ConsistencyOptions,
    answer: Answer,
    at: tuple[int, int],
) -> None:
    """Fill the tables with one background's rows."""
    output = read_output(runs, options, answer.compute.device) if options.nonce else None
    prepared = prepare(text, asked, runs, options, answer.compute.device)
    found = dict[str, list[_Model]]()
    for r, name in enumerate(runs.names):
        answer.report(f"{runs.name}: {name}", (at[0] + r / len(runs)) / at[1])
        words = (
            unit(runs.rows[r][0 : runs.words].to(prepared.words.device)) * runs.joint.to(prepared.words.device)[:, None]
        )
        vectors = _additive(prepared, runs, r)
        if output is not None:
            vectors |= _nonce(vectors[ADDITIVE], prepared, output, runs.name, options, answer)
        for model, x in vectors.items():
            found.setdefault(model, []).append(_of_model(x, prepared, None if model == CENTRED else words))
        if r == 0:
            _add(answer, "neighbours", nearest(vectors[ADDITIVE], prepared, words, runs))
    if general is not None:
        other = joined(general, asked or [])
        found |= _by_svd(prepared, runs, other, options, answer)
        _add(answer, "domain", domain_difference(runs.name, other, prepared.text, prepared.samples, options))
    _fill(answer, runs, prepared, found)
    _add(answer, "sizes", by_sentences(prepared, runs, options))
    if options.split == "half":
        _add(answer, "split", halves_and_random(prepared, runs, options))
    answer.notes[runs.name] = [*runs.notes, *prepared.notes, *answer.notes.get(runs.name, [])]
    answer.result.groups.append(_group(runs, prepared))


def _compare(answer: Answer, group: str, model: str, found: dict[str, list[_Model]]) -> None:
    """Add the difference of a model to the additive one with the same window, over the same terms."""
    kind, _, window = model.partition(" ")
    other = f"{ADDITIVE} {window}" if kind == "SVD" else ADDITIVE
    if kind != ADDITIVE:
        one, two = ([run.numbers for run in found[name]] for name in (model, other))
        answer.result.contrasts.append(rows.of_contrast(group, model, other, one, two))


class _Model(NamedTuple):
    """What the vectors of one model give in one background run; places are left out where the origin was moved."""

    numbers: Consistency
    ranks: Ranks | None
    own: tuple[Array, Array] | None


def _of_model(vectors: Tensor, prepared: Prepared, words: Tensor | None) -> _Model:
    numbers = consistency_of(vectors, prepared.samples, prepared.allowed)
    if words is None:
        return _Model(numbers, None, None)
    ranks = background_ranks(vectors, prepared.samples, words, prepared.own)
    return _Model(numbers, ranks, own_vector(vectors, prepared, words))


def _additive(prepared: Prepared, runs: Runs, run: int) -> dict[str, Tensor]:
    vectors = additive(prepared, runs, run)
    return {ADDITIVE: vectors, CENTRED: centred(vectors, prepared.words, mean_context(prepared, runs, run))}


def _nonce(
    start: Tensor, prepared: Prepared, output: Output, group: str, options: ConsistencyOptions, answer: Answer
) -> dict[str, Tensor]:
    """Train Nonce2Vec, and tell how many updates each sentence gave."""
    pairs = pairs_of(prepared, output, options)
    _add(answer, "updates", updates(group, prepared, pairs))
    if options.grid:
        _add(answer, "grid", list(grid(group, start, prepared, output, options, answer.report)))
    vectors = trained(start, output, pairs, options)
    if not bool(torch.isfinite(vectors).all()):
        answer.result.alarms.append(f"{group}: Nonce2Vec diverged, and is left out; lower {option('alpha')}.")
        return {}
    return {f"Nonce2Vec ({options.output})": vectors}


def _by_svd(
    prepared: Prepared, runs: Runs, general: Text, options: ConsistencyOptions, answer: Answer
) -> dict[str, list[_Model]]:
    """The SVD model, and beside it the additive one with its window: windows, not models, may make the difference."""
    answer.report(f"{runs.name}: SVD model", 0.0)
    narrow = prepared.of(prepared.samples, runs, replace(options, window=options.svd_window))
    sums = [additive(narrow, runs, r) for r in range(len(runs))]
    device = prepared.words.device
    vectors = of_samples(general, prepared.text, prepared.samples, options).to(device)
    if not bool(vectors.any(1).all()):
        answer.notes.setdefault(runs.name, []).append(
            f"{int((~vectors.any(1)).sum()):,} samples have no vector in the SVD model; their cosines count as 0."
        )
    return {
        f"additive (window {options.svd_window})": [_of_model(x, prepared, None) for x in sums],
        f"SVD (window {options.svd_window})": [_of_model(vectors, prepared, None)],
    }


def _fill(answer: Answer, runs: Runs, prepared: Prepared, found: dict[str, list[_Model]]) -> None:
    """Add the rows of all models."""
    name, known = runs.name, int(runs.joint.sum())
    for model, each in found.items():
        numbers = [one.numbers for one in each]
        _add(answer, "consistency", [rows.of_model(name, model, numbers, prepared)])
        _add(answer, "runs", rows.of_runs(name, runs.names, model, numbers))
        _compare(answer, name, model, found)
        if each[0].ranks is not None:
            ranks, own = ([getattr(one, part) for one in each] for part in ("ranks", "own"))
            _add(answer, "ranks", [rows.of_ranks(name, model, ranks, known)])
            _add(answer, "own", [own_row(name, model, own)])
    mean = np.mean([one.own[0] for one in found[ADDITIVE] if one.own], axis=0)
    _add(answer, "terms", rows.of_terms(name, prepared, [one.numbers for one in found[ADDITIVE]], mean), long=True)


def _group(runs: Runs, prepared: Prepared) -> dict[str, Any]:
    sizes = prepared.samples.sizes
    return {
        "name": runs.name,
        "runs": list(runs.names),
        "words": int(runs.joint.sum()),
        "known": known_share(prepared.text, prepared.found.rows),
        "terms": len(prepared.samples.terms),
        "samples": len(sizes),
        "sentences": float(sizes.mean()),
        "full": float((sizes >= sizes.max()).mean()),
    }


def _add(answer: Answer, name: str, more: Sequence[dict[str, Any]], *, long: bool = False) -> None:
    table = Table.of(more, long=long)
    if name in answer.result.tables:
        answer.result.tables[name].extend(table)
    elif table:
        answer.result.tables[name] = table
