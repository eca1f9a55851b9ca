"""Do different parts of one text give a term the same vector? Bloem, Fokkens & Herbelot 2019, with a null level."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.consistency import rows, sentences
from gpustab.studies.consistency.additive import additive, centred, mean_context
from gpustab.studies.consistency.measures import Consistency, Ranks, background_ranks, consistency_of, unit
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.own import nearest, own_row, own_vector
from gpustab.studies.consistency.prepare import Prepared, known_share, prepare
from gpustab.studies.consistency.sizes import by_sentences
from gpustab.studies.consistency.terms import read_terms
from gpustab.studies.consistency.text import Term, Text, read_text
from gpustab.studies.frame import Answer, Groups, answering, groups_of

DRAWN = ("random", "keywords")
"""What ``terms`` may be besides a file."""


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
        answer.result.settings["text"] = str(text)
        for k, group in enumerate(given):
            _measure(answer.take(group, k / len(given)), read, asked, options, answer, (k, len(given)))
        answer.result.verdict = sentences.verdict(answer.result.tables)
    return answer.result


def _measure(
    runs: Runs, text: Text, asked: list[Term] | None, options: ConsistencyOptions, answer: Answer, at: tuple[int, int]
) -> None:
    """Fill the tables with one background's rows."""
    prepared = prepare(text, asked, runs, options, answer.compute.device)
    found = []
    for r, name in enumerate(runs.names):
        answer.report(f"{runs.name}: {name}", (at[0] + r / len(runs)) / at[1])
        found.append(_of_run(prepared, runs, r))
    raw = [one.raw for one in found]
    models = {"additive": raw, "additive, centred": [one.centred for one in found]}
    _add(answer, "consistency", [rows.of_model(runs.name, name, values, prepared) for name, values in models.items()])
    known = int(runs.joint.sum())
    _add(answer, "ranks", [rows.of_ranks(runs.name, "additive", [one.ranks for one in found], known)])
    own = np.mean([one.own for one in found], axis=0)
    _add(answer, "terms", rows.of_terms(runs.name, prepared, raw, own), long=True)
    _add(answer, "runs", [row for name, x in models.items() for row in rows.of_runs(runs.name, runs.names, name, x)])
    _add(answer, "sizes", by_sentences(prepared, runs, options))
    _add(answer, "own", [own_row(runs.name, "additive", [(one.own, one.own_rank) for one in found])])
    _add(answer, "neighbours", found[0].nearest)
    answer.notes[runs.name] = [*runs.notes, *prepared.notes]
    answer.result.groups.append(_group(runs, prepared))


class _Run(NamedTuple):
    """What one background run gives."""

    raw: Consistency
    centred: Consistency
    ranks: Ranks
    own: np.ndarray[Any, Any]
    own_rank: np.ndarray[Any, Any]
    nearest: list[dict[str, Any]]


def _of_run(prepared: Prepared, runs: Runs, run: int) -> _Run:
    vectors = additive(prepared, runs, run)
    without = centred(vectors, prepared.words, mean_context(prepared, runs, run))
    words = unit(runs.rows[run][0 : runs.words].to(vectors.device)) * runs.joint.to(vectors.device)[:, None]
    own, own_rank = own_vector(vectors, prepared, words)
    return _Run(
        consistency_of(vectors, prepared.samples, prepared.allowed),
        consistency_of(without, prepared.samples, prepared.allowed),
        background_ranks(vectors, prepared.samples, words, prepared.own),
        own,
        own_rank,
        nearest(vectors, prepared, words, runs) if run == 0 else [],
    )


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
