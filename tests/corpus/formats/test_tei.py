"""TEI's editorial rules, and other XML: what is text, what is left out and said, and what is refused with a way on."""

import time

import pytest

from gpustab import InputError
from gpustab.corpus.documents import open_documents
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus


@pytest.fixture
def read(tmp_path):
    def read(content, name="a.xml", **options):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        documents = open_documents(path, **options)
        found = [text.split() for document in documents for text in document.texts]
        return found, [said.removeprefix(f"{path}: ") for said in documents.remarks()]

    return read


def tei(body, header=""):
    return f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>{header}</teiHeader><text><body>{body}</body></text></TEI>'


READINGS = [
    # beside the text
    ("<p>the man<note>an editor says</note> ran</p>", "the man ran", "left out 1 note (3 words)"),
    ("<p>m<note place='margin'>x</note>an</p>", "man", "1 note"),
    ("<sp><speaker>HAM.</speaker><l>To be <stage>aside</stage> or not</l></sp>", "To be or not", "1 stage direction"),
    ("<castList><castItem>Ham</castItem></castList><p>a</p>", "a", "1 cast list"),
    ("<u>yes <kinesic><desc>nods</desc></kinesic> sir <vocal><desc>coughs</desc></vocal></u>", "yes sir", "2 noises"),
    ("<p>one</p><fw>page 3</fw><p>two</p>", "one two", "1 page head"),
    ("<p>a <figure><figDesc>a dog</figDesc></figure> b <index><term>i</term></index> c</p>", "a b c", ""),
    # one reading
    ("<p>a <app><lem>b</lem><rdg>c</rdg><rdg>d</rdg></app> e</p>", "a b e", "2 second readings"),
    ("<p>a <app><rdg>b</rdg><rdgGrp><rdg>c</rdg></rdgGrp></app> e</p>", "a b e", "1 second reading"),
    ("<p>a <choice><unclear>b</unclear><unclear>c</unclear></choice></p>", "a b", "1 second reading"),
    ("<p><choice><sic>teh</sic><corr>the</corr></choice> <sic>hs</sic></p>", "the hs", "1 source reading (1 words)"),
    ("<p>x<subst><del>a</del><add>b</add></subst>y <del>z</del><restore><del>w</del></restore></p>", "xby w", "2 del"),
    (
        "<p>d<ex>omi</ex>n<supplied>u</supplied><unclear>s</unclear> <surplus>s</surplus></p>",
        "dominus",
        "1 superfluous",
    ),
    # words whole
    ('<p>m<pb n="2"/>an</p>', "man", "words joined over breaks of lines and pages that stand within them: 1 (man)"),
    ('<p>hand-<lb break="no"/>schrift Wor\n <pb break="no"/>\n <lb/> ter</p>', "handschrift Worter", "2 (handschrift,"),
    ('<p>wor<lb type="inWord"/>ter <lb/>a<lb/>b</p>', "worter a b", "1 (worter)"),
    ("<p>m<fw>HEAD</fw><pb/><note>n</note>an. <pb/>He</p>", "man. He", "1 (man)"),
    ("<p>end.<pb/>Next <cb/>one</p>", "end. Next one", ""),
    ('<p>cou<g ref="x">\u0304</g>\n   <g ref="char:EOLunhyphen"/>cel</p>', "cou\u0304cel", "1 (cou\u0304cel)"),
    ("<p><w part='I'>Wor</w><pb/><fw>3</fw>\n<w part='F'>ter</w> <w>a<lb/>b</w></p>", "Worter ab", "1 (ab)"),
    ("<s><w join='right'>do</w>\n<w>n't</w>\n<w>go</w></s>", "don't go", ""),
    ("<p>th<gap><desc>•</desc></gap>s man <gap reason='lost'/> ran</p>", "man ran", "unknown sign within: 1 (th…s)"),
    ("<p>a<gap/>b<gap/>c<gap/><gap/>d x <gap/>y</p>", "x", "2 (a…b…c……d, …y)"),
    ("<p>thi<g ref='#s'/>e</p>", "this", ""),
    ("<p>thi<g ref='#other'/>e ran</p>", "ran", "1 (thi…e)"),
]


@pytest.mark.parametrize(("body", "text", "said"), READINGS)
def test_one_reading_and_whole_words(read, body, text, said):
    header = (
        "" if "#s" not in body else '<charDecl><char xml:id="s"><mapping type="standard">s</mapping></char></charDecl>'
    )
    found, remarks = read(tei(body, header))
    assert found == [text.replace("this", "thise").split() if "#s'" in body else text.split()]
    assert said in "; ".join(remarks)
    assert said or not remarks


