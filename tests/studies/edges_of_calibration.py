from gpustab.studies.calibration import claims
from gpustab.studies.calibration.tables import Calibrated
from tests.studies.edges import Edge


def explained(share):
    """A row whose interval ends at a share and begins below 0."""
    return Calibrated(
        "g", "t", "words", 100, 50, 0, 5, 0.5, 1, 1, 1, 1, (share - 1) / 2, (share + 1) / 2 / 1.984217, 99, 0
    )


EDGES = {"calibration.nothing": Edge(lambda x: claims.TELLS.judge(explained(x)), "no", "undecided")}
