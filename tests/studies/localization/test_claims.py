"""What is said of models, by which rule: every sentence whole, of numbers on both sides."""

import math

import pytest

from gpustab.studies.localization.claims import (
    RANDOM_AS_NEAR,
    SECOND_NEGATION,
    UNRELATED_NEARER,
    Within,
    negation_sentences,
    observations,
    told_apart,
    verdict,
)
from gpustab.studies.localization.claims_of_vectors import ALARMS_OF_RUNS, COPIES, RunPair, RunVectors
from gpustab.studies.localization.page import _controls
from gpustab.studies.localization.tables import NEGATION, SCORES, Negation, Score, of_models
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import beside_paper
from gpustab.studies.shared.wording import signed_span


def score(comparison, **values):
    """A score of one changed word with some of its values; the others are 0."""
    kept = {"model": "net", "comparison": comparison, "k": 1, "subset": "all", "n": 200, "components": 100}
    return Score(**dict.fromkeys(Score._fields, 0) | kept | values)


def tables(half, low, high, components=100):
    row = score(
        "unrelated beyond paraphrase",
        half=half, half_low=low, half_high=high, share=half, low=low, components=components,
    )  # fmt: skip
    return {"scores": SCORES.table([row])}


@pytest.mark.parametrize(
    ("numbers", "says"),
    [((0.7, 0.65, 0.75), True), ((0.97, 0.95, 0.99), False), ((0.8, 0.6, 0.95), False), ((0.7, 0.65, 0.75, 12), False)],
)
def test_unrelated_sentences_that_are_nearer_are_told(numbers, says):
    said = verdict(tables(*numbers))
    half, low, high = (100 * (1 - numbers[k]) for k in (0, 2, 1))
    shows = f"nearer than the paraphrase: net {half:.0f} % ({low:.0f}–{high:.0f})."
    assert any(line.endswith(shows) for line in said) == says


FAR, NEAR, WIDE = (0.7, 0.6, 0.8), (0.5, 0.48, 0.52), (0.5, 0.3, 0.7)


@pytest.mark.parametrize(
    ("synonym", "opposite", "says"),
    [
        (FAR, FAR, "Net places sentences by their meaning"),
        (FAR, NEAR, "Net places sentences by similar words"),
        (NEAR, NEAR, "Net places sentences by form."),
        (FAR, WIDE, "These sentences are too few to say"),
    ],
)
@pytest.mark.parametrize("subset", ["all", "known"])
def test_what_a_model_places_by_is_said_with_both_tests(synonym, opposite, says, subset):
    names = ("random noun beyond noun synonym", "verb antonym beyond verb synonym")
    rows = [
        score(name, half=half, half_low=low, half_high=high, subset=subset, n=1234)
        for name, (half, low, high) in zip(names, (synonym, opposite), strict=True)
    ]
    (said,) = verdict({"scores": SCORES.table(rows)})
    assert said.startswith(says)
    for half, low, high in (synonym, opposite):
        assert (
            f"{100 * half:.0f} % of 1,234 sentences ({100 * low:.0f}–{100 * high:.0f} %; 50 % is chance, 100 % always)"
            in said
        )
    assert said.endswith("Only sentences whose words the model has are counted.") == (subset == "known")


def test_a_model_without_sentences_for_a_test_cannot_be_judged():
    row = score("random noun beyond noun synonym", half=0.7, half_low=0.6, half_high=0.8)
    assert verdict({"scores": SCORES.table([row])}) == [
        "Net cannot be judged: each test needs 30 unconnected pairs. There are 100 for synonyms of nouns and none for "
        "synonyms and antonyms of verbs. Give more pairs."
    ]
    rows = [row, score("verb antonym beyond verb synonym", components=12)]
    (said,) = verdict({"scores": SCORES.table(rows)})
    assert said.endswith("12 for synonyms and antonyms of verbs. Give about 2.5 times as many pairs.")
    rows = [one._replace(subset="known") for one in rows]
    (said,) = verdict({"scores": SCORES.table(rows)})
    assert "30 unconnected pairs of words that the model has. There" in said
    assert said.endswith(" pairs, or a model of more words.")


def test_ties_are_called_ties():
    """A share of 50 % with an interval of 50 to 50 % is no test."""
    rows = [
        score(name, half=0.5, half_low=0.5, half_high=0.5, equal_share=1.0)
        for name in ("random noun beyond noun synonym", "verb antonym beyond verb synonym")
    ]
    (said,) = verdict({"scores": SCORES.table(rows)})
    assert said == (
        "Net places sentences by form. A random noun and a synonym are equally far in all 200 sentences. A verb's "
        "antonym and its synonym are equally far in all 200 sentences."
    )


