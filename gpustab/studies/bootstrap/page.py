"""The page of the bootstrap study: which neighbours hold, then figures 1 to 6, then the paper's findings.

And what it says for papers: its title, a methods paragraph, and what to cite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from gpustab.report import Result
from gpustab.report.origin import embeddings, in_words
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, counted, number, whole
from gpustab.studies.bootstrap import tables
from gpustab.studies.bootstrap.claims import is_flat
from gpustab.studies.bootstrap.claims_of_runs import HOLD, is_silent
from gpustab.studies.neighbours.claims import FIRM, OPEN, PASSING, RULE, UNJUDGED
from gpustab.studies.neighbours.page import verdict_cards
from gpustab.studies.shared.observations import by_chance, called_by_chance, rules, verdicts
from gpustab.studies.shared.wording import WORDS_DEPEND, capital, listed, of_list, the_runs

CITATIONS = ("antoniak2018",)
_QUERIES = 20
_RUNS_BESIDE = 6
"""So many lists stand beside each other, and so many query words have a table of their own."""


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many runs of how many groups answer it."""
    runs = sum(len(group["runs"]) for group in result.groups)
    asked = counted(len(result.settings.get("query", ())), "query word")
    made = embeddings(result, "")
    title = f"Which neighbours of your query words can you trust{f' in {made}' if made else ''}?"
    return title, f"{counted(runs, 'run')} in {counted(len(result.groups), 'group')} · {asked}"


def _leading(result: Content) -> tuple[tables.Setting, list[tables.Neighbour]] | None:
    """The first bootstrap group whose numbers no alarm forbids to read, with the neighbours that it judges."""
    settings = list(tables.SETTINGS.rows(result.tables))
    rows = [row for row in tables.NEIGHBOURS.rows(result.tables) if row.verdict]
    names = list(dict.fromkeys(row.group for row in rows))
    for row in sorted((row for row in settings if row.group in names), key=lambda row: names.index(row.group)):
        if not is_silent(row, settings):
            return row, [own for own in rows if own.group == row.group]
    return None


def cards(result: Content) -> list[Card]:
    """Return how many neighbours are firm, passing and open, and how many of ten two runs share."""
    if (found := _leading(result)) is None:
        return []
    setting, rows = found
    n, p = result.groups[0]["n"], setting.estimate("p")
    made = verdict_cards([(f"{row.query} – {row.word}", row.verdict) for row in rows], len(rows), "bootstrap")
    return [
        *made,
        Card(
            "Two bootstrap runs have in common",
            number(n * p.value, 2),
            f"of {n} neighbours",
            of_list(p, n),
            "bootstrap",
        ),
    ]


def may_claim(result: Content) -> str:
    """Return what a paper may say of the neighbours of the query words."""
    if (found := _leading(result)) is None:
        return ""
    firm = [f"{row.query} – {row.word}" for row in found[1] if row.verdict == FIRM]
    if all(row.verdict in (OPEN, UNJUDGED) for row in found[1]):
        return (
            "Nothing yet about these words: these runs cannot judge their neighbours. Nor may you write that they are "
            "unstable. Train more runs."
        )
    if not firm:
        return "No neighbour of these words: none of them is firm."
    more = f" and {len(firm) - _CLAIMED} more" if len(firm) > _CLAIMED else ""
    pairs = ", ".join(firm[:_CLAIMED]) if more else listed(firm)
    return (
        f"That these pairs are neighbours in this text: {pairs}{more}. Give the share of the runs with its interval. "
        f"Name none of the others.{_may_err(found[1])} Other documents may have other neighbours."
    )


def _may_err(rows: Sequence[tables.Neighbour]) -> str:
    """How many verdicts may be chance, a sentence after another; nothing of fewer than two."""
    said = called_by_chance(sum(row.verdict in (FIRM, PASSING) for row in rows))
    return f" {said}" * bool(said)


_CLAIMED = 5
"""So many firm pairs are named."""


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    n = result.groups[0]["n"] if result.groups else 10
    groups = ", ".join(f"{counted(len(group['runs']), 'run')} of {in_words(group['name'])}" for group in result.groups)
    asked = ", ".join(result.settings.get("query", ())[:40])
    return (
        f"With gpustab {result.environment.get('gpustab')}, after Antoniak & Mimno (2018), cosines of the query words "
        f"({asked}) with every word were averaged over runs ({groups}). The {n} words of highest mean cosine over runs "
        "of the whole corpus, among the words of at least half of the runs, were judged by bootstrap runs: in how "
        f"many of them they are among the {n} nearest, with the 95 % Wilson interval of that share, and by the "
        "probability that they are nearer than the first word outside the list. Spreads are roots of mean variances "
        "(ddof = 1) of the cosines with the ten closest words; errors are by the jackknife over runs, intervals by "
        "Student's t at 95 %. Lists of two runs are compared by the Jaccard index of sets."
    )


