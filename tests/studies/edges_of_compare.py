import math

from gpustab.studies.compare.claims import MORE_STABLE, Groups
from gpustab.studies.compare.claims_of_spaces import DIFFER, Spaces
from gpustab.studies.compare.spaces import COSINES, Agreement
from tests.studies.edges import Edge, sure


def _judged(p, loss):
    return MORE_STABLE.judge(Groups("a", "b", sure(p), sure(0.0), 10, sure(0.5 + loss), sure(0.5)))


def _spaces(agreement, first=0.6):
    return DIFFER.judge(Spaces("a", "b", Agreement("p@10", first, 0.0, 0.6, 0.0, 0.5, 0.0, agreement, 0.0, 8, 0.0), 10))


def _level(x):
    """Cosines that agree, of groups whose loss by chance has that share of squares of the one between them."""
    between = math.sqrt(1 - x * (1 - 0.3**2))
    return DIFFER.judge(Spaces("a", "b", Agreement(COSINES, 0.3, 0.0, 0.3, 0.0, between, 0.0, 1.0, 0.0, 8, 1.0), 10))


EDGES = {
    "compare.alike": Edge(lambda x: _judged(x, 0.0), below="alike", above="first"),
    "compare.alike-loss": Edge(lambda x: _judged(0.1, x), below="first", above="disagree"),
    "compare.paired": Edge(_spaces, below="alike", above="paired"),
    "compare.level": Edge(_level, below="other level", above="alike"),
    "compare.same": Edge(_spaces, below="differ", above="alike"),
    "compare.shared": Edge(lambda x: _spaces(0.5, x), below="no test", above="differ"),
}