@pytest.mark.parametrize(("low", "says"), [(0.6, True), (0.4, False)])
def test_a_random_noun_that_is_as_near_as_a_synonym_is_said(low, says):
    rows = [
        score("noun synonym within paraphrase", share=0.9, low=0.8, high=1.0),
        score("random noun within paraphrase", share=0.7, low=low, high=0.8),
    ]
    said = verdict({"scores": SCORES.table(rows)})
    shows = f"net 70 % ({100 * low:.0f}–80), synonyms 90 % (80–100)"
    assert any(line.endswith(f"mostly lies there too: {shows}.") for line in said) == says
    assert len(verdict({"scores": SCORES.table(rows)})) == 1 + says


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [
        (-0.02, -0.011, "Net shows double negation: a second antonym brings"),
        (0.01, 0.02, "Net shows no double negation: a second antonym brings no"),
        (-0.009, -0.002, "Net shows no double negation: a second antonym brings no"),  # hardly any
        (-0.011, 0.02, "These sentences are too few to say"),
    ],
)
def test_double_negation_is_said_with_its_interval(low, high, says):
    row = Negation("net", 1, 60, 40, 0.0, 0.0, 0.1, 0.005, 0.0, low, high, "")
    assert negation_sentences([row]).startswith(says)
    assert negation_sentences([row]).endswith(
        f"(60 sentences, bend +0.0050, interval {signed_span(low, high, 4)}; one moves 0.1000)."
    )


def test_alarms_name_the_run_and_what_is_wrong():
    run = RunVectors("net, run 2", 0.0, 2000, 1200, 1)
    said = [claim.sentence(run) for claim in ALARMS_OF_RUNS]
    assert {one.partition(": ")[0] for one in said} == {"Net, run 2"}
    for one, part in zip(
        said, ("collapsed", "1 of 2,000 sentences is not finite", "1,200 of 2,000 sentences are zero"), strict=True
    ):
        assert part in one
    assert not any(claim.sentence(RunVectors("net", math.nan, 2000, 200, 0)) for claim in ALARMS_OF_RUNS)
    assert COPIES.sentence(RunPair("net", 1, 3, 0.0)).startswith("Net: runs 1 and 3 give the same distances.")


def test_thirty_components_suffice():
    row = Negation("net", 1, 60, 30, 0.0, 0.0, 0.1, 0.0, 0.0, -0.2, -0.1, "")
    within, unrelated = score("", components=30, low=0.6), score("", components=30, half_high=0.5)
    assert told_apart(30, 0.6, 0.7) == "yes"
    assert SECOND_NEGATION.judge(row) == "back"
    assert RANDOM_AS_NEAR.judge(Within(within, within)) == "yes"
    assert UNRELATED_NEARER.judge(unrelated) == "yes"


def test_every_claim_stands_beside_what_the_paper_found():
    rows = [
        score("noun synonym within paraphrase", share=0.99, low=0.98, high=1.0),
        score("random noun within paraphrase", share=0.98, low=0.97, high=0.99),
        score("verb antonym beyond paraphrase", share=0.03, low=0.02, high=0.04),
        score("unrelated beyond paraphrase", half=0.7, half_low=0.6, half_high=0.8),
        score("random noun beyond noun synonym", half=0.5, half_low=0.48, half_high=0.52),
        score("verb antonym beyond verb synonym", half=0.5, half_low=0.48, half_high=0.52),
    ]
    bend = Negation("net", 1, 99, 99, 0, 0, 0.1, -0.1, 0, -0.15, -0.05, "")
    known = {"scores": SCORES.table(rows), "negation": NEGATION.table([bend])}
    said = beside_paper(OBSERVED.table(observations(known)))
    assert [verdict for _, verdict, _ in said] == ["form", "yes", "yes", "back"]
    assert [text.partition("Here: ")[2] for *_, text in said] == [
        "net 99 % (98–100) and 3 % (2–4).",
        "net 99 % (98–100) of synonyms and 98 % (97–99) of random nouns.",
        "net 30 % (20–40) of them are nearer than the paraphrase.",
        "net a bend of −0.1000 (−0.1500 to −0.0500).",
    ]
    assert all(text.split(". ")[1].startswith("White ") for *_, text in said)
    for tables_, silent in ((known, ["net"]), ({"scores": SCORES.table()}, [])):
        rows = list(OBSERVED.rows({OBSERVED.name: (nothing := OBSERVED.table(observations(tables_, silent)))}))
        assert [row.shows for row in rows if row.paper] == ["an alarm forbids reading the numbers"] * 4
        assert beside_paper(nothing) == []  # what cannot be tested stands in the table alone
    few = known | {"negation": NEGATION.table([bend._replace(components=9, n=12)])}
    assert beside_paper(OBSERVED.table(observations(few)))[3][2].endswith(
        "Here: net 12 sentences with three changes, too few."
    )


@pytest.mark.parametrize(
    ("half", "tied", "shown"),
    [
        (0.49, 0.96, "49 (48–50; 96 tied; n 200)"),  # by two of eight, of which Wilson's interval is 7 to 59 %
        (0.5, 1.0, "50 (all tied; n 200)"),
        (0.9, 0.0, "90 (85–93; n 200)"),
    ],
)
def test_the_table_of_controls_says_what_the_verdict_says_of_ties(half, tied, shown):
    """A verdict said 47-52 %, and the table of the same numbers 37-61, as if ties were drawn by a coin."""
    row = score("verb antonym beyond verb synonym", half=half, half_low=half, half_high=half, equal_share=tied)
    block = _controls(of_models({"scores": SCORES.table([row])}))
    assert block.tables[0].rows[0][1] == shown
