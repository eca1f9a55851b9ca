from gpustab.studies.sweep import claims
from tests.studies.edges import Edge, sure

EDGES = {"sweep.plateau": Edge(lambda x: claims.LEVELS_OFF.judge(claims.Changed([sure(x)])), "no", "yes")}
