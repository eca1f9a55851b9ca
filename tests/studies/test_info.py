import gzip
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from gpustab import InputError
from gpustab.corpus.evidence import evidence
from gpustab.corpus.options import CorpusOptions
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.options import LoadOptions
from gpustab.machine.progress import no_progress
from gpustab.report.describe import draw
from gpustab.runs.runset import write_runset
from gpustab.studies.info.page import page
from gpustab.studies.info.study import info
from gpustab.training.fitting import fit
from gpustab.training.runner import corpus_notes
from tests import generators
from tests.generators import spaces


@pytest.fixture
def files(tmp_path):
    plain = tmp_path / "plain.txt"
    plain.write_bytes(b"5 2\na 1 0\nb 0 0\na 3 3\n\xff 2 0\nd nan 1\n")
    packed = tmp_path / "packed.txt.gz"
    packed.write_bytes(gzip.compress(b"a 1 2\nb 3 4\n"))
    page = tmp_path / "page.vec"
    page.write_bytes(b"<!DOCTYPE html><html></html>")
    return plain, packed, page


def test_what_a_file_holds_and_what_is_odd_about_it(files):
    plain, *_ = files
    result = info([plain], LoadOptions(drop_nonfinite=True))
    (group,) = result.groups
    expected = {
        "format": "word2vec text",
        "header": "5 2",
        "rows": 5,
        "words": 3,
        "dimension": 2,
        "counts": False,
        "duplicates": 1,
        "undecodable": 1,
        "nonfinite": 1,
        "zero_vectors": 1,
        "trailing_bytes": 0,
        "clinging": 0,
        "mean_length": 1.0,
        "first_words": ["a", "b", "\\xff"],
        "compression": None,
        "bytes": plain.stat().st_size,
    }
    assert {name: group[name] for name in expected} == expected
    assert any("'a' on lines 2 and 4" in note for note in result.notes)


def test_a_file_that_cannot_be_read_does_not_hide_the_others(files):
    plain, packed, page = files
    first, second, third = info([plain, packed, page]).groups
    assert "not finite" in first["error"]
    assert str(plain) not in first["error"]
    assert (second["compression"], second["unpacked_bytes"], second["words"]) == ("gzip", 12, 2)
    assert (third["documents"], third["words"]) == (0, 0)  # an HTML page is a text


def test_folders_stand_for_their_files(tmp_path, monkeypatch):
    write_runset({"x/shuffled": spaces(2), "x/fixed": spaces(1)}, tmp_path / "set")
    names = [group["name"] for group in info([tmp_path / "set"]).groups]
    leaf = tmp_path / "set" / "x"
    wanted = [leaf / "shuffled" / "run-000", leaf / "shuffled" / "run-001", leaf / "fixed" / "run-000"]
    assert names == [f"{path}.safetensors" for path in wanted]
    (table,) = page(info([tmp_path / "set"]))[0].tables  # some of each folder come first
    assert [row[0] for row in table.rows] == [
        f"{path.relative_to(leaf)}.safetensors" for path in (*wanted[::2], wanted[1])
    ]
    assert table.header == ["file", "format", "words", "dimension"]  # what no file has is a sentence
    said = "No file has duplicate words, rows not finite, zero vectors, words not UTF-8."
    assert page(info([tmp_path / "set"]))[0].answer == said
    monkeypatch.chdir(tmp_path)  # a path that is absolute beside one that is not
    (table,) = page(info([leaf / "fixed", Path("set/x/shuffled")]))[0].tables
    assert [row[0] for row in table.rows] == [
        f"{path.relative_to(leaf)}.safetensors" for path in (*wanted[::-2], wanted[1])
    ]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no run set"):
        info([tmp_path / "empty"])


def test_what_the_maker_recorded(tmp_path):
    (space,) = spaces(1)
    space.metadata["seed"] = 7
    write_safetensors(space, tmp_path / "x.safetensors")
    assert info([tmp_path / "x.safetensors"]).groups[0]["made"]["seed"] == 7


