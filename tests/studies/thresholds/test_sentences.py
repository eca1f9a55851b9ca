"""Every sentence by its rule, on numbers that call for it."""

import math

import pytest

from gpustab.results import Table
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import beside_paper
from gpustab.studies.shared.unfit import Unfit
from gpustab.studies.thresholds.claims import cosine, higher, stable
from gpustab.studies.thresholds.numbers import row_of
from gpustab.studies.thresholds.page import of_paper, of_scores, of_shapes
from gpustab.studies.thresholds.study import observations, verdict
from gpustab.studies.thresholds.tables import Comparison, OverRuns, ScoreOverRuns, Size


def row(group="sg", rule="chance", mean=0.26, sd=0.005, low=0.23, high=0.29, found=8, runs=8):
    error = None if sd is None else sd / math.sqrt(found)
    half = None if sd is None else 2 * error
    return OverRuns(group, "value", rule, mean, sd, error, half, mean, mean, low, high, 0.39, found, runs)


def test_of_many_groups_the_extremes_are_told():
    rows = [row(f"g{k}", mean=0.1 + 0.03 * k, sd=0.005) for k in range(6)]
    rows += [row(own.group, "clear", mean=0.05) for own in rows]
    (sentence,) = [s for s in said(*rows) if "fits all six" in s]
    assert sentence.endswith("the highest and the lowest are 0.25 for the runs of g5, 0.10 for the runs of g0.")
    wide = [own._replace(error=0.03) for own in rows]
    assert any("too few to say whether one threshold fits all six groups" in s for s in said(*wide))
    assert not any("fits both" in s for s in said(*rows))
    moved = "Retraining moves the threshold in 0 of 6 groups and does not move it in 6. In 0 the runs are too few"
    assert any(moved in s for s in said(*rows))


def test_a_group_with_a_run_that_lies_far_is_compared_with_no_other():
    rows = [row(f"g{k}", mean=0.1 + 0.1 * k, sd=0.005) for k in range(2)]
    rows += [row(own.group, rule, mean=0.05) for rule in ("clear", "paper") for own in rows]
    made, far = {"thresholds": Table.of(rows)}, {"g1": Unfit(["run-003 of the runs of g1"])}
    (sentence,) = [s for s in verdict(made, unfit_groups=far) if "is not tested" in s]
    assert sentence.startswith("One threshold for both groups is not tested")
    assert not any("No threshold fits" in s for s in verdict(made, unfit_groups=far))
    (observed,) = [x for x in observations(made, unfit_groups=far) if x.claim == "No threshold fits all models."]
    assert observed.agrees == "no test"
    assert any("No threshold fits both" in s for s in verdict(made, unfit_groups={"other": Unfit(["run-003"])}))


def test_a_difference_picked_from_many_wants_more():
    a, b = Estimate(0.25, 0.02, 7), Estimate(0.18, 0.02, 7)
    assert higher(a, b) == "yes"
    assert higher(a, b, 15) == "undecided"
    assert higher(Estimate(0.6, 0.02, 7), b, 15) == "yes"
    assert higher(a, Estimate(0.1, math.nan, 0), 15) == "undecided"


def test_of_many_shapes_the_numbers_are_told():
    kinds = ["same"] * 3 + ["different"] * 4 + ["undecided"]
    rows = [shape("a", f"b{k}", kind, distance=0.01 * (k + 1), highest=0.1) for k, kind in enumerate(kinds)]
    (sentence,) = of_shapes({"shapes": Table.of(rows)})
    assert "3 of 8 pairs have one shape" in sentence
    assert "4 have different ones, of 1 it is not clear. Furthest apart are a and b7: 0.080." in sentence


def shape(first, second, kind, distance=0.02, highest=0.03):
    return Comparison(first, second, distance, 0.01, highest, 1, 0.05, 5, kind)


def said(*rows):
    return verdict({"thresholds": Table.of(rows)})


def test_where_the_threshold_lies():
    (lead, moved) = said(row(), row(rule="clear", mean=0.1, low=0.06, high=0.14))
    assert lead == (
        "sg: two words with a cosine above 0.26 (0.23–0.29) are more closely related than the average pair. 39 % of "
        "all pairs lie below. Below 0.10 (0.06–0.14) they are no more related than the least similar 1 % of pairs."
    )
    assert moved.startswith("sg: retraining does not move the threshold")


