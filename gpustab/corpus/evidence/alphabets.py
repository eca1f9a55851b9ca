"""Doubts about words with letters of two alphabets, or digits for letters: to a reader they are other words.

No table says which letters look alike: the text does, where it has a word in both spellings.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.corpus.variants import fold
from gpustab.errors import option

_STRONG, _SLIGHT = 0.01, 0.002
"""Of the words, how many mix alphabets."""
_DIFFERENT, _LONG = 10, 4
"""Different words of so many letters, from which it is no accident: of units (μmol) and formulas there are fewer."""
_ASKED = 400
"""Of the words that mix, the most frequent ones, whose other spellings are looked for."""
_LONGEST = 30
_SURELY = 0.7
"""Of the other spellings of words, how many have one letter for another: looks are always of the same one."""
_BOTH = 0.5
"""Of the words that mix, how many the text has in one alphabet, too: of IPA and names hardly any."""
_NEARLY_ALL = 0.9
"""Of the words in the other alphabet, how many look like words of the text: then nobody wrote a sentence in it."""
_VOTES = 3
"""Words that show what a letter stands for, at least."""
_PIECE = re.compile(r"[^\W_]+")
_PLAIN = re.compile(r"[a-z]+")
_DIGIT = "DIGIT"


class _Looks(NamedTuple):
    """Letters that stand for others.

    Attributes:
        table: each with the other.
        words: those that have them, as often as they stand there, the most frequent first.
        alphabet: what they are of.
        alone: whether no word of the text is whole in that alphabet, but for those that look like others, too.
    """

    table: dict[str, str]
    words: Counter[str]
    alphabet: str
    alone: bool


def mixed_alphabets(look: Look) -> Doubt | None:
    """Doubt words with letters of two alphabets, as a Cyrillic *е* in *thе*, where the text has them in one, too.

    Alphabets are scripts with small and large letters: in Japanese, kana and characters make words together.
    """
    found = _looks_of(look, digits=False)
    return found and _doubt(found, look, "letters of two alphabets in one word", found.alphabet.capitalize())


def digits_for_letters(look: Look) -> Doubt | None:
    """Doubt words with digits for letters, as readers of scans put them: ``he1p`` beside *help*."""
    found = _looks_of(look, digits=True)
    return found and _doubt(found, look, "digits for letters", "a digit")


def dotless(look: Look) -> Doubt | None:
    """Doubt words with a dotless i where its capital is made one with a dot: *Irmak* is not *ırmak* then."""
    if not look.options.lowercase or look.options.language in ("tr", "az"):
        return None
    held = [word for word in look.spaced if "ı" in word]
    share = len(held) / max(len(look.spaced), 1)
    if share < _STRONG or len(set(held)) < _DIFFERENT:
        return None
    says = f"letters ı: {share:.1%} of the words have one, and its capital is made an i with a dot"
    way = f"say {option('language', 'tr')} to make small letters as Turkish has them"
    return Doubt("alphabets", share, shown(held), False, says, way)


def _doubt(found: _Looks, look: Look, what: str, kind: str) -> Doubt:
    share = found.words.total() / max(len(look.spaced), 1)
    example = next(word for word in found.words if len(word) >= _LONG)
    letter = next(one for one in example if one in found.table)
    meant = _meant(example, found.table)
    says = f"{what}: {share:.1%} of the words, as '{example}', whose '{letter}' is {kind}, beside '{meant}'"
    strong = share >= _STRONG and found.alphabet != _DIGIT
    return Doubt("alphabets", share, shown(found.words), strong, says, f"mend them in Python, {_mended(found)}")


def _mended(found: _Looks) -> str:
    """Return Python that puts letters for those that look so; words that are whole in their alphabet stay."""
    large = {a.upper(): b.upper() for a, b in found.table.items() if a != a.upper() and len(a.upper() + b.upper()) == 2}
    both = found.table | large
    table = f"str.maketrans({''.join(both)!r}, {''.join(both.values())!r})"
    if found.alone:
        return f"text.translate({table})"
    own = {letter for word in found.words for letter in word if letter.isalpha() and letter not in found.table}
    kept = f"found[0].translate({table}) if re.search('[{min(own)}-{max(own)}]', found[0], re.I) else found[0]"
    return rf"re.sub(r'\w+', lambda found: {kept}, text)"


def _looks_of(look: Look, *, digits: bool) -> _Looks | None:
    """Return the letters that stand for others in enough words of a look, if there are any."""
    if look.options.cut != "words":
        return None
    keep = look.options.keep_variants
    words = Counter[str]()
    for spaced, n in Counter(look.spaced).items():
        for piece in map(str.lower, _PIECE.findall(spaced)) if "://" not in spaced else ():
            words[piece if keep or _PLAIN.fullmatch(piece) else fold(piece)] += n
    mixed, whole = Counter[str](), dict[str, int]()
    for word, n in words.items():
        alphabets = {_alphabet(letter) for letter in word} - {""} if not _PLAIN.fullmatch(word) else {"LATIN"}
        if len(alphabets) == 1 and _DIGIT not in alphabets:
            whole[word] = n
        elif len(alphabets) == 2 and (_DIGIT in alphabets) is digits and len(word) <= _LONGEST:
            mixed[word] = n
    if mixed.total() < _SLIGHT * words.total() or len(mixed) < _DIFFERENT:
        return None
    main = Counter[str]()
    for word, n in words.items():
        main[_alphabet(next(filter(str.isalpha, word), ""))] += n
    own = main.most_common(1)[0][0]
    return _told(mixed, whole, own, words.total())


def _told(mixed: Counter[str], whole: Mapping[str, int], own: str, size: int) -> _Looks | None:
    """Return the letters that the text shows to stand for those of its own alphabet."""
    places = {word: _others(word, own) for word, _ in mixed.most_common(_ASKED)}
    table = _learned({word: at for word, at in places.items() if 0 < 2 * len(at) <= len(word)}, mixed, whole)
    if not table:
        return None
    held = Counter({word: n for word, n in mixed.most_common() if _meant(word, table) in whole})
    long = sum(len(word) >= _LONG for word in held)
    if long < _DIFFERENT or held.total() < max(_SLIGHT * size, _BOTH * mixed.total()):
        return None
    alphabets = Counter(_alphabet(letter) for word in held for letter in word if letter in table)
    alphabet = alphabets.most_common(1)[0][0]
    apart = {word: n for word, n in whole.items() if {*map(_alphabet, word)} <= {alphabet, ""}}
    alike = sum(n for word, n in apart.items() if word != (meant := _meant(word, table)) and meant in whole)
    return _Looks(table, held, alphabet, alphabet != _DIGIT and alike >= _NEARLY_ALL * sum(apart.values()))


def _others(word: str, own: str) -> tuple[int, ...]:
    """Return the places of a word's letters that are of another alphabet."""
    return tuple(k for k, letter in enumerate(word) if _alphabet(letter) not in (own, ""))