def test_the_answer_says_what_is_odd_or_that_nothing_is(files):
    plain, packed, _ = files
    assert info([packed]).verdict == ["Nothing is odd about this file."]
    (said,) = info([plain, packed], LoadOptions(drop_nonfinite=True)).verdict
    assert said.startswith("1 of 2 files is odd. ")
    assert all(part in said for part in ("1 duplicate word", "1 zero vector", "1 row that is not finite"))
    refused = info([plain, packed]).verdict[0]
    assert "plain.txt cannot be read: " in refused


def test_a_corpus_has_a_picture_of_its_words_and_its_doubts_in_the_answer(tmp_path):
    words = [f"word{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(60)]
    text = tmp_path / "speeches.txt"
    text.write_text("\n".join(" ".join(words[k % 60] for k in range(i, i + 40)) + " peace peace." for i in range(30)))
    result = info([text], corpus=CorpusOptions(min_count=1))
    (group,) = result.groups
    picture = draw(result)["frequent"]
    assert picture.title.startswith("The most frequent words are peace")
    assert len(picture.panels) == 1
    assert ("doubt" in result.verdict[0]) == bool(group["doubts"])
    assert draw(info([tmp_path / "speeches.txt"], corpus=CorpusOptions(min_count=1)))


@pytest.mark.parametrize("lines", [40, 400])
@pytest.mark.parametrize("technique", ["lsa", "sgns"])
def test_info_cuts_words_where_train_does(tmp_path, lines, technique):
    chance = random.Random(lines)
    words = [f"{a}{b}{c}n" for a in "bdfgk" for b in "aeiou" for c in "klmrst"]
    texts = [" ".join(chance.choices(words, range(1, len(words) + 1), k=chance.randint(20, 40))) for _ in range(lines)]
    rows = [f"{text}.,Pat {k % 31} x" for k, text in enumerate(texts)]
    (tmp_path / "a.csv").write_text("\n".join(["text,speaker", *rows]))
    content = {"corpus": str(tmp_path / "a.csv"), "techniques": [technique]}
    fitted = fit(content, tmp_path / "runs", no_progress, look=False)
    (seen,) = info([tmp_path / "a.csv"]).groups
    corpus = fitted.prepare()
    assert seen["min_count"] == fitted.settings.options.min_count
    assert (seen["words"], seen["tokens"]) == (len(corpus.vocabulary), len(corpus.tokens))
    (given,) = info([tmp_path / "a.csv"], corpus=CorpusOptions(min_count=3)).groups
    assert given["min_count"] == 3
    (fits,) = info([tmp_path / "a.csv"], corpus=CorpusOptions(), fit_count=True).groups
    assert fits["min_count"] == seen["min_count"]
    shared = [doubt["says"] for doubt in seen["doubts"] if doubt["kind"] == "together"]
    said = [note for note in corpus_notes(corpus) if "documents share a speaker" in note]
    assert [note.partition(": say")[0] for note in said] == shared
    assert len(shared) == (lines == 400)
    assert not [note for note in corpus_notes(corpus, told=True) if "share a" in note]


def test_a_corpus_too_small_for_vectors_and_what_is_passed_over_are_odd(tmp_path):
    """Nothing was odd about ten letters of 639 words, nor about a PDF among texts that nobody read."""
    draw = random.Random(0)
    words = [f"word{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(60)]
    for n in range(4):
        text = ". ".join(" ".join(draw.choices(words, k=9)) for _ in range(20))
        (tmp_path / f"{n}.txt").write_text(f"{text}.", encoding="utf-8")
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.4")
    (said,) = info([tmp_path]).verdict
    assert "too small to learn vectors from: of 60 different words, ten neighbours are 17 %" in said
    assert "passed over 1 .pdf" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (2, "of 2 different words, every list of neighbours holds all others, and"),
        (5, "of 5 different words, every list of neighbours holds all others, and"),
        (11, "of 11 different words, every list of neighbours holds all others, and"),
        (12, "of 12 different words, ten neighbours are 91 %, and"),
    ],
)
def test_ten_neighbours_are_no_more_than_all_others(tmp_path, words, said):
    """Of five words they were 250 %."""
    (tmp_path / "a.txt").write_text(" ".join(f"word{chr(97 + k)}" for k in range(words)), encoding="utf-8")
    assert said in evidence(tmp_path / "a.txt", min_count=1).too_small


