"""The way out of a doubt takes away what was doubted, and no text."""

import re

import pytest

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.words import tokeniser
from tests.corpus.evidence.conftest import prose


def way_of(look, text, kind):
    (doubt,) = [doubt for doubt in look(text).doubts if doubt.kind == kind]
    return (
        re.search(r"=(?P<q>['\"])(?P<way>.*?)(?P=q)", str(doubt.way).replace("\ue001", ""))["way"]
        .encode()
        .decode("unicode_escape")
    )


def test_speeches_of_a_play_are_no_heads_of_records(look):
    names = ["HAMLET", "OPHELIA", "KING"]
    lines = prose(80, seed=3)
    play = "".join(f"{names[k % 3]}: {line.capitalize()}.\n" for k, line in enumerate(lines))
    assert not [doubt for doubt in look(play).doubts if doubt.kind == "heads"]


def test_leaving_heads_of_mails_out_leaves_their_bodies(look):
    bodies = ["To be or not", "From there they went", "Date palms stood", "Subject matter is dear"]
    text = prose(60, seed=4)
    mails = "\n".join(
        f"From: a{k}@b.org\nTo: list\nDate: {k} May\nSubject: news {k}\n\n{bodies[k % 4]} {text[k]}.\n{text[k + 25]}.\n"
        for k in range(25)
    )
    kept = re.sub(way_of(look, mails, "heads"), " ", mails, flags=re.M)
    assert all(f"{body} " in kept for body in bodies)
    assert "a3@b.org" not in kept


def test_words_without_their_tags_stand_once():
    cut = tokeniser(CorpusOptions(tokenizer=r"(?<!\S)[^\s_]+(?=[_]\S)"))
    assert cut(["The_the_AT cat_cat_NN1 sat_sit_VVD"])[:-1] == ["the", "cat", "sat"]


@pytest.mark.parametrize("count", [2000, 4000])
def test_patterns_of_ways_stay_within_their_lines(look, count):
    """A pattern that runs over line ends takes 16 times as long for four times the blank lines."""
    mails = "".join(f"From: a{k}@b.org\nTo: you\nDate: {k} May\n\nsome words here {k}.\n" for k in range(30))
    pattern = re.compile(way_of(look, mails, "heads"), re.M)
    assert pattern.sub("", "\n" * count) == "\n" * count
    assert not re.search(r"\\W\*|\\s\*", pattern.pattern)


def test_folded_lines_of_heads_go_with_them(look):
    mails = "".join(
        f"From: a{k}@b.org\nReceived: from x\n by mail.example.org with ESMTP\nDate: {k} May\n\nsome words here {k}.\n"
        for k in range(30)
    )
    kept = re.sub(way_of(look, mails, "heads"), " ", mails, flags=re.M)
    assert "ESMTP" not in kept
    assert "some words here 7" in kept


def test_what_is_dropped_and_what_is_copied_is_told(look):
    found = look("".join(f"said {k}: news of the day\n" for k in range(20)) * 2, drop=r"^said \d+:", layout="lines")
    assert any("40 passages are left out by drop=" in str(note) or "40 passages" in str(note) for note in found.notes)
    (copies,) = [doubt for doubt in found.doubts if doubt.kind == "copies"]
    assert copies.examples
