"""Tables of three techniques that tell something of every claim, with numbers of more digits than are shown."""

from gpustab.studies.instability.averages import COSINE_RATIOS, LEVELS, CosineRatios, LevelLoss
from gpustab.studies.instability.cosines import ACCURACY, STRUCTURE, TESTS, Accuracy, CosineTest, Structure
from gpustab.studies.instability.frequency import TRENDS, TrendRow
from gpustab.studies.instability.losses import (
    EXTRINSIC,
    LOSSES,
    OVER_PROXIES,
    PROXIES,
    Extrinsic,
    Loss,
    OverProxies,
    Proxy,
)
from gpustab.studies.instability.neighbours import OVER_LENGTHS, OverLengths
from gpustab.studies.instability.scores import DOUBLINGS, EXTREMES, GAINS, SCORES, Extremes, Gain, Score
from gpustab.studies.instability.subsets import CONSISTENCY, DISTANCE, HOW_MANY, Consistency, ErrorOfRuns, WithDistance
from gpustab.studies.instability.trees import TERM, TREES, Term, TreeRow
from tests.studies.instability.made import row, tables

NAMES = ("sgns", "glove", "fasttext")


def _loss(place, sampling):
    spread = {"relative_sd": 0.012345, "word_relative_sd": 0.234567, "word_degrees_of_freedom": 12.345}
    return row(
        Loss, sampling=sampling, runs=6, words=9123, reduced_pip=0.0234567 + 0.01 * place, se=1.2345e-5, **spread
    )


def _trend(quantity, least=0, **numbers):
    return row(TrendRow, quantity=quantity, least_frequency=least, **numbers)


_FLAT = {"change": 0.01234, "low": -0.05678, "high": 0.05678, "batch_correlation": 0.12345, "batch_p": 0.54321}
_FALLING = {"change": -0.71234, "low": -0.91234, "high": -0.51234, "batch_correlation": -0.91234, "batch_p": 1.234e-4}
_LAW = {"runs": 6, "tested": 1234, "below": 0.12345, "normals_below": 0.05432, "p": 0.012345}
ROWS = {
    LOSSES: [_loss(k, sampling) for k, sampling in enumerate(("shuffled", "fixed", "bootstrap"))],
    EXTRINSIC: [row(Extrinsic, runs=6, signed_square=1.23456, square_se=0.0123456, negative_words=3)],
    TRENDS: [
        _trend("intrinsic", batch_deviation=0.01234, **_FLAT),
        _trend("intrinsic", 100, change=0.23456),
        _trend("extrinsic squared", batch_deviation=0.51234, **_FALLING),
    ],
    TESTS: [
        row(CosineTest, hypothesis="normal", distance=0.234567, distance_band=0.012345, **_LAW),
        row(
            CosineTest,
            hypothesis="independent, disjoint",
            correlation=0.00123456,
            correlation_se=0.00123456,
            correlation_p=0.123456,
            **_LAW,
        ),
    ],
    OVER_LENGTHS: [OverLengths("x", "p", 2, {"50": 0.34567})],
    CONSISTENCY: [row(Consistency, correlation=0.34567, se=0.01234, reliability=0.56789, other_reliability=0.98765)],
    ACCURACY: [
        Accuracy("x", 1, 300, 0.5, 0.54321, 0.01234, 0.12345, 0.65432, 0.02345, 0.23456, 0.98765, 0.0345, 0.345)
    ],
    STRUCTURE: [row(Structure, n=1, targets=300, pearson=0.54321, bias=0.012345, exact_pearson=0.98765)],
    DISTANCE: [
        row(WithDistance, n=n, measured=0.65432, correlation=correlation, se=0.012345)
        for n, correlation in ((1, 0.87654), (10, 0.98765))
    ],
    PROXIES: [row(Proxy, words=9123)],
    OVER_PROXIES: [OverProxies("x", "all", 10, 1000, {"1000": 0.98765})],
    HOW_MANY: [
        row(ErrorOfRuns, quantity="reduced PIP loss", runs=runs, subsampling=0.00123456, for_1_percent=4)
        for runs in (2, 6)
    ],
    COSINE_RATIOS: [CosineRatios("x", False, 2, 4, 1.12345, 1.0567, 0.00123, 0.7123, 0.00123, 0.7, 1.012345, 0.76543)],
    TERM: [Term("x", 4, 0.000123456, 0.0000123, 0.0234567, 0.0123456, 0.00123456, 0.234567, 0.0123456)],
    LEVELS: [LevelLoss("x", False, n, 4, 4, 0.65432, 0.71234, 0.00123, 0.69876, 0.70711) for n in (1, 2)],
    TREES: [
        TreeRow("x", "tree", 4, 0.00123456, 0.000123, 4, 4, 0.5123456, 0.0123, 0.5),
        TreeRow("x", "one reference", 4, 0.0123456, 0.000123, 4, 4, 0.6123456, 0.0123, 0.5),
    ],
    GAINS: [
        Gain("x", test, 2, 4, gain, 0.00123) for test, gain in (("simlex999", 0.0123456), ("wordsim353", -0.0123456))
    ],
    DOUBLINGS: [Gain("x", "questions-words", 64, 4, 0.00123456, 0.000123)],
    SCORES: [row(Score, test="questions-words", runs_beneath=1, spaces=4, mean=0.312345, sd=0.0123456)],
    EXTREMES: [row(Extremes, test="simlex999", runs=6, relative_sd=2.12345)],
}


def planted():
    """Return the tables; the techniques differ in nothing but their losses, which rise."""
    return tables(
        *((sheet, *(_of(each, k) for k in range(len(NAMES)) for each in rows)) for sheet, rows in ROWS.items())
    )


def _of(each, place):
    changed = {"technique": NAMES[place]}
    if isinstance(each, Loss):
        changed["reduced_pip"] = each.reduced_pip + 0.001 * place
    return each._replace(**changed)
