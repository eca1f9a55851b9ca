"""Text whose signs, tags, columns or names would become words: it is named and refused, with a way to convert it.

No reader here knows what of it is text. Binary files are told in :mod:`gpustab.corpus.formats.registry`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from gpustab.errors import InputError, option
from gpustab.formats.text.decimals import is_number_like

_SAVE = "save its text first"
_CSV = f"save its titles or abstracts as a table (CSV) and name the column by {option('column')}"
_STAMP = (
    r"(?:\[?(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}),?[ T]\d\d?:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )"
)
_BEGINNINGS = (
    (
        r"\s*<doc\b[^>\n]*>[ \t]*\r?\n",
        "documents in <doc> tags, as WikiExtractor writes them",
        "let WikiExtractor write JSON (--json)",
    ),
    (
        r"\s*<(?:text|doc|corpus|s|p)\b[^>\n]*>\s*(?:<[^>\n]*>\s*)*[^\t\n<]+\t",
        "a vertical file, a word a line",
        "join its first column to lines of text",
    ),
    (r"\s*(?:WEBVTT\b|\d+[ \t]*\r?\n\d\d:\d\d:\d\d[,.]\d{3} -->|\[Script Info\])", "subtitles", _SAVE),
    (
        r"(?:\s*#.*\n)*\d+(?:-\d+|\.\d+)?(?:\t[^\t\n]+){9}\r?\n",
        "CoNLL-U, a word a line",
        "keep what follows '# text = ' in its lines",
    ),
    (r"@(?:UTF8|Begin)\s*\n", "a CHAT transcript (.cha)", "let CLAN write its text (flo)"),
    (r"(?:\s*%.*\n)*\s*\\document(?:class|style)\b", "LaTeX", "pandoc -t plain writes its text"),
    (r"From \S+@\S+ .*\d\d:\d\d.*\r?\n[A-Za-z-]+:", "a mailbox", "save the bodies of its mails"),
    (
        r"(?:(?:Return-Path|Received|From|To|Cc|Date|Subject|Message-ID|MIME-Version|Content-Type|X-[\w-]+|Delivered-To"
        r"|Reply-To): [^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){3,}",
        "a mail with its headers",
        "save the body",
    ),
    (r"(?:\s*%.*\n)*\s*@\w+\s*\{[^,\n]*,\s*\w+\s*=", "BibTeX", _CSV),
    (r"\s*TY {2}- \w+\s*\n(?:[A-Z][A-Z0-9] {2}- )", "RIS, a list of references", _CSV),
    (r"\s*(?:FN .*\nVR |PT J\s*\n(?:AU|TI) )", "an export of Web of Science", _CSV),
    (r"\s*PMID- *\d+\s*\n[A-Z]{2,4} *- ", "an export of PubMed", _CSV),
    (r"(?i:(?:\s*(?:--|#|/\*).*\n)*\s*(?:INSERT INTO|CREATE TABLE|DROP TABLE)\b)", "SQL", "save its table as CSV"),
    (r"(?:\s*#.*\n)*\s*msgid \".*\"\s*\n(?:\".*\"\s*\n)*msgstr ", "a catalogue of messages (gettext)", _SAVE),
    (r"(?:\s*#.*\n)*(?:---\s*\n)?- \w+: .*\n(?:  \w+: .*\n)+- \w+: ", "YAML", "save it as JSON lines"),
    (r"(?:\s*#.*\n)*(?:---\s*\n)?(?:\w+: .*\n)*\w+: [|>][-+]?\s*\n  ", "YAML", "save it as JSON lines"),
    (rf"(?:{_STAMP}.*\n){{3}}", "lines that begin with a time, as of a log or a chat", "take the times off"),
    (
        r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:\w+:)?alto\b",
        "ALTO, words in attributes as OCR writes them",
        "let the OCR program write text",
    ),
    (
        r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:\w+:)?PcGts\b",
        "PAGE XML, where a text stands in its region and again in its lines",
        "let the OCR program write text or TEI",
    ),
    (
        r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:rss|feed|rdf:RDF)\b",
        "a feed (RSS, Atom) or RDF, whose links would be words",
        "save its texts as JSON lines",
    ),
)
_COMPILED = tuple((re.compile(pattern), what, way) for pattern, what, way in _BEGINNINGS)

_LOOKED_AT = 200
"""Lines that are looked at."""
_LONGEST = 1000
"""Letters of a line that are looked at: a document may be one line."""
_FEWEST = 5
"""Lines that have a sign, from which it is no accident."""
_OFTEN, _NEARLY_ALL = 0.2, 0.9
_TAG = re.compile(r"</?(?:a|b|i|u|p|br|em|strong|span|div|font|su[bp]|li|ul|t[dr]|h[1-6])\b[^<>\n]*>", re.I)
_ENTITY = re.compile(
    r"&(?:#\d+|#x[\da-f]+|amp|lt|gt|quot|nbsp|[a-z]+(?:acute|grave|uml|circ|dash|quo)|[rl]aquo);", re.I
)
_WIKI = re.compile(r"\[\[[^\[\]\n]+\]\]|\{\{[^{}\n]+\}\}|'''|^==+ .* ==+\s*$")
_COMMAND = re.compile(r"\\[a-z]{3,}\s*[{\[]")
_TAGGED = re.compile(r"\S+[/_][A-Z$]{1,6}(?:[-:][A-Z]+)?(?=\s|$)|[^\w\s][/_][^\w\s](?=\s|$)")
_MARKDOWN = (
    re.compile(r"^#{1,6} \S"),
    re.compile(r"\[[^\]\n]+\]\((?:https?:|/|\.)"),
    re.compile(r"\*\*\S[^*\n]*\*\*|```"),
)
_NAMED = re.compile(r"([^\W\d][\w .'-]{0,30}):(?:\s|$)")
_SETTING = re.compile(r"^[\w.-]+\s*=\s*\S|^\[[\w .-]+\]\s*$")
_CODED = re.compile(r"^[A-Za-z0-9+/]{60,}={0,2}\s*$")
_CAPITALS = re.compile("[A-Z]{2}")
_UPPER = re.compile(r"[A-Z_$.,:`'-][A-Z0-9_$.,:|`'-]*")


def refuse_beginning(path: Path, text: str) -> None:
    """Refuse a file that begins as no text does that can be read here.

    Raises:
        InputError: naming what it looks like, and the way to convert it.
    """
    for pattern, what, way in _COMPILED:
        if pattern.match(text):
            raise _looks_like(path, what, way)


def refuse_signs(path: Path, text: str, *, table: bool = False) -> None:
    """Refuse what would be read as plain text, or as a table, and is full of signs that are no words.

    Args:
        path: of the file.
        text: its start.
        table: whether it has columns: then what its cells hold is not looked at.

    Raises:
        InputError: naming what it looks like, and the way to convert it.
    """
    whole = text if text.endswith("\n") else text.rpartition("\n")[0] or text  # the last line may be cut
    rows = [line for line in whole.split("\n", 2 * _LOOKED_AT) if line.strip()][:_LOOKED_AT]
    lines = [line[:_LONGEST] for line in rows]
    for is_it, what, way in _OF_ROWS if table else (*_OF_ROWS, *_OF_TEXT):
        if lines and is_it(rows if is_it is _are_vectors else lines):  # a row of vectors counts only where it is whole
            raise _looks_like(path, what, way)


def _looks_like(path: Path, what: str, way: str) -> InputError:
    return InputError(
        f"{path}: this looks like {what}; {way}, or say {option('format', 'plain')} if all of it is to become words"
    )


Lines = Sequence[str]


def _in(pattern: re.Pattern[str], share: float) -> Callable[[Lines], bool]:
    """Whether a sign stands in enough lines."""

    def is_it(lines: Lines) -> bool:
        having = sum(bool(pattern.search(line)) for line in lines)
        return having >= _FEWEST and having >= share * len(lines)

    return is_it


def _is_markdown(lines: Lines) -> bool:
    """Whether two kinds of Markdown's signs stand there; one kind alone, such as ``# 1``, is an accident."""
    return sum(any(pattern.search(line) for line in lines) for pattern in _MARKDOWN) > 1


