"""Lengths of words, sentences and documents; layouts that line ends show."""

import random
import textwrap

import pytest

from gpustab import InputError
from gpustab.corpus.documents import open_documents
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from tests.corpus.evidence.conftest import leads_on, prose


def kinds(found, *, strong=False):
    return {doubt.kind for doubt in (found.strong if strong else found.doubts)}


def test_a_word_a_line_without_columns(look):
    words = " ".join(prose(40)).split()
    assert "words" in kinds(look("\n".join(words)), strong=True)
    assert leads_on(look, "\n".join(words), "words")
    listed = look("\n".join(f"{a}{b}{c}" for a in "abcde" for b in "klmno" for c in "rstuv"))
    assert "list of words" in next(doubt.says for doubt in listed.strong)
    assert not kinds(look("\n".join([*prose(40), "Yes.", "No.", "Well."])))


def test_sentences_that_are_paragraphs(look):
    long = "\n\n".join(
        "\n".join(" ".join(prose(20, seed + 9 * n)).replace(".", ",") for n in range(3)) for seed in range(9)
    )
    assert "sentences" in kinds(look(long, layout="blocks"))
    assert leads_on(look, long, "sentences", layout="blocks")
    assert "sentences" not in kinds(look("\n\n".join("\n".join(prose(4, seed)) for seed in range(9)), layout="blocks"))


def test_a_corpus_that_is_one_document(look):
    pytest.importorskip("sentencex")
    assert "document" in kinds(look("\n".join(prose(300)), layout="files"))
    assert leads_on(look, "\n".join(prose(300)), "document", layout="files")
    assert "document" not in kinds(look("\n".join(prose(300))))


THAI = "แมวตัวหนึ่งนั่งอยู่บนเสื่อในบ้านหลังเก่าริมแม่น้ำที่ซึ่งชายชราเล่าเรื่องสงครามให้เด็กฟังทุกคืน"
CHINESE = "很久以前有一位老人住在河边的旧房子里他常常给孩子们讲战争的故事冬天没有人愿意出门只有他的妹妹"
HINDI = "बूढ़ा आदमी नदी के किनारे पुराने घर में रहता था और वह बच्चों को युद्ध की कहानी सुनाता था जब कोई बाहर नहीं जाता था"
ARABIC = "كان رجل عجوز يسكن في بيت قديم على ضفة النهر وكان يحكي للأطفال عن الحرب في الشتاء حين لا يخرج أحد من الناس"


@pytest.mark.parametrize("signs", [THAI, CHINESE, CHINESE.replace("的", "の")], ids=["thai", "chinese", "japanese"])
@pytest.mark.parametrize("clauses", [16, 400])
def test_clauses_of_scripts_without_blanks(look, signs, clauses):
    chance = random.Random(2)
    cut = ["".join(chance.sample(signs, chance.randint(9, 15))) for _ in range(clauses)]
    text = "\n".join("，".join(cut[n : n + 4]) + "。" for n in range(0, clauses, 4))
    assert "clauses" in kinds(look(text), strong=True)
    assert leads_on(look, text, "clauses")


@pytest.mark.parametrize("words", [HINDI, ARABIC, " ".join(CHINESE[n : n + 2] for n in range(0, len(CHINESE), 2))])
def test_words_with_blanks_between_are_words(look, words):
    chance = random.Random(3)
    assert not kinds(look("\n".join(" ".join(chance.choices(words.split(), k=9)) for _ in range(60))), strong=True)


def test_text_that_is_coded(look):
    chance = random.Random(4)
    lines = ["".join(chance.choices("ACGT", k=70)) for _ in range(30)]
    coded = ["".join(chance.choices("ABCDEFGHabcdefgh0123+/", k=76)) for _ in range(30)]
    hashes = ["".join(chance.choices("0123456789abcdef", k=64)) for _ in range(30)]
    for one in (lines, coded, hashes):
        assert "coded" in kinds(look("\n".join(one)), strong=True)
    assert not kinds(look("\n".join(f"{one} https://example.org/{'a' * 60}" for one in prose(60, low=12))), strong=True)


def test_wrapped_text_is_read_in_paragraphs_and_says_so(look, tmp_path):
    book = "\n\n".join(textwrap.fill(" ".join(prose(7, seed)), 60) for seed in range(40))
    for text in (book, book.replace("\n\n", "\n\n\n", 5), f"\n\n\n{book}\n"):
        found = look(text)
        assert found.documents == 40
        assert not found.strong
        assert "documents stand between blank lines, as many lines run on" in found.read_as[0]
        assert [doubt.kind for doubt in found.doubts] == ["layout"]
    unbroken = book.replace("\n\n", "\n")
    assert "wrapped" in kinds(look(unbroken))
    assert leads_on(look, unbroken, "wrapped")
    assert "wrapped" in kinds(look(book, layout="blocks"))
    assert leads_on(look, book, "wrapped", layout="blocks")


def test_one_line_a_paragraph_is_a_paragraph(look, tmp_path):
    paragraphs = [" ".join(prose(4, seed)) for seed in range(30)]
    for text in ("\n\n".join(paragraphs), "\n\n".join("\n".join(paragraphs[n : n + 3]) for n in range(0, 30, 3))):
        (tmp_path / "b.txt").write_text(text)
        assert open_documents(tmp_path / "b.txt").layout == "paragraphs"
    assert not kinds(look(text))


def test_a_question_of_layout_comes_with_all_other_doubts(look, tmp_path):
    lines = prose(60)
    lines[7:7], lines[30:30] = [""], [""]
    found = look("\n".join(lines))
    assert [doubt.kind for doubt in found.strong] == ["layout"]
    with pytest.raises(InputError, match=r"what is a document\?: say layout='lines' .* or as_is"):
        prepare_corpus(tmp_path / "a.txt", CorpusOptions(min_count=1))
    for layout in ("lines", "blocks", "paragraphs", "files"):
        assert not look("\n".join(lines), layout=layout).strong


def test_a_few_words_again_and_again(look):
    chance = random.Random(5)
    notes = "\n".join(" ".join(chance.choices(["quarter", "half", "C", "E", "G"], k=12)) for _ in range(60))
    assert "few" in kinds(look(notes))
    assert not look(notes).strong
