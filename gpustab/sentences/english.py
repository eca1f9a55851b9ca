"""English as spaCy parses it: negations behind auxiliaries and before bare objects, roles exchanged in clefts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gpustab.sentences.grammar import (
    Clause,
    Grammar,
    Pair,
    Slot,
    added,
    bare_object,
    clause_of,
    in_line,
    speller,
    within,
    words_of,
)
from gpustab.sentences.language import inflected
from gpustab.sentences.parsed import Parsed, Word, children, root_of, spacy_parser

_FINITE = ("MD", "VBZ", "VBP", "VBD")
_MAYBE = frozenset({"may", "might"})
"""Which are as true of the negated sentence."""


def _after_auxiliary(sentence: Parsed) -> int | str:
    root = root_of(sentence)
    if root < 0 or sentence[-1].text == "?":
        return "a question, or no whole sentence"
    own = list(children(sentence, root))
    if any(sentence[k].relation == "mark" for k in own):
        return "no sure place"
    subject = next((k for k in own if sentence[k].relation.partition(":")[0] in ("nsubj", "csubj", "expl")), None)
    for k in sorted([root, *own]):
        word = sentence[k]
        is_auxiliary = word.relation.partition(":")[0] in ("aux", "cop") or (k == root and word.lemma == "be")
        if not is_auxiliary or word.tag not in _FINITE:
            continue
        if subject is None or subject > k or word.text.lower() in _MAYBE or k + 1 == len(sentence):
            return "no sure place"
        after = sentence[k + 1]
        if not word.spaced or after.kind in ("ADV", "PUNCT", "SCONJ", "CCONJ") or after.tag[:2] == "RB":
            return "no sure place"
        return k + 1
    return "no auxiliary in the main clause"


_SYMMETRIC = frozenset(
    words_of(
        "be become remain equal resemble match meet marry join face fight follow precede accompany have include "
        "represent mean constitute comprise contain involve take prove give send offer show grant tell teach"
    )
)
"""Verbs that say much the same with their subject and object exchanged, or nothing of anybody's doing, or take two."""


_BE = {"VBD": ("was", "were"), "VBZ": ("is", "are"), "VBP": ("is", "are")}
"""By the tag of a verb alone, of one and of several."""


_IDIOMS = frozenset(
    {("shake", "hand"), ("hold", "hand"), ("change", "hand"), ("join", "hand"), ("join", "force"), ("take", "step")}
)
"""Verbs and objects that are one thing: nobody shakes certain hands."""
_QUANTIFIERS = frozenset(words_of("every each only all no any both most many few even just"))
"""A book that every student read is another than the book of each."""
_SAYING = frozenset(
    words_of("say tell add believe think know report claim announce insist argue warn admit explain hope")
)


def _is_clause(sentence: Parsed, k: int) -> bool:
    """Whether a verb is that of a main clause, or of one that "that" or a verb of saying brings in."""
    word = sentence[k]
    if word.relation != "ccomp":
        return word.relation in ("root", "conj")
    marks = {sentence[j].text.lower() for j in children(sentence, k) if sentence[j].relation == "mark"}
    return marks == {"that"} or (not marks and sentence[word.head].lemma in _SAYING)


