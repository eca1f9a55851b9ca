from gpustab.studies.sweep import claims
from tests.studies.edges import Edge, sure


def compared(mean):
    unlike = claims.no_comparison(mean, 0.1)
    return claims.MORE_STABLE.judge(claims.Changed([sure(-10.0)], unlike=unlike))


EDGES = {
    "sweep.plateau": Edge(lambda x: claims.LEVELS_OFF.judge(claims.Changed([sure(x)])), "no", "yes"),
    "sweep.half-collapsed": Edge(compared, "yes", "no test"),
}
