"""XML in which a text stands twice or more often, as OCR writes it; what only looks so is read."""

import re
from unittest.mock import Mock

import pytest

from gpustab import InputError
from gpustab.corpus.documents import open_documents
from gpustab.corpus.formats import repeats, xml_text

LINES = [
    ["the war was long", "and the sea cold"],
    ["no ship came home", "that year or ever"],
    ["peace", "at last then"],
]


def page_xml(lines):
    """A text by region and again by line."""
    inner = "".join(f"<TextLine><TextEquiv><Unicode>{one}</Unicode></TextEquiv></TextLine>" for one in lines)
    return f"<TextRegion>{inner}<TextEquiv><Unicode>{' '.join(lines)}</Unicode></TextEquiv></TextRegion>"


def by_words(lines):
    """By line, and again by word."""
    inner = "".join(f"<w>{word}</w> " for one in lines for word in one.split())
    return f"<zone><line>{' '.join(lines)}</line><words>{inner}</words></zone>"


def three_times(lines):
    """Whole, by line, and by word."""
    words = "".join(f"<w>{word}</w> " for one in lines for word in one.split())
    inner = "".join(f"<l><s>{one}</s></l>" for one in lines)
    return f"<block><whole>{' '.join(lines)}</whole><rows>{inner}</rows><words>{words}</words></block>"


@pytest.mark.parametrize("write", [page_xml, by_words, three_times])
def test_a_text_that_stands_twice_is_read_once_by_the_way_that_is_named(tmp_path, write):
    path = tmp_path / "a.xml"
    path.write_text(f"<?xml version='1.0'?><file xmlns='x'>{''.join(map(write, LINES))}</file>")
    with pytest.raises(InputError, match=r"stand there twice or more often|has fields beside text") as refused:
        open_documents(path).__iter__().__next__()
    way = re.search(r"say column='(\w+)'", str(refused.value))
    read = " ".join(text for one in open_documents(path, column=way[1]) for text in one.texts)
    assert sorted(read.split()) == sorted(" ".join(one for lines in LINES for one in lines).split())


@pytest.mark.parametrize(
    "text",
    [
        "<song><l>row row row your boat</l><l>gently down the stream</l></song>",
        "<song><l>ha ha ha ha</l><l>said the old man in the song of the sea and left</l></song>",
        "<play><p>no no</p><p>he said to her and went away in the rain</p></play>",
    ],
)
def test_a_refrain_is_no_copy(tmp_path, text):
    path = tmp_path / "a.xml"
    path.write_text(f"<?xml version='1.0'?>{text}")
    (found,) = open_documents(path)
    assert " ".join(found.texts).split() == re.sub(r"<[^>]*>", " ", text).split()


def test_what_is_read_once_of_two_is_said_with_its_words(tmp_path):
    words = "".join(
        f"<w><form>{word}</form><lemma>{word}</lemma></w>" for line in LINES for one in line for word in one.split()
    )
    path = tmp_path / "a.xml"
    path.write_text(f"<?xml version='1.0'?><text><s>{words}</s></text>")
    read = open_documents(path, column="s")
    (found,) = read
    number = sum(len(one.split()) for lines in LINES for one in lines)
    assert len(" ".join(found.texts).split()) == number
    assert list(read.remarks()) == [f"{read.name}: left out {number} repeated elements ({number} words)"]


def test_a_chosen_element_is_looked_through_once(tmp_path, monkeypatch):
    looked = Mock(wraps=repeats.find_repeats)
    monkeypatch.setattr(xml_text, "find_repeats", looked)
    path = tmp_path / "a.xml"
    path.write_text("<?xml version='1.0'?><text><p><s>the war</s><s>was long</s></p><p><s>b c d</s></p></text>")
    assert len(list(open_documents(path, column="p"))) == 2
    assert looked.call_count == 1
