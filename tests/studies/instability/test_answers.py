"""The answers to the page's questions: which sentence stands where which verdict was found."""

import math

import pytest

from gpustab.results import Table
from gpustab.studies.instability import answers
from gpustab.studies.instability.asked import Asked, withheld

SILENT = {"glove": "its runs are collapsed"}


def asked(*observations, techniques=("sgns", "glove"), silent=(), **tables):
    """Observations as (claim, technique, verdict), and other tables."""
    found = Table.of([dict(zip(("claim", "technique", "agrees"), row, strict=True)) for row in observations])
    return Asked({"observations": found, **tables}, techniques, dict(silent))


def losses(**by_technique):
    return Table.of(
        [
            {"technique": name, "sampling": sampling, "runs": 6, "reduced_pip": value, "se": 1e-5}
            for name, own in by_technique.items()
            for sampling, value in own.items()
        ]
    )


def test_techniques_of_one_verdict_stand_together_and_who_is_undecided_is_said():
    claim = "Two runs suffice to measure"
    rows = [(claim, "a", "yes"), (claim, "b", "yes"), (claim, "c", "no"), (claim, "d", "undecided")]
    assert answers.one_pair(asked(*rows, techniques="abcd")) == [
        "Yes for a and b: the PIP loss of one pair of runs is within 10 % of that of many pairs, 19 times in 20.",
        "No for c: the PIP loss of one pair of runs may well be more than 10 % off that of many pairs.",
        "These runs cannot tell for d.",
    ]
    assert answers.one_pair(asked(rows[0], techniques="a"))[0].startswith("Yes: the PIP loss")
    assert answers.one_pair(asked((claim, "a", "no test"), techniques="a")) == ["These runs cannot tell."]


def test_nothing_is_answered_of_a_technique_without_a_verdict():
    rows = [("Two runs suffice", "sgns", "no"), ("Two runs suffice", "glove", "yes")]
    assert [s[:12] for s in answers.one_pair(asked(*rows, silent=SILENT))] == ["No for sgns:"]
    assert withheld(asked(silent=SILENT)) == ["No verdict on glove: its runs are collapsed."]


def test_documents_are_answered_by_the_rule_of_the_verdict():
    table = losses(sgns={"shuffled": 0.02, "bootstrap": 0.04}, glove={"shuffled": 0.02, "bootstrap": 0.0205})
    first, second = answers.which_documents(asked(table_2_8=table))
    assert first.startswith("Yes for sgns: resamples of these documents change the cosines of all words 2.00 times")
    assert second.startswith("Hardly for glove: resamples of these documents change the cosines of all words hardly")
    assert answers.which_documents(asked(table_2_8=losses(sgns={"shuffled": 0.02}))) == []


