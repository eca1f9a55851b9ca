"""What a document is in a file of plain text: found where one reading is plausible, asked for where several are."""

import random

import pytest

from gpustab import InputError
from gpustab.corpus.documents import open_documents


@pytest.fixture
def write(tmp_path):
    def write(text):
        (tmp_path / "a.txt").write_text(text)
        return tmp_path / "a.txt"

    return write


def strewn(blank, lines=1000):
    """Lines of which some are blank at random: documents that are empty."""
    gone = set(random.Random(blank).sample(range(1, lines - 1), blank))
    return "".join("\n" if n in gone else f"Line {n}.\n" for n in range(lines))


@pytest.mark.parametrize("blank", [1, 2, 45, 200])
def test_strewn_blank_lines_are_asked_about(write, blank):
    path = write(strewn(blank))
    with pytest.raises(InputError, match=rf"{1000 - blank:,} lines and {blank} blank .*say layout='lines' \(1,000 doc"):
        open_documents(path)
    assert len(list(open_documents(path, layout="lines"))) == 1000


@pytest.mark.parametrize(("size", "gap"), [(5, 1), (20, 1), (3, 2)])
def test_regular_blank_lines_stand_between_documents(write, size, gap):
    path = write(("One line.\n" * size + "\n" * gap) * 300)
    documents = open_documents(path)
    assert documents.layout == "blocks"
    assert [len(document.texts) for document in documents] == [size] * 300
    assert "documents stand between blank lines, and every line is a sentence" in documents.notes[0]


def test_no_blank_lines_are_no_question(write):
    assert open_documents(write(strewn(0))).layout == "lines"


def test_lines_that_run_on_are_no_sentences(write):
    path = write("The cat sat on\nthe mat and\nwent home.\n\n" * 100)
    paragraphs = open_documents(path)
    assert paragraphs.layout == "paragraphs"
    assert "as many lines run on in the next" in paragraphs.notes[0]
    assert [document.texts for document in paragraphs] == [["The cat sat on\nthe mat and\nwent home."]] * 100
    assert len(list(open_documents(path, layout="files"))) == 1


def test_chance_finds_strewn_lines_regular_as_seldom_as_it_says(write):
    """Of a thousand files whose empty documents are strewn at random, hardly one is taken for blocks."""
    silent = 0
    for seed in range(300):
        chance = random.Random(seed)
        text = "".join("\n" if chance.random() < 0.03 + seed / 1000 else "A.\n" for _ in range(120))
        try:
            silent += open_documents(write(text)).layout == "blocks"
        except InputError:
            continue
    assert silent <= 2
