"""English as spaCy parses it: negations behind auxiliaries and before bare objects, roles exchanged in clefts."""

from __future__ import annotations

from functools import partial

from gpustab.sentences.grammar import Grammar, Slot, bare_object, speller, words_of
from gpustab.sentences.parsed import Parsed, children, root_of, spacy_parser
from gpustab.sentences.roles import in_clefts

_FINITE = ("MD", "VBZ", "VBP", "VBD")
_MAYBE = frozenset({"may", "might"})
"""Which are as true of the negated sentence."""


def _after_auxiliary(sentence: Parsed) -> int | str:
    root = root_of(sentence)
    if root < 0 or sentence[-1].text == "?":
        return "a question, or no whole sentence"
    own = list(children(sentence, root))
    if any(sentence[k].relation == "mark" for k in own) or any(word.text.lower() == "already" for word in sentence):
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


_IDIOMS = frozenset(
    (verb, thing)
    for thing, verbs in {"hand": "shake hold change join", "force": "join", "step": "take"}.items()
    for verb in words_of(verbs)
)
"""Verbs and objects that are one thing: nobody shakes certain hands."""
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
        in_clefts,
        speller("en"),
    )
