"""Do different parts of one text give a term the same vector? Bloem, Fokkens & Herbelot 2019, with a null level."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import InputError, option
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results.page import counted
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.small_data.nonce import Outputs, find_outputs
from gpustab.small_data.text import Samples, Term, Text, joined, read_samples, read_terms, read_text
from gpustab.studies.consistency import models, tables
from gpustab.studies.consistency.claims import TRAINED_ON, TrainedOn
from gpustab.studies.consistency.comparisons import (
    InGeneral,
    by_sentences,
    compare_texts,
    domains,
    halves_and_random,
    in_general,
)
from gpustab.studies.consistency.encoders import ByEncoder, check_sources, encoded
from gpustab.studies.consistency.measures import Consistency, mean_cosine, words_of_pairs
from gpustab.studies.consistency.models import KINDS, BySvd, Model, OfRun, of_samples
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.quality import grouped_of, quality_of
from gpustab.studies.consistency.samples import Prepared, prepare
from gpustab.studies.consistency.tables import ADDITIVE, CENTRED, ENCODER, TESTED
from gpustab.studies.consistency.tuning import best_of, that_choose
from gpustab.studies.consistency.verdict import verdict
from gpustab.studies.shared.finished import Finished, digest_of
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of, made_of, reading_of, without_copies
from gpustab.studies.shared.spaces import collapsed_of
from gpustab.studies.shared.wording import groups_in_words

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
        check_sources(options)
        inputs = read_inputs(sources, options, Finished(finished, (*KINDS, ByEncoder)), answer)
        answer.result.settings["text"] = ", ".join(map(str, sources)) or options.sample_file
        answer.result.alarms += list(_trained_on(backgrounds, inputs.texts))
        for k, group in enumerate(backgrounds):
            _of_background(group, inputs, answer, (k / len(backgrounds), 1 / len(backgrounds)))
        answer.result.verdict = verdict(answer.result.tables)
    return answer.result


class Inputs(NamedTuple):
    """What is the same for all backgrounds.

    Samples are there where they came with the one text; terms are ``None`` where they are drawn or keywords; ``made``
    is what does not depend on the background, by a digest of all that it depends on.
    """

    texts: list[Text]
    samples: Samples | None
    general: Text | None
    terms: list[Term] | None
    options: ConsistencyOptions
    finished: Finished
    made: dict[str, Any]

    def once(self, make: Callable[[], R], *basis: Any) -> R:
        """Return what several backgrounds share, made at the first."""
        key = digest_of(*basis)
        if key not in self.made:
            self.made[key] = make()
        part: R = self.made[key]
        return part


def read_inputs(
    sources: Sequence[str | Path], options: ConsistencyOptions, finished: Finished, answer: Answer
) -> Inputs:
    """Read texts, terms and samples before the work.

    Raises:
        InputError: if a file cannot be used, a text is given twice, or none, or a file of samples and what it decides.
    """
    general = None
    if options.sample_file is None:
        terms = None if options.terms in ("random", "keywords") else read_terms(Path(options.terms), options.language)
        texts, samples = _texts(sources, options), None
    elif sources or options.split == "half" or options.terms != "random":
        half = option("split", "half") if options.split == "half" else option("terms")
        wrong = option("text", ...) if sources else half
        raise InputError(f"{option('sample_file')} holds sentences, samples and terms: give it without {wrong}")
    else:
        text, samples, terms, notes = read_samples(Path(options.sample_file), options.language)
        texts = [text]
        answer.result.notes += notes
    if options.general is not None:
        general = read_text(options.general, options.language, options.drop_short, options.general_layout)
    return Inputs(texts, samples, general, terms, options, finished, {})


def _texts(sources: Sequence[str | Path], options: ConsistencyOptions) -> list[Text]:
    if not sources:
        raise InputError(f"no text was given; give one, or {option('sample_file')}")
    if len(set(map(str, sources))) < len(sources):
        raise InputError(f"one text was given twice: {', '.join(map(str, sources))}")
    texts = [read_text(source, options.language, options.drop_short, options.layout) for source in sources]
    return [text._replace(name=name) for text, name in zip(texts, short_names(sources), strict=True)]


def short_names(sources: Sequence[str | Path]) -> list[str]:
    """Return what texts are called: the end of each path, with as many folders as tell them apart.

    >>> short_names(["lee", "books/anarchism.txt"]), short_names(["a/1.txt", "b/1.txt"])
    (['lee', 'anarchism'], ['a/1', 'b/1'])
    """
    paths = [Path(source).with_suffix("") if Path(source).suffix else Path(source) for source in sources]
    for folders in range(1, max((len(path.parts) for path in paths), default=0) + 1):
        names = ["/".join(path.parts[-folders:]) or str(path) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [str(source) for source in sources]


def _of_background(group: Runs | Group, inputs: Inputs, answer: Answer, at: tuple[float, float]) -> None:
    """Measure all texts on one background, and compare them."""
    runs = answer.take(group, at[0])
    options, device = inputs.options, answer.compute.device
    outputs = find_outputs(group, runs, options.output_vectors, device) if options.model == "nonce2vec" else None
    runs = _once(runs, answer)
    if alarm := _collapsed(runs):
        answer.result.alarms.append(f"{groups_in_words([runs.name])}: {alarm}")
    names = [f"{runs.name}, {text.name}" if len(inputs.texts) > 1 else runs.name for text in inputs.texts]
    cases = [
        prepare(text, inputs.terms, runs, options, device, inputs.samples, name)
        for text, name in zip(inputs.texts, names, strict=True)
    ]
    answer.notes[runs.name] = list(runs.notes)
    if len(cases) > 1:
        answer.report(f"{runs.name}: comparing texts", at[0])
        tables.TEXTS.add(answer.result.tables, compare_texts(runs.name, cases, runs, options))
    for k, prepared in enumerate(cases):
        _of_text(runs, prepared, outputs, inputs, answer, (at[0] + at[1] * k / len(cases), at[1] / len(cases)))


def _trained_on(groups: Sequence[Runs | Group], texts: Sequence[Text]) -> Iterator[str]:
    """Yield a sentence on every text that backgrounds were trained on, as their run sets say."""
    was_trained_on = _trained_ons()
    for text in texts:
        names = [group.name for group in groups if was_trained_on(group, text)]
        if alarm := TRAINED_ON.sentence(TrainedOn(text.name, names, len(groups) > 1)):
            yield alarm


def _trained_ons() -> Callable[[Runs | Group, Text], bool]:
    """Return what tells whether a group was trained on a text; groups that read alike have it read once.

    Read as for the training, the text's words and documents have one digest, whatever the file is called.
    """

    @cache
    def digest(source: str, options: CorpusOptions) -> str:
        try:
            return prepare_corpus(source, options, look=False).hash
        except InputError:  # it cannot be read so, and is another text
            return ""

    def was_trained_on(group: Runs | Group, text: Text) -> bool:
        made = made_of(group) if isinstance(group, Group) and text.source else {}
        return bool(made) and digest(text.source, reading_of(made)) == made["corpus"].get("hash")

    return was_trained_on


def _collapsed(runs: Runs) -> str:
    """A sentence if words of a run all point one way, else nothing."""
    means = [mean_cosine(runs.run(r)[runs.joint]) for r in range(len(runs))]
    which = collapsed_of(means)
    if not which:
        return ""
    names = ", ".join(runs.names[r] for r in which[:5])
    of = f" in {len(which)} of {len(runs)} runs ({names})" if len(runs) > 1 else ""
    return (
        f"The background is collapsed{of}: two of its words have a mean cosine of {max(means):.2f}, so all sums are "
        "alike whatever the terms. Do not read the cosines; train the background longer."
    )


def _once(runs: Runs, answer: Answer) -> Runs:
    """Return the runs without copies; the counts, sums over all runs, are then of as many runs as are left."""
    left = without_copies(runs, answer, "consistency")
    if len(left) == len(runs) or runs.counts is None:
        return left
    return replace(left, counts=runs.counts * len(left) // len(runs))


def _of_text(
    runs: Runs, prepared: Prepared, outputs: Outputs | None, inputs: Inputs, answer: Answer, at: tuple[float, float]
) -> None:
    """Fill the tables with one background's rows of one text."""
    case, options = prepared.group, inputs.options
    kept = models.parts_of(inputs.finished, runs, prepared, options)
    each = []
    for r, name in enumerate(runs.names):

        def report(part: float, r: int = r, name: str = name) -> None:
            answer.report(f"{case}: {name}", at[0] + at[1] * (r + part) / (len(runs) + 1))

        report(0.0)
        each.append(models.of_run(runs, r, prepared, outputs, options, kept, report))
    answer.report(f"{case}: sizes and splits", at[0] + at[1] * len(runs) / (len(runs) + 1))
    _add_runs(answer, case, each)
    names = [name for name in each[0].models if all(name in one.models for one in each)]
    measured = {name: [one.models[name] for one in each] for name in names}
    measured |= _tuned(runs, prepared, outputs, inputs, kept, answer)
    if inputs.general is not None:
        measured |= _svd(runs, prepared, joined(inputs.general, inputs.terms or []), inputs, kept, answer)
    others = {} if inputs.samples is not None else kept.part("beside", lambda: models.beside(prepared, runs, options))
    text = next(one for one in inputs.texts if one.name == prepared.text.name)  # before terms are joined
    by_name = encoded(text, inputs.terms or [], prepared, options, kept, partial(answer.report, case))
    for name, by in by_name.items():
        measured[name] = [Model(by.numbers, None, None)]
        others |= {name: [by.beside]} if by.beside else {}
        answer.notes.setdefault(case, []).extend(by.notes(name))
    _add_quality(answer, runs, prepared, by_name, options)
    _add_models(answer, runs, prepared, measured, others, options.seed)
    tables.SIZES.add(answer.result.tables, kept.part("sizes", lambda: by_sentences(prepared, runs, options)))
    if options.split == "half":
        tables.SPLIT.add(answer.result.tables, kept.part("split", lambda: halves_and_random(prepared, runs, options)))
    answer.notes.setdefault(case, []).extend(prepared.notes)
    answer.result.groups.append(_summary(runs, prepared)._asdict())


