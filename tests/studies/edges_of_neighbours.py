from gpustab.studies.neighbours import claims
from tests.studies.edges import Edge


def often(x):
    """Of 200 runs, so many hits that every other condition is met."""
    return claims.verdict(180, 200, x, 0.6)


EDGES = {
    "neighbours.least-runs": Edge(lambda x: claims.verdict(int(x), int(x), 1.0, 0.6), "not judged", "firm", step=1),
    "neighbours.often": Edge(often, "open", "firm"),
    "neighbours.seldom": Edge(lambda x: claims.verdict(2, 10, x, 0.6), "passing", "open"),
    "neighbours.half": Edge(lambda x: claims.verdict(round(1000 * x), 1000, 0.5, 0.6), "passing", "open", step=0.05),
}
