"""Made files of other kinds than running text: each says which doubt must be raised, or what a refusal must say."""

from __future__ import annotations

import base64
import json
import re
import textwrap
from collections.abc import Callable, Iterator

from benchmarks.zoo.specimen import Specimen
from benchmarks.zoo.writer import Writer

_TAGS = {
    "the": "DT",
    "of": "IN",
    "and": "CC",
    "to": "TO",
    "in": "IN",
    "a": "DT",
    "is": "VBZ",
    "that": "IN",
    "for": "IN",
}
_CJK = "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日"
_THAI = "กขคงจฉชซญดตถทนบปผพฟมยรลวสหอ"
_KANA = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん"


Maker = Callable[[Writer], "dict[str, str | bytes] | str"]


class Kinds:
    """Makers of files, each with the doubts of which it must raise one."""

    def __init__(self) -> None:
        self._makers: dict[str, tuple[Maker, tuple[str, ...], tuple[str, ...], dict[str, str]]] = {}

    def enter(self, *raises: str, words: tuple[str, ...] = (), **options: str) -> Callable[[Maker], Maker]:
        """Enter a maker: doubts of which one must be raised, and words of a refusal, of which one must be said."""

        def decorate(make: Maker) -> Maker:
            self._makers[make.__name__.replace("_", " ").strip()] = make, raises, words, options
            return make

        return decorate

    def specimens(self) -> Iterator[Specimen]:
        """Yield what each of them makes."""
        for name, (make, raises, words, options) in self._makers.items():
            made_files = make(Writer(name))
            files = {"text.txt": made_files} if isinstance(made_files, str) else made_files
            yield Specimen(f"made: {name}", files, options, raises, words)


_ALL = Kinds()
_kind = _ALL.enter


def made() -> Iterator[Specimen]:
    """Yield all made files."""
    return _ALL.specimens()


def _lemma(token: str) -> str:
    return re.sub(r"(ing|ed|s)$", "", token.lower()) or token


def _tag(token: str) -> str:
    return _TAGS.get(token.lower(), "NN" if token[0].isalpha() else "PUNCT")


def _vertical(w: Writer, row: Callable[[str, int], str], before: str = "<s>", after: str = "</s>", n: int = 300) -> str:
    parts = []
    for _ in range(n):
        rows = "\n".join(row(token, i) for i, token in enumerate(w.tokens(), 1))
        parts.append("\n".join(part for part in (before, rows, after) if part is not None))
    return "\n".join(parts) + "\n"


_COLUMNS = ("columns", "tags")
_A_WORD = ("a word a line", "vertical", "CoNLL")


@_kind(*_COLUMNS, words=_A_WORD)
def sketch_engine(w: Writer) -> str:
    return _vertical(w, lambda t, _: f"{t}\t{_tag(t)}\t{_lemma(t)}-n", '<doc id="a"><s>')


@_kind(*_COLUMNS, words=_A_WORD)
def cwb_with_xml_head(w: Writer) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<corpus>\n'
        + _vertical(w, lambda t, _: f"{t.replace('&', 'and')}\t{_tag(t).lower()}\t{_lemma(t)}")
        + "</corpus>\n"
    )


@_kind(*_COLUMNS, words=_A_WORD)
def word_lemma_tag_of_coha(w: Writer) -> dict[str, str | bytes]:
    return {
        f"fic_18{i:02}_{7000 + i}.txt": f"##{7000 + i}\n"
        + _vertical(w, lambda t, _: f"{t}\t{_lemma(t)}\tnn1", "", "@\t@\tii", 40)
        for i in range(12)
    }


@_kind(*_COLUMNS, words=_A_WORD)
def treetagger(w: Writer) -> str:
    return "\n".join(f"{t}\t{_tag(t)}\t{_lemma(t)}" for _ in range(300) for t in w.tokens())


@_kind(*_COLUMNS, words=_A_WORD)
def conll_2003(w: Writer) -> str:
    return "-DOCSTART- -X- -X- O\n\n" + _vertical(w, lambda t, _: f"{t} {_tag(t)} B-NP O", "", "")


