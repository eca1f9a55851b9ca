from docs.examples.usage import compared, pair
from gpustab.studies.usage import claims
from tests.studies.edges import Edge

EDGES = {
    "usage.fewest": Edge(lambda few: claims.WORD_DIFFERS.judge(compared(fewest=few)), "no test", "yes", step=0.5),
    "usage.no-more": Edge(lambda high: claims.DIFFER.judge(pair(found=0, excess=high, se=0.0)), "no", "undecided"),
    "usage.most": Edge(lambda part: bool(claims.as_a_whole(pair(tested=1000, found=1000 * part))), False, True),
    "usage.rate": Edge(lambda q: claims.WORD_DIFFERS.judge(compared(q=q)), "yes", "undecided"),
}