@pytest.mark.parametrize(
    ("high", "words"),
    [
        (0.74, "sg: two words with a cosine above 0.74 are surely"),
        (None, "sg: these words prove no threshold. With so few words"),
    ],
)
def test_what_is_not_proven_is_not_said(high, words):
    lead, *others = said(row(high=high), row(rule="clear"), row("cb"), row("cb", "clear"))
    assert lead.startswith(words)
    assert "0.26" not in lead
    assert not any("fits both" in sentence for sentence in others)  # nor compared


def test_a_second_threshold_that_is_not_proven_has_no_number():
    (lead, _) = said(row(), row(rule="clear", mean=0.1, low=None, high=None))
    assert lead.endswith("These words do not prove that two words differ from the least similar 1 % of pairs.")
    assert "0.10" not in lead


def test_a_space_whose_lowest_pairs_are_near_average_is_clear_only_above():
    lead = said(row(mean=0.33), row(rule="clear", mean=0.36, low=0.33, high=0.39))[0]
    assert lead.endswith("Only above 0.36 (0.33–0.39) do they clearly differ from the least similar 1 % of pairs.")


def test_a_level_that_is_nowhere_reached_is_no_threshold():
    (lead,) = said(row(), row(rule="clear", found=7))
    assert lead.startswith("sg: no threshold holds in every run. In 1 of 8 runs no cosine separates pairs")
    assert len(said(row(), row(rule="clear", found=7), row("cb"), row("cb", "clear"))) == 3  # not compared


def test_two_runs_with_a_threshold_give_no_interval():
    assert row_of("sg", "value", "clear", [0.1, 0.5, None], []).half is None
    assert row_of("sg", "value", "clear", [0.1, 0.12, 0.13], []).half < 0.1


@pytest.mark.parametrize(
    ("sd", "found", "words"),
    [
        (0.005, 8, "does not move the threshold (SD"),
        (0.08, 8, "moves the threshold (SD"),
        (0.015, 3, "three runs are too few to say whether retraining"),
    ],
)
def test_whether_training_moves_it(sd, found, words):
    assert words in said(row(sd=sd, found=found, runs=found), row(rule="clear", found=found, runs=found))[1]
    assert len(said(row(sd=None, found=1, runs=1), row(rule="clear", found=1, runs=1))) == 1


def test_which_group_needs_the_higher_cosine():
    pair = [row(rule="clear"), row("cb", "clear")]
    far = said(row("cb", mean=0.07, low=0.04, high=0.1), row(), *pair)
    assert "No threshold fits both groups: 0.26 for the runs of sg, 0.07 for the runs of cb." in far
    near = said(row("cb", mean=0.255), row(), *pair)
    assert any("too few to say whether one threshold fits both groups (0.26" in sentence for sentence in near)


@pytest.mark.parametrize(
    ("sd", "runs", "right"), [(0.0, 8, "yes"), (0.0, 2, "undecided"), (0.05, 4, "no"), (math.nan, 1, "undecided")]
)
def test_stability_is_an_interval_of_the_sd(sd, runs, right):
    assert stable(sd, runs) == right


def test_a_difference_without_error_is_undecided():
    assert higher(Estimate(0.3, math.nan, 0), Estimate(0.1, 0.01, 3)) == "undecided"


def size(pairs, value, sd=None, runs=1):
    return Size("sg", pairs, None, value, sd, value, value, runs, runs)


@pytest.mark.parametrize(
    ("values", "said"), [((0.9, 0.6, 0.0), True), ((0.9, 0.02, 0.0), False), ((0.9, None, 0.0), False)]
)
def test_the_papers_threshold_hangs_on_the_group_size(values, said):
    """Sizes below 30 do not count: there everything is luck."""
    rows = [size(n, value) for n, value in zip((2, 30, 1000), values, strict=True)]
    assert bool(list(of_paper({"paper_sizes": Table.of(rows)}))) is said


def test_without_groups_of_the_least_size_the_papers_rule_finds_nothing():
    rows = [row(rule="paper", mean=None, sd=None, found=0), row("cb", "paper", found=3)]
    (sentence,) = of_paper({"thresholds": Table.of(rows)})
    assert sentence.startswith("sg: with so many pairs in the lowest group, the paper's rule finds no threshold")


