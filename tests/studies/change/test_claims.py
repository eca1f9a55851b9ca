"""Sentences by their rules: beyond the floor, no more than it, and what cannot be told."""

import math

import numpy as np
import pytest

from benchmarks.placebos.drawn.change import NOISY, moved
from gpustab.report import Result
from gpustab.studies.change import differences
from gpustab.studies.change.claims import (
    BEYOND_SAMPLING,
    COMPARED,
    FREQUENCY_EXPLAINS,
    MORE_THAN_AT_RANDOM,
    NO_MORE,
    of_laws,
    of_sampling,
    of_words,
)
from gpustab.studies.change.claims_of_splits import differ_too, placebos
from gpustab.studies.change.claims_of_tasks import BETTER_THAN_ONE_CLASS, of_averages
from gpustab.studies.change.differences import Explained, beyond, beyond_margin, control_difference, expected
from gpustab.studies.change.paper import may_claim
from gpustab.studies.change.study import of_pair, verdict
from gpustab.studies.change.tables import (
    LAWS,
    PAIRS,
    Discovery,
    Law,
    Pair,
    at_random,
    called,
    floor_series,
    main_series,
)
from gpustab.studies.change.tables_of_tasks import Cell
from gpustab.studies.shared.wording import signed_span

_NUMBERS = dict.fromkeys(Pair._fields, 0.1) | {
    "series": "sgns/shuffled",
    "of": "sgns/shuffled",
    "split": "",
    "control": False,
    "bootstrap": False,
    "without_noise": False,
    "some_equal": False,
    "first": "1800-1819",
    "second": "1820-1839",
    "tested": 1200,
    "runs_first": 4,
    "runs_second": 4,
    "change": 0.3,
    "change_se": 0.005,
    "corrected": 0.2,
    "corrected_se": 0.004,
    "sampling_floor": 0.2,
    "sampling_se": 0.005,
    "training_floor": 0.1,
    "training_se": 0.002,
    "beyond_se_words": 0.002,
    "two_turns": 0.95,
    "align": "all",
    "turned_by": 1200,
    "residual": 0.1234,
    "held_out": 0.13,
    "by_all": 0.1234,
    "second_turn": 0.3,
    "mean_cosine_first": 0.2,
    "mean_cosine_second": 0.4,
}
BASE = Pair(**_NUMBERS)
COMES = "Two samplings of one period's documents lie 0.20 (0.18–0.22) apart. Sampling alone can give 0.23 (0.20–0.25)."
WITHOUT = " Without the noise of training the change is 0.20 (0.19–0.21)."


def control(split, **other):
    given = {"control": True, "series": f"sgns/shuffled/control={split}", "split": str(split)}
    return BASE._replace(**given | other)


def law(r2, control=False, series="a", r2_se=0.03, r2_se_runs=math.nan, n=1, averages=1, words=300):
    """A law of which R² and its errors are of interest."""
    return Law(series, control, n, averages, words, 2 * words, -0.4, 0.05, 0.02, r2, r2, r2_se, r2_se_runs, 0.02)


@pytest.mark.parametrize(
    ("row", "wanted", "said"),
    [
        ({}, "more", f"more than sampling explains. {COMES} The rest is 0.04–0.11."),
        ({"change": 0.18}, "no more", "Less a small margin, the difference is −0.058 to −0.002."),
        ({"change": 0.22}, "open", f"too few to separate a change from sampling. {COMES} The rest is −0.04 to"),
        ({"change_se": math.nan}, "open", f"{COMES} So few runs give no interval for the rest."),
    ],
)
def test_change_against_the_sampling_floor(row, wanted, said):
    pair = BASE._replace(**row)
    assert BEYOND_SAMPLING.judge(pair) == wanted
    assert said in of_pair(pair)
    assert of_pair(pair).endswith(WITHOUT)


