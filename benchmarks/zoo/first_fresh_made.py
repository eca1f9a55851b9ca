"""Made files of kinds that :mod:`benchmarks.zoo.made` does not have, for the texts that no rule has seen."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from itertools import pairwise

from benchmarks.zoo.made import Kinds
from benchmarks.zoo.specimen import Specimen
from benchmarks.zoo.writer import Writer

_FRESH = Kinds()
_kind = _FRESH.enter
_RECORDS = ("heads", "names", "times")
_CODE = ("program", "markup", "names", "heads")


def fresh_made() -> Iterator[Specimen]:
    """Yield all of them."""
    return _FRESH.specimens()


@_kind("columns", "tags", words=("a word a line",))
def corpus_with_ids_of_texts(w: Writer) -> str:
    rows = []
    for text in range(60):
        rows += [f"{4000 + text}\t{t}\t{t.lower()}\t{'nn1' if len(t) > 4 else 'ii'}" for t in w.tokens()]
    return "\n".join(rows)


@_kind("columns", "tags", "markup", "program", words=("a word a line",))
def trees_in_brackets(w: Writer) -> str:
    def tree(tokens: list[str]) -> str:
        half = len(tokens) // 2
        return f"(NP (DT {tokens[0]}))" if half < 1 else f"(S {tree(tokens[:half])} {tree(tokens[half:])})"

    return "\n".join(tree(w.tokens()) for _ in range(200))


@_kind("columns", "tags", "counts", words=("a word a line",))
def dependencies_of_stanford(w: Writer) -> str:
    def parsed() -> str:
        tokens = w.tokens()[:9]
        return "\n".join(f"nsubj({a}-{i}, {b}-{i + 1})" for i, (a, b) in enumerate(pairwise(tokens)))

    return "\n\n".join(parsed() for _ in range(120))


@_kind(*_RECORDS, words=("record",))
def log_of_changes(w: Writer) -> str:
    return "\n".join(
        f"commit {w.n(10**9, 10**10):x}{w.n(10**9, 10**10):x}\nAuthor: {w.name()} <{w.word()}@{w.word()}.org>\n"
        f"Date:   Mon May {w.n(1, 28)} 10:{w.n(10, 59)}:00 2019 +0200\n\n    {w.sentence()}\n"
        for _ in range(120)
    )


@_kind(*_CODE, words=("signs",), layout="files")
def differences_of_two_files(w: Writer) -> str:
    return "\n".join(
        f"--- a/{w.word()}.c\n+++ b/{w.word()}.c\n@@ -{i},4 +{i},4 @@\n-  {w.word()}({w.word()}, {w.word()}_{w.word()});\n"
        f"+  {w.word()}({w.word()}->{w.word()});\n   return {w.word()};\n }}"
        for i in range(120)
    )


@_kind(*_RECORDS, "columns", words=("record",))
def directory_entries(w: Writer) -> str:
    return "\n\n".join(
        f"dn: cn={w.name()},dc={w.word()},dc=org\nobjectClass: person\ncn: {w.name()}\nsn: {w.word()}\n"
        f"description: {w.sentence()}"
        for _ in range(100)
    )


@_kind(*_RECORDS, words=("record",))
def ontology_of_terms(w: Writer) -> str:
    return "\n\n".join(
        f'[Term]\nid: GO:{i:07}\nname: {w.words(2)}\nnamespace: {w.word()}\ndef: "{w.sentence()}" [GOC:{w.word()}]'
        for i in range(120)
    )


@_kind("markup", "program", "heads", "names", words=("signs",))
def triples(w: Writer) -> str:
    return "\n".join(
        f'<http://{w.word()}.org/{w.word()}> <http://www.w3.org/2000/01/rdf-schema#label> "{w.words(3)}"@en .'
        for _ in range(300)
    )


@_kind("times", "names", "heads", words=("time",))
def messages_of_a_telephone(w: Writer) -> str:
    return "\n".join(
        f"{i % 28 + 1:02}/05/2020, {w.n(10, 23)}:{w.n(10, 59)} - {w.name()}: {w.sentence()}" for i in range(300)
    )


@_kind("times", "names", words=("time",))
def captions_of_a_film(w: Writer) -> str:
    return "WEBVTT\n\n" + "\n".join(
        f"{i // 60:02}:{i % 60:02}.000 --> {i // 60:02}:{i % 60:02}.900\n{w.words(6)}\n" for i in range(400)
    )


@_kind("names", "program", "heads", "counts", words=("settings",))
def tiers_of_an_annotation(w: Writer) -> str:
    return 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n' + "\n".join(
        f'        intervals [{i}]:\n            xmin = {i / 3:.3f}\n            xmax = {(i + 1) / 3:.3f}\n            text = "{w.word()}"'
        for i in range(1, 400)
    )


@_kind("markup", "program", words=("signs",), layout="files")
def documentation_with_roles(w: Writer) -> str:
    return "\n\n".join(
        f".. function:: {w.word()}({w.word()})\n\n   :param {w.word()}: see :func:`{w.word()}.{w.word()}` <{w.word()}>\n"
        f"   :rtype: :class:`{w.word()}`"
        for _ in range(120)
    )


@_kind("markup", "program", words=("signs",), layout="files")
def style_sheet(w: Writer) -> str:
    return "\n".join(
        f".{w.word()}-{w.word()} > a:hover {{\n  color: #{w.n(100, 999)};\n  margin: {w.n(1, 9)}px {w.n(1, 9)}px;\n}}"
        for _ in range(150)
    )


@_kind("program", "markup", "names", words=("signs",), layout="files")
def makefile(w: Writer) -> str:
    return "\n\n".join(
        f"{w.word()}.o: {w.word()}.c $({w.word().upper()})\n\t$(CC) -o $@ $< -I{w.word()} && ./{w.word()}_{w.word()}"
        for _ in range(120)
    )


@_kind("coded", "counts", "few", words=("binary", "coded"), layout="files")
def hexadecimal_dump(w: Writer) -> str:
    data = w.some(120).encode()
    return "\n".join(
        f"{i:08x}: {data[i : i + 16].hex(' ', 2)}  {data[i : i + 16].decode('latin-1')}"
        for i in range(0, len(data), 16)
    )


@_kind("counts", "columns", words=("numbers", "counts"))
def language_model_of_ngrams(w: Writer) -> str:
    return "\\data\\\nngram 1=500\n\n\\1-grams:\n" + "\n".join(
        f"-{w.n(1, 5)}.{w.n(1000, 9999)}\t{word}\t-0.{w.n(1000, 9999)}"
        for word in dict.fromkeys(w.word() for _ in range(900))
    )


@_kind("markup", "entities", words=("XML", "field", "element", "twice", "HTML"))
def feed_of_news(w: Writer) -> dict[str, str | bytes]:
    items = "".join(
        f"<item><title>{w.words(4)}</title><link>http://{w.word()}.com/{w.word()}</link><guid>{w.n(1, 9999)}</guid>"
        f"<pubDate>Mon, 0{w.n(1, 9)} May 2019</pubDate><description>&lt;p&gt;{w.sentence()}&lt;/p&gt;</description></item>"
        for _ in range(120)
    )
    return {"feed.xml": f'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{items}</channel></rss>'}


@_kind("clauses", layout="files", words=("without blanks",))
def khmer(w: Writer) -> str:
    letters = [chr(code) for code in range(0x1780, 0x17A3)]
    return "\n".join("។ ".join("".join(w.draw.choices(letters, k=w.n(12, 40))) for _ in range(5)) for _ in range(200))


@_kind("boilerplate", words=("boilerplate",), layout="files")
def letters_with_the_signature_of_an_office(w: Writer) -> dict[str, str | bytes]:
    foot = "Ministry of Weights and Measures, Department of the Northern Provinces, Room 12, Castle Street, by order of the Minister"
    return {f"{i:02}.txt": f"{w.some(9)}\n\n{foot}\n" for i in range(24)}


@_kind("languages", words=("languages",))
def minutes_in_greek_and_english(w: Writer) -> dict[str, str | bytes]:
    greek = str.maketrans("abcdefghijklmnopqrstuvwxyz", "αβψδεφγηιξκλμνοπqρστθωςχυζ")
    return {f"{i:02}.txt": w.some(12) if i % 3 else w.some(12).lower().translate(greek) for i in range(30)}


@_kind("broken", "wrapped", layout="lines", words=("run on",))
def columns_of_a_newspaper(w: Writer) -> str:
    wrapped = textwrap.wrap(w.some(150), 34)
    return "\n".join(f"{line[:-3]}¬" if i % 6 == 5 and line[-3:].isalpha() else line for i, line in enumerate(wrapped))


@_kind("markup", "program", "names", words=("JSON", "column", "field", "text"))
def export_of_a_chat_room(w: Writer) -> dict[str, str | bytes]:
    rows = [
        {"type": "message", "user": f"U{w.n(100, 999)}", "blocks": [{"elements": [w.sentence()]}]} for _ in range(99)
    ]
    return {"chat.json": json.dumps(rows)}
