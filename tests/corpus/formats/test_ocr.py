"""Formats of OCR: a text in attributes, at several levels, in markup under a suffix of its own; each way is tried."""

import re

import lxml  # the ways that are told name it
import lxml.etree
import pytest

from gpustab import InputError
from gpustab.corpus.documents import open_documents
from tests.corpus.evidence.conftest import prose

LINES = prose(40, seed=6)
WORDS = " ".join(LINES).split()


def in_attributes(line, tag="String", key="CONTENT"):
    """A line of ALTO, or of what is made like it."""
    return "<TextLine>" + "<SP/>".join(f'<{tag} {key}="{word}" WC="0.9"/>' for word in line.split()) + "</TextLine>"


def at_levels(line):
    """A line of PAGE: by words, and whole."""
    each = "".join(f"<Word><TextEquiv><Unicode>{word}</Unicode></TextEquiv></Word>" for word in line.split())
    return f"<TextLine><Coords points='1,1'/>{each}<TextEquiv><Unicode>{line}</Unicode></TextEquiv></TextLine>"


def written(tmp_path, inner, head=""):
    path = tmp_path / "a.xml"
    path.write_text(f"<?xml version='1.0'?><file xmlns='http://x/'>{head}<Page>{inner}</Page></file>")
    return path


@pytest.mark.parametrize(("tag", "key"), [("String", "CONTENT"), ("w", "form"), ("word", "TEXT"), ("tok", "orth")])
@pytest.mark.parametrize(
    "head", ["", "<Unit>pixel</Unit>", "<Processing><When>1999</When><By>a program</By></Processing>"]
)
def test_a_text_in_attributes_is_got_as_is_told(tmp_path, tag, key, head):
    path = written(tmp_path, "".join(in_attributes(line, tag, key) for line in LINES), head)
    for column in (None, tag, "TextLine"):
        with pytest.raises(InputError, match=rf"words stand in the attribute {key} of <{tag}>") as refused:
            list(open_documents(path, column=column))
        way = str(refused.value).partition("in Python ")[2]
        assert eval(way, {"FILE": str(path), "lxml": lxml}).split() == WORDS


def test_words_with_their_lemmas_and_tags_in_attributes_are_read(tmp_path):
    tagged = (f"<w lemma='{word}' pos='NOUN'>{word}</w>" for word in WORDS)
    (found,) = open_documents(written(tmp_path, f"<p>{' '.join(tagged)}</p>"))
    assert " ".join(found.texts).split() == WORDS


def region(lines, whole=True):
    inner = "".join(map(at_levels, lines))
    text = "\n".join(lines)
    return f"<TextRegion>{inner}{f'<TextEquiv><Unicode>{text}</Unicode></TextEquiv>' if whole else ''}</TextRegion>"


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("regions", [1, 4])
def test_a_text_at_several_levels_is_read_once_by_what_is_told(tmp_path, regions, whole):
    size = len(LINES) // regions
    parts = [LINES[k * size : (k + 1) * size] for k in range(regions)]
    path = written(tmp_path, "".join(region(part, whole) for part in parts))
    with pytest.raises(InputError, match="twice or more often, as OCR") as refused:
        list(open_documents(path))
    way = re.search(r"say column='(\w+)'", str(refused.value))[1]
    assert way != "Word"
    for column in (way, "TextLine"):
        read = list(open_documents(path, column=column))
        assert " ".join(text for one in read for text in one.texts).split() == WORDS
    assert len(list(open_documents(path, column=way))) < len(WORDS) / 4


@pytest.mark.parametrize("column", ["TextEquiv", "Unicode"])
def test_elements_of_several_levels_are_no_text(tmp_path, column):
    path = written(tmp_path, region(LINES))
    with pytest.raises(InputError, match=r"whole and in its lines and words; say column='TextRegion'"):
        list(open_documents(path, column=column))


def test_refrains_are_kept(tmp_path):
    verse = "<verse><l>ha ha</l><l>ha ha</l></verse><verse><l>{0}</l><l>and {0}</l></verse>"
    song = "".join(map(verse.format, LINES))
    read = list(open_documents(written(tmp_path, song), column="verse"))
    assert sum(len(text.split()) for one in read for text in one.texts) == 4 * len(LINES) + 2 * len(WORDS) + len(LINES)


PAGE = "<!DOCTYPE html><html><body>{}</body></html>"
MARKED = {
    ".hocr": PAGE.format("".join(f"<span class='ocr_line'>{line}</span>\n" for line in LINES)),
    ".shtml": PAGE.format("".join(f"<p>{line}</p>" for line in LINES)),
    ".rdf": f"<?xml version='1.0'?><file xmlns='x'>{''.join(f'<p>{line}</p>' for line in LINES)}</file>",
}


@pytest.mark.parametrize("suffix", MARKED)
def test_a_folder_of_markup_under_another_suffix_is_read_as_what_it_is(tmp_path, suffix):
    for number in range(3):
        (tmp_path / f"{number}{suffix}").write_text(MARKED[suffix])
    with pytest.raises(InputError, match=rf"3 {suffix} can be read as text: say format='\w+'") as refused:
        open_documents(tmp_path)
    way = re.search(r"say format='(\w+)'", str(refused.value))[1]
    for document in open_documents(tmp_path, format=way):
        assert " ".join(document.texts).split() == WORDS
