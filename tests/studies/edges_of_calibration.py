from gpustab.statistics.intervals import t_quantile
from gpustab.studies.calibration import claims
from gpustab.studies.calibration.tables import Calibrated
from tests.studies.edges import Edge


def explained(share):
    """A row whose interval begins at −1 and ends at a share."""
    numbers = dict.fromkeys(Calibrated._fields, 0)
    gain = {"gain": (share - 1) / 2, "error": (share + 1) / 2 / t_quantile(99), "freedom": 99}
    return Calibrated(**numbers | gain | {"group": "g"})


def beyond(share):
    """A row whose cosine tells, and whose interval beyond shared words begins at −1 and ends at a share."""
    numbers = dict.fromkeys(Calibrated._fields, 0)
    more = {"gain": 0.5, "more": (share - 1) / 2, "more_error": (share + 1) / 2 / t_quantile(99), "freedom": 99}
    return Calibrated(**numbers | more | {"group": "g"})


EDGES = {
    "calibration.nothing": Edge(lambda x: claims.TELLS.judge(explained(x)), "no", "undecided"),
    "calibration.no-more": Edge(lambda x: claims.MORE.judge(beyond(x)), "no more", "open"),
}