def test_scholars_choose(read):
    body = "<sp><speaker>HAM.</speaker><l>The <note>see <note>too</note> p. 3</note>m<note/>an</l></sp>"
    assert read(tei(body))[0] == [["The", "man"]]
    found, remarks = read(tei(body), notes="keep")
    assert found == [["HAM.", "The", "man", "see", "p.", "3", "too"]]
    assert not remarks
    body = (
        "<p><choice><orig>olde</orig><reg>old</reg></choice> <choice><abbr>M<am>.</am></abbr><expan>M<ex>r</ex></expan>"
    )
    body += "</choice> <sic>hs</sic> <surplus>s</surplus></p>"
    _, (said,) = read(tei(body))
    assert "--readings original would read them" in said
    found, (said,) = read(tei(body), readings="original")
    assert found == [["olde", "M.", "hs", "s"]]
    assert said == "left out 2 editorial readings (2 words)"
    for options in ({"notes": "keep"}, {"readings": "original"}):
        with pytest.raises(InputError, match="is for TEI, and this is plain text"):
            read("a b\nc d\n", "a.txt", **options)
        with pytest.raises(InputError, match="is for TEI, and this is other XML"):
            read("<r><p>one two three four five six seven</p></r>", **options)


def test_where_most_pages_break_between_letters_they_end_words(read):
    found, (said,) = read(tei("<p>" + "man<pb/>ran " * 9 + "</p>"))
    assert found == [["man", "ran"] * 9]
    assert said.startswith("breaks of pages with letters on both sides, taken for ends of words")
    assert read(tei("<p>" + "man <pb/>ran " * 9 + "m<pb/>an</p>"))[0] == [["man", "ran"] * 9 + ["man"]]


def test_what_was_left_out_is_in_the_notes_of_a_corpus(tmp_path):
    for n in range(3):
        (tmp_path / f"{n}.xml").write_text(tei(f"<p>the man {n} ran th<gap/>s<note>see p. 3</note></p>"))
    corpus = prepare_corpus(tmp_path, CorpusOptions(min_count=1, drop_duplicates=False))
    assert any("left out 3 notes (9 words); --notes keep would read them" in note for note in corpus.notes)
    assert any("a gap or an unknown sign within: 3 (th…s" in note for note in corpus.notes)
    kept = prepare_corpus(tmp_path, CorpusOptions(min_count=1, drop_duplicates=False, notes="keep"))
    assert b"see" in set(kept.vocabulary) - set(corpus.vocabulary)


DECLARED = '<?xml version="1.0"?>'
OLD = """<TEI.2><teiHeader><fileDesc><titleStmt><title>Old</title></titleStmt></fileDesc></teiHeader>
<text><front><titlePage><docTitle>Ode</docTitle></titlePage></front><body><lg type="stanza"><l>Roses <hi>are</hi> red,
</l><l>violets</l></lg></body></text></TEI.2>"""
LETTER = """<TEI><text><body><opener><dateline>Bonn</dateline><salute>Sir,</salute></opener><p>I <del>am</del> was</p>
<closer><signed>A.</signed></closer></body></text></TEI>"""
DOCBOOK = """<?xml version="1.0"?><article><title>On words</title>
<para>The <emphasis>w</emphasis>ord H<subscript>2</subscript>O
is seen in the text by us.</para><para>A second one of many more words than that.</para></article>"""
SENTENCES = "<corpus>" + "<s><w>The</w><w>dog</w><w>ran</w></s>" * 3 + "</corpus>"
OF_PLAYS = "<PLAY><ACT><LINE>To be or not to be that</LINE><LINE>is the question we ask now</LINE></ACT></PLAY>"
BODY = "<p>The water was <italic>c</italic>old and the men were glad of it.</p>" * 3
JATS = f"""<?xml version="1.0"?><!DOCTYPE article PUBLIC "x" "y.dtd"><article><front>
<journal-id>J1</journal-id><article-id>10.1</article-id>
<volume>3</volume><year>2001</year><surname>Ash</surname></front><body>{BODY}</body></article>"""
ITEM = "<item><guid>g1</guid><date>2001</date><qcode>m1</qcode><text>The prices fell in {} of the towns.</text></item>"
NEWS = "<newsItem>" + "".join(map(ITEM.format, range(1, 5))) + "</newsItem>"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (OLD, "Ode Roses are red, violets"),
        (LETTER, "Bonn Sir, I was A."),
        (DOCBOOK, "On words The word H2O is seen in the text by us. A second one of many more words than that."),
        (SENTENCES, "The dog ran " * 3),
        (OF_PLAYS, "To be or not to be that is the question we ask now"),
        ("<r>one<br/>two<b>f</b>old <math>x</math></r>", "one twofold"),
    ],
)
def test_documents_of_many_kinds(read, content, text):
    assert read(content)[0] == [text.split()]
    bare = content.removeprefix(DECLARED)
    assert read("<!-- made by hand -->\n<!-- twice -->" + bare)[0] == [text.split()]


@pytest.mark.parametrize(
    ("content", "way", "texts"),
    [
        (JATS, {"column": "p"}, ["The water was cold and the men were glad of it."] * 3),
        (JATS, {"column": "body"}, [" ".join(["The water was cold and the men were glad of it."] * 3)]),
        (NEWS, {"column": "text"}, [f"The prices fell in {n} of the towns." for n in range(1, 5)]),
    ],
)
def test_fields_are_no_text_and_the_element_is_asked_for(read, content, way, texts):
    with pytest.raises(
        InputError, match=r"this XML has fields beside text .* which element is a document's text\? say "
    ):
        read(content)
    assert read(content, **way)[0] == [text.split() for text in texts]
    assert read(content, format="html")[0]