@_kind(*_COLUMNS, words=_A_WORD)
def conll_u_without_comments(w: Writer) -> str:
    return _vertical(w, lambda t, i: f"{i}\t{t}\t{_lemma(t)}\t{_tag(t)}\t_\t_\t{max(i - 1, 0)}\tdep\t_\t_", "", "")


@_kind(*_COLUMNS, words=_A_WORD)
def iob_of_names(w: Writer) -> str:
    return _vertical(w, lambda t, _: f"{t}\t{'B-PER' if t[0].isupper() else 'O'}", "", "")


@_kind(*_COLUMNS, "names", words=_A_WORD)
def interlinear_glosses(w: Writer) -> str:
    blocks = []
    for i in range(200):
        tokens = [t for t in w.tokens() if t[0].isalpha()][:8]
        blocks.append(
            f"\\ref {i:03}\n\\tx {' '.join(tokens)}\n\\mb {' '.join(t[:3] + '-' + t[3:] for t in tokens)}\n"
            f"\\ge {' '.join('PL' if t.endswith('s') else t.upper() for t in tokens)}\n\\ft {' '.join(tokens)}\n"
        )
    return "\n".join(blocks)


@_kind("tags", *_COLUMNS, words=("tags",))
def slashed_tags(w: Writer) -> str:
    return "\n".join(" ".join(f"{t}/{_tag(t).lower()}" for t in w.tokens()) for _ in range(300))


@_kind("tags", "columns", words=("tags",))
def hashed_lemmas(w: Writer) -> str:
    return "\n".join(" ".join(f"{t}|{_lemma(t)}|{_tag(t)}" for t in w.tokens()) for _ in range(300))


_HEADS = ("heads", "names", "times")
_RECORDS = ("mail", "headers", "record", "keys", "references", "name and a colon", "RIS", "PubMed", "BibTeX")


@_kind(*_HEADS, words=_RECORDS)
def mails_in_a_folder(w: Writer) -> dict[str, str | bytes]:
    return {
        f"{i:03}": f"From: {w.name()}\nTo: {w.name()}\nSubject: {w.word()}\nDate: Mon, {i % 28 + 1} May 2001\n\n{w.some(6)}\n"
        for i in range(60)
    }


@_kind(*_HEADS, words=_RECORDS)
def usenet(w: Writer) -> dict[str, str | bytes]:
    return {
        f"{49960 + i}": f"Xref: x alt.{w.word()}:{i}\nPath: cantaloupe!{w.word()}\nNewsgroups: alt.{w.word()}\n"
        f"Organization: {w.name()}\nLines: {w.n(5, 40)}\nNNTP-Posting-Host: a.b\n\n{w.some(5)}\n"
        for i in range(60)
    }


@_kind(*_HEADS, "markup", words=("WARC", *_RECORDS))
def web_archive_text(w: Writer) -> str:
    return "".join(
        f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://{w.word()}.com/{w.word()}\r\nWARC-Date: 2020-01-{i % 28 + 1:02}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {w.n(200, 900)}\r\n\r\n{w.some(8)}\r\n\r\n"
        for i in range(80)
    )


@_kind(*_HEADS, words=_RECORDS)
def ris(w: Writer) -> str:
    return "\n".join(
        f"TY  - JOUR\nAU  - {w.name()}\nTI  - {w.sentence()}\nPY  - {w.n(1900, 2020)}\nAB  - {w.some(2)}\nER  - \n"
        for _ in range(80)
    )


@_kind(*_HEADS, words=_RECORDS)
def endnote(w: Writer) -> str:
    return "\n".join(
        f"%0 Journal Article\n%A {w.name()}\n%T {w.sentence()}\n%D {w.n(1900, 2020)}\n%X {w.some(2)}\n"
        for _ in range(80)
    )


@_kind(*_HEADS, "markup", "signs", words=_RECORDS)
def bibtex(w: Writer) -> str:
    return "\n".join(
        f"@article{{a{i},\n  author = {{{w.name()}}},\n  title = {{{w.sentence()}}},\n  year = {{{w.n(1900, 2020)}}}\n}}\n"
        for i in range(80)
    )


