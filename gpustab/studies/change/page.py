"""The page of change: its title, periods against their floors, words, the law of frequency, SemEval; its methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import Shown, number, percent, with_half
from gpustab.results.table import titles
from gpustab.studies.change import tables
from gpustab.studies.change.claims import NO_MORE, ORDER, Order, of_words
from gpustab.studies.change.differences import at_random, beyond
from gpustab.studies.change.findings import by_chance
from gpustab.studies.change.page_of_laws import of_excess, of_law
from gpustab.studies.change.page_of_neighbours import of_neighbours
from gpustab.studies.change.page_of_tasks import of_grid, of_task, of_truth
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import beside_paper
from gpustab.studies.shared.wording import WORDS_DEPEND, signed_span

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
        *of_neighbours(result, pairs),
        *_discovered(result),
        *_ways(result, pairs),
        *of_law(result, pairs),
        *of_excess(result, pairs),
        *of_grid(result),
        *of_task(result),
        *of_truth(result),
        Block("How do these findings stand to the paper's?", beside_paper(OBSERVED.of(result.tables))),
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
            "the same use, at most 2. Two runs of one period differ by training alone. Two samplings differ also by "
            "which documents were read. The change without training noise is freed of the distance of two runs of one "
            "period; where it is shown it is up to 0.05 too low. It is not shown where two runs lie more than half as "
            "far apart as two different words."
        ),
    )


_FRAMES = {
    "all": (
        "By all words that both periods have. This assumes that most words did not move. If most words moved together, "
        "those that stood still seem to have moved; an alarm says so if two groups of words fit two turns. You can "
        "name words that stood still instead (--align anchors --anchors FILE). Runs that have one frame need no turn "
        "(--align none)."
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
            "Residual: one minus the cosine between the averages of all runs, mean over the words of the turn, rare "
            "ones too (0: they fit; at most 2). Held out: the same for each half of the words, by a turn of the other "
            "half. By one turn of all: the same for all words. Two turns: the part of the change that is left if every "
            "word may choose between two turns."
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
        yield SmallTable.of(f"{names[name]}: mean over words, ± 95 % over runs", rows, columns).filled


def _of_runs(pair: tables.Pair, value: float | None, se: float | None) -> str:
    return with_half(value, pair.estimate(value, se).half)


def _at_random(pairs: Table[tables.Pair], row: tables.Pair) -> str:
    return with_half(*at_random(row, tables.splits_of(pairs, row)))


def _how(result: Result, pairs: Table[tables.Pair]) -> Block:
    return Block(
        "What do these numbers not say?",
        answer=(
            f"{by_chance(result, pairs)} "
            "A moved word has other contexts. Whether its meaning changed, or topics, authors and register did, is for "
            "a reader to judge. Two runs of one period are no test: where nothing changed at all, nearly every word "
            "moves farther than they do, because two periods are two samples of documents. Errors are jackknife errors "
            "over the runs of both periods and say nothing of other documents. "
            f"{WORDS_DEPEND}"
        ),
        facts=[
            ("period", "epoch", "what options and columns call a period of the texts; training has epochs of its own"),
            (
                "sampling",
                f"{percent(NO_MORE)}",
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
        name = pair.periods + (f", {pair.series}" if len(series) > 1 else "")
        order = Order(name, contrast["reliability"], pair.some_equal)
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
            aside="± are 95 % intervals over runs. How often: in the earlier and in the later period.",
        )


def _columns(words: Sequence[tables.Word], pair: tables.Pair) -> Columns:
    title = titles(tables.Word)
    columns: Columns = [
        "word",
        ("how often", _counts),
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
