"""Models of sentences by the shares of sentences that lie farther."""

from __future__ import annotations

from typing import Any

from docs.examples import made
from gpustab.studies.localization.claims import Tests, Within
from gpustab.studies.localization.claims_of_vectors import RunPair, RunVectors
from gpustab.studies.localization.tables import ModelScore, Negation
from gpustab.studies.localization.tables_of_edits import EditScore


def score(half: float, reach: float = 0.03, **values: Any) -> ModelScore:
    """A share of a hundred components' sentences with its interval."""
    ends = {"half": half, "half_low": half - reach, "half_high": half + reach}
    ends |= {"share": half, "low": half - reach, "high": half + reach}
    return made(ModelScore, **{"model": "bag of words", "n": 1234, "components": 100, "subset": "all"} | ends | values)


def _tests(synonym: float, opposite: float, reach: float = 0.03, **values: Any) -> Tests:
    return Tests("bag of words", score(synonym, reach, **values), score(opposite, reach, **values))


def _bent(difference: float, reach: float = 0.01, components: int = 100) -> Negation:
    ends = {"difference": difference, "low": difference - reach, "high": difference + reach}
    return made(Negation, model="pv-dm", n=212, components=components, **ends)


def _edit(half: float, reach: float = 0.03, **values: Any) -> EditScore:
    ends = {"half": half, "low": half - reach, "high": half + reach}
    words = {"pairs": 24, "won": 24.0, "luck": 0.01, "unluck": 1.0}
    usual = {
        "model": "bag of words",
        "kind": "negation",
        "n": 300,
        "groups": 300,
        "made": 300,
        "asked": 1480,
        "limit": 5000,
    }
    far = {"changed": 0.139, "control": 0.021, "unrelated": 0.90}
    for what, reach in (("changed", 0.01), ("control", 0.002), ("unrelated", 0.01)):
        far |= {f"{what}_low": far[what] - reach, f"{what}_high": far[what] + reach}
    return made(EditScore, **usual | ends | words | far | values)


EXAMPLES = {
    "localization.places-by": [
        _tests(0.74, 0.66),
        _tests(0.74, 0.51, 0.02),
        _tests(0.50, 0.50, 0.02, subset="known"),
        _tests(0.54, 0.51),
        _tests(0.74, 0.66, components=12),
        Tests("bag of words", None, None),
    ],
    "localization.random-as-near": [
        Within(score(0.96), score(0.91)),
        Within(score(0.96), score(0.31)),
        Within(score(0.96), score(0.50)),
        Within(score(0.96), score(0.91, components=12)),
    ],
    "localization.unrelated-nearer": [score(0.62), score(0.99, 0.005), score(0.90), score(0.62, components=12)],
    "localization.second-negation": [_bent(-0.03), _bent(0.03), _bent(0.002), _bent(-0.03, components=12)],
    "localization.sees-edit": [
        _edit(0.94),
        _edit(0.94, won=18.0, luck=0.33),
        _edit(0.06, kind="roles", pairs=0),
        _edit(0.50, kind="numbers", pairs=0),
        _edit(0.50, unmoved=299),
        _edit(0.50, 0.0, kind="names", pairs=0, equal=1.0),
        _edit(0.94, kind="names", pairs=0, n=21, groups=7, made=21),
    ],
    "localization.collapsed": [RunVectors("pv-dm, run 2", 1e-8, 4000, 0, 0), RunVectors("pv-dm", 0.6, 4000, 0, 0)],
    "localization.not-finite": [RunVectors("pv-dm, run 2", 0.6, 4000, 0, 12), RunVectors("pv-dm", 0.6, 4000, 0, 0)],
    "localization.no-direction": [RunVectors("pv-dm, run 2", 0.6, 4000, 612, 0), RunVectors("pv-dm", 0.6, 4000, 0, 0)],
    "localization.copies": [RunPair("pv-dm", 1, 3, 0.0), RunPair("pv-dm", 1, 2, 0.02)],
}
