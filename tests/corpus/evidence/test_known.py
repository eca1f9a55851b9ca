"""Kinds of files that were once known by how they begin: all are told by what they are full of."""

import pytest

from tests.corpus.evidence.conftest import prose

LINES = prose(30)
MANY = range(30)


def each(template):
    return "".join(template.format(n=n, one=one) for n, one in enumerate(LINES))


KNOWN = {
    "WikiExtractor": (
        each('<doc id="{n}" url="https://x.org/wiki?curid={n}" title="War {n}">\nWar\n{one}\n</doc>\n'),
        "markup",
    ),
    "subtitles": (each("{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\n{one}\n\n"), "times"),
    "WebVTT": ("WEBVTT\n\n" + each("00:{n:02}.000 --> 00:{n:02}.900\n{one}\n\n"), "times"),
    "CoNLL-U": (each("# text = {one}\n1\tDogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n\n"), "columns"),
    "CoNLL-2003": ("EU NNP B-ORG\nrejects VBZ O\nGerman JJ B-MISC\n\ncall NN O\nnow RB O\n" * 4, "columns"),
    "LaTeX": (
        "\\documentclass{{article}}\n" + each("\\section{{War}} The \\emph{{old}} war \\cite{{x{n}}} was long.\n"),
        "markup",
    ),
    "mailbox": (
        each("From a@b.c Mon Jan  1 00:00:00 2024\nFrom: a@b.c\nTo: b\nSubject: War {n}\n\n{one}\n\n"),
        "heads",
    ),
    "one mail": ("Received: from x\nFrom: a@b.c\nSubject: War\n\n" + "\n".join(LINES[:3]) + "\n", "heads"),
    "BibTeX": (each("@article{{k{n},\n title={{War {n}}},\n year={{19{n}}},\n note={{x}}\n}}\n"), "heads"),
    "SQL": ("-- dump\n" + each("INSERT INTO t VALUES ({n}, '{one}');\n"), "names"),
    "messages": (each('#: a.c:{n}\nmsgid "{one}"\nmsgstr "Krieg {n}"\n\n'), "heads"),
    "YAML": (each("- id: {n}\n  text: {one}\n"), "names"),
    "log": (each("2020-01-02 10:00:{n:02} INFO app: {one}\n"), "times"),
    "syslog": (each("Jan 12 10:00:{n:02} host: {one}\n"), "times"),
    "RIS": (each("TY  - JOUR\nAU  - Smith, {n}.\nTI  - {one}\nER  - \n\n"), "heads"),
    "PubMed": (each("PMID- {n}\nOWN - NLM\nTI  - {one}\nAB  - {one}\n\n"), "heads"),
    "Web of Science": ("FN Clarivate\nVR 1.0\n" + each("PT J\nAU Smith, {n}\nTI {one}\nER\n\n"), "heads"),
    "CHAT": ("@UTF8\n@Begin\n" + each("*CHI:\tmore cookie {n} .\n%mor:\tn|cookie\n"), "names"),
    "tagged": ("The/DT dog/NN barks/VBZ ./.\nA/DT cat/NN sleeps/VBZ ./.\n", "tags"),
    "counts": ("the\t1000\nof\t900\nwar\t50\n", "counts"),
    "HTML": ("The <b>war</b> was long.<br>\n" * 9, "markup"),
    "entities": ("The war &amp; peace&nbsp;now\n" * 9, "markup"),
    "letters as entities": ("The war &amp; caf&eacute;\n" * 9, "codes"),
    "wiki": ("The [[War of 1812|war]] was {{{{lang|en|long}}}}.\n".format() * 9, "markup"),
    "settings": ("[part]\n" + each("key{n} = {one}\n"), "names"),
    "base64": ("\n".join(("QUJD" * 19)[n:] + "UVWX"[: n % 4] for n in range(9)) + "\n", "coded"),
    "speakers": (each("LINCOLN: {one}\nDOUGLAS: The states may {n}.\n"), "names"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_was_once_named_is_still_caught(look, name):
    text, kind = KNOWN[name]
    assert kind in {doubt.kind for doubt in look(text).strong}


@pytest.mark.parametrize(
    "text",
    [
        "I said: go.\nHe went: away.\nShe: stayed.\nThey came: back.\nWe: slept.\n",
        "Chapter 1\nChapter 2\nChapter 3\nChapter 4\nChapter 5\n",
        "# 1\n# 2\nThe war\n",
        "THE WAR\nTHE END\nTHE MEN\nTHE SEA\nTHE SUN\n",
        "a <b> c\n" + "The war was long.\n" * 9,
        "From all of us at the bank\nSubject to change\n",
        "Hello <b>you</b>\n",
    ],
)
def test_what_only_looks_like_it_is_read(look, text):
    assert not look(text, layout="lines").strong


@pytest.mark.parametrize("dimension", [50, 300])
def test_vectors_of_any_dimension_are_named(look, dimension):
    rows = [
        f"w{k} " + " ".join(f"{(-1) ** i * (0.1 + k / 7) / (1 + i):.6g}" for i in range(dimension)) for k in range(9)
    ]
    for content in ("\n".join([*rows, ""]), "\n".join([f"9 {dimension}", *rows])):
        assert "counts" in {doubt.kind for doubt in look(content).strong}