def test_the_element_that_is_a_document(read):
    body = "<div><u>one</u><u>two <u>three</u></u></div>"
    assert read(tei(body), column="u")[0] == [["one"], ["two", "three"]]
    with pytest.raises(InputError, match=r"there is no element for column='dvi'; near it is div"):
        read(tei(body), column="dvi")
    with pytest.raises(InputError, match="id_column='u' is for tables"):
        read(tei(body), id_column="u")
    with pytest.raises(InputError, match=r"no text between the tags .*1 words stand in the attribute CONTENT of <S>"):
        read("<page><S CONTENT='war'/></page>")


def test_long_texts_are_read_and_entities_are_no_bomb(read):
    text = "war and peace " * 900_000
    assert len(read(tei(f"<p>{text}</p>"))[0][0]) == 2_700_000
    bomb = '<!DOCTYPE TEI [<!ENTITY a "ha ha">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 50}">' for a, b in zip("abcdefg", "bcdefgh", strict=True)
    )
    start = time.process_time()
    with pytest.raises(InputError, match="not well-formed XML"):
        read(f"{bomb}]>{tei('<p>&h;</p>')}")
    assert time.process_time() - start < 30
    assert read(f'<!DOCTYPE TEI [<!ENTITY a "ha">]>{tei("<p>&a; &a;</p>")}')[0] == [["ha", "ha"]]


@pytest.mark.parametrize(
    ("content", "name", "text"),
    [
        ("<!-- a licence\nof two lines -->\n# Head\n\nA *word*.\n", "a.md", "Head A word."),
        ("<!-- a -->" * 20 + "\nA man ran.\n", "a.txt", "<!-- a -->" * 20 + " A man ran."),
        ("<!-- unfinished\nA man ran.\n", "a.txt", "<!-- unfinished A man ran."),
        ("<p align='center'>Logo</p>\n\n# Head\n\nOne.\n\nTwo.\n", "a.md", "Logo Head One. Two."),
        ("<!-- x -->\n<!DOCTYPE html>\n<p>A man</p>", "a.txt", "A man"),
        ("<?xml version='1.0'?>\n<!-- x --><html><body>A man</body></html>", "a.xml", "A man"),
        ("<3 you all\nA man ran.\n", "a.txt", "<3 you all A man ran."),
        ("<!-- a -->\n<3 you all\n", "a.md", "<3 you all"),
        ("<?xml version='1.0'?>\n<3 ran\n", "a.txt", "<?xml version='1.0'?> <3 ran"),
        ("<!DOCTYPE note SYSTEM 'x.dtd'>\nA man ran.\n", "a.txt", "<!DOCTYPE note SYSTEM 'x.dtd'> A man ran."),
        ("<!DOCTYPE note>\n\nA man ran.\n", "a.md", "A man ran."),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]>\nA man ran\n", "a.txt", "<!DOCTYPE x [<!ENTITY a 'b'>]> A man ran"),
        ("<!DOCTYPE is a word\nof HTML\n", "a.txt", "<!DOCTYPE is a word of HTML"),
        ("<?php echo 1; ?>\n# Head\n", "a.md", "Head"),
        ("<?xml-stylesheet href='a.css'?>\nA man ran.\n", "a.txt", "<?xml-stylesheet href='a.css'?> A man ran."),
        ("<?xml version='1.0'?>\n<?a b?>\n<!-- c -->\n# Head\n", "a.md", "Head"),
        ("<Bob> hi there\n<Ann> hello you\n", "a.txt", "<Bob> hi there <Ann> hello you"),
    ],
)
def test_what_stands_at_the_head_makes_no_other_kind_of_a_text(read, content, name, text):
    options = {"layout": "files"} if name == "a.txt" and "html>" not in content else {}
    assert read(content, name, **options)[0] == [text.split()]


def test_many_comments_are_passed_in_no_time(read):
    assert read("<!-- x -->\n" * 50_000 + "A man.", "a.txt", layout="files")[0][0][-1] == "man."


@pytest.mark.parametrize(
    "content", ["<TEI><p>caf&eacute;</p></TEI>", "<r>a<b>c</r>", "<?xml version='1.0'?><r>a</r><r>b</r>"]
)
def test_what_is_no_xml_is_read_by_the_way_that_is_named(read, content):
    with pytest.raises(InputError, match=r"not well-formed XML.*format='html' reads it"):
        read(content)
    assert read(content, format="html")[0][0]


def test_the_evidence_counts_what_editing_left_out(tmp_path):
    from gpustab.corpus.evidence import evidence

    body = "<p>the man <note>an editor says so</note> ran hund-<lb/>reds of miles</p>" * 9
    (tmp_path / "a.xml").write_text(f"<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body>{body}</body></text></TEI>")
    found = evidence(tmp_path / "a.xml", min_count=1)
    assert any("9 notes (36 words)" in note for note in found.notes)
    assert not [doubt for doubt in found.doubts if doubt.kind == "broken"]
