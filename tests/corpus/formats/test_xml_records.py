"""XML whose fields stand beside texts: which element is the text is asked, and the answer reads it alone."""

import random
import re

import pytest

from gpustab.corpus.documents import open_documents
from gpustab.errors import InputError

DRAW = random.Random(0)
TEXTS = [" ".join([f"river{k}", *DRAW.choices(("stone", "bank", "water", "sail"), k=80)]) for k in range(4)]
RECORDS = {
    "letters": (
        "letters",
        "<letter><from>Anna</from><to>Ben</to><date>1910-05-0{k}</date><body>{text}</body></letter>",
    ),
    "RSS": (
        "rss",
        "<item><title>A storm</title><pubDate>Mon, 0{k} Sep 2010 00:01:00 +0000</pubDate><guid>http://x/{k}</guid>"
        "<category>news</category><category>sea</category><description><![CDATA[{text}]]></description></item>",
    ),
    "Atom": ("feed", "<entry><title>On {k}</title><updated>2010-09-0{k}</updated><content>{text}</content></entry>"),
    "TREC": ("docs", "<DOC><DOCNO>AP88-{k}</DOCNO><HEAD>A storm</HEAD><TEXT><P>{text}</P><P>end</P></TEXT></DOC>"),
    "reviews": ("all", "<review><id>{k}</id><stars>5</stars><by>Ben</by><text>{text}</text></review>"),
}
PROSE = {
    "pages": ("book", "<page><number>{k}</number><text>{text}</text></page>"),
    "chapters": ("book", "<chapter><number>{k}</number><title>A storm</title><p>{text}</p><p>{text}</p></chapter>"),
    "plays": ("play", "<speech><speaker>ANNA</speaker><stage>aside</stage><line>{text}</line></speech>"),
    "articles": ("all", "<article><head>A storm</head><body><p>{text}</p></body></article>"),
    "a list of books": (
        "essay",
        "<p>{text}</p><bibl><author>Ben</author><title>A storm at sea</title><date>191{k}</date></bibl>",
    ),
}


def written(tmp_path, root, form):
    path = tmp_path / "a.xml"
    parts = "".join(form.format(k=k + 1, text=text) for k, text in enumerate(TEXTS))
    path.write_text(f'<?xml version="1.0"?><{root}>{parts}</{root}>')
    return path


def texts(path, **options):
    return [" ".join(one.texts).split() for one in open_documents(path, **options)]


@pytest.mark.parametrize("kind", RECORDS)
def test_of_records_the_text_is_asked_for_and_named_first(tmp_path, kind):
    path = written(tmp_path, *RECORDS[kind])
    with pytest.raises(InputError, match=r"this XML has fields beside text .* say column='(\w+)'") as refused:
        texts(path)
    column = re.search(r"say column='(\w+)'", str(refused.value))[1]
    found = texts(path, column=column)
    assert [words[: len(text.split())] for words, text in zip(found, TEXTS, strict=True)] == [t.split() for t in TEXTS]
    assert "2010" not in str(found)
    assert "Anna" not in str(found)


@pytest.mark.parametrize("kind", PROSE)
def test_prose_with_numbers_and_heads_is_read(tmp_path, kind):
    assert "river3" in str(texts(written(tmp_path, *PROSE[kind])))


def test_two_letters_are_read_as_they_were(tmp_path):
    root, form = RECORDS["letters"]
    (tmp_path / "b").mkdir()
    path = tmp_path / "b" / "a.xml"
    path.write_text(f'<?xml version="1.0"?><{root}>{form.format(k=1, text=TEXTS[0])}</{root}>')
    assert "river0" in str(texts(path))


SIGNS = "<c>.</c>" * 15
WORDS = {
    "BNC": ("bncDoc", f"<wtext><p><s n='1'>{{words}}{SIGNS}</s></p></wtext>", "<w c5='NN'>{word} </w>"),
    "tokens": ("corpus", f"<sent id='1'>{{words}}{SIGNS}</sent>", "<tok>{word}</tok>"),
    "tokens with lemmas": ("corpus", "<chunk>{words}</chunk>", "<tok><orth>{word}</orth><base>{word}</base></tok>"),
}


@pytest.mark.parametrize("kind", WORDS)
def test_elements_of_a_word_each_are_not_offered_as_texts(tmp_path, kind):
    """Each word was a document by itself, as the message said to choose."""
    root, form, word = WORDS[kind]
    parts = (form.format(words="".join(word.format(word=one) for one in text.split())) for text in TEXTS)
    path = tmp_path / "a.xml"
    path.write_text(f"<?xml version='1.0'?><{root}>{''.join(parts)}</{root}>")
    with pytest.raises(InputError) as refused:
        texts(path)
    ways = re.findall(r"column='(\w+)'", str(refused.value))
    assert ways
    assert all([len(words) > 80 for words in texts(path, column=way)] == [True] * len(TEXTS) for way in ways)
