"""The page of usages: its title, its blocks, a methods paragraph, and what to cite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from gpustab.errors import some_of
from gpustab.report import Result
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, counted, number, percent, thousands
from gpustab.spaces.words import printable
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import rules, verdicts
from gpustab.studies.shared.wording import listed
from gpustab.studies.usage.claims import (
    COMPARED,
    DIFFER,
    EXAMPLES,
    FEWEST,
    IN_WORDS,
    PAIRS,
    TRUTH,
    USED,
    WORD_DIFFERS,
    Compared,
    Example,
    Pair,
    leading,
)

CITATIONS = ("giulianelli2020", "kutuzov2020")
_LISTED = 40
_ASIDE = (
    "A usage is a vector of one occurrence, made by the encoder out of its whole sentence. The distance is the mean "
    "cosine distance of a usage of one period and a usage of the other, less the mean distance of two usages of one "
    "period that stand in different documents. It is 0 where both periods use the word alike, however many meanings it "
    "has and however unequal the periods are. By chance: what 95 % of random deals of the documents to the two periods "
    "lie below."
)
_SENTENCES = (
    "These sentences were chosen by the encoder, not at random: of each period those whose usages lie nearest to the "
    "rest of their own period, and farthest from the other. They show what moved the word. Read more than these before "
    "you name a change of meaning: a word also moves if its topic, genre or spelling does."
)


def page(result: Result) -> list[Block]:
    """Return the words that are used differently, their sentences, those without a test, ranks, and the rules."""
    pairs = [pair for pair in PAIRS.rows(result.tables) if pair.measure == "apd"]
    blocks = [_words(result, pair) for pair in pairs]
    blocks += [block for pair in pairs for block in _sentences(result, pair)]
    blocks += [_measures(result), *_truth(result), *_without(result)]
    blocks.append(_read(result))
    observed = OBSERVED.of(result.tables)
    chance = by_chance(list(PAIRS.rows(result.tables)))
    blocks.append(Block("What was found, by each measure?", tables=[verdicts(observed)], answer=chance, folded=True))
    return [*blocks, *rules(observed)]


def by_chance(pairs: Sequence[Pair]) -> str:
    """Return how many verdicts, and how many words that were found, are wrong by chance; empty without a test.

    Where no word is used differently every list with a word is false as a whole, so that the false discovery rate is
    how often there is one. It is what the user chose, and no test at 95 %.
    """
    tested = [pair for pair in pairs if DIFFER.judge(pair) != "no test"]
    if not tested:
        return ""
    rate, found = tested[0].rate, sum(pair.found for pair in tested)
    said = (
        f"{counted(len(tested), 'verdict', 'rests/rest')} on a false discovery rate of {percent(rate)}. If no word "
        f"were used differently, up to {number(rate * len(tested), 2)} of them would say by chance that one is, on "
        "average."
    )
    if not found:
        return said
    return (
        f"{said} Of {counted(found, 'listed word')}, over all measures, up to {number(rate * found, 2)} would be there "
        "by chance, on average over many such lists."
    )


def _of(result: Content, pair: Pair) -> list[Compared]:
    return list(COMPARED.rows(result.tables, first=pair.first, second=pair.second))


def _words(result: Content, pair: Pair) -> Block:
    """The words, those that are used differently first, with what the other measures say."""
    rows = _of(result, pair)
    others = {(row.word, row.measure): row for row in rows}
    used = {(row.period, row.word): row for row in USED.rows(result.tables)}
    unit = str(result.groups[0]["drawn"])
    units = "documents" if unit == "document" else f"documents, those of one {unit} together"
    shown = [row for row in leading(rows) if WORD_DIFFERS.judge(row) != "no test"]
    columns: Columns = [
        "word",
        ("used differently?", lambda row: _verdict(row)),
        (
            "distance beyond",
            lambda row: number(row.beyond, 2),
            "cosine distance of the periods (0: one direction, 1: at right angles, 2: opposite), less that of two "
            "samplings of one period",
        ),
        (
            "range",
            lambda row: row.span,
            f"by leaving out one {unit} after the other; it held the true distance in 80 to 100 of 100 drawn cases, "
            "and of small differences is too low; q decides, so it may reach 0 though a word is found",
        ),
        ("by chance", lambda row: number(row.chance, 2), f"95 % of deals of {units} lie below"),
        ("q", lambda row: number(row.q, 2), "false discovery rate at which the word is found"),
        ("mean usage", lambda row: _verdict(others[row.word, "prt"]), "the same question, by the distance of these"),
        ("clusters", lambda row: _verdict(others[row.word, "jsd"]), "by the divergence of clusters of usages"),
        (
            "usages",
            lambda row: f"{used[row.first, row.word].usages} / {used[row.second, row.word].usages}",
            "that were read of each period",
        ),
    ]
    unsure = [row.word for row in shown if WORD_DIFFERS.judge(row) == "yes" and not row.is_far]
    rest = len(shown) - _LISTED
    more = f" The table words has {counted(rest, 'more word')}." if rest > 0 else ""
    tables = [SmallTable.of("", shown[:_LISTED], columns, Compared)] if shown else []
    title = f"Which words are used differently, {pair.first} to {pair.second}?"
    answer = (
        f"Words that are used differently come first, and of them those whose usages lie farthest apart.{more}"
        f"{_unsure(unsure, unit)}"
    )
    first = pair == next(PAIRS.rows(result.tables))
    return Block(title, tables=tables, figures=["words"] * first, answer=answer, aside=_ASIDE * first)


def _unsure(words: list[str], unit: str) -> str:
    """Say why a word may be found whose interval holds 0."""
    if not words:
        return ""
    return (
        " Whether a word is used differently is decided by q: hardly any random deal of the documents lies as far "
        f"apart. The range says how far, by leaving out one {unit} after the other. It holds 0 for "
        f"{some_of(words, 5)}: how far apart these usages lie cannot be told."
    )


def _verdict(row: Compared) -> str:
    return {"undecided": "not surely", "no test": "no test"}.get(WORD_DIFFERS.judge(row), "yes")


def _sentences(result: Content, pair: Pair) -> Iterator[Block]:
    """Sentences of both periods, of the words that are used differently."""
    rows = list(EXAMPLES.rows(result.tables, first=pair.first, second=pair.second))
    tables = []
    for word in dict.fromkeys(row.word for row in rows):
        own = [row for row in rows if row.word == word]
        columns: Columns = [("period", "period"), ("sentence, and its document", _sentence)]
        tables.append(SmallTable.of(word, own, columns, Example))
    if tables:
        title = f"How do these words read in {pair.first} and in {pair.second}?"
        yield Block(title, tables=tables, answer=_SENTENCES)


def _sentence(row: Example) -> str:
    return printable(f"{row.before}‹{row.written}›{row.after} ({row.document})")


def _measures(result: Content) -> Block:
    columns: Columns = [
        ("periods", lambda pair: f"{pair.first} to {pair.second}"),
        ("measure", lambda pair: IN_WORDS[pair.measure]),
        ("words tested", lambda pair: thousands(pair.tested)),
        ("used differently", lambda pair: thousands(pair.found)),
        ("excess", lambda pair: percent(pair.excess, 1), "mean over words, as a part of two samplings of one period"),
        ("95 %", lambda pair: _span(pair), "by leaving out one document after the other"),
    ]
    answer = (
        "The first measure decides the verdict, and was chosen before the results. The mean usages are the prototypes "
        "of the word. Clusters are made of the usages of both periods together, without the periods; the measure tells "
        "how far their shares differ. Both grow by themselves where usages are few, so that they are judged beside "
        "random deals of the documents."
    )
    return Block("Do the measures agree?", tables=[SmallTable.of("", PAIRS.of(result.tables), columns)], answer=answer)


def _span(pair: Pair) -> str:
    low, high = pair.more.interval
    return f"{percent(low, 1)} to {percent(high, 1)}" if low == low and pair.measure == "apd" else "–"


def _truth(result: Content) -> Iterator[Block]:
    rows = list(TRUTH.rows(result.tables))
    if rows:
        columns: Columns = [
            ("judged", "column"),
            ("periods", lambda row: f"{row.first} to {row.second}"),
            ("measure", lambda row: IN_WORDS[row.measure]),
            (
                "ρ",
                lambda row: number(row.rho, 2),
                "Spearman's rank correlation (1: the same order) with how much people say that a word changed",
            ),
            ("95 %", lambda row: f"{number(row.low, 2)} to {number(row.high_end, 2)}", "interval over words"),
            ("words", lambda row: thousands(row.words)),
        ]
        yield Block(
            "Do the measures rank the words as people do?",
            tables=[SmallTable.of("", rows, columns)],
            answer="All measures rank the same words, by their values as the papers have them.",
        )


def _without(result: Content) -> Iterator[Block]:
    """The words without a test, with the reason."""
    used = {(row.period, row.word): row for row in USED.rows(result.tables)}
    rows = [row for row in COMPARED.rows(result.tables, measure="apd") if WORD_DIFFERS.judge(row) == "no test"]
    if not rows:
        return
    columns: Columns = [
        "word",
        ("periods", lambda row: f"{row.first} to {row.second}"),
        ("usages", lambda row: f"{used[row.first, row.word].usages} / {used[row.second, row.word].usages}"),
        (
            "documents",
            lambda row: f"{used[row.first, row.word].of_documents} / {used[row.second, row.word].of_documents}",
        ),
    ]
    answer = (
        f"A word is tested if its usages stand in {int(FEWEST)} documents of each period or more. Usages of one "
        "document are alike, so that fewer documents cannot tell what another sampling would give."
    )
    table = SmallTable.of("", rows[:_LISTED], columns, Compared)
    yield Block("Which words could not be tested?", tables=[table], answer=answer, folded=True)


def _read(result: Content) -> Block:
    columns: Columns = [
        ("period", "name"),
        ("documents", lambda row: thousands(row["documents"])),
        ("usages read", lambda row: thousands(row["usages"])),
    ]
    return Block("What was read?", tables=[SmallTable.of("", result.groups, columns)], folded=True)


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many usages of how many words answer it."""
    names = [group["name"] for group in result.groups]
    words = len({row.word for row in USED.rows(result.tables)})
    usages = sum(group["usages"] for group in result.groups)
    corpus = printable(PurePath(str(result.settings["corpus"])).name)
    title = f"Which words are used differently in {listed(names)} of {corpus}?"
    model = printable(str(result.settings["model"]))
    return title, f"{counted(usages, 'usage')} of {counted(words, 'word')}, as {model} reads them"


