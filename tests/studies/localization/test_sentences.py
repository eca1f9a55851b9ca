"""What the verdict says of models that hardly tell sentences apart."""

import pytest

from gpustab.results import Table
from gpustab.studies.localization.sentences import verdict
from gpustab.studies.localization.tables import SHARED


def tables(half, low, high, components=100):
    row = {"model": "net", "comparison": "unrelated beyond paraphrase", "k": 1, "subset": "all", "n": 200}
    row |= {"components": components, "half": half, "half_low": low, "half_high": high, "share": half, "low": low}
    return {"scores": Table.of([row | dict.fromkeys(set(SHARED) - set(row), 0)]), "over_runs": Table({"model": []})}


@pytest.mark.parametrize(
    ("numbers", "says"),
    [((0.7, 0.65, 0.75), True), ((0.97, 0.95, 0.99), False), ((0.8, 0.6, 0.95), False), ((0.7, 0.65, 0.75, 12), False)],
)
def test_unrelated_sentences_that_are_nearer_are_told(numbers, says):
    said = verdict(tables(*numbers))
    assert any(line.endswith("nearer than the paraphrase: with net 30 %.") for line in said) == says
