"""What the study of edits asks of a language: where a negation may stand, who may do what to whom, how numbers look.

:func:`english` parses texts with spaCy; :func:`german` takes sentences with tags, of a treebank or a parser
(:func:`gpustab.sentences.parsed.read_conllu`). A language of one's own is one more :class:`Grammar`. A rule answers for
the sentences in which its edit is surely right, and says of any other why it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from gpustab.sentences.language import inflected, package
from gpustab.sentences.parsed import Parsed, Word, children, root_of, spacy_parser

Pair = tuple[list[Word], list[Word]]
"""Two sentences."""


class Slot(NamedTuple):
    """A place for one more word.

    Attributes:
        negations: words that turn the sentence round there.
        fillers: words that leave what it says as it is.
        place: the position of the word before which they stand; or why this sentence has no sure one.
    """

    negations: tuple[str, ...]
    fillers: tuple[str, ...]
    place: Callable[[Parsed], int | str]


class Grammar(NamedTuple):
    """A language.

    Attributes:
        name: of the language.
        parse: the sentences of some texts with their tags; ``None`` where they come with tags.
        negative: words, in small letters, by which a sentence is negated already.
        slots: places for a negation; a sentence has the first that is sure.
        roles: two sentences with agent and patient exchanged, and two of the very same words that say what it said; or
            why this sentence has no sure ones. Either pair has both orders of the two, and both ways to say it.
        spell: a whole number in words.
        thousands: the sign between thousands.
    """

    name: str
    parse: Callable[[Iterable[str]], Iterator[Parsed]] | None
    negative: frozenset[str]
    slots: tuple[Slot, ...]
    roles: Callable[[Parsed], tuple[Pair, Pair] | str]
    spell: Callable[[int], str]
    thousands: str


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _spelled(language: str, number: int) -> str:
    words = package("num2words", "numbers are written out by num2words: pip install 'gpustab[sentences]'")
    return str(words.num2words(number, lang=language))


def span(sentence: Parsed, of: int) -> list[int]:
    """Return the positions of a word and of all that hangs on it, in their order."""
    found, new = {of}, {of}
    while new:
        new = {k for one in new for k in children(sentence, one)} - found
        found |= new
    return sorted(found)


def in_line(segments: Sequence[Sequence[Word]]) -> list[Word]:
    """Return parts of a sentence one after the other, with a blank between words, none before punctuation."""
    words = [word for segment in segments for word in segment]
    ends = {sum(map(len, segments[: k + 1])) - 1 for k in range(len(segments))}
    return [
        word._replace(spaced=after is not None and after.kind != "PUNCT") if k in ends else word
        for k, (word, after) in enumerate(zip(words, [*words[1:], None], strict=True))
    ]


def added(text: str) -> Word:
    """Return a word that no parse knows."""
    return Word(text, True, text, "", "X", {}, 0, "")


class Clause(NamedTuple):
    """A subject, a verb and an object, in this order, and what stands around them.

    Attributes:
        before: the words before the subject.
        subject: those of the subject.
        verb: those between.
        thing: those of the object.
        rest: those behind it.
        finite: the verb that agrees with the subject.
        heads: the nouns of subject and object.
    """

    before: list[Word]
    subject: list[Word]
    verb: list[Word]
    thing: list[Word]
    rest: list[Word]
    finite: Word
    heads: tuple[Word, Word]


_LONGEST = 8
"""Words of a subject or object that is exchanged."""
_WITH_MORE = {"conj", "xcomp", "ccomp", "oprd", "iobj", "dative", "obl:arg", "parataxis", "expl", "compound:prt"}
"""What hangs on a verb that says more of its object than that it is one."""
_NO_PHRASE = {"PUNCT", "NUM", "PRON", "VERB", "X", "SYM"}


def clause_of(sentence: Parsed, verb: int, symmetric: frozenset[str]) -> Clause | None:
    """Return the clause of a verb whose agent and patient can be exchanged; ``None`` of any other verb."""
    own = {sentence[k].relation: k for k in children(sentence, verb)}
    if sentence[verb].kind != "VERB" or sentence[verb].lemma in symmetric or _WITH_MORE & own.keys():
        return None
    if not {"nsubj", "obj"} <= own.keys() or sentence[-1].text not in (".", "!"):
        return None
    heads, parts = (sentence[own["nsubj"]], sentence[own["obj"]]), [span(sentence, own[k]) for k in ("nsubj", "obj")]
    phrases = [sentence[part[0] : part[-1] + 1] for part in parts]
    between = sentence[parts[0][-1] + 1 : parts[1][0]]
    finite = next((word for word in between if word.kind in ("VERB", "AUX")), None)
    whole = all(len(phrase) == len(part) <= _LONGEST for phrase, part in zip(phrases, parts, strict=True))
    nouns = {head.kind for head in heads} <= {"NOUN", "PROPN"} and not any(
        word.kind in _NO_PHRASE for phrase in phrases for word in phrase
    )
    if finite is None or not whole or not nouns or not {w.kind for w in between} <= {"VERB", "AUX", "ADV", "PART"}:
        return None
    before, rest = sentence[: parts[0][0]], sentence[parts[1][-1] + 1 :]
    return Clause(list(before), list(phrases[0]), list(between), list(phrases[1]), list(rest), finite, heads)


def within(phrase: Sequence[Word], before: Sequence[Word]) -> list[Word]:
    """Return a phrase that began a sentence as it is written within it; with words before it, as it stands."""
    first = phrase[0]
    is_name = first.kind == "PROPN" or (first.entity and first.kind != "DET")
    if before or is_name or not first.text.istitle():
        return list(phrase)
    return [first._replace(text=first.text.lower()), *phrase[1:]]


_OF_NUMBER = frozenset({"hundred", "thousand", "million", "billion", "dozen", "score", "Tausend", "Million", "Dutzend"})


def _bare_object(sentence: Parsed, is_past: Callable[[Parsed, int], bool]) -> int | str:
    """The plural object of the main verb, with nothing before it; of one event, since "likes dogs" is of all dogs."""
    root = root_of(sentence)
    if root < 0 or sentence[root].kind != "VERB" or not is_past(sentence, root):
        return "no sure place"
    for k in children(sentence, root):
        word = sentence[k]
        if (
            word.relation == "obj"
            and word.kind == "NOUN"
            and word.lemma not in _OF_NUMBER
            and word.feats.get("Number") == "Plur"
            and k > root
            and sentence[k - 1].spaced
            and all(other > k for other in children(sentence, k))
            and sentence[k - 1].kind not in ("ADJ", "NUM", "DET", "NOUN", "PROPN", "PUNCT", "ADV", "X")
        ):
            return k
    return "no sure place"


# English

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
    _words(
        "be become remain equal resemble match meet marry join face fight follow precede accompany have include "
        "represent mean constitute comprise contain involve take prove give send offer show grant tell teach"
    )
)
"""Verbs that say much the same with their subject and object exchanged, or nothing of anybody's doing, or take two."""


