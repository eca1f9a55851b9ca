import pytest
import torch

from gpustab import engine
from gpustab.machine.device import DEFAULT
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.tables import Setting
from gpustab.studies.compare.study import compare
from gpustab.studies.instability.answers import alarm_of
from gpustab.studies.shared.spaces import flaws_of
from gpustab.studies.shared.unfit import Unfit, together, unfit
from gpustab.studies.sweep.claims import MORE_STABLE, Changed
from gpustab.studies.sweep.claims_of_parameters import EFFECT, Effect
from gpustab.studies.sweep.measure import measure
from gpustab.studies.thresholds.claims import NO_ONE_FITS, Apart
from tests.generators import noisy_copies, runs_of

V, D = 90, 10
KINDS = "fall into kinds"
ADVICE = "Measure each kind by itself"


def two_and_two():
    return runs_of(torch.cat([noisy_copies(2, V, D, noise=0.2, seed=seed) for seed in (1, 32)]))


def flaws():
    return flaws_of(two_and_two(), engine.pip_pass(two_and_two()))


def test_kinds_are_no_runs_that_lie_far():
    assert flaws().kinds
    assert unfit(flaws(), "these") == Unfit((), ["these"])
    assert not unfit(flaws()._replace(kinds=False, names=[]), "these")
    assert together([Unfit(["a"]), Unfit(), Unfit(["a"], ["b"])]) == Unfit(["a"], ["b"])


def test_compare_tests_nothing_over_kinds():
    one = runs_of(noisy_copies(4, V, D, noise=0.3, seed=1), name="other")
    told = compare(two_and_two(), one)
    assert told.contrasts[0]["verdict"] == "no test"
    assert len(list(filter(None, told.verdict))) >= 3
    for sentence in filter(None, told.verdict):
        assert KINDS in sentence, sentence
        assert ADVICE in sentence, sentence
        assert "lie far" not in sentence


def test_sweep_tests_nothing_over_kinds():
    found = measure("baseline", {"shuffled": two_and_two()}, {"shuffled": 0.0}, 0, DEFAULT, {}).unfit["shuffled"]
    assert found == Unfit((), ["baseline"])
    effect = Effect("epochs", 5, 20, "shuffled", *[Estimate(x, 0.01, 7) for x in (0.2, 0.3, 0.5, 0.4)], found)
    assert EFFECT.judge(effect) == "no test"
    assert f"{KINDS}. {ADVICE}." in EFFECT.sentence(effect)
    assert MORE_STABLE.judge(Changed([Estimate(-9.0, 0.1, 7)], found)) == "no test"


def test_thresholds_of_kinds_are_not_compared():
    apart = Apart(None, None, 2, unfit(flaws(), "the runs of a"))
    assert NO_ONE_FITS.judge(apart) == "no test"


@pytest.mark.parametrize("kinds", [True, False])
def test_instability_gives_the_reason(kinds):
    reason, _ = alarm_of("lsa", {"shuffled": flaws()._replace(kinds=kinds)}, {})
    assert reason == (f"its runs {KINDS}" if kinds else "one run or more lie far from the others")


def test_bootstrap_says_which():
    setting = Setting._make([*["x"] * (len(Setting._fields) - 2), False, True])
    assert KINDS in setting.unfit.why
    assert setting.unfit.advice == ADVICE
