"""The page of the study, and what it says for papers: thresholds, what the paper's rule gives, distributions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from gpustab.report import Result
from gpustab.results import Block, SmallTable, Table
from gpustab.results.page import counted, number, percent, whole
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import beside_paper, by_chance
from gpustab.studies.shared.wording import groups_in_words
from gpustab.studies.thresholds.claims import cosine
from gpustab.studies.thresholds.claims_of_paper import HANGS_ON_SIZE, NARROWS, ONE_SHAPE, SAME, sizes_of, tests_of
from gpustab.studies.thresholds.rules import MARGIN
from gpustab.studies.thresholds.tables import (
    MOMENTS,
    NEXT_PLACES,
    PAPER_LISTS,
    SCORES,
    SHAPES,
    SIZES,
    THRESHOLDS,
    OverRuns,
)

Tables = Mapping[str, Table]

_TENS = (1, 10, 100, 1_000, 10_000, 100_000)

_MANY_SHAPES = 6
"""Of more pairs of groups it is only told how many have one shape."""

NAMES = {
    "clear": "clear of the least similar 1 %",
    "chance": "above the mean of all pairs",
    "clear adjusted": "clear, without word effects",
    "chance adjusted": "above the mean, without word effects",
    "paper": "the paper's (Welch)",
    "paper, last different": "the paper's: last place that differs",
    "paper, first equal": "the paper's: first that does not",
}


_SHORT = {"paper": "the paper's", "clear": "clear", "chance": "above the mean"}


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    known = THRESHOLDS.name in result.tables
    blocks = [_values(result), *_places(result), _paper(result)] if known else []
    rules = [_how(result)] if known else []
    claims = OBSERVED.of(result.tables)
    beside = Block("How do these findings stand to the paper's?", beside_paper(claims), answer=by_chance(claims.rows()))
    return [*blocks, _distributions(result), *_shapes(result), *_scores(result), beside, *rules]


def _values(result: Result) -> Block:
    rows = [_threshold(row, cosine) for row in THRESHOLDS.rows(result.tables, kind="value")]
    header = ["runs of", "level", "cosine", "in", "95 % over runs", "SD", "by the words", "pairs below"]
    return Block(
        "From which cosine on do two words have something in common?",
        _facts(result),
        [SmallTable("", header, rows)],
        figures=["baseline_by_similarity"],
        aside="Elekes et al. 2018: −0.18 for CBOW, 0.20 for skip-gram, −0.15 for GloVe, on a billion words.",
        answer=(
            "The baseline says how closely two words are related. A cosine from which a level is reached is a "
            "threshold only if every run has one, of each of the first two levels, and the words prove it. Above the "
            "mean: from this cosine on, pairs are more related than the average pair. Clear: from this cosine on, "
            "they are more related than the least similar 1 % of pairs, by a tenth of a standard deviation. By the "
            "words: pairs below the first number are surely under that level, pairs above the second surely over it. "
            "A dash: not proven, or, of an interval, fewer than three runs. These errors take pairs that share a word "
            "for dependent, but words for independent. Words with similar contexts are not, so these errors are too "
            "small."
        ),
    )


def _facts(result: Result) -> list[tuple[str, str, str]]:
    facts = []
    for group in result.groups:
        base = group["baseline"]
        if base is None:
            continue
        known = f"{base['words']:,} words, {base['pairs']:,.0f} pairs, mean {number(base['mean'], 3)}"
        spread = f"SD {number(base['sd'], 3)}; {counted(len(group['runs']), 'run')}"
        facts.append((group["name"], base["name"], f"{known}, {spread}"))
    return facts


def _places(result: Result) -> Iterator[Block]:
    rows = [_threshold(row, "{:,.0f}".format) for row in THRESHOLDS.rows(result.tables, kind="place")]
    if not rows:
        return
    header = ["runs of", "level", "last place", "in", "95 % over runs", "SD", "by the words", "pairs beyond"]
    by_few = "".join(
        f" In {row.group}, {row.run} the last place is taken by {row.last_words:,.0f} words in effect."
        for row in PAPER_LISTS.rows(result.tables)
        if row.last_words < row.last_pairs / 10
    )
    yield Block(
        "How far down a list of most similar words do they have something in common?",
        tables=[SmallTable("", header, rows)],
        figures=["baseline_by_place"],
        aside="Elekes et al. 2018: 31,584 and 6,094 for CBOW with 100,000 words.",
        answer=(
            "The paper's two places depend on the pairs of one last place, and move by thousands with it. Ours compare "
            f"windows of places with the last 1 % of all places.{by_few}"
        ),
    )
    yield _next_places(result)


def _next_places(result: Result) -> Block:
    """Figures 23 and 26: a line for the first place and each power of ten."""
    rows = [row for row in NEXT_PLACES.rows(result.tables) if row.place in _TENS]
    cells = [
        [
            row.group,
            f"{row.place:,}",
            *(_shown(value) for value in (row.next_place, row.sd, row.lowest, row.highest)),
            f"{row.runs_with_one} of {counted(row.runs, 'run')}",
        ]
        for row in rows
    ]
    header = ["runs of", "place", "next that differs", "SD", "least", "largest", "in"]
    return Block(
        "How far apart must two places of a list be to differ?",
        tables=[SmallTable("Welch's test of a place with every one below it, mean over runs", header, cells)],
        figures=["next_place"],
        aside=(
            "Elekes et al. 2018, figures 23 and 26: at the first places small steps suffice, further down they grow. "
            "Last place that differs from the very last, and first that does not: 31,584 and 6,094; 28,570 and 5,889 "
            "trained on Wikipedia; 35,402 and 6,408 on 5-grams; of 100,000."
        ),
        answer=(
            "A place holds at most one pair for every word, however long the lists are. So the number of words decides "
            "how far the next different place lies, as much as the similarity does."
        ),
    )


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _threshold(row: OverRuns, form: Callable[[float], str]) -> list[str]:
    def shown(value: float | None) -> str:
        return "–" if value is None else form(value)

    half = "–" if row.half is None or row.mean is None else f"± {_precise(row.half, row.kind)}"
    sd = "–" if row.sd is None else _precise(row.sd, row.kind)
    bounds = "" if row.proven_from is None else f"{shown(row.proven_from)} to {shown(row.proven_to)}"
    below = "" if row.below is None else f"{percent(row.below)}"
    name, runs = NAMES.get(row.rule, row.rule), f"{row.found} of {counted(row.runs, 'run')}"
    return [row.group, name, shown(row.mean), runs, half, sd, bounds, below]


def _precise(value: float, kind: str) -> str:
    return f"{value:.3f}" if kind == "value" else f"{value:,.0f}"


def _paper(result: Result) -> Block:
    table = SIZES.of(result.tables)
    title = "Welch's test: first group significantly higher than the lowest"
    columns = ("group", "min_pairs", "lowest_group", "next_higher", "sd", "lowest", "highest", "runs_with_one")
    return Block(
        "What does the paper's rule give, and what does it hang on?",
        list(_question(result)),
        tables=[whole(title, table, columns)] if table.height else [],
        figures=["next_different"],
        answer=" ".join(of_paper(result.tables)),
        aside=(
            "The paper compares with −0.40, the lowest group between −0.4 and 0.8, where its model has few pairs "
            "outside. Groups are called by their upper edge: −0.18 holds −0.19 to −0.18."
        ),
    )


def _question(result: Result) -> Iterator[tuple[str, str, str]]:
    """Q2 of the paper: are pairs of similarity 0.20 nearer in meaning than those of 0.10?"""
    for group in result.groups:
        p = None if group["baseline"] is None else group["baseline"]["question_2"]
        if p is not None:
            most = ", the largest over the runs" if len(group["runs"]) > 1 else ""
            yield (
                f"Q2, {group['name']}",
                f"p = {p:.2g}",
                f"Welch's test of the groups 0.10 and 0.20{most}; the paper has 5.19e-9. It takes pairs for "
                "independent, which share words: the errors by words above do not.",
            )


def _distributions(result: Result) -> Block:
    table = MOMENTS.of(result.tables)
    return Block(
        "How are similarities distributed?",
        tables=[whole("Similarity of words to every other word", table)],
        figures=["distributions", "similarity_by_place"],
    )


def _shapes(result: Result) -> Iterator[Block]:
    table = SHAPES.of(result.tables)
    if table.height:
        columns = ("first", "second", "distance", "lowest", "highest", "pairs", "rejected", "shape")
        yield Block(
            "Have the distributions one shape?",
            tables=[whole("Kolmogorov-Smirnov distance after scaling to mean 0, SD 1", table, columns)],
            answer=" ".join(of_shapes(result.tables)),
            aside=(
                "The paper draws 1,000 values of each and tests at 1 %: what is less than 0.073 apart is not told, so "
                '"not rejected" confirms nothing. Rejected: share of such draws.'
            ),
        )


def _scores(result: Result) -> Iterator[Block]:
    table = SCORES.of(result.tables)
    if not table.height:
        return
    header = ["runs of", "test", "threshold", "unknown", "below", "used", "ρ all", "ρ above", "ρ tied", "ρ at random"]
    rows = [
        [
            row.group,
            row.test,
            _SHORT[row.rule],
            f"{row.unknown:,} of {row.total:,}",
            f"{row.below:,.0f}",
            f"{row.used:,.0f}",
            _rho(row.rho, row.rho_sd),
            _rho(row.above, row.above_sd),
            _rho(row.tied, row.tied_sd),
            _rho(row.dropped, row.draw_sd),
        ]
        for row in table.rows()
    ]
    yield Block(
        "What do tests of word similarity say without the pairs below?",
        tables=[SmallTable("Spearman's ρ, mean and SD over runs; at random: over draws", header, rows)],
        answer=" ".join(of_scores(result.tables)),
        aside=(
            "ρ above is the paper's. Tied: pairs below get one value, lower than all others. At random: as many pairs "
            "left out by chance."
        ),
    )


def _rho(value: float | None, sd: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if sd is None else f"{value:.3f} (SD {sd:.3f})"


def _how(result: Result) -> Block:
    confidence = result.settings.get("confidence", 0.99)
    return Block(
        "By which rules?",
        [
            ("clear", f"{MARGIN} SD of the baseline", "above the mean of the lowest 1 % of pairs, joined to one group"),
            ("proven", f"{percent(confidence)}", "each step from the top down, one-sided; stops at the first failure"),
            ("errors", "dyadic", "pairs that share a word are correlated; Welch's test, the paper's, takes none to be"),
            ("word effects", "removed", "a word's mean over all its pairs: half the variance of WordNet's measure"),
        ],
        folded=True,
    )


def of_paper(tables: Tables) -> Iterator[str]:
    """Yield what the paper's threshold of each group hangs on."""
    for row in THRESHOLDS.rows(tables, kind="value", rule="paper", found=0):
        yield (
            f"{groups_in_words([row.group])}: with so many pairs in the lowest group, the paper's rule finds no "
            "threshold: no group has so many, or none is higher than the lowest."
        )
    yield from filter(None, map(HANGS_ON_SIZE.sentence, sizes_of(tables)))


def of_shapes(tables: Tables) -> Iterator[str]:
    """Yield whether the distributions are of one shape."""
    between = [row for row in SHAPES.rows(tables) if row.first != row.second]
    if len(between) <= _MANY_SHAPES:
        yield from map(ONE_SHAPE.sentence, between)
        return
    number = Counter(row.shape for row in between)
    far = max(between, key=lambda row: row.distance)
    rest = number["no test"]
    untested = f", and {rest} are not tested, since a run lies far or runs fall into kinds" if rest else ""
    yield (
        f"Scaled to mean 0 and SD 1, {number['same']} of {len(between)} pairs have one shape (at most {SAME} apart), "
        f"{number['different']} have different ones, of {number['undecided']} it is not clear{untested}. Furthest "
        f"apart are {far.first} and {far.second}: {far.distance:.3f}."
    )


def of_scores(tables: Tables) -> Iterator[str]:
    """Yield of which groups leaving out pairs narrows the range."""
    yield from filter(None, map(NARROWS.sentence, tests_of(tables)))
