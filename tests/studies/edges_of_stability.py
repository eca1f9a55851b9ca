from gpustab.studies.stability import claims
from gpustab.studies.stability.claims import Halves, Opposite, Ranking, Returning
from tests.studies.edges import Edge, sure


def returning(x):
    return claims.RETURN.judge(Returning(sure(x), 10, 0.002))


EDGES = {
    "stability.read-one": Edge(returning, "several runs", "read one"),
    "stability.hardly": Edge(returning, "next to nothing", "several runs"),
    "stability.alike": Edge(
        lambda x: claims.OTHER_DOCUMENTS.judge(Halves(sure(0.0), sure(x), None, 10)), "same", "other"
    ),
    "stability.opposite": Edge(lambda x: claims.POINTS_OPPOSITE.judge(Opposite([x], 1000, 10)), "no", "yes"),
    "stability.enough-words": Edge(
        lambda x: claims.POINTS_OPPOSITE.judge(Opposite([0.9], int(x), 10)), "no", "yes", step=1
    ),
    "stability.lists": Edge(lambda x: claims.LEAST_LISTED.judge(claims.Least(10, 10 * x, 0.6, 8)), "no", "yes"),
    "stability.cannot": Edge(lambda x: claims.RANKS_WORDS.judge(Ranking(x, 5)), "cannot", "group"),
    "stability.bands": Edge(lambda x: claims.RANKS_WORDS.judge(Ranking(x, 5)), "group", "place"),
}
