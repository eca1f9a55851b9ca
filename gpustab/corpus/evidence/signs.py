"""Doubts about signs beside, between and within words: cells, numbers and tags, markup, code."""

from __future__ import annotations

import re
from collections import Counter

from gpustab.corpus.evidence.damage import decoded
from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.corpus.formats.vertical import rows_of
from gpustab.errors import option
from gpustab.formats.sniff import COLOURS
from gpustab.formats.text.decimals import is_number_like

_LISTED = 0.8
"""Of the lines, how many are a word with numbers: no prose has so many, and a list may have a head or comments."""
_TAGGED = 0.6
"""Of the words between blanks, how many hold the same sign within: a tagger leaves few without, and prose has 1 %."""
_LONGEST = 50
"""Letters of a word that are looked at."""
_FEW = 3
"""Rows from which an equal form is no accident."""
_CELL = re.compile(r"[^\s,;:]*")
_JOINED = re.compile(r"(?=[^\s/_|#]*[^\W\d_])[^\s/_|#]++([/_|#])[^\s/_|#]\S*|[^\w\s]([/_|#])\S+")

_LEAVES = {"()": re.compile(r"\(([^\s()]+)\s+([^\s()]+)\)"), "[]": re.compile(r"\[([^][\s]+)\s+([^][\s]+)\]")}
_WORD_OF_TREE = {"()": re.compile(r"(?<=\s)[^\s()]+"), "[]": re.compile(r"(?<=\s)[^][\s]+")}
_INNERMOST = {"()": re.compile(r"\([^()]*\)"), "[]": re.compile(r"\[[^][]*\]")}
_TAG_OF_TREE = {"()": r"\([^\s()]*|\)", "[]": r"\[[^][\s]*|\]"}
"""Leaves of trees, their tags and words; the words alone; brackets without brackets within; and all but the words."""

