"""What is said of each technique: the verdict, and the answers to the page's questions, by their claims."""

import math
from pathlib import Path

import pytest

from gpustab.results import Table
from gpustab.studies.instability import answers, claims, claims_of_averages, claims_of_corpora, claims_of_losses
from gpustab.studies.instability.answers import Findings, verdict
from gpustab.studies.instability.averages import LEVELS, LevelLoss
from gpustab.studies.instability.claims import (
    INCONSISTENT,
    INDEPENDENT_COSINES,
    NORMAL_COSINES,
    PREDICTED,
    SAMPLES_DO,
    UNRELATED_TO_LOSS,
    observation_table,
)
from gpustab.studies.instability.claims_of_losses import (
    EXTRINSIC_FALLS,
    EXTRINSIC_FLAT,
    INTRINSIC_FLAT,
    TWO_RUNS_SUFFICE,
)
from gpustab.studies.instability.frequency import TRENDS, TrendRow
from gpustab.studies.instability.losses import LOSSES, Loss
from gpustab.studies.instability.page import QUESTIONS
from gpustab.studies.instability.scores import EXTREMES, GAINS, Extremes, Gain
from gpustab.studies.instability.subsets import HOW_MANY, ErrorOfRuns
from gpustab.studies.shared.claims import OBSERVED, Claim, ClaimText, Observation
from tests.studies.instability.made import row, tables
from tests.studies.instability.planted import NAMES, planted

SILENT = {"glove": "its runs are collapsed"}


def findings(*observations, techniques=("sgns", "glove"), silent=(), sheets=()):
    """Observations as (claim, technique, verdict), and other tables."""
    observed = [
        Observation("", ClaimText(claim.says, claim.id), name, "", agrees, "") for claim, name, agrees in observations
    ]
    return Findings(tables((OBSERVED, *observed), *sheets), techniques, dict(silent))


def losses(**by_technique):
    return LOSSES, *(
        row(Loss, technique=name, sampling=sampling, runs=6, reduced_pip=value, se=1e-5)
        for name, by_sampling in by_technique.items()
        for sampling, value in by_sampling.items()
    )


def test_techniques_of_one_verdict_stand_together_and_who_is_undecided_is_said():
    claim = TWO_RUNS_SUFFICE
    rows = [(claim, "a", "yes"), (claim, "b", "yes"), (claim, "c", "no"), (claim, "d", "undecided")]
    assert findings(*rows, techniques="abcd").yes_or_no(claim) == [
        "Yes for a and b: the PIP loss of one pair of runs is within 10 % of that of many pairs, 19 times in 20.",
        "No for c: the PIP loss of one pair of runs may well be more than 10 % off that of many pairs.",
        "These runs cannot tell for d.",
    ]
    assert findings(rows[0], techniques="a").yes_or_no(claim)[0].startswith("Yes: the PIP loss")
    assert findings((claim, "a", "no test"), techniques="a").yes_or_no(claim) == ["These runs cannot tell."]


def test_nothing_is_answered_of_a_technique_without_a_verdict():
    rows = [(TWO_RUNS_SUFFICE, "sgns", "no"), (TWO_RUNS_SUFFICE, "glove", "yes")]
    assert [s[:12] for s in findings(*rows, silent=SILENT).yes_or_no(TWO_RUNS_SUFFICE)] == ["No for sgns:"]
    assert findings(silent=SILENT).withheld() == ["No verdict on glove: its runs are collapsed."]


def test_documents_are_answered_by_the_rule_of_the_verdict():
    table = losses(sgns={"shuffled": 0.02, "bootstrap": 0.04}, glove={"shuffled": 0.02, "bootstrap": 0.0205})
    first, second = answers.which_documents(findings(sheets=[table]))
    assert first.startswith("Yes for sgns: resamples of these documents change the cosines of all words 2.00 times")
    assert second.startswith("Hardly for glove: resamples of these documents change the cosines of all words hardly")
    assert answers.which_documents(findings(sheets=[losses(sgns={"shuffled": 0.02})])) == []


