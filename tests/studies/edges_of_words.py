import numpy as np

from docs.examples.words import _effect, _part
from gpustab.studies.words import claims
from gpustab.studies.words.factors import of_wordnet
from tests.studies.edges import Edge


class Half:
    """A lexicon that has the words that begin with k."""

    def senses(self, word, pos):
        return [1] if word.startswith("k") and pos == "n" else []


def known(share):
    words = [b"known"] * round(1000 * share) + [b"other"] * round(1000 * (1 - share))
    return bool(of_wordnet(words, Half()).columns)


def of_effect(low, words=1700):
    return claims.FREQUENT.judge(_effect("frequency", 0.5, 1.0, words=words, low=low, high=low + 1))


EDGES = {
    "words.matters": Edge(of_effect, "undecided", "yes"),
    "words.adds": Edge(lambda low: claims.SPEECH.judge(_part(0.5, low=low, high=low + 0.2)), "undecided", "yes"),
    "words.fewest": Edge(lambda n: of_effect(0.4, int(np.round(n))), "no test", "yes", step=1),
    "words.known": Edge(known, below=False, above=True, step=0.01),
}