def test_a_technique_without_noise_is_not_short_of_runs():
    pair = BASE._replace(without_noise=True, runs_first=1, runs_second=1, training_floor=math.nan, corrected=math.nan)
    assert BEYOND_SAMPLING.judge(pair) == "no spread"
    said = " ".join([of_pair(pair), *of_sampling([pair])])
    assert "None of it is training noise" in said
    assert "Equal runs give no interval" in said
    assert "too few" not in said
    assert "ne run" not in of_pair(pair._replace(sampling_floor=None))
    assert "single run says nothing" in of_pair(pair._replace(without_noise=False))


def test_runs_that_are_equal_in_one_period_are_not_called_too_few():
    unknown = {"training_floor": math.nan, "corrected": math.nan, "change_se": math.nan}
    pair = BASE._replace(some_equal=True, runs_second=1, **unknown)
    split = control(1, change=0.25, **unknown)
    said = " ".join([of_pair(pair, [split]), *of_sampling([pair])])
    assert "too few" not in said
    assert "single run" not in said
    assert said.count("cannot separate") == 2
    assert "Documents dealt out at random differ by 0.25." in said
    assert at_random(pair, [split]) == 0.25
    assert at_random(BASE, [control(1, corrected=0.12)]) == 0.12
    assert math.isnan(at_random(pair, []))


@pytest.mark.parametrize("row", [{"change": 0.21, "runs_first": 60, "runs_second": 60}, {"change_se": 0.1}])
def test_between_floor_and_margin_nothing_can_be_told(row):
    pair = BASE._replace(**row)
    low, high = beyond(pair)
    assert BEYOND_SAMPLING.judge(pair) == "open"
    assert low < 0 < beyond_margin(pair, NO_MORE)[1]
    assert signed_span(low, high) in of_pair(pair)


def test_the_lead_tells_the_scale_and_what_moves_where_nothing_changed():
    row = BASE._replace(sampling_floor=None, tested=1)
    below = [control(1, corrected=-0.031)]
    assert of_pair(row, below).endswith("so that nothing changed, −0.03 (−0.04 to −0.02, over runs of one split).")
    splits = [control(k, corrected=value) for k, value in ((1, 0.08), (2, 0.1))]
    assert row.unlike == pytest.approx(0.7)
    assert of_pair(row, splits, scale=True) == (
        "From 1800-1819 to 1820-1839, 1 word moved by 0.30 (0.28–0.32) between a run of each period (0: used alike; "
        "0.70: two different words). Without the noise of training the change is 0.20 (0.19–0.21), where documents "
        "were dealt out at random, so that nothing changed, 0.09 (−0.04 to +0.22)."
    )
    assert of_pair(row._replace(corrected=math.nan)).endswith("One run cannot say how much of this is training noise.")


def test_splits_at_random_have_errors_over_runs_and_over_splits():
    half = BASE.estimate(0.2, 0.004).half
    assert differences.at_random(BASE, [control(1)]) == pytest.approx((0.2, half))
    value, wide = differences.at_random(BASE, [control(k, corrected=x) for k, x in ((1, 0.1), (2, 0.2), (3, 0.3))])
    assert value == pytest.approx(0.2)
    assert wide == pytest.approx(math.hypot(half, 4.303 * 0.1 / math.sqrt(3)), rel=1e-3)
    assert math.isnan(differences.at_random(BASE, [control(1, corrected_se=math.nan)])[1])
    assert all(map(math.isnan, differences.at_random(BASE, [])))


def test_the_change_that_sampling_comes_to_is_that_of_the_model():
    """Training noise 0.1 and sampling noise 0.15 of a unit signal, in two epochs and their bootstrap runs."""
    rng, d = np.random.default_rng(0), 200_000
    signal = rng.normal(size=d)

    def noise(share):
        return share**0.5 * rng.normal(size=d)

    epochs = [signal + noise(0.15) for _ in range(2)]
    runs = [[own + noise(0.1) for _ in range(2)] for own in epochs]
    drawn = [own + noise(0.15) + noise(0.1) for own in epochs[:1] * 2]
    apart = [1 - np.corrcoef(*pair)[0, 1] for pair in (runs[0], drawn, (runs[0][0], runs[1][0]))]
    row = BASE._replace(training_floor=apart[0], sampling_floor=apart[1])
    assert expected(row).value == pytest.approx(apart[2], rel=0.02)
    assert apart[1] < 0.95 * apart[2]