def _add_quality(
    answer: Answer, runs: Runs, prepared: Prepared, by_name: Mapping[str, ByEncoder], options: ConsistencyOptions
) -> None:
    """Add how sums of the first run, and encoders, agree with scored pairs and groups of terms, if any were given."""
    if options.scores is None and options.term_groups is None:
        return
    read = {name: torch.from_numpy(by.vectors) for name, by in by_name.items()}
    vectors = models.sums_of(prepared, prepared, runs, 0) | read
    if options.scores is not None:
        tables.QUALITY.add(answer.result.tables, quality_of(prepared, vectors, options.scores, options.language))
    if options.term_groups is not None:
        others = {name: torch.from_numpy(by.others) for name, by in by_name.items() if by.others is not None}
        made_up = None if options.sample_file else models.in_documents(prepared, runs, options)
        others |= models.sums_of(made_up, prepared, runs, 0) if made_up else {}
        rows = grouped_of(prepared, vectors, others, options.term_groups, options.language)
        tables.GROUPED.add(answer.result.tables, rows)


def _tuned(
    runs: Runs, prepared: Prepared, outputs: Outputs | None, inputs: Inputs, kept: Finished, answer: Answer
) -> dict[str, list[Model]]:
    """The best setting of the grid, and sums, of the terms that it was not chosen on; empty where there are none."""
    settings = list(tables.SETTINGS.rows(answer.result.tables, group=prepared.group))
    best = best_of(settings)
    if outputs is None or best is None:
        few = "The grid has no best setting: one is chosen on 70 % of the terms for the others, and wants four or more."
        prepared.notes.extend([few] if len(prepared.samples.terms) < 4 and settings else [])
        return {}
    if kept.folder:
        kept = kept.of(*map(outputs.digest, runs.names))
    return kept.part("tuned", lambda: models.tuned(runs, prepared, outputs, best, inputs.options))


