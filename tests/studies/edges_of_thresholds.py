from gpustab.studies.thresholds import claims
from gpustab.studies.thresholds import claims_of_paper as other
from gpustab.studies.thresholds.page import of_paper
from gpustab.studies.thresholds.tables import SIZES, OverRuns, ScoreOverRuns, Size
from tests.studies.edges import Edge


def threshold(sd=0.0, proven=0.3, found=8):
    return OverRuns("g", "value", "chance", 0.2, sd, 0.01, 0.02, 0.2, 0.2, 0.1, proven, 0.4, found, found)


def size(pairs, group):
    return Size("g", pairs, None, group, None, group, group, 1, 1)


def hangs(pairs):
    rows = [size(pairs, 0.9), size(1000, 0.3), size(2000, 0.3)]
    return bool(list(of_paper({"paper_sizes": SIZES.table(rows)})))


def one_test(rho):
    none = dict.fromkeys(ScoreOverRuns._fields)
    return other.Tests([ScoreOverRuns(**none | {"above": rho, "dropped": 0.0, "change_sd": 1.0})])


EDGES = {
    "thresholds.stable": Edge(lambda x: claims.stable(x, 10**6), "yes", "no", step=0.002),
    "thresholds.few-pairs": Edge(lambda x: bool(list(claims.alarms_of("g", {}, x))), True, False),
    "thresholds.near": Edge(lambda x: claims.proven_near(threshold(proven=0.2 + x)), True, False),
    "thresholds.wide": Edge(
        lambda x: other.HANGS_ON_SIZE.judge(other.Sizes(size(100, x), size(1000, 0.0), 2)), "no", "yes"
    ),
    "thresholds.enough": Edge(lambda x: hangs(int(x)), False, True, step=1),
    "thresholds.same": Edge(lambda x: other.shape_of([x], 0.0), "same", "different"),
    "thresholds.beyond": Edge(lambda x: other.NARROWS.judge(one_test(-x)), "undecided", "yes"),
}