def _learned(places: Mapping[str, Sequence[int]], mixed: Mapping[str, int], whole: Mapping[str, int]) -> dict[str, str]:
    """Return what letters stand for, by the words of the text that are equal at all other places."""
    by_length: dict[int, list[str]] = defaultdict(list)
    for word in whole:
        by_length[len(word)].append(word)
    spelled: dict[tuple[int, ...], dict[str, list[str]]] = {}
    votes, voters = defaultdict[str, defaultdict[str, float]](lambda: defaultdict(float)), Counter[str]()
    for word, at in places.items():
        key = (len(word), *at)
        if key not in spelled:
            spelled[key] = defaultdict(list)
            for one in by_length[len(word)]:
                spelled[key][_without(one, at)].append(one)
        meant = spelled[key].get(_without(word, at), [])
        total = sum(whole[one] for one in meant)
        voters.update({word[k] for k in at} if meant else ())
        for one in meant:
            for k in at:
                votes[word[k]][one[k]] += mixed[word] * whole[one] / total
    best = {letter: max(of, key=of.__getitem__) for letter, of in votes.items() if voters[letter] >= _VOTES}
    return {letter: one for letter, one in best.items() if votes[letter][one] >= _SURELY * sum(votes[letter].values())}


def _meant(word: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(letter, letter) for letter in word)


def _without(word: str, at: Sequence[int]) -> str:
    letters = list(word)
    for k in at:
        letters[k] = " "
    return "".join(letters)


@cache
def _alphabet(letter: str) -> str:
    """Return the script of a letter that is small or large, or that it is a digit; nothing of all others.

    >>> [_alphabet(one) for one in ("a", "ж", "π", "7", "の", "'", "ᴛ")]
    ['LATIN', 'CYRILLIC', 'GREEK', 'DIGIT', '', '', 'SMALL CAPITAL']
    """
    if letter.isdigit():
        return _DIGIT
    name = unicodedata.name(letter, "") if letter else ""
    if "LETTER SMALL CAPITAL" in name:
        return "SMALL CAPITAL"
    plain = unicodedata.normalize("NFKC", letter)[:1]
    return name.partition(" ")[0] if plain.upper() != plain.lower() else ""
