"""Do different parts of one text give a term the same vector? Bloem, Fokkens & Herbelot 2019, with a null level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results.page import counted
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.studies.consistency import filling, sentences
from gpustab.studies.consistency.background import collapsed
from gpustab.studies.consistency.finished import Kept, kept_for
from gpustab.studies.consistency.given import Given, read_given
from gpustab.studies.consistency.halves import halves_and_random
from gpustab.studies.consistency.models import ALL_KINDS, BySvd, Model, OfRun, by_svd, of_run
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.outputs import Outputs, find_outputs
from gpustab.studies.consistency.prepare import Prepared, prepare
from gpustab.studies.consistency.sizes import by_sentences
from gpustab.studies.consistency.svd import domain_difference, of_samples
from gpustab.studies.consistency.text import Text, joined
from gpustab.studies.consistency.texts import compare_texts
from gpustab.studies.shared.finished import Finished
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of, without_copies

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
        given = read_given(sources, options, Finished(finished, ALL_KINDS), answer)
        answer.result.settings["text"] = ", ".join(map(str, sources)) or options.sample_file
        for k, group in enumerate(backgrounds):
            _of_background(group, given, answer, (k / len(backgrounds), 1 / len(backgrounds)))
        answer.result.verdict = sentences.verdict(answer.result.tables)
    return answer.result


def _of_background(group: Runs | Group, given: Given, answer: Answer, at: tuple[float, float]) -> None:
    """Measure all texts on one background, and compare them."""
    runs = answer.take(group, at[0])
    options, device = given.options, answer.compute.device
    outputs = find_outputs(group, runs, options, device) if options.model == "nonce2vec" else None
    runs = _once(runs, answer)
    if found := collapsed(runs):
        answer.result.alarms.append(f"{runs.name}: {found}")
    cases = [
        (_case(runs, text, given), prepare(text, given.asked, runs, options, device, given.samples))
        for text in given.texts
    ]
    answer.notes[runs.name] = list(runs.notes)
    if len(cases) > 1:
        answer.report(f"{runs.name}: comparing texts", at[0])
        filling.add(answer, runs.name, "texts", compare_texts([prepared for _, prepared in cases], runs, options))
    for k, (case, prepared) in enumerate(cases):
        _of_text(runs, case, prepared, outputs, given, answer, (at[0] + at[1] * k / len(cases), at[1] / len(cases)))


def _once(runs: Runs, answer: Answer) -> Runs:
    """Return the runs without copies; the counts, sums over all runs, are then of as many runs as are left."""
    left = without_copies(runs, answer, "consistency")
    if len(left) == len(runs) or runs.counts is None:
        return left
    return replace(left, counts=runs.counts * len(left) // len(runs))


def _case(runs: Runs, text: Text, given: Given) -> str:
    return runs.name if len(given.texts) == 1 else f"{runs.name}, {text.name}"


def _of_text(
    runs: Runs,
    case: str,
    prepared: Prepared,
    outputs: Outputs | None,
    given: Given,
    answer: Answer,
    at: tuple[float, float],
) -> None:
    """Fill the tables with one background's rows of one text."""
    options, kept = given.options, kept_for(given.finished, runs, prepared, given.options)
    found = []
    for r, name in enumerate(runs.names):

        def told(part: float, r: int = r, name: str = name) -> None:
            answer.report(f"{case}: {name}", at[0] + at[1] * (r + part) / (len(runs) + 1))

        told(0.0)
        found.append(_of_run(runs, r, prepared, outputs, options, kept, told))
    answer.report(f"{case}: sizes and splits", at[0] + at[1] * len(runs) / (len(runs) + 1))
    filling.add_runs(answer, case, found)
    names = [name for name in found[0].models if all(name in one.models for one in found)]
    models = {name: [one.models[name] for one in found] for name in names}
    if given.general is not None:
        models |= _svd(runs, case, prepared, joined(given.general, given.asked or []), given, kept, answer)
    filling.add_models(answer, case, runs, prepared, models)
    filling.add(answer, case, "sizes", kept.part("sizes", lambda: by_sentences(prepared, runs, options)))
    if options.split == "half":
        filling.add(answer, case, "split", kept.part("split", lambda: halves_and_random(prepared, runs, options)))
    answer.notes.setdefault(case, []).extend(prepared.notes)
    answer.result.groups.append(filling.summary(case, runs, prepared))


def _of_run(
    runs: Runs,
    r: int,
    prepared: Prepared,
    outputs: Outputs | None,
    options: ConsistencyOptions,
    kept: Kept,
    told: Callable[[float], None],
) -> OfRun:
    """Measure one run of a background, or take what it said before the call was stopped."""
    name = runs.names[r]
    own = kept if outputs is None else kept.also(outputs.digest(name) if kept.keeps else "")
    read = None if outputs is None else lambda: outputs.of(runs, r)
    return own.part(name, lambda: of_run(runs, r, prepared, read, options, own.also(name), told))


def _svd(
    runs: Runs, case: str, prepared: Prepared, general: Text, given: Given, kept: Kept, answer: Answer
) -> dict[str, list[Model]]:
    """The SVD model, and how terms differ from themselves in the general text; both are one for all backgrounds."""
    answer.report(f"{case}: SVD model", 0.0)
    text, samples, options = prepared.text, prepared.samples, given.options
    own = kept.also(general.tokens, [word.decode("utf-8", "replace") for word in general.words])

    def found() -> BySvd:
        vectors = given.once(
            lambda: of_samples(general, text, samples, options), "samples", text.name, text.tokens, *samples
        )
        return by_svd(prepared, runs, vectors.to(prepared.words.device), options)

    def rows() -> list[dict[str, Any]]:
        make = partial(domain_difference, general, text, samples.terms, options)
        return given.once(make, "domain", text.name, text.tokens, samples.terms)

    models = own.part("svd", found)
    if models.lost:
        answer.notes.setdefault(case, []).append(
            f"{counted(models.lost, 'sample', 'has/have')} no vector in the SVD model, so that "
            f"the cosines of {'that one' if models.lost == 1 else 'these'} count as 0."
        )
    filling.add(answer, case, "domain", own.part("domain", rows))
    return models.models
