from gpustab.studies.sweep import claims, claims_of_sizes
from gpustab.studies.sweep.tables_of_sizes import Ordered
from tests.studies.edges import Edge, sure


def compared(mean):
    unlike = claims.no_comparison(mean, 0.1)
    return claims.MORE_STABLE.judge(claims.Changed([sure(-10.0)], unlike=unlike))


def ordering(rho, sizes=10**21, runs=10):
    row = Ordered("shuffled", "eigenspace", rho, 0.0, int(sizes), runs)
    return claims_of_sizes.FORESEEN.judge(claims_of_sizes.Order(row, differ=True))


EDGES = {
    "sweep.plateau": Edge(lambda x: claims.LEVELS_OFF.judge(claims.Changed([sure(x)])), "no", "yes"),
    "sweep.enough-sizes": Edge(lambda n: ordering(0.999, n), "no test", "yes", 1),
    "sweep.half-collapsed": Edge(compared, "yes", "no test"),
}
