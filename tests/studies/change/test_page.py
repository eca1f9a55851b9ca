"""The page, from rows that are given: head and first line of every table as they stand there, and which words."""

import math

import pytest

from gpustab.report import Result
from gpustab.studies.change.findings import by_chance
from gpustab.studies.change.page import page
from gpustab.studies.change.tables import (
    DISCOVERIES,
    EXCESS,
    FREQUENCY,
    KEPT,
    LAWS,
    PAIRS,
    WORDS,
    Discovery,
    Excess,
    FrequencyClass,
    Kept,
    Word,
)
from gpustab.studies.change.tables_of_tasks import GRID, TARGETS, TASK, Cell, Score, Target
from tests.studies.change.test_claims import BASE, control, law

WHERE = ("sgns/shuffled", "1800-1819", "1820-1839")
NAMES = ("series", "first", "second")


def word(name, change=0.34567, excess=0.14567):
    changes = (change, 0.0123, 0.3, 0.01, 0.23456, 0.0234)
    return Word(*WHERE, name, 1234.4, 55.0, *changes, 0.12345, change - excess, excess)


def beyond_law(name, excess, se=0.1):
    return Excess(*WHERE, name, 0.0012345, 0.34567, 0.23456, excess, se, 3, 0.01 if excess > 0.4 else 0.2, 0.12345)


@pytest.fixture(scope="module")
def blocks():
    scores, beyond = (0.67891, 0.01234, 0.02345, 0.48765, 0.03456, 0.04567), (0.0512, 0.01, 8)
    answer = Result("change", settings={"rate": 0.05, "authors": "president"})
    answer.contrasts = [dict(zip(NAMES, WHERE, strict=True)) | {"reliability": 0.95}]
    answer.tables = {
        "pairs": PAIRS.table([BASE, control(1, corrected=0.0712345)]),
        "words": WORDS.table([word("labor"), word("war", 0.2)]),
        "laws": LAWS.table(
            law(x, k > 0, name, 0.03, 0.05, n)
            for k, (name, x) in enumerate([(BASE.series, 0.3049), (control(1).series, 0.1)])
            for n in (1, 8)
        ),
        "excess": EXCESS.table([beyond_law("open", 0.3), beyond_law("sure", 0.5), beyond_law("surer", 0.6)]),
        "frequency": FREQUENCY.table([FrequencyClass(*WHERE, 0.00001, 0.0021, 1250, 0.34567, 0.12345, 0.2222, 0.01)]),
        "grid": GRID.table([Cell("sgns", "shuffled", "AA", 8, 4, *scores, *beyond, 0.64567, 0.03324, 0.02, 40)]),
        "task": TASK.table([Score(WHERE[0], "english", "EA", *scores, *beyond, 5, 6, 0.64567)]),
        "targets": TARGETS.table(
            Target(WHERE[0], "english", word, 0.1 * place, 7 - place, 0.9 - 0.1 * place, place, True)
            for place, word in enumerate(("a", "b", "c", "d", "e", "f"), 1)
        ),
        "discoveries": DISCOVERIES.table(
            Discovery(*WHERE[1:], name, 0.45678, 0.34567, 4.5678, 0.0012, 0.045678, found)
            for name, found in (("tax", True), ("sea", False))
        ),
    }
    return {block.title: block for block in page(answer)}


def test_periods_beside_their_floors(blocks):
    (table,) = blocks["How far did words move, and how far do they move when nothing changes?"].tables
    assert table.title == "sgns/shuffled: mean over words, ± 95 % over runs"
    assert dict(zip(table.header, table.rows[0], strict=True)) == {
        "periods": "1800-1819 → 1820-1839",
        "words": "1,200",
        "change": "0.300 ± 0.016",
        "two runs of one": "0.1000 ± 0.0064",
        "two samplings of one": "0.200 ± 0.016",
        "beyond sampling, 95 %": "+0.04 to +0.11",
        "two different words": "0.70",
        "without training noise": "0.200 ± 0.013",
        "dealt out at random": "0.071 ± 0.013",
        "between averages": "0.10 ± 0.32",
    }
    (other,) = blocks["How far did words move in documents dealt out at random, and in bootstrap runs?"].tables
    assert other.title == "dealt out at random (1): mean over words, ± 95 % over runs"


