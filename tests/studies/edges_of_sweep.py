from gpustab.studies.sweep import claims
from tests.studies.edges import Edge, sure

EDGES = {"sweep.plateau": Edge(lambda x: claims.LEVELS_OFF.judge(sure(x)), "no", "yes")}