def _svd(
    runs: Runs, prepared: Prepared, general: Text, inputs: Inputs, kept: Finished, answer: Answer
) -> dict[str, list[Model]]:
    """The SVD model, and how terms differ from themselves in the general text; both are one for all backgrounds."""
    case, text, samples, options = prepared.group, prepared.text, prepared.samples, inputs.options
    answer.report(f"{case}: SVD model", 0.0)
    of_general = kept.of(general.tokens, [word.decode("utf-8", "replace") for word in general.words])

    def with_sums() -> BySvd:
        make = partial(of_samples, general, text, samples, options)
        vectors = inputs.once(make, "samples", text.name, text.tokens, *samples)
        return models.by_svd(prepared, runs, vectors.to(prepared.words.device), options)

    def terms() -> InGeneral:
        make = partial(in_general, general, text, samples.terms, options)
        return inputs.once(make, "domain", text.name, text.tokens, samples.terms)

    svd = of_general.part("svd", with_sums)
    if svd.lost:
        answer.notes.setdefault(case, []).append(
            f"{counted(svd.lost, 'sample', 'has/have')} no vector in the SVD model, so that "
            f"{'that one is' if svd.lost == 1 else 'these are'} in no mean."
        )
    tables.DOMAIN.add(answer.result.tables, domains(case, of_general.part("domain", terms), options))
    return svd.models