def test_the_most_stable_technique_or_why_it_cannot_be_told():
    table = losses(sgns={"shuffled": 0.02}, glove={"shuffled": 0.03})
    assert answers.which_technique(findings(sheets=[table]))[0].startswith(
        "Of shuffled runs, those of sgns differ least"
    )
    assert answers.which_technique(findings(sheets=[table], silent=SILENT)) == [
        "This cannot be told: sgns alone has runs that a verdict can be given on. It can as soon as two techniques "
        "have three sound runs each of one kind (shuffled or bootstrap), better eight."
    ]
    other = losses(sgns={"shuffled": 0.02}, glove={"bootstrap": 0.03})
    assert answers.which_technique(findings(sheets=[other]))[0].startswith(
        "This cannot be told: no two techniques have sound runs of one kind. It can as soon as"
    )
    none = answers.which_technique(findings(silent=SILENT | {"sgns": "its runs are collapsed"}))
    assert none[0].startswith("This cannot be told: no technique has runs that a verdict can be given on.")
    assert answers.which_technique(findings(techniques=["sgns"])) == [
        "There is only sgns here: it takes runs of two techniques, trained on the same text."
    ]


@pytest.mark.parametrize(
    ("change", "agrees", "says"),
    [
        (0.1, "yes", "Hardly: another training moves rare and frequent words about alike (within 20%)."),
        (-0.5, "no", "Yes: another training moves frequent words less than rare ones."),
        (0.5, "no", "No: another training moves frequent words more than rare ones."),
        (0.2, "undecided", "These runs cannot tell whether another training moves frequent words less."),
    ],
)
def test_frequent_words(change, agrees, says):
    trend = row(TrendRow, technique="sgns", least_frequency=0, quantity="intrinsic", change=change)
    judged = (INTRINSIC_FLAT, "sgns", agrees)
    assert answers.frequent_words(findings(judged, techniques=["sgns"], sheets=[(TRENDS, trend)])) == [says]


@pytest.mark.parametrize(
    ("claim", "change", "agrees", "says"),
    [
        (EXTRINSIC_FALLS, -0.5, "yes", "Other documents move frequent words less than rare ones."),
        (EXTRINSIC_FALLS, 0.5, "no", "Other documents move frequent words more than rare ones."),
        (EXTRINSIC_FLAT, 0.5, "no", "Other documents move frequent words more than rare ones."),
        (EXTRINSIC_FLAT, -0.1, "yes", None),
        (EXTRINSIC_FALLS, -0.1, "undecided", None),
    ],
)
def test_frequent_words_and_other_documents(claim, change, agrees, says):
    trend = row(TrendRow, least_frequency=0, quantity="extrinsic squared", change=change)
    found = answers.frequent_words(findings((claim, "x", agrees), techniques=["x"], sheets=[(TRENDS, trend)]))
    assert found == ([says] if says else [])


@pytest.mark.parametrize(
    ("ratio", "sd", "begins"),
    [(0.7, 0.001, "Yes: averages of 2"), (1.3, 0.001, "No: "), (1.0, 0.3, "These runs cannot")],
)
def test_averages(ratio, sd, begins):
    level = row(
        LevelLoss, technique="a", renormalised=False, runs_beneath=2, ratio_cosine=ratio, cosine_sd=sd, orders=4
    )
    gains = [Gain("a", test, 2, 4, gain, 0.001) for test, gain in (("x", 0.04), ("y", 0.0), ("z", -0.04))]
    found = answers.averages(findings(techniques=["a"], sheets=[(LEVELS, level), (GAINS, *gains)]))
    assert found[0].startswith(begins)
    assert found[1:] == ["It raises the score in x.", "It lowers the score in z."]


def test_claims_beside_the_question_are_told_where_they_are_decided():
    rows = [(INCONSISTENT, "sgns", "yes"), (UNRELATED_TO_LOSS, "sgns", "no"), (UNRELATED_TO_LOSS, "glove", "undecided")]
    assert answers.how_many_neighbours(findings(*rows)) == [
        "Yes for sgns: words rank otherwise by how many of their two nearest neighbours come back than by their fifty "
        "nearest.",
        "For sgns, how many neighbours of a word come back goes with how far its cosines move (its PIP loss).",
    ]


