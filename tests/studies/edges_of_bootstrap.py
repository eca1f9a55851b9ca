import math

from gpustab.studies.bootstrap import claims, claims_of_runs
from gpustab.studies.bootstrap.tables import Setting
from tests.studies.edges import Edge


def setting(sampling="bootstrap", **values):
    """A group of ten runs whose numbers are sure, and 0 unless they are given."""
    row = dict.fromkeys(Setting._fields, 0.0) | dict.fromkeys(("technique", "group", "part"), "x")
    row |= {"sampling": sampling, "unit": "document", "fraction": 1.0, "runs": 10}
    return Setting(**row | values)


def judged(claim, name):
    return lambda x: claim.judge(setting(**{f"{name}_value": x}))


EDGES = {
    "bootstrap.alike": Edge(
        lambda x: claims.ORDER.judge(claims.Pair(setting(log_spread_value=x), setting())), "yes", "no"
    ),
    "bootstrap.firm-lists": Edge(judged(claims.SMALL, "jn"), "no", "yes"),
    "bootstrap.small-sd": Edge(
        lambda x: claims.SMALL_BY_SD.judge(setting("fixed", spread=x, log_spread_value=math.log(x))), "yes", "no"
    ),
    "bootstrap.top-two-stay": Edge(judged(claims.TOP_TWO, "j2"), "yes", "no"),
    "bootstrap.sufficient": Edge(judged(claims.AVERAGE, "recurring"), "no test", "yes"),
    "bootstrap.as-many": Edge(
        lambda x: claims.AVERAGE.judge(setting(recurring_value=0.5, runs=2 * int(x))), "no test", "no", step=1
    ),
    "bootstrap.flat": Edge(lambda x: claims.is_flat(setting(mean_value=x)), False, True),
    "bootstrap.blind": Edge(
        lambda x: claims.ORDER.judge(claims.Pair(setting(relative=x), setting("fixed", relative=2.0))), "yes", "no test"
    ),
    "bootstrap.bias-alone": Edge(
        lambda x: claims.STABILISES.judge(setting(rise_value=x, runs=int(claims.PLATEAU))), "no", "yes"
    ),
    "bootstrap.plateau": Edge(
        lambda x: claims.STABILISES.judge(setting(rise_value=0.5, runs=int(x))), "no test", "yes", step=1
    ),
    "bootstrap.noise": Edge(lambda x: claims_of_runs.is_noise(setting("fixed", p_value=x)), True, False),
}
