import math

import torch
from scipy.special import stdtrit

from gpustab.engine.neighbours import NeighbourPass
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared import belonging, chance, claims, copies, own_noise, related, ties
from gpustab.studies.stability.claims import RETURN, Returning
from gpustab.studies.thresholds.claims import alarms_of
from tests.studies.edges import Edge, sure


def is_far(runs, ratio):
    """Whether the last of some runs is far whose loss to the others is so many times theirs."""
    losses = torch.ones(runs, runs, dtype=torch.float64).fill_diagonal_(0)
    losses[-1, :-1] = losses[:-1, -1] = ratio
    return [r for r, _ in belonging.far_runs(losses)] == [runs - 1]


def are_near(share):
    """Whether two of four runs are nearly one that lie so much nearer to each other than to the others."""
    losses = torch.ones(4, 4, dtype=torch.float64).fill_diagonal_(0)
    losses[0, 1] = losses[1, 0] = share
    return [(a, b) for a, b, _ in copies.nearly_one(losses)] == [(0, 1)]


def lying_apart(runs, ratio, beyond=1e9):
    """The verdict on a run that lies so many times as far, and so many standard errors farther."""
    return own_noise.LIES_APART.judge(own_noise.Apart(0, ratio, beyond, runs, (1.0, 1.0)))


def kinds(runs, ratio):
    """Into how many kinds runs fall of which two halves lie so many times as far apart as runs of one."""
    half = torch.arange(runs) < runs // 2
    losses = torch.where(half[:, None] == half, 1.0, torch.tensor(ratio, dtype=torch.float64)).fill_diagonal_(0)
    return len(belonging.kinds_of(losses))


def alone(ratio):
    """How many kinds there are of three runs of six that agree, and others that lie so many times as far."""
    losses = torch.full((6, 6), ratio, dtype=torch.float64).fill_diagonal_(0)
    losses[:3, :3] = 1.0
    losses.fill_diagonal_(0)
    return max(1, len(belonging.kinds_of(losses)))


def tied(share):
    """Whether lists are called tied of whose many places ties decide such a share."""
    places = torch.arange(100_000) >= 100_000 - round(100_000 * share)
    lists = places.view(1, 1, -1)
    nothing = torch.empty(0)
    return bool(
        ties.alarm_of_ties(NeighbourPass(nothing, 1, nothing, nothing, lists, torch.ones(1, 1).bool()), 100_000)
    )


def three_are_near(share):
    """Whether two of three runs are nearly one that lie so much nearer to each other than to the third."""
    losses = torch.ones(3, 3, dtype=torch.float64).fill_diagonal_(0)
    losses[0, 1] = losses[1, 0] = share
    return [(a, b) for a, b, _ in copies.nearly_one(losses)] == [(0, 1)]


def are_related(square, nearer=None):
    """Whether two of five runs are related whose squared loss is such a part of the others'."""
    losses = torch.ones(5, 5, dtype=torch.float64).fill_diagonal_(0)
    losses[0, 1] = losses[1, 0] = square**0.5
    found = related.related(losses) if nearer is None else related.related(losses, 0.1, nearer)
    return [(one.run, one.to) for one in found] == [(1, [0])]


def lies_between(short):
    """Whether the third of three runs lies between the others, by what its squared losses to them fall short."""
    losses = torch.ones(3, 3, dtype=torch.float64).fill_diagonal_(0)
    losses[2, :2] = losses[:2, 2] = ((1 - short) / 2) ** 0.5
    return [(one.run, one.to) for one in related.related(losses)] == [(2, [0, 1])]


def lie_in_a_row(part):
    """Whether five runs lie in a row of whose steps a pair's squared loss is such a part, or more."""
    steps = torch.arange(5, dtype=torch.float64)
    square = (steps[:, None] - steps).abs()
    square[0, 2] = square[2, 0] = 2 * part
    return bool(related.in_a_row(square.sqrt()))


def of_own(logs):
    """Whether some runs have less noise, by the logarithms of their own parts."""
    own = torch.tensor(logs, dtype=torch.float64).exp()
    return own_noise.quieter((own[:, None] + own).sqrt().fill_diagonal_(0)) is not None


def with_gap(sds):
    """Whether there are two classes of four runs each, so many SDs within apart."""
    each = [-1.0, -1.0, 1.0, 1.0]  # with an SD of (8 / 6) ** 0.5 over both
    return of_own([0.1 * x for x in each] + [0.1 * (x + 2 + sds * (8 / 6) ** 0.5) for x in each])


def one_quiet(chance):
    """Whether one run of six is said to have less noise that is so likely to lie so far."""
    rest = [-1.0, -1.0, 0.0, 1.0, 1.0]  # their SD is 1
    return of_own([0.1 * x for x in rest] + [-0.1 * stdtrit(4, 1 - chance / 6) * 1.2**0.5])


def far_of_words(words):
    """How many of three runs of so many words are said to lie far where one lies twice as far."""
    losses = torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [2.0, 2.0, 0.0]])
    return len(belonging.belonging(losses, int(words)).far)


EDGES = {
    "shared.words": Edge(far_of_words, 0, 1, step=1),
    "shared.tied": Edge(tied, False, True, step=1e-5),
    "shared.alone": Edge(alone, 1, 4),
    "shared.kinds": Edge(lambda x: kinds(6, x), 0, 2),
    "shared.apart": Edge(lambda x: lying_apart(5, x), "no", "yes"),
    "shared.chance-of-one": Edge(lambda x: lying_apart(5, 2.0, stdtrit(3, 1 - x / 5)), "yes", "no"),
    "shared.matters": Edge(lambda x: claims.documents(sure(1.0), Estimate(x, 0.0, 9))[0], "hardly", "matter"),
    "shared.most": Edge(lambda x: RETURN.judge(Returning(sure(0.95), 10, x)), "read one", "few words"),
    "shared.noisy": Edge(lambda x: claims.too_noisy(x, 5), True, False),
    "shared.noisy-runs": Edge(lambda x: claims.too_noisy(0.2, int(x)), True, False, step=1),
    "shared.collapsed": Edge(lambda x: bool(list(alarms_of("g", {"a run": x}, None))), False, True),
    "shared.at-chance": Edge(lambda x: chance.at_chance(sure(x), 1.0), "no", "yes"),
    "shared.near": Edge(are_near, True, False),
    "shared.near-of-three": Edge(three_are_near, True, False),
    "shared.related": Edge(lambda x: are_related(1 - x), False, True),
    "shared.less": Edge(lambda x: of_own([math.log(x)] * 4 + [0.0] * 4), True, False),
    "shared.gap": Edge(with_gap, False, True),
    "shared.chance-of-one-quiet": Edge(one_quiet, True, False),
    "shared.nearer": Edge(lambda x: are_related(x**2, related.NEARER), True, False),
    "shared.between": Edge(lies_between, False, True),
    "shared.steps": Edge(lie_in_a_row, False, True),
    "shared.far-of-few": Edge(lambda x: is_far(4, x), False, True),
    "shared.far": Edge(lambda x: is_far(8, math.exp(x)), False, True),
    "shared.far-by-spread": Edge(lambda x: belonging.far_from(9, 1.0) < 0.3 + x, False, True),
}