_BE = {"VBD": ("was", "were"), "VBZ": ("is", "are"), "VBP": ("is", "are")}
"""By the tag of a verb alone, of one and of several."""


def _in_the_passive(sentence: Parsed) -> tuple[Pair, Pair] | str:
    """Return, of "the dog bit the man", the man and the dog in each other's place in two clefts.

    "It was the man that was bitten by the dog" and "it was by the dog that the man was bitten" say the same, and are of
    the very same words. With the two exchanged both say another thing. No order of the two is that of one side alone,
    and no pair of words that stand together in the sentence, but within the two, stands together in any.
    """
    why = "no clause of an agent, a verb and a patient"
    for k, word in enumerate(sentence):
        clause = clause_of(sentence, k, _SYMMETRIC) if word.relation in ("root", "ccomp", "conj") else None
        if clause is None:
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
        it = [*clause.before, added("it" if clause.before else "It"), added("was" if is_past else "is")]
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


ENGLISH_NEGATIVE = frozenset(
    _words("not n't no never none nobody nothing nowhere neither nor cannot without hardly scarcely barely")
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
        ENGLISH_NEGATIVE,
        (
            Slot(
                ("not", "never"),
                _words(
                    "indeed truly certainly surely really clearly definitely undoubtedly obviously evidently plainly "
                    "assuredly"
                ),
                _after_auxiliary,
            ),
            Slot(
                ("no",),
                ("some", "certain", "various", "several", "sundry", "diverse"),
                partial(_bare_object, is_past=lambda sentence, root: sentence[root].tag == "VBD"),
            ),
        ),
        _in_the_passive,
        cache(partial(_spelled, "en")),
        ",",
    )


