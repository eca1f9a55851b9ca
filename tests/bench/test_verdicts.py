"""A few sets of every fast rule: none is wrong more often than a tenth, and each says something at 16 runs."""

import pytest

from benchmarks.verdict_cases.every import cases
from benchmarks.verdicts import count

SLOW = ("normal", "p@n", "predicted", "structure", "1/√n", "tree")
FAST = [case for case in cases() if not any(name in case.rule for name in SLOW)]
HARD = "the same, run effect"
"""A far run among runs that differ by themselves is missed in a quarter of the sets."""


@pytest.mark.parametrize("case", FAST, ids=lambda case: f"{case.rule}: {case.truth}".replace(" ", "_"))
def test_a_rule_is_seldom_wrong_and_not_always_silent(case):
    few, many = (count(case, runs, 15, seed=1) for runs in (max(4, case.least), 16))
    allowed = 1.0 if HARD in case.truth else 0.2  # 3 of 15; at 5 % that is one case in 180
    assert few["false"] <= allowed
    assert many["false"] <= allowed
    assert HARD in case.truth or many["missed"] < 1


def test_every_rule_has_cases_of_both_kinds():
    kinds = {}
    for case in cases():
        kinds.setdefault(case.rule, set()).add(case.right)
    assert len(kinds) == 24
    assert {rule for rule, right in kinds.items() if len(right) < 2} == {
        "predicted (A.4)",
        "one reference, tree",
        "one reference adds",
    }
