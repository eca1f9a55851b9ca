"""Do different parts of one text give a term the same vector? Bloem, Fokkens & Herbelot 2019, with a null level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from gpustab.errors import option
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Sheet
from gpustab.results.page import counted
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.studies.consistency.additive import by_sentences, collapsed, words_of_pairs
from gpustab.studies.consistency.claims import verdict
from gpustab.studies.consistency.comparisons import compare_texts, halves_and_random
from gpustab.studies.consistency.contexts import Prepared, known_share, prepare
from gpustab.studies.consistency.inputs import Inputs, read_inputs
from gpustab.studies.consistency.models import (
    KINDS,
    BySvd,
    Kept,
    Model,
    OfRun,
    Reporter,
    by_svd,
    contrast,
    model_numbers,
    of_run,
    own_vectors,
    run_numbers,
    term_numbers,
    word_ranks,
)
from gpustab.studies.consistency.nonce import Outputs, find_outputs
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.svd import InGeneral, domains, in_general, of_samples
from gpustab.studies.consistency.tables import (
    ADDITIVE,
    CONSISTENCY,
    DOMAIN,
    NEIGHBOURS,
    OWN,
    RANKS,
    RUNS,
    SETTINGS,
    SIZES,
    SPLIT,
    TERMS,
    TEXTS,
    UPDATES,
    Case,
    Setting,
)
from gpustab.studies.consistency.text import Text, joined
from gpustab.studies.shared.finished import Finished
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of, without_copies

R = TypeVar("R")
Texts = str | Path | Sequence[str | Path]


def consistency(
    groups: Groups,
    text: Texts = (),
    options: ConsistencyOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    finished: Path | None = None,
    **choices: Any,
) -> Result:
    """Measure whether samples of one text give each term the same vector.

    Args:
        groups: backgrounds; the runs of a group are several trainings of one, and give the instability of the
            background itself.
        text: the text that the terms are learned from, see :func:`gpustab.corpus.documents.open_documents`; or
            several, which are compared at equal numbers of context words; none with ``sample_file``.
        options: terms, samples and models.
        compute: device; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        finished: folder where parts that are finished are kept, so that a stopped call goes on from there; who calls
            removes it. Default: nothing is kept.
        **choices: options one by one, see :class:`ConsistencyOptions`.

    Returns:
        Tables ``consistency`` (every model beside its null level, means over runs, 95 % intervals over terms),
        ``ranks`` (tables 1 and 3), ``sizes`` (table 2), ``texts``, ``own`` (table 6), ``neighbours`` (table 7),
        ``terms``, ``runs``. Their ``group`` is the background, with several texts the background and the text.

    Raises:
        InputError: if fewer than two terms have sentences enough, or the background knows no word of the text.
    """
    options = chosen(ConsistencyOptions, options, choices)
    backgrounds = groups_of(groups)
    sources = [text] if isinstance(text, str | Path) else list(text)
    with answering("consistency", options, backgrounds, compute, progress) as answer:
        answer.report("reading the text", 0.0)
        inputs = read_inputs(sources, options, Finished(finished, KINDS), answer)
        answer.result.settings["text"] = ", ".join(map(str, sources)) or options.sample_file
        for k, group in enumerate(backgrounds):
            _of_background(group, inputs, answer, (k / len(backgrounds), 1 / len(backgrounds)))
        answer.result.verdict = verdict(answer.result.tables)
    return answer.result


def _of_background(group: Runs | Group, inputs: Inputs, answer: Answer, at: tuple[float, float]) -> None:
    """Measure all texts on one background, and compare them."""
    runs = answer.take(group, at[0])
    options, device = inputs.options, answer.compute.device
    outputs = find_outputs(group, runs, options, device) if options.model == "nonce2vec" else None
    runs = _once(runs, answer)
    if alarm := collapsed(runs):
        answer.result.alarms.append(f"{runs.name}: {alarm}")
    cases = [
        prepare(text, inputs.terms, runs, options, device, inputs.samples, _case(runs, text, inputs))
        for text in inputs.texts
    ]
    answer.notes[runs.name] = list(runs.notes)
    if len(cases) > 1:
        answer.report(f"{runs.name}: comparing texts", at[0])
        _add(answer, TEXTS, compare_texts(runs.name, cases, runs, options))
    for k, prepared in enumerate(cases):
        _of_text(runs, prepared, outputs, inputs, answer, (at[0] + at[1] * k / len(cases), at[1] / len(cases)))


def _once(runs: Runs, answer: Answer) -> Runs:
    """Return the runs without copies; the counts, sums over all runs, are then of as many runs as are left."""
    left = without_copies(runs, answer, "consistency")
    if len(left) == len(runs) or runs.counts is None:
        return left
    return replace(left, counts=runs.counts * len(left) // len(runs))


def _case(runs: Runs, text: Text, inputs: Inputs) -> str:
    return runs.name if len(inputs.texts) == 1 else f"{runs.name}, {text.name}"


def _add(answer: Answer, sheet: Sheet[R], rows: Sequence[R]) -> None:
    """Add rows of one background and text to a table, which is not there before it has one."""
    if rows:
        answer.result.tables.setdefault(sheet.name, sheet.table()).extend(sheet.table(rows))


def _of_text(
    runs: Runs, prepared: Prepared, outputs: Outputs | None, inputs: Inputs, answer: Answer, at: tuple[float, float]
) -> None:
    """Fill the tables with one background's rows of one text."""
    case, options = prepared.group, inputs.options
    kept = Kept.of(inputs.finished, runs, prepared, options)
    each = []
    for r, name in enumerate(runs.names):

        def report(part: float, r: int = r, name: str = name) -> None:
            answer.report(f"{case}: {name}", at[0] + at[1] * (r + part) / (len(runs) + 1))

        report(0.0)
        each.append(_of_run(runs, r, prepared, outputs, options, kept, report))
    answer.report(f"{case}: sizes and splits", at[0] + at[1] * len(runs) / (len(runs) + 1))
    _add_runs(answer, case, each)
    names = [name for name in each[0].models if all(name in one.models for one in each)]
    models = {name: [one.models[name] for one in each] for name in names}
    if inputs.general is not None:
        models |= _svd(runs, prepared, joined(inputs.general, inputs.terms or []), inputs, kept, answer)
    _add_models(answer, runs, prepared, models)
    _add(answer, SIZES, kept.part("sizes", lambda: by_sentences(prepared, runs, options)))
    if options.split == "half":
        _add(answer, SPLIT, kept.part("split", lambda: halves_and_random(prepared, runs, options)))
    answer.notes.setdefault(case, []).extend(prepared.notes)
    answer.result.groups.append(_summary(runs, prepared)._asdict())


