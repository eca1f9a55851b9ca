import math

import torch

from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared import chance, claims, copies, spaces
from gpustab.studies.thresholds.claims import alarms_of
from tests.studies.edges import Edge, sure


def is_far(runs, ratio):
    """Whether the last of some runs is far whose loss to the others is so many times theirs."""
    losses = torch.ones(runs, runs, dtype=torch.float64).fill_diagonal_(0)
    losses[-1, :-1] = losses[:-1, -1] = ratio
    return [r for r, _ in spaces.far_runs(losses)] == [runs - 1]


def are_near(share):
    """Whether two of four runs are nearly one that lie so much nearer to each other than to the others."""
    losses = torch.ones(4, 4, dtype=torch.float64).fill_diagonal_(0)
    losses[0, 1] = losses[1, 0] = share
    return [(a, b) for a, b, _ in copies.nearly_one(losses)] == [(0, 1)]


EDGES = {
    "shared.matters": Edge(lambda x: claims.documents(sure(1.0), Estimate(x, 0.0, 9))[0], "hardly", "matter"),
    "shared.noisy": Edge(lambda x: claims.too_noisy(x, 5), True, False),
    "shared.noisy-runs": Edge(lambda x: claims.too_noisy(0.2, int(x)), True, False, step=1),
    "shared.collapsed": Edge(lambda x: bool(list(alarms_of("g", {"a run": x}, None))), False, True),
    "shared.at-chance": Edge(lambda x: chance.at_chance(sure(x), 1.0), "no", "yes"),
    "shared.near": Edge(are_near, True, False),
    "shared.far-of-few": Edge(lambda x: is_far(4, x), False, True),
    "shared.far": Edge(lambda x: is_far(8, math.exp(x)), False, True),
    "shared.far-by-spread": Edge(lambda x: spaces.far_from(9, 1.0) < 0.3 + x, False, True),
}