def test_words_that_moved_most(blocks):
    (table,) = blocks["Which words moved most?"].tables
    assert table.title == "1800-1819 → 1820-1839"
    assert dict(zip(table.header, table.rows[0], strict=True)) == {
        "word": "labor",
        "how often": "1,234, 55",
        "change": "0.346 ± 0.039",
        "two runs of one": "0.12",
        "two samplings of one": "0.20",
        "difference": "0.15",
        "without training noise": "0.235 ± 0.074",
    }
    assert [row[0] for row in table.rows] == ["labor", "war"]


def test_words_beyond_their_authors(blocks):
    block = blocks["Which words' contexts differ beyond the sampling of authors?"]
    (table,) = block.tables
    assert table.title == "1800-1819 → 1820-1839"
    assert table.header == ["word", "change", "expected", "z", "q"]
    assert table.rows == [["tax", "0.457", "0.346", "4.57", "0.046"]]
    assert block.answer.startswith("Contexts differ more than the sampling of authors explains for 1 of 2 words (")


def test_the_law_and_what_is_beyond_it(blocks):
    (table,) = blocks["Do rarer words change more?"].tables
    assert table.header == [
        *("series", "runs averaged", "averages", "words", "β of frequency", "± words", "± runs"),
        *("R² marginal", "± words", "± runs", "R² conditional", "± runs"),
    ]
    numbers = [
        "8",
        "1",
        "300",
        "−0.400",
        "0.098",
        "0.047",
        "30.5 %",
        "5.9 %",
        "11.8 %",
        "30.5 %",
        "4.7 %",
    ]  # by t(299), t(7)
    assert table.rows[0] == ["sgns/shuffled", *numbers]
    assert table.rows[1][0] == "dealt out at random (1)"
    assert len(blocks["The law for every number of averaged runs"].tables[0].rows) == 4
    sure, classes = blocks["Which words changed more than words of their frequency?"].tables
    assert sure.header == [
        *("word", "frequency per million", "change", "expected", "change / expected", "95 %", "dealt out at random")
    ]
    assert sure.rows == [
        ["surer", "1,234", "0.346", "0.235", "1.82", "1.3–2.5", "0.123"],
        ["sure", "1,234", "0.346", "0.235", "1.65", "1.2–2.3", "0.123"],
    ]
    assert classes.header == ["periods", "per million", "words", "change", "dealt out at random", "beyond"]
    assert classes.rows == [["1800-1819 → 1820-1839", "10 – 2,100", "1,250", "0.346", "0.123", "0.222 ± 0.020"]]


def test_scores_of_semeval(blocks):
    scores = dict(zip(["accuracy", "SD", "SE", "Spearman"], ["0.679", "0.012", "0.023", "0.488"], strict=True))
    (grid,) = blocks["Which technique, way and sampling judge change best?"].tables
    better = "ρ beyond single runs"
    assert grid.header == [
        *("technique", "way", "runs", "sampling", *scores, "SD", "SE", better, "all of one class"),
        *("accuracy beyond one class", "languages"),
    ]
    numbers = [*scores.values(), "0.035", "0.046", "0.051 ± 0.024"]  # by t(7)
    assert grid.rows == [["sgns", "AA", "8", "shuffled", *numbers, "0.646", "0.033 ± 0.041", "4"]]
    (task,) = blocks["How well are the targets of english judged?"].tables
    assert task.header == ["series", "way", *scores, "SD", "SE", better, "targets", "all of one class"]
    assert task.rows == [["sgns/shuffled", "EA", *numbers, "5 of 6", "0.646"]]


def test_averages_are_judged_beside_single_runs(blocks):
    said = "averages rank the targets better than single runs do (difference 0.051 of Spearman's ρ, 0.03–0.07)."
    assert said in blocks["Which technique, way and sampling judge change best?"].answer
    assert "averages rank" not in blocks["How well are the targets of english judged?"].answer  # it has none


