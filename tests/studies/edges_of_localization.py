import numpy as np

from gpustab.statistics.intervals import wilson
from gpustab.studies.localization.claims import RANDOM_AS_NEAR, SECOND_NEGATION, UNRELATED_NEARER, Within, told_apart
from gpustab.studies.localization.claims_of_edits import sees
from gpustab.studies.localization.claims_of_vectors import COLLAPSED, COPIES, NO_DIRECTION, RunPair, RunVectors
from gpustab.studies.localization.distances import Distances
from gpustab.studies.localization.study import copies
from gpustab.studies.localization.tables import ModelScore, Negation
from gpustab.studies.localization.tables_of_edits import EditScore
from tests.studies.edges import Edge


def score(**values):
    """A score of a hundred components with some of its values; the others are 0."""
    return ModelScore(**dict.fromkeys(ModelScore._fields, 0) | {"components": 100} | values)


def _by_components(components):
    """Every rule that counts components, of numbers that are beyond all other margins."""
    row = score(components=components, low=0.9, half_high=0.1)
    return (
        told_apart(components, 0.9, 0.95),
        RANDOM_AS_NEAR.judge(Within(row, row)),
        UNRELATED_NEARER.judge(row),
        SECOND_NEGATION.judge(Negation("m", 1, 99, components, 0, 0, 0, 0, 0, -0.2, -0.1, "")),
    )


def _bent(bend):
    """Either end of the interval at the margin, in steps of 1."""
    ends = (-0.5, -bend), (-bend, 0.5)
    return tuple(SECOND_NEGATION.judge(Negation("m", 1, 99, 99, 0, 0, 1.0, 0, 0, *end, "")) for end in ends)


def _random_within(low):
    return RANDOM_AS_NEAR.judge(Within(score(), score(low=low)))


def _from_chance(difference):
    """All four bounds of a share near chance."""
    return (
        told_apart(100, 0.5 + difference, 0.8),
        told_apart(100, 0.2, 0.5 - difference),
        told_apart(100, 0.5, 0.5 + difference),
        told_apart(100, 0.5 - difference, 0.5),
    )


def _alike(distance):
    """Of unrelated sentences and of two runs, by their rules and in their distances."""
    runs = [Distances(np.array([x, np.nan]), {}, {}) for x in (0.0, distance)]
    return (
        COLLAPSED.judge(RunVectors("m", distance, 9, 0, 0)),
        COPIES.judge(RunPair("m", 1, 2, distance)),
        copies(runs),
    )


def _zero(share):
    return NO_DIRECTION.judge(RunVectors("m", 0.5, 1, share, 0))


def edit(**values):
    """A score of a thousand edits that a model sees, with some of its values."""
    usual = {"model": "m", "kind": "negation", "n": 1000, "groups": 100, "low": 0.8, "high": 0.9, "pairs": 24}
    return EditScore(**dict.fromkeys(EditScore._fields, 0) | usual | values)


def _from_chance_of_edits(luck):
    return sees(edit(luck=luck)), sees(edit(low=0.1, high=0.2, unluck=luck))


def _blind(share):
    """Of so many sentences that the lower end of Wilson's interval is the share, to a sentence in a million."""
    n = 10**6
    unmoved = next(k for k in range(int(0.89 * n), n) if wilson(k, n)[0] >= share)
    return sees(edit(n=n, unmoved=unmoved))


EDGES = {
    "localization.fewest": Edge(
        _by_components,
        below=("few", "no test", "no test", "cannot be judged"),
        above=("yes", "yes", "yes", "back"),
        step=1,
    ),
    "localization.bent": Edge(_bent, below=("open", "not back"), above=("back", "open")),
    "localization.chance": Edge(_random_within, below="no", above="yes"),
    "localization.equal": Edge(
        _from_chance, below=("open", "open", "no", "no"), above=("yes", "reversed", "open", "open")
    ),
    "localization.knows": Edge(lambda high: UNRELATED_NEARER.judge(score(half_high=high)), "yes", "undecided"),
    "localization.alike": Edge(_alike, below=("yes", "yes", {1: 0}), above=("no", "no", {})),
    "localization.groups": Edge(lambda groups: sees(edit(groups=groups)), below="few", above="yes", step=1),
    "localization.luck": Edge(_from_chance_of_edits, below=("yes", "reversed"), above=("open", "open")),
    "localization.blind": Edge(_blind, below="yes", above="blind", step=0.001),
    "localization.many": Edge(_zero, below="no", above="yes"),
}
