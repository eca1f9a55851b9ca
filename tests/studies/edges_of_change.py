import numpy as np
import torch

from gpustab.errors import InputError
from gpustab.kernels.kept import lost
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.claims import BARELY, BEYOND_LAW, BEYOND_SAMPLING, ORDER, Order
from gpustab.studies.change.claims_of_frames import NO_FRAME, TWO_CAMPS
from gpustab.studies.change.claims_of_neighbours import FEWER_THAN_AT_RANDOM, NAME_ALIKE, Agreement
from gpustab.studies.change.claims_of_splits import Placebo, differ_too
from gpustab.studies.change.claims_of_tasks import AVERAGE_BETTER, Way
from gpustab.studies.change.differences import neighbours_difference
from gpustab.studies.change.laws import Laws, Rows
from gpustab.studies.change.tables import Excess, Kept, Pair
from tests.studies.edges import Edge


def pair(change, floor=0.2):
    """Two periods without any error."""
    return Pair(
        **dict.fromkeys(Pair._fields, 0.0)
        | {"change": change, "sampling_floor": floor, "training_floor": 0.1}
        | {"tested": 100, "runs_first": 4, "runs_second": 4, "align": "all"}
    )


def beside_splits(share):
    """Periods that moved no farther than 1000 splits, of which the rule of sampling finds so many to differ."""
    found = round(1000 * share)
    return Placebo(pair(0.9), [pair(0.9)] * found + [pair(0.2)] * (1000 - found), 0.1)


def neighbours(beyond_chance):
    """Periods that share by chance, and two splits that share as two runs do: so much of their lists beyond chance."""
    parts = torch.tensor([0.1, 0.1 + beyond_chance, 0.1 + beyond_chance])
    rows = zip(lost(parts, parts[1].expand(3), 0.1, BARELY).tolist(), (False, True, True), strict=True)
    nothing = Kept(**dict.fromkeys(Kept._fields, 0.0) | {"runs": 4})
    return neighbours_difference([nothing._replace(lost=value, control=split) for value, split in rows])


def fitted(words):
    """A law of so many words, or why there is none."""
    values = np.exp(np.random.default_rng(0).normal(size=(4, int(words))))
    names = [f"w{k}" for k in range(int(words))]
    parts = [Rows("a", "b", names, values[k], {1: values[k + 2 : k + 3]}, {}) for k in range(2)]
    try:
        return len(set(Laws(parts, False).groups)) == words
    except InputError as error:
        return str(error)


EDGES = {
    "change.no-more": Edge(lambda x: BEYOND_SAMPLING.judge(pair(0.2 + 0.1 * x)), below="no more", above="open"),
    "change.noisy": Edge(
        lambda x: BEYOND_SAMPLING.judge(pair(0.95, floor=0.55)._replace(training_floor=x)), "more", "too noisy"
    ),
    "change.too": Edge(lambda x: differ_too(beside_splits(x)), below=False, above=True, step=1e-3),
    "change.camps": Edge(lambda x: TWO_CAMPS.judge(pair(0.2)._replace(two_turns=x)), "yes", "no"),
    "change.shared": Edge(
        lambda x: NO_FRAME.judge(pair(0.9)._replace(align="none", residual=0.8, by_all=0.8 * x)), "no", "yes"
    ),
    "change.beyond": Edge(
        lambda x: BEYOND_LAW.judge(Excess("s", "a", "b", "w", 0.1, 0.5, 0.4, 1.0, 0.1, 3, x, 0.1)), "yes", "no"
    ),
    "change.unlike-noise": Edge(
        lambda x: BEYOND_LAW.judge(Excess("s", "a", "b", "w", 0.1, 0.5, 0.4, 1.0, 0.1, 3, 0.01, 0.1, x)),
        "yes",
        "no test",
    ),
    "change.reliable": Edge(lambda x: ORDER.judge(Order("a", x)), below="no", above="yes"),
    "change.barely": Edge(lambda x: FEWER_THAN_AT_RANDOM.judge(neighbours(x)), "too noisy", "more", step=1e-4),
    "change.alike": Edge(lambda x: NAME_ALIKE.judge(Agreement("a", x, 10**30, differ=True)), "no", "yes"),
    "change.ranked": Edge(
        lambda x: AVERAGE_BETTER.judge(Way("s", Estimate.of_runs(0.5, 0.01, int(x)))), "no test", "better", step=1
    ),
    "change.words-of-a-law": Edge(fitted, below="19 words, wanted 20 or more", above=True, step=1),
}
