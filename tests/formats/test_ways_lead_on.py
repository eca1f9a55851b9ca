"""Every option that a message on a file of vectors or on a test file proposes is applied to it, and leads on."""

import ast
import re

import numpy as np
import pytest
from safetensors.numpy import save as as_safetensors

from gpustab import InputError, load_space
from gpustab.evaluation import read_similarity
from gpustab.evaluation.questions import read_analogies
from gpustab.formats.options import LoadOptions

MARKED = re.compile("\ue000([a-z_]+)(?:=([^\ue001]*))?\ue001")
WORDS = ["the", "war", "sea", "old", "was", "cold", "and", "long", "sun", "art", "ink", "oak"]
ROWS = [[round(0.37 * (k + 1) * (j + 2) % 1 - 0.5, 3) for j in range(4)] for k in range(12)]


def lines(rows=ROWS, words=WORDS, sign=" "):
    return "".join(f"{sign.join([word, *map(str, row)])}\n" for word, row in zip(words, rows, strict=True))


def binary(words=WORDS, declared=12, rows=12):
    values = [np.array(row, "<f4").tobytes() for row in ROWS[:rows]]
    return f"{declared} 4\n".encode() + b"".join(
        word.encode() + b" " + row + b"\n" for word, row in zip(words[:rows], values, strict=True)
    )


def ways(message, fills):
    """Return the options of a message as they are given in Python, those with dots in their place filled."""
    found = []
    for name, value in MARKED.findall(message):
        values = fills[name] if value == "..." else [ast.literal_eval(value) if value else True]
        found += [{name: one} for one in values]
    return found


