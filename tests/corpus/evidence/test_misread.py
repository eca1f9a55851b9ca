"""Words turned round, run together or misread, trees, colours of terminals, and letters of another encoding."""

import random
import re
import tracemalloc

import pytest

from gpustab.corpus.evidence import evidence
from gpustab.corpus.evidence.misread import misread
from gpustab.corpus.evidence.page import look_at
from gpustab.corpus.numbering import number
from gpustab.corpus.options import CorpusOptions
from gpustab.errors import InputError
from tests.corpus.evidence.conftest import choices, leads_on, prose

LINES = [f"{one[:-1]}, and {other[0].lower()}{other[1:]}" for one, other in zip(prose(400), prose(400, 1), strict=True)]
NAMES = [f"{a}{b}{c}" for a in "BDFGKLMNPRST" for b in "aeiou" for c in ("rn", "ld", "st")]
LINES = [re.sub(r"\bman\b", NAMES[n % len(NAMES)], line) for n, line in enumerate(LINES)]
LETTERS = {
    "mac-roman": "für über später müßte größer kühl früh fällt läuft während Bär Straße süß Mädchen Brüder",
    "cp850": "español mañana niño señor había día país jardín inglés cántaro árbol café canción razón pequeño años",
}
LETTERS["cp437"] = LETTERS["cp850"]


def kinds(found):
    return {doubt.kind for doubt in found.doubts}


def strong(found):
    return next(doubt for doubt in found.doubts if doubt.strong)


@pytest.mark.parametrize("turn", [lambda line: line[::-1], lambda line: " ".join(w[::-1] for w in line.split())])
@pytest.mark.parametrize("capitals", [True, False])
def test_text_turned_round(look, turn, capitals):
    lines = [line if capitals else line.lower() for line in LINES]
    doubt = strong(look("\n".join(map(turn, lines))))
    assert doubt.kind == "turned"
    if capitals:
        way = doubt.way.rpartition("Python, ")[2]
        assert eval(way, {"text": turn(LINES[0])}) == LINES[0]


def test_text_of_the_right_way_and_signs_before_words_are_not_turned(look):
    assert "turned" not in kinds(look("\n".join(LINES)))
    assert "turned" not in kinds(look("\n".join(re.sub(r"(\w+), ", r"\1 ,", line) for line in LINES)))
    assert "turned" not in kinds(look("\n".join(f"use .{name} or :{name.lower()} there" for name in NAMES)))


PLAIN = [line[:-1].lower().replace(",", "") for line in LINES]


@pytest.mark.parametrize(
    "form", [",{line}\n.{line}", "  .{name}(x\n    ,{name}\n  )", "select {name}\n ,{name}.x\nfrom .{name}"]
)
def test_lines_that_begin_with_commas_are_not_turned(look, form):
    filled = (form.format(line=line, name=name.lower()) for line, name in zip(PLAIN, NAMES, strict=False))
    assert "turned" not in kinds(look("\n".join(filled)))


def test_text_turned_round_without_capitals_shows_a_word_with_its_comma(look):
    says = strong(look("\n".join(line.lower()[::-1] for line in LINES))).says
    assert re.search(r"stand before them, as in ',\w+'$", says)


@pytest.mark.parametrize("part", [0.2, 0.5])
def test_words_run_together(look, part):
    chance = random.Random(2)
    lost = [re.sub(" ", lambda _: "" if chance.random() < part / 2 else " ", line) for line in LINES]
    assert "together" in kinds(look("\n".join(lost)))
    assert "together" not in kinds(look("\n".join(LINES)))


@pytest.mark.parametrize(("right", "wrong"), [("h", "li"), ("e", "c"), ("e", "o"), ("n", "ri")])
def test_letters_that_are_misread_now_and_then(look, right, wrong):
    chance = random.Random(3)
    words = [f"{a}{b}{right}{c}{d}" for a in "bdfgs" for b in "aiu" for c in "atl" for d in ("st", "nd")]
    lines = [" ".join(chance.choices(words, k=12)) for _ in range(400)]
    misread = [re.sub(right, lambda found: wrong if chance.random() < 0.05 else found[0], line) for line in lines]
    doubt = next(one for one in look("\n".join(misread)).doubts if one.kind == "misread")
    assert f"'{right}'" in doubt.says
    assert f"'{wrong}'" in doubt.says
    assert "misread" not in kinds(look("\n".join(lines)))


@pytest.mark.parametrize(("one", "other"), [("ё", "е"), ("v", "u"), ("ß", "ss")])
def test_two_spellings_are_not_said_to_be_misread(look, one, other):
    chance = random.Random(5)
    words = [f"{a}{b}{one}{c}{d}" for a in "bdfgs" for b in "aiu" for c in "atl" for d in ("st", "nd")]
    drawn = (chance.choices(words, k=8) for _ in range(400))
    found = look("\n".join(re.sub(one, lambda f: f[0] if chance.random() < 0.8 else other, " ".join(x)) for x in drawn))
    assert next(d for d in found.doubts if d.kind == "misread").says.startswith("letters misread, or two spellings")


