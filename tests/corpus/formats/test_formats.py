"""Every kind of text file as people have it: what it is taken for, its documents, and what is refused."""

import gzip
import json
import sys
import zipfile
from contextlib import nullcontext

import pytest

from gpustab import InputError
from gpustab.corpus.documents import open_documents
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus

TEI = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- made by hand --><TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>The <hi>T</hi>
</title><author>A. B.</author></titleStmt><publicationStmt><date>2009</date></publicationStmt><sourceDesc><bibl>
<date when="1790-01-08"/></bibl></sourceDesc></fileDesc></teiHeader><text><body><head>Café</head><p>A <hi>b</hi>c
<choice><sic>teh</sic><corr>the</corr></choice> Wor<lb break="no"/>ter line<lb/>next <w>two</w><w>words</w></p>
<fw>page 3</fw><p>z</p></body></text></TEI>"""
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MARKDOWN = """---
title: "X"
year: 1990
---
# Head *em*phasis

A [link](http://x.org) and `code` &amp; <b>bold</b>.

```
drop_this()
```

| a | b |
|---|---|
| c | d |
"""


@pytest.fixture
def read(tmp_path):
    def read(name, content, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        documents = open_documents(path, **options)
        return [(d.id, dict(d.metadata), [text.split() for text in d.texts]) for d in documents], documents.notes

    return read


def words(found):
    return [texts for _, _, texts in found[0]]


def test_json_lines_train_no_field_names(read):
    lines = [
        {"id": "x1", "title": "T", "date": "8 Jan 1790", "text": "The cat\nsat", "n": [1]},
        {"id": "x2", "title": "U", "date": "", "text": "A dög"},
    ]
    content = "".join(json.dumps(line) + "\r\n" for line in lines)
    found, notes = read("a.txt", content, id_column="id", date_column="date")
    first = {"title": "T", "date": "8 Jan 1790", "n": "[1]", "year": "1790"}
    assert found == [("x1", first, [["The", "cat", "sat"]]), ("x2", {"title": "U", "date": ""}, [["A", "dög"]])]
    assert "read as JSON; every record is a document" in notes[0]
    array = json.dumps(lines, indent=2)
    assert words(read("a.json", array)) == [[["The", "cat", "sat"]], [["A", "dög"]]]
    assert words(read("a.gz", gzip.compress(content.encode()), column="title")) == [[["T"]], [["U"]]]


CSV = 'id,date,text\r\n1,1990-01-02,"Hello, ""he""\nsaid"\r\n2,2001,bye\r\n'


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t"])
def test_tables_have_a_header_and_columns(read, delimiter):
    content = CSV.replace(",", delimiter).replace(f"Hello{delimiter}", "Hello,")
    content = content.replace("bye", '"bye"')  # so that a table with tabs shows that it quotes
    found, _ = read("a.csv", content, id_column="id", date_column="date")
    assert found == [
        ("1", {"date": "1990-01-02", "year": "1990"}, [["Hello,", '"he"', "said"]]),
        ("2", {"date": "2001", "year": "2001"}, [["bye"]]),
    ]


def test_tables_without_quoting_or_header_or_suffix(read):
    tabs = 'id\ttext\n1\t"Hello he said\n2\tbye "x"\n'
    assert words(read("a.txt", tabs)) == [[['"Hello', "he", "said"]], [["bye", '"x"']]]
    assert words(read("a.txt", "1\tthe text\n2\tmore\n", column="2")) == [[["the", "text"]], [["more"]]]
    assert words(read("one.csv", "text\nhello\n\nbye\n")) == [[["hello"]], [["bye"]]]


def test_prose_with_commas_is_no_table(read):
    prose = "I came, I saw\nHe went, and how\nShe stayed, he said\n"
    assert len(read("a.txt", prose)[0]) == 3


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        (
            "a.txt",
            '{"id": "1", "title": "t", "body": "b"}',
            {},
            "which column is the text.*'id', 'title', 'body'; say col",
        ),
        ("a.txt", '{"text": "b"}\n{"text": 3}', {}, "line 2: field 'text', wanted text, found a number"),
        ("a.txt", '{"text": "b"}\n\n{"te', {}, "line 3: this is not JSON"),
        ("a.txt", '{"text": "b"}\n{"body": "x"}', {}, "line 2: field 'text', wanted text, found no such field"),
        ("a.txt", '["the", "cat"]\n', {}, "line 1: wanted a JSON object with a field of text, found an array"),
        ("a.json", '[{"text": "b"},\n', {}, "not JSON: .*line 2"),
        ("a.txt", '["the war", "the peace"]', {}, r'found an array; write \{"text": "..."\} a line for each'),
        (
            "a.txt",
            '{"meta": {"year": 1790}, "n": [1]}',
            {},
            "no field is text: 'meta' is an object, 'n' is an array; wri",
        ),
        ("a.pptx", b"PK\x03\x04" + bytes(26) + b"ppt/presentation.xml", {}, "a presentation; save its text first"),
        ("a.json", "", {}, "empty"),
        ("a.csv", "", {}, "empty"),
        ("a.csv", "a,text\n1,x\n2,y,z\n", {}, "line 3: wanted 2 cells as in line 1, found 3"),
        ("a.csv", 'a,text\n1,"x\n2,y\n', {}, "a.csv: line 2: a quotation mark opens in the row that begins here"),
        ("a.csv", "text,text\n1,x\n", {}, "has a name twice"),
        ("a.tsv", "1\tthe text\n2\tmore\n", {}, "say column=..., or a column's number"),
        ("a.txt", "1\tthe text\n2\tmore\n", {}, "or format='plain' if it is no table"),
        (
            "a.csv",
            "a,text\n1,x\n",
            {"date_column": "when"},
            "no column for date_column='when'; columns are 'a', 'text'",
        ),
        ("a.csv", "a,text\n1,x\n", {"date_column": "a"}, "line 2: a is '1', wanted a date with a year of four digits"),
        (
            "a.csv",
            "a,text\n1,x\n",
            {"layout": "lines"},
            "layout='lines' is for plain text, and this looks like a table",
        ),
        ("a.txt", "hello\n", {"column": "text"}, "column='text' is for tables and JSON lines"),
        ("a.xml", "<TEI><p>caf&eacute;</p></TEI>", {}, "Entity 'eacute' not defined, line 1"),
        ("a.xml", '<!DOCTYPE TEI SYSTEM "x.dtd"><TEI>\n<p>&eacute;</p></TEI>', {}, "'eacute' not defined, line 2"),
        ("a.xml", "<TEI>\n<p>a</TEI>", {}, "not well-formed XML: .*line 2"),
        ("a.html", " ", {}, "empty"),
        ("a.html", "<div>" * 3000 + "deep", {}, "line 1: this HTML cannot be read on: Excessive depth"),
        ("a.docx", b"PK\x03\x04word/" + bytes(90), {}, "damaged"),
        ("a.zip", b"PK\x03\x04" + bytes(90), {}, "zip archive"),
        ("a.txt", "x\n", {"format": "rtf"}, "format is 'rtf', wanted 'plain' or 'jsonl'"),
    ],
)
def test_what_is_refused_names_its_place(read, name, content, options, message):
    with pytest.raises(InputError, match=message):
        read(name, content, **options)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("<alto xmlns='x'><String CONTENT='war'/></alto>", "; 1 words? stands? in the attribute CONTENT of <String>"),
        ("<?xml version='1.0'?><PcGts xmlns='x'/>", ""),
        ("<!-- made --><rss xmlns='x' version='2.0'><channel/></rss>", ""),
    ],
)
def test_xml_whose_words_are_elsewhere_is_named(read, content, what):
    with pytest.raises(InputError, match=f"there is no text between the tags of this XML{what}"):
        read("a.txt", content)
    assert read("a.txt", content, format="plain", layout="lines")[0]


def test_one_long_line_is_looked_at_in_no_time(read):
    assert len(read("a.txt", "x" * 500_000 + "\n" + "[[" * 250_000 + "\n")[0]) == 2


def test_labels_of_fasttext_are_metadata(read):
    found, notes = read("a.txt", "__label__pos __label__x good film\n__label__neg bad\n")
    assert found == [("1", {"label": "pos x"}, [["good", "film"]]), ("2", {"label": "neg"}, [["bad"]])]
    assert "fastText's labels" in notes[0]
    assert read("a.txt", "bad __label__neg\n", format="fasttext")[0] == [("1", {"label": "neg"}, [["bad"]])]


def test_html_trains_no_markup(read):
    page = '<!DOCTYPE html><html><head><meta charset="iso-8859-1"><title>Café x</title><style>p{}</style></head><body>'
    page += "<p>caf<b>é</b>s &amp; t<br>u<!-- no --><script>v()</script><ul><li>one<li>two</ul></body></html>"
    found, notes = read("a.txt", page.encode("latin-1"))
    assert found == [("1", {"title": "Café x"}, [["cafés", "&", "t", "u", "one", "two"]])]
    assert "read as HTML in iso-8859-1" in notes[0]
    assert words(read("a.htm", "a<br />b &lt; ü")) == [[["a", "b", "<", "ü"]]]
    assert words(read("a.htm", "<div>" * 1500 + "deep")) == [[["deep"]]]


@pytest.mark.parametrize(
    ("body", "text", "said"),
    [
        (
            "<nav>go home</nav><main><h1>War</h1><p>it was</p></main><footer>© me</footer>",
            "War it was",
            "1 page frame (4",
        ),
        ("<main></main><p>it was</p>", "it was", ""),  # an empty one is no text
        ("<main>one</main><main>two</main>", "one two", ""),  # which?
        ("<p>so</p><pre><code>x = y\ny()</code></pre>it was", "so it was", "1 code listing (4 words)"),
        ("<pre>roses are\nred</pre><p>the <code>cat</code></p>", "roses are red the cat", ""),  # a poem is no code
        ("<main><p>a</p><pre><b><code>x</code></b></pre></main>", "a", "1 code listing (1 words)"),
    ],
)
def test_pages_are_read_without_frames_and_listings(tmp_path, body, text, said):
    (tmp_path / "a.html").write_text(f"<html><body>{body}</body></html>")
    documents = open_documents(tmp_path / "a.html")
    assert [document.texts[0].split() for document in documents] == [text.split()]
    assert said in " ".join(documents.remarks())
    assert bool(said) == bool(list(documents.remarks()))


def test_tei_has_a_header_and_one_reading(read):
    found, _ = read("a.xml", TEI.encode("latin-1"))
    text = ["Café", "A", "bc", "the", "Worter", "line", "next", "two", "words", "z"]
    assert found == [("1", {"title": "The T", "author": "A. B.", "date": "1790-01-08", "year": "1790"}, [text])]
    two = f"<teiCorpus>{'<TEI><text><p>a</p><p>b</p></text></TEI>' * 2}</teiCorpus>"
    assert words(read("a.txt", two)) == [[["a", "b"]]] * 2
    assert words(read("a.xml", "<r><w>a</w><w>b</w><?pi?></r>")) == [[["a", "b"]]]


def test_markdown_and_word_documents(read, tmp_path):
    found, _ = read("a.MD", MARKDOWN)
    text = ["Head", "emphasis", "A", "link", "and", "&", "bold.", "a", "b", "c", "d"]
    assert found == [("1", {"title": "X", "year": "1990"}, [text])]
    body = "<w:p><w:r><w:t>Hel</w:t></w:r><w:r><w:t>lo</w:t><w:br/><w:t>x</w:t></w:r><w:del><w:r><w:delText>gone"
    body += "</w:delText></w:r></w:del></w:p><w:p><w:r><w:t>Bye</w:t></w:r></w:p>"
    with zipfile.ZipFile(tmp_path / "made", "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')
    assert words(read("a.docx", (tmp_path / "made").read_bytes())) == [[["Hello", "x", "Bye"]]]


@pytest.mark.parametrize(
    ("package", "name", "content"),
    [("lxml", "a.html", "<p>"), ("markdown_it", "a.md", "a"), ("lxml", "a.docx", b"PK\x03\x04word/")],
)
def test_a_missing_parser_names_its_remedy(read, monkeypatch, package, name, content):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=r"pip install '.*\[corpus\]'"):
        read(name, content)


def test_a_folder_tells_what_it_saw_and_what_it_passed_over(tmp_path):
    for name in ("B.TXT", "n.text", "a.txt", "sub/c.txt.gz", "x.odd", "y.JPG", "README"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"Smith, {name[0]}\nJones, b\nBrown, c\n")
    documents = open_documents(tmp_path)
    assert [d.id for d in documents] == ["B.TXT", "a.txt", "n.text", "sub/c.txt.gz"]
    assert "7 files seen, passed over 1 .jpg, 1 .odd, 1 without a suffix; read 4 as plain text" in documents.notes[0]


def test_texts_of_another_kind_are_not_left_out_unseen(tmp_path, caplog):
    for name in [*(f"{n}.txt" for n in range(4)), "4.DOCX", *(f"{n}.docx" for n in range(5, 10)), "a.jpg"]:
        (tmp_path / name).write_text("one two\n")
    with pytest.raises(
        InputError,
        match=r"there are 6 \.docx, 4 \.txt, and one kind is read: say format='docx' or format='plain', or put",
    ):
        open_documents(tmp_path)
    assert len(open_documents(tmp_path, format="plain").parts) == 4
    for number in range(5, 10):
        (tmp_path / f"{number}.docx").rename(tmp_path / f"{number}.txt")
    assert not caplog.messages
    assert len(open_documents(tmp_path).parts) == 9  # one of ten is told
    assert caplog.messages == [f"{tmp_path}: left out 1 .docx: plain text is read"]
    for path in sorted(tmp_path.glob("*.txt"))[1:]:
        assert len(open_documents(tmp_path).parts) > 1  # one file may be anything
        path.unlink()
    with pytest.raises(InputError, match="and one kind is read"):
        open_documents(tmp_path)


def test_a_folder_of_another_kind_or_of_several(tmp_path):
    (tmp_path / "a.XML").write_text("<TEI><p>one</p></TEI>")
    (tmp_path / "49960").write_text("no suffix")
    assert [(d.id, d.texts[0].split()) for d in open_documents(tmp_path)] == [("a.XML:1", ["one"])]
    (tmp_path / "b.csv").write_text("id,text\n7,two\n8,three\n")
    with pytest.raises(
        InputError, match=r"which are the texts\? there are 1 \.csv, 1 \.xml, 1 without a suffix; say format='xml' or"
    ):
        open_documents(tmp_path)
    documents = open_documents(tmp_path, format="table", id_column="id")
    assert [d.id for d in documents] == ["b.csv:7", "b.csv:8"]
    with pytest.raises(InputError, match=r"no \.docx files in this folder; there are 1 "):
        open_documents(tmp_path, format="docx")
    for name in ("a.XML", "b.csv"):
        (tmp_path / name).unlink()
    assert [d.texts for d in open_documents(tmp_path)] == [["no suffix"]]


def test_a_folder_without_texts_says_what_its_files_are(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\n")
    with pytest.raises(InputError, match=r"there are 1 \.pdf; .*a\.pdf: this is a PDF file; save its text first$"):
        open_documents(tmp_path)
    (tmp_path / "a.pdf").rename(tmp_path / "a.odd")
    (tmp_path / "a.odd").write_text("Plain words.\n")
    with pytest.raises(InputError, match=r"there are 1 \.odd; 1 \.odd can be read as text: say format='plain'$"):
        open_documents(tmp_path)


def test_columns_stay_with_the_documents_of_a_corpus(tmp_path):
    (tmp_path / "a.csv").write_text("id,party,text\na,x,one two\nb,y,ONE two\nc,y,three\n")
    corpus = prepare_corpus(tmp_path / "a.csv", CorpusOptions(min_count=1, id_column="id"))
    assert [(r.id, r.metadata) for r in corpus.records] == [("a", {"party": "x"}), ("c", {"party": "y"})]
    assert list(corpus.vocabulary) == [b"one", b"three", b"two"]
    assert corpus.notes == (f"{tmp_path / 'a.csv'}: read as a table; every record is a document",)
    with pytest.raises(InputError, match="is for files of one's own"):
        prepare_corpus("lee", CorpusOptions(column="text"))


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ('<date when="1850-03-04">4 March</date>', "1850"),
        ('<date notBefore="1850" notAfter="1855"/>', "1850/1855"),
        ('<date from="1848-01" to="1848-12">1848</date>', "1848"),
        ("<date>XVIIIe siècle</date>", "1701/1799"),
        ("<date>3/4/50</date>", "3/4/50"),
        ("<date>n.d.</date>", None),
    ],
)
def test_a_date_of_tei_is_read_as_any_other(read, date, year):
    """An unclear one is kept as it is, so that it is counted as such."""
    source = f"<fileDesc><sourceDesc><bibl>{date}</bibl></sourceDesc></fileDesc>"
    found, _ = read("a.xml", f"<TEI><teiHeader>{source}</teiHeader><text><p>a</p></text></TEI>")
    assert found[0][1].get("year") == year


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<pre>the sea is <code>grey</code> and the hill is old and green</pre>", 11),  # prose that names a command
        ("<main><p>Loading</p></main><article>" + "the sea is grey " * 10 + "</article>", 41),  # a script would fill it
        ("<main>the sea is</main><p>grey</p>", 3),
    ],
)
def test_prose_in_odd_places_is_no_listing_and_no_frame(tmp_path, body, words):
    (tmp_path / "a.html").write_text(f"<html><body>{body}</body></html>")
    (document,) = open_documents(tmp_path / "a.html")
    assert len(document.texts[0].split()) == words


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (
            '<t xml:lang="en">'
            + "<p>the sea is near the hill, they say</p>" * 9
            + '<q xml:lang="la">et cetera</q>' * 4
            + "</t>",
            False,
        ),
        ('<t><p xml:lang="en">sea and hill</p><p xml:lang="de">See und Berg</p></t>', True),
        ('<t xml:lang="en"><p>sea</p>' + '<q xml:lang="la">et cetera et cetera</q>' * 3 + "</t>", True),
    ],
)
def test_quotations_in_other_languages_are_no_translations(tmp_path, text, refused):
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(InputError, match="texts in 2 languages") if refused else nullcontext():
        list(open_documents(tmp_path / "a.xml"))
