"""Heads, names, times, markup and signs: told by how much of the words they are, and left out by a pattern."""

import pytest

from tests.corpus.evidence.conftest import leads_on, prose

BODIES = ["\n".join(prose(8, seed)) for seed in range(12)]


def records(head):
    return {f"{n}.txt": f"{head.format(n=n)}\n{body}\n" for n, body in enumerate(BODIES)}


@pytest.mark.parametrize(
    "head",
    [
        "Verfasser: N. {n}\nTitel: Krieg {n}\nOrt: Wien\n",
        "WARC-Type: conversion\nWARC-Target-URI: http://x.org/{n}\nContent-Length: {n}\n",
        "%A Smith {n}\n%T War and peace\n%J Letters\n",
        "author = {n}\ntitle = War\nplace = Wien\n",
        "KW  - war\nTI  - Of the war {n}\nPY  - 18{n}0\n",
    ],
    ids=["own words", "web archive", "percent signs", "equal signs", "references"],
)
def test_heads_of_records_are_named_and_left_out(look, head):
    found = look(records(head))
    assert "heads" in {doubt.kind for doubt in found.strong}
    assert leads_on(look, records(head), "heads")


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ([f"{name}: {one}" for name, one in zip(["ANNA", "BEN"] * 20, prose(40), strict=True)], "names"),
        ([f"*{name}:\t{one}" for name, one in zip(["MOT", "CHI"] * 20, prose(40), strict=True)], "names"),
        ([f"INSERT INTO t VALUES ({n}, '{one}');" for n, one in enumerate(prose(40))], "names"),
        ([f"key_{one.split()[0]}{n} = {one}" for n, one in enumerate(prose(40))], "names"),
        ([f"2020-01-0{n % 9 + 1} 10:15:2{n % 10} {one}" for n, one in enumerate(prose(40))], "times"),
        ([f"[{n % 9 + 1}/28/20, 10:15:00] {one}" for n, one in enumerate(prose(40))], "times"),
        ([f"\n{n}\n00:0{n % 10}:01,000 --> 00:00:02,000\n{one}" for n, one in enumerate(prose(40))], "times"),
    ],
    ids=["speakers", "transcript", "statements", "settings", "log", "chat", "subtitles"],
)
def test_what_begins_lines_is_named_and_left_out(look, lines, kind):
    text = "\n".join(lines) + "\n"
    found = look(text, layout="lines")
    assert kind in {doubt.kind for doubt in found.strong}
    assert leads_on(look, text, kind, layout="lines")


@pytest.mark.parametrize(
    "make",
    [
        lambda one: f"<seg n='1'>{one}</seg>",
        lambda one: f"{{{{cite|war}}}} [[House of lords|{one}]]",
        lambda one: one.replace(" ", "&nbsp;", 3),
        lambda one: f"\\textit {one} \\footnote x \\index y",
        lambda one: one.replace(" ", "=20 ", 3),
    ],
    ids=["elements", "templates", "entities", "commands", "codes"],
)
def test_markup_is_weighed_by_its_words_and_left_out(look, make):
    text = "\n".join(map(make, prose(40, low=4, high=8)))
    doubts = {doubt.kind: doubt for doubt in look(text, layout="lines", drop_numbers=False).doubts}
    assert doubts["markup"].strong
    assert len(doubts["markup"].examples) > 0
    assert leads_on(look, text, "markup", layout="lines", drop_numbers=False)


def test_a_few_marks_are_a_note_or_nothing(look):
    lines = prose(400)
    assert not look("\n".join([*lines, "a < b and b > a", "<unk>"])).doubts
    rare = look("\n".join([*lines, *["An <unk> of it."] * 20]))
    assert [(doubt.kind, doubt.strong) for doubt in rare.doubts if doubt.kind == "markup"] == [("markup", False)]


@pytest.mark.parametrize(
    "line",
    [
        "for (int i = 0; i < n; i++) {{ x[i] += y[{n}] * z; }}",
        "| {n} | a_b | [x](#y) | `c` |",
        "$x_{{{n}}} = \\{{a^2\\}} $",
    ],
    ids=["program", "tables of signs", "formulas"],
)
def test_signs_that_no_sentence_has(look, line):
    assert "program" in {
        doubt.kind for doubt in look("\n".join(line.format(n=n) for n in range(40)), layout="lines").strong
    }


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(prose(200)),
        "\n\n".join(f"ANTON.\n{one}" for one in prose(60)),  # a play
        "\n".join(f"{n}. {one}" for n, one in enumerate(prose(60), 1)),  # a list
        "\n".join(f"{n // 9 + 1}:{n % 9 + 1} {one}" for n, one in enumerate(prose(60))),  # verses with numbers
        "\n\n".join([f"Note: {one}" if n % 9 == 0 else one for n, one in enumerate(prose(80))]),
        "Title: A\nAuthor: B\nYear: 1\n\n" + "\n".join(prose(120)),
    ],
    ids=["prose", "play", "list", "verses", "notes", "title page"],
)
def test_ordinary_texts_near_the_border_raise_no_strong_doubt(look, text):
    assert not look(text, layout="files").strong