def test_the_most_stable_technique_or_why_it_cannot_be_told():
    table = losses(sgns={"shuffled": 0.02}, glove={"shuffled": 0.03})
    assert answers.which_technique(asked(table_2_8=table))[0].startswith("Of shuffled runs, those of sgns differ least")
    assert answers.which_technique(asked(table_2_8=table, silent=SILENT)) == [
        "This cannot be told: sgns alone has runs that a verdict can be given on. It can as soon as two techniques "
        "have three sound runs each of one kind (shuffled or bootstrap), better eight."
    ]
    other = losses(sgns={"shuffled": 0.02}, glove={"bootstrap": 0.03})
    assert answers.which_technique(asked(table_2_8=other))[0].startswith(
        "This cannot be told: no two techniques have sound runs of one kind. It can as soon as"
    )
    none = answers.which_technique(asked(silent=SILENT | {"sgns": "its runs are collapsed"}))
    assert none[0].startswith("This cannot be told: no technique has runs that a verdict can be given on.")
    assert answers.which_technique(asked(techniques=["sgns"])) == [
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
    trend = {"technique": "sgns", "least_frequency": 0}
    table = Table.of([trend | {"quantity": "intrinsic", "change": change}])
    claim = "The intrinsic instability hardly depends on frequency"
    assert answers.frequent_words(asked((claim, "sgns", agrees), techniques=["sgns"], frequency=table)) == [says]


@pytest.mark.parametrize(
    ("of", "change", "agrees", "says"),
    [
        ("word-based techniques falls", -0.5, "yes", "Other documents move frequent words less than rare ones."),
        ("word-based techniques falls", 0.5, "no", "Other documents move frequent words more than rare ones."),
        ("fastText does not depend", 0.5, "no", "Other documents move frequent words more than rare ones."),
        ("fastText does not depend", -0.1, "yes", None),
        ("word-based techniques falls", -0.1, "undecided", None),
    ],
)
def test_frequent_words_and_other_documents(of, change, agrees, says):
    row = {"technique": "x", "least_frequency": 0, "quantity": "extrinsic squared", "change": change}
    claim = f"The extrinsic instability of {of}"
    found = answers.frequent_words(asked((claim, "x", agrees), techniques=["x"], frequency=Table.of([row])))
    assert found == ([says] if says else [])


@pytest.mark.parametrize(
    ("ratio", "sd", "begins"),
    [(0.7, 0.001, "Yes: averages of 2"), (1.3, 0.001, "No: "), (1.0, 0.3, "These runs cannot")],
)
def test_averages(ratio, sd, begins):
    level = {"technique": "a", "renormalised": False, "runs_beneath": 2, "ratio_cosine": ratio, "cosine_sd": sd}
    table = Table.of([level | {"orders": 4}])
    score = "Averaging raises the score, "
    rows = [(f"{score}x", "a", "yes"), (f"{score}y", "a", "undecided"), (f"{score}z", "a", "no")]
    found = answers.averages(asked(*rows, techniques=["a"], figure_3_5=table))
    assert found[0].startswith(begins)
    assert found[1:] == ["It raises the score in x.", "It lowers the score in z."]


def test_claims_beside_the_question_are_told_where_they_are_decided():
    rows = [
        ("p@n is inconsistent over n", "sgns", "yes"),
        ("p@n is unrelated to the distance", "sgns", "no"),
        ("p@n is unrelated to the distance", "glove", "undecided"),
    ]
    assert answers.how_many_neighbours(asked(*rows)) == [
        "Yes for sgns: words rank otherwise by how many of their two nearest neighbours come back than by their fifty "
        "nearest.",
        "For sgns, how many neighbours of a word come back goes with how far its cosines move (its PIP loss).",
    ]


def test_how_many_runs_and_how_far_scores_vary():
    needed = [("reduced PIP loss", 3), ("p@10", 1240), ("one word's PIP loss", None)]
    table = Table.of([{"technique": "sgns", "quantity": q, "for_1_percent": n} for q, n in needed])
    assert answers.runs_needed(asked(how_many=table)) == [
        "A standard error of 1 % for sgns takes about 3 runs for the mean PIP loss and 1,240 runs for p@10."
    ]
    scores = [{"technique": "sgns", "test": t, "runs": 6, "relative_sd": sd} for t, sd in (("x", 2.0), ("y", math.nan))]
    assert answers.scores(asked(table_2_1=Table.of(scores))) == [
        "The score in x varies most for sgns: 6 runs that differ in seeds and draws alone have an SD of 2.0 % of "
        "their mean."
    ]


def test_other_questions():
    rows = [
        ("p@1 is predicted by independent normals", "sgns", "no"),
        ("The word-wise PIP loss is consistent", "sgns", "yes"),
        ("Cosines of a word pair are normal over runs", "sgns", "yes"),
        ("Cosines of disjoint word pairs are independent", "sgns", "no"),
    ]
    one = asked(*rows, techniques=["sgns"])
    assert answers.predictable(one)[0].startswith("No: which nearest neighbours come back is not what")
    assert answers.sampled(one) == [
        "Yes: over 1,000 words drawn at random the PIP loss ranks words nearly as over all."
    ]
    assert answers.cosines(one) == [
        "The cosine of two words scatters over runs as normal numbers do.",
        "Cosines of different pairs of words vary together.",
    ]
    open_ = asked(("Cosines of a word pair are normal over runs", "glove", "undecided"))
    assert answers.cosines(open_) == [
        "These runs cannot tell for glove whether the cosine of two words scatters as normal numbers do."
    ]