@_kind(*_HEADS, words=_RECORDS)
def medline(w: Writer) -> str:
    return "\n".join(
        f"PMID- {w.n(10**6, 10**7)}\nOWN - NLM\nDP  - {w.n(1980, 2020)}\nTI  - {w.sentence()}\nAB  - {w.some(3)}\nFAU - {w.name()}\nLA  - eng\n"
        for _ in range(80)
    )


@_kind(*_HEADS, words=_RECORDS)
def own_records_of_an_archive(w: Writer) -> str:
    return "\n".join(
        f"Signatur: B {i} / {w.n(1, 99)}\nVerfasser: {w.name()}\nOrt: {w.word().title()}\nInhalt: {w.sentence()}\nUmfang: {w.n(1, 9)} S.\n"
        for i in range(80)
    )


@_kind(*_HEADS, words=_RECORDS)
def press_database_export(w: Writer) -> str:
    return "\n\n".join(
        f"Document {i} of 80\n\n{w.sentence()}\n\nAuthor: {w.name()}\nPublication info: {w.word().title()} Times; {w.n(1, 28)} May: {w.n(1, 9)}.\n"
        f"ProQuest document ID: {w.n(10**7, 10**8)}\nDocument URL: http://x.y/{i}\nFull text: {w.some(5)}\nWord count: {w.n(99, 999)}\n{'_' * 60}"
        for i in range(80)
    )


@_kind(*_HEADS, "numbers", "counts", words=("subtitles", "time"))
def subtitles(w: Writer) -> str:
    return "\n".join(
        f"{i}\n00:{i // 60:02}:{i % 60:02},000 --> 00:{i // 60:02}:{i % 60:02},900\n{w.sentence()}\n"
        for i in range(1, 300)
    )


@_kind(*_HEADS, words=("subtitles", "time"))
def lyrics_with_times(w: Writer) -> str:
    return "\n".join(f"[{i // 60:02}:{i % 60:02}.{w.n(0, 99):02}]{w.sentence()[:40]}" for i in range(300))


@_kind("times", "names", words=("time",))
def chat_export(w: Writer) -> str:
    return "\n".join(
        f"{i % 28 + 1:02}/05/2020, {w.n(0, 23):02}:{w.n(0, 59):02} - {w.name()}: {w.sentence()}" for i in range(300)
    )


@_kind("times", "names", "markup", words=("time",))
def irc_log(w: Writer) -> str:
    return "\n".join(
        f"[{w.n(0, 23):02}:{w.n(0, 59):02}:{w.n(0, 59):02}] <{w.word()}> {w.sentence()}" for _ in range(300)
    )


@_kind("times", "names", "heads", words=("time",))
def server_log(w: Writer) -> str:
    return "\n".join(
        f'127.0.0.{w.n(1, 99)} - - [10/Oct/2000:13:55:{w.n(0, 59):02} -0700] "GET /{w.word()}/{w.word()} HTTP/1.0" 200 {w.n(99, 9999)}'
        for _ in range(400)
    )


@_kind("times", "names", "heads", words=("time",))
def program_log(w: Writer) -> str:
    return "\n".join(
        f"2020-05-{i % 28 + 1:02}T10:00:{w.n(0, 59):02}Z INFO {w.word()}.{w.word()} {w.sentence()}" for i in range(300)
    )


_MARKUP = ("markup", "tags")
_SIGNS = ("markup", "HTML", "XML", "LaTeX", "wiki", "MediaWiki", "JSON", "TeX", "tags")


