"""Doubts about signs between words: tags, templates, entities, commands, code."""

from __future__ import annotations

import re
from collections import Counter

from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_STRONG, _SLIGHT = 0.05, 0.002
"""Of the words, how many stand in markup: from 5 % on the names of tags are as frequent as the commonest words."""
_SIGNS, _SOME_SIGNS = 0.1, 0.05
"""Of the characters that are no letters, digits, blanks or marks of a sentence: prose has 1 %, that on programs 8 %."""
_FEW = 5
"""Pieces of markup from which it is no accident."""
_KINDS = {
    "tags": r"</?[!?A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>",
    "templates": r"\{\{[^{}]*\}\}|\[\[[^][|\n]*\||\]\]|^[{|].*",
    "addresses": r"\]\([^()\s]+\)|(?:https?://|www\.)\S+|\b[\w.+-]{1,64}@[\w-]+\.[\w.-]+",
    "entities": r"&#?\w{2,9};",
    "commands": r"\\[A-Za-z]{2,}\*?(?:\[[^][]*\])?",
    "codes": r"\\[ux]\w{2,4}|\\[nrt](?![a-z])|=[0-9A-F]{2}|%[0-9A-F]{2}",
}
_MARKUP = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _KINDS.items()), re.M)
_CODE = re.compile(r"([{}\[\]<>=|\\#$%&*+@^~`_])\1*")


def markup(look: Look) -> Doubt | None:
    """Doubt tags, templates, entities, commands and codes between the words, by the words that they become."""
    spans: dict[str, Counter[str]] = {name: Counter() for name in _KINDS}
    for lines in look.stretches:
        for found in _MARKUP.finditer("\n".join(lines)):
            spans[found.lastgroup or ""][found[0]] += 1
    words = {name: look.words_of(there) for name, there in spans.items()}
    share = sum(words.values()) / max(look.size, 1)
    if share < _SLIGHT or sum(there.total() for there in spans.values()) < _FEW:
        return None
    kinds = sorted((name for name in words if words[name]), key=lambda name: -words[name])
    says = f"markup: {share:.1%} of the words stand in {' and '.join(kinds[:2])}"
    most = [span for name in kinds for span, _ in spans[name].most_common(3)]
    pattern = "|".join(_KINDS[name] for name in kinds)
    way = f"say {option('drop', pattern)} to leave it out"
    signs = share - words["addresses"] / max(look.size, 1)  # addresses are many where people are thanked
    return Doubt("markup", share, shown(most), signs >= _STRONG, says, way)


def program(look: Look) -> Doubt | None:
    """Doubt texts of programs, settings and tables of signs, by the signs that no sentence has."""
    text = "".join(line.strip() for line in look.filled)
    found = [one[0] for one in _CODE.finditer(text)]
    share = len(found) / max(len(text), 1)
    if share < _SOME_SIGNS or len(found) < 20:
        return None
    signs = " ".join(sign for sign, _ in Counter(sign[0] for sign in found).most_common(5))
    says = f"programs or settings: {share:.0%} of the characters are signs such as {signs}"
    lines = sorted(look.filled[:1000], key=lambda line: -len(_CODE.findall(line)) / (len(line) + 20))
    return Doubt("program", share, shown(lines), share >= _SIGNS, says, "save its texts apart")