_STRONG, _SLIGHT = 0.05, 0.002
"""Of the words, how many stand in markup: from 5 % on the names of tags are as frequent as the commonest words."""
_PIECES = 5
"""Pieces of markup, or lines of code, from which it is no accident."""
_KINDS = {
    "colours": rf"{COLOURS}|\[[0-9]{{1,2}}(?:;[0-9]{{1,3}})*m(?![^][\n]*\])",
    "tags": r"</?[!?A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>",
    "templates": r"\{\{[^{}]*\}\}|\[\[(?:[^][|\n]*\|)+|\]\]|^(?:\{[{|]|\|[-}+!]|\|[^|\n=]*=).*",
    "addresses": r"\]\([^()\s]+\)|(?:https?://|www\.)\S+|\b[\w.+-]{1,64}@[\w-]+\.[\w.-]+",
    "entities": r"&#?\w{2,9};",
    "commands": r"\\[A-Za-z]{2,}\*?(?:\[[^][]*\])?|@[A-Za-z]+(?=\{)",
    "codes": r"\\[ux]\w{2,4}|\\[nrt](?![a-z])|=[0-9A-F]{2}|%[0-9A-F]{2}",
}
_KINDS_ESCAPED = _KINDS | {
    "commands": r"\\(?![nrt])[A-Za-z]{2,}\*?(?:\[[^][]*\])?|@[A-Za-z]+(?=\{)",
    "codes": r"\\[ux]\w{2,4}|\\[nrt]|=[0-9A-F]{2}|%[0-9A-F]{2}",
}
"""The same where ends of lines are written as ``\\n``: the letters behind are a word of the text."""
_MARKUP = {
    False: re.compile("|".join(f"(?P<{name}>{one})" for name, one in _KINDS.items()), re.M),
    True: re.compile("|".join(f"(?P<{name}>{one})" for name, one in _KINDS_ESCAPED.items()), re.M),
}
"""By whether ends of lines are written so."""
_OF_MARKUP = re.compile(r"[\x1b<{|&\\@=%\[\]]")
_ESCAPE = re.compile(r"(?<!\\)\\[nrt]([^\W\d_]+)")
_DIGITS = 0.5
"""Of what stands between blanks, how much begins with a digit: of prose 2 %, of tables, dumps and scores most."""
_NUMBERED = re.compile(r"\W*\d")
_FORMS, _OF_FORMS, _LINES = 5, 0.8, 20
"""Forms of lines, at most, that so many of the lines have, and lines from which that is no accident."""
_WORDS = re.compile(r"[^\W\d_]+(?:[ .,;'’-]+[^\W\d_]+)*")
_NUMBER = re.compile(r"\d+(?:[.,:-]\d+)*")
_BETWEEN = re.compile(r"w(?=[^w]*+w)[^][(){}<>=|/\\@#*_+~^%$&\t:w]*+[^w]")
"""A sign that no sentence has between words, in the form of a line."""
_CELLS = 0.7
"""Of the lines, how many have gaps of tabs or blanks within: manuals with lists have up to 0.6."""
_GAP = re.compile(r"(?<=[^\s.?!:])(?:[ ]{2,}|[ ]*\t\s*)(?=\S)")
_CODE, _SOME_CODE = 0.4, 0.1
"""Of the text, how much stands in lines of code: of prose on programs a third, of programs with comments more."""
_ONE_SIGN = 0.95
"""Of the signs within words of code, how many are one: where all are, it is a letter of the script."""
_A_LINE = 0.2
"""Of the words of a line of code, how many hold signs as no sentence has them."""
_SIGN = re.compile(r"[_()\[\]{}=<>|\\^*+&~]")
_CODED = re.compile(
    r"[^\W_]['\"`.]?[_()\[\]{}=<>|\\^*+&~][^\s\w]*[^\W_]"  # the=None, words[0], 7*x, a_name
    r"|[({\[})\]][;{:,]$|[^\W_]\(\)"  # word); word(): word()
    r"|[\])}]{2}[,.;:]?$|^[\[({]{2}"  # (NP (DT it)) ((a
    r"|^[\"'(]*[/$%][({]?[A-Za-z]"  # /usr $HOME %name $(grep
    r"|^[={}|]$|^[][]+;?$|^(?=[^={}+&|]*[={}+&|])[-=+*/<>(){}\[\]|&!^~;,%]{2,}$"  # = += -> });
)
_UNCODED = re.compile(r"^([=+*/<>|&~-])\1{2,}$|://|@|\((?:s|\d\w*)\)")
"""Rules, addresses, plurals and pages of manuals."""
_MARKED = re.compile(r"\[\[([^][\n]*)\]\]|\(\(([^()\n]*)\)\)|\{\{([^{}\n]*)\}\}")
"""Links of wikis, remarks in transcripts, templates: text within two brackets of a kind."""


def a_word_a_line(look: Look) -> Doubt | None:
    """Doubt lines that are rows of one word each, with its lemma and tags.

    The threshold is that of :func:`gpustab.corpus.formats.vertical.rows_of`: 80 % of the lines without tags, comments
    and blanks are cut alike, by tabs or by blanks, into cells without spaces.
    """
    found = rows_of(look.lines)
    if not found:
        return None
    says = f"a word a line: {found.share:.0%} of the lines are {found.cells} cells without spaces"
    column = option("column", str(found.word))
    if look.options.format:
        column = f"{option('format', 'vertical')} and {column}"
    words = " ".join(row[found.word - 1] for row in found.rows[:5])
    return Doubt("columns", found.share, shown(map(" ".join, found.rows)), True, says, f"say {column} for '{words}'")


def trees(look: Look) -> Doubt | None:
    """Doubt trees of sentences: nearly every word stands in a pair of brackets behind one of a few tags."""
    text = " ".join(look.filled)
    for pair in ("()", "[]"):
        leaves = _LEAVES[pair].findall(text)
        if len(leaves) < _LINES:
            continue
        tags, words = Counter(tag for tag, _ in leaves), len(_WORD_OF_TREE[pair].findall(text))
        share = len(leaves) / max(words, len(_INNERMOST[pair].findall(text)), 1)
        if share >= _LISTED and _LINES * len(tags) <= max(len(leaves), _LINES * _LINES):
            tag, word = leaves[0]
            says = (
                f"trees: {share:.0%} of the words stand in brackets behind a tag, as '{pair[0]}{tag} {word}{pair[1]}'"
            )
            way = f"say {option('drop', _TAG_OF_TREE[pair])} to leave tags and brackets out"
            return Doubt("tags", share, shown(look.filled), True, says, way)
    return None


