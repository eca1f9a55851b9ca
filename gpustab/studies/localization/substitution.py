"""Which words of a sentence may be changed, into what (White 2015, §3.3), and sentences with changed ones (§3.4)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from gpustab.sentences.language import Language, Tokens, article_for
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.wordnet.lexicon import Lexicon, Pos, SenseRule

Relation = Literal["noun_synonym", "verb_antonym", "verb_synonym"]


NOUN_TAGS = ("NN", "NNS")
VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")

_BE, _DO, _HAVE = {"be", "am", "are", "is", "was", "were", "being"}, {"do", "did", "does", "doing"}, {"have", "had"}
_MODALS = {"can", "could", "may", "might", "must", "shall", "should", "will", "would"}
AUXILIARIES = frozenset(_BE | _DO | _HAVE | {"has", "having"} | _MODALS)
"""The paper's list (§3.3.2)."""


class Candidate(NamedTuple):
    """What a word may become.

    Attributes:
        form: inflected, with the word's capital.
        tagged: how often its lemma was tagged with its sense.
    """

    form: str
    tagged: int


_NONE: tuple[Candidate, ...] = ()


class Decision(NamedTuple):
    """What was decided of one noun or verb.

    Attributes:
        position: of the token, from 0.
        word: the token.
        tag: its Penn tag.
        relation: between the word and the candidates.
        outcome: ``changed``, or why it is left.
        candidates: all that may be put in.
    """

    position: int
    word: str
    tag: str
    relation: Relation
    outcome: str
    candidates: tuple[Candidate, ...] = ()


def decide(
    tokens: Tokens, tags: Sequence[str], lexicon: Lexicon, language: Language, rule: SenseRule
) -> list[Decision]:
    """Return the decisions on all nouns and verbs of a sentence; verbs have two, for antonyms and for synonyms.

    Args:
        tokens: of the sentence.
        tags: their Penn tags.
        lexicon: WordNet.
        language: forms and word list.
        rule: which sense counts.
    """
    blocked = in_collocations(tokens, lexicon)
    found = []
    for position, (word, tag) in enumerate(zip(tokens, tags, strict=True)):
        for relation in _relations(tag):
            outcome, candidates = "", _NONE
            if word in AUXILIARIES:
                outcome = "auxiliary"
            elif position in blocked:
                outcome = "collocation"
            else:
                outcome, candidates = _candidates(word, tag, relation, lexicon, language, rule)
            found.append(Decision(position, word, tag, relation, outcome, candidates))
    return found


def in_collocations(tokens: Tokens, lexicon: Lexicon) -> set[int]:
    """Return the positions in phrases that WordNet has: windows of three, then two, from the left, without overlap."""
    blocked: set[int] = set()
    for width in (3, 2):
        start = 0
        while start + width <= len(tokens):
            window = range(start, start + width)
            if not blocked & set(window) and lexicon.has("_".join(tokens[start : start + width])):
                blocked.update(window)
                start += width
            else:
                start += 1
    return blocked


def _relations(tag: str) -> tuple[Relation, ...]:
    if tag in NOUN_TAGS:
        return ("noun_synonym",)
    return ("verb_antonym", "verb_synonym") if tag in VERB_TAGS else ()


def _candidates(
    word: str, tag: str, relation: Relation, lexicon: Lexicon, language: Language, rule: SenseRule
) -> tuple[str, tuple[Candidate, ...]]:
    """The outcome, and what may be put in; each step leaves its own reason behind where it leaves nothing."""
    pos: Pos = "n" if tag in NOUN_TAGS else "v"
    sense = lexicon.sense(word, pos, rule)
    if sense is None:
        return "not in WordNet", ()
    lemmas = lexicon.antonyms(sense) if relation == "verb_antonym" else lexicon.synonyms(pos, sense)
    if not lemmas:
        return "no antonym", ()
    words = [(lemma, count) for lemma, count in lemmas if "_" not in lemma]
    if not words:
        return "only phrases", ()
    forms = [(form, count) for lemma, count in words if (form := language.inflect(lemma, tag))]
    listed = [(form, count) for form, count in forms if language.is_word(form)]
    known = {with_capital(form, word): count for form, count in reversed(listed)}
    known.pop(word, None)
    if not known:
        return _left(word, forms), ()
    return "changed", tuple(Candidate(form, known[form]) for form in reversed(known))


def _left(word: str, forms: Sequence[tuple[str, int]]) -> str:
    """Why nothing is left of the forms that stood beside a word."""
    if not forms:
        return "no such form"
    return "word list" if any(with_capital(form, word) != word for form, _ in forms) else "own lemma only"


def with_capital(form: str, word: str) -> str:
    """Return a form with the capital of the word in whose place it stands; a name's own capital stays.

    >>> with_capital("nation", "State"), with_capital("Earth", "world"), with_capital("CEO", "chief")
    ('Nation', 'Earth', 'CEO')
    """
    return form[:1].upper() + form[1:] if word[:1].isupper() else form


Kind = Literal["noun_synonym", "verb_antonym", "verb_synonym", "random_noun", "random_verb", "shuffle"]
KINDS: tuple[Kind, ...] = get_args(Kind)

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
    for relation in get_args(Relation):
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
