"""Letters that were lost, coded or cut apart before are doubted, and every way that is told mends the text."""

import ast  # noqa: F401  the ways that are told name it
import html  # noqa: F401
import quopri  # noqa: F401
import re
import urllib.parse

import pytest

from gpustab.corpus.evidence import evidence
from tests.corpus.evidence.conftest import leads_on, prose

GERMAN = [one.replace("a", "ä").replace("ou", "ü").replace("ss", "ß") for one in prose(40, seed=2)]
TEXT = "\n".join(GERMAN) + "\n"
RUSSIAN = "\n".join(f"Старый человек видел войну и рассказал о ней {k} раз.".replace("{k}", "") for k in range(12))


def raised(look, text, **options):
    return {doubt.kind: doubt for doubt in look(text, **options).doubts}


@pytest.mark.parametrize(
    ("text", "codec"),
    [(TEXT, "cp1252"), (TEXT, "mac_roman"), (TEXT, "cp437"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8_r")],
)
def test_letters_coded_twice_come_back_as_is_told(look, text, codec):
    if codec == "cp1251":
        text = text.replace("И", "")  # its second byte has no character there
    broken = text.encode().decode(codec, "ignore" if codec == "cp1251" else "strict")
    doubt = raised(look, broken, layout="files")["twice"]
    assert doubt.strong
    way = re.search(r"piece\.encode.*", doubt.way)[0]
    if codec != "cp1251":
        assert re.sub(r"[^\x00-\x7f]+", lambda found: eval(way, {"piece": found[0]}), broken) == text


CODED = {
    "entities": TEXT.replace("ä", "&auml;").replace("ü", "&#252;"),
    "percent": urllib.parse.quote(TEXT, safe=" .\n"),
    "percent of latin-1": TEXT.replace("ä", "%E4").replace("ü", "%FC"),
    "quoted": TEXT.replace("ä", "=C3=A4").replace("ü", "=C3=BC"),
    "quoted of latin-1": TEXT.replace("ä", "=E4").replace("ü", "=FC"),
    "bytes": TEXT.replace("ä", r"\xc3\xa4").replace("ü", r"\xc3\xbc"),
    "escapes": TEXT.replace("ä", r"\u00e4").replace("ü", r"\xfc"),
    "points": TEXT.replace("ä", "<U+00E4>").replace("ü", "<U+00FC>"),
}


@pytest.mark.parametrize("name", CODED)
def test_letters_as_codes_are_decoded_as_is_told(look, name):
    doubts = raised(look, CODED[name], layout="lines")
    assert list(doubts) == ["codes"]
    assert doubts["codes"].strong
    way = doubts["codes"].way.partition("in Python, ")[2]
    assert eval(way, globals() | {"text": CODED[name]}) == TEXT


@pytest.mark.parametrize(("every", "strong"), [(2, True), (40, False)])
def test_text_of_letters_that_stand_apart_stops_a_training(look, every, strong):
    words = " ".join(GERMAN).split()
    apart = " ".join(" ".join(word) if k % every == 0 else word for k, word in enumerate(words))
    assert raised(look, apart, layout="files")["apart"].strong == strong


QUESTIONS = [f"{one} Is it so? Why? The {k}th?" for k, one in enumerate(GERMAN)]


def test_letters_lost_as_question_marks_are_told_and_questions_are_not(look):
    lost = raised(look, re.sub("[äüß]", "?", TEXT), layout="lines")["lost"]
    assert lost.strong
    assert "?" in lost.says
    assert "lost" not in raised(look, "\n".join(QUESTIONS), layout="lines")


def test_entities_of_many_letters_are_no_tags(look):
    coded = TEXT.encode("ascii", "xmlcharrefreplace").decode()
    doubt = raised(look, re.sub("[aeiou]", lambda found: f"&#{ord(found[0]) + 163};", coded), layout="lines")
    assert "tags" not in doubt
    assert (
        eval(raised(look, coded, layout="lines")["codes"].way.partition("in Python, ")[2], globals() | {"text": coded})
        == TEXT
    )


def test_entities_are_read_as_html(look):
    assert leads_on(look, CODED["entities"], "codes")
    assert look(CODED["entities"], format="html").tokens == look(TEXT, layout="files").tokens


@pytest.mark.parametrize("sign", ["?", '"', "\ufffd", "¤", "„", "??"])
def test_lost_letters(look, sign):
    doubt = raised(look, re.sub(r"\B[äü]\B", sign, TEXT), layout="files")["lost"]
    assert doubt.strong == (sign != "„")  # editions have such signs within words
    assert not raised(look, TEXT, layout="files")


def test_a_sign_of_its_own_writing_within_words_is_no_strong_doubt(look):
    assert not look(re.sub(r"\B[äü]\B", "՞", TEXT), layout="files").strong


@pytest.mark.parametrize("form", ["{}@@ {}", "{} ##{}", "▁{} {}", "{}￭ {}", "{}__ {}"])
def test_pieces_of_words(look, form):
    def cut(found):
        return form.format(found[0][:3], found[0][3:])

    assert raised(look, re.sub(r"[a-z]{5,}", cut, "\n".join(prose(40))))["pieces"].strong


def test_words_with_a_letter_for_blanks(look):
    assert raised(look, "\n".join(prose(40)).replace(" ", " Ġ"))["pieces"].strong


def test_letters_apart(look):
    text = "\n".join(re.sub(r"river|mother", lambda found: " ".join(found[0]), one) for one in prose(60))
    assert set(raised(look, text)) == {"apart"}


ORDINARY = [
    "Bürger*innen und Lehrer:innen oder Schüler_innen gingen und/oder kamen zu AT&T.",
    "Who?Nobody said so—he went…then stayed (s)he thinks; e.g. the word(s) of [t]he man.",
    "l’été, «où» est-il? «É» «Œ» œuvre naïve; don’t “quote” me",
    "Ça coûte 5 €; naïve café – déjà vu… “très” ‘bien’ §12 º ª ½",
    "See https://x.org/a?b=%C3%BC&c=d and #tags @names of a_b c++ x=1.",
]


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_signs_are_no_damage(look, line):
    found = raised(look, "\n".join(f"{one} {line}" for one in prose(30)), drop_duplicates=False)
    assert not set(found) & {"twice", "lost", "codes", "pieces", "apart"}


ELEVEN = "старый человек видел большую войну потом долго рассказывал детям сказку вечером около огня"
OTHER = {
    "cp1251": ELEVEN,
    "koi8_r": ELEVEN,
    "iso8859_7": "γυρίσαμε σπίτι αργά βράδυ όταν είδαμε παλιό φίλο πατέρα καθόταν μπροστά πόρτα περίμενε πολλή ώρα",
    "cp1255": "בית ספר ילדים הלכו אתמול לבדם אחרי צהריים ופגשו חבר ישן אשר סיפר להם סיפור ארוך מאוד",
}


@pytest.mark.parametrize("codec", OTHER)
def test_bytes_of_another_alphabet_are_doubted_and_the_way_reads_them(look, codec):
    text = "\n".join(" ".join(OTHER[codec].split()[k % 5 :]) for k in range(20))
    broken = text.encode(codec).decode("cp1252", "ignore")
    doubt = raised(look, broken, layout="files", drop_duplicates=False)["twice"]
    assert doubt.strong
    assert f"as {codec} “{OTHER[codec].split()[0]}" in doubt.way


@pytest.mark.parametrize(
    "line",
    [
        "Það er öðruvísi á Íslandi; ég á að fá það ís og æð í þágu þín",
        "L'été où l'élève naïf a été là, à côté d'un café déjà fermé",
        "Ça va être ÉTÉ ÉTÉ À ÔTÉ; ÆÐI ØÅÄ öä åå",
        "— “¿Qué?” — «¡Sí!» … ½ ¾ § ©®",
    ],
)
def test_letters_beside_a_to_z_are_no_other_alphabet(look, line):
    assert "twice" not in raised(look, "\n".join(f"{one} {line}" for one in prose(30)), drop_duplicates=False)


@pytest.mark.parametrize(
    "codecs", [("utf-8", "cp1251", "koi8_r"), ("cp1251", "koi8_r"), ("utf-8", "cp1251"), ("cp1251",)]
)
def test_files_of_several_encodings_are_not_read_as_one(tmp_path, codecs):
    words = ELEVEN.split()
    for k in range(30):
        text = " ".join(words[k % 5 :] + words[: k % 7] + [f"слово{k}"])
        (tmp_path / f"{k:02}.txt").write_bytes(text.encode(codecs[k % len(codecs)]))
    (doubt, *_) = evidence(tmp_path, min_count=1, drop_duplicates=False).doubts
    assert doubt.kind == "twice"
    assert doubt.says.startswith("several encodings") == (len(codecs) > 1)
    assert ("encoding=" in doubt.way) == (len(codecs) == 1)
