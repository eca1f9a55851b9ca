"""Text cut into words: letters made small by the rules of a language, words found by one of several rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from gpustab.corpus.options import CorpusOptions

_TURKIC = str.maketrans({"İ": "i", "I": "ı"})
_ABOVE = "".join(chr(code) for code in range(0x300, 0x370) if unicodedata.combining(chr(code)) == 230)
_OTHER = "".join(chr(code) for code in range(0x300, 0x370) if unicodedata.combining(chr(code)) not in (0, 230))
_LITHUANIAN = re.compile(f"[IJĮ](?=[{_OTHER}]*[{_ABOVE}])|[ÌÍĨ]")


def tokeniser(
    options: CorpusOptions, own: Callable[[str], Iterable[str]] | None = None
) -> Callable[[Sequence[str]], list[str]]:
    r"""Return a function that cuts texts into words, with a newline after each text.

    Args:
        options: the rules.
        own: cuts a text into words in place of ``options.tokenizer``; letters are made small afterwards.

    >>> tokeniser(CorpusOptions())(["Don't panic: 42!", "It's mañana's 'naïve' co-op."])
    ["don't", 'panic', '\n', "it's", "mañana's", 'naïve', 'co', 'op', '\n']
    >>> tokeniser(CorpusOptions(tokenizer="whitespace"))(["dico#2 bank|NOUN"])
    ['dico#2', 'bank|noun', '\n']
    """
    lower = lowering(options)
    if own is None and options.cut == "words":
        find = _pattern(not options.drop_numbers, not options.drop_punctuation).findall

        def tokenise(texts: Sequence[str]) -> list[str]:
            joined = "".join(text.replace("\n", " ") + "\n" for text in texts).replace("\u00ad", "")
            return find(unicodedata.normalize("NFC", lower(joined)))

        return tokenise
    cut = own or _cutter(options.cut)

    def tokenise_as_told(texts: Sequence[str]) -> list[str]:
        tokens = []
        for text in texts:
            plain = unicodedata.normalize("NFC", text.replace("\n", " ").replace("\u00ad", ""))
            tokens += [unicodedata.normalize("NFC", lower(word)) for word in cut(plain)]
            tokens.append("\n")
        return tokens

    return tokenise_as_told


def lowering(options: CorpusOptions) -> Callable[[str], str]:
    """Return what makes letters small in a language, as Unicode's SpecialCasing has it for Turkic and Lithuanian.

    >>> lowering(CorpusOptions(language="tr"))("İSTANBUL ISPARTA")
    'istanbul ısparta'
    """
    if not options.lowercase:
        return str
    if options.language in ("tr", "az"):
        return lambda text: unicodedata.normalize("NFC", text).translate(_TURKIC).lower()
    if options.language == "lt":
        return lambda text: _LITHUANIAN.sub(_dotted, unicodedata.normalize("NFC", text)).lower()
    return str.lower


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
def _pattern(numbers: bool, punctuation: bool) -> re.Pattern[str]:
    """Return the expression of one token: a word with its inner apostrophes and joiners, a sign, or a text's end."""
    letters, inside = (_run("LN"), _run("LMN")) if numbers else (_run("L"), _run("LM"))
    sign = f"|{_run('PS', '')}" if punctuation else ""
    return re.compile(f"{letters}(?:{inside}|['’]{letters}|[\u200c\u200d]+{inside})*{sign}|\n")


def _run(majors: str, repeat: str = "+") -> str:
    """Return an expression of characters whose general categories begin with one of the letters."""
    basic = "".join(f"\\U{a:08x}-\\U{z:08x}" for a, z in _ranges(majors) if a < 0x10000)
    other = "".join(f"\\U{a:08x}-\\U{z:08x}" for a, z in _ranges(majors) if z >= 0x10000)
    # Long lists of ranges are searched one by one beyond U+FFFF: do not let spaces get there.
    return f"(?:[{basic}]{repeat}|(?![\\0-\\uffff])[{other}]{repeat})"


def _ranges(majors: str) -> Iterator[tuple[int, int]]:
    return ((run.start(), run.end() - 1) for run in re.finditer(f"[{majors}]+", _categories()))


@cache
def _categories() -> str:
    """Return the first letter of every code point's general category."""
    return "".join(unicodedata.category(chr(code))[0] for code in range(0x110000))
