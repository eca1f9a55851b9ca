"""Text cut into words: letters made small by the rules of a language, words found by one of several rules."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from operator import itemgetter

from gpustab.corpus.broken import BREAK, HYPHENS, run_on
from gpustab.corpus.options import CorpusOptions, JoinBroken
from gpustab.corpus.variants import fold, signs_within
from gpustab.errors import option
from gpustab.results.page import counted

_TURKIC = str.maketrans({"İ": "i", "I": "ı"})
_ABOVE = "".join(chr(code) for code in range(0x300, 0x370) if unicodedata.combining(chr(code)) == 230)
_OTHER = "".join(chr(code) for code in range(0x300, 0x370) if unicodedata.combining(chr(code)) not in (0, 230))
_LITHUANIAN = re.compile(f"[IJĮ](?=[{_OTHER}]*[{_ABOVE}])|[ÌÍĨ]")
_UNUSUAL = re.compile(r"[^\n\r\t -_a-~]")
"""All but white space and signs of ASCII; the backtick may be an apostrophe."""
_EUROPEAN = 0x2FFF
"""The last letter of those that a pattern knows which is made in a hundredth of the time that one of all takes: of
alphabets and their accents, and of signs between words. East Asian letters stand behind it."""
_BEYOND_EUROPEAN = re.compile(f"[^\\0-{chr(_EUROPEAN)}]")
_PART = 1 << 19
"""Characters that are cut into words at once: the words of a whole text would take ten times its room."""
_BETWEEN = re.compile(r"(?<=[^\W\d_]) (?=[^\W\d_])")
_LOOKED_AT = 2_000_000
"""Characters that are looked at: enough to find what there is much of, and seconds less than all of a large corpus."""
_KEPT = 1 << 14
"""Words whose spelling is kept: the common ones of any text."""
_SELDOM = {"digits": 100}
"""Words, of which one of a kind is not worth a note: in any prose there are some like ``4th``."""
_SELDOM_ELSE = 10_000
"""The same of other kinds: an odd name or address stands in any large text."""
_KINDS = {
    "tags": r"(?<!\S)[#@]\w+",
    "joined": r"(?<!\w)\w+(?:[#|_]+\w+)+",
    "plus": r"(?<!\S)\w{1,3}(?:\+\+|#)(?!\w)",
    "digits": r"(?<![\w-])(?=\w*-?\d)(?=[\w-]*[^\W\d_])[^\W_]+(?:-[^\W_]+)*(?![\w-])",
}
_TOKENS = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _KINDS.items()))
_OF_TOKENS = re.compile(r"[#@|_+\d]")
"""A sign that each of them has. None has white space, so that each stands within what stands between blanks."""


Own = Callable[[str], Iterable[str]]
Cutter = Callable[[Sequence[str]], Iterator[str]]


def tokeniser(options: CorpusOptions, own: Own | None = None) -> Callable[[Sequence[str]], list[str]]:
    r"""Return a function that cuts texts into words, with a newline after each text.

    >>> tokeniser(CorpusOptions())(["Don’t panic: 42!", "It's mañana's 'naïve' co-op."])
    ["don't", 'panic', '\n', "it's", "mañana's", 'naïve', 'co', 'op', '\n']
    >>> tokeniser(CorpusOptions(tokenizer="whitespace"))(["dico#2 bank|NOUN"])
    ['dico#2', 'bank|noun', '\n']
    """
    cut, one_spelling = cutter(options, own), spelling(options, own)
    return lambda texts: list(map(one_spelling, cut(texts)))


def spelling(options: CorpusOptions, own: Own | None = None) -> Callable[[str], str]:
    """Return what gives a word its one spelling, see :mod:`gpustab.corpus.variants`; what one cuts oneself stays."""
    if options.keep_variants or own is not None:
        return str
    lower = lowering(options)

    @lru_cache(maxsize=_KEPT)
    def spelled(word: str) -> str:
        return word if (folded := fold(word)) == word else unicodedata.normalize("NFC", lower(folded))

    return spelled


def cutter(options: CorpusOptions, own: Own | None = None, *, marked: bool = False) -> Cutter:
    """Return a function that cuts texts into words as they are spelled, one after the other, a newline after each text.

    Args:
        options: the rules.
        own: as for :func:`tokeniser`.
        marked: whether a word that a line's end may break is one token, with a mark in it, and so is one with
            hyphens; see :mod:`gpustab.corpus.broken`. It never is where a regular expression or ``own`` cuts.
    """
    lower = lowering(options)
    plain = own is None and options.cut == "words"
    how = options.join_broken
    if how == "auto" and not (marked and (plain or options.cut == "whitespace") and own is None):
        how = "none"
    if plain:
        signs = (not options.drop_numbers, not options.drop_punctuation)
        broken = how == "auto"
        find_basic = _pattern(*signs, as_spelled=True, broken=broken, last=0x7F).findall
        small = options.language not in ("tr", "az", "lt") or not options.lowercase

        def words_of(part: str) -> list[str]:
            if small and not _UNUSUAL.search(part):  # most English text: one spelling, and a pattern of few letters
                return find_basic(lower(part))
            text = unicodedata.normalize("NFC", lower(part.replace("\u00ad", "")))
            last = 0x10FFFF if _BEYOND_EUROPEAN.search(text) else _EUROPEAN
            return _pattern(*signs, options.keep_variants, broken, last).findall(text)

        def tokenise(texts: Sequence[str]) -> Iterator[str]:
            joined = "".join([run_on(text, how) + "\n" for text in texts])
            if len(joined) < 2 * _PART:
                return iter(words_of(joined))
            return chain.from_iterable(words_of(part) for part in _parts(joined))

        return tokenise
    return _as_told(options, own, how)


def _as_told(options: CorpusOptions, own: Own | None, how: JoinBroken) -> Cutter:
    """Return what cuts as a regular expression, white space or ``own`` says; only at white space part by part."""
    lower, cut = lowering(options), own or _cutter(options.cut)
    parts = _parts if own is None and options.cut == "whitespace" else lambda text: iter((text,))

    def tokenise(texts: Sequence[str]) -> Iterator[str]:
        for text in texts:
            line = unicodedata.normalize("NFC", run_on(text, how).replace("\u00ad", ""))
            for word in chain.from_iterable(map(cut, parts(line))):
                yield unicodedata.normalize("NFC", lower(word))
            yield "\n"

    return tokenise


def _parts(text: str) -> Iterator[str]:
    """Yield a long text part by part, each cut at a blank between two letters, where no word and no sign goes on."""
    start = 0
    while len(text) - start > _PART and (found := _BETWEEN.search(text, start + _PART)):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]


def lowering(options: CorpusOptions) -> Callable[[str], str]:
    """Return what makes letters small in a language, as Unicode's SpecialCasing has it for Turkic and Lithuanian.

    Elsewhere a small i has one dot, too: that of a Turkish capital would make two words of one.

    >>> lowering(CorpusOptions(language="tr"))("İSTANBUL ISPARTA")
    'istanbul ısparta'
    >>> lowering(CorpusOptions())("İstanbul")
    'istanbul'
    """
    if not options.lowercase:
        return str
    if options.language in ("tr", "az"):
        return lambda text: unicodedata.normalize("NFC", text).translate(_TURKIC).lower()
    if options.language == "lt":
        return lambda text: _LITHUANIAN.sub(_dotted, unicodedata.normalize("NFC", text)).lower()
    return lambda text: text.lower().replace("i\u0307", "i")


def _dotted(found: re.Match[str]) -> str:
    """A small letter keeps its dot under another accent."""
    letter, accents = unicodedata.normalize("NFD", found[0])[0], unicodedata.normalize("NFD", found[0])[1:]
    return f"{letter.lower()}\u0307{accents}" if found[0] != "Į" else "į\u0307"


def _cutter(tokenizer: str) -> Callable[[str], Iterable[str]]:
    if tokenizer == "whitespace":
        return str.split
    pattern = re.compile(tokenizer)
    return lambda text: (found[0] for found in pattern.finditer(text))


@cache
def _pattern(numbers: bool, punctuation: bool, as_spelled: bool, broken: bool, last: int = 0x10FFFF) -> re.Pattern[str]:
    """Return the expression of one token: a word with its inner apostrophes and joiners, a sign, or a text's end.

    Args:
        numbers: whether digits are letters.
        punctuation: whether signs are tokens.
        as_spelled: whether variants of signs within words are left as they are.
        broken: whether a word may be broken at a line's end.
        last: code point after which there is nothing in the text.
    """
    letters, inside = (_run(majors, last=last) for majors in (("LN", "LMN") if numbers else ("L", "LM")))
    within = f"['’·\u05f4]{letters}|[\u200c\u200d]+{inside}" if as_spelled else signs_within(letters, inside)
    hyphen = f"[{HYPHENS}]{BREAK}?{letters}|" if broken else ""
    sign = f"|{_run('PS', '', last)}" if punctuation else ""
    return re.compile(f"{letters}(?:{inside}|{hyphen}{within})*{sign}|\n")


def _run(majors: str, repeat: str = "+", last: int = 0x10FFFF) -> str:
    """Return an expression of characters whose general categories begin with one of the letters."""
    ranges = list(_ranges(majors, last + 1))
    basic = "".join(f"\\U{a:08x}-\\U{z:08x}" for a, z in ranges if a < 0x10000)
    if last < 0x10000:
        return f"[{basic}]{repeat}"
    other = "".join(f"\\U{a:08x}-\\U{z:08x}" for a, z in ranges if z >= 0x10000)
    # Long lists of ranges are searched one by one beyond U+FFFF: do not let spaces get there.
    return f"(?:[{basic}]{repeat}|(?![\\0-\\uffff])[{other}]{repeat})"


def _ranges(majors: str, end: int) -> Iterator[tuple[int, int]]:
    return ((run.start(), run.end() - 1) for run in re.finditer(f"[{majors}]+", _categories(end)))


@cache
def _categories(end: int) -> str:
    """Return the first letter of the general category of every code point before this one."""
    return "".join(map(itemgetter(0), map(unicodedata.category, map(chr, range(end)))))


class Cuts:
    """Counts words that are tokens already and that the rules in force cut: ``new_york``; or merge: ``dico#1``.

    It looks at the first two million characters of a corpus.
    """

    def __init__(self, options: CorpusOptions) -> None:
        self._tokenise, self._lower = cutter(options), lowering(options)
        self._seen = self._words = 0
        self._found: dict[str, Counter[str]] = {name: Counter() for name in _KINDS}

    def see(self, texts: Sequence[str]) -> None:
        """Look at the texts of a document."""
        if self._seen >= _LOOKED_AT:
            return
        for text in texts:
            part = text[: max(_LOOKED_AT - self._seen, 0)]
            self._seen += len(part)
            spaced = Counter(part.split())
            self._words += spaced.total()
            for one in filter(_OF_TOKENS.search, spaced):
                for found in _TOKENS.finditer(one):
                    self._found[found.lastgroup or ""][found[0]] += spaced[one]

    def notes(self) -> Iterator[str]:
        """Yield a note with examples of the kinds that are not rare."""
        cut = {name: kept for name, words in self._found.items() if (kept := self._cut(words))}
        often = {
            name: words for name, words in cut.items() if words.total() * _SELDOM.get(name, _SELDOM_ELSE) >= self._words
        }
        if often:
            ways = f"{option('tokenizer', 'whitespace')} cuts at blanks alone, a regular expression as it says"
            yield f"{self._shown(often)}; {ways}"

    def _shown(self, often: Mapping[str, Counter[str]]) -> str:
        """Return two examples of each kind, and how many there are."""
        chosen = list(often.values())
        shown = [f"{word} → {self._becomes(word)}" for words in chosen for word, _ in words.most_common(2)]
        number = sum(words.total() for words in chosen)
        share = number / max(self._words, 1)
        return f"cut at their digits or signs: {counted(number, 'word')} ({share:.1%}), {', '.join(shown)}"

    def _cut(self, words: Counter[str]) -> Counter[str]:
        return Counter(
            {word: n for word, n in words.items() if list(self._tokenise([word])) != [self._lower(word), "\n"]}
        )

    def _becomes(self, word: str) -> str:
        return " ".join(self._tokenise([word])).strip() or "nothing"