def _in_the_passive(sentence: Parsed) -> tuple[Pair, Pair] | str:
    """Return, of "the dog bit the man", the man and the dog in each other's place in two clefts.

    "It was the man that was bitten by the dog" and "it was by the dog that the man was bitten" say the same, and are of
    the very same words. With the two exchanged both say another thing. No order of the two is that of one side alone,
    and no pair of words that stand together in the sentence, but within the two, stands together in any.
    """
    why = "no clause of an agent, a verb and a patient"
    for k, word in enumerate(sentence):
        clause = clause_of(sentence, k, _SYMMETRIC) if _is_clause(sentence, k) else None
        if clause is None or (word.lemma, clause.heads[1].lemma) in _IDIOMS:
            continue
        said = (*clause.before[-1:], *clause.subject, *clause.verb, *clause.thing)
        if _QUANTIFIERS & {one.text.lower() for one in said}:
            why = "how many there are would change with the order"
            continue
        parts = (clause.subject, clause.thing)
        numbers = [_is_plural(part, head) for part, head in zip(parts, clause.heads, strict=True)]
        if clause.finite.tag in ("VBZ", "VBP") and (clause.finite.tag == "VBP") != numbers[0]:
            continue  # "God bless"; or a name whose number its tag does not tell
        if clause.subject[0].text == "that":
            continue  # "I believe that man can", where it is no article
        verb = _passive(clause, word, plural=numbers[0])
        if verb is None or (numbers[0] != numbers[1] and clause.finite.tag != "MD" and verb[0].text != "had"):
            why = "the verb would not agree with both"
            continue
        agent, patient = within(clause.subject, clause.before), clause.thing
        is_past = clause.finite.tag == "VBD"
        is_first = all(one.kind == "PUNCT" for one in clause.before)
        it = [*clause.before, added("It" if is_first else "it"), added("was" if is_past else "is")]
        by, that = [added("by")], [added("that")]

        made = [
            (
                in_line([it, suffers, that, verb, by, does, clause.rest]),
                in_line([it, by, does, that, suffers, verb, clause.rest]),
            )
            for does, suffers in ((patient, agent), (agent, patient))
        ]
        return made[0], made[1]
    return why


def _passive(clause: Clause, verb: Word, *, plural: bool) -> list[Word] | None:
    """The verb in the passive: "bit" was bitten, "will bite" will be bitten, "is biting" is being bitten."""
    participle = inflected(verb.lemma, "VBN")
    verbs = [word for word in clause.verb if word.kind in ("VERB", "AUX")]
    adverbs = [word for word in clause.verb if word not in verbs]
    tags = tuple(word.tag for word in verbs)
    if participle is None:
        return None
    if len(tags) == 1 and tags[0] in _BE:
        made = [_BE[tags[0]][plural]]
    elif len(tags) == 2 and verbs[0].lemma == "have" and tags[1] == "VBN":
        made = [verbs[0].text, "been"]
    elif len(tags) == 2 and tags[0] == "MD":
        made = [verbs[0].text, "be"]
    elif len(tags) == 2 and verbs[0].lemma == "be" and tags[1] == "VBG":
        made = [verbs[0].text, "being"]
    else:
        return None
    return [added(made[0]), *adverbs, *map(added, made[1:]), added(participle)]


def _is_plural(part: Sequence[Word], head: Word) -> bool:
    return head.feats.get("Number") == "Plur" or any(word.relation == "conj" for word in part)


_NEGATIVE = frozenset(
    words_of("not n't no never none nobody nothing nowhere neither nor cannot without hardly scarcely barely")
)


def english() -> Grammar:
    """Return English, parsed by spaCy's small model; numbers are written out by num2words.

    A negation stands behind the first auxiliary of the main clause ("has not signed", "is not ill"), or before a bare
    plural object of a verb of the past ("found no books"). Contractions ("it's") are taken apart, and sentences with
    "don't", "cannot" or "never" are negated already.
    """
    return Grammar(
        "English",
        spacy_parser,
        _NEGATIVE,
        (
            Slot(
                ("not", "never"),
                words_of(
                    "indeed truly certainly surely really clearly definitely undoubtedly obviously evidently plainly "
                    "assuredly"
                ),
                _after_auxiliary,
            ),
            Slot(
                ("no",),
                ("some", "certain", "various", "several", "sundry", "diverse"),
                partial(bare_object, is_past=lambda sentence, root: sentence[root].tag == "VBD", idioms=_IDIOMS),
            ),
        ),
        _in_the_passive,
        speller("en"),
        ",",
    )
