"""How text is found and read: which kind of file, in which characters, and what of it is a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from gpustab.errors import InputError, option
from gpustab.options import Option
from gpustab.runs.key import Unit

Layout = Literal["lines", "blocks", "paragraphs", "files"]
FoundLayout = Layout | Literal["records"]
"""Formats with records have those; they cannot be chosen."""
Errors = Literal["strict", "replace"]
FormatName = Literal["plain", "jsonl", "table", "html", "xml", "markdown", "docx", "fasttext", "line_sentence"]
CORPORA = ("lee", "sotu")
"""Corpora that go by a name."""
TOKENIZERS = ("words", "whitespace")
_LANGUAGES = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj
kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv
ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"""


@dataclass(frozen=True)
class ReadOptions:
    """How a source becomes documents.

    Attributes:
        format: what a file is; by default that is told by its content, see :mod:`gpustab.corpus.formats`.
        layout: of plain text: ``"lines"``, one document a line, an empty one too; ``"blocks"``, one sentence a line
            and blank lines between documents; ``"paragraphs"``, blank lines between documents whose lines run on;
            ``"files"``, one document a file. By default a folder is ``"files"``, and a file is ``"lines"`` or
            ``"blocks"`` where only one of them is plausible.
        encoding: ``"auto"`` takes a byte-order mark or what markup declares, else UTF-8, else cp1252, and says so; or
            the name of any codec of Python.
        errors: ``"strict"`` refuses bytes that are not of the encoding; ``"replace"`` puts U+FFFD in their place, and
            ``"auto"`` is UTF-8 then.
        column: of a table or of JSON lines: the name of the column of text, or its number (from 1) in a table without
            a header. By default ``text``, or the only column there is.
        id_column: names the documents; by default their numbers do.
        date_column: holds a date with a year of four digits, which becomes the column ``year`` of the metadata.

    Raises:
        InputError: if a value is none of the choices.
    """

    format: Annotated[FormatName | None, Option("What the files are. Default: told by their content.")] = None
    layout: Annotated[
        Layout | None, Option("Of plain text: what is a document. Default: found where one reading is plausible.")
    ] = None
    encoding: Annotated[str, Option("auto, utf-8, latin-1, cp1252, utf-16 ... Default auto.", metavar="CODEC")] = "auto"
    errors: Annotated[Errors, Option("strict, or replace bytes that cannot be read by U+FFFD.")] = "strict"
    column: Annotated[str | None, Option("Column of the text in CSV, TSV, JSON lines; a number: no header.")] = None
    id_column: Annotated[str | None, Option("Column that names the documents.")] = None
    date_column: Annotated[str | None, Option("Column of dates; their years are kept.")] = None

    def __post_init__(self) -> None:
        check_choice("format", self.format, (None, *get_args(FormatName)))
        check_choice("layout", self.layout, (None, *get_args(Layout)))
        check_choice("errors", self.errors, get_args(Errors))
        check_encoding(self.encoding)
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
        tokenizer: what a word is. ``"words"``: letters with their marks, inner apostrophes and joiners;
            ``"whitespace"``: whatever stands between white space, as text has it that is cut already; or a regular
            expression, whose matches are words. By default ``"words"``, and ``"whitespace"`` for gensim's lines.
        language: two letters of ISO 639-1. Small letters are those of its alphabet (tr, az, lt), and its rules end a
            sentence where the input has no lines of its own.
        lowercase: make all letters small.
        drop_numbers: of ``"words"``: leave digits out, and out of words: "4th" gives "th".
        drop_punctuation: of ``"words"``: leave punctuation and symbols out; otherwise each is a word of its own.
        min_count: words that are rarer in the whole corpus are left out, and their neighbours move together.
        max_words: keep so many of these, the most frequent ones (ties by bytes): the size of the dictionary.
        drop_duplicates: leave out documents with the same words in the same order as an earlier one. Documents
            without words are no duplicates, nor are sentences.
        unit: what sampling draws, ``"document"`` or ``"sentence"``.
        fraction: keep the first documents of those that are left, this part of them, rounded up.

    Raises:
        InputError: if a value is outside its range.
    """

    tokenizer: Annotated[str | None, Option("words, whitespace, or a regular expression. Default words.")] = None
    language: Annotated[str, Option("Of small letters and of ends of sentences. Default en.", metavar="CODE")] = "en"
    lowercase: bool = True
    drop_numbers: bool = True
    drop_punctuation: bool = True
    min_count: Annotated[
        int, Option("Drop words rarer than this in the whole corpus. Default 20.", metavar="N", low=1)
    ] = 20
    max_words: Annotated[
        int | None, Option("Keep the N most frequent words of these. Default: all.", metavar="N", low=2)
    ] = None
    drop_duplicates: bool = True
    unit: Annotated[Unit, Option("What is drawn.")] = "document"
    fraction: Annotated[float, Option("Use the first part of the corpus. Default 1.")] = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("unit", self.unit, get_args(Unit))
        for name in ("lowercase", "drop_numbers", "drop_punctuation", "drop_duplicates"):
            check_choice(name, getattr(self, name), (True, False))  # 'False' in quotes would be true
        if not (isinstance(self.min_count, int) and self.min_count >= 1):
            raise InputError(f"{option('min_count')} is {self.min_count!r}, wanted a whole number from 1 upwards")
        if not (self.max_words is None or (isinstance(self.max_words, int) and self.max_words >= 2)):
            raise InputError(f"{option('max_words')} is {self.max_words!r}, wanted a whole number from 2 upwards")
        # Not <= 0, or NaN would pass.
        if not (isinstance(self.fraction, int | float) and 0 < self.fraction <= 1):
            raise InputError(f"{option('fraction')} is {self.fraction!r}, wanted a number above 0 and up to 1")
        _check_tokenizer(self.cut)
        for name in ("drop_numbers", "drop_punctuation"):
            if not getattr(self, name) and self.cut != "words":
                raise InputError(f"{option(name, False)} has no effect: it is for {option('tokenizer', 'words')} alone")
        if self.language not in _LANGUAGES.split():
            raise InputError(
                f"{option('language')} is {self.language!r}, wanted a code of ISO 639-1 such as 'en', 'tr'"
            )

    @property
    def cut(self) -> str:
        """The tokenizer that is meant."""
        return self.tokenizer or ("whitespace" if self.format == "line_sentence" else "words")


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse a value of an option that is none of its choices.

    >>> check_choice("errors", "ignore", ("strict", "replace"))
    Traceback (most recent call last):
    gpustab.errors.InputError: errors is 'ignore', wanted 'strict' or 'replace'
    """
    if value not in choices:
        raise InputError(f"{option(name)} is {value!r}, wanted {' or '.join(map(repr, choices))}")


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
    try:
        empty = re.compile(tokenizer).match("")
    except re.error as error:
        raise InputError(f"{option('tokenizer')} is {tokenizer!r}, {wanted}: {error}") from None
    if empty:
        raise InputError(f"{option('tokenizer')} is {tokenizer!r}, which finds words without any letters")