def cards(result: Content) -> list[Card]:
    """Return how many words differ, and those that do most."""
    found = []
    for pair in PAIRS.rows(result.tables, measure="apd"):
        about = f"{pair.first} to {pair.second}"
        found.append(Card(about, f"{pair.found} of {pair.tested}", "words used differently", "by pairwise distance"))
        for row in leading(_of(result, pair))[:3]:
            if WORD_DIFFERS.judge(row) == "yes":
                exact = f"{row.span}; by chance up to {number(row.chance, 2)}"
                found.append(Card(row.word, number(row.beyond, 2), "farther apart (cosine)", exact))
    return found[:4]


def may_claim(result: Content) -> str:
    """Return what a paper may say of the words."""
    said = [DIFFER.sentence(pair) for pair in PAIRS.rows(result.tables, measure="apd")]
    if result.alarms or not said:
        return ""
    return " ".join(
        [
            *said,
            "Say that they are used differently as this encoder reads them, in these documents. Do not say that their "
            "meaning changed before you have read the sentences: topics, genres and spelling differ too.",
        ]
    )


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    of = result.settings
    model = printable(str(of["model"]))
    taken = "all words of these sentences" if of["centre"] == "all" else "the other words of the sentence"
    return (
        f"Every occurrence was represented by the states of {model} (layer {of['layer']}), averaged over its pieces, "
        f"with its sentence as context, at most {of['most']:,} occurrences of a word in a period, spread over as many "
        "documents as possible. Of a word each document kept at most as many as the one of its rank in the other "
        f"period. The mean of {taken} was subtracted. Usages of two periods were "
        "compared by average pairwise cosine distance (Giulianelli et al. 2020; Kutuzov & Giulianelli 2020), less that "
        "of two usages of one period in different documents; by the cosine distance of prototypes; and by the "
        "Jensen-Shannon divergence of clusters (Ward's linkage of both periods together, 2 to 10 clusters by the mean "
        f"silhouette). p values are by {of['deals']:,} random deals of the documents to the periods, or by all deals "
        f"where there are no more, with a false discovery rate of {percent(of['rate'])} over words (Benjamini & "
        "Hochberg), intervals by the jackknife over "
        f"documents, with gpustab {result.environment.get('gpustab')}."
    )
