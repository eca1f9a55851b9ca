"""Two orders in which English says who does what to whom, in the very same words: clefts of the passive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpustab.sentences.grammar import Pair, added, in_line, within
from gpustab.sentences.language import is_form_of, participle_of
from gpustab.sentences.parsed import Word

_BE = {"VBD": ("was", "were"), "VBZ": ("is", "are"), "VBP": ("is", "are")}
"""By the tag of a verb alone, of one and of several."""


class Clause(NamedTuple):
    """A subject, a verb and an object, in this order, and what stands around them.

    Attributes:
        before: the words before the subject.
        subject: those of the subject.
        between: the verb, with auxiliaries and adverbs.
        thing: the words of the object.
        rest: those behind it.
        verb: the verb alone.
        finite: the verb that agrees with the subject.
        heads: the nouns of subject and object.
    """

    before: Sequence[Word]
    subject: Sequence[Word]
    between: Sequence[Word]
    thing: Sequence[Word]
    rest: Sequence[Word]
    verb: Word
    finite: Word
    heads: tuple[Word, Word]

    @property
    def agent(self) -> list[Word]:
        """The subject as it is written within the sentence."""
        return within(self.subject, self.before)


def passive(clause: Clause) -> list[Word] | None:
    """Return the verb in the passive: "bit" was bitten, "will bite" will be bitten, "is biting" is being bitten.

    ``None`` of a form that is no passive's, or that the dictionary does not list: "riding", where the parser takes it
    for one of "rid".
    """
    lemma = clause.verb.lemma
    participle = participle_of(lemma)
    verbs = [word for word in clause.between if word.kind in ("VERB", "AUX")]
    adverbs = [word for word in clause.between if word not in verbs]
    tags = tuple(word.tag for word in verbs)
    if participle is None or not is_form_of(clause.verb.text.lower(), lemma, clause.verb.tag):
        return None
    if len(tags) == 1 and tags[0] in _BE:
        made = [_BE[tags[0]][is_plural(clause.heads[0])]]
    elif len(tags) == 2 and verbs[0].lemma == "have" and tags[1] == "VBN":
        made = [verbs[0].text, "been"]
    elif len(tags) == 2 and tags[0] == "MD":
        made = [verbs[0].text, "be"]
    elif len(tags) == 2 and verbs[0].lemma == "be" and tags[1] == "VBG":
        made = [verbs[0].text, "being"]
    else:
        return None
    return [added(made[0]), *adverbs, *map(added, made[1:]), added(participle)]


def is_plural(noun: Word) -> bool:
    """Return whether a noun is of several."""
    return noun.feats.get("Number") == "Plur"


def clefts(clause: Clause, verb: Sequence[Word]) -> tuple[Pair, Pair]:
    """Return two sentences with agent and patient in each other's place, and two that say what the clause says."""
    it = [*clause.before, added("it" if clause.before else "It"), added("was" if clause.finite.tag == "VBD" else "is")]
    by, that = [added("by")], [added("that")]
    made = [
        (
            in_line([it, suffers, that, verb, by, does, clause.rest]),
            in_line([it, by, does, that, suffers, verb, clause.rest]),
        )
        for does, suffers in ((clause.thing, clause.agent), (clause.agent, clause.thing))
    ]
    return made[0], made[1]
