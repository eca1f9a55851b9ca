import math

from gpustab.statistics.intervals import t_quantile
from gpustab.studies.consistency.claims import GROUPS_NEARER, HALVES_DIFFER, SURER, TOLD_APART
from gpustab.studies.consistency.claims_of_sums import MOSTLY_COMMON, NEAR_AS_SUMS, Placed, Sums
from gpustab.studies.consistency.claims_of_vectors import BETTER_MODEL, READ_BY_NONCE
from gpustab.studies.consistency.tables import Contrast, Grouped, ModelNumbers, Split, Updates, WordRanks
from tests.studies.consistency.made import row
from tests.studies.edges import Edge


def _told_apart(terms=20.0, low=0.4, high=0.9):
    return TOLD_APART.judge(row(ModelNumbers, terms=terms, auc_low=low, auc_high=high))


def _mostly_common(excess):
    return MOSTLY_COMMON.judge(Sums(row(ModelNumbers, excess=excess), row(ModelNumbers)))


def _near_as_sums(place):
    """Of samples that are far from the first place among other terms' samples."""
    return NEAR_AS_SUMS.judge(Placed(row(ModelNumbers, rank=50.0, auc_low=0.4), row(WordRanks, both=place)))


def _halves_differ(p):
    return HALVES_DIFFER.judge(row(Split, p=p))


def _equal(high):
    return BETTER_MODEL.judge(row(Contrast, auc_low=-0.01, auc_high=high, terms=20))


def _read(mean):
    return READ_BY_NONCE.judge([row(Updates, updates=mean), row(Updates, updates=0.0)])


def _surer(times):
    """Of a standard error over terms that is so many times that over four trainings."""
    half = times * 0.01 * t_quantile(19)
    numbers = row(ModelNumbers, runs=4, terms=20, auc_sd=0.01 * math.sqrt(4), auc_low=0.7 - half, auc_high=0.7 + half)
    return SURER.judge(numbers)


def _grouped(terms):
    return GROUPS_NEARER.judge(Grouped("g", "sums", terms, 3, 0.9, 0.8, 0.99))


EDGES = {
    "consistency.grouped-fewest": Edge(_grouped, below="few", above="nearer", step=1),
    "consistency.fewest": Edge(lambda terms: _told_apart(terms=terms), below="few", above="open", step=1),
    "consistency.chance": Edge(lambda low: _told_apart(low=low), below="open", above="apart"),
    "consistency.near": Edge(lambda high: _told_apart(high=high), below="alike", above="open"),
    "consistency.common": Edge(_mostly_common, below="yes", above="no"),
    "consistency.first": Edge(_near_as_sums, below="yes", above="no"),
    "consistency.p-value": Edge(_halves_differ, below="differ", above="open"),
    "consistency.equal": Edge(_equal, below="equal", above="open"),
    "consistency.read": Edge(_read, below="none", above="first"),
    "consistency.twice": Edge(_surer, below="both", above="terms"),
}