def words_with_numbers(look: Look) -> Doubt | None:
    """Doubt lists of words with counts, and files of vectors: one word and numbers in each line, every word once."""
    cut = look.filled
    ended = (_cells(line) for line in map(str.strip, cut) if _ends_with_a_number(line))
    rows = [cells for cells in ended if sum(map(_is_number, cells)) == len(cells) - 1]
    words = {next(cell for cell in row if not _is_number(cell)) for row in rows}
    if len(rows) < _FEW or len(rows) < _LISTED * len(cut) or len(words) < _LISTED * len(rows):
        return None
    share = len(rows) / len(cut)
    vectors = Counter(map(len, rows)).most_common(1)[0][0] > 4
    what = "one word and numbers" if vectors else "one word and a number"
    says = f"words with numbers, no running text: {share:.0%} of the lines are {what}"
    way = "gpustab stability takes files of vectors" if vectors else "give the texts that were counted"
    return Doubt("counts", share, shown(look.filled), True, says, way)


def _cells(line: str) -> list[str]:
    return re.split(r"[\t,;:]\s*|\s+", line)


def _ends_with_a_number(line: str) -> bool:
    """Tell whether the first or the last of several cells is a number, without cutting the others: most are prose."""
    first, last = _CELL.match(line), _CELL.match(line[::-1])
    if not first or not last or len(first[0]) == len(line):
        return False
    return _is_number(first[0]) or _is_number(last[0][::-1])


def words_with_tags(look: Look) -> Doubt | None:
    """Doubt words that have their tags behind a sign: ``the/DT``, ``the_DT``, ``bank|NOUN``, and are cut there."""
    if look.options.cut != "words":
        return None
    joined = {
        word: found[1] or found[2]
        for word in look.spans
        if len(word) < _LONGEST and "&#" not in word and (found := _JOINED.fullmatch(word))
    }
    if sum(look.spans[word] for word in joined) <= _FEW:
        return None
    signs = Counter[str]()
    for word, one in joined.items():
        signs[one] += look.spans[word]
    sign, n = signs.most_common(1)[0]
    share = n / len(look.spaced)
    if share < _TAGGED:
        return None
    says = f"words with their tags: {share:.0%} of the words have '{sign}' within"
    alone = option("tokenizer", rf"(?<!\S)[^\s{sign}]+(?=[{sign}]\S)")
    way = f"say {alone} for the words alone, or {option('tokenizer', 'whitespace')} for words with tags"
    return Doubt("tags", share, shown(word for word, one in joined.items() if one == sign), True, says, way)


def markup(look: Look) -> Doubt | None:
    """Doubt tags, templates, entities, commands and codes between the words, by the words that they become."""
    escaped = _has_escapes(look)
    kinds_of = _KINDS_ESCAPED if escaped else _KINDS
    spans: dict[str, Counter[str]] = {name: Counter() for name in kinds_of}
    for lines in look.stretches:
        text = "\n".join(lines)
        for found in _MARKUP[escaped].finditer(text) if has_markup(text) else ():
            spans[found.lastgroup or ""][found[0]] += 1
    for name in ("entities", "codes"):
        spans[name] = Counter({span: n for span, n in spans[name].items() if not decoded(span).isalpha()})
    words = {name: look.words_of(there) for name, there in spans.items()}
    words["colours"] = max(words["colours"], spans["colours"].total())  # each cuts a word
    share = min(sum(words.values()) / max(look.size, 1), 1.0)
    if share < _SLIGHT or sum(there.total() for there in spans.values()) < _PIECES:
        return None
    kinds = sorted((name for name in words if words[name]), key=lambda name: -words[name])
    says = f"markup: {share:.1%} of the words stand in {' and '.join(kinds[:2])}"
    most = [span for name in kinds for span, _ in spans[name].most_common(3)]
    dropped = "|".join(kinds_of[name] for name in kinds)
    way = f"say {option('drop', dropped)} to leave it out"
    signs = share - words["addresses"] / max(look.size, 1)  # addresses are many where people are thanked
    return Doubt("markup", share, shown(most), signs >= _STRONG, says, way)


