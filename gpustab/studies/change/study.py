"""What changed between periods: displacement with its errors and floors, words, and the law of frequency.

A period of the texts is an *epoch* in keys, options and columns, since the thesis calls it so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from gpustab.errors import InputError, near, option, some_of
from gpustab.evaluation.truth import Truth
from gpustab.machine.device import Compute
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.results.page import counted, number
from gpustab.runs.group import Group
from gpustab.spaces.words import as_word, near_words, printable
from gpustab.studies.change import claims, claims_of_frames, differences, tables, tables_of_tasks
from gpustab.studies.change.claims_of_splits import differ_too, placebos, said_of_splits
from gpustab.studies.change.claims_of_tasks import BETTER_THAN_ONE_CLASS
from gpustab.studies.change.findings import observations
from gpustab.studies.change.laws import Laws, Rows, by_frequency, excesses, law_rows
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.pairs import KINDS, Beside, Outcome, outcome_of, task_of
from gpustab.studies.change.periods import Alignment, Period, between, neighbours, read, steps
from gpustab.studies.change.ranked import truths_of
from gpustab.studies.change.semeval import COLUMNS, Judged, cells
from gpustab.studies.change.series import Series, gaps, series_of
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.finished import Finished, digest_of
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of, made_of
from gpustab.studies.shared.same_runs import fingerprints, said_of, same_runs
from gpustab.studies.shared.wording import groups_in_words

_MOST = 3
"""So many pairs of periods have a sentence; the table has all."""


def change(
    groups: Groups,
    options: ChangeOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    finished: Path | None = None,
    **choices: Any,
) -> Result:
    """Measure how far words moved from each period to the next.

    Groups whose keys have a period (part ``epoch``) form series that differ in nothing else; each series is measured
    by itself. Two groups without periods are the earlier and the later one. The bootstrap series of a family tells how
    far two samplings of one period's documents lie apart, the floor of its shuffled or fixed series.

    Args:
        groups: from :func:`gpustab.load_groups` or :func:`gpustab.open_groups`; two periods are in memory at a time,
            all of them if words are followed.
        options: which words are looked at, and how.
        compute: device and precision; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        finished: folder where pairs of periods that are measured are kept, so that a stopped call goes on from there;
            who calls removes it. Default: nothing is kept.
        **choices: options one by one, see :class:`ChangeOptions`.

    Returns:
        Tables ``pairs``, ``words`` (long), ``laws``, ``excess`` (long), ``frequency``, ``trajectories``,
        ``neighbours``, ``task``, ``grid``, ``truth``, and of a text ``discoveries``, whose columns are those of the
        rows in :mod:`gpustab.studies.change.tables`; and ``observations``, beside the paper.

    Raises:
        InputError: if the groups are no periods, two periods share no words, or a word to follow is in no period.
    """
    options = chosen(ChangeOptions, options, choices)
    with answering("change", options, groups, compute, progress) as answer:
        work = _Work(options, answer, Finished(finished, KINDS))
        made = answer.result.tables = {sheet.name: sheet.table() for sheet in (*tables.SHEETS, *tables_of_tasks.SHEETS)}
        # Bootstrap series come first: they are the floor of the others.
        every = sorted(series_of(groups_of(groups)), key=lambda series: series.key.sampling != "bootstrap")
        work.truths = truths_of(every, options)
        discovered = _discoveries(next((series for series in every if not series.control), every[0]), work)
        laws: list[tuple[Series, Laws]] = []
        judged: list[Judged] = []
        for number, series in enumerate(every):
            law, scores = _measure(series, work, (number / len(every), 1 / len(every)))
            laws += [(series, law)] if law is not None else []
            judged += scores if series.language else []
        tables_of_tasks.GRID.add(made, cells(judged))
        answer.result.notes += [f"{groups_in_words(names)}: {text}" for text, names in work.left_out.items()]
        answer.result.notes += _texts(every)
        if tables_of_tasks.TASK.of(made).height:
            answer.result.notes.append(COLUMNS)
        for rows in _excesses(laws):
            tables.EXCESS.add(made, rows)
            tables.FREQUENCY.add(made, by_frequency(rows))
        if discovered is not None:
            made[tables.DISCOVERIES.name] = tables.DISCOVERIES.table(discovered)
        answer.result.verdict = verdict(made, options.rate)
        made[OBSERVED.name] = OBSERVED.table(observations(made, answer.result.contrasts))
    return answer.result


@dataclass
class _Work:
    """What the measuring of all series has in common."""

    options: ChangeOptions
    answer: Answer
    finished: Finished
    truths: list[Truth] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    """What is said of judged words that are not ranked, with the series of which it is so."""
    floors: dict[tuple[Any, str, str], tuple[str, Beside]] = field(default_factory=dict)
    """Of the bootstrap series so far, with the name of all that they depend on, by family and periods."""


def _discoveries(series: Series, work: _Work) -> Iterator[Any] | None:
    """The words that differ beyond the sampling of authors, to be tested later; ``None`` without a column of authors.

    The text is read now, so that what is wrong with it is said before the work.
    """
    options, report = work.options, work.answer.report
    if options.authors is None:
        return None
    from gpustab.studies.change.authors import Text, discovered_words

    return discovered_words(Text(series, options, report), options, report, work.finished)


def _texts(every: Sequence[Series]) -> list[str]:
    """Return what the training recorded of the periods of the texts: their documents, and what is in none."""
    groups = [group for series in every for group in series.members if isinstance(group, Group)]
    said = [sentence for group in groups for sentence in made_of(group).get("periods", ())]
    return [f"{sentence}." for sentence in dict.fromkeys(map(str, said))]


def _measure(series: Series, work: _Work, part: tuple[float, float]) -> tuple[Laws | None, list[Judged]]:
    """Add a series to the answer, of the part of the whole work that is done before and that this is.

    Returns:
        The law of frequency, ``None`` if there is none, which a note explains; and the scores of SemEval's targets.
    """
    result = work.answer.result
    result.notes += gaps(series)
    rows: list[Rows] = []
    judged: list[Judged] = []
    without_counts: list[str] = []
    followed: list[Period] = []
    for first, second in _pairs(series, work, part, followed):
        same = same_runs({period.runs.name: period.runs for period in (first, second)})
        result.alarms += said_of(same)
        outcome = _outcome(series, first, second, work)
        _add(series, first.name, second.name, outcome, work)
        rows += [outcome.rows] if outcome.rows else []
        if outcome.pair is not None and outcome.rows is None:
            without_counts = [
                f"{groups_in_words([series.name])}: these files hold no counts, so all words are taken and no law is "
                "fitted."
            ]
        judged += outcome.judged
    result.notes += without_counts
    result.groups.append(
        {
            "name": series.name,
            "epochs": list(series.periods),
            "runs": [len(member) for member in series.members],
            "control": series.control,
        }
    )
    _follow(series, followed, work)
    return _laws(series, rows, work), judged


def _pairs(
    series: Series, work: _Work, part: tuple[float, float], followed: list[Period]
) -> Iterator[tuple[Period, Period]]:
    """Yield every period with the next one, reading one at a time; those whose words are followed are kept."""
    answer, before = work.answer, None
    for k, (name, group) in enumerate(zip(series.periods, series.members, strict=True)):
        here = part[0] + part[1] * k / len(series.periods)
        answer.report(f"{series.name}: {name}", here)
        period = read(name, group, answer, here, work.options.align)
        if alarm := claims_of_frames.COLLAPSED.sentence(claims_of_frames.Cosine(period.runs.name, period.mean_cosine)):
            answer.result.alarms.append(alarm)
        if work.options.followed:
            followed.append(period)
        if before is not None:
            yield before, period
        before = period


def _outcome(series: Series, first: Period, second: Period, work: _Work) -> Outcome:
    options, compute = work.options, work.answer.compute
    where = (series.family, first.name, second.name)
    drawn = series.key.sampling == "bootstrap"
    name, floors = ("", None) if drawn else work.floors.get(where, ("", None))
    task = task_of(series, options)
    depends_on = [series.name, series.control, first.name, second.name, options.min_count, options.spread, name]
    depends_on += [options.align, list(options.anchors), options.nearest]
    depends_on += [work.truths, str(compute.dtype), environment(compute.device).get("gpustab")]
    depends_on += [
        [period.tokens, period.runs.centre, period.runs.unit, period.without_noise] for period in (first, second)
    ]
    runs = [digest.hex() for period in (first, second) for digest in fingerprints(period.runs)]
    key = digest_of(depends_on, None if task is None else vars(task), runs)
    both = partial(between, first, second, options.min_count, Alignment.of(options))
    outcome = work.finished.part(key, lambda: outcome_of(series, both(), options, task, floors, work.truths))
    if outcome.floors is not None:
        work.floors[where] = key, outcome.floors
    return outcome


def _add(series: Series, first: str, second: str, outcome: Outcome, work: _Work) -> None:
    result, least = work.answer.result, work.options.min_count
    tables_of_tasks.TASK.add(result.tables, outcome.scores)
    tables_of_tasks.TARGETS.add(result.tables, outcome.targets)
    tables_of_tasks.RANKED.add(result.tables, outcome.ranked)
    for text in outcome.left_out:
        work.left_out.setdefault(text, []).append(series.name)
    if outcome.unscored:
        result.notes.append(f"{groups_in_words([series.name])}: not scored: {outcome.unscored}.")
    elif outcome.missing:
        result.notes.append(
            f"{groups_in_words([series.name])}: "
            f"{counted(len(outcome.missing), 'target', 'is/are', of=outcome.scores[0].targets)} not in both periods, "
            f"and not scored: {', '.join(outcome.missing)}."
        )
    if outcome.pair is None:
        result.notes.append(
            f"{groups_in_words([series.name])}: no word occurs {least:,} times in both {first} and {second}; "
            f"{option('min_count')} takes rarer ones."
        )
        return
    tables.PAIRS.add(result.tables, [outcome.pair])
    tables.KEPT.add(result.tables, [] if outcome.kept is None else [outcome.kept])
    for claim in (claims_of_frames.TWO_CAMPS, claims_of_frames.NO_FRAME):
        if alarm := claim.sentence(outcome.pair):
            result.alarms.append(f"{groups_in_words([series.name])}: {alarm}")
    if lacking := outcome.lacking:
        result.notes.append(
            f"{groups_in_words([series.name])}: "
            f"{counted(len(lacking), 'anchor', 'is/are', of=len(work.options.anchors))} not in all runs of {first} and "
            f"{second}: {some_of([printable(word) for word in lacking], 5)}."
        )
    tables.WORDS.add(result.tables, outcome.words)
    result.contrasts.append(
        {
            "series": series.name,
            "first": first,
            "second": second,
            "reliability": outcome.reliability,
            "reliability_of_neighbours": outcome.reliability_of_neighbours,
        }
    )


def _laws(series: Series, rows: list[Rows], work: _Work) -> Laws | None:
    if not rows:
        return None
    try:
        laws = Laws(rows, work.options.per_pair)
        rows_of_laws = list(law_rows(series.name, series.control, laws, work.options))
    except InputError as error:
        work.answer.result.notes.append(f"{groups_in_words([series.name])}: no law of frequency is fitted: {error}.")
        return None
    tables.LAWS.add(work.answer.result.tables, rows_of_laws)
    return laws


def _excesses(laws: Sequence[tuple[Series, Laws]]) -> Iterator[list[tables.Excess]]:
    """Yield the words' excess over the law in every series whose periods are genuine."""
    for series, law in laws:
        if series.control:
            continue
        splits = [other for control, other in laws if control.control and control.genuine == series.key]
        yield excesses(series.name, law, splits)


