from gpustab.studies.compare.claims import MORE_STABLE, Groups
from tests.studies.edges import Edge, sure


def _judged(p, loss):
    return MORE_STABLE.judge(Groups("a", "b", sure(p), sure(0.0), 10, sure(0.5 + loss), sure(0.5)))


EDGES = {
    "compare.alike": Edge(lambda x: _judged(x, 0.0), below="alike", above="first"),
    "compare.alike-loss": Edge(lambda x: _judged(0.1, x), below="first", above="disagree"),
}