def test_how_many_runs_and_how_far_scores_vary():
    needed = [("reduced PIP loss", 3), ("p@10", 1240), ("one word's PIP loss", None)]
    errors = [row(ErrorOfRuns, technique="sgns", quantity=q, for_1_percent=n) for q, n in needed]
    assert answers.runs_needed(findings(sheets=[(HOW_MANY, *errors)])) == [
        "A standard error of 1 % for sgns takes about 3 runs for the mean PIP loss and 1,240 runs for p@10."
    ]
    extremes = [
        row(Extremes, technique="sgns", test=t, runs=6, relative_sd=sd) for t, sd in (("x", 2.0), ("y", math.nan))
    ]
    assert answers.scores(findings(sheets=[(EXTREMES, *extremes)])) == [
        "The score in x varies most for sgns: 6 runs that differ in seeds and draws alone have an SD of 2.0 % of "
        "their mean."
    ]


def test_other_questions():
    rows = [
        (PREDICTED, "sgns", "no"),
        (SAMPLES_DO, "sgns", "yes"),
        (NORMAL_COSINES, "sgns", "yes"),
        (INDEPENDENT_COSINES, "sgns", "no"),
    ]
    one = findings(*rows, techniques=["sgns"])
    assert one.yes_or_no(PREDICTED)[0].startswith("No: which nearest neighbours come back is not what")
    assert one.yes_or_no(SAMPLES_DO) == [
        "Yes: over 1,000 words drawn at random the PIP loss ranks words nearly as over all."
    ]
    assert answers.cosines(one) == [
        "The cosine of two words scatters over runs as normal numbers do.",
        "Cosines of different pairs of words vary together.",
    ]
    open_ = findings((NORMAL_COSINES, "glove", "undecided"))
    assert answers.cosines(open_) == [
        "These runs cannot tell for glove whether the cosine of two words scatters as normal numbers do."
    ]


SPREAD = {"a": {"shuffled": (0.0200, 0.0001), "bootstrap": (0.0300, 0.0002)}, "b": {"shuffled": (0.0250, 0.0001)}}


def measured(by_technique=SPREAD, change=(0.02, -0.01, 0.05), ratio=0.72, sd=0.004):
    """Tables of techniques with these losses; all with one trend over frequency and one ratio of averages."""
    numbers = dict(zip(("change", "low", "high"), change, strict=True))
    numbers |= {"batch_deviation": 0.05, "batch_p": 1e-4, "batch_correlation": math.copysign(0.9, change[0])}
    trend = row(TrendRow, quantity="intrinsic", least_frequency=0, **numbers)
    level = row(LevelLoss, renormalised=False, runs_beneath=2, ratio_cosine=ratio, cosine_sd=sd, orders=4)
    agrees = [("a", "yes"), ("a", "no"), ("b", "yes"), ("", "undecided"), ("b", "no test")]
    of_losses = [
        row(Loss, technique=name, sampling=sampling, runs=6, reduced_pip=value, se=se)
        for name, by_sampling in by_technique.items()
        for sampling, (value, se) in by_sampling.items()
    ]
    return tables(
        (LOSSES, *of_losses),
        (TRENDS, *(trend._replace(technique=name) for name in by_technique)),
        (LEVELS, *(level._replace(technique=name) for name in by_technique)),
        (OBSERVED, *(row(Observation, technique=name, agrees=what) for name, what in agrees)),
    )


def verdict_of(techniques=("a", "b"), silent=(), **changes):
    return verdict(Findings(measured(**changes), techniques, dict(silent)))


def test_one_technique_is_not_named():
    said = verdict_of(["a"], by_technique={"a": SPREAD["a"]})
    assert said[0].startswith("Resamples of these documents change the cosines of all words 1.50 times")
    assert said[1].endswith("changes differs by +2% (-1% to +5%), which is small (within 20%).")
    assert said[2].startswith("Averaging helps: averages of 2 runs differ 0.72 times as much as runs (0.71–0.73; ")
    assert said[3] == "Statements of Rettenmeier (2020) that these runs bear out: 1; contradict: 1; leave open: 1."