def test_words_that_were_parted_by_spaces_alone_and_a_collapsed_space_are_odd(tmp_path):
    """What a tutorial's loop over lines makes of a small text; a large vocabulary has a few such signs anyway."""

    def written(words, vectors, name):
        rows = [f"{word} {' '.join(f'{x:.6f}' for x in row)}" for word, row in zip(words, vectors, strict=True)]
        (tmp_path / name).write_text("\n".join(rows) + "\n")
        return tmp_path / name

    words = [f"w{k}" for k in range(200)]
    marked = ["limits,", "what?", "(thus", "mr.", "war;", *words[5:]]
    sound, flat = spaces(1, 200, 8)[0].vectors, generators.collapsed(1, 200, 8)[0]
    (cling,) = info([written(marked, sound, "cling.txt")]).verdict
    assert cling == f"{tmp_path / 'cling.txt'}: 3 words end in a comma or the like: cut these off before training."
    few = ["limits,", *words[1:]]
    assert info([written(few, sound, "few.txt")]).verdict == ["Nothing is odd about this file."]
    (one_way,) = info([written(words, flat, "flat.txt")]).verdict
    assert re.search(r"flat\.txt: collapsed, all words point one way \(mean cosine (0\.9\d|1\.00)\): train", one_way)
    unit = torch.nn.functional.normalize(sound.double(), dim=1)
    mean = float((unit @ unit.T).fill_diagonal_(0).sum() / (200 * 199))
    assert info([tmp_path / "few.txt"]).groups[0]["mean_cosine"] == pytest.approx(mean, abs=1e-5)


@pytest.fixture
def texts(tmp_path):
    """A text, and a folder of texts."""
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "a.txt", tmp_path / "folder" / "b.txt"):
        path.write_text("the old man saw the sea and went on\n" * 3 + "he saw the town\n")
    return [tmp_path / "a.txt", tmp_path / "folder"]


def test_texts_are_told_without_torch(texts):
    """Its import takes longer than to read them. What is in a folder is asked by readers of vectors, which need it."""
    program = "import sys; from gpustab.studies.info.study import info; print(info(sys.argv[1:]).verdict, *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, texts[0], texts[0]], capture_output=True, text=True, check=True
    )
    said, _, loaded = done.stdout.partition("]")
    assert "of 2 corpora are odd" in said
    assert not {"torch", "pandas", "pyarrow", "matplotlib"}.intersection(loaded.split())


def test_texts_alone_are_told_as_beside_vectors(texts, files):
    alone, beside = info(texts), info([*texts, files[0]], LoadOptions(drop_nonfinite=True))
    assert [group.get("error") for group in beside.groups] == [None] * 3
    assert alone.groups == beside.groups[:2]
    assert alone.environment.keys() == beside.environment.keys()
    assert alone.environment["torch"] == beside.environment["torch"]
    assert alone.settings.keys() == beside.settings.keys()
    assert list(alone.environment["inputs"]) == list(beside.environment["inputs"]) == []


def test_a_text_that_is_given_twice_is_told_twice(texts):
    first, second = info([texts[0], texts[0]]).groups
    assert first == second


def test_a_folder_of_txt_that_are_vectors_is_no_corpus(tmp_path):
    (tmp_path / "a.txt").write_text("a 1 2\nb 3 4\nc 5 6\n")
    with pytest.raises(InputError):
        info([tmp_path])
