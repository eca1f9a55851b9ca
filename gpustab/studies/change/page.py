"""The page of change: its title, periods against their floors, words, the law of frequency, SemEval; its methods."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, Content, SmallTable, Table
from gpustab.results.page import Shown, counted, number, with_half
from gpustab.results.table import titles
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change import tables
from gpustab.studies.change.claims import (
    AVERAGE_BETTER,
    BEYOND,
    BEYOND_LAW,
    BEYOND_SAMPLING,
    MORE_THAN_AT_RANDOM,
    NO_MORE,
    ORDER,
    Order,
    averages_judged,
    laws_judged,
    of_averages,
    of_laws,
    of_words,
)
from gpustab.studies.change.differences import beyond, control_difference
from gpustab.studies.shared.wording import number_span, signed_span

CITATIONS = ("rettenmeier2020",)

_SHOWN = 20
"""Length of a list of words on the page; the tables have all."""

Columns = list[str | tuple[str, Shown]]


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    pairs = tables.PAIRS.of(result.tables)
    return [
        _pairs(pairs),
        *_frames(pairs),
        *_words(result, pairs),
        *_discovered(result),
        *_ways(result, pairs),
        *_law(result, pairs),
        *_excess(result, pairs),
        *_grid(result),
        *_task(result),
        *_others(pairs),
        _how(result, pairs),
    ]


# Periods


_TURNED = {
    "all": "once the spaces are turned onto each other",
    "anchors": "once the spaces are turned onto each other by the anchor words",
    "none": "in the spaces as they are",
}


def _align(pairs: Table[tables.Pair]) -> str:
    return next((row.align for row in pairs.rows()), "all")


def _pairs(pairs: Table[tables.Pair]) -> Block:
    return Block(
        "How far did words move, and how far do they move when nothing changes?",
        tables=list(_tables(pairs, tables.main_series(pairs))),
        figures=["floors"],
        answer=(
            f"Change is one minus the cosine of a word's two vectors, {_TURNED[_align(pairs)]}: 0 for "
            "the same use, at most 2. Two runs of one period differ by training alone, two samplings also by which of "
            "its documents were read. Without training noise is freed of the distance of two runs of one "
            "period, up to a twentieth too low; none is shown where that is more than half of that of two words."
        ),
    )


_FRAMES = {
    "all": (
        "By all words that both have: most of them are taken for unmoved. That is an assumption. Where most words "
        "moved together, those that stood still seem to have moved; an alarm says so if two camps of words fit two "
        "turns. Words that you know to have stood still can be named instead (--align anchors --anchors FILE), and "
        "runs that have one frame need no turn (--align none)."
    ),
    "anchors": (
        "By anchor words alone, which were named as unmoved; how far all others lie then is their change. What "
        "the anchors themselves moved would be taken for the change of all others."
    ),
    "none": (
        "By none: these runs are taken to have one frame, as vectors have that were tuned from the same ones. Two runs "
        "of one period and their averages are not turned either."
    ),
}


def _frames(pairs: Table[tables.Pair]) -> Iterator[Block]:
    """By which words the spaces are turned, and how well that fits."""
    rows = [row for name in tables.main_series(pairs) for row in pairs.rows(series=name)]
    if not rows:
        return
    columns: Columns = [
        ("periods", lambda row: row.periods),
        *("turned_by", "residual", "held_out", "by_all"),
        ("two turns", lambda row: number(row.two_turns, 2)),
        ("two different words", lambda row: number(row.unlike, 2)),
    ]
    several = len({row.series for row in rows}) > 1
    columns = [*(["series"] if several else []), *columns]
    yield Block(
        "By which words are the spaces of two periods turned onto each other?",
        tables=[SmallTable.of("", rows, columns, tables.Pair)],
        answer=_FRAMES[rows[0].align],
        aside=(
            "Residual: one minus the cosine, mean over the words of the turn, between the averages of all runs (0: "
            "they fit; at most 2). Held out: of each half of them by a turn of the other half. By one turn of all: of "
            "all words. Two turns: what is left of the change if every word may choose between two turns, as a part."
        ),
    )


def _others(pairs: Table[tables.Pair]) -> Iterator[Block]:
    """The series that the answer is compared with, folded."""
    main = tables.main_series(pairs)
    others = [series for series in tables.called(pairs) if series not in main]
    if others:
        yield Block(
            "How far did words move in documents dealt out at random, and in bootstrap runs?",
            tables=list(_tables(pairs, others)),
            figures=["floors_of_others", "ways_of_others"],
            folded=True,
        )


def _tables(pairs: Table[tables.Pair], series: Sequence[str]) -> Iterator[SmallTable]:
    names, title = tables.called(pairs), titles(tables.Pair)
    for name in series:
        rows = list(pairs.rows(series=name))
        columns: Columns = [
            ("periods", lambda row: row.periods),
            "tested",
            (title["change"], lambda row: _of_runs(row, row.change, row.change_se)),
            (title["training_floor"], lambda row: _of_runs(row, row.training_floor, row.training_se)),
        ]
        if any(row.sampling_floor is not None for row in rows):
            columns += [
                (title["sampling_floor"], lambda row: _of_runs(row, row.sampling_floor, row.sampling_se)),
                ("beyond sampling, 95 %", lambda row: "–" if row.sampling_floor is None else signed_span(*beyond(row))),
            ]
        columns += [
            ("two different words", lambda row: number(row.unlike, 2)),
            (title["corrected"], lambda row: _of_runs(row, row.corrected, row.corrected_se)),
        ]
        if any(tables.splits_of(pairs, row) for row in rows):
            columns.append((tables.AT_RANDOM, lambda row: _at_random(pairs, row)))
        columns.append((title["averaged"], lambda row: _of_runs(row, row.averaged, row.averaged_se)))
        yield SmallTable.of(f"{names[name]}: mean over words, ± 95 % over runs", rows, columns)


def _of_runs(pair: tables.Pair, value: float | None, se: float | None) -> str:
    return with_half(value, pair.estimate(value, se).half)


def _at_random(pairs: Table[tables.Pair], row: tables.Pair) -> str:
    splits = tables.splits_of(pairs, row)
    return number(fmean(split.corrected for split in splits), 3) if splits else "–"


def _how(result: Result, pairs: Table[tables.Pair]) -> Block:
    return Block(
        "What do these numbers not say?",
        answer=(
            f"{by_chance(result, pairs)} "
            "A moved word has other contexts. Whether its meaning changed, or topics, authors and register did, is for "
            "a reader to judge. Two runs of one period are no test: where nothing changed at all, nearly every word "
            "moves farther than they do, because two periods are two samples of documents. Errors are jackknife errors "
            "over the runs of both periods and say nothing of other documents."
        ),
        facts=[
            ("period", "epoch", "what options and columns call a period of the texts; training has epochs of its own"),
            (
                "sampling",
                f"{NO_MORE:.0%}",
                "the change is no more than two samplings if surely below their distance and so much of what this has "
                "more than that of two runs",
            ),
            (
                "beyond",
                "sampling",
                "bootstrap runs draw from one period's documents, so two of them are nearer than two periods in which "
                "nothing changed; a model of vectors says by how much, and what is above that counts",
            ),
        ],
        folded=True,
    )


def by_chance(result: Result, pairs: Table[tables.Pair]) -> str:
    """Return how many verdicts of the page would be wrong by chance if there were nothing to find.

    A verdict that an interval of 95 % lies above something is wrong so in 2.5 %, one that it lies above or below in
    5 %, where only what the interval is over is chance. Those that cannot tell count: they could have been wrong.
    """
    shown = [row for name in tables.main_series(pairs) for row in pairs.rows(series=name)]
    one_sided = sum(BEYOND_SAMPLING.judge(row) in ("more", "no more", "open") for row in shown)
    floors = tables.floor_series(pairs)
    control = control_difference([row for row in pairs.rows() if row.series not in floors])
    one_sided += MORE_THAN_AT_RANDOM.judge(control) in ("more", "open")
    two_sided = sum(law.splits != [] for law in laws_judged(tables.LAWS.rows(result.tables), floors))
    for sheet in (tables.TASK, tables.GRID):
        two_sided += sum(AVERAGE_BETTER.judge(way) != "no test" for way in averages_judged(sheet.rows(result.tables)))
    said = "No verdict of this page rests on an interval."
    if one_sided + two_sided:
        said = (
            f"Verdicts of this page that rest on a 95 % interval: {one_sided + two_sided:,}. If there were nothing to "
            f"find, {number(0.025 * one_sided + 0.05 * two_sided, 2)} of them would be wrong by chance, on average."
        )
    listed = [row for row in tables.EXCESS.rows(result.tables) if row.series in tables.main_series(pairs)]
    surest = sum(BEYOND_LAW.judge(row) == "yes" for row in listed)
    found = sum(tables.DISCOVERIES.of(result.tables).get("found", []))
    if not surest + found:
        return said
    words = BEYOND * surest + result.settings.get("rate", BEYOND) * found
    return f"{said} Of {counted(surest + found, 'listed word')} {number(words, 2)} may be there by chance."


# Words


def _words(result: Result, pairs: Table[tables.Pair]) -> Iterator[Block]:
    """The most changed words of every pair of periods whose order is reliable."""
    series = tables.main_series(pairs)
    lists, why_not = [], []
    for contrast in result.contrasts:
        if contrast["series"] not in series:
            continue
        where = {part: contrast[part] for part in ("series", "first", "second")}
        pair = next(pairs.rows(**where))
        order = Order(pair.periods + (f", {pair.series}" if len(series) > 1 else ""), contrast["reliability"])
        if ORDER.judge(order) == "yes":
            words = list(tables.WORDS.rows(result.tables, **where))
            lists.append(SmallTable.of(order.name, words[:_SHOWN], _columns(words, pair), tables.Word))
        else:
            why_not.append(ORDER.sentence(order))
    if lists or why_not:
        first = (
            "First stand those that moved farthest beyond two samplings of one period's documents, where that is "
            "known. Other runs on these documents would give this order; other documents may give another."
        )
        yield Block(
            "Which words moved most?",
            tables=lists,
            answer=" ".join([*([first] if lists else []), *why_not]),
            aside="± are 95 % intervals over runs. Occurrences: in the earlier and in the later period.",
        )


def _columns(words: Sequence[tables.Word], pair: tables.Pair) -> Columns:
    title = titles(tables.Word)
    columns: Columns = [
        "word",
        ("occurrences", _counts),
        (title["change"], lambda row: _of_runs(pair, row.change, row.change_se)),
        "training_floor",
    ]
    if any(word.sampling_floor is not None for word in words):
        columns += ["sampling_floor", "excess"]
    return [*columns, (title["corrected"], lambda row: _of_runs(pair, row.corrected, row.corrected_se))]


def _counts(word: tables.Word) -> str:
    counts = word.count_first, word.count_second
    return "–" if counts[0] is None or counts[1] is None else f"{counts[0]:,.0f}, {counts[1]:,.0f}"


def _discovered(result: Result) -> Iterator[Block]:
    """The words that are found by dealing out authors, if there are any to deal out."""
    if tables.DISCOVERIES.name not in result.tables:
        return
    table, rate = tables.DISCOVERIES.of(result.tables), result.settings["rate"]
    columns: Columns = ["word", "change", "expected", "z", "q"]
    yield Block(
        "Which words' contexts differ beyond the sampling of authors?",
        tables=[
            SmallTable.of(tables.arrow(first, part["second"][0]), list(part.rows())[:_SHOWN], columns)
            for first, part in table.where(found=True).split("first")
        ],
        answer=" ".join(
            [
                *of_words(table.rows(), rate),
                f"For that, documents were dealt out to the periods anew, all of one {result.settings['authors']} "
                "together, and measured by PPMI and singular vectors. Expected is the mean change of a word over the "
                "deals, z how many SDs it lies above, q the rate of false discoveries at which it is found. It says "
                "nothing of meaning.",
            ]
        ),
    )


def _ways(result: Result, pairs: Table[tables.Pair]) -> Iterator[Block]:
    """For every followed word its neighbours by period, in the series that answer the question."""
    near = tables.NEIGHBOURS.of(result.tables)
    names, main = tables.called(pairs), tables.main_series(pairs)
    for word, table in near.split("word"):
        yield Block(
            f"What did “{word}” stand beside?",
            tables=[
                _side_by_side(names.get(series, series), part)
                for series, part in table.split("series")
                if series in main or series not in names  # no word is frequent enough in two of its periods
            ],
            figures=["ways"] if word == near["word"][0] else [],
            answer="Its nearest words in each period, those of most runs first; in brackets in how many runs they are.",
        )


def _side_by_side(title: str, table: Table[tables.Near]) -> SmallTable:
    periods = table.split("epoch")
    lists = [[f"{row.neighbour} ({row.runs}/{row.of})" for row in part.rows()] for _, part in periods]
    rows = [[str(k + 1), *(one[k] if k < len(one) else "–" for one in lists)] for k in range(max(map(len, lists)))]
    return SmallTable(title, ["place", *(period for period, _ in periods)], rows)


# The law of frequency


def _law(result: Result, pairs: Table[tables.Pair]) -> Iterator[Block]:
    """The law between the averages of most runs, and folded that of fewer, if there is one."""
    table = tables.LAWS.of(result.tables)
    if not table.height:
        return
    shown, names = _of(table, tables.compared(pairs)), tables.called(pairs)
    largest = max(shown["n"], default=0)
    columns: Columns = [
        ("series", lambda row: names[row.series]),
        *("n", "averages", "words", "beta"),
        ("± words", lambda row: number(row.over_words(row.beta_se), 2)),
        ("± runs", lambda row: number(row.over_runs(row.beta_se_runs), 2)),
        "r2_marginal",
        ("± words", lambda row: tables.tenths(row.over_words(row.r2_se))),
        ("± runs", lambda row: tables.tenths(row.over_runs(row.r2_se_runs))),
        "r2_conditional",
        ("± runs", lambda row: tables.tenths(row.over_runs(row.r2_conditional_se_runs))),
    ]
    yield Block(
        "Do rarer words change more?",
        tables=[SmallTable.of("Between the averages of most runs", shown.where(n=largest), columns)],
        figures=["displacement", "laws"],
        answer=" ".join(
            [
                *of_laws(table.rows(), tables.floor_series(pairs)),
                "Averaging runs takes training noise away and leaves the noise of sampled documents, which follows "
                "frequency: compare with the documents dealt out at random.",
            ]
        ),
        aside=(
            "A mixed model of log change over log frequency with an intercept per word: β is the effect of frequency, "
            "R² its share of the variance (marginal), with the word's own (conditional). ± are 95 %, over words "
            "and over runs (jackknife); those over words take every word for independent, which words of like contexts "
            "are not, so that they are too small. Rettenmeier 2020, COHA, word2vec: 30 % → 31 % genuine, 7 % → 0 % "
            "control, for 1 → 32 runs."
        ),
    )
    if largest > 1:
        every = SmallTable.of("", table, columns)
        yield Block("The law for every number of averaged runs", tables=[every], folded=True)


def _excess(result: Result, pairs: Table[tables.Pair]) -> Iterator[Block]:
    """The words beyond the law, and change beside the control by classes of frequency."""
    series = tables.main_series(pairs)
    excess, classes = _of(tables.EXCESS.of(result.tables), series), _of(tables.FREQUENCY.of(result.tables), series)
    lists = [
        SmallTable.of(
            tables.arrow(first, part["second"][0]) + (f", {name}" if len(series) > 1 else ""), surest, _BEYOND
        )
        for name, of_series in excess.split("series")
        for first, part in of_series.split("first")
        if (surest := _surest(part.rows()))
    ]
    none = "" if lists else _NONE
    if classes.height:
        lists.append(SmallTable.of("By frequency, ± 95 % over words, as if they were independent", classes, _CLASSES))
    if excess.height:
        yield Block(
            "Which words changed more than words of their frequency?",
            tables=lists,
            answer=(
                "Expected is the change of a word of its frequency by the law above, between the averages of most "
                f"runs. A word is listed that is farther above it than where documents were dealt out at random, which "
                f"stands beside it; {BEYOND:.0%} of those listed may be there by chance of documents and training. "
                f"First are those whose ratio is surely highest, by the lower end of its interval over runs.{none}"
            ),
        )


_NONE = (
    " This can be said of no word from these runs. With two splits ten words must lead at once, with seven three: more "
    "splits would tell of fewer (train --control 7)."
)


def _surest(rows: Iterable[tables.Excess]) -> list[tables.Excess]:
    """Those that are surely above the law, the surest first."""
    above = [row for row in rows if BEYOND_LAW.judge(row) == "yes"]
    return sorted(above, key=lambda row: row.interval[0], reverse=True)[:_SHOWN]


_BEYOND: Columns = [
    *("word", "frequency", "change", "expected"),
    ("change / expected", lambda row: number(math.exp(row.excess), 3)),
    ("95 %", lambda row: number_span(math.exp(row.interval[0]), math.exp(row.interval[1]))),
    "noise",
]

_CLASSES: Columns = [
    ("periods", lambda row: tables.arrow(row.first, row.second)),
    ("per million", lambda row: f"{tables.per_million(row.low)} – {tables.per_million(row.high)}"),
    *("words", "change", "noise"),
    ("beyond", lambda row: with_half(row.beyond, Estimate.of_runs(row.beyond, row.beyond_se, row.words).half)),
]


def _of(table: Table[Any], series: list[str]) -> Table[Any]:
    return table.take(k for k, name in enumerate(table.get("series", [])) if name in series)


# SemEval-2020 task 1

_BEYOND_SINGLE: tuple[str, Shown] = (
    "ρ beyond single runs",
    lambda row: "–" if row.way == "IR" else with_half(row.beyond, Estimate.of_runs(0.0, row.beyond_se, row.runs).half),
)
_SCORES: Columns = [f"{name}{kind}" for name in ("accuracy", "spearman") for kind in ("", "_sd", "_se")]


def _grid(result: Result) -> Iterator[Block]:
    """Table 4.3, if techniques were trained on the languages."""
    table: Table[tables.Cell] = tables.GRID.of(result.tables)
    if not table.height:
        return
    columns: Columns = ["technique", "way", "size", "sampling", *_SCORES, _BEYOND_SINGLE, "majority", "languages"]
    yield Block(
        "Which technique, way and sampling judge change best?",
        tables=[SmallTable.of("Mean over the languages", table, columns)],
        answer=(
            "Table 4.3 of the thesis. SD is over pairs of runs, of averages and ensembles over the halves of the runs "
            "(an upper limit, from two values); SE is the jackknife error over the runs. The best of many ways is the "
            f"best by luck too: choose it on other languages than those that it is told of.{_averages(table)}"
        ),
        aside="Rettenmeier 2020, 32 runs, best: fastText, AA, bootstrap: accuracy 0.674, Spearman 0.483.",
    )


def _task(result: Result) -> Iterator[Block]:
    table = tables.TASK.of(result.tables)
    if not table.height:
        return
    columns: Columns = [
        *("series", "way", *_SCORES, _BEYOND_SINGLE),
        ("targets", lambda row: f"{row.found} of {row.targets}"),
        "majority",
    ]
    tasks = [SmallTable.of(task, part, columns) for task, part in table.split("task")]
    yield Block(
        f"How well are the targets of {', '.join(small.title for small in tasks)} judged?",
        tables=tasks,
        answer=(
            "IR are pairs of runs, AA the aligned averages, EA the ensemble of all pairs. Accuracy stands beside "
            f"that of calling all targets what most of them are.{_averages(table)}"
        ),
        aside="Rettenmeier 2020, table 4.3, word2vec, shuffled, four languages: IR 0.644, 0.487; EA 0.657, 0.491.",
    )
    yield from _targets(result)


def _averages(table: Table[Any]) -> str:
    """What is said of averages against single runs, each sentence after a space."""
    return "".join(f" {sentence}" for sentence in of_averages(table.rows()) if sentence)


_FIRST = 5
"""So many targets stand side by side, as in table 4.2; the table has all."""


def _targets(result: Result) -> Iterator[Block]:
    """Table 4.2: the targets that moved most, by people and by the averages of all runs."""
    table = tables.TARGETS.of(result.tables)
    graded = table.take(k for k, place in enumerate(table.get("place_by_people", [])) if place is not None)
    if not graded.height:
        return
    small = []
    for task, of_task in graded.split("task"):
        columns, lists = [f"{task}: by people"], [_ranked(of_task.rows(), "place_by_people", "grade")]
        for series, part in of_task.split("series"):
            columns.append(series)
            lists.append(_ranked(part.rows(), "place", "change"))
        rows = [[str(k + 1), *(one[k] if k < len(one) else "–" for one in lists)] for k in range(max(map(len, lists)))]
        small.append(SmallTable("", ["place", *columns], rows))
    yield Block(
        "Which targets changed most, by people and by these runs?",
        tables=small,
        answer=(
            "Table 4.2 of the thesis: the five most changed targets, with the grade that people gave and the change "
            "between the averages of all runs. The table of targets has all of them."
        ),
    )


def _ranked(rows: Iterable[tables.Target], place: str, value: str) -> list[str]:
    """The first targets by one order, each once, with what they stand by."""
    order = {row.word: row for row in sorted(rows, key=lambda row: getattr(row, place))}
    return [f"{word} ({number(getattr(row, value), 2)})" for word, row in list(order.items())[:_FIRST]]


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many periods and runs answer it."""
    runs = sum(sum(group["runs"]) for group in result.groups)
    periods = max((len(group["epochs"]) for group in result.groups), default=0)
    return "What changed between periods, beyond noise?", f"{counted(periods, 'period')} · {counted(runs, 'run')}"


def _aligned(result: Content) -> str:
    anchors = len(result.settings.get("anchors", ()))
    return {
        "anchors": f"aligned by orthogonal Procrustes over {anchors:,} anchor words, taken for unmoved",
        "none": "taken as they are, in one frame",
    }.get(result.settings.get("align", "all"), "aligned by orthogonal Procrustes over their joint vocabulary")


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    standard = "in every pair of periods" if result.settings.get("per_pair") else "over all pairs of periods together"
    count, version = result.settings.get("min_count"), result.environment.get("gpustab")
    return (
        f"Spaces of consecutive periods were {_aligned(result)}, and the "
        f"change of a word is one minus the cosine of its vectors, with gpustab {version} after Rettenmeier (2020). It "
        "was measured between all pairs of a run of each period, between the aligned averages of all runs, and "
        "corrected for training noise by the mean cosines of runs within each period. Errors are by the jackknife over "
        f"the runs of both periods. Words count that occur at least {count} times in both. The effect of frequency is "
        "from a linear mixed model with a random intercept per word (REML), both variables being logarithms that were "
        f"standardised {standard}; shares of variance are those of Nakagawa and Schielzeth (2013)."
    )