def _of_run(
    runs: Runs,
    r: int,
    prepared: Prepared,
    outputs: Outputs | None,
    options: ConsistencyOptions,
    kept: Kept,
    report: Reporter,
) -> OfRun:
    """Measure one run of a background, or take what it gave before the call was stopped."""
    name = runs.names[r]
    of_outputs = kept if outputs is None else kept.also(outputs.digest(name) if kept.keeps else "")
    read = None if outputs is None else lambda: outputs.of(runs, r)
    return of_outputs.part(name, lambda: of_run(runs, r, prepared, read, options, of_outputs.also(name), report))


def _svd(
    runs: Runs, prepared: Prepared, general: Text, inputs: Inputs, kept: Kept, answer: Answer
) -> dict[str, list[Model]]:
    """The SVD model, and how terms differ from themselves in the general text; both are one for all backgrounds."""
    case, text, samples, options = prepared.group, prepared.text, prepared.samples, inputs.options
    answer.report(f"{case}: SVD model", 0.0)
    of_general = kept.also(general.tokens, [word.decode("utf-8", "replace") for word in general.words])

    def models() -> BySvd:
        vectors = inputs.once(
            lambda: of_samples(general, text, samples, options), "samples", text.name, text.tokens, *samples
        )
        return by_svd(prepared, runs, vectors.to(prepared.words.device), options)

    def terms() -> InGeneral:
        make = partial(in_general, general, text, samples.terms, options)
        return inputs.once(make, "domain", text.name, text.tokens, samples.terms)

    svd = of_general.part("svd", models)
    if svd.lost:
        answer.notes.setdefault(case, []).append(
            f"{counted(svd.lost, 'sample', 'has/have')} no vector in the SVD model, so that "
            f"the cosines of {'that one' if svd.lost == 1 else 'these'} count as 0."
        )
    _add(answer, DOMAIN, domains(case, of_general.part("domain", terms), options))
    return svd.models