def has_markup(text: str) -> bool:
    """Tell whether a text may have markup: each kind has one of a few signs, or is an address. Most prose has none."""
    return bool(_OF_MARKUP.search(text)) or "://" in text or "www." in text


def _has_escapes(look: Look) -> bool:
    """Tell ends of lines that are written as signs, by what follows: a word of the text, or the rest of a command."""
    after = Counter(word.lower() for line in look.filled if "\\" in line for word in _ESCAPE.findall(line))
    known = set(look.words) if after else set[str]()
    own = sum(n for word, n in after.items() if word in known)
    return own >= _PIECES and 2 * own > after.total()


def program(look: Look) -> Doubt | None:
    """Doubt texts of programs, settings and formulas, by lines whose words hold signs as no sentence has them.

    Tokens that somebody cut may hold any.
    """
    if look.options.cut != "words":
        return None
    lines = [_MARKED.sub(r" \1\2\3 ", line).strip() for line in look.filled]
    signed = (line for line in lines if _SIGN.search(line))
    found = [line for line in signed if sum(map(_is_code, words := line.split())) >= _A_LINE * len(words)]
    share = sum(map(len, found)) / max(sum(map(len, lines)), 1)
    if share < _SOME_CODE or len(found) < _PIECES:
        return None
    signs = Counter(sign for line in found for word in line.split() if _is_code(word) for sign in _SIGN.findall(word))
    if any(number > _ONE_SIGN * signs.total() and sign not in "()[]{}" for sign, number in signs.most_common(1)):
        return None
    says = f"programs or settings: {share:.0%} of the text are lines of code"
    return Doubt("program", share, shown(found), share >= _CODE, says, "save its texts apart")


def numbers(look: Look) -> Doubt | None:
    """Doubt numbers where words are expected: tables, dumps of bytes, measures."""
    words = len(look.spaced)
    share = sum(n for word, n in look.spans.items() if _NUMBERED.match(word)) / max(words, 1)
    if share < _DIGITS or words < _LINES:
        return None
    says = f"numbers, hardly any text: {share:.0%} of what stands between blanks begins with a digit"
    return Doubt("counts", share, shown(look.filled), True, says, "give running text")


def rows_of_one_form(look: Look) -> Doubt | None:
    """Doubt lines of a few forms, such as ``w(w-0, w-0)``: where words stand at the same signs, they are fields.

    So are words that stand at the same places, with gaps between.
    """
    if look.options.cut != "words":
        return None
    lines = tuple(dict.fromkeys(look.filled))
    forms = Counter(form for line in lines if _BETWEEN.search(form := _form(line)))
    most = forms.most_common(_FORMS)
    share = sum(n for _, n in most) / max(len(lines), 1)
    if len(lines) < _LINES:
        return None
    if share < _OF_FORMS:
        share = sum(bool(_GAP.search(line.strip())) for line in lines) / len(lines)
        if share < _CELLS:
            return None
        says = f"a table: {share:.0%} of the lines have gaps of several blanks or tabs within"
    else:
        says = (
            f"fields: {share:.0%} of the lines have one of {len(most)} forms, as '{most[0][0]}', where w is for words"
        )
    return Doubt("columns", share, shown(lines), False, says, "save the column of the text alone")


def _form(line: str) -> str:
    """Return a line with a letter for its words and a digit for its numbers."""
    return _NUMBER.sub("0", _WORDS.sub("w", line.strip()[:300]))


def _is_number(cell: str) -> bool:
    return is_number_like(cell.encode())


def _is_code(word: str) -> bool:
    return len(word) < 4 * _LONGEST and bool(_CODED.search(word)) and not _UNCODED.search(word)