def _is_tagged(lines: Lines) -> bool:
    words = [word for line in lines for word in line.split()]
    return len(words) > _FEWEST and sum(bool(_TAGGED.fullmatch(word)) for word in words) >= _NEARLY_ALL * len(words)


def _are_vectors(lines: Lines) -> bool:
    """Whether every line is a word and numbers, as many in each; a header of two numbers may go before."""
    rows = [line.split() for line in lines]
    rows = rows[1:] if len(rows[0]) == 2 and all(map(str.isdigit, rows[0])) else rows
    same = len({len(row) for row in rows}) == 1 and len(rows) > 1 and len(rows[0]) > 2
    return same and all(is_number_like(cell.encode()) for row in rows for cell in row[1:])


def _are_counts(lines: Lines) -> bool:
    """Whether every line is a word, each once, and a number: ``Chapter 1``, ``Chapter 2`` are none."""
    rows = [re.split(r"[\t,;:]\s*|\s+", line.strip()) for line in lines]
    pairs = len(rows) > 2 and all(len(row) == 2 and is_number_like(row[1].encode()) for row in rows)
    return pairs and len({row[0] for row in rows}) == len(rows)


def _are_columns(lines: Lines) -> bool:
    """Whether a word stands in each line with columns of tags: as many in all, one of them capitals and signs alone."""
    kept = [line for line in lines if not line.startswith("-DOCSTART-")]
    rows = [[cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())] for line in kept]
    if len(rows) < _FEWEST or len({len(row) for row in rows}) > 1 or any(" " in cell for row in rows for cell in row):
        return False
    tags = [
        all(map(_UPPER.fullmatch, column)) and any(map(_CAPITALS.match, column)) for column in zip(*rows, strict=True)
    ]
    return any(tags) and not all(tags)