def test_the_error_of_the_expected_change_follows_from_those_of_both_floors():
    steps = [
        expected(BASE._replace(**{name: getattr(BASE, name) + 1e-6})).value
        for name in ("sampling_floor", "training_floor")
    ]
    slopes = [(x - expected(BASE).value) / 1e-6 for x in steps]
    want = math.hypot(slopes[0] * BASE.sampling_se, slopes[1] * BASE.training_se)
    assert expected(BASE).se == pytest.approx(want, rel=1e-4)


def test_the_lead_says_between_which_periods_contexts_differ():
    rows = [BASE, BASE._replace(first="b", second="c", change=0.18), BASE._replace(first="c", second="d", change=0.22)]
    assert list(of_sampling(rows)) == [
        "Contexts differ more than sampling explains from 1800-1819 to 1820-1839. Contexts differ no more than two "
        "samplings of one period's documents from b to c. These runs are too few to separate a change of "
        "contexts from sampling from c to d."
    ]
    assert "from c to d and from c to d." in next(iter(of_sampling(rows[2:] * 2)))
    assert list(of_sampling([BASE._replace(sampling_floor=None)])) == []
    glove = list(of_sampling([BASE, BASE._replace(series="glove/shuffled")]))
    assert "(skip-gram, shuffled runs) and from 1800-1819 to 1820-1839 (GloVe, shuffled runs)." in glove[0]


def test_without_bootstrap_runs_nothing_is_said_to_differ():
    row = BASE._replace(sampling_floor=None, sampling_se=None)
    said = verdict({"pairs": PAIRS.table([row])})
    assert said[0].startswith("Nothing here separates a change from sampling")
    assert said[0].endswith("Train bootstrap runs too, or a control (train --control 2).")
    assert len(said) == 2
    said = verdict({"pairs": PAIRS.table([row._replace(bootstrap=True)])})
    assert "Train shuffled runs too" in said[0]
    both = [row, row._replace(series="sgns/bootstrap", bootstrap=True)]
    assert [COMPARED.judge(pairs) for pairs in ([], both, both[1:])] == ["yes", "no", "bootstrap"]
    splits = [control(k, corrected=0.1, sampling_floor=None) for k in (1, 2)]
    said = verdict({"pairs": PAIRS.table([row, *splits])})
    assert len(said) == 2  # the control tells change from other documents by itself
    assert said[0].startswith("Periods differ more than randomly dealt documents")
    said = verdict({"pairs": PAIRS.table([BASE, *splits])})
    assert [sentence[:9] for sentence in said] == ["Contexts ", "From 1800", "Periods d"]


def test_of_many_pairs_three_are_told():
    rows = [BASE._replace(first=str(k), second=str(k + 1)) for k in range(5)]
    said = verdict({"pairs": PAIRS.table(rows)})
    assert len(said) == 4
    assert said[3].endswith("2 more pairs of periods are in the table below.")
    assert [sentence.count("used alike") for sentence in said] == [0, 1, 0, 0]
    techniques = verdict({"pairs": PAIRS.table([BASE, BASE._replace(series="glove/shuffled")])})
    assert [sentence.partition(": ")[0] for sentence in techniques[1:]] == [
        "Skip-gram, shuffled runs",
        "GloVe, shuffled runs",
    ]


@pytest.mark.parametrize(
    ("genuine", "control", "wanted"),
    [(0.3, [0.1], "more"), (0.1, [0.3], "less"), (0.2, [0.18], "open"), (0.3, [0.0, 0.4], "open")],
)
def test_frequency_against_the_control(genuine, control, wanted):
    rows = [law(x, k > 0) for k, x in enumerate((genuine, *control))]
    assert FREQUENCY_EXPLAINS.judge(Explained(rows[0], rows[1:])) == wanted
    wide = [row._replace(n=8, r2_se_runs=0.2) for row in rows]
    assert FREQUENCY_EXPLAINS.judge(Explained(wide[0], wide[1:])) == "open"


