"""What is said of each technique: the verdict, and the answers to the page's questions, by their claims."""

import math
from pathlib import Path

import pytest

from gpustab.results import Content, Table
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
from gpustab.studies.instability.neighbours import SHARED, Shared
from gpustab.studies.instability.page import QUESTIONS
from gpustab.studies.instability.paper import may_claim
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
        f"Yes for a and b: {claim.sentences['yes']}.",
        f"No for c: {claim.sentences['no']}.",
        "These runs are too few to say for d.",
    ]
    assert findings(rows[0], techniques="a").yes_or_no(claim)[0].startswith("Yes: the PIP loss")
    assert findings((claim, "a", "no test"), techniques="a").yes_or_no(claim) == ["These runs are too few to say."]


def test_a_sample_of_most_words_is_no_want_of_runs():
    rows = [(SAMPLES_DO, "a", "no test"), (SAMPLES_DO, "b", "undecided")]
    assert findings(*rows, techniques="ab").yes_or_no(SAMPLES_DO) == [
        "These runs are too few to say for b.",
        "For a, a sample of 1,000 words holds most of the words of this text, so that it tests nothing.",
    ]


def test_nothing_is_answered_of_a_technique_without_a_verdict():
    rows = [(TWO_RUNS_SUFFICE, "sgns", "no"), (TWO_RUNS_SUFFICE, "glove", "yes")]
    assert [s[:17] for s in findings(*rows, silent=SILENT).yes_or_no(TWO_RUNS_SUFFICE)] == ["No for skip-gram:"]
    assert findings(silent=SILENT).withheld() == ["GloVe gets no verdict: its runs are collapsed."]


def test_documents_are_answered_by_the_rule_of_the_verdict():
    table = losses(sgns={"shuffled": 0.02, "bootstrap": 0.04}, glove={"shuffled": 0.02, "bootstrap": 0.0205})
    first, second = answers.which_documents(findings(sheets=[table]))
    assert first.startswith(
        "Yes for skip-gram: over all pairs of words, resampling the documents changes the cosines 2.00 times"
    )
    assert second.startswith(
        "Hardly for GloVe: over all pairs of words, resampling the documents changes the cosines 1.02 times"
    )
    assert answers.which_documents(findings(sheets=[losses(sgns={"shuffled": 0.02})])) == []
    few = row(Loss, technique="sgns", runs=2, reduced_pip=0.02, se=math.nan)
    both = LOSSES, *(few._replace(sampling=sampling) for sampling in ("shuffled", "bootstrap"))
    assert answers.which_documents(findings(sheets=[both]))[0].startswith("Skip-gram: Two runs are too few")


def test_the_most_stable_technique_or_why_it_cannot_be_told():
    table = losses(sgns={"shuffled": 0.02}, glove={"shuffled": 0.03})
    assert answers.which_technique(findings(sheets=[table]))[0].startswith(
        "Skip-gram is more stable than GloVe when documents are reordered"
    )
    assert answers.which_technique(findings(sheets=[table], silent=SILENT)) == [
        "Only skip-gram has runs that allow a verdict. Train two techniques with at least three runs each of one kind "
        "(shuffled or bootstrap), better eight."
    ]
    for other, wanted in (
        (0.36, "disagree"),
        (0.21, "Skip-gram is more stable"),
        (math.nan, "Skip-gram is more stable"),
    ):
        shared = [("sgns", 0.23), ("glove", other)]
        kept = [row(Shared, technique=name, sampling="shuffled", n=10, p=p, p_se=0.01) for name, p in shared]
        found = findings(sheets=[table, (SHARED, *kept)])
        assert wanted in answers.which_technique(found)[0]
        claimed = may_claim(Content("instability", tables=found.tables, groups=[{"name": "sgns"}, {"name": "glove"}]))
        assert ("and GloVe by nearest neighbours" in claimed) is (wanted == "disagree")
    other = losses(sgns={"shuffled": 0.02}, glove={"bootstrap": 0.03})
    assert answers.which_technique(findings(sheets=[other]))[0].startswith(
        "No two techniques have sound runs of one kind. Train two techniques"
    )
    none = answers.which_technique(findings(silent=SILENT | {"sgns": "its runs are collapsed"}))
    assert none[0].startswith("No technique has runs that allow a verdict.")
    assert answers.which_technique(findings(techniques=["sgns"])) == [
        "Skip-gram is the only technique here. Train two techniques on the same text to compare them."
    ]