def page(result: Result) -> list[Block]:
    """Return the blocks in reading order."""
    return [
        *_neighbours(result),
        *_side_by_side(result),
        Block(
            "How much do cosines vary from run to run?",
            tables=[SmallTable.of("", tables.SETTINGS.of(result.tables), _SETTINGS)],
            figures=["spread"],
            aside="Figure 1 of the paper: bootstrap widens all techniques, PPMI least.",
        ),
        Block("How much do the lists agree?", figures=["jaccard", "ranks"], aside="Figures 2 and 3 of the paper."),
        *_compared(result),
        Block("How many runs are needed?", figures=["number_of_runs"], aside="Figure 6 of the paper: about 25 runs."),
        *_distances(result),
        *_claims(result),
        *_corpora(result),
        Block("The query words", tables=[whole("", tables.QUERIES.of(result.tables))], folded=True),
    ]


def _neighbours(result: Result) -> Iterator[Block]:
    """One block a bootstrap group: for every query its neighbours with their verdicts."""
    judged = [row for row in tables.NEIGHBOURS.rows(result.tables) if row.verdict]
    told = False
    for group, rows in groupby(judged, lambda row: row.group):
        own = list(rows)
        words = list(dict.fromkeys(row.query for row in own))
        each = [SmallTable.of(word, [row for row in own if row.query == word], _QUERY) for word in words[:_QUERIES]]
        chosen = own[0].chosen_by
        chose = f"{capital(the_runs(chosen))} chose" if chosen != group else "The same runs chose"
        answer = f"{chose} these {len(own)} words, and {own[0].of} bootstrap runs judge them."
        answer += _may_err(own)
        if len(words) > _QUERIES:
            answer += f" Below are {_QUERIES} of {len(words)} query words; the table of neighbours has all."
        everywhere, runs = sum(row.hits == row.of for row in own), {row.of for row in own}
        every = f"all {own[0].of} runs" if len(runs) == 1 else "all runs that have the query word"
        answer += f" {HOLD.paper}." * (not told)
        answer += f" Here {every} list {everywhere or 'none'} of the {len(own)} chosen neighbours."
        rule = f"{RULE} The bootstrap range is the least and the largest cosine, no confidence interval."
        flat = is_flat(next(tables.SETTINGS.rows(result.tables, group=group)))
        if any(row.verdict != UNJUDGED for row in own):  # of others the first sentence says why
            yield Block(
                f"Which neighbours hold in {the_runs(group)}?",
                tables=[_overview(words, own)],
                answer=answer,
                folded=flat,
                aside="" if told else rule,
            )
            told = True
        yield Block(f"Each query word, neighbour by neighbour: {the_runs(group)}", tables=each, folded=True)


def _overview(words: list[str], rows: list[tables.Neighbour]) -> SmallTable:
    """By query: which words are firm."""
    cells = []
    for word in words:
        own = [row for row in rows if row.query == word]
        counts = [sum(row.verdict == verdict for row in own) for verdict in (PASSING, OPEN)]
        firm = [row.word for row in own if row.verdict == FIRM]
        judged = any(row.verdict != UNJUDGED for row in own)
        cells.append([word, ", ".join(firm) or "none", *map(str, counts)] if judged else [word, UNJUDGED, "–", "–"])
    return SmallTable("", ["query", "firm", "passing", "open"], cells)


_QUERY: Columns = [
    "word",
    "verdict",
    ("in list", lambda row: f"{row.hits} of {row.of}"),
    ("95 %", lambda row: f"{100 * row.share_low:.0f}–{100 * row.share_high:.0f} %"),
    "margin",
    "mean",
    ("bootstrap range", lambda row: f"{row.low:.2f} to {row.high:.2f}"),
    "bias",
    ("rank", lambda row: f"{row.rank:g} ({row.rank_low:g}–{row.rank_high:g})"),
    "runs",
]


