"""Edits that change what a sentence says, each beside one of equal size that does not: negation, roles, numbers, names.

The two differ from the sentence by equally many words, in the same form and, but for roles, in the same place. So a
model that goes by form alone moves as far by one as by the other.

A number or an initial that a change puts in is the one that another sentence's control puts in, and the other way
round. So changes and controls put in the very same words: none is longer, rarer or of other letters on either side.
But the initial that a control keeps stands in the name: to a model of single letters it is nearer than any other.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, get_args

from gpustab.sentences.grammar import Grammar, added, otherwise
from gpustab.sentences.language import Written
from gpustab.sentences.parsed import Parsed, Word, root_of, written

EditKind = Literal["negation", "roles", "numbers", "names"]
EDIT_KINDS: tuple[EditKind, ...] = get_args(EditKind)

SHORTEST, LONGEST = 4, 60
"""Words of a sentence that is edited, punctuation included."""
_SPREAD = 15
"""Of the edits of a kind at most one in so many puts in one and the same word; but for negations, which are few."""

_ENOUGH, _NO_RULE = "enough were found before", "this language has no rule"
"""Outcomes of sentences that no rule looked at."""

Sides = tuple[Sequence[Sequence[Word]], Sequence[Sequence[Word]]]
"""Sentences that say something else, and as many that say the same."""


class Edit(NamedTuple):
    """A sentence, and two others that differ from it by equally many words.

    Attributes:
        kind: what was changed.
        sentence: number of the sentence among those that were read, from 0.
        base: as it stands.
        changed: one sentence or two that say something else.
        control: as many that say the same.
        new: the words that the change put in.
        kept: the words that the control put in.
        slot: the number of the language's place for a negation; 0 of others.
    """

    kind: EditKind
    sentence: int
    base: Written
    changed: tuple[Written, ...]
    control: tuple[Written, ...]
    new: str
    kept: str
    slot: int = 0


class Kept(NamedTuple):
    """A sentence whose control is known: it waits for another one of the same form to exchange words with.

    Attributes:
        sentence: its number.
        text: as it was parsed.
        place: of the word that is edited.
        kept: the word that the control puts in.
        form: what a word must be like to stand there as well.
    """

    sentence: int
    text: Parsed
    place: int
    kept: str
    form: tuple[object, ...]


class Edits(NamedTuple):
    """What was found.

    Attributes:
        found: edits by kind, in the order of the sentences.
        outcomes: how many sentences were edited, and why others were not, by kind.
        read: sentences.
    """

    found: dict[EditKind, list[Edit]]
    outcomes: Counter[tuple[EditKind, str]]
    read: int

    def asked(self, kind: EditKind) -> int:
        """Return of how many sentences it was asked whether they can be edited so; of none without a rule."""
        return 0 if self.outcomes[kind, _NO_RULE] else self.read - self.outcomes[kind, _ENOUGH]

    def full(self, kind: EditKind, each: int) -> bool:
        """Return whether there are as many edits of a kind as are wanted, or more would be."""
        return len(self.found[kind]) >= each or self.outcomes[kind, _ENOUGH] > 0


class Making:
    """Makes edits, one sentence after the other.

    Args:
        grammar: of the language.
        each: edits of a kind at most.
        seed: of the words and numbers that are drawn.
    """

    def __init__(self, grammar: Grammar, each: int, seed: int) -> None:
        self._grammar, self._each, self._draw = grammar, each, random.Random(seed)  # noqa: S311  # a draw, no secret
        self._found: dict[EditKind, list[Edit]] = {kind: [] for kind in EDIT_KINDS}
        self._outcomes: Counter[tuple[EditKind, str]] = Counter()
        self._often: Counter[tuple[str, str]] = Counter()
        self._turn: dict[int, Iterator[tuple[str, str]]] = {}
        self._names: list[tuple[int, Parsed, int]] = []
        self._numbers: list[Kept] = []
        self._small: set[str] = set()  # words that stand in small letters somewhere, which are no first names
        self._alone: set[str] = set()  # last names that stand somewhere without a first one
        self._lasts: dict[str, set[str]] = defaultdict(set)  # by first name
        self._texts: set[str] = set()
        self._read = 0

    def add(self, sentence: Parsed) -> None:
        """Make the edits of a sentence."""
        n, self._read = self._read, self._read + 1
        self._small.update(word.text for word in sentence if word.text.islower())
        self._alone.update(_alone(sentence))
        why = "" if _is_usable(sentence) else "too short, too long, or not a whole sentence"
        text = written(sentence).text
        if why or text in self._texts:
            for kind in EDIT_KINDS:
                self._outcomes[kind, why or "read before"] += 1
            return
        self._texts.add(text)
        for kind, make in (("negation", self._negation), ("roles", self._roles)):
            if len(self._found[kind]) >= self._each:
                self._outcomes[kind, _ENOUGH] += 1
                continue
            made = make(n, sentence)
            self._outcomes[kind, made if isinstance(made, str) else "edited"] += 1
            if not isinstance(made, str):
                self._found[kind].append(made)
        number = self._number(n, sentence)
        if isinstance(number, str):
            self._outcomes["numbers", number] += 1
        else:
            self._numbers.append(number)
        place = _name(sentence)
        if place is None:
            self._outcomes["names", "no person's name of two words"] += 1
        else:
            self._names.append((n, sentence, place))
            self._lasts[sentence[place].text].add(sentence[place + 1].text)

    @property
    def is_full(self) -> bool:
        """Whether every kind has as many edits as are wanted; names are counted before some are left out."""
        full = (len(own) >= self._each for own in (self._found["negation"], self._found["roles"], self._numbers))
        return all(full) and len(self._names) >= 3 * self._each

    def edits(self) -> Edits:
        """Return all edits; first names, and who exchanges a word with whom, are known when all sentences are read."""
        self._found["numbers"] = self._exchanged("numbers", self._numbers, "no other number of like size to exchange")
        self._found["names"] = self._exchanged("names", self._of_names(), "no other initial to exchange")
        return Edits(self._found, self._outcomes, self._read)

    def _negation(self, n: int, sentence: Parsed) -> Edit | str:
        if self._is_negated(sentence):
            return "negated already"
        why = "no sure place"
        for number, slot in enumerate(self._grammar.slots):
            place = slot.place(sentence)
            if not isinstance(place, str):
                new, kept = self._pair(number)
                changed, control = (_with(sentence, place, word) for word in (new, kept))
                return _edit("negation", n, sentence, ([changed], [control]), new, kept, number)
            why = place
        return why

    def _is_negated(self, sentence: Parsed) -> bool:
        return any(w.text.lower() in self._grammar.negative or w.feats.get("Polarity") == "Neg" for w in sentence)

    def _pair(self, slot: int) -> tuple[str, str]:
        """A negation and a filler in turn, so that all pairs are equally frequent."""
        if slot not in self._turn:
            self._turn[slot] = self._pairs(slot)
        return next(self._turn[slot])

    def _pairs(self, slot: int) -> Iterator[tuple[str, str]]:
        own = self._grammar.slots[slot]
        pairs = [(new, kept) for new in own.negations for kept in own.fillers]
        while True:
            yield from self._draw.sample(pairs, len(pairs))

    def _roles(self, n: int, sentence: Parsed) -> Edit | str:
        if self._grammar.roles is None:
            return _NO_RULE
        if self._is_negated(sentence):
            return "negated already"
        made = self._grammar.roles(sentence)
        return made if isinstance(made, str) else _edit("roles", n, sentence, made)

    def _number(self, n: int, sentence: Parsed) -> Kept | str:
        if len(self._numbers) >= self._each:
            return _ENOUGH
        why = "no number of things"
        for k in _counts_of_things(sentence):
            if (found := otherwise(sentence[k].text, self._grammar)) is None:
                continue
            number, kept = found
            if self._is_seldom("numbers", kept):
                self._often["numbers", kept] += 1
                return Kept(n, sentence, k, kept, (_band(number), kept.isdigit(), len(kept.split())))
            why = "this number was edited often enough"
        return why

    def _is_seldom(self, kind: EditKind, kept: str) -> bool:
        return self._often[kind, kept] < max(1, self._each // _SPREAD)

    def _of_names(self) -> list[Kept]:
        sure = [(n, sentence, k) for n, sentence, k in self._names if self._is_person(sentence[k], sentence[k + 1])]
        self._outcomes["names", "no name of a person for sure"] += len(self._names) - len(sure)
        found: list[Kept] = []
        for n, sentence, k in sure:
            kept = f"{sentence[k].text[0]}."
            if len(found) == self._each:
                self._outcomes["names", _ENOUGH] += 1
            elif not self._is_seldom("names", kept):
                self._outcomes["names", "this initial was put in often enough"] += 1
            else:
                self._often["names", kept] += 1
                found.append(Kept(n, sentence, k, kept, ()))
        return found

    def _exchanged(self, kind: EditKind, found: Sequence[Kept], alone: str) -> list[Edit]:
        """Edits of sentences that exchange their words in pairs; of those that are left over none."""
        edits = [
            _edit(
                kind,
                one.sentence,
                one.text,
                _with_another(one.text, one.place, other.kept, one.kept),
                other.kept,
                one.kept,
            )
            for pair in _in_pairs(found, self._draw)
            for one, other in (pair, pair[::-1])
        ]
        self._outcomes[kind, "edited"] += len(edits)
        self._outcomes[kind, alone] += len(found) - len(edits)
        return sorted(edits, key=lambda edit: edit.sentence)

    def _is_person(self, first: Word, last: Word) -> bool:
        """Whether a name is one by more than its tag: its last word stands alone too, or its first before others."""
        alone = last.text in self._alone or len(self._lasts[first.text]) > 1
        return alone and first.text.lower() not in self._small


def make_edits(
    sentences: Iterable[Parsed], grammar: Grammar, each: int = 300, most: int = 5000, seed: int = 0
) -> Edits:
    """Return the edits of some sentences; the same sentences and seed give the same.

    Args:
        sentences: with their tags; no more are read than are needed.
        grammar: of their language.
        each: edits of a kind at most.
        most: sentences at most.
        seed: of the words and numbers that are drawn.
    """
    making = Making(grammar, each, seed)
    for n, sentence in enumerate(sentences):
        if n == most or making.is_full:
            break
        making.add(sentence)
    return making.edits()


def _is_usable(sentence: Parsed) -> bool:
    whole = root_of(sentence) >= 0 and sentence[-1].text in (".", "!", "?")
    return SHORTEST <= len(sentence) <= LONGEST and whole


def _edit(kind: EditKind, n: int, sentence: Parsed, made: Sides, new: str = "", kept: str = "", slot: int = 0) -> Edit:
    changed, control = (tuple(map(written, own)) for own in made)
    return Edit(kind, n, written(sentence), changed, control, new, kept, slot)


def _with_another(sentence: Parsed, k: int, new: str, kept: str) -> Sides:
    """A sentence with another word in the place of one."""
    changed, control = ([*sentence[:k], sentence[k]._replace(text=text), *sentence[k + 1 :]] for text in (new, kept))
    return [changed], [control]


def _with(sentence: Parsed, place: int, text: str) -> list[Word]:
    """A sentence with one more word, which has a blank before it, and behind it where the word before it had one."""
    before = sentence[place - 1]
    word = added(text)._replace(spaced=before.spaced)
    return [*sentence[: place - 1], before._replace(spaced=True), word, *sentence[place:]]


def _counts_of_things(sentence: Parsed) -> Iterator[int]:
    """Numbers that count what a common noun behind them names, and stand alone: no dates, names, sums or scores."""
    for k, word in enumerate(sentence):
        if k == 0 or word.relation != "nummod" or not k < word.head <= k + 3 or not word.spaced:
            continue
        before, after, thing = sentence[k - 1], sentence[k + 1], sentence[word.head]
        beside = (before.kind, after.kind)
        if (
            thing.kind == "NOUN"
            and thing.lemma not in _PARTS
            and before.spaced
            and not {"NUM", "PROPN", "SYM"} & {*beside}
            and before.tag != "$"
            and not (before.kind == "DET" and before.text.lower() in _BY_SOUND)
            and after.text.lower() not in _OF_THE_CLOCK
            and not _BOTH & {other.text.lower() for other in sentence[max(0, k - 2) : k]}
            and not _is_of_two(sentence, k)
        ):
            yield k


_PARTS = frozenset({"third", "quarter", "half", "fifth", "Drittel", "Viertel", "Fünftel"})
"""There are no seven thirds of a people."""

_BY_SOUND = frozenset({"a", "an"})
"""What another number may ask for another one of: "a 25 kilometre front", "an eighty-five kilometre front"."""
_OF_THE_CLOCK = frozenset({"a.m.", "p.m.", "am", "pm", "o'clock", "uhr"})
_BOTH = frozenset({"both", "beide", "beiden"})
_BETWEEN = frozenset({"to", "of", "or", "and", "-", "–", "bis", "von", "oder", "und"})
"""What stands between the two numbers of a range, a score or a part."""


def _is_of_two(sentence: Parsed, k: int) -> bool:
    """Whether a number has another near it that it belongs to: "10 to 15 minutes", "three of the five games"."""
    for others in (sentence[k + 1 : k + 4], sentence[max(0, k - 3) : k][::-1]):
        near = next((j for j, other in enumerate(others) if other.kind == "NUM"), 0)
        if any(other.text.lower() in _BETWEEN for other in others[:near]):
            return True
    return False


_BANDS = (range(2, 10), range(10, 20), range(20, 100, 10))


def _band(number: int) -> int:
    """Which numbers are of like size and form: "twenty-five" is no "thirty"."""
    return next((k for k, band in enumerate(_BANDS) if number in band), len(_BANDS))


def _in_pairs(found: Sequence[Kept], draw: random.Random) -> Iterator[tuple[Kept, Kept]]:
    """Pairs of one form and of different words, as many as there are, drawn at random."""
    left: dict[tuple[object, ...], dict[str, list[Kept]]] = defaultdict(lambda: defaultdict(list))
    for one in draw.sample(found, len(found)):
        left[one.form][one.kept].append(one)
    for words in left.values():
        while len(words) > 1:
            most = max(words, key=lambda word: len(words[word]))  # those that pair first are those that could be left
            others = [word for word in words if word != most for _ in words[word]]
            pair = words[most].pop(), words[draw.choice(others)].pop()
            yield pair
            for one in pair:
                if not words[one.kept]:
                    del words[one.kept]


def _name(sentence: Parsed) -> int | None:
    """The place of a first name before a last one, both written out."""
    for k in range(len(sentence) - 1):
        first, last = sentence[k], sentence[k + 1]
        pair = first.head == k + 1 or last.head == k
        around = [_is_of_a_name(sentence[j]) for j in (k - 1, k + 2) if 0 <= j < len(sentence)]
        if (
            first.person
            and last.person
            and pair
            and not any(around)
            and first.spaced
            and _is_name(first)
            and _is_name(last)
        ):
            return k
    return None


def _alone(sentence: Parsed) -> Iterator[str]:
    """Words of persons' names that have no such word beside them."""
    people = [False, *map(_is_of_a_name, sentence), False]
    return (word.text for k, word in enumerate(sentence) if people[k : k + 3] == [False, True, False])


def _is_of_a_name(word: Word) -> bool:
    """Whether a word is one of a person's name; "'s" behind it is none, though parsers count it in."""
    return word.person and word.kind != "PART"


def _is_name(word: Word) -> bool:
    return word.text.isalpha() and word.text.istitle() and len(word.text) > 2  # "Al", "St"