@pytest.mark.parametrize(("sd", "runs", "said"), [(0.02, 8, True), (0.3, 8, False), (0.02, 2, False)])
def test_over_runs_the_sizes_must_differ_by_more_than_runs(sd, runs, said):
    rows = [size(30, 0.2, sd, runs), size(100, 0.1, sd, runs), size(1000, 0.0, sd, runs)]
    assert bool(list(of_paper({"paper_sizes": Table.of(rows)}))) is said


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("same", "have one shape (Kolmogorov-Smirnov distance 0.010–0.030"),
        ("different", "different shapes (Kolmogorov-Smirnov distance 0.010"),
        ("undecided", "may differ or not (Kolmogorov-Smirnov distance 0.010–0.030"),
    ],
)
def test_shapes(kind, words):
    (sentence,) = of_shapes({"shapes": Table.of([shape("sg", "sg", kind), shape("sg", "cb", kind)])})
    assert words in sentence


def test_leaving_out_is_said_to_narrow_the_range_only_beyond_chance():
    none = dict.fromkeys(ScoreOverRuns._fields)
    base = none | {"group": "sg", "rule": "chance", "below": 20.0, "draw_sd": 0.01, "change_sd": 0.01, "dropped": 0.5}
    low, same = (ScoreOverRuns(**base | {"test": test, "above": rho}) for test, rho in (("men", 0.3), ("rg", 0.49)))
    (sentence,) = of_scores({"scores": Table.of([low, same])})
    assert "in 1 of 2 tests (men: 0.30 against 0.50)" in sentence
    assert not list(of_scores({"scores": Table.of([same])}))


def test_a_cosine_has_a_minus_sign_and_no_negative_zero():
    assert (cosine(-0.19), cosine(-0.001), cosine(1.0)) == ("−0.19", "0.00", "1.00")


def beside(*rows, **tables):
    own = {"thresholds": Table.of(rows)} if rows else {}
    return [text for _, _, text in beside_paper(OBSERVED.table(observations(own | tables)))]


def test_every_claim_stands_beside_what_the_paper_found():
    rows = [row(), row(rule="clear", mean=0.1), row(rule="paper", mean=0.03)]
    down = {"proven_from": -0.1, "proven_to": 0.0}
    rows += [own._replace(group="cb", mean=own.mean - 0.3, **down) for own in rows]
    rows += [row("gl", high=0.74), row("gl", "clear"), row("gl", "paper", mean=None, sd=None, found=0)]
    rows += [row("ls"), row("ls", "clear", found=7), row("ls", "paper")]
    none = dict.fromkeys(ScoreOverRuns._fields)
    score = none | {
        "group": "sg",
        "rule": "chance",
        "test": "men",
        "below": 20.0,
        "draw_sd": 0.01,
        "change_sd": 0.01,
        "dropped": 0.7,
    }
    said = beside(
        *rows,
        paper_sizes=Table.of([size(30, 0.9), size(1000, 0.0)]),
        shapes=Table.of([shape("sg", "cb", "different", distance=0.023)]),
        scores=Table.of([ScoreOverRuns(**score | {"rho": 0.7, "above": 0.6})]),
    )
    here = [text.partition("Here: ")[2] for text in said]
    assert here == [
        "sg 0.26 by our rule and 0.03 by the paper's; cb −0.04 by our rule and −0.27 by the paper's; gl at most 0.74 "
        "by our rule and none by the paper's; ls none in 1 of 8 runs by our rule and 0.26 by the paper's.",
        "0.26 for the runs of sg and −0.04 for the runs of cb.",
        "sg SD 0.005 over 8 runs; cb SD 0.005 over 8 runs.",
        "sg 0.90 at 30 pairs and 0.00 at 1,000 (by the rule 0.05 apart or less is no difference).",
        "sg and cb 0.023 apart.",
        "sg men from 0.70 to 0.60.",
    ]
    assert all(text.split(". ", 1)[1].startswith("Elekes et al. ") for text in said)
    assert said[1].startswith("No threshold fits all models. Elekes et al. found 0.20 for skip-gram, far above −0.18")


def test_what_cannot_be_judged_says_why_in_the_table_alone():
    here = [row.shows for row in OBSERVED.table(observations({})).rows() if row.paper]
    assert here[0] == "no group has thresholds"
    assert len(here) == 6
    assert all(here)
    assert beside() == []
