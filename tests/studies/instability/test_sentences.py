"""What the verdict of the study says, and where it keeps silent."""

import math

import pytest

from gpustab.results import Table
from gpustab.studies.instability.sentences import verdict

LOSSES = {"a": {"shuffled": (0.0200, 0.0001), "bootstrap": (0.0300, 0.0002)}, "b": {"shuffled": (0.0250, 0.0001)}}


def tables(losses=LOSSES, change=(0.02, -0.01, 0.05), ratio=0.72, sd=0.004):
    """Tables of techniques with these losses; all with one trend over frequency and one ratio of averages."""
    found = [
        {"technique": name, "sampling": sampling, "runs": 6, "reduced_pip": value, "se": se}
        for name, own in losses.items()
        for sampling, (value, se) in own.items()
    ]
    trend = dict(zip(("change", "low", "high"), change, strict=True))
    trend |= {"quantity": "intrinsic", "least_frequency": 0, "batch_deviation": 0.05}
    trend |= {"batch_p": 1e-4, "batch_correlation": math.copysign(0.9, change[0])}
    level = {"renormalised": False, "runs_beneath": 2, "ratio_cosine": ratio, "cosine_sd": sd, "orders": 4}
    agrees = [("a", "yes"), ("a", "no"), ("b", "yes"), ("", "undecided"), ("b", "no test")]
    return {
        "table_2_8": Table.of(found),
        "frequency": Table.of([{"technique": name, **trend} for name in losses]),
        "figure_3_5": Table.of([{"technique": name, **level} for name in losses]),
        "observations": Table.of([{"technique": name, "agrees": what} for name, what in agrees]),
    }


def test_one_technique_is_not_named():
    said = verdict(tables({"a": LOSSES["a"]}), ["a"], {})
    assert said[0].startswith("Resamples of these documents change the cosines of all words 1.50 times")
    assert said[1].endswith("changes differs by +2% (-1% to +5%), which is small (within 20%).")
    assert said[2].startswith("Averaging helps: averages of 2 runs differ 0.72 times as much as runs (0.71–0.73; ")
    assert said[3] == "Statements of Rettenmeier (2020) that these runs bear out: 1; contradict: 1; leave open: 1."


def test_the_most_stable_technique_leads():
    said = verdict(tables(), ["a", "b"], {})
    assert said[0].startswith("Of shuffled runs, those of a differ least (reduced PIP loss: a 0.02 ± 0.00026, b 0.025")
    assert [line for line in said if line.startswith("b: ")]
    assert "bear out: 2;" in said[-1]


def test_equal_techniques_have_no_order():
    losses = {"a": {"shuffled": (0.02, 0.001)}, "b": {"shuffled": (0.021, 0.001)}}
    assert verdict(tables(losses), ["a", "b"], {})[0].startswith("Which of a and b is the more stable cannot be told")


def test_nothing_is_said_of_a_technique_with_an_alarm():
    said = verdict(tables(), ["a", "b"], {"b": "its runs are collapsed"})
    assert not any(line.startswith("b") for line in said)
    assert "No verdict is given on b: its runs are collapsed." in said
    assert "bear out: 1;" in said[-1]
    only = verdict(tables({"a": LOSSES["a"]}), ["a"], {"a": "some of its runs are equal"})
    assert only[0] == "No verdict is given on a: some of its runs are equal."


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((0.5, 0.4, 0.6), "changes grows: by +50% (+40% to +60%)."),
        ((-0.5, -0.6, -0.4), "changes falls: by -50% (-60% to -40%)."),
        ((0.1, -0.3, 0.5), "cannot be told: they differ by +10% (-30% to +50%)."),
    ],
)
def test_frequency(change, says):
    assert any(line.endswith(says) for line in verdict(tables(change=change), ["a", "b"], {}))


@pytest.mark.parametrize(
    ("ratio", "sd", "says"),
    [(1.3, 0.01, "Averaging harms"), (0.9, 0.2, "Whether averaging helps cannot be told"), (math.nan, 0.0, None)],
)
def test_averages(ratio, sd, says):
    said = [line for line in verdict(tables({"a": LOSSES["a"]}, ratio=ratio, sd=sd), ["a"], {}) if "verag" in line]
    assert bool(said) == bool(says)
    assert not says or said[0].startswith(says)


def test_chapters_that_are_missing_say_nothing():
    assert verdict({"observations": Table()}, ["a", "b"], {}) == []
