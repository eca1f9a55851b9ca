"""How text is found and read: which kind of file, in which characters, and what of it is a document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.options import Option, Options

Layout = Literal["lines", "blocks", "paragraphs", "files"]
FoundLayout = Layout | Literal["records", "sentences"]
"""Formats with records have those, and some mark their sentences; they cannot be chosen."""
Errors = Literal["strict", "replace"]
UnclearDates = Literal["refuse", "undated", "middle"]
JoinBroken = Literal["auto", "all", "none"]
FormatName = Literal[
    "plain", "jsonl", "table", "html", "xml", "markdown", "docx", "fasttext", "line_sentence", "vertical"
]
SPELLING: dict[str, bool | str] = {"keep_variants": True, "join_broken": "none", "cut_boilerplate": False}
"""How text was read before there were these options."""
CORPORA = ("lee", "sotu")
"""Corpora that go by a name."""
ABOUT = {
    "lee": "Australian news of 2000 and 2001, of gensim's test data",
    "sotu": "addresses of US presidents to Congress since 1790, of the package sotu",
}
"""What these are."""
TOKENIZERS = ("words", "whitespace")
_LANGUAGES = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj
kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv
ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"""


@dataclass(frozen=True)
class ReadOptions(Options):
    """How a source becomes documents.

    Attributes:
        format: what the files are; default: told by their content.
        layout: what is a document of plain text: ``"lines"``, one a line, an empty one too; ``"blocks"``, one sentence
            a line and blank lines between documents; ``"paragraphs"``, blank lines between documents whose lines run
            on; ``"files"``, one a file. Default: a folder is ``"files"``, and a file is ``"lines"`` or ``"blocks"``
            where only one of them is plausible.
        encoding: ``"auto"`` takes a byte-order mark or what markup declares, else UTF-8, else cp1252, and says so; or
            the name of any codec of Python: utf-8, latin-1, cp1252, utf-16 ...
        errors: ``"strict"`` refuses bytes that are not of the encoding; ``"replace"`` puts U+FFFD in their place, and
            encoding ``"auto"`` is UTF-8 then.
        column: name of the column of text in CSV, TSV or JSON lines, or its number (from 1) in a table without a
            header and in a file with a word a line; of XML, the element that is a document, or ``lang=de`` for those
            in a language.
            Default: ``text``, or the only column there is.
        id_column: column that names the documents; default: their numbers do.
        date_column: column of dates, see :func:`gpustab.corpus.dates.read_years`; the year is kept as column ``year``.
        unclear_dates: what is done where the years of a date are not clear, or lie in several periods: ``"refuse"``
            it; ``"undated"``: the document is in no period, and counted; ``"middle"`` takes the middle of a span of
            years (18th c., 1848-1853), and other unclear dates as none.
        notes: of TEI, whether notes and, in plays and transcripts, speakers' names, stage directions, cast lists and
            noises are read: ``"drop"`` or ``"keep"``, notes after the text.
        readings: of TEI, which of two is read: ``"edited"``: corrections, regular spelling, expansions;
            ``"original"``: what the source has.
        as_is: take the text as it is, where a strong doubt would stop: markup, tags or names as words.
    """

    format: FormatName | None = None
    layout: Layout | None = None
    encoding: Annotated[str, Option(metavar="CODEC", each=check_encoding)] = "auto"
    errors: Errors = "strict"
    column: str | None = None
    id_column: str | None = None
    date_column: str | None = None
    unclear_dates: UnclearDates = "refuse"
    notes: Literal["drop", "keep"] = "drop"
    readings: Literal["edited", "original"] = "edited"
    as_is: bool = False

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        if self.layout and self.format not in (None, "plain"):
            raise InputError(f"{option('layout', self.layout)} is for plain text; {self.format} has its own documents")

    @property
    def columns(self) -> dict[str, str]:
        """The columns that were chosen, by the option's name."""
        named = {"column": self.column, "id_column": self.id_column, "date_column": self.date_column}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True)