# German


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


_SYMMETRIC_GERMAN = frozenset(
    _words("sein werden bleiben heißen treffen heiraten gleichen ähneln haben umfassen bilden enthalten")
)


_ARTICLES = {"Masc": ("der", "dem"), "Fem": ("die", "der"), "Neut": ("das", "dem")}
"""Of the one who does it, and behind "von"."""


def _in_the_passive_german(sentence: Parsed) -> tuple[Pair, Pair] | str:
    """Return, of "der Hund hat den Mann gebissen", the man and the dog in each other's place in two passives.

    "Der Mann wurde von dem Hund gebissen" and "von dem Hund wurde der Mann gebissen" say the same. Of the perfect
    alone, whose participle stands there, and of a definite article and a noun as in the dictionary, whose forms in the
    other case are known.
    """
    clause = clause_of(sentence, root_of(sentence), _SYMMETRIC_GERMAN)
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


def _is_past_german(sentence: Parsed, root: int) -> bool:
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
        frozenset(_words("nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder kaum")),
        (
            Slot(
                ("nicht", "niemals"),
                _words(
                    "tatsächlich wirklich sicherlich gewiss zweifellos natürlich bekanntlich freilich fraglos "
                    "selbstverständlich offensichtlich eindeutig"
                ),
                _before_end_of_clause,
            ),
            Slot(
                ("keine",),
                ("einige", "mehrere", "etliche", "manche", "gewisse", "verschiedene"),
                partial(_bare_object, is_past=_is_past_german),
            ),
        ),
        _in_the_passive_german,
        cache(partial(_spelled, "de")),
        ".",
    )


GRAMMARS: dict[str, Callable[[], Grammar]] = {"en": english, "de": german}
"""By the language's code."""

SMALL_NUMBERS = range(2, 100)
_DIGITS = re.compile(r"[1-9]\d*")


@cache
def numbers_of(spell: Callable[[int], str]) -> dict[str, int]:
    """Return the numbers from 2 to 99 by their words."""
    return {spell(number): number for number in SMALL_NUMBERS}


def otherwise(word: str, grammar: Grammar) -> tuple[int, Callable[[int], str]] | None:
    """Return the number of a word, and what writes a number in the other way; ``None`` for what is no such number.

    Numbers up to 99 are written in words or in digits, larger ones up to a million with or without the sign between
    thousands.

    >>> number, write = otherwise("1,250", english())
    >>> number, write(number), write(3417)
    (1250, '1250', '3417')
    """
    if (small := numbers_of(grammar.spell).get(word.lower())) is not None:
        return (small, str) if word.islower() else None
    groups = word.split(grammar.thousands)
    grouped = len(groups) == 2 and re.fullmatch(r"[1-9]\d{0,2}", groups[0]) and re.fullmatch(r"\d{3}", groups[1])
    if grouped:
        return int("".join(groups)), str
    if _DIGITS.fullmatch(word) and int(word) in SMALL_NUMBERS:
        return int(word), grammar.spell
    return None
