from gpustab.studies.compare.claims import MORE_STABLE, Neighbours
from tests.studies.edges import Edge, sure

EDGES = {
    "compare.alike": Edge(
        lambda x: MORE_STABLE.judge(Neighbours("a", "b", sure(x), sure(0.0), 10)), below="alike", above="first"
    )
}
