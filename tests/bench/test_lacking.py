"""Reasons why a claim was not asked are what studies do: three runs and a far run get no verdict where it says so."""

from dataclasses import replace

import pytest
import torch

from benchmarks.placebos.cells import recorded
from benchmarks.placebos.lacking import WHY
from docs.examples import examples
from gpustab.runs.key import Key
from gpustab.studies.average.study import average
from gpustab.studies.bootstrap import claims as of_bootstrap
from gpustab.studies.bootstrap.study import bootstrap
from gpustab.studies.bootstrap.tables import FINDINGS
from gpustab.studies.instability.study import instability
from gpustab.studies.shared.claims import OBSERVED, every_claim
from tests.generators import generator, noisy_copies, runs_of

FAR = [name for name, why in WHY.items() if "far" in why and name.startswith("instability.")]
THREE = [name for name, why in WHY.items() if "it is not judged" in why or "three are not judged" in why]


def groups(runs, far=False):
    """Fixed, shuffled and bootstrap runs of one technique; a shuffled one may have noise as large as its vectors."""
    made = []
    for k, (sampling, noise) in enumerate((("fixed", 0.1), ("shuffled", 0.1), ("bootstrap", 0.3))):
        stack = noisy_copies(runs, 60, 8, noise, seed=0 if k else 1)
        if far and sampling == "shuffled":
            stack[0] += torch.randn(60, 8, dtype=torch.float64, generator=generator(9)) / 8**0.5
        made.append(replace(runs_of(stack), key=Key("lsa", sampling)))
    return made


@pytest.fixture(scope="module")
def with_far():
    return instability(groups(5, far=True), pairs=40, targets=6)


@pytest.fixture(scope="module")
def of_three():
    return instability(groups(3), pairs=40, targets=6)


def test_reasons_name_what_is_checked_here():
    assert len(FAR) > 15
    assert len(THREE) >= 7


@pytest.mark.slow
@pytest.mark.parametrize("name", FAR)
def test_a_far_run_leaves_no_verdict(name, with_far):
    judged = [row.agrees for row in OBSERVED.rows(with_far.tables) if row.claim.id == name]
    assert set(judged) <= {"no test"}
    assert len(with_far.alarms) == 1
    assert with_far.verdict == ["LSA gets no verdict: one run or more lie far from the others."]


@pytest.mark.slow
def test_most_of_them_are_judged_without_that_run():
    """Else no verdict would prove nothing."""
    judged = {row.claim.id for row in OBSERVED.rows(instability(groups(5), pairs=40, targets=6).tables)}
    assert len(judged & {*FAR}) > 10


@pytest.mark.slow
@pytest.mark.parametrize("name", THREE)
def test_three_runs_are_not_judged(name, of_three):
    assert [row for row in OBSERVED.rows(of_three.tables) if row.claim.id == name] == []


def test_three_runs_give_no_two_averages():
    told = average(groups(3)[1])[1].verdict
    assert told == [
        "The gain of averaging cannot be measured: two averages of equally many runs take at least four runs."
    ]


def test_a_far_run_leaves_no_finding_that_compares_its_group():
    found = bootstrap(groups(5, far=True), query=["w1", "w2", "w3"])
    agrees = {row.claim.id: row.agrees for row in FINDINGS.rows(found.tables)}
    compared = (of_bootstrap.ORDER, of_bootstrap.WIDER, of_bootstrap.LOWER, of_bootstrap.JACCARD, of_bootstrap.RANKS)
    assert {agrees[claim.id] for claim in compared} == {"no test"}
    assert any("lies far from the other runs of the group" in said for said in found.verdict)
    with recorded() as said:
        bootstrap(groups(5, far=True), query=["w1", "w2", "w3"])
    assert {verdict for _, verdict in said["bootstrap.documents-matter"]} == {"far"}


def test_a_plateau_is_not_told_of_few_runs():
    """As its reason says: a rise is no test below 25 runs, and none of 64 runs' averages below 128."""
    claim = every_claim()["bootstrap.stabilises"]
    rows = [row for row in examples()["bootstrap.stabilises"] if row.runs < of_bootstrap.PLATEAU]
    assert rows
    assert {claim.judge(row) for row in rows} == {"no test"}
    plateau = every_claim()["instability.scores-reach-a-plateau"]
    assert "128" in plateau.rule
