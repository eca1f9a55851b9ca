"""Who does it to whom in English: clauses in which a being does something to another or to a thing, exchanged.

What acts is a person, an animal or a group. A verb of many senses needs two of them, since it says something else with
each thing ("hit the market"). And the parser has to read the clause alike five times: in the sentence, alone, with the
two exchanged, and in the passive of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from gpustab.sentences.beings import BEINGS, GROUPS, is_being
from gpustab.sentences.clefts import Clause, clefts, is_plural, passive
from gpustab.sentences.grammar import Pair, added, in_line, span, words_of
from gpustab.sentences.parsed import Parsed, Word, children, root_of, spacy_parser, written

_SYMMETRIC = frozenset(
    words_of(
        "accompany battle be become befriend border box clash comprise confront contact cuddle date divorce "
        "duel embrace encounter engage equal espouse face fight have hug include join kiss lack let marry match meet "
        "mirror oppose partner play race remain resemble rival tie wed wrestle"
    )
)
"""Verbs that say much the same with subject and object exchanged, or that have no sure passive."""
MANY = 9
OF_MANY_SENSES = frozenset(
    words_of(
        "absorb accept act address advance allow answer apply assume back beat begin bind blast block blow break "
        "breathe bring build burn call carry cast catch change charge check choke clean clear close come connect "
        "consider continue contract convert count cover crack crash cut deal deliver develop die dip direct "
        "discharge dissolve distribute do drag draw dress drift drive drop enter explode expose extend fail fall "
        "feed feel fill find fire fit fix flick flip float fly follow force free freeze fret gain gather get give "
        "go ground grow hang head hit hold hook introduce jump keep kill know lead leave lift lock look lose "
        "maintain make mark miss move name observe offer open order pack pass pay pick pitch place point pop post "
        "present press project prove puddle pull push put rack rail raise reach read receive recognize reduce "
        "regenerate register release relieve render represent rest retire return ride rise roll ruffle run save "
        "say see separate serve set settle shake shift shine shoot show sink sit slip smash snap soak spread "
        "squeeze stamp stand start stay step stick stop strain stretch strike strip submit suffer support sweep "
        "swing take tap tease think throw tip top touch train transfer translate trim try tumble turn twist walk "
        "wash waste wear withdraw work write yield"
    )
)
"""Those to which WordNet gives so many senses or more."""
_OF_TWO = frozenset(
    words_of("award declare deem deny dub grant guarantee hear help judge notice offer owe pronounce watch")
)
"""Verbs of which an object of two nouns may be two: "heard the bell | ring", "denied the town | bread"."""
_QUANTIFIERS = frozenset(words_of("every each only all no any both most many few even just either"))
"""A dog that every man saw is another than the dog of each."""
_SAYING = frozenset(words_of("say add believe think know report claim announce insist argue admit explain hope"))
_QUOTES = frozenset("\"“”‘'`()[]") | {"``", "''"}
"""Signs of quotations and parentheses, which may end within what is exchanged."""
_LONGEST = 8
"""Words of a part that is exchanged."""
_BESIDE = {"nsubj", "obj", "aux", "advmod", "punct", "prep", "npadvmod", "advcl", "cc", "conj", "mark"}
"""What may hang on a verb that has one subject and one object."""
_OF_NOUNS = {"det", "amod", "compound", "nummod", "nmod:poss", "case", "prep", "pobj", "nmod"}
"""What may hang on a noun: no clause, no second noun, nothing behind a comma."""
_OF_ONE_NUMBER = {"was": False, "were": True}
"""Forms of the past that are of several or not."""
_TIMES = ("DATE", "TIME")
_AMOUNTS = {"DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"}
"""What spaCy calls times and amounts, to which nothing is done: "spent a day"."""
_OF_TIME = frozenset(words_of("time moment second minute hour day night morning evening week month season year while"))
"""Nouns of times, where spaCy sees none: "rang a second time"."""
_PLACES = {"DATE", "TIME", "GPE", "LOC", "FAC", "EVENT"}
_OF_VERBS = frozenset(words_of("after amid as before despite during since through throughout until via"))
"""Prepositions behind an object that are of the verb; "in the chair" tells as well who was bitten."""
_OF_PLACES = frozenset(words_of("across against at for in near on over with within"))
"""Those that are where the name of a place or a time stands behind them."""
_RELATIVE = frozenset({"WDT", "WP", "WP$"})


def in_clefts(sentence: Parsed) -> tuple[Pair, Pair] | str:
    """Return, of "the dog bit the man", the man and the dog in each other's place in two clefts.

    "It was the man that was bitten by the dog" and "it was by the dog that the man was bitten" say the same, and are of
    the very same words. With the two exchanged both say another thing. No order of the two is that of one side alone,
    and no pair of words that stand together in the sentence, but within the two, stands together in any.
    """
    if any(word.text in _QUOTES for word in sentence):
        return "a quotation or a parenthesis"
    why = "no clause of an agent, a verb and a patient"
    for k in range(len(sentence)):
        clause = _clause_of(sentence, k) if _is_main(sentence, k) else None
        if clause is not None and (verb := passive(clause)) is not None:
            why = _doubt(clause, verb)
            if not why:
                return clefts(clause, verb)
    return why


def _doubt(clause: Clause, verb: Sequence[Word]) -> str:
    """Why a clause may not be right with the two exchanged; empty where nothing speaks against it."""
    if not is_being(clause.heads[0]):
        return "the agent is no person, animal or group for sure"
    if _are_alike(clause):
        return "agent and patient are not told apart"
    if _may_be_one(clause):
        return "verb and object may be one thing"
    if _QUANTIFIERS & set(_text([*clause.before[-1:], *clause.subject, *clause.between, *clause.thing])):
        return "how many there are would change with the order"
    if not _agrees(clause):
        return "the verb would not agree with both"
    if not _reads_alike(clause, verb):
        return "the parser reads the clause otherwise where it stands alone, in the passive, or with the two exchanged"
    return ""


def _is_main(sentence: Parsed, k: int) -> bool:
    """Whether a verb is that of a sentence, of a clause that "and" joins to it, or of one that is said.

    What is said stands behind "that", or with no word before it. Behind "that" it has a form of its own, since "they
    ask that he institute it" is no fact.
    """
    word, over = sentence[k], sentence[sentence[k].head]
    if word.relation != "ccomp":
        return word.relation == "root" or (word.relation == "conj" and over.relation == "root")
    below = [sentence[j] for j in children(sentence, k)]
    marks = [one.text for one in below if one.relation == "mark"]
    own_form = word.text != word.lemma or any(one.tag == "MD" for one in below)
    return (marks == ["that"] and own_form) or (not marks and over.lemma in _SAYING)


def _clause_of(sentence: Parsed, verb: int) -> Clause | None:
    """The clause of a verb with one subject right before it, one object right behind it, and nothing else of either."""
    word, below = sentence[verb], list(children(sentence, verb))
    relations = [sentence[k].relation for k in below]
    if not relations.count("nsubj") == relations.count("obj") == 1 or not {*relations} <= _BESIDE:
        return None
    if word.kind != "VERB" or word.lemma in _SYMMETRIC or sentence[-1].text not in (".", "!"):
        return None
    heads = below[relations.index("nsubj")], below[relations.index("obj")]
    subject, thing = (span(sentence, k) for k in heads)
    between = sentence[subject[-1] + 1 : thing[0]]
    finite = next((one for one in between if one.kind in ("VERB", "AUX")), None)
    if finite is None or thing[0] != verb + 1 or not {one.kind for one in between} <= {"VERB", "AUX", "ADV"}:
        return None
    if not (_is_phrase(sentence, heads[0], subject) and _is_phrase(sentence, heads[1], thing)):
        return None
    if sentence[subject[0]].text.lower() in ("that", "those"):  # "I believe that man can", where it is no article
        return None
    before, end = sentence[: subject[0]], thing[-1] + 1
    if not (_may_begin_behind(before) and _may_end_before(sentence, end)):
        return None
    if any(_is_of_the_agent(sentence, k) for k in below if k not in heads):
        return None
    parts = before, sentence[subject[0] : subject[-1] + 1], between, sentence[thing[0] : end], sentence[end:]
    return Clause(*parts, word, finite, (sentence[heads[0]], sentence[heads[1]]))


def _is_phrase(sentence: Parsed, head: int, part: Sequence[int]) -> bool:
    """Whether a part is words in a row: a noun, what tells which, and no more behind it than "of" another."""
    words, noun = sentence[part[0] : part[-1] + 1], sentence[head]
    first = words[0]
    has_article = first.kind in ("DET", "NUM") and (part[0] > 0 or first.text.isalpha())
    own = [sentence[k] for k in part if k != head and sentence[k].text != "-"]
    return (
        len(words) == len(part) <= _LONGEST
        and (has_article or first.tag == "PRP$" or _is_name(words, noun))
        and words[-1].kind in ("NOUN", "PROPN")
        and (len(words) == 1 or words[1].kind != "DET")  # "hands another | an item"
        and noun.entity not in _AMOUNTS
        and noun.lemma not in _OF_TIME
        and all(word.relation in _OF_NOUNS and (word.kind != "ADP" or word.text == "of") for word in own)
        and not any(word.tag[:1] == "W" or word.tag in ("JJR", "RBR") for word in own)
        and not any(word.text.istitle() and word.kind in ("DET", "ADP") for word in words[part[0] == 0 :])  # a title
        and not (noun.kind == "NOUN" and first.kind == "PROPN" and first.relation == "compound")  # "denied Spain | aid"
        and not (first.kind == "NUM" and first.text.lower() != "one" and not is_plural(noun))
        and not (first.text.lower() in ("a", "an") and (noun.kind == "PROPN" or any(map(is_plural, words))))
    )


def _is_name(words: Sequence[Word], noun: Word) -> bool:
    """Whether a phrase needs no article: a name with what stands before it, what somebody has, or several beings.

    "Emperor" is no name, "Stanford University" is one.
    """
    if is_plural(noun) and is_being(noun) and all(word.kind == "NOUN" for word in words):
        return True
    is_own = noun.kind == "PROPN" and not all(word.lemma.lower() in BEINGS for word in words)
    return is_own or any(word.tag == "POS" for word in words)


def _are_alike(clause: Clause) -> bool:
    """Whether agent and patient are the same, or nothing tells which of the two is which: "a dog bit another dog"."""
    one, other = (_text(part) for part in (clause.subject, clause.thing))
    heads = [head.lemma.lower() for head in clause.heads]
    return one == other or (heads[0] == heads[1] and bool({"another", "other"} & {*one, *other}))


def _may_be_one(clause: Clause) -> bool:
    """Whether verb and object may be one thing ("hit the market", "shook his head"), or the object two.

    A verb of many senses needs a person, an animal or a name; "broke the bank" is no deed to a bank.
    """
    noun, lemma = clause.heads[1], clause.verb.lemma
    is_open = lemma in _OF_TWO or noun.text.endswith("ing")  # "a law | providing"
    if lemma == noun.lemma.lower() or (is_open and _is_of_two_nouns(clause.thing)):
        return True
    if is_being(noun):
        return lemma in OF_MANY_SENSES and noun.kind == "NOUN" and noun.lemma.lower() in GROUPS
    return lemma in OF_MANY_SENSES or any(word.tag == "PRP$" for word in clause.thing)


def _is_of_two_nouns(phrase: Sequence[Word]) -> bool:
    """Whether a phrase ends with a noun behind a noun."""
    kinds = [word.kind for word in phrase[-2:]]
    return len(kinds) == 2 and kinds[0] in ("NOUN", "PROPN") and kinds[1] == "NOUN"


def _may_begin_behind(before: Sequence[Word]) -> bool:
    """Whether a clause may begin behind some words: behind a comma, "that", "but", a verb of saying, or a time.

    And behind "and", unless a list may go on: "France, Britain, and | Russia".
    """
    if not before:
        return True
    last, *others = before[::-1]
    is_list = len(others) > 1 and others[0].text == "," and others[1].kind in ("NOUN", "PROPN") and last.text != "but"
    joins = last.text.lower() in (",", "that") or last.kind == "CCONJ" or (not others and last.kind == "ADV")
    return (joins and not (last.kind == "CCONJ" and is_list)) or last.lemma in _SAYING or last.entity in _TIMES


def _may_end_before(sentence: Parsed, k: int) -> bool:
    """Whether what stands behind an object is of the verb: a time, a place that has a name, a clause, the end."""
    first = sentence[k]
    if first.relation == "compound:prt" or any(word.tag in _RELATIVE for word in sentence[k : k + 2]):
        return False
    if first.kind == "ADP" and first.text not in _OF_VERBS:
        places = [j for j in children(sentence, k) if sentence[j].relation == "pobj"]
        return first.text in _OF_PLACES and bool(places) and sentence[places[0]].entity in _PLACES
    return first.kind in ("ADP", "PUNCT", "SCONJ", "CCONJ") or first.entity in _TIMES


def _is_of_the_agent(sentence: Parsed, k: int) -> bool:
    """Whether a part of a clause says more of the agent: "to bite", "after biting", "by his own account", "and bit"."""
    is_clause = sentence[k].relation in ("advcl", "conj")
    if is_clause and any(sentence[j].relation in ("nsubj", "nsubj:pass", "expl") for j in children(sentence, k)):
        return False
    part = [sentence[j] for j in span(sentence, k)]
    return is_clause or any(
        word.tag in ("TO", "PRP$")
        or word.relation == "pcomp"
        or word.text.endswith(("self", "selves"))
        or word.text.lower() == "by"
        for word in part
    )


def _agrees(clause: Clause) -> bool:
    """Whether the verb is right with either for its subject.

    It is of neither number for sure behind the police, names of states and bodies in the plural, "the" and a name in
    "s" or of a people ("the Beatles", "the French").
    """
    if clause.finite.tag == "MD" or clause.finite.text == "had":
        return True
    one, other = map(is_plural, clause.heads)
    written_so = _OF_ONE_NUMBER.get(clause.finite.text.lower(), {"VBZ": False, "VBP": True}.get(clause.finite.tag, one))
    return one == other == written_so and not any(
        head.text.lower() == "police"
        or (head.tag == "NNPS" and head.entity in ("GPE", "ORG"))
        or (head.kind == "PROPN" and part[0].text.lower() == "the" and (head.text[-1] == "s") != is_plural(head))
        or (head.entity == "NORP" and not is_plural(head))
        for head, part in zip(clause.heads, (clause.subject, clause.thing), strict=True)
    )


def _reads_alike(clause: Clause, verb: Sequence[Word]) -> bool:
    """Whether the parser finds the same two alone, exchanged, and in the passive of either."""
    agent, patient, rest = clause.agent, clause.thing, clause.rest
    ends = [_text(agent), _text(patient)]
    by = [*verb, added("by")]
    return (
        _arguments([agent, clause.between, patient, [added(".")]]) == ends
        and _arguments([patient, clause.between, agent, rest])[::-1] == ends
        and _arguments([patient, by, agent, rest]) == ends
        and _arguments([agent, by, patient, rest])[::-1] == ends
    )


def _arguments(parts: Sequence[Sequence[Word]]) -> list[list[str]]:
    """The words of agent and patient of a sentence as the parser reads it; none where it has not both."""
    text = written(in_line(parts)).text
    read = _parsed(text[0].upper() + text[1:])
    own = {read[0][k].relation: k for k in children(read[0], root_of(read[0]))} if len(read) == 1 else {}
    found = [own[name] for name in ("nsubj", "obj") if name in own]
    if {"nsubj:pass", "agent"} <= own.keys():
        found = [*(k for k in children(read[0], own["agent"]) if read[0][k].relation == "pobj"), own["nsubj:pass"]]
    return [_text([read[0][j] for j in span(read[0], k)]) for k in found]


@lru_cache(maxsize=1000)
def _parsed(text: str) -> list[Parsed]:
    return [*spacy_parser([text])]


def _text(words: Sequence[Word]) -> list[str]:
    return [word.text.lower() for word in words]