@pytest.mark.parametrize(
    ("runs", "genuine", "wanted", "half"),
    [
        (3, 0.30, "open", 0.30424),  # t(2) √2 · 0.05; by 1.96 it was ± 0.139, and "more"
        (16, 0.30, "open", 0.15072),  # t(15) √2 · 0.05
        (16, 0.31, "more", 0.15072),
        (16, 0.0, "open", 0.15072),
        (200, 0.30, "more", 0.13944),
    ],
)
def test_what_frequency_explains_has_the_freedom_of_the_error_over_runs(runs, genuine, wanted, half):
    rows = [law(x, k > 0, r2_se=0.0, r2_se_runs=0.05, n=runs) for k, x in enumerate((genuine, 0.15))]
    explained = Explained(rows[0], rows[1:])
    assert explained.difference.half == pytest.approx(half, abs=1e-5)
    assert explained.difference.interval == pytest.approx((genuine - 0.15 - half, genuine - 0.15 + half), abs=1e-5)
    assert FREQUENCY_EXPLAINS.judge(explained) == wanted


def test_the_fewest_runs_decide_and_one_run_has_the_freedom_of_its_words():
    """Of the error over runs: R − 1 of one average, of k averages k times as many; without one: words less one."""
    some, many = law(0.3, r2_se_runs=0.05, n=4), law(0.15, True, r2_se_runs=0.05, n=16)
    assert Explained(some, [many]).difference.freedom == 3
    assert Explained(many, [some]).difference.freedom == 3
    assert law(0.3, r2_se_runs=0.05, n=2, averages=3).freedom == 3
    assert law(0.3, r2_se_runs=0.05, n=1, averages=5).freedom == 4
    assert Explained(law(0.3), [law(0.15, True, words=200)]).difference.freedom == 199
    assert Explained(law(0.3), [many]).difference.freedom == 15


@pytest.mark.parametrize(
    ("genuine", "other", "said", "span"),
    [
        (0.5, [0.3], "Rarer words change more than noise explains.", "12–28"),
        (0.1, [0.3], "These data do not show that", "12–28"),
        (0.26, [0.3], "These data are too few", "−12 to +4"),
    ],
)
def test_the_law_is_told_with_the_interval_that_decides(genuine, other, said, span):
    rows = [law(x, k > 0) for k, x in enumerate((genuine, *other))]
    (sentence,) = of_laws(rows)
    assert sentence.startswith(said)
    assert f"explains {100 * genuine:.0f} % of" in sentence
    assert sentence.endswith(f"and 30 % where nothing changed (difference {span} points).")
    assert "train --control 1" in next(of_laws(rows[:1]))


def test_words_that_differ_are_counted_with_their_rate():
    rows = [
        Discovery(first, chr(ord(first) + 1), f"w{k}", 0.1, 0.1, 1.0, 0.1, 0.1, k < 2)
        for first in "ab"
        for k in range(5)
    ]
    (said,) = of_words(rows, 0.05)
    assert (
        "2 of 5 words (a to b) and 2 of 5 words (b to c). On average up to 5 % of the words in such lists are false."
        in said
    )
    assert said.endswith("So short a list may be false as a whole: where nothing changed, up to 5 % of texts give one.")
    assert "explains for 1 of 1 word (a to b)" in of_words(rows[:1], 0.05)[0]
    none = of_words([row._replace(found=False) for row in rows], 0.05)
    assert none[0].startswith("No single word is found")
    assert none[0].endswith("A word that is not found may have changed all the same.")
    assert of_words([], 0.05) == []


def test_errors_over_the_runs_of_both_periods_have_the_freedom_of_the_fewer():
    for runs in ((3, 60), (60, 3)):
        assert BASE._replace(runs_first=runs[0], runs_second=runs[1]).estimate(0.3, 0.01).freedom == 2