def _add_runs(answer: Answer, case: str, each: Sequence[OfRun]) -> None:
    """Add what is of single runs: the neighbours of the first, updates, which are of all, and the grid's means."""
    _add(answer, NEIGHBOURS, each[0].nearest)
    _add(answer, UPDATES, each[0].updates)
    _add(answer, SETTINGS, [_mean_of(runs) for runs in zip(*(one.settings for one in each), strict=True)])
    if lost := sum(one.diverged for one in each):
        of = f" in {lost} of {len(each)} runs" if len(each) > 1 else ""
        answer.result.alarms.append(f"{case}: Nonce2Vec diverged{of}, and is left out; lower {option('alpha')}.")


def _mean_of(runs: Sequence[Setting]) -> Setting:
    """One setting of the grid over the runs; without numbers where it diverged in one."""
    same, null, auc = ([getattr(one, name) for one in runs] for name in ("same", "null", "auc"))
    return runs[0]._replace(same=_mean(same), null=_mean(null), auc=_mean(auc))


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if len(there) == len(values) else None


def _add_models(answer: Answer, runs: Runs, prepared: Prepared, models: dict[str, list[Model]]) -> None:
    """Add the rows of all models, over the runs of one background and for each run."""
    case, text, known = prepared.group, prepared.text.name, int(runs.joint.sum())
    words = words_of_pairs(prepared.samples, prepared.words.cpu().numpy())
    for model, each in models.items():
        numbers = [one.numbers for one in each]
        _add(answer, CONSISTENCY, [model_numbers(case, runs.name, text, model, numbers, words)])
        _add(answer, RUNS, run_numbers(case, runs.names, model, numbers))
        _compare(answer, case, model, models)
        if ranks := [one.ranks for one in each if one.ranks]:
            _add(answer, RANKS, [word_ranks(case, model, ranks, known)])
            _add(answer, OWN, [own_vectors(case, model, [one.own for one in each if one.own])])
    sums = models[ADDITIVE]
    terms = term_numbers(prepared, [one.numbers for one in sums], [one.own for one in sums if one.own])
    _add(answer, TERMS, terms)


def _compare(answer: Answer, case: str, model: str, models: dict[str, list[Model]]) -> None:
    """Add the difference of a model to the additive one with the same window, over the same terms."""
    kind, _, window = model.partition(" ")
    other = f"{ADDITIVE} {window}" if kind == "SVD" else ADDITIVE
    if kind != ADDITIVE:
        one, two = ([run.numbers for run in models[name]] for name in (model, other))
        answer.result.contrasts.append(contrast(case, model, other, one, two)._asdict())


def _summary(runs: Runs, prepared: Prepared) -> Case:
    """What was measured, for the head of the page."""
    sizes = prepared.samples.sizes
    return Case(
        prepared.group,
        prepared.text.name,
        prepared.text.source,
        list(runs.names),
        int(runs.joint.sum()),
        known_share(prepared),
        len(prepared.samples.terms),
        len(sizes),
        float(sizes.mean()),
        float((sizes >= sizes.max()).mean()),
    )
