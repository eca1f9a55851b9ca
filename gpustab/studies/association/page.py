"""The page of associations: its title, its blocks, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.report import Result
from gpustab.report.origin import embeddings, in_words, sized
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, number, percent, signed
from gpustab.statistics.splits import DRAWN, MOST
from gpustab.studies.association.claims import TESTS, THERE, USED, Tested, deciding, leading, nearer, probability, size
from gpustab.studies.association.effects import WORD_ROWS, WordRow
from gpustab.studies.association.study import DOCUMENTS
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import by_chance, rules, verdicts
from gpustab.studies.shared.wording import capital, group_in_words, signed_span

CITATIONS = ("caliskan2017",)
_SHOWN = 5
_ASIDE = (
    "d is the difference of the mean association of both sets of targets, by the standard deviation (n − 1) of the "
    "associations of all targets. Its mean over runs and its intervals are formed on Fisher's z, so that they keep "
    "within what d can be. p is two-sided: the share of all splits of the targets into sets of these sizes whose means "
    "lie as far apart; for sets of equal size the paper's is half of it. Attributes are taken as they are."
)
_FEW = (
    "The words are few, and were chosen. ± over words is half of the 95 % interval of d, by leaving out one word "
    "of the four sets after the other. It takes them for a random and independent draw, which they are not: it is too "
    "small."
)
_VERDICTS = {"yes": "there", "no": "turns", "words": "chance of words?"}


def page(result: Result) -> list[Block]:
    """Return every test over its groups, the words that carry it, what documents do, the paper, and the rules."""
    rows = list(TESTS.rows(result.tables))
    tests = list(dict.fromkeys(row.test for row in rows))
    blocks = []
    for k, test in enumerate(tests):
        own = [row for row in rows if row.test == test]
        sets = f"{own[0].first} and {own[0].second}, toward {own[0].toward} against {own[0].against}"
        tables = [SmallTable.of("", own, _COLUMNS, Tested)]
        aside = _ASIDE if k == 0 else ""
        used = f"Words used: {'; '.join(map(str, USED.rows(result.tables, test=test)))}."
        figures = ["effects"] * (k == 0)
        blocks.append(Block(f"{capital(test)}: {sets}", [], tables, figures, answer=used, aside=aside))
    blocks += [_words(result, rows)] if rows else []
    blocks += _documents(result)
    observed = OBSERVED.of(result.tables)
    if observed.height:
        blocks.append(Block("What did the paper find?", tables=[verdicts(observed)], answer=by_chance(observed.rows())))
        blocks += rules(observed)
    return blocks


_COLUMNS: Columns = [
    ("runs", lambda row: group_in_words(row.group)),
    ("d", lambda row: signed(row.effect)),
    ("mean, 95 %", lambda row: signed_span(row.low, row.high), "95 % interval of the mean over runs"),
    ("one run, 95 %", lambda row: _one_run(row), "what 95 % of other single runs give"),
    ("these runs", lambda row: signed_span(row.least, row.most), "least and most of these runs: no interval"),
    ("± words", lambda row: number(row.over_words.half, 2), "half of the 95 % interval over the words of the sets"),
    ("p", probability, "of the words' splits, by the mean over all runs"),
    ("other sign", lambda row: percent(row.other_sign), "part of these runs in which d has another sign"),
    ("other p", lambda row: percent(row.other_p), "part of these runs whose p is on the other side of 0.05"),
    ("association", lambda row: _VERDICTS.get(THERE.judge(row), THERE.judge(row))),
]


def _words(result: Result, rows: list[Tested]) -> Block:
    """The words without which d is least, of every test by the group that leads."""
    tables = []
    for test, row in _first(rows).items():
        sign = 1 if row.effect >= 0 else -1
        words = sorted(WORD_ROWS.rows(result.tables, group=row.group, test=test), key=lambda one: sign * one.without)
        columns: Columns = [
            "word",
            "set",
            ("association", lambda one: "–" if one.association is None else signed(one.association, 3)),
            ("d without it", lambda one: signed(one.without)),
            ("p without it", lambda one: number(one.p_without, 2)),
        ]
        around = number(row.over_words.half, 2)
        title = f"{capital(test)}, {in_words(row.group)}: d = {signed(row.effect)} ± {around} over words"
        tables.append(SmallTable.of(title, words[:_SHOWN], columns, WordRow))
    return Block("Which words carry the association?", tables=tables, aside=_FEW)


def _documents(result: Result) -> list[Block]:
    rows = list(DOCUMENTS.rows(result.tables))
    if not rows:
        return []
    columns: Columns = [
        *("technique", "test"),
        ("d, shuffled", lambda row: signed(row.shuffled)),
        ("d, bootstrap", lambda row: signed(row.bootstrap)),
        ("shift", lambda row: signed_span(row.low, row.high), "95 % interval of bootstrap less shuffled"),
        *("sd_shuffled", "sd_bootstrap"),
    ]
    answer = (
        "Shuffled runs differ by training alone. Bootstrap runs read other draws of the documents, and train anew. "
        "Read the first as what another training gives, the second as what another such text gives at least. A shift "
        "is bias of the bootstrap: it repeats some documents and lacks others."
    )
    return [Block("What do the documents do?", tables=[SmallTable.of("", rows, columns)], answer=answer)]


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many runs of how many words answer it."""
    made = embeddings(result, "")
    title = f"Are these associations more than one run's luck{f' in {made}' if made else ''}?"
    runs, words = sum(len(group["runs"]) for group in result.groups), sorted({g["words"] for g in result.groups})
    return title, sized(runs, words, len(result.groups)) if words else ""