def _side_by_side(result: Result) -> Iterator[Block]:
    """Tables 5 and 6: the lists of a few bootstrap runs of the first query beside each other."""
    lists, queries = tables.LISTS.of(result.tables), [row.query for row in tables.QUERIES.rows(result.tables)]
    groups = [row.group for row in tables.SETTINGS.rows(result.tables, sampling="bootstrap")]
    for group in groups:
        there = [query for query in queries if lists.where(group=group, query=query).height]
        firm = {row.query for row in tables.NEIGHBOURS.rows(result.tables, group=group, verdict=FIRM)}
        word = next((query for query in there if query in firm), next(iter(there), None))
        rows = list(lists.rows(group=group, query=word))
        every = list(dict.fromkeys(row.run for row in rows))
        runs = every[:_RUNS_BESIDE]
        which = f"the first {len(runs)} of {len(every)}" if len(runs) < len(every) else "each"
        places = {(row.run, row.rank): _with_change(row) for row in rows}
        longest = max(row.rank for row in rows)
        cells = [[str(k), *(places.get((run, k), "–") for run in runs)] for k in range(1, longest + 1)]
        yield Block(
            f"{capital(the_runs(group))}: what {'does' if which == 'each' else 'do'} {which} say of {word}?",
            tables=[SmallTable("", ["rank", *runs], cells)],
            answer="Arrows: so many places above or below the word's median rank over the runs.",
            aside=(
                "Tables 5 and 6 of Antoniak and Mimno (2018), which is the paper of this page. All query words and "
                "runs are in the table of lists."
            ),
            folded=group != groups[0],
        )


def _with_change(row: tables.Listed) -> str:
    change = row.rank_change
    if change != change or round(change) == 0:
        return row.word
    return f"{row.word} {'↓' if change > 0 else '↑'}{abs(round(change))}"


_SETTINGS: Columns = [
    "group",
    "runs",
    "mean_value",
    "sd",
    "spread",
    "relative",
    "p_value",
    "disjoint",
    "everywhere",
    "absent",
]


def _compared(result: Result) -> Iterator[Block]:
    rows = list(tables.SETTINGS.rows(result.tables, sampling="bootstrap"))
    if len({row.unit for row in rows}) > 1:
        yield Block("Does it matter what is drawn?", figures=["units"], aside="Figure 4 of the paper.")
    if len({row.fraction for row in rows}) > 1:
        yield Block("Does the size of the corpus matter?", figures=["sizes"], aside="Figure 5 of the paper.")


def _distances(result: Result) -> Iterator[Block]:
    distances = tables.DISTANCES.of(result.tables)
    if not distances.height:
        return
    columns: Columns = [("settings", lambda row: f"{row.first} and {row.second}"), "within", "between", "distance"]
    answer = (
        "The distance is the root mean square difference of the query words' cosines with all words. Two settings may "
        "vary by the same amount around different means. Then a run of each lies farther apart than two runs of one "
        "setting, and no SD shows that."
    )
    yield Block("How far apart are the settings?", tables=[SmallTable.of("", distances, columns)], answer=answer)


def _corpora(result: Result) -> Iterator[Block]:
    """Table 2 of the paper for the corpora of these runs, where their run set tells them."""
    if tables.CORPORA.name in result.tables:
        texts = whole("", tables.CORPORA.of(result.tables))
        yield Block("Which texts?", tables=[texts], aside="Table 2 of the paper.", folded=True)


def _claims(result: Result) -> Iterator[Block]:
    rows = tables.FINDINGS.of(result.tables)
    yield Block(
        "Does the paper hold here?",
        tables=[verdicts(rows)] if rows.height else [],
        answer=" ".join(filter(None, [_tally(rows["agrees"]), by_chance(rows.rows())])),
        aside=(
            "Antoniak & Mimno 2018. Intervals are 95 % over runs, those of averages over query words; × is a ratio of "
            f"spreads. {WORDS_DEPEND}"
        ),
    )
    yield from rules(rows)


def _tally(verdicts: Sequence[str]) -> str:
    """How many findings hold, of those that were tested: the verdicts that may be called so by chance."""
    untested = verdicts.count("no test")
    tested = len(verdicts) - untested
    counts = [(n, said[n != 1]) for name, said in _SAID.items() if (n := verdicts.count(name))]
    said = listed([one_or_many.format(n) for n, one_or_many in counts]) if counts else ""
    more = f"{counted(untested, 'finding')} cannot be tested with these runs." if untested else ""
    return f"Of {counted(tested, 'tested finding')} {said}. {more}".rstrip() if tested else more


_SAID = {
    "yes": ("{} holds", "{} hold"),
    "no": ("{} does not hold", "{} do not hold"),
    "undecided": ("{} is undecided", "{} are undecided"),
}