MATRIX = np.array(ROWS, np.float32)
TWO = as_safetensors({"one": MATRIX, "two": 2 * MATRIX})
VECTORS = {  # name: its bytes, the options it is read with, what dots stand for
    "a row without a word.txt": (f"{lines()} 0.1 0.2 0.3 0.4\n", {}, {}),
    "a row without a word.csv": ("word,a,b,c,d\n" + lines(words=["the", "", *WORDS[2:]], sign=","), {}, {}),
    "a row without a word.bin": (binary(["the", "", *WORDS[2:]]), {}, {}),
    "a cut last row.txt": (f"12 4\n{lines()[:-9]}", {}, {}),
    "a cut last row.csv": ("word,x,y\n" + "".join(f"{w},0.1,0.{k}\n" for k, w in enumerate(WORDS)) + "end,0.5", {}, {}),
    "a cut last row.bin": (binary()[:-9], {}, {}),
    "fewer rows than declared.txt": (f"20 4\n{lines()}", {}, {}),
    "fewer rows than declared.bin": (binary(declared=13), {}, {}),
    "more rows than declared.bin": (binary(declared=9), {}, {}),
    "a value that is none.txt": (lines([[float("nan"), *ROWS[0][1:]], *ROWS[1:]]), {}, {}),
    "a value that is none.bin": (binary().replace(np.float32(ROWS[0][0]).tobytes(), b"\0\0\xc0\x7f"), {}, {}),
    "numbers alone.txt": ("".join(" ".join(map(str, row)) + "\n" for row in ROWS), {}, {"vocab": ["words"]}),
    "numbers alone.tsv": ("".join("\t".join(map(str, row)) + "\n" for row in ROWS), {}, {"vocab": ["words"]}),
    "numbered rows.txt": ("".join(f"{k} {line}" for k, line in enumerate(lines().splitlines(True))), {}, {}),
    "counts.txt": (lines([[k + 3, *row] for k, row in enumerate(ROWS)]), {}, {}),
    "counts last.txt": (lines([[*row, 40 - k] for k, row in enumerate(ROWS)]), {}, {}),
    "counts.csv": (lines([[40 - k, *row] for k, row in enumerate(ROWS)], sign=","), {}, {}),
    "counts as pandas joins them.csv": (lines([[40.0 - k, *row] for k, row in enumerate(ROWS)], sign=","), {}, {}),
    "numbers of the rows behind the words.csv": (lines([[k, *row] for k, row in enumerate(ROWS)], sign=";"), {}, {}),
    "named counts.csv": ("w,n,x,y,z,u\n" + lines([[9 + k, *row] for k, row in enumerate(ROWS)], sign=","), {}, {}),
    "counts with a name.txt": ("w n a b c d\n" + lines([[9 + k, *row] for k, row in enumerate(ROWS)]), {}, {}),
    "a header of a wrong number.txt": (f"12 3\n{lines()}", {}, {}),
    "a header of a wrong number, as such.txt": (f"12 3\n{lines()}", {"header": True}, {}),
    "a header of too many values.txt": (f"12 300\n{lines()}", {}, {}),
    "two tables.safetensors": (TWO, {"vocab": "words"}, {"tensor": ["one", "two"]}),
    "no words.npy": (None, {}, {"vocab": ["words"]}),
    "no words, more rows.npy": (None, {"vocab": "few"}, {"vocab": ["words"]}),
    "words in two columns.csv": (
        "a,b,x,y\n" + "".join(f"{w},{w}s,{row[0]},{row[1]}\n" for w, row in zip(WORDS, ROWS, strict=True)), {},
        {"word_column": ["a", "b"]},
    ),
    "no column of that name.csv": (
        "word,x,y\n" + lines([row[:2] for row in ROWS], sign=","), {"word_column": "wort"}, {"word_column": ["word"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VECTORS)
def test_what_a_message_on_vectors_proposes_reads_them(name, tmp_path):
    content, options, fills = VECTORS[name]
    path, named = tmp_path / name, {"words": tmp_path / "its words.lst", "few": tmp_path / "few words.lst"}
    named["words"].write_text("\n".join(WORDS) + "\n")
    named["few"].write_text("\n".join(WORDS[:9]) + "\n")
    if content is None:
        np.save(path, MATRIX)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    options = {key: named.get(value, value) for key, value in options.items()}
    with pytest.raises(InputError) as refused:
        load_space(path, LoadOptions(**options))
    found = [way for way in ways(refused.value.marked, fills) if not way.items() <= options.items()]
    if name.startswith("no column"):
        assert "'word'" in refused.value.marked
        found = [{"word_column": "word"}]
    assert found, refused.value.marked
    for way in found:
        more = {key: named.get(value, value) for key, value in way.items()}
        if "header" in way and (other := next((one for one in found if "dim" in one), None)):
            more |= other  # they are named together
        space = load_space(path, LoadOptions(**{**options, **more}))
        assert not name.startswith("a header") or space.vocabulary[0] == b"the"
        assert len(space.vocabulary) >= 8, way
        assert space.vectors.shape[1] >= 1


DRAW = np.random.default_rng(5)
PAIRS = [DRAW.choice(WORDS, 4, replace=False).tolist() for _ in range(30)]
TESTS = {
    "two languages": (read_similarity, "e1\te2\tg1\tg2\tscore\n", "{0}\t{1}\t{2}x\t{3}x\t{k}.5\n"),
    "two languages, no head": (read_similarity, "", "{0}\t{1}\t{2}x\t{3}x\t{k}.5\n"),
    "three languages": (read_similarity, "", "{0}\t{1}\t{2}x\t{3}x\t{1}y\t{0}y\t{k}.5\n"),
    "two scores": (read_similarity, "a\tb\ten\tde\n", "{0}\t{1}\t{k}.5\t{j}.25\n"),
    "three scores": (read_similarity, "a,b,one,two,three\n", "{0},{1},{k}.5,{j}.25,{i}.75\n"),
    "tags as answers": (read_analogies, "", "{0} {1} {2} JJ_JJR\n"),
    "other tags as answers": (read_analogies, "", "{0} {1} {2} NN_NNS\n"),
    "tags of two kinds as answers": (read_analogies, "", "{0} {1} {2} {tag}\n"),
}


@pytest.mark.parametrize("name", TESTS)
def test_what_a_message_on_a_test_proposes_reads_it(name, tmp_path):
    read, head, row = TESTS[name]
    path = tmp_path / "test.txt"
    numbers = ({"k": k % 10, "j": 7 * k % 10, "i": 3 * k % 11, "tag": ("VB_VBD", "JJ_JJR")[k % 2]} for k in range(30))
    path.write_text(head + "".join(row.format(*words, **own) for words, own in zip(PAIRS, numbers, strict=True)))
    with pytest.raises(InputError) as refused:
        read(path)
    found = ways(refused.value.marked, {})
    assert found, refused.value.marked
    for way in found:
        test = read(path, **way)
        assert len(test.pairs if read is read_similarity else test) >= 20, way