def test_floors_are_bootstrap_series_alone():
    """A control without bootstrap runs of its own is no floor, and the law of a bootstrap series is none of another."""
    drawn = {"series": "sgns/bootstrap", "bootstrap": True, "sampling_floor": None, "sampling_se": None}
    drawn |= {"corrected": 0.9}
    other = control(1, sampling_floor=None, corrected=0.07)
    pairs = PAIRS.table([BASE._replace(**drawn), BASE, other])
    assert floor_series(pairs) == {"sgns/bootstrap"}
    assert main_series(pairs) == ["sgns/shuffled"]
    errors = {"r2_se": 0.01, "r2_se_runs": 0.01, "n": 8}
    rows = [
        law(0.9, False, "sgns/bootstrap", **errors),
        law(0.8, True, "sgns/bootstrap/control=1", **errors),
        law(0.2, False, "sgns/shuffled", **errors),
        law(0.3, True, "sgns/shuffled/control=1", **errors),
    ]
    drawn_control = {"series": "sgns/bootstrap/control=1", "of": "sgns/bootstrap", "bootstrap": True}
    pairs = PAIRS.table([*pairs.rows(), other._replace(**drawn_control)])
    assert "Frequency explains 20 % of" in next(of_laws(rows, {"sgns/bootstrap", "sgns/bootstrap/control=1"}))
    said = verdict({"pairs": pairs, "laws": LAWS.table(rows)})
    assert "so that nothing changed, 0.07 (0.06–0.08, over runs of one split)." in said[1]
    assert said[2].startswith("Without training noise, periods differ more than randomly dealt documents by 0.13")
    assert called(pairs) == {
        "sgns/bootstrap": "sgns/bootstrap",
        "sgns/shuffled": "sgns/shuffled",
        "sgns/shuffled/control=1": "dealt out at random (1), sgns/shuffled",
        "sgns/bootstrap/control=1": "dealt out at random (1), sgns/bootstrap",
    }


def test_a_change_that_the_rule_finds_at_random_too_is_not_told_as_one():
    """On the addresses all periods differed more than sampling explains, and so did documents dealt out at random."""
    near = [control(k, corrected=0.19 + k / 100) for k in (1, 2)]
    for splits, found in ((near, True), ([row._replace(change=0.2) for row in near], False)):
        pairs = PAIRS.table([BASE, *splits])
        (beside,) = placebos(pairs)
        assert BEYOND_SAMPLING.judge(BASE) == "more"
        assert differ_too(beside) is found
        said = verdict({PAIRS.name: pairs})
        assert said[0].startswith("Contexts are not shown to differ from 1800" if found else "Contexts differ more")
        assert ("by the same rule so do 2 of 2 splits" in said[1]) is found
        claimed = may_claim(Result("change", tables={PAIRS.name: pairs}))
        assert claimed.startswith("Nothing about a change" if found else "That the contexts of words differ")
    farther = BASE._replace(corrected=0.6)  # than any split, by far
    assert not differ_too(placebos(PAIRS.table([farther, *near]))[0])


@pytest.mark.parametrize(
    ("splits", "wanted", "said"),
    [
        ((0.10, 0.105), "more", "more than randomly dealt documents, by 0.098 (0.04–0.15) without training noise."),
        ((0.10, 0.20), "open", "(difference 0.050, interval −1.05 to +1.15)."),
        (
            (0.10,),
            "unknown",
            "by 0.10. One split cannot say whether that is chance. Deal two or more (train --control 2).",
        ),
    ],
)
def test_periods_against_splits_at_random(splits, wanted, said):
    other = [control(k, corrected=x) for k, x in enumerate(splits, 1)]
    difference = control_difference([BASE, *other])
    assert MORE_THAN_AT_RANDOM.judge(difference) == wanted
    assert MORE_THAN_AT_RANDOM.sentence(difference).endswith(said)
    for without in ([BASE, *(row._replace(corrected=math.nan) for row in other)], [BASE]):
        difference = control_difference(without)
        assert MORE_THAN_AT_RANDOM.judge(difference) in {"unknown", "no error"}
        assert MORE_THAN_AT_RANDOM.sentence(difference) == ""