@pytest.mark.parametrize(
    ("change", "agrees", "says"),
    [
        (0.1, "yes", "Hardly: training again moves rare and frequent words about equally (within 20 %)."),
        (-0.5, "no", "Yes: training again moves frequent words less than rare ones."),
        (0.5, "no", "No: training again moves frequent words more than rare ones."),
        (0.2, "undecided", "These runs are too few to say whether training again moves frequent words less."),
    ],
)
def test_frequent_words(change, agrees, says):
    trend = row(TrendRow, technique="sgns", least_frequency=0, quantity="intrinsic", change=change)
    judged = (INTRINSIC_FLAT, "sgns", agrees)
    assert answers.frequent_words(findings(judged, techniques=["sgns"], sheets=[(TRENDS, trend)])) == [says]


@pytest.mark.parametrize(
    ("claim", "change", "agrees", "says"),
    [
        (EXTRINSIC_FALLS, -0.5, "yes", "Resampling the documents moves frequent words less than rare ones."),
        (EXTRINSIC_FALLS, 0.5, "no", "Resampling the documents moves frequent words more than rare ones."),
        (EXTRINSIC_FLAT, 0.5, "no", "Resampling the documents moves frequent words more than rare ones."),
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
    [(0.7, 0.001, "Yes: averages of two"), (1.3, 0.001, "No: "), (1.0, 0.3, "These runs are too few")],
)
def test_averages(ratio, sd, begins):
    level = row(
        LevelLoss, technique="a", renormalised=False, runs_beneath=2, ratio_cosine=ratio, cosine_sd=sd, orders=4
    )
    gains = [Gain("a", test, 2, 4, gain, 0.001) for test, gain in (("x", 0.04), ("y", 0.0), ("z", -0.04))]
    found = answers.averages(findings(techniques=["a"], sheets=[(LEVELS, level), (GAINS, *gains)]))
    assert found[0].startswith(begins)
    assert found[1:] == ["Averaging raises the score in x.", "Averaging lowers the score in z."]


def test_claims_beside_the_question_are_told_where_they_are_decided():
    rows = [(INCONSISTENT, "sgns", "yes"), (UNRELATED_TO_LOSS, "sgns", "no"), (UNRELATED_TO_LOSS, "glove", "undecided")]
    assert answers.how_many_neighbours(findings(*rows)) == [
        f"Yes for skip-gram: {INCONSISTENT.sentences['yes']}.",
        f"For skip-gram, {UNRELATED_TO_LOSS.sentences['no']}.",
    ]


def test_how_many_runs_and_how_far_scores_vary():
    needed = [("reduced PIP loss", 3), ("p@10", 1240), ("one word's PIP loss", None)]
    errors = [row(ErrorOfRuns, technique="sgns", quantity=q, for_1_percent=n) for q, n in needed]
    assert answers.runs_needed(findings(sheets=[(HOW_MANY, *errors)])) == [
        "A standard error of 1 % for skip-gram needs about 3 runs for the mean PIP loss and 1,240 runs for p@10."
    ]
    extremes = [
        row(Extremes, technique="sgns", test=t, runs=6, relative_sd=sd) for t, sd in (("x", 2.0), ("y", math.nan))
    ]
    assert answers.scores(findings(sheets=[(EXTREMES, *extremes)])) == [
        "The score in x varies most for skip-gram: six runs that differ only in seeds and draws have an SD of 2.0 % of "
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
    assert one.yes_or_no(PREDICTED)[0] == f"No: {PREDICTED.sentences['no']}."
    assert one.yes_or_no(SAMPLES_DO) == [f"Yes: {SAMPLES_DO.sentences['yes']}."]
    assert answers.cosines(one) == [
        "The cosines of a word pair follow a normal distribution over runs.",
        "The cosines of different word pairs vary together over runs.",
    ]
    open_ = findings((NORMAL_COSINES, "glove", "undecided"))
    assert answers.cosines(open_) == [
        "These runs are too few to say whether cosines follow a normal distribution for GloVe."
    ]


SPREAD = {"a": {"shuffled": (0.0200, 0.0001), "bootstrap": (0.0300, 0.0002)}, "b": {"shuffled": (0.0250, 0.0001)}}


AGREES = [("a", "yes"), ("a", "no"), ("b", "yes"), ("", "undecided"), ("b", "no test")]


def measured(by_technique=SPREAD, change=(0.02, -0.01, 0.05), ratio=0.72, sd=0.004, agrees=AGREES):
    """Tables of techniques with these losses; all with one trend over frequency and one ratio of averages."""
    numbers = dict(zip(("change", "low", "high"), change, strict=True))
    numbers |= {"batch_deviation": 0.05, "batch_p": 1e-4, "batch_correlation": math.copysign(0.9, change[0])}
    trend = row(TrendRow, quantity="intrinsic", least_frequency=0, **numbers)
    level = row(LevelLoss, renormalised=False, runs_beneath=2, ratio_cosine=ratio, cosine_sd=sd, orders=4)
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
    assert said[0].startswith(
        "Documents matter. Over all pairs of words, resampling the documents changes the cosines 1.50 times"
    )
    assert said[1].endswith("about equally stable (2 % apart, interval from 1 % less to 5 % more).")
    assert said[2].startswith(
        "Averaging helps. Averages of two shuffled runs differ 0.72 times as much as single runs (0.71–0.73; "
    )
    assert said[3] == "These runs support 1 statement of Rettenmeier (2020), contradict 1 and leave 1 open."


def test_the_tally_counts_all_claims_that_are_listed():
    agrees = [("a", verdict) for verdict in ("yes", "no", "undecided", "no test", "no test")]
    said = verdict_of(["a"], by_technique={"a": SPREAD["a"]}, agrees=agrees)
    assert said[-1] == (
        "These runs support 1 statement of Rettenmeier (2020), contradict 1, leave 1 open and cannot test 2."
    )


def test_the_most_stable_technique_leads():
    said = verdict_of()
    assert said[0].startswith(
        "a is more stable than b when documents are reordered (reduced PIP loss 0.02000 ± 0.00026"
    )
    assert [line for line in said if line.startswith("b: ")]
    assert "support 2 statements" in said[-1]


def test_the_lead_says_how_unstable_the_runs_are_by_chance():
    shares = {"a": {"shuffled": 0.02, "bootstrap": 0.04}, "b": {"shuffled": 0.05}}
    sheet, *rows = losses(**shares)
    known = [each._replace(chance=0.2) for each in rows]
    assert answers.how_unstable(findings(techniques=["a", "b"], sheets=[(sheet, *known)])) == (
        "Training again changes the cosines by 10 % of chance with a and 25 % of chance with b. Resampling the "
        "documents changes the cosines by 20 % of chance with a."
    )
    assert answers.how_unstable(findings(techniques=["a"], sheets=[(sheet, known[0])])).startswith(
        "Training again changes the cosines by 10 % of chance."
    )
    assert answers.how_unstable(findings(sheets=[(sheet, *rows)])) == ""  # no chance level is known


def test_runs_at_chance_level_are_an_alarm_and_get_no_verdict():
    sound, lost = (row(Loss, sampling="shuffled", runs=6, reduced_pip=x, se=1e-4, chance=0.15) for x in (0.02, 0.151))
    assert answers.alarm_of("ppmi_svd", {}, {}, [sound]) == ("", "")
    reason, alarm = answers.alarm_of("ppmi_svd", {}, {}, [sound, lost])
    assert reason == "its runs are hardly more alike than unrelated spaces"
    assert alarm.startswith(f"PPMI-SVD gets no verdict: {reason}. Two shuffled runs are hardly more alike")


def test_equal_techniques_have_no_order():
    alike = {"a": {"shuffled": (0.02, 0.001)}, "b": {"shuffled": (0.021, 0.001)}}
    assert verdict_of(by_technique=alike)[0].startswith("These runs are too few to say whether a or b is more")


def test_nothing_is_said_of_a_technique_with_an_alarm():
    said = verdict_of(silent={"b": "its runs are collapsed"})
    assert [line for line in said if line.startswith("b")] == ["b gets no verdict: its runs are collapsed."]
    assert "support 1 statement of" in said[-1]
    only = verdict_of(["a", "b"], {"a": "some of its runs are equal"}, by_technique={"a": SPREAD["a"]})
    assert only[0] == "a gets no verdict: some of its runs are equal."


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((0.5, 0.4, 0.6), "training noise rises by 50 % (40–60 %) from rare words to frequent ones."),
        ((-0.5, -0.6, -0.4), "training noise falls by 50 % (40–60 %) from rare words to frequent ones."),
        ((0.1, -0.3, 0.5), "rare ones (10 % more, interval from 30 % less to 50 % more)."),
    ],
)
def test_frequency(change, says):
    assert any(line.endswith(says) for line in verdict_of(change=change))


@pytest.mark.parametrize(
    ("ratio", "sd", "says"),
    [
        (1.3, 0.01, "Averaging harms"),
        (0.9, 0.2, "These runs are too few to say whether averaging helps"),
        (math.nan, 0.0, None),
    ],
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