def test_the_most_stable_technique_leads():
    said = verdict_of()
    assert said[0].startswith("Of shuffled runs, those of a differ least (reduced PIP loss: a 0.02 ± 0.00026, b 0.025")
    assert [line for line in said if line.startswith("b: ")]
    assert "bear out: 2;" in said[-1]


def test_equal_techniques_have_no_order():
    alike = {"a": {"shuffled": (0.02, 0.001)}, "b": {"shuffled": (0.021, 0.001)}}
    assert verdict_of(by_technique=alike)[0].startswith("Which of a and b is the more stable cannot be told")


def test_nothing_is_said_of_a_technique_with_an_alarm():
    said = verdict_of(silent={"b": "its runs are collapsed"})
    assert not any(line.startswith("b") for line in said)
    assert "No verdict is given on b: its runs are collapsed." in said
    assert "bear out: 1;" in said[-1]
    only = verdict_of(["a", "b"], {"a": "some of its runs are equal"}, by_technique={"a": SPREAD["a"]})
    assert only[0] == "No verdict is given on a: some of its runs are equal."


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((0.5, 0.4, 0.6), "changes grows: by +50% (+40% to +60%)."),
        ((-0.5, -0.6, -0.4), "changes falls: by -50% (-60% to -40%)."),
        ((0.1, -0.3, 0.5), "cannot be told: they differ by +10% (-30% to +50%)."),
    ],
)
def test_frequency(change, says):
    assert any(line.endswith(says) for line in verdict_of(change=change))


@pytest.mark.parametrize(
    ("ratio", "sd", "says"),
    [(1.3, 0.01, "Averaging harms"), (0.9, 0.2, "Whether averaging helps cannot be told"), (math.nan, 0.0, None)],
)
def test_averaging_in_the_verdict(ratio, sd, says):
    said = [line for line in verdict_of(["a"], by_technique={"a": SPREAD["a"]}, ratio=ratio, sd=sd) if "verag" in line]
    assert bool(said) == bool(says)
    assert not says or said[0].startswith(says)


def test_chapters_that_are_missing_say_nothing():
    assert verdict(Findings({"observations": Table()}, ["a", "b"], {})) == []


def answered(known):
    findings_of_it = Findings(known | {OBSERVED.name: observation_table(known)}, NAMES, {})
    return [question.answer(findings_of_it) for question in QUESTIONS], verdict(findings_of_it)


CLAIMS = [
    claim
    for module in (claims, claims_of_losses, claims_of_averages, claims_of_corpora)
    for claim in vars(module).values()
    if isinstance(claim, Claim)
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_reworded_claim_leaves_every_answer_in_place(claim):
    known = planted()
    before, says = answered(known), claim.says
    assert all(before[0])
    object.__setattr__(claim, "says", "The same in other words")
    try:
        assert answered(known) == before
    finally:
        object.__setattr__(claim, "says", says)


def test_every_claim_with_a_source_is_found_on_planted_tables():
    """So that rewording them above is a test."""
    found = {observation.claim.id for observation in observation_table(planted()).rows()}
    assert found == {claim.id for claim in CLAIMS if claim.source}


def test_every_claim_with_a_source_tells_what_the_thesis_found():
    assert [claim.id for claim in CLAIMS if bool(claim.source) != claim.paper.startswith("Rettenmeier found ")] == []


def test_every_claim_with_a_source_belongs_to_one_question():
    asked_for = [claim.id for question in QUESTIONS for claim in question.claims]
    assert sorted(asked_for) == sorted(claim.id for claim in CLAIMS if claim.source)


def test_what_is_said_of_planted_tables_is_what_is_written_down():
    """Every claim, what the runs show, its rule, every answer and the verdict: to the last digit."""
    known = planted()
    observations = [" | ".join(row[1:6]) for row in observation_table(known).rows() if row.technique in ("", "sgns")]
    answers_of_it, first = answered(known)
    lines = [*observations, *(sentence for answer in answers_of_it for sentence in answer), *first]
    assert lines == (Path(__file__).parent / "said.txt").read_text(encoding="utf-8").splitlines()