def test_an_error_that_is_undefined_is_not_blamed_on_the_number_of_splits():
    rows = [row._replace(corrected_se=math.nan) for row in (BASE, *(control(k, corrected=0.1) for k in range(1, 8)))]
    difference = control_difference(rows)
    assert MORE_THAN_AT_RANDOM.judge(difference) == "no error"
    said = MORE_THAN_AT_RANDOM.sentence(difference)
    assert "train --control" not in said
    assert "Train at least three runs of each period." in said


def test_nothing_is_tested_where_training_hides_what_documents_do():
    noisy = BASE._replace(training_floor=0.4, change=0.6, sampling_floor=0.42)  # two different words: 0.7
    assert BEYOND_SAMPLING.judge(noisy) == "too noisy"
    assert "two runs of one period lie 0.40 (0.39–0.41) apart, two different words 0.70" in of_pair(noisy)
    (said,) = of_sampling([noisy])
    assert said.startswith("Contexts are not compared from 1800-1819 to 1820-1839: two runs")
    difference = control_difference([noisy, *(control(k, corrected=0.1) for k in (1, 2))])
    assert MORE_THAN_AT_RANDOM.judge(difference) == "too noisy"
    assert "not compared with randomly dealt" in MORE_THAN_AT_RANDOM.sentence(difference)


@pytest.mark.parametrize("runs", [4, 8])
def test_training_noise_swallows_no_change(runs):
    """All words moved by a step of their own length: *no more* was said of five in six such sets."""
    rng = np.random.default_rng(runs)
    assert [BEYOND_SAMPLING.judge(moved(1.0, NOISY)(runs, rng)) for _ in range(4)] == ["too noisy"] * 4
    assert "no more" not in [BEYOND_SAMPLING.judge(moved(0.6, 0.7)(runs, rng)) for _ in range(4)]


def test_fewer_splits_than_periods_differ():
    other = [control(k, corrected=x) for k, x in enumerate((0.3, 0.31), 1)]
    assert MORE_THAN_AT_RANDOM.judge(control_difference([BASE, *other])) == "open"
    pairs = [row._replace(first=first) for first in "ab" for row in (BASE, *other)]
    said = MORE_THAN_AT_RANDOM.sentence(control_difference(pairs))
    assert "(difference −0.10, interval −0.14 to −0.07, mean of 2 pairs of periods)" in said


@pytest.mark.parametrize(
    ("value", "by"),
    [(0.23, "less than randomly dealt documents by 0.030"), (0.2, "as much as randomly"), (0.17, "documents by 0.030")],
)
def test_one_split_may_differ_more_than_periods_do(value, by):
    said = MORE_THAN_AT_RANDOM.sentence(control_difference([BASE, control(1, corrected=value)]))
    assert by in said


def test_many_splits_know_how_far_they_differ():
    """Where the epochs are one split more, by t 2.5 % are said to be more."""
    rng, often = np.random.default_rng(0), 0
    for _ in range(400):
        draws = 0.1 + 0.01 * rng.normal(size=(2, 4))
        rows = [
            BASE._replace(first=str(pair), control=k > 0, corrected=float(draws[pair, k]), corrected_se=0.0)
            for pair in range(2)
            for k in range(4)
        ]
        often += MORE_THAN_AT_RANDOM.judge(control_difference(rows)) == "more"
    assert often <= 0.04 * 400


@pytest.mark.parametrize(
    ("beyond", "se", "said"),
    [
        (
            0.05,
            0.01,
            "averages rank the targets better than single runs do (difference 0.050 of Spearman's ρ, 0.02–0.08).",
        ),
        (-0.05, 0.01, "averages rank the targets worse than single runs do (difference 0.050 of"),
        (0.02, 0.01, "these runs are too few to say whether averages"),
        (0.02, math.nan, ""),
        (math.nan, math.nan, ""),
    ],
)
def test_averages_rank_targets_better_where_the_difference_over_runs_is_above_nothing(beyond, se, said):
    """By t of four degrees of freedom, 2.78, of five runs; of four runs there is no test."""
    cells = [
        Cell("sgns", "shuffled", way, 4, 2, *[0.5] * 6, beyond, se, 5, 0.5, 0.0, 0.1, 40) for way in ("IR", "AA", "EA")
    ]
    assert "".join(of_averages(cells)).removeprefix("Skip-gram, shuffled runs: ").startswith(said)
    for few in (2, 3, 4):
        assert list(of_averages([cell._replace(runs=few) for cell in cells])) == [
            "Averages are compared with single runs from five runs of a period on: train more (--runs 5)."
        ] * math.isfinite(beyond)


