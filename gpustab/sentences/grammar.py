"""What the study of edits asks of a language: where a negation may stand, who may do what to whom, how numbers look.

:func:`gpustab.sentences.english.english` parses texts with spaCy; :func:`gpustab.sentences.german.german` takes
sentences with tags, of a treebank or a parser (:func:`gpustab.sentences.parsed.read_conllu`). A language of one's own
is one more :class:`Grammar`. A rule answers for the sentences in which its edit is surely right, and says of any other
why it is left out. Here stands what languages share.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from gpustab.installing import install
from gpustab.sentences.language import package
from gpustab.sentences.parsed import Parsed, Word, children, root_of

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
            ``None`` of a language without such a rule.
        spell: a whole number in words.
    """

    name: str
    parse: Callable[[Iterable[str]], Iterator[Parsed]] | None
    negative: frozenset[str]
    slots: tuple[Slot, ...]
    roles: Callable[[Parsed], tuple[Pair, Pair] | str] | None
    spell: Callable[[int], str]


def words_of(text: str) -> tuple[str, ...]:
    """Return words with blanks between."""
    return tuple(text.split())


def speller(language: str) -> Callable[[int], str]:
    """Return what writes whole numbers in words: num2words, which is imported when it is called."""

    @cache
    def spell(number: int) -> str:
        words = package("num2words", f"numbers are written out by num2words: {install('sentences')}")
        return str(words.num2words(number, lang=language))

    return spell


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


_BEFORE_NAMES = ("DET", "ADV", "NUM", "ADP")
"""What a parser puts into a name or a number without being one's first word: "the" Taliban, "almost" half."""


def within(phrase: Sequence[Word], before: Sequence[Word]) -> list[Word]:
    """Return a phrase that began a sentence as it is written within it; with words before it, as it stands."""
    first = phrase[0]
    is_name = first.kind == "PROPN" or (first.entity not in ("", "DATE") and first.kind not in _BEFORE_NAMES)
    if before or is_name or not first.text.istitle():
        return list(phrase)
    return [first._replace(text=first.text.lower()), *phrase[1:]]


_OF_NUMBER = frozenset({"hundred", "thousand", "million", "billion", "dozen", "score", "Tausend", "Million", "Dutzend"})


def bare_object(
    sentence: Parsed, is_past: Callable[[Parsed, int], bool], idioms: frozenset[tuple[str, str]] = frozenset()
) -> int | str:
    """Return the place of the main verb's plural object with nothing before it, or why there is none.

    Of one event (``is_past``), since "likes dogs" is of all dogs; ``idioms`` are verbs and objects that are one thing.
    """
    root = root_of(sentence)
    if root < 0 or sentence[root].kind != "VERB" or not is_past(sentence, root):
        return "no sure place"
    for k in children(sentence, root):
        word = sentence[k]
        if (
            word.relation == "obj"
            and word.kind == "NOUN"
            and word.lemma not in _OF_NUMBER
            and (sentence[root].lemma, word.lemma) not in idioms
            and word.feats.get("Number") == "Plur"
            and k > root
            and sentence[k - 1].spaced
            and all(other > k for other in children(sentence, k))
            and sentence[k - 1].kind not in ("ADJ", "NUM", "DET", "NOUN", "PROPN", "PUNCT", "ADV", "X")
        ):
            return k
    return "no sure place"


SMALL_NUMBERS = range(2, 100)
_DIGITS = re.compile(r"[1-9]\d*")


@cache
def numbers_of(spell: Callable[[int], str]) -> dict[str, int]:
    """Return the numbers from 2 to 99 by their words."""
    return {spell(number): number for number in SMALL_NUMBERS}


def otherwise(word: str, grammar: Grammar) -> tuple[int, str] | None:
    """Return the number of a word and how it is written in the other way; ``None`` for what is no such number.

    Numbers from 2 to 99 are written in words or in digits. A larger one that gains or loses the sign between thousands
    keeps its digits, and any other number is farther by its letters: it has no fair control.

    >>> from gpustab.sentences.english import english
    >>> otherwise("12", english()), otherwise("five", english()), otherwise("1,250", english())
    ((12, 'twelve'), (5, '5'), None)
    """
    if (small := numbers_of(grammar.spell).get(word.lower())) is not None:
        return (small, str(small)) if word.islower() else None
    if _DIGITS.fullmatch(word) and int(word) in SMALL_NUMBERS:
        return int(word), grammar.spell(int(word))
    return None