def test_targets_stand_by_people_and_by_runs(blocks):
    (table,) = blocks["Which targets changed most, by people and by these runs?"].tables
    assert table.header == ["place", "english: by people", "sgns/shuffled"]
    assert table.rows[0] == ["1", "a (0.80)", "f (0.60)"]
    assert table.rows[4] == ["5", "e (0.40)", "b (0.20)"]
    assert len(table.rows) == 5


def test_the_turn_and_its_residual(blocks):
    (table,) = blocks["By which words are the spaces of two periods turned onto each other?"].tables
    assert dict(zip(table.header, table.rows[0], strict=True)) == {
        "periods": "1800-1819 → 1820-1839",
        "words of the turn": "1,200",
        "residual": "0.123",
        "held out": "0.130",
        "by one turn of all": "0.123",
        "two turns": "0.95",
        "two different words": "0.70",
    }


def test_what_chance_makes_wrong_is_counted(blocks):
    """A pair beyond sampling and the best way at 2.5 %, the law and averages at 5 %; two words by the law, one more."""
    assert blocks["What do these numbers not say?"].answer.startswith(
        "Verdicts of this page that rest on a 95 % interval: 4. If there were nothing to find, 0.15 of them would be "
        "wrong by chance, on average. Of 3 listed words 0.15 would be there by chance, on average over many such "
        "lists. A moved word has other contexts."
    )


def test_verdicts_on_neighbours_are_counted_where_there_are_splits_to_compare_with():
    """Whether words lose more of them at 2.5 %, and, where they do, whether both measures name the same at 5 %."""

    def of(series, lost, split=True):
        numbers = dict.fromkeys(Kept._fields, 0.0) | dict(zip(NAMES, WHERE, strict=True))
        names = {"series": series, "of": BASE.series, "control": split, "k": 10, "words": 100, "runs": 5}
        return Kept(**numbers | names | {"lost": lost, "lost_se": 0.001, "agreement": 0.5})

    def said(*lost):
        splits = [of(control(k).series, x) for k, x in enumerate(lost, 1)]
        result = Result("change", tables={"kept": KEPT.table([of(BASE.series, 0.3, split=False), *splits])})
        return by_chance(result, PAIRS.table([BASE]))

    assert said(0.1).startswith("Verdicts of this page that rest on a 95 % interval: 1. ")
    assert said(0.1, 0.5).startswith("Verdicts of this page that rest on a 95 % interval: 2. ")
    assert said(0.1, 0.11).startswith("Verdicts of this page that rest on a 95 % interval: 3. ")


@pytest.mark.parametrize(("reliability", "known"), [(0.89, "0.89"), (math.nan, "unknown")])
def test_an_order_that_other_runs_would_not_give_is_no_list(reliability, known):
    answer = Result("change")
    answer.contrasts = [dict(zip(NAMES, WHERE, strict=True)) | {"reliability": reliability}]
    answer.tables = {"pairs": PAIRS.table([BASE]), "words": WORDS.table([word("labor")])}
    block = next(block for block in page(answer) if block.title == "Which words moved most?")
    assert block.tables == []
    assert block.answer == (
        f"1800-1819 → 1820-1839: these runs cannot list the words that moved most (reliability {known}, 0.9 needed). "
        "Train more runs."
    )


def test_equal_runs_are_not_sent_for_more_runs():
    answer = Result("change")
    answer.contrasts = [dict(zip(NAMES, WHERE, strict=True)) | {"reliability": math.nan}]
    answer.tables = {"pairs": PAIRS.table([BASE._replace(some_equal=True)]), "words": WORDS.table([word("labor")])}
    block = next(block for block in page(answer) if block.title == "Which words moved most?")
    assert block.answer.endswith("needed). Equal runs give no reliability.")


def test_the_page_says_by_how_much_a_change_may_exceed_the_floor(blocks):
    facts = {name: value for name, value, _ in blocks["What do these numbers not say?"].facts}
    assert facts["sampling"] == "10 %"