@_kind(*_MARKUP, words=_SIGNS)
def mediawiki_dump(w: Writer) -> dict[str, str | bytes]:
    pages = "".join(
        f"<page><title>{w.word()}</title><ns>0</ns><id>{i}</id><revision><timestamp>2008-01-01T00:00:00Z</timestamp><contributor><username>"
        f"{w.word()}</username></contributor><text xml:space=\"preserve\">{{{{Infobox|name={w.word()}|size={w.n(1, 99)}}}}} '''{w.word()}''' "
        f"[[{w.word()}|{w.word()}]] {w.sentence()} [[Category:{w.word()}]]</text></revision></page>\n"
        for i in range(60)
    )
    return {"dump.xml": f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.3/">{pages}</mediawiki>'}


@_kind(*_MARKUP, words=_SIGNS)
def wikitext(w: Writer) -> str:
    return "\n".join(
        f"== {w.word().title()} ==\n'''{w.word()}''' [[{w.word()}|{w.word()}]] {w.sentence()}<ref>{{{{cite|title={w.word()}}}}}</ref>"
        for _ in range(150)
    )


@_kind(*_MARKUP, words=_SIGNS, format="plain", layout="files")
def html_saved_as_text(w: Writer) -> dict[str, str | bytes]:
    return {
        f"{i}.txt": "".join(
            f'<p class="c{w.n(1, 9)}">{w.sentence()} <a href="http://{w.word()}.com">{w.word()}</a><br/></p>\n'
            for _ in range(12)
        )
        for i in range(20)
    }


@_kind(*_MARKUP, words=_SIGNS, layout="lines")
def lines_with_entities(w: Writer) -> str:
    return "\n".join(
        f"{w.sentence()} &amp; {w.word()} &quot;{w.word()}&quot;&nbsp;&#8212; {w.word()}" for _ in range(300)
    )


@_kind(*_MARKUP, words=_SIGNS, layout="files")
def latex_without_a_head(w: Writer) -> str:
    return "\n\n".join(
        f"\\section{{{w.word()}}}\n{w.sentence()} \\cite{{{w.word()}}} $x_{{{w.n(1, 9)}}}$ \\emph{{{w.word()}}}\n\\begin{{itemize}}\n\\item {w.sentence()}\n\\end{{itemize}}"
        for _ in range(80)
    )


@_kind(*_MARKUP, words=_SIGNS, layout="files")
def bulletin_board(w: Writer) -> str:
    return "\n".join(
        f"[quote={w.word()}]{w.sentence()}[/quote] [b]{w.word()}[/b] {w.sentence()} [url=http://{w.word()}.com]{w.word()}[/url]"
        for _ in range(200)
    )


@_kind(*_MARKUP, words=_SIGNS, layout="files")
def roff(w: Writer) -> str:
    return "\n".join(
        f".SH {w.word().upper()}\n.PP\n{w.sentence()}\n.BR {w.word()} (1)\n\\fB{w.word()}\\fR {w.sentence()}"
        for _ in range(100)
    )


@_kind(*_MARKUP, words=_SIGNS, layout="lines")
def masked_rare_words(w: Writer) -> str:
    return "\n".join(" ".join("<unk>" if w.n(1, 9) == 1 else t.lower() for t in w.tokens()) for _ in range(400))


@_kind(*_MARKUP, "program", words=_SIGNS)
def json_as_text(w: Writer) -> str:
    rows = [
        {"id": i, "user": {"name": w.name(), "id": w.n(1, 999)}, "body": w.sentence(), "tags": [w.word()]}
        for i in range(120)
    ]
    return json.dumps({"data": rows}, indent=2)


@_kind(*_MARKUP, "program", words=("JSON", "column", "count", "running text"))
def extracted_features(w: Writer) -> dict[str, str | bytes]:
    pages = [
        {"seq": f"{i:08}", "tokenCount": 20, "body": {"tokenPosCount": {t: {_tag(t): w.n(1, 5)} for t in w.tokens()}}}
        for i in range(40)
    ]
    return {
        "volume.json": json.dumps(
            {"@context": "https://x", "htid": "a.1", "metadata": {"title": w.word()}, "features": {"pages": pages}}
        )
    }


@_kind("few", *_MARKUP, words=("music", *_SIGNS))
def music_xml(w: Writer) -> dict[str, str | bytes]:
    notes = "".join(
        f"<note><pitch><step>{w.draw.choice('ABCDEFG')}</step><octave>4</octave></pitch><duration>1</duration><type>quarter</type></note>"
        for _ in range(500)
    )
    return {
        "song.xml": f'<?xml version="1.0"?><score-partwise version="3.1"><part id="P1"><measure number="1">{notes}</measure></part></score-partwise>'
    }


@_kind("columns", "names", "markup", "counts", "heads", words=("table", "column", "CSV"))
def csv_named_txt(w: Writer) -> str:
    return "id,name,place,year\n" + "\n".join(f'{i},"{w.name()}",{w.word()},{w.n(1900, 2000)}' for i in range(400))


@_kind("columns", "counts", "markup", words=("table", "column"))
def tab_separated_measures(w: Writer) -> str:
    return "\n".join(f"{w.word()}\t{w.n(1, 99)}\t{w.n(1, 99) / 7:.3f}\t{w.n(0, 1)}" for _ in range(400))


@_kind("counts", "columns", words=("numbers", "count"))
def word_counts(w: Writer) -> str:
    return "\n".join(f"{word} {n}" for n, word in enumerate(dict.fromkeys(w.word() for _ in range(900)), 1))


@_kind("counts", "columns", words=("numbers", "count", "table", "column"))
def ngram_counts(w: Writer) -> str:
    return "\n".join(f"{w.word()} {w.word()}\t{w.n(1800, 2000)}\t{w.n(1, 900)}\t{w.n(1, 90)}" for _ in range(600))


@_kind("words", "counts", layout="lines", words=("list of words",))
def word_list(w: Writer) -> str:
    return "\n".join(dict.fromkeys(w.word() for _ in range(3000)))


@_kind("program", *_MARKUP, layout="files", words=("signs", "code"))
def source_code(w: Writer) -> str:
    return "\n".join(
        f"def {w.word()}_{w.word()}(self, {w.word()}=None):\n    for {w.word()} in range({w.n(1, 9)}):\n        self.{w.word()}[{w.word()!r}] += {w.word()}.{w.word()}({w.word()})\n    return {w.word()}\n"
        for _ in range(150)
    )


@_kind("program", *_MARKUP, layout="files", words=("signs", "code"))
def javascript(w: Writer) -> str:
    return "\n".join(
        f"var {w.word()} = function({w.word()}, {w.word()}) {{\n  if ({w.word()} === null) {{ return {w.word()}.{w.word()}(); }}\n  {w.word()}['{w.word()}'] = {w.n(1, 99)};\n}};"
        for _ in range(150)
    )


@_kind("names", "program", *_MARKUP, words=("SQL", "signs"))
def sql_dump_with_a_comment(w: Writer) -> str:
    rows = "\n".join(f"INSERT INTO `{w.word()}` VALUES ({i},'{w.name()}','{w.word()}',NULL);" for i in range(300))
    return f"-- MySQL dump\n\nSET NAMES utf8;\nLOCK TABLES `a` WRITE;\n{rows}\n"


@_kind("names", "program", *_MARKUP, words=("settings", "YAML"))
def settings(w: Writer) -> str:
    return "\n".join(
        f"[{w.word()}]\n{w.word()}_{w.word()} = {w.n(1, 99)}\n{w.word()}.{w.word()} = /{w.word()}/{w.word()}"
        for _ in range(150)
    )


@_kind("names", "heads", *_MARKUP, words=("messages", "gettext"))
def catalogue_of_messages(w: Writer) -> str:
    return "\n\n".join(
        f'#: {w.word()}.c:{w.n(1, 999)}\nmsgid "{w.sentence()}"\nmsgstr "{w.sentence()}"' for _ in range(150)
    )


@_kind("clauses", layout="lines", words=("unsegmented", "without blanks"))
def chinese(w: Writer) -> str:
    return "\n".join(
        "".join(f"{''.join(w.draw.choices(_CJK, k=w.n(4, 12)))}{w.draw.choice('，。')}" for _ in range(8))
        for _ in range(300)
    )


@_kind("clauses", layout="files", words=("unsegmented", "without blanks"))
def japanese(w: Writer) -> str:
    return "\n".join(
        "".join(f"{''.join(w.draw.choices(_KANA + _CJK, k=w.n(8, 20)))}{w.draw.choice('、。')}" for _ in range(8))
        for _ in range(200)
    )


@_kind("clauses", layout="lines", words=("unsegmented", "without blanks"))
def thai(w: Writer) -> str:
    return "\n".join(" ".join("".join(w.draw.choices(_THAI, k=w.n(15, 50))) for _ in range(5)) for _ in range(300))


@_kind("languages", words=("languages",))
def two_languages(w: Writer) -> dict[str, str | bytes]:
    other = {
        "the": "der",
        "of": "von",
        "and": "und",
        "to": "zu",
        "in": "im",
        "a": "ein",
        "is": "ist",
        "that": "dass",
        "for": "für",
    }

    def german(sentence: str) -> str:
        return " ".join(other.get(word.lower(), word + "en" if word.isalpha() else word) for word in sentence.split())

    return {f"{i:03}.{'en' if i % 2 else 'de'}.txt": w.some(20) if i % 2 else german(w.some(20)) for i in range(40)}


@_kind("languages", words=("languages",))
def two_scripts(w: Writer) -> dict[str, str | bytes]:
    cyrillic = str.maketrans("abcdefghijklmnopqrstuvwxyz", "абцдефгхийклмнопярстувшхыз")
    return {f"{i:03}.txt": w.some(20) if i % 2 else w.some(20).lower().translate(cyrillic) for i in range(40)}


@_kind("wrapped", "broken", layout="lines", words=("run on",))
def ocr_read_line_by_line(w: Writer) -> str:
    return "\n".join(_ocr(w.some(120), 42))


@_kind("broken", "wrapped", layout="blocks", words=("run on",))
def ocr_in_blocks(w: Writer) -> str:
    return "\n\n".join("\n".join(_ocr(w.some(12), 50)) for _ in range(30))


def _ocr(text: str, width: int) -> list[str]:
    """Lines of one width, as newspapers have them: what does not fit is broken with a hyphen."""
    lines, line = list[str](), ""
    for word in text.split():
        room = width - len(line) - 2
        if len(word) <= room:
            line += f" {word}"
        elif room > 3 and len(word) - room > 2 and word[:room].isalpha():
            lines.append(f"{line} {word[:room]}-".strip())
            line = word[room:]
        else:
            lines.append(line.strip())
            line = word
    return [*lines, line.strip()]


@_kind("wrapped", layout="lines", words=("run on",))
def wrapped_book_by_lines(w: Writer) -> str:
    return "\n\n".join(textwrap.fill(w.some(8), 72) for _ in range(60))


@_kind("boilerplate", words=("boilerplate",), layout="files")
def books_with_a_licence(w: Writer) -> dict[str, str | bytes]:
    licence = w.some(8)
    return {f"{i}.txt": f"{licence}\n\n{w.some(30)}\n\n*** END ***\n{w.some(0)}{licence}" for i in range(20)}


@_kind("boilerplate", words=("boilerplate",), layout="files")
def newspapers_with_a_masthead(w: Writer) -> dict[str, str | bytes]:
    head = "THE FENLAND COURIER AND GAZETTEER, printed and published at Ousegate by Messrs Broomfield. Price Twopence."
    return {f"{i}.txt": f"{head} No. {i}.\n\n{w.some(8)}" for i in range(30)}


@_kind("boilerplate", words=("boilerplate",))
def notes_with_a_footer(w: Writer) -> str:
    foot = "This message and any attachments are confidential; if you are not the addressee, delete it and notify the sender."
    return "\n".join(f"{w.some(3)} {foot}" for _ in range(200))


@_kind("copies", words=("copies",), layout="files")
def forty_files_of_which_most_are_copies(w: Writer) -> dict[str, str | bytes]:
    text = w.some(30)
    return {f"{i:02}.txt": w.some(30) if i == 0 else text for i in range(40)}


@_kind("words", "document", "sentences", layout="lines", words=("list",))
def a_token_a_line(w: Writer) -> str:
    return "\n".join(t for _ in range(300) for t in w.tokens())


@_kind("sentences", "document", words=("document",))
def all_in_one_line(w: Writer) -> str:
    return w.some(400)


@_kind("coded", words=("base64", "coded"), layout="files")
def base_64(w: Writer) -> str:
    return base64.encodebytes(w.some(200).encode()).decode()


@_kind("coded", words=("coded",), layout="lines")
def sequences_of_genes(w: Writer) -> str:
    return "\n".join(
        f">seq{i}\n" + "\n".join("".join(w.draw.choices("ACGT", k=70)) for _ in range(6)) for i in range(60)
    )


@_kind(*_HEADS, "columns", words=("record", "GEDCOM"))
def gedcom(w: Writer) -> str:
    return "0 HEAD\n1 CHAR UTF-8\n" + "\n".join(
        f"0 @I{i}@ INDI\n1 NAME {w.name().replace(' ', ' /')}/\n1 SEX M\n1 BIRT\n2 DATE {w.n(1, 28)} MAY {w.n(1700, 1900)}\n2 PLAC {w.word().title()}"
        for i in range(150)
    )


@_kind(*_HEADS, "program", *_MARKUP, words=("record",))
def chess_games(w: Writer) -> str:
    return "\n\n".join(
        f'[Event "{w.word()}"]\n[Site "{w.word()}"]\n[White "{w.name()}"]\n[Black "{w.name()}"]\n[Result "1-0"]\n\n'
        + " ".join(
            f"{k}. {w.draw.choice('abcdefgh')}{w.n(2, 5)} N{w.draw.choice('abcdefgh')}{w.n(3, 7)}" for k in range(1, 30)
        )
        for _ in range(60)
    )


@_kind(*_HEADS, words=("record", *_RECORDS))
def calendar(w: Writer) -> str:
    return (
        "BEGIN:VCALENDAR\n"
        + "\n".join(
            f"BEGIN:VEVENT\nUID:{i}@x\nDTSTART:202005{i % 28 + 1:02}T100000Z\nSUMMARY:{w.sentence()}\nEND:VEVENT"
            for i in range(120)
        )
        + "\nEND:VCALENDAR"
    )


@_kind(*_HEADS, words=_RECORDS)
def cards(w: Writer) -> str:
    return "\n".join(
        f"BEGIN:VCARD\nVERSION:3.0\nFN:{w.name()}\nORG:{w.word().title()}\nTEL:{w.n(10**5, 10**6)}\nEND:VCARD"
        for _ in range(150)
    )


@_kind("names", *_HEADS, words=("name and a colon", "names"))
def speakers(w: Writer) -> str:
    names = [w.name() for _ in range(5)]
    return "\n".join(f"{w.draw.choice(names)}: {w.sentence()}" for _ in range(300))


@_kind("names", *_HEADS, words=("CHAT", "names", "name and a colon"))
def child_language(w: Writer) -> str:
    return "\n".join(
        f"*{w.draw.choice(['CHI', 'MOT'])}:\t{w.sentence()}\n%mor:\tn|{w.word()} v|{w.word()}-PAST pro|{w.word()}"
        for _ in range(200)
    )


@_kind("program", *_MARKUP, "coded", layout="files", words=("signs",))
def mathematics_as_text(w: Writer) -> str:
    return "\n".join(
        f"f_{w.n(1, 9)}(x) = {w.n(1, 9)}*x^{w.n(2, 9)} + {w.n(1, 9)}*y/(z - {w.n(1, 9)}) <= {w.n(1, 99)} && !{w.word()};"
        for _ in range(300)
    )


@_kind("languages", words=("languages",))
def translation_memory(w: Writer) -> dict[str, str | bytes]:
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{w.sentence()}</seg></tuv><tuv xml:lang="de"><seg>{w.sentence()}</seg></tuv></tu>'
        for _ in range(150)
    )
    return {"memory.tmx": f'<?xml version="1.0"?><tmx version="1.4"><body>{units}</body></tmx>'}
