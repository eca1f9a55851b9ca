"""Which words of a sentence may be changed, into what, and why others may not (White 2015, §3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from gpustab.studies.localization.language import Language, Tokens
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
