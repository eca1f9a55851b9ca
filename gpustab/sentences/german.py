"""German that comes with its tags: "nicht" before the end of a clause, roles exchanged in passives of the perfect."""

from __future__ import annotations

from functools import partial

from gpustab.sentences.grammar import (
    Grammar,
    Pair,
    Slot,
    added,
    bare_object,
    clause_of,
    in_line,
    span,
    speller,
    words_of,
)
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
    return end if _is_definite(sentence, before) and not _has_case(sentence, before) else "no sure place"


_VERBAL = ("VERB", "AUX")


def _has_case(sentence: Parsed, noun: int) -> bool:
    return any(sentence[k].relation == "case" for k in children(sentence, noun))


def _is_definite(sentence: Parsed, noun: int) -> bool:
    word = sentence[noun]
    if word.kind in ("PROPN", "PRON"):
        return word.feats.get("PronType") in (None, "Prs", "Dem")
    own = [sentence[k] for k in children(sentence, noun) if sentence[k].relation.startswith("det")]
    return any(one.feats.get("Definite") == "Def" or one.feats.get("Poss") == "Yes" for one in own)


_SYMMETRIC = frozenset(
    words_of("sein werden bleiben heißen treffen heiraten gleichen ähneln haben umfassen bilden enthalten")
)


_ARTICLES = {"Masc": ("der", "dem"), "Fem": ("die", "der"), "Neut": ("das", "dem")}
"""Of the one who does it, and behind "von"."""


def _in_the_passive(sentence: Parsed) -> tuple[Pair, Pair] | str:
    """Return, of "der Hund hat den Mann gebissen", the man and the dog in each other's place in two passives.

    "Der Mann wurde von dem Hund gebissen" and "von dem Hund wurde der Mann gebissen" say the same. Of the perfect
    alone, whose participle stands there, and of a definite article and a noun as in the dictionary, whose forms in the
    other case are known.
    """
    clause = clause_of(sentence, root_of(sentence), _SYMMETRIC)
    if clause is None or clause.before:
        return "no clause of an agent, a verb and a patient"
    if clause.finite.lemma != "haben" or sentence[root_of(sentence)].feats.get("VerbForm") != "Part":
        return "no perfect, whose participle is known"
    nouns = []
    for part in (clause.subject, clause.thing):
        article, noun = part[0], part[-1]
        known = noun.feats.get("Gender") in _ARTICLES and noun.feats.get("Number") == "Sing" and noun.text == noun.lemma
        if len(part) != 2 or article.feats.get("Definite") != "Def" or not known:
            return "the forms in the other case are not known"
        nouns.append((_ARTICLES[noun.feats["Gender"]], noun._replace(spaced=True)))
    verb, made = [added("wurde")], []
    for (does, one), (suffers, other) in (nouns[::-1], nouns):
        of, who = [added("von"), added(does[1]), one], [added(suffers[0]), other]
        first = who[0]._replace(text=who[0].text.title())
        rest = [*clause.verb[1:], *clause.rest]
        made.append((in_line([[first, other], verb, of, rest]), in_line([[added("Von"), *of[1:]], verb, who, rest])))
    return made[0], made[1]


def _is_past(sentence: Parsed, root: int) -> bool:
    """Of a preterite, or a participle with its auxiliary."""
    return sentence[root].feats.get("Tense") == "Past" or sentence[root].feats.get("VerbForm") == "Part"


def german() -> Grammar:
    """Return German, of sentences that come with tags; numbers are written out by num2words.

    "nicht" stands before the participle or infinitive that ends the clause, or at its end, and only where a definite
    subject or object stands before it; "keine" before a bare plural object.
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
        _in_the_passive,
        speller("de"),
        ".",
    )