def cards(result: Content) -> list[Card]:
    """Return the effects of the first tests, of bootstrap runs where there are such."""
    rows = list(_first(list(TESTS.rows(result.tables))).values())
    return [
        Card(
            f"{capital(row.test)}: d",
            signed(row.effect),
            "effect size",
            f"{group_in_words(row.group)}: one run {_one_run(row)}",
        )
        for row in rows[:4]
    ]


def _first(rows: list[Tested]) -> dict[str, Tested]:
    """Of every test the row that leads."""
    found: dict[str, Tested] = {}
    for row in leading(rows):
        found.setdefault(row.test, row)
    return found


def _one_run(row: Tested) -> str:
    return signed_span(row.run_low, row.run_high)


def may_claim(result: Content) -> str:
    """Return what a paper may say of the associations."""
    lost = {row.test for row in USED.rows(result.tables) if row.lost}
    rows = [row for row in leading(TESTS.rows(result.tables)) if row.test not in lost]
    if len(result.alarms) > len(lost) or not rows:  # the runs themselves are in doubt
        return ""
    claims, open_ = [], []
    for test in dict.fromkeys(row.test for row in rows):
        own = deciding(rows, test)
        sure = [row for row in own if THERE.judge(row) == "yes"]
        if sure and (any(THERE.judge(row) == "no" for row in own) or len({row.effect > 0 for row in sure}) > 1):
            open_.append(f"The groups of runs disagree about '{test}': do not claim it of this text.")
            continue
        claims += [f"{nearer(row)}, beyond one run's luck." for row in sure[:1]]
        trained = [row for row in rows if row.test == test and THERE.judge(row) == "yes"]
        open_ += [] if sure else [_not_yet(row) for row in trained[:1]]
    if not claims:
        return " ".join(open_[:3]) or (
            "That you tested these associations, and that none is there beyond one run's luck and chance of the words."
        )
    with_ = "Say it of these words in this text, with the interval, p and the words that were used."
    not_ = "Do not say it of the language, of people, or of other words for the same thing."
    return " ".join([*claims[:3], with_, not_, *open_[:3]])


def _not_yet(row: Tested) -> str:
    """What holds over trainings, and not over draws of the documents."""
    return (
        f"Training alone does not turn the association of '{row.test}' ({size(row)}). The bootstrap runs do not "
        "confirm it, so another draw of the documents may turn it: do not claim it of this text yet."
    )


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    rows = list(TESTS.rows(result.tables))
    if not rows:
        return ""
    exact = all(not row.p_error for row in rows)
    drawn = "" if exact else f", or {DRAWN:,} drawn ones where there are more than {MOST:,}"
    return (
        "Associations were measured as by Caliskan, Bryson and Narayanan (2017): the mean cosine of a target with one "
        "set of attributes less that with the other, averaged over each set of targets, and the difference of both by "
        f"the standard deviation (n − 1) over all targets (d), with gpustab {result.environment.get('gpustab')}. p is "
        f"two-sided, over all splits of the targets into sets of these sizes{drawn}, of the mean associations of all "
        "runs. The mean of d over runs, and the intervals (95 %) of it and of a further run by Student's t with R − 1 "
        "degrees of freedom, were formed on Fisher's z. One run tells a sign that is another in at most 5 % of runs, "
        "by the noncentral t. Words that some run lacked were left out of all."
    )