def _are_named(lines: Lines) -> bool:
    """Whether nearly every line begins with one of a few names and a colon."""
    names = Counter(found[1] for line in lines if (found := _NAMED.match(line)))
    return names.total() >= max(_FEWEST, _NEARLY_ALL * len(lines)) and 3 * len(names) <= names.total()


Signs = tuple[tuple[Callable[[Lines], bool], str, str], ...]
_OF_ROWS: Signs = (
    (_are_vectors, "a file of vectors", "it is gpustab stability that takes them, gpustab train takes texts"),
    (_are_counts, "a list of words with numbers", "what is trained on is running text"),
    (_is_tagged, "words with their tags (the/DT)", "take the tags off"),
    (_are_columns, "a vertical file, a word a line with its tags", "join the column of words to lines of text"),
)
_OF_TEXT: Signs = (
    (_in(_TAG, _OFTEN), "text with HTML tags", f"say {option('format', 'html')}"),
    (_in(_ENTITY, _OFTEN), "text with HTML entities (&amp;)", f"say {option('format', 'html')}"),
    (_in(_WIKI, _OFTEN), "wiki markup", "pandoc -f mediawiki -t plain writes its text"),
    (_in(_COMMAND, _OFTEN), "LaTeX", "pandoc -f latex -t plain writes its text"),
    (_is_markdown, "Markdown", f"say {option('format', 'markdown')}"),
    (_in(_SETTING, _NEARLY_ALL), "settings (INI, TOML)", _SAVE),
    (_in(_CODED, _NEARLY_ALL), "base64, a coded file", "decode it first"),
    (_are_named, "lines with a name and a colon each, as records or speakers have them", "take the names off"),
)
