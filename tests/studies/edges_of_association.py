from docs.examples.association import _tested
from gpustab.studies.association import claims
from tests.studies.edges import Edge


def judge(turned_high=0.001, p=0.01):
    return claims.THERE.judge(_tested(1.0, 0.1, p, (0.0, turned_high)))


EDGES = {
    "association.turns": Edge(judge, "yes", "undecided", step=0.001),
    "association.chance": Edge(lambda p: judge(p=p), "yes", "words", step=0.001),
}