def _follow(series: Series, periods: list[Period], work: _Work) -> None:
    """Add the way of every word to follow.

    Raises:
        InputError: if there is no such period, or a word is in none.
    """
    if not periods:
        return
    options, result = work.options, work.answer.result
    wanted = options.reference or series.periods[0]
    if wanted not in series.periods:
        raise InputError(
            f"{option('reference', wanted)}: there is no such period{near(wanted, series.periods)}; there are "
            f"{', '.join(series.periods)}"
        )
    reference = series.periods.index(wanted)
    for word in options.followed:
        way = list(steps(series.name, periods, reference, word, Alignment.of(options)))
        near_by = [
            row for period in periods for row in neighbours(series.name, period, word, options.n, work.answer.compute)
        ]
        if not near_by:
            hint = near_words(as_word(word), periods[0].runs.vocabulary)
            raise InputError(f"the word '{word}' is in no period of '{series.name}'{hint}")
        if not way:
            result.notes.append(
                f"{groups_in_words([series.name])}: '{word}' is not in {wanted}, so its path cannot be drawn."
            )
        tables.TRAJECTORIES.add(result.tables, way)
        tables.NEIGHBOURS.add(result.tables, near_by)
        absent = [name for name in series.periods if name not in {row.epoch for row in near_by}]
        if absent:
            result.notes.append(f"{groups_in_words([series.name])}: '{word}' is not in {', '.join(absent)}.")