def _add_runs(answer: Answer, case: str, each: Sequence[OfRun]) -> None:
    """Add what is of single runs: the neighbours of the first, updates, which are of all, and the grid's means."""
    tables.NEIGHBOURS.add(answer.result.tables, each[0].nearest)
    tables.UPDATES.add(answer.result.tables, each[0].updates)
    tables.SETTINGS.add(
        answer.result.tables, [_mean_of(runs) for runs in zip(*(one.settings for one in each), strict=True)]
    )
    if lost := sum(one.diverged for one in each):
        of = f" in {lost} of {len(each)} runs" if len(each) > 1 else ""
        answer.result.alarms.append(f"{case}: Nonce2Vec diverged{of} and is left out. Lower {option('alpha')}.")


def _mean_of(runs: Sequence[tables.Setting]) -> tables.Setting:
    """One setting of the grid over the runs; without numbers where it diverged in one."""
    values = {name: [getattr(one, name) for one in runs] for name in tables.Setting._fields[-6:]}
    means: dict[str, Any] = {name: None if None in of else sum(of) / len(of) for name, of in values.items()}
    return runs[0]._replace(**means)


def _add_models(
    answer: Answer,
    runs: Runs,
    prepared: Prepared,
    measured: dict[str, list[Model]],
    others: dict[str, list[Consistency]],
    seed: int,
) -> None:
    """Add the rows of all models, over the runs of one background and for each run."""
    case, text, known = prepared.group, prepared.text.name, int(runs.joint.sum())
    tested = prepared.having(~that_choose(len(prepared.samples.terms), seed))[1] if TESTED in measured else prepared
    words = {
        len(part.samples.terms): words_of_pairs(part.samples, part.words.cpu().numpy()) for part in (prepared, tested)
    }
    numbers = {model: [one.numbers for one in each] for model, each in measured.items()}
    own = {model: [one.own for one in each if one.own] for model, each in measured.items()}
    for model, each in measured.items():
        of = numbers[model], words[len(numbers[model][0].by_term["same"])], others.get(model, ())
        tables.CONSISTENCY.add(answer.result.tables, [models.model_numbers(case, runs.name, text, model, *of)])
        tables.RUNS.add(answer.result.tables, models.run_numbers(case, runs.names, model, numbers[model]))
        kind, _, of_kind = model.partition(" ")
        against = [own for own in measured if kind == ENCODER and own.startswith(f"{ENCODER} ")]
        if kind == ENCODER:  # beside the additive one, centred too, and the encoders before it
            against = [CENTRED, *against[: against.index(model)]]
        elif kind != ADDITIVE:  # beside the additive one with the same window and terms
            against = [f"{ADDITIVE} {of_kind}" if kind == "SVD" else TESTED if "tuned" in of_kind else ADDITIVE]
        answer.result.contrasts += [
            models.contrast(case, (model, other), numbers, others)._asdict() for other in against
        ]
        if ranks := [one.ranks for one in each if one.ranks]:
            tables.RANKS.add(answer.result.tables, [models.word_ranks(case, model, ranks, known)])
            tables.OWN.add(answer.result.tables, [models.own_vectors(case, model, own[model])])
    tables.TERMS.add(answer.result.tables, models.term_numbers(prepared, numbers[ADDITIVE], own[ADDITIVE]))


def _summary(runs: Runs, prepared: Prepared) -> tables.Case:
    """What was measured, for the head of the page."""
    text, sizes, words = prepared.text, prepared.samples.sizes, int(runs.joint.sum())
    what = (prepared.group, text.name, text.source, list(runs.names), words, prepared.known)
    full = float((sizes >= sizes.max()).mean())
    return tables.Case._make((*what, len(prepared.samples.terms), len(sizes), float(sizes.mean()), full))
