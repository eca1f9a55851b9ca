"""What the rules do to words that are tokens already: ``new_york`` is cut, ``dico#1`` and ``dico#2`` are merged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.words import lowering, tokeniser

_MOST = 2_000_000
"""Characters that are looked at: enough to find what there is much of, and seconds less than all of a large corpus."""
_SELDOM = {"digits": 1000}
"""Words, of which one of a kind is not worth a note: in any prose there are some like ``4th``."""
_SELDOM_ELSE = 100_000
_KINDS = {
    "markup": r"</?[A-Za-z][\w:]*(?:\s[^<>]*)?/?>|&(?:[a-z]{2,8}|#\d{1,6});",
    "tags": r"(?<!\S)[#@]\w+",
    "joined": r"\w+(?:[#|_]+\w+)+",
    "plus": r"(?<!\S)\w{1,3}(?:\+\+|#)(?!\w)",
    "digits": r"(?<![\w-])(?=\w*-?\d)(?=[\w-]*[^\W\d_])[^\W_]+(?:-[^\W_]+)*(?![\w-])",
}
_PATTERN = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _KINDS.items()))


class Cuts:
    """Counts words that the rules in force cut, in the first two million characters of a corpus."""

    def __init__(self, options: CorpusOptions) -> None:
        self._tokenise, self._lower = tokeniser(options), lowering(options)
        self._seen = self._words = 0
        self._found: dict[str, Counter[str]] = {name: Counter() for name in _KINDS}

    def see(self, texts: Sequence[str]) -> None:
        """Look at the texts of a document."""
        for text in texts:
            part = text[: max(_MOST - self._seen, 0)]
            self._seen += len(part)
            self._words += len(part.split())
            for found in _PATTERN.finditer(part):
                if found.lastgroup:
                    self._found[found.lastgroup][found[0]] += 1

    def notes(self) -> Iterator[str]:
        """Yield a note on markup and one on tokens, each with examples of the kinds that are not rare."""
        cut = {name: kept for name, words in self._found.items() if (kept := self._cut(words))}
        often = {
            name: words for name, words in cut.items() if words.total() * _SELDOM.get(name, _SELDOM_ELSE) >= self._words
        }
        markup, tokens = {"markup"} & often.keys(), often.keys() - {"markup"}
        if markup:
            yield f"there is markup in the text: {self._shown(often, markup)}; format html would take it out of a page"
        if tokens:
            ways = "tokenizer whitespace or a regular expression would keep them"
            yield f"the rules in force cut or merge words that are tokens already: {self._shown(often, tokens)}; {ways}"

    def _shown(self, often: Mapping[str, Counter[str]], kinds: Set[str]) -> str:
        """Return two examples of each kind, and how many there are."""
        chosen = [words for name, words in often.items() if name in kinds]
        shown = [f"{word} → {self._becomes(word)}" for words in chosen for word, _ in words.most_common(2)]
        return f"{', '.join(shown)} ({sum(words.total() for words in chosen):,} of {self._words:,} words)"

    def _cut(self, words: Counter[str]) -> Counter[str]:
        return Counter({word: n for word, n in words.items() if self._tokenise([word])[:-1] != [self._lower(word)]})

    def _becomes(self, word: str) -> str:
        return " ".join(self._tokenise([word])).strip() or "nothing"