def verdict(made: Mapping[str, Table], rate: float = 0.05) -> list[str]:
    """Return the answer: between which periods contexts differ beyond noise, then how far, pair by pair."""
    pairs = tables.PAIRS.of(made)
    series = tables.main_series(pairs)
    beside = placebos(pairs)
    shown = [one.pair for one in beside]
    each = [
        (f"{groups_in_words([one.pair.series])}: " if len(series) > 1 else "")
        + of_pair(one.pair, tables.splits_of(pairs, one.pair), said_of_splits(one), scale=k == 0)
        for k, one in enumerate(beside[:_MOST])
    ]
    if (more := len(shown) - _MOST) > 0:
        each[-1] += f" {counted(more, 'more pair')} of periods {'is' if more == 1 else 'are'} in the table below."
    floors = tables.floor_series(pairs)
    control = claims.MORE_THAN_AT_RANDOM.sentence(
        differences.control_difference([x for x in pairs.rows() if x.series not in floors])
    )
    at_random = {one.pair for one in beside if differ_too(one)}
    sampling = list(claims.of_sampling(shown, at_random))
    sentences = [
        BETTER_THAN_ONE_CLASS.sentence(list(tables_of_tasks.GRID.rows(made))),
        *(sampling or [control or claims.COMPARED.sentence(shown)]),
        *each,
        *([control] if sampling else []),
        *claims.of_words(tables.DISCOVERIES.rows(made), rate),
    ]
    return [sentence for sentence in sentences if sentence]