TREES = {
    "Penn": "(S (NP (DT The) (NN {one})) (VP (VBD stood) (ADVP (RB there))) (. .))\n",
    "Penn on lines": "( (S\n    (NP (DT The) (NN {one}))\n    (VP (VBD stood)\n      (ADVP (RB there)))) )\n",
    "small": "(s (np (dt the) (nn {one})) (vp (vbd stood) (rb there)))\n",
    "ratings": "(3 (2 (2 The) (2 {one})) (4 (2 stood) (3 there)))\n",
    "square": "[S [NP [DT The] [NN {one}]] [VP [VBD stood] [RB there]]]\n",
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_trees_of_sentences(look, tree):
    text = "".join(tree.format(one=name) for name in NAMES)
    doubt = strong(look(text))
    assert doubt.says.startswith("trees")
    after = look(text, **choices(doubt.way)[0])
    assert "tags" not in kinds(after)
    assert {word for word, _ in after.frequent} <= {"the", "stood", "there", *map(str.lower, NAMES)}


def test_brackets_of_prose_are_no_trees(look):
    text = "\n".join(f"{line} (so {name}) and (see {name})" for line, name in zip(LINES, NAMES, strict=False))
    assert "tags" not in kinds(look(text))


@pytest.mark.parametrize("line", ["(chorus {n})", "(Exit {name})", "[verse {n}]"])
def test_lines_of_lyrics_and_plays_in_brackets_are_no_trees(look, line):
    shown = (line.format(n=n, name=name) for n, name in enumerate(NAMES))
    assert "tags" not in kinds(look("\n".join(f"{a}\n{b}" for a, b in zip(LINES, shown, strict=False))))


COLOURS = {
    "colours": "\x1b[1;31m{word}\x1b[0m",
    "256 colours": "\x1b[38;5;12m{word}\x1b[m",
    "links": "\x1b]8;;http://x.org\x07{word}\x1b]8;;\x07",
    "carets": "^[[31m{word}^[[0m",
    "escapes": r"\x1b[31m{word}\x1b[0m",
    "without their first sign": "[31m{word}[0m",
}


@pytest.mark.parametrize("form", COLOURS.values(), ids=COLOURS)
def test_colours_of_terminals_are_left_out_as_told(look, form):
    def marked(found):
        return form.format(word=found[0])

    text = "\n".join(re.sub(r"\bhouse\b|\briver\b", marked, line) for line in LINES)
    found = look(text)
    doubt = next(doubt for doubt in found.doubts if doubt.kind == "markup")
    after = look(text, **choices(doubt.way)[0])
    assert (after.frequent, after.tokens) == ((plain := look("\n".join(LINES))).frequent, plain.tokens)


@pytest.mark.parametrize("form", ["[15min] {line}", "[50m free] {line}", "{line} [10mg]"])
def test_measures_in_brackets_are_no_colours(look, form):
    assert "markup" not in kinds(look("\n".join(form.format(line=line) for line in LINES)))


@pytest.mark.parametrize("form", ["{c}\b{c}", "_\b{c}"])
def test_letters_upon_others_are_refused_with_a_way(look, form):
    text = "\n".join(
        re.sub(r"\b[a-z]{4,}", lambda found: "".join(form.format(c=c) for c in found[0]), x) for x in LINES
    )
    with pytest.raises(InputError, match="letters are printed upon others") as refused:
        look(text)
    way = str(refused.value).rpartition("Python: ")[2]
    assert eval(way, {"text": text, "re": re}) == "\n".join(LINES)


@pytest.mark.parametrize("row", ["{word} NN\n", "{word} NN {small}\n", "{word} NN {small} 3\n"])
def test_a_word_a_line_with_blanks(look, row):
    tags = ("NN", "VBD", "IN", "DT", "JJ", "RB")
    rows = [row.replace("NN", tags[n % 6]).format(word=w, small=w.lower()) for n, w in enumerate(NAMES * 2)]
    text = "".join(f"<s>\n{one}</s>\n" for one in rows)
    assert leads_on(look, text, "columns", name="a.vrt")


@pytest.mark.parametrize(
    "text", ["John SMITH\nMary JONES\nAnn LEE\nTom HALL\nSue KING\nBob WARD\n", "old man\nred sea\n" * 9]
)
def test_lines_of_two_words_are_no_columns(look, text):
    assert "columns" not in kinds(look(text))


@pytest.mark.parametrize("encoding", ["mac-roman", "cp850", "cp437"])
def test_letters_that_cp1252_has_as_signs(tmp_path, encoding):
    path = tmp_path / "a.txt"
    letters = LETTERS[encoding].split()
    lines = [f"{line} {letters[n % len(letters)]} und {letters[n % 7]}." for n, line in enumerate(LINES)]
    path.write_bytes("\n".join(lines).encode(encoding))
    doubt = strong(evidence(path, min_count=1))
    assert "encoding" in doubt.says
    assert encoding.replace("-", "_") in doubt.way
    assert "twice" not in kinds(evidence(path, min_count=1, encoding=encoding))
    for right in ("cp1252", "utf-8"):
        path.write_bytes("\n".join(lines).encode(right))
        assert "twice" not in kinds(evidence(path, min_count=1))


def test_words_of_any_length_are_looked_at_in_little_memory(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("".join(f"{'ab' * 1000}{'c' * k} one two {'x' * k}\n" for k in range(1, 21)))
    look = look_at(number(path, CorpusOptions(as_is=True)))
    tracemalloc.start()
    misread(look)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000  # twenty words cut at each of 2,000 letters are 80 MB
