"""The corpus of substitutions: every sentence of every pair, with its chains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gpustab.studies.localization.chains import Chains, Kind, chains_of, pool_of
from gpustab.studies.localization.language import Language, Tokens
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.pairs import Pair, components
from gpustab.studies.localization.substitution import Decision, decide
from gpustab.wordnet.lexicon import Lexicon


class Base(NamedTuple):
    """One sentence of a pair.

    Attributes:
        pair: number of the pair.
        side: 0 for its first sentence, 1 for its second.
        component: of pairs that share a sentence.
        sentence: as it was read.
        tokens: of it.
        paraphrase: tokens of the other sentence.
        decisions: on its nouns and verbs.
        chains: of changed sentences, by kind.
    """

    pair: int
    side: int
    component: int
    sentence: str
    tokens: Tokens
    paraphrase: Tokens
    decisions: tuple[Decision, ...]
    chains: Chains


class Corpus(NamedTuple):
    """All bases.

    Attributes:
        bases: two of every pair, in the pairs' order.
        provenance: what they were made with.
    """

    bases: list[Base]
    provenance: dict[str, str]

    def lengths(self, kind: Kind) -> list[int]:
        """Return how many words were changed in every base at most, in chains of one kind."""
        return [len(base.chains[kind]) for base in self.bases]


def build(
    pairs: Sequence[Pair],
    lexicon: Lexicon,
    language: Language,
    options: LocalizationOptions,
    told: Callable[[str, float], None] = lambda _work, _part: None,
) -> Corpus:
    """Return the corpus of some pairs: each of the two sentences is a base, the other its paraphrase.

    Args:
        pairs: of one meaning.
        lexicon: WordNet.
        language: tokens, tags, forms.
        options: sense, choice, order, number of changes, seed.
        told: called with the work at hand and its finished part.
    """
    sentences = list(dict.fromkeys(sentence for pair in pairs for sentence in pair))
    tokens = {sentence: language.tokenise(sentence) for sentence in sentences}
    told("tagging", 0.0)
    tags = dict(zip(sentences, language.tag([tokens[sentence] for sentence in sentences]), strict=True))
    told("changing words", 0.4)
    decisions = {
        sentence: tuple(decide(tokens[sentence], tags[sentence], lexicon, language, options.sense))
        for sentence in sentences
    }
    pool = pool_of([decisions[sentence] for sentence in sentences])
    told("changing words", 0.8)
    chains = {sentence: chains_of(tokens[sentence], decisions[sentence], pool, options) for sentence in sentences}
    of = components(pairs)
    bases = [
        Base(n, side, of[n], own, tokens[own], tokens[pair[1 - side]], decisions[own], chains[own])
        for n, pair in enumerate(pairs)
        for side, own in enumerate(pair)
    ]
    return Corpus(bases, language.provenance | {"wordnet": lexicon.folder})
