from gpustab.studies.sweep import claims, claims_of_sizes
from gpustab.studies.sweep.sizes import Effect, Ordered
from tests.studies.edges import Edge, sure


def compared(mean):
    unlike = claims.no_comparison(mean, 0.1)
    return claims.MORE_STABLE.judge(claims.Changed([sure(-10.0)], unlike=unlike))


def knowing(beyond):
    effect = Effect("shuffled", "bits", 1, 32, 0.4, 0.3, -0.1, 0.001, 10, beyond, 0.0)
    return claims_of_sizes.STEADIER.judge(effect)


def ordering(rho, sizes=10**21, runs=10):
    row = Ordered("shuffled", "eigenspace", rho, 0.0, int(sizes), runs)
    return claims_of_sizes.FORESEEN.judge(claims_of_sizes.Order(row, differ=True))


EDGES = {
    "sweep.plateau": Edge(lambda x: claims.LEVELS_OFF.judge(claims.Changed([sure(x)])), "no", "yes"),
    "sweep.knows": Edge(knowing, "no test", "yes"),
    "sweep.orders-alike": Edge(ordering, "no", "yes"),
    "sweep.enough-sizes": Edge(lambda n: ordering(0.999, n), "no test", "yes", 1),
    "sweep.half-collapsed": Edge(compared, "yes", "no test"),
}
