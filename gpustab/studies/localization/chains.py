"""Sentences with 1, 2, 3, ... changed words (White 2015, §3.4), and the controls beside them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from gpustab.studies.localization.language import Tokens, article_for
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.substitution import Candidate, Decision, Relation, with_capital

Kind = Literal["noun_synonym", "verb_antonym", "verb_synonym", "random_noun", "random_verb", "shuffle"]

KINDS: tuple[Kind, ...] = ("noun_synonym", "verb_antonym", "verb_synonym", "random_noun", "random_verb", "shuffle")
SUBSTITUTED: tuple[Relation, ...] = ("noun_synonym", "verb_antonym", "verb_synonym")
CONTROLS: dict[Kind, Relation] = {"random_noun": "noun_synonym", "random_verb": "verb_antonym"}
"""Chains of random words of the same tag, and the chain in whose places they stand."""

Pool = Mapping[str, Sequence[str]]
"""By tag, words of the corpus that were changed, each as often as it was."""


class Step(NamedTuple):
    """A sentence with one more changed word than the step before it.

    Attributes:
        position: of the word that changed last; −1 for a shuffle.
        old: that word.
        new: what stands in its place.
        tokens: of the whole sentence.
    """

    position: int
    old: str
    new: str
    tokens: Tokens


Chains = dict[Kind, tuple[Step, ...]]


def chains_of(tokens: Tokens, decisions: Sequence[Decision], pool: Pool, options: LocalizationOptions) -> Chains:
    """Return all chains of a sentence. The same sentence, seed and options give the same chains.

    Verbs' synonyms stand in the antonyms' places as far as they go, then in others. A control draws its words from
    the pool, other than the word in whose place they come.

    Args:
        tokens: of the sentence.
        decisions: on its nouns and verbs.
        pool: of the controls.
        options: order, choice, number of changes and seed.
    """
    found: Chains = {}
    for relation in SUBSTITUTED:
        draw = _draw(tokens, relation, options.seed)
        own = [one for one in decisions if one.relation == relation and one.outcome == "changed"]
        if options.order == "random":
            draw.shuffle(own)
        if relation == "verb_synonym":
            places = [step.position for step in found["verb_antonym"]]
            own.sort(key=lambda one: places.index(one.position) if one.position in places else len(places))
        chosen = [(one.position, _chosen(one.candidates, options.choice, draw)) for one in own[: options.most]]
        found[relation] = progressive(tokens, chosen)
    tags = {one.position: one.tag for one in decisions}
    for kind, relation in CONTROLS.items():
        draw = _draw(tokens, kind, options.seed)
        found[kind] = progressive(tokens, list(_random(found[relation], tags, pool, draw)))
    found["shuffle"] = _shuffled(tokens, _draw(tokens, "shuffle", options.seed))
    return found


def progressive(tokens: Tokens, changes: Sequence[tuple[int, str]]) -> tuple[Step, ...]:
    """Return the sentences with the first change, the first two, and so on.

    An article directly before a changed word follows its sound; nothing else does.

    >>> [" ".join(step.tokens) for step in progressive(("a", "man", "slept"), [(1, "idea"), (2, "woke")])]
    ['an idea slept', 'an idea woke']
    """
    now, steps = list(tokens), []
    for position, new in changes:
        old, now[position] = now[position], new
        if position:
            now[position - 1] = article_for(now[position - 1], old, new)
        steps.append(Step(position, old, new, tuple(now)))
    return tuple(steps)


def pool_of(decisions: Sequence[Sequence[Decision]]) -> Pool:
    """Return the words from which controls are drawn: nouns that have a synonym and verbs that have an antonym."""
    found: dict[str, list[str]] = {}
    for own in decisions:
        for one in own:
            if one.outcome == "changed" and one.relation != "verb_synonym":
                found.setdefault(one.tag, []).append(one.word)
    return found


def _random(
    steps: Sequence[Step], tags: Mapping[int, str], pool: Pool, draw: random.Random
) -> Sequence[tuple[int, str]]:
    changes = []
    for step in steps:
        others = pool[tags[step.position]]
        drawn = (with_capital(others[draw.randrange(len(others))], step.old) for _ in range(100))
        word = next((word for word in drawn if word.lower() not in (step.old.lower(), step.new.lower())), None)
        if word is None:
            break  # the corpus has no other word of this tag
        changes.append((step.position, word))
    return changes


def _shuffled(tokens: Tokens, draw: random.Random) -> tuple[Step, ...]:
    """The same words in another order, once; nothing where all words are one."""
    if len(set(tokens)) < 2:
        return ()
    order = list(tokens)
    while tuple(order) == tokens:
        draw.shuffle(order)
    return (Step(-1, "", "", tuple(order)),)


def _chosen(candidates: Sequence[Candidate], choice: str, draw: random.Random) -> str:
    if choice == "count":
        return max(candidates, key=lambda one: one.tagged).form
    return candidates[draw.randrange(len(candidates))].form


def _draw(tokens: Tokens, what: str, seed: int) -> random.Random:
    """A generator that depends on the sentence, the purpose and the seed, and on nothing else of the corpus."""
    return random.Random(f"{seed}\t{what}\t{' '.join(tokens)}")  # noqa: S311  # a draw, no secret