def test_averages_of_which_nothing_can_be_told_share_a_sentence():
    cells = [
        Cell(name, "shuffled", "AA", 4, 2, *[0.5] * 6, 0.02, se, 5, 0.5, 0.0, 0.1, 40)
        for name, se in (("a", 0.01), ("b", 0.002), ("c", 0.02))
    ]
    assert list(of_averages(cells)) == [
        "b, shuffled runs: averages rank the targets better than single runs do (difference 0.020 of Spearman's ρ, "
        "0.01–0.03).",
        "These runs are too few to say whether averages rank the targets better than single runs do: the shuffled runs "
        "of a (difference 0.020 of Spearman's ρ, −0.01 to +0.05) and the shuffled runs of c (difference 0.020 of "
        "Spearman's ρ, −0.04 to +0.08).",
    ]


def test_a_technique_of_too_few_runs_is_told_beside_others():
    """One of few runs had gone without a word where another has enough."""
    cells = [
        Cell(name, "shuffled", "AA", 4, 2, *[0.5] * 6, 0.02, 0.002, runs, 0.5, 0.0, 0.1, 40)
        for name, runs in (("a", 3), ("b", 5), ("c", 4))
    ]
    few, said = of_averages(cells)
    assert few == (
        "Averages of the shuffled runs of a and the shuffled runs of c are compared with single runs from five runs of "
        "a period on: train more (--runs 5)."
    )
    assert said.startswith("b, shuffled runs: averages rank the targets better than single runs do")


def way(name, accuracy, se=0.02, majority=0.5):
    place = ("sgns", "shuffled", name, 4, 2)
    return Cell(*place, accuracy, 0.1, 0.1, -accuracy, 0.1, 0.1, 0.0, 0.1, 4, majority, accuracy - majority, se, 40)


def test_the_best_is_named_beside_the_larger_class():
    rows = [way("AA", 0.45), way("EA", 0.65)]
    said = BETTER_THAN_ONE_CLASS.sentence(rows)
    assert "AA of the shuffled runs of skip-gram has the best ranks of 2 ways: Spearman's ρ −0.450" in said
    assert "1 of 2 ways surely classifies the targets better" in said
    assert "No way classifies the targets better" in BETTER_THAN_ONE_CLASS.sentence(
        [row._replace(accuracy=0.5, gain=0) for row in rows]
    )
    assert BETTER_THAN_ONE_CLASS.judge([way("AA", 0.45, majority=0.66), way("EA", 0.65, majority=0.66)]) == "no"
    assert BETTER_THAN_ONE_CLASS.judge([way("AA", 0.6)]) == "yes"
    assert BETTER_THAN_ONE_CLASS.judge([row._replace(spearman=math.nan) for row in rows]) == "no test"
    assert BETTER_THAN_ONE_CLASS.sentence([]) == ""


def test_the_best_of_many_ways_must_be_better_for_all_of_them_together():
    """A gain of 2.1 errors is sure of one way, by t of 38 degrees of freedom, and not as the best of three or more."""
    assert BETTER_THAN_ONE_CLASS.judge([way("AA", 0.5 + 2.1 * 0.03, 0.03)]) == "yes"
    for others in (2, 5, 17):
        rows = [way("AA", 0.5 + 2.1 * 0.03, 0.03), *[way("IR", 0.5)] * others]
        assert BETTER_THAN_ONE_CLASS.judge(rows) == "open"
        assert f"1 of {len(rows)} ways may classify the targets better" in BETTER_THAN_ONE_CLASS.sentence(rows)
