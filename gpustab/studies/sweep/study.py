"""The sweep: settings are trained one after the other, measured, and compared with the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import ComputationError, InputError, marked, option
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.group import Group
from gpustab.runs.key import Key
from gpustab.runs.manifest import run_file
from gpustab.runs.place import check_place
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.chance import at_chance, nothing_in_common
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.frame import Answer, answering
from gpustab.studies.shared.spaces import COLLAPSED
from gpustab.studies.shared.wording import capital, listed
from gpustab.studies.sweep.claims import no_comparison, observation_table
from gpustab.studies.sweep.claims_of_parameters import ALONG, EFFECT, SCORES, along, effects
from gpustab.studies.sweep.measure import CHANGES, ChangeRow, Measured, change_table, measure
from gpustab.studies.sweep.page import SQUARES, square_table
from gpustab.studies.sweep.page_of_sizes import said_of_sizes
from gpustab.studies.sweep.plans import BASELINE, BITS, Setting, bits_of, settings_of, values_of
from gpustab.studies.sweep.sizes import Sizes, measured_sizes
from gpustab.studies.sweep.tables_of_sizes import SIZES, size_tables

if TYPE_CHECKING:
    from gpustab.training import TrainingSettings


def sweep(
    settings: TrainingSettings,
    vary: Mapping[str, Sequence[Any]],
    output: Path,
    *,
    grid: bool = False,
    labels: str | Path | None = None,
    compute: Compute | None = None,
    progress: Progress | None = None,
    prepare: Callable[[], Corpus] | None = None,
) -> Result:
    """Train a technique with several values of its parameters, and compare stability and scores with the baseline's.

    Rettenmeier 2020, §3.1. Every setting is a run set ``output/<technique>-<parameter>=<value>``, the baseline
    (``settings`` as they are) ``output/<technique>-baseline``; finished runs are kept, so that a stopped sweep goes on
    where it was. All settings are checked before the first is trained, and have the same seed.

    Args:
        settings: the baseline, of one technique, two or more runs.
        vary: values by parameter of the technique, or option of the corpus; a value of the baseline is trained once.
            ``bits`` are of a number: finished spaces of every ``dim`` are rounded to each.
        output: the folder of the run sets.
        grid: all combinations of values; else one parameter at a time.
        labels: a file of words with their classes, which a probe learns where bits vary; default: WordNet's nouns.
        compute: device, precision, back end of what is measured.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        prepare: gives the corpus of the baseline; default: it is read.

    Returns:
        Tables ``settings`` (reduced PIP loss, its chance level and p@10 by setting and sampling, over the words of all
        samplings; in rows ``extrinsic`` the extrinsic instability), ``scores`` (mean and SD over runs) and ``changes``
        (against the baseline, each with its standard error; ``share_of_chance`` is a loss by its chance level); of a
        grid of two or more parameters also ``squares``, the first against the second; ``observations`` judges what the
        thesis says of longer training. Where bits vary, ``sizes``, ``size_effects`` and ``size_orders`` tell how large
        a space must be (Leszczynski et al. 2020). One group per setting; every change is a contrast.

    Raises:
        InputError: if the settings or values cannot be used.
        ComputationError: if runs failed; the others are there.
    """
    if settings.runs < 2:
        raise InputError(f"{option('runs')} is {settings.runs}; a sweep compares pairs of runs and wants at least 2")
    check_place(output, settings.corpus)
    plans, notes = _one_engine(settings_of(settings, vary, grid=grid))
    bits = bits_of(vary, labels)
    varied = [name for name in vary if name != BITS]
    with answering("sweep", compute=compute, progress=progress) as answer:
        result = answer.result
        tables: dict[str, Table] = {"settings": Table(), "scores": Table()}
        measured: dict[str, Measured] = {}
        corpora: list[dict[str, Any]] = []
        text = _Text(settings, prepare)
        sized: dict[str, dict[int, Runs]] = {sampling: {} for sampling in plans[0].plan.samplings}
        for number, setting in enumerate(plans):

            def steps(work: str, part: float, name: str = setting.name, before: int = number) -> None:
                answer.report(f"{name}: {work}", (before + 0.9 * part) / len(plans))

            groups, seconds, trained, corpus = _train(setting, output, text, steps)
            steps("measuring", 1.0)
            numbers = measure(setting.label, groups, seconds, settings.seed, answer.compute, answer.notes)
            measured[setting.label] = numbers
            tables["settings"].extend(numbers.settings)
            tables["scores"].extend(numbers.scores)
            result.groups.append(_summary(setting, numbers, trained))
            corpora.append(corpus)
            if bits and setting.changed.keys() <= {"dim"}:
                for sampling, runs in groups.items():
                    sized[sampling][values_of(setting.plan)["dim"]] = runs
        if grid and len(varied) > 1:
            tables[SQUARES.name] = square_table(plans, measured, varied)
        changes = change_table(measured[BASELINE], {k: v for k, v in measured.items() if k != BASELINE})
        tables[OBSERVED.name] = observation_table(plans, measured, changes)
        tables[ALONG.name] = along(plans, measured, varied)
        for effect, scores in effects(tables[ALONG.name], measured, tables["settings"]):
            result.verdict += [EFFECT.sentence(effect), SCORES.sentence(scores)]
        if bits:
            made, said = _sizes(sized, bits, labels, settings.seed, answer)
            tables |= made
            (notes if any(SIZES.rows(made)) else result.verdict).extend(said)
            result.verdict += said_of_sizes(made)
        result.alarms = [*_collapsed(measured), *nothing_learned(measured, plans[0].plan)]
        baseline = measured.pop(BASELINE)
        result.settings = _record(settings, vary, grid)
        result.tables = {**tables, CHANGES.name: changes}
        result.notes = [*notes, *_notes(baseline, measured, changes)]
    made = _record(settings, {}, grid) | {"corpus": corpora[0]}  # of the baseline, which is trained first
    trained_groups = [
        {"name": f"{row['name']}/{one}", "runs": row["runs"]}
        for row in result.groups
        for one in plans[0].plan.samplings
    ]
    result.environment["trained"] = [
        {"groups": trained_groups, "techniques": list(settings.techniques), "made": made, "versions": {}}
    ]
    return result


def _one_engine(plans: list[Setting]) -> tuple[list[Setting], list[str]]:
    """Decide ``engine = "auto"`` for all settings alike: engines give different vectors."""
    from gpustab.training import resolve_engine

    resolved = [setting._replace(plan=resolve_engine(setting.plan)) for setting in plans]
    unfit = [setting.name for setting in resolved if setting.plan.engine == "gensim"]
    if not unfit or len(unfit) == len(resolved):
        return resolved, []
    plans = [setting._replace(plan=setting.plan.model_copy(update={"engine": "gensim"})) for setting in plans]
    return plans, [f"Trained by engine gensim throughout: engine gpu cannot train {', '.join(unfit)}."]


class _Text:
    """The corpus of the settings: those that follow each other and read alike share it, and it is read once."""

    def __init__(self, baseline: TrainingSettings, prepare: Callable[[], Corpus] | None) -> None:
        self._options, self._prepare = baseline.options, prepare
        self._held: tuple[CorpusOptions, Corpus] | None = None

    def of(self, plan: TrainingSettings) -> Corpus:
        """Return the corpus of a setting."""
        if self._held is None or self._held[0] != plan.options:
            self._held = None
            if self._prepare is not None and plan.options == self._options:
                corpus = self._prepare()
            else:
                corpus = prepare_corpus(plan.corpus, plan.options, look=False)
            self._held = plan.options, corpus
        return self._held[1]


def _train(
    setting: Setting, output: Path, text: _Text, progress: Progress
) -> tuple[dict[str, Runs], dict[str, float], int, dict[str, Any]]:
    """Train what is missing; returns runs and seconds per run by sampling, how many were trained, and the corpus."""
    from gpustab.training import train_runs

    plan, folder = setting.plan, output / setting.name
    try:
        trained = train_runs(plan, folder, progress=progress, prepare=lambda: text.of(plan))
        table = trained.tables["groups"]
    except (InputError, ComputationError) as error:
        raise type(error)(f"{setting.name}: {marked(error)}") from None
    groups: dict[str, Runs] = {}
    for sampling in plan.samplings:
        key = Key(plan.techniques[0], sampling, plan.options.unit, plan.options.fraction)
        # Not the whole leaf: there may be more runs in it than this plan has.
        files = tuple(run_file(folder / key.path, run) for run in range(plan.runs))
        groups[sampling] = Group(replace(key, part=(("setting", setting.label),)), files).load()
    seconds: dict[str, float] = dict(zip(plan.samplings, table["seconds_per_run"], strict=True))
    return groups, seconds, sum(table["trained_now"]), trained.settings["corpus"]


def _sizes(
    sized: Mapping[str, Mapping[int, Runs]], bits: Sequence[int], labels: str | Path | None, seed: int, answer: Answer
) -> tuple[dict[str, Table], list[str]]:
    """Return the tables of sizes, of all samplings that have a task to learn, and what is to be said of them."""
    found: dict[str, Sizes] = {}
    notes = []
    for sampling, groups in sized.items():

        def steps(part: float, name: str = sampling) -> None:
            answer.report(f"sizes, {name} runs", 0.9 + 0.1 * part)

        sizes, said = measured_sizes(groups, bits, labels, seed, answer.compute, steps)
        notes.append(f"{capital(sampling)} runs: {said}")
        if sizes:
            found[sampling] = sizes
    return size_tables(found), notes


def _summary(setting: Setting, measured: Measured, trained: int) -> dict[str, Any]:
    return {
        "name": setting.label,
        "runset": setting.name,
        "runs": setting.plan.runs,
        "trained_now": trained,
        "engine": setting.plan.engine,
        "changed": setting.changed,
        "samplings": [{k: v for k, v in row.items() if k != "setting"} for row in measured.settings.records()],
        "scores": [{k: v for k, v in row.items() if k != "setting"} for row in measured.scores.records()],
    }


def _record(settings: TrainingSettings, vary: Mapping[str, Sequence[Any]], grid: bool) -> dict[str, Any]:
    (name,) = settings.techniques
    return {
        **settings.model_dump(mode="json", exclude={"parameters", "jobs", "parallel"}),
        "parameters": {name: settings.parameters_of(name).model_dump(mode="json")},
        "swept": {parameter: list(values) for parameter, values in vary.items()},
        "grid": grid,
    }


def _notes(baseline: Measured, others: Mapping[str, Measured], changes: Table[ChangeRow]) -> list[str]:
    notes = [
        "Changes against the baseline: percent of the reduced PIP loss is what tables 3.1 and 3.2 of Rettenmeier "
        "(2020) show, differences of scores are what tables 3.3 and 3.4 show. Errors take a setting and the baseline "
        "for independent, though they read the same draws."
    ]
    notes += [*_other_cosines(baseline, others), *_same_runs(baseline, others)]
    if any(not was > 0 for was in changes["baseline"]):
        notes.append("There is no percent of a baseline that is not above 0: see the difference.")
    apart = [f"{name} ({len(found.words):,})" for name, found in others.items() if found.words != baseline.words]
    if apart:
        notes.append(
            f"Over other words than the baseline's {len(baseline.words):,}: {', '.join(apart)}. These changes are of "
            "the vocabulary too."
        )
    return notes


def _collapsed(measured: Mapping[str, Measured]) -> Iterator[str]:
    """Settings whose spaces tell nothing: all their words point one way."""
    fallen = {
        name: max(means)
        for name, found in measured.items()
        if (means := [m for row in found.settings.records() if (m := row["mean_cosine"]) is not None and m > COLLAPSED])
    }
    if fallen:
        many = len(fallen) > 1
        yield (
            f"{listed(list(fallen))} {'are' if many else 'is'} collapsed: all words point one way (mean cosine up to "
            f"{max(fallen.values()):.2f}), so that a small PIP loss means nothing there. Compare settings that "
            "learned the "
            "corpus: train longer."
        )


def nothing_learned(measured: Mapping[str, Measured], plan: TrainingSettings) -> Iterator[str]:
    """Yield alarms on settings whose runs are hardly more alike than unrelated spaces; by the most alike of them."""
    for sampling in plan.samplings:
        found = {}
        for name, numbers in measured.items():
            for row in numbers.settings.records():
                loss = Estimate.of_runs(row["reduced_pip"], row["se"], plan.runs)
                if row["sampling"] == sampling and at_chance(loss, row["chance"] or 0.0) == "yes":
                    found[name] = loss, row["chance"]
        if found:
            loss, chance = min(found.values(), key=lambda x: x[0].value / x[1])
            yield nothing_in_common(f"two {sampling} runs of {listed(list(found))}", loss, chance, plan.techniques[0])


def _other_cosines(baseline: Measured, others: Mapping[str, Measured]) -> Iterator[str]:
    """Losses of spaces that spread out differently do not compare."""
    before = {row["sampling"]: row["mean_cosine"] for row in baseline.settings.records()}
    apart = [
        f"{name}/{row['sampling']} ({before[row['sampling']]:.2f} → {row['mean_cosine']:.2f})"
        for name, found in others.items()
        for row in found.settings.records()
        if no_comparison(before[row["sampling"]], row["mean_cosine"])
    ]
    if apart:
        yield (
            f"The mean cosine of two words is not that of the baseline: {', '.join(apart)}. Their PIP losses do not "
            "compare, since a space that has half collapsed has small ones: see p@10."
        )


def _same_runs(baseline: Measured, others: Mapping[str, Measured]) -> Iterator[str]:
    """A parameter without effect: the runs are the baseline's own."""
    same = [
        f"{name}/{sampling}"
        for name, found in others.items()
        for sampling, prints in (found.fingerprints or {}).items()
        if set(prints) & set((baseline.fingerprints or {}).get(sampling, ()))
    ]
    if same:
        yield (
            f"{', '.join(same)}: runs are the baseline's, bit for bit. The parameter had no effect on them, and their "
            "changes of 0 test nothing."
        )
