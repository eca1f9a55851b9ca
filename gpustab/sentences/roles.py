"""Who does it to whom in English: clauses of an agent, a verb and a patient, with the two in each other's place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from gpustab.sentences.grammar import Pair, added, in_line, span, within, words_of
from gpustab.sentences.language import is_form_of, is_known, participle_of
from gpustab.sentences.parsed import Parsed, Word, children, root_of, spacy_parser, written

_SYMMETRIC = frozenset(
    words_of(
        "be become remain equal resemble match meet marry join face fight play follow precede accompany have include "
        "represent mean constitute comprise contain involve take prove give send offer show grant tell teach deny "
        "promise allow lend owe refuse get lack miss do"
    )
)
"""Verbs that say much the same with their subject and object exchanged, or nothing of anybody's doing, or take two."""
IDIOMS = frozenset(
    (verb, thing)
    for thing, verbs in {"hand": "shake hold change join", "force": "join", "step": "take", "brunt": "bear"}.items()
    for verb in words_of(verbs)
)
"""Verbs and objects that are one thing: nobody shakes certain hands."""
_QUANTIFIERS = frozenset(words_of("every each only all no any both most many few even just either"))
"""A book that every student read is another than the book of each."""
_SAYING = frozenset(
    words_of("say tell add believe think know report claim announce insist argue warn admit explain hope")
)
_WITH_COMPLEMENT = frozenset(words_of("make keep find leave consider deem call hold think render set"))
"""Verbs of which an adjective behind them may say what the object becomes: "makes possible new cuts"."""
_WITH_BARE_VERB = frozenset(words_of("make let help have see hear watch feel notice observe bid"))
"""Verbs behind whose object a verb may stand as the dictionary lists it: "heard a wolf howl"."""
_BE = {"VBD": ("was", "were"), "VBZ": ("is", "are"), "VBP": ("is", "are")}
"""By the tag of a verb alone, of one and of several."""
_LONGEST = 8
"""Words of a part that is exchanged."""
_WITH_MORE = {"conj", "xcomp", "ccomp", "oprd", "iobj", "dative", "obl:arg", "parataxis", "expl", "compound:prt"}
"""What hangs on a verb that says more of its patient than that it is one."""
_NO_PHRASE = {"PUNCT", "PRON", "VERB", "AUX", "X", "SYM"}
_AMOUNTS = {"DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"}
"""What spaCy calls times and amounts, which do nothing: "by Monday"."""
_NOUNS = ("NOUN", "PROPN", "PRON", "NUM")
_TIMES = ("DATE", "TIME")
_WITHIN_PHRASES = ("ADP", "ADJ", "DET", "NUM", "PART")
"""What stands before a word that begins no subject: "in the most inland State"."""
_OF_THE_PATIENT = ("of", "for", "from")
"""Behind which the patient does it: "accused Israel of killing"."""
_QUOTES = frozenset("\"“”‘'`") | {"``", "''"}


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
        plural: whether either is of several.
    """

    before: Sequence[Word]
    subject: list[Word]
    between: list[Word]
    thing: list[Word]
    rest: Sequence[Word]
    verb: Word
    finite: Word
    heads: tuple[Word, Word]
    plural: tuple[bool, bool]


def in_clefts(sentence: Parsed) -> tuple[Pair, Pair] | str:
    """Return, of "the dog bit the man", the man and the dog in each other's place in two clefts.

    "It was the man that was bitten by the dog" and "it was by the dog that the man was bitten" say the same, and are of
    the very same words. With the two exchanged both say another thing. No order of the two is that of one side alone,
    and no pair of words that stand together in the sentence, but within the two, stands together in any.
    """
    why = "no clause of an agent, a verb and a patient"
    if any(word.text in _QUOTES for word in sentence):
        return "a quotation"
    if any(word.text in ("(", ")") for word in sentence):
        return "a parenthesis"
    for k in range(len(sentence)):
        clause = _clause_of(sentence, k) if _is_clause(sentence, k) else None
        if clause is None or not _are_two(clause) or (verb := _passive(clause)) is None:
            continue
        said = [*clause.before[-1:], *clause.subject, *clause.between, *clause.thing]
        if _QUANTIFIERS & set(_text(said)):
            why = "how many there are would change with the order"
        elif not _agrees(clause):
            why = "the verb would not agree with both"
        elif not _reads_alike(clause):
            why = "the clause is parsed otherwise where it stands alone, or with the two exchanged"
        else:
            return _clefts(clause, verb)
    return why


def _are_two(clause: Clause) -> bool:
    """Whether subject and object are two things, of which neither is one with the verb or with what stands before."""
    is_idiom = (clause.verb.lemma, clause.heads[1].lemma) in IDIOMS
    is_more = clause.verb.lemma in _WITH_COMPLEMENT and clause.thing[0].kind == "ADJ"
    is_that = clause.subject[0].text.lower() == "that"  # "I believe that man can", where it is no article
    has_agent = any(word.text.lower() == "by" for word in clause.rest)  # "rejected an appeal today by a woman"
    firsts = [clause.thing[0], *(clause.subject[:1] if clause.before else ())]
    is_title = any(word.kind == "DET" and word.text[:1].isupper() for word in firsts)  # "composed An American in Paris"
    last = clause.thing[-1]
    is_behind = len(clause.thing) > 1 and clause.thing[-2].kind in _NOUNS
    word = last.text.lower()  # "heard a wolf | howl", "made one | pause"
    is_deed = (
        is_behind and clause.verb.lemma in _WITH_BARE_VERB and last is clause.heads[1] and is_form_of(word, word, "VB")
    )
    one, other = _ends(clause)
    refers = any(word.tag == "PRP$" for word in clause.rest)  # "held the State to its promise"
    return one != other and not (is_idiom or is_more or is_that or has_agent or is_title or refers or is_deed)


def _is_clause(sentence: Parsed, k: int) -> bool:
    """Whether a verb is that of a main clause, of one joined to it, or of one that is said.

    Behind "that" it has a form of its own, since "they ask that he institute it" is no fact.
    """
    word = sentence[k]
    is_shouted = len(word.text) > 1 and word.text.isupper()  # no parser reads "HEY HO LET 'S GO"
    if word.kind != "VERB" or word.lemma in _SYMMETRIC or sentence[-1].text not in (".", "!") or is_shouted:
        return False
    over = sentence[word.head]
    if word.relation == "conj":
        return _is_verb(over) and over.relation in ("root", "ccomp") and _has_subject(sentence, word.head)
    if word.relation != "ccomp":
        return word.relation == "root"
    marks = {sentence[j].text.lower() for j in children(sentence, k) if sentence[j].relation == "mark"}
    own_form = word.text != word.lemma or any(sentence[j].tag == "MD" for j in children(sentence, k))
    return (marks == {"that"} and own_form) or (not marks and over.lemma in _SAYING)


def _clause_of(sentence: Parsed, verb: int) -> Clause | None:
    """The clause of a verb whose agent and patient can be exchanged, as far as its form tells."""
    own = {sentence[k].relation: k for k in children(sentence, verb)}
    subjects = sum(sentence[k].relation == "nsubj" for k in children(sentence, verb))  # two are a list
    if _WITH_MORE & own.keys() or any(_has_the_agent(sentence, k) for k in children(sentence, verb)) or subjects > 1:
        return None
    if not own.get("nsubj", len(sentence)) < verb < own.get("obj", -1):
        return None
    heads = own["nsubj"], own["obj"]
    subject, thing = (span(sentence, k) for k in heads)
    between = sentence[subject[-1] + 1 : thing[0]]
    finite = next((word for word in between if _is_verb(word)), None)
    if finite is None or thing[0] != verb + 1 or not {word.kind for word in between} <= {"VERB", "AUX", "ADV"}:
        return None
    if not _is_at_a_start(sentence, verb, subject[0]):
        return None
    if not (_is_phrase(sentence, heads[0], subject) and _is_phrase(sentence, heads[1], thing)):
        return None
    if not (_is_one_thing(sentence, heads[1], thing) and _is_at_an_end(sentence, verb, thing[-1] + 1)):
        return None
    return Clause(
        sentence[: subject[0]],
        [sentence[k] for k in subject],
        list(between),
        [sentence[k] for k in thing],
        sentence[thing[-1] + 1 :],
        sentence[verb],
        finite,
        (sentence[heads[0]], sentence[heads[1]]),
        (_is_plural(subject, heads[0], sentence), _is_plural(thing, heads[1], sentence)),
    )


def _is_phrase(sentence: Parsed, head: int, part: Sequence[int]) -> bool:
    """Whether a part is words in a row, of a noun alone that is no time or amount."""
    words, noun = sentence[part[0] : part[-1] + 1], sentence[head]
    article = next((word.text.lower() for word in words if word.relation == "det" and sentence[word.head] is noun), "")
    return (
        len(words) == len(part) <= _LONGEST
        and noun.kind in ("NOUN", "PROPN")
        and noun.entity not in _AMOUNTS
        and (len(part) > 1 or noun.kind == "PROPN" or noun.feats.get("Number") == "Plur")  # "keeps pace", "Snake bit"
        and not (article in ("a", "an") and noun.feats.get("Number") == "Plur")
        and not any(word.kind in _NO_PHRASE and word.text != "-" for word in words)
        and not any(word.tag[:1] == "W" or word.tag in ("TO", "JJR", "RBR") for word in words)  # "more than"
    )


def _is_one_thing(sentence: Parsed, head: int, part: Sequence[int]) -> bool:
    """Whether an object is one thing, and has no more than a place."""
    noun, first = sentence[head], sentence[part[0]]
    if noun.kind == "NOUN" and first.kind == "PROPN" and first.relation == "compound":
        return False  # "caused Hal anxiety", "denied Spain aid"
    return all(sentence[k].text in ("of", "in", "at") for k in part if sentence[k].kind == "ADP")


def _is_at_a_start(sentence: Parsed, verb: int, first: int) -> bool:
    """Whether a word may begin a clause: it is no adverb, nor within a phrase, and "and" before it joins clauses.

    A sentence that begins with one word does not tell whether that is a name ("Time"), nor what a number counts there.
    Behind a noun a clause is said of it ("the times | Bush mentioned them"), but for a time ("last year").
    """
    before, word = sentence[first - 1] if first else None, sentence[first]
    if before is None:
        is_name = word.kind == "PROPN" or not is_known(word.text.lower())
        is_sure = word.kind not in ("NOUN", "PROPN") or not is_name or bool(word.entity) or sentence[1].kind == "PROPN"
        return word.kind != "ADV" and is_sure and not word.text.isdigit()
    if before.kind in _NOUNS and before.entity not in _TIMES:
        return False
    if before.text.lower() == "that" and first > 1 and sentence[first - 2].text.lower() == "that":
        return False
    if before.relation == "dep" or _is_open_list(sentence, first - 3):  # it had no place for "Atari | 8-bit computers"
        return False
    joins = before.kind != "CCONJ" or sentence[verb].relation == "conj" or first == 1
    return word.kind != "ADV" and before.kind not in _WITHIN_PHRASES and joins


_OF_VERBS = frozenset(words_of("before during since until through under by as"))
"""Prepositions that are rather of the verb than of the object before them; "to" is not: "a wound to the back"."""
_OF_PLACES = frozenset(words_of("in on at within across over for after"))
"""Those that may be of either, but where a name of a place or a time stands behind them."""
_GOING_ON = frozenset(words_of("including then"))
"""What goes on with an object behind a comma: "films, including comedies"."""
_RELATIVE = frozenset({"WDT", "WP", "WP$"})
_PLACES = {"DATE", "TIME", "GPE", "LOC", "FAC", "EVENT"}


def _is_at_an_end(sentence: Parsed, verb: int, end: int) -> bool:
    """Whether what stands behind an object is no part of it nor of the verb ("welcomed him back"), and joins nothing.

    As in "shifted the focus, and planned an attack", or in "added money to the fund and workers to the firm".
    """
    end = _behind_places(sentence, end)
    behind = sentence[end]
    if any(word.text in _GOING_ON or word.tag in _RELATIVE for word in sentence[end : end + 2]):
        return False
    if behind.kind in ("ADV", "VERB", "AUX") or (behind.head == verb and behind.kind in ("PART", "ADJ")):
        return False
    if behind.relation in ("prep", "case"):
        is_deed = sentence[end - 1].kind == "PROPN" and any(
            sentence[k].relation == "pcomp" for k in children(sentence, end)
        )  # "accused Israel of killing"
        if behind.text not in _OF_VERBS and not is_deed:
            return False
    joined = [k for k in range(end, len(sentence)) if sentence[k].relation == "conj"]
    return all(
        _has_subject(sentence, k)
        if _is_verb(sentence[k])
        else sentence[k].head >= end and all(sentence[j].relation != "prep" for j in children(sentence, k))
        for k in joined
    )


def _behind_places(sentence: Parsed, end: int) -> int:
    """Return where times and places behind an object end: what follows may be of it still ("talks Monday on aid")."""
    while True:
        behind = sentence[end]
        if behind.relation in ("prep", "case"):
            places = [k for k in children(sentence, end) if sentence[k].relation == "pobj"] or [behind.head]
            is_place = behind.text in _OF_PLACES and sentence[places[0]].entity in _PLACES
            last = span(sentence, places[0])[-1]
        else:
            is_place = behind.entity in _TIMES and behind.relation not in ("prep", "punct")
            last = end
        if not is_place or last < end:
            return end
        end = last + 1


def _is_open_list(sentence: Parsed, k: int) -> bool:
    """Whether ", and" goes on behind a word with a list that has no "and" yet: "France, Britain, and | Russia"."""
    if k < 0 or sentence[k].relation not in ("conj", "appos") or sentence[k + 1].text != ",":
        return False
    around = (*children(sentence, sentence[k].head), *children(sentence, k))
    return sentence[k + 2].kind == "CCONJ" and not any(sentence[j].relation == "cc" for j in around)


def _is_verb(word: Word) -> bool:
    return word.kind in ("VERB", "AUX")


def _has_subject(sentence: Parsed, k: int) -> bool:
    return any(sentence[j].relation in ("nsubj", "nsubj:pass", "csubj", "expl") for j in children(sentence, k))


def _has_the_agent(sentence: Parsed, k: int) -> bool:
    """Whether a part of a clause has the agent for its subject: "to have a shot", "in order to shoot", "after placing".

    "of hiding" behind a patient has that one ("accused it of hiding"), but "instead of hiding" has not.
    """
    word = sentence[k]
    if word.relation == "advcl":
        return not _has_subject(sentence, k)
    if word.relation != "prep":
        return False
    below = [sentence[j].relation for j in children(sentence, k)]
    if "pcomp" in below:
        return word.text.lower() not in _OF_THE_PATIENT or "advmod" in below
    tags = {sentence[j].tag for j in span(sentence, k)}
    return "TO" in tags or ("PRP$" in tags and k < word.head)


def _passive(clause: Clause) -> list[Word] | None:
    """The verb in the passive: "bit" was bitten, "will bite" will be bitten, "is biting" is being bitten."""
    lemma = clause.verb.lemma
    participle = "borne" if lemma == "bear" else participle_of(lemma)
    verbs = [word for word in clause.between if _is_verb(word)]
    adverbs = [word for word in clause.between if word not in verbs]
    tags = tuple(word.tag for word in verbs)
    if participle is None or not is_form_of(clause.verb.text.lower(), lemma, clause.verb.tag):
        return None  # "riding", where the parser takes it for one of "rid"
    if len(tags) == 1 and tags[0] in _BE:
        made = [_BE[tags[0]][clause.plural[0]]]
    elif len(tags) == 2 and verbs[0].lemma == "have" and tags[1] == "VBN":
        made = [verbs[0].text, "been"]
    elif len(tags) == 2 and tags[0] == "MD":
        made = [verbs[0].text, "be"]
    elif len(tags) == 2 and verbs[0].lemma == "be" and tags[1] == "VBG":
        made = [verbs[0].text, "being"]
    else:
        return None
    return [added(made[0]), *adverbs, *map(added, made[1:]), added(participle)]


def _is_plural(part: Sequence[int], head: int, sentence: Parsed) -> bool:
    return sentence[head].feats.get("Number") == "Plur" or any(
        sentence[k].relation == "conj" and sentence[k].head == head for k in part
    )


def _agrees(clause: Clause) -> bool:
    """Whether the verb is right with either for its subject.

    It is of neither number for sure behind countries in the plural, the police, and "the" and a name in "s".
    """
    if clause.finite.tag == "MD" or clause.finite.text == "had":
        return True
    one, other = clause.plural
    written_so = {"VBZ": False, "VBP": True}.get(clause.finite.tag, one)
    return one == other == written_so and not any(
        head.text.lower() == "police"
        or (head.tag == "NNPS" and head.entity in ("GPE", "ORG"))
        or (head.tag == "NNP" and head.text[-1] == "s" and part[0].text.lower() == "the")
        for head, part in zip(clause.heads, (clause.subject, clause.thing), strict=True)
    )


def _reads_alike(clause: Clause) -> bool:
    """Whether the parser finds the same subject and object where the clause stands alone, and each as the other."""
    agent, patient = within(clause.subject, clause.before), clause.thing
    alone = _read([agent, clause.between, patient, [added(".")]])
    again = None if alone is None else _clause_of(alone, root_of(alone))
    exchanged = _read([patient, clause.between, agent, clause.rest])
    return again is not None and exchanged is not None and _ends(again) == _ends(clause) == _arguments(exchanged)[::-1]


def _read(parts: Sequence[Sequence[Word]]) -> Parsed | None:
    """Parts in line as the parser reads them, if that is one sentence."""
    text = written(in_line(parts)).text
    read = _parsed(text[0].upper() + text[1:])
    return read[0] if len(read) == 1 else None


def _arguments(sentence: Parsed) -> list[list[str]]:
    """The words of subject and object of a sentence, as far as it has them."""
    own = {sentence[k].relation: k for k in children(sentence, root_of(sentence))}
    parts = [span(sentence, own[name]) for name in ("nsubj", "obj") if name in own]
    return [_text([sentence[k] for k in part]) for part in parts]


@lru_cache(maxsize=1000)
def _parsed(text: str) -> list[Parsed]:
    return [*spacy_parser([text])]


def _ends(clause: Clause) -> list[list[str]]:
    return [_text(clause.subject), _text(clause.thing)]


def _text(words: Sequence[Word]) -> list[str]:
    return [word.text.lower() for word in words]


def _clefts(clause: Clause, verb: Sequence[Word]) -> tuple[Pair, Pair]:
    agent, patient = within(clause.subject, clause.before), clause.thing
    it = [*clause.before, added("it" if clause.before else "It"), added("was" if clause.finite.tag == "VBD" else "is")]
    by, that = [added("by")], [added("that")]
    made = [
        (
            in_line([it, suffers, that, verb, by, does, clause.rest]),
            in_line([it, by, does, that, suffers, verb, clause.rest]),
        )
        for does, suffers in ((patient, agent), (agent, patient))
    ]
    return made[0], made[1]
