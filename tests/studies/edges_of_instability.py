from gpustab.studies.instability.averages import LevelLoss
from gpustab.studies.instability.claims import (
    INCONSISTENT,
    INDEPENDENT_COSINES,
    NORMAL_COSINES,
    SAMPLES_DO,
    UNRELATED_TO_LOSS,
    Sampled,
)
from gpustab.studies.instability.claims_of_averages import (
    FALLS,
    LARGER_MEANS,
    NO_RISE,
    REFERENCE_ADDS,
    SECOND_TERM,
    SMALLER_SD,
    highest,
)
from gpustab.studies.instability.claims_of_corpora import WITH_CORPUS_SIZE
from gpustab.studies.instability.claims_of_losses import (
    EXTRINSIC_FALLS,
    EXTRINSIC_FLAT,
    GLOVE_ALIKE,
    HARDLY_VARY,
    INTRINSIC_FLAT,
    TWO_RUNS_SUFFICE,
    Spread,
)
from gpustab.studies.instability.corpora import OverCorpora
from gpustab.studies.instability.cosines import CosineTest
from gpustab.studies.instability.frequency import TrendRow
from gpustab.studies.instability.scores import Gain
from gpustab.studies.instability.subsets import Consistency, WithDistance
from gpustab.studies.instability.trees import Term, TreeRow
from tests.studies.edges import Edge, sure
from tests.studies.instability.made import row

MANY = 10**12
"""Runs, or words, of which an interval has no width to speak of."""


def cosine_test(**numbers):
    return row(CosineTest, **numbers)


def trend(change, p=0.0):
    return row(TrendRow, change=change, low=change, high=change, batch_p=p, batch_correlation=change, batch_deviation=0)


def second_term(mean):
    return Term("x", 9, mean, 0.0, 1.0, 0.0, 0.0, 0.5, 0.0)


EDGES = {
    "instability.corpora-from": Edge(
        lambda x: WITH_CORPUS_SIZE.judge(OverCorpora(1.0, 0.0, int(x))), "no test", "yes", step=1
    ),
    "instability.with-size-p": Edge(lambda x: WITH_CORPUS_SIZE.judge(OverCorpora(0.9, x, 7)), "yes", "undecided"),
    "instability.normal": Edge(
        lambda x: NORMAL_COSINES.judge(cosine_test(distance=x, distance_band=0.0, runs=16)), "yes", "no"
    ),
    "instability.not-normal": Edge(
        lambda x: NORMAL_COSINES.judge(cosine_test(distance=1 + x, distance_band=1.0, runs=16)), "undecided", "no"
    ),
    "instability.normal-from": Edge(
        lambda x: NORMAL_COSINES.judge(cosine_test(distance=0.0, distance_band=0.0, runs=x)), "undecided", "yes", step=1
    ),
    "instability.denied-from": Edge(
        lambda x: NORMAL_COSINES.judge(cosine_test(distance=0.5, distance_band=0.0, runs=x)), "undecided", "no", step=1
    ),
    "instability.independent": Edge(
        lambda x: INDEPENDENT_COSINES.judge(cosine_test(correlation=x, correlation_se=0.0, runs=9, correlation_p=0.0)),
        "yes",
        "no",
    ),
    "instability.dependent-p": Edge(
        lambda x: INDEPENDENT_COSINES.judge(cosine_test(correlation=0.5, correlation_se=0.0, runs=9, correlation_p=x)),
        "no",
        "undecided",
    ),
    "instability.consistent": Edge(lambda x: INCONSISTENT.judge(row(Consistency, correlation=x, se=0.0)), "yes", "no"),
    "instability.agrees": Edge(lambda x: SAMPLES_DO.judge(Sampled(x, MANY, MANY)), "no", "yes", step=1e-5),
    "instability.proxy-of": Edge(
        lambda x: SAMPLES_DO.judge(Sampled(0.99, 1000, x * 1000)), below="no test", above="yes", step=1e-3
    ),
    "instability.unrelated": Edge(
        lambda x: UNRELATED_TO_LOSS.judge(row(WithDistance, correlation=x, se=0.0)), "yes", "no"
    ),
    "instability.varies": Edge(lambda x: HARDLY_VARY.judge(Spread(x, MANY)), "yes", "no", step=1e-5),
    "instability.one-pair": Edge(lambda x: TWO_RUNS_SUFFICE.judge(Spread(x, MANY)), "yes", "no", step=1e-5),
    "instability.equivalent": Edge(lambda x: GLOVE_ALIKE.judge(sure(x)), "yes", "no"),
    "instability.flat-intrinsic": Edge(lambda x: INTRINSIC_FLAT.judge(trend(x)), "yes", "no"),
    "instability.flat-extrinsic": Edge(lambda x: EXTRINSIC_FLAT.judge(trend(-x)), "yes", "no"),
    "instability.batches-p": Edge(lambda x: EXTRINSIC_FALLS.judge(trend(-0.5, p=x)), "yes", "undecided"),
    "instability.smaller": Edge(lambda x: SMALLER_SD.judge(sure(x)), "yes", "no"),
    "instability.larger": Edge(lambda x: LARGER_MEANS.judge(sure(x)), "no", "yes"),
    "instability.no-mean": Edge(lambda x: SECOND_TERM.judge(second_term(x)), "yes", "no"),
    "instability.near": Edge(
        lambda x: FALLS.judge(row(LevelLoss, runs_beneath=4, ratio_cosine=(1 + x) / 2, cosine_sd=0.0, orders=4)),
        "yes",
        "no",
    ),
    "instability.one-reference-from": Edge(
        lambda x: REFERENCE_ADDS.judge(row(TreeRow, halves_of=x, splits=4, between_halves=1.5, between_halves_sd=0.0)),
        below="no test",
        above="yes",
        step=1,
    ),
    "instability.plateau": Edge(lambda x: NO_RISE.judge(Gain("x", "t", 64, 4, x / 100, 0.0)), "yes", "no"),
    "instability.plateau-averages": Edge(
        lambda x: NO_RISE.judge(Gain("x", "t", 64, int(x), 0.0, 0.0)), below="no test", above="yes", step=1
    ),
    "instability.enough-averages": Edge(
        lambda x: (
            highest([Gain("x", "t", 2, 8, 0.0, 0.0), Gain("x", "t", 4, int(x), 0.0, 0.0)], lambda row: row.test)[
                "t"
            ].runs_beneath
        ),
        2,
        4,
        step=1,
    ),
}
