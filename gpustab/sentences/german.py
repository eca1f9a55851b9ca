"""German that comes with its tags: "nicht" before the end of a clause, "keine" before bare objects."""

from __future__ import annotations

from functools import partial

from gpustab.sentences.grammar import Grammar, Slot, bare_object, span, speller, words_of
from gpustab.sentences.parsed import Parsed, children, root_of


def _before_end_of_clause(sentence: Parsed) -> int | str:
    """Before the participle or infinitive that ends a main clause, or at the end of one with a verb alone.

    What stands before it must be a definite object or subject: behind an indefinite one stands "kein", and of what
    follows a preposition it is not sure whether the negation stands before it.
    """
    root = root_of(sentence)
    if root < 0 or sentence[-1].text not in (".", "!"):
        return "a question, or no whole sentence"
    own = list(children(sentence, root))
    if _OFTEN & {word.text.lower() for word in sentence}:
        return "no sure place"
    verbs = [k for k in (root, *own) if sentence[k].feats.get("VerbForm") == "Fin" and sentence[k].kind in _VERBAL]
    arguments = {k for k in own if sentence[k].relation.partition(":")[0] in ("obj", "nsubj")}
    if len(verbs) != 1 or any(sentence[k].relation in ("mark", "conj", "compound:prt", "cop") for k in own):
        return "no sure place"
    finite, last = verbs[0], len(sentence) - 1
    is_second = any(k < finite for k in own) and all(word.kind != "PUNCT" for word in sentence[:last])
    end = last if finite == root else root
    ends_there = end == last or all(sentence[k].relation.startswith("aux") for k in range(end + 1, last))
    before = next((k for k in arguments if finite < k and span(sentence, k)[-1] == end - 1), None)
    if not is_second or not ends_there or before is None or end - 1 <= finite:
        return "no sure place"
    is_alone = all(sentence[k].kind != "ADP" for k in span(sentence, before))
    return end if is_alone and _is_definite(sentence, before) else "no sure place"


_OFTEN = frozenset(words_of("stets immer oft schon bereits noch wieder sowohl auch wie all alle alles allen aller"))
"""What is not negated by a word at the end: "nach wie vor", "sowohl … als auch", "all unsere"."""
_VERBAL = ("VERB", "AUX")


def _is_definite(sentence: Parsed, noun: int) -> bool:
    word = sentence[noun]
    if word.kind in ("PROPN", "PRON"):
        return word.feats.get("PronType") in (None, "Prs", "Dem")
    own = [sentence[k] for k in children(sentence, noun) if sentence[k].relation.startswith("det")]
    return any(one.feats.get("Definite") == "Def" or one.feats.get("Poss") == "Yes" for one in own)


def _is_past(sentence: Parsed, root: int) -> bool:
    """Of a preterite, or a participle with its auxiliary."""
    return sentence[root].feats.get("Tense") == "Past" or sentence[root].feats.get("VerbForm") == "Part"


def german() -> Grammar:
    """Return German, of sentences that come with tags; numbers are written out by num2words.

    "nicht" stands before the participle or infinitive that ends the clause, or at its end, and only where a definite
    subject or object stands before it; "keine" before a bare plural object. Roles are not exchanged: that
    asks for the forms of articles and nouns in another case, which tags do not give.
    """
    return Grammar(
        "German",
        None,
        frozenset(words_of("nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder kaum")),
        (
            Slot(
                ("nicht", "niemals"),
                words_of(
                    "tatsächlich wirklich sicherlich gewiss zweifellos natürlich bekanntlich freilich fraglos "
                    "selbstverständlich offensichtlich eindeutig"
                ),
                _before_end_of_clause,
            ),
            Slot(
                ("keine",),
                ("einige", "mehrere", "etliche", "manche", "gewisse", "verschiedene"),
                partial(bare_object, is_past=_is_past),
            ),
        ),
        None,
        speller("de"),
    )