class CorpusOptions(ReadOptions):
    """How text becomes a corpus; the defaults are the paper's. How it is read, see :class:`ReadOptions`.

    Attributes:
        drop: a regular expression; what it finds is left out of every text before words are cut. ``^`` and ``$`` are
            the ends of a line.
        tokenizer: what a word is. ``"words"``: letters with their marks, inner apostrophes and joiners;
            ``"whitespace"``: whatever stands between white space, as text has it that is cut already; or a regular
            expression, whose matches are words. Default: ``"words"``, and ``"whitespace"`` for gensim's lines.
        language: two letters of ISO 639-1. Small letters are those of its alphabet (tr, az, lt), and its rules end a
            sentence where the input has no lines of its own.
        lowercase: make all letters small.
        drop_numbers: of ``"words"``: leave digits out, and out of words: "4th" gives "th".
        drop_punctuation: of ``"words"``: leave punctuation and symbols out; otherwise each is a word of its own.
        keep_variants: keep the spellings of one word apart: don’t and don't, ligatures, full-width letters, long s,
            signs within a word that nobody sees. Default: they are one word.
        join_broken: of words broken at line ends, where lines run on, ``"auto"`` joins those that the text has whole
            elsewhere, ``"all"`` joins all, ``"none"`` none. A soft hyphen always joins; a regular expression needs
            ``"all"``.
        cut_boilerplate: leave out token sequences that stand in most documents, such as licences, mastheads, footers.
        min_count: words that are rarer in the whole corpus are left out, and their neighbours move together.
        max_words: keep so many of the words that are left, the most frequent ones (ties by bytes): the size of the
            dictionary. Default: all.
        drop_duplicates: leave out documents with the same words in the same order as an earlier one. Documents
            without words are no duplicates, nor are sentences.
        unit: what sampling draws: ``"document"``; ``"sentence"``; a column of the documents such as ``"author"``, whose
            documents are drawn all or none, as they are no independent draws; or ``"blocks-10"``, of ten documents that
            stand beside each other, as chapters of a book or articles of a day do.
        fraction: keep the first documents of those that are left, this part of them, rounded up.
    """

    drop: Annotated[str | None, Option(metavar="PATTERN", each=partial(_check_pattern, "drop"))] = None
    tokenizer: Annotated[str | None, Option(each=_check_tokenizer)] = None
    language: Annotated[str, Option(metavar="CODE", each=_check_language)] = "en"
    lowercase: Annotated[bool, Option(typed=False)] = True
    drop_numbers: Annotated[bool, Option(typed=False)] = True
    drop_punctuation: Annotated[bool, Option(typed=False)] = True
    keep_variants: bool = False
    join_broken: JoinBroken = "auto"
    cut_boilerplate: bool = False
    min_count: Annotated[int, Option(low=1)] = 20
    max_words: Annotated[int | None, Option(low=2)] = None
    drop_duplicates: Annotated[bool, Option(typed=False)] = True
    unit: Annotated[str, Option(metavar="document|sentence|COLUMN|blocks-N")] = "document"
    fraction: Annotated[float, Option(above=0, high=1)] = 1.0

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        super().check_together()
        for name in ("drop_numbers", "drop_punctuation"):
            if not getattr(self, name) and self.cut != "words":
                raise InputError(f"{option(name, False)} has no effect: it is for {option('tokenizer', 'words')} alone")

    @property
    def cut(self) -> str:
        """The tokenizer that is meant."""
        return self.tokenizer or ("whitespace" if self.format == "line_sentence" else "words")


def check_encoding(name: str) -> None:
    """Refuse what is no name of a character encoding.

    >>> check_encoding("latin1")
    >>> check_encoding("zip")
    Traceback (most recent call last):
    gpustab.errors.InputError: encoding is 'zip', wanted 'auto' or a codec such as 'utf-8', 'cp1252', 'utf-16'
    """
    try:
        if name != "auto":
            "".encode(name)  # LookupError also of codecs that are not of text
    except (LookupError, TypeError, ValueError):
        wanted = "wanted 'auto' or a codec such as 'utf-8', 'cp1252', 'utf-16'"
        raise InputError(f"{option('encoding')} is {name!r}, {wanted}") from None


def _check_tokenizer(tokenizer: str) -> None:
    if tokenizer in TOKENIZERS:
        return
    wanted = f"wanted {' or '.join(map(repr, TOKENIZERS))} or a regular expression"
    if re.fullmatch(r"[\w -]*", tokenizer):  # it would find itself alone
        raise InputError(f"{option('tokenizer')} is {tokenizer!r}, {wanted}")
    _check_pattern("tokenizer", tokenizer, wanted)


def _check_language(code: str) -> None:
    if code not in _LANGUAGES.split():
        raise InputError(f"{option('language')} is {code!r}, wanted a code of ISO 639-1 such as 'en', 'tr'")


def _check_pattern(name: str, pattern: str, wanted: str = "wanted a regular expression") -> None:
    try:
        empty = re.compile(pattern, re.M).fullmatch("")
    except re.error as error:
        raise InputError(f"{option(name)} is {pattern!r}, {wanted}: {error}") from None
    if empty:
        finds = "words without any letters" if name == "tokenizer" else "nothing at all"
        raise InputError(f"{option(name)} is {pattern!r}, which finds {finds}")