def of_pair(pair: tables.Pair, splits: Sequence[tables.Pair] = (), too: str = "", *, scale: bool = False) -> str:
    """Return how far words moved between two periods, beside the floors.

    Args:
        pair: the periods.
        splits: the same documents dealt out at random.
        too: what the rule of sampling finds in these.
        scale: whether the sentence says what the numbers mean.
    """
    words = counted(pair.tested, "word")
    moved = differences.with_interval(pair.estimate(pair.change, pair.change_se))
    start = f"From {pair.first} to {pair.second}, {words} moved by {moved} between a run of each period"
    what = f" (0: used alike; {number(pair.unlike, 2)}: two different words)" if scale else ""
    parts = (f"{start}{what}.", claims.BEYOND_SAMPLING.sentence(pair), too, _without_training(pair, splits))
    return " ".join(part for part in parts if part)


def _without_training(pair: tables.Pair, splits: Sequence[tables.Pair]) -> str:
    """Say what is left of the change without training noise, which is not what the floor is compared with."""
    if pair.without_noise:
        return f"None of it is training noise: all runs of a period are the same vectors.{_beside(pair, splits)}"
    if pair.some_equal:
        return _beside(pair, splits).strip()
    if math.isnan(pair.corrected):
        if differences.noise(pair) > claims.NOISY:
            return claims.of_noise(pair) if pair.sampling_floor is None else ""  # the floor's sentence says so
        said = pair.sampling_floor is not None and not math.isfinite(differences.expected(pair).value)  # by the floor
        return "" if said else "One run cannot say how much of this is training noise."
    corrected = pair.estimate(pair.corrected, pair.corrected_se)
    change = f"Without the noise of training the change is {differences.with_interval(corrected)}"
    if not splits:
        return f"{change}."
    return f"{change}, where documents were dealt out at random, so that nothing changed, {_at_random(pair, splits)}."


def _beside(pair: tables.Pair, splits: Sequence[tables.Pair]) -> str:
    return f" Documents dealt out at random differ by {_at_random(pair, splits)}." if splits else ""


def _at_random(pair: tables.Pair, splits: Sequence[tables.Pair]) -> str:
    said = differences.spanned(*differences.at_random(pair, splits))
    return said.replace(")", ", over runs of one split)") if len(splits) == 1 else said
