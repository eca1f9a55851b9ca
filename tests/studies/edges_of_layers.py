from docs.examples.layers import _parted
from gpustab.studies.layers import claims
from tests.studies.edges import Edge


def alike(low):
    return claims.ALIKE.judge(_parted((low, 0.99)))


def clear(low):
    return claims.LEAST.judge(_parted((0.5, 0.6), clear_low=low, clear_high=2.0))


def jump(low):
    return claims.PARTING.judge(_parted((0.5, 0.6), jump_low=low, jump_high=99.0))


def same(largest):
    return claims.ALIKE.judge(_parted((0.5, 0.6), largest=largest))


EDGES = {
    "layers.same": Edge(same, "same", "no"),
    "layers.kept": Edge(alike, "undecided", "yes"),
    "layers.clear": Edge(clear, "undecided", "yes"),
    "layers.jump": Edge(jump, "undecided", "yes"),
}
