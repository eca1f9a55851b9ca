"""Doubts about words that were put down wrongly: turned round, run together, or with letters misread for others.

What is told is told by the text itself: by where its commas and capitals stand, and by words that it has in both ways.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look

_NEARLY = 0.9
"""Of the words with a comma, a full stop or one capital, how many have it at the wrong end, where all are turned."""
_DIFFERENT = 20
"""Different words, or pairs of words, from which it is no accident."""
_PAIRS, _TOGETHER = 60, 0.5
"""Of the pairs of words that come most often, how many stand there as one word, too, where spaces were lost."""
_LEAST = 3
"""Letters of such a pair, at least: with fewer it may be any word."""
_FREQUENT, _LONG, _LONGEST, _RATIO = 300, 5, 40, 2
"""Frequent words of so many letters that are looked at, and how many times as often as the misread ones they stand. Of
longer ones, as genes have, each letter's place would take the room of the whole."""
_MISREAD, _LETTERS = 0.5, 10
"""Of the frequent words with a letter, how many the text has with another one, too, and how many at least."""


def turned(look: Look) -> Doubt | None:
    """Doubt words whose letters stand in reverse: their commas stand before them, and their capitals at the end."""
    if look.options.cut != "words":
        return None
    words = set(look.spaced)
    # Lines of verse or code may begin with a comma; lines that are turned as a whole begin with their full stops.
    for sign, among in ((",", {word for line in look.filled for word in line.split()[1:]}), (".", words)):
        before = {word for word in among if word[0] == sign and word[-1].isalpha() and len(word) > 2}
        after = {word for word in among if word[-1] == sign and word[0].isalpha() and len(word) > 2}
        if len(before) < _DIFFERENT or len(before) < _NEARLY * (len(before) + len(after)):
            return None
    one = {word for word in words if len(_letters(word)) > 2 and sum(map(str.isupper, word)) == 1}
    last = {word for word in one if _letters(word)[-1].isupper()}
    if len(last) < _NEARLY * len(one):
        return None
    example = next(word for word in look.spaced if word in last or (not last and word[0] == "," and len(word) > 2))
    whole = _ends_turned(look, last)
    capitals = ", and capitals at their ends" if last else ""
    says = f"words turned round: commas stand before them{capitals}, as in '{example}'"
    way = "text[::-1]" if whole else "' '.join(word[::-1] for word in text.split())"
    return Doubt("turned", 1.0, shown(look.filled), True, says, f"turn each line round in Python, {way}")


def _ends_turned(look: Look, last: set[str]) -> bool:
    """Tell whether lines were turned as a whole: then their last words have the capital that began them."""
    firsts, ends = ([line.split()[k] in last for line in look.filled] for k in (0, -1))
    return sum(ends) > sum(firsts)


def _letters(word: str) -> str:
    return "".join(filter(str.isalpha, word))


def run_together(look: Look) -> Doubt | None:
    """Doubt words between which the blank is lost: of the pairs that come most often most stand as one word, too."""
    pairs, words = Counter[tuple[str, str]](), Counter[str]()
    for tokens in look.tokens:
        words.update(tokens)
        pairs.update(pairwise(tokens))
    cased = (pair for pair, _ in pairs.most_common(5 * _PAIRS) if _is_cased("".join(pair)))
    asked = [pair for pair, _ in zip(cased, range(_PAIRS), strict=False)]
    glued = {"".join(pair): pair for pair in asked if "".join(pair) in words}
    if len(glued) < max(_DIFFERENT, _TOGETHER * len(asked)):
        return None
    together, apart = sum(words[one] for one in glued), sum(pairs[pair] for pair in glued.values())
    share = together / (together + apart)
    one = next(iter(glued))
    says = (
        f"words run together: of the {len(asked)} pairs that come most often {len(glued)} stand as one word, too, "
        f"{share:.0%} of the time, as '{one}' for '{' '.join(glued[one])}'"
    )
    return Doubt("together", share, shown(glued), share >= _TOGETHER / 10, says, "give the text with its blanks")


def _is_cased(word: str) -> bool:
    return len(word) >= _LEAST and word.isalpha() and word.lower() != word.upper()


def misread(look: Look) -> Doubt | None:
    """Doubt words that readers of scans misread: most frequent words with an ``m`` stand there with ``rn``, too.

    Old texts that write a word in two ways (*have* and *haue*) look alike.
    """
    if look.options.cut != "words":
        return None
    counted = zip(look.words, look.counts, strict=True)
    counts = {word: int(n) for word, n in counted if len(word) <= _LONGEST and word.isalpha()}
    frequent = sorted((word for word in counts if len(word) >= _LONG and _is_cased(word)), key=lambda one: -counts[one])
    frequent = frequent[:_FREQUENT]
    votes = _votes(frequent, counts)
    having = Counter(letter for word in frequent for letter in set(word[1:-1]))
    found = {
        change: words for change, words in votes.items() if len(words) >= max(_LETTERS, _MISREAD * having[change[0]])
    }
    if not found:
        return None
    (right, wrong), words = max(found.items(), key=lambda one: len(one[1]))
    says = (
        f"letters misread, or two spellings: of {having[right]} frequent words with '{right}' within, {len(words)} "
        f"stand there with '{wrong}' in its place, too"
    )
    number = sum(counts[wrong_one] for wrong_one in words.values())
    share = number / max(sum(counts.values()), 1)
    examples = shown(f"{one} beside {right_one}" for right_one, one in words.items())
    return Doubt("misread", share, examples, False, says, "of a scan, read it again, or mend these words")


def _votes(frequent: Sequence[str], counts: Mapping[str, int]) -> dict[tuple[str, str], dict[str, str]]:
    """Return which frequent words have another spelling, by the letter and by what stands in its place."""
    gaps = defaultdict[tuple[str, str], list[str]](list)
    for word in frequent:
        for k in range(1, len(word) - 1):
            gaps[word[:k], word[k + 1 :]].append(word)
    votes = defaultdict[tuple[str, str], dict[str, str]](dict)
    for other, n in counts.items():
        for before, wrong, after in _cuts(other):
            for word in gaps.get((before, after), ()):
                right = word[len(before)]
                if right not in wrong and _RATIO * n <= counts[word]:
                    votes[right, wrong].setdefault(word, other)
    return votes


def _cuts(word: str) -> Iterator[tuple[str, str, str]]:
    """Yield a word without one letter or two within, and these."""
    for k in range(1, len(word) - 1):
        for n in (1, 2):
            if k + n < len(word):
                yield word[:k], word[k : k + n], word[k + n :]
