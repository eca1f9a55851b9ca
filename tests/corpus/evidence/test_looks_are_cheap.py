"""What makes a look cheap changes no answer: words are asked once each, and few texts need a pattern of all letters."""

import ast
import inspect
import re
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpustab.corpus import broken, tokenise, words
from gpustab.corpus.evidence import DOUBTS, NEVER_STRONG, doubts_of, evidence_of, look_at, page, refuse, signs
from gpustab.corpus.evidence.documents import shared_column, together
from gpustab.corpus.numbering import number
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.words import Cuts, tokeniser
from gpustab.errors import InputError
from gpustab.small_data.text import read_text
from gpustab.studies.bootstrap.corpus import corpus_of
from gpustab.studies.bootstrap.options import BootstrapOptions

SIGNS = "ab1Éß’'-–=#@|_+.:/<>[]{}&\\%\t \n\r\x0b\x1c\x85\u00ad\u0301\u2fff\u3000日ﬁ\x1b^x"
MARKS = (
    *(
        "C++",
        "C#",
        "a+b",
        "#tag",
        "@you",
        "a|b",
        "a_b",
        "4th",
        "b-2",
        "x#y",
        "5",
        "-1.5",
        "1e5",
        "co-\nop",
        "co-\r\nop",
    ),
    *("co- \nop", "co–\nop", "co¬\r\nop", "\x1b[31m", "^[[0m", "[31m", "<b>", "{{x}}", "[[a|b]]", "{|", "|x=y", "](u)"),
    *(
        "https://x",
        "www.x.org",
        "a@b.org",
        "&uuml;",
        "\\textbf{a}",
        "@book{",
        "\\u00fc",
        "=C3",
        "%C3",
        "\\n",
        "naïve",
        "日本",
    ),
)
"""One of every kind that is looked for."""
TEXT = st.lists(st.one_of(st.sampled_from(SIGNS), st.sampled_from(MARKS)), max_size=12).map("".join)


def test_what_is_never_strong_says_so_itself():
    for ask in (NEVER_STRONG - {together}) | {shared_column}:  # which is all of it
        made = [node for node in ast.walk(ast.parse(inspect.getsource(ask))) if isinstance(node, ast.Call)]
        doubts = [node for node in made if getattr(node.func, "id", "") == "Doubt"]
        assert doubts
        for doubt in doubts:
            assert isinstance(doubt.args[3], ast.Constant), ask
            assert doubt.args[3].value is False, ask
    assert set(DOUBTS) > NEVER_STRONG


WORDS = ["the", "old", "man", "saw", "it", "and", "went", "on", "to", "a", "town", "of", "many", "words"]
SOURCES = {
    "tags": ["the/DT old/JJ man/NN saw/VBD it/PRP"] * 40,
    "markup": ["<p>the <b>old</b> man</p> saw <a href='x'>it</a> &amp; went"] * 40,
    "damaged": ["fÃ¼r die TÃ¼r der MÃ¤nner, schÃ¶n und grÃ¶ÃŸer"] * 40,
    "numbers": [f"word{chr(97 + k % 26)}{chr(97 + k // 26)} {k}" for k in range(60)],
    "prose": [" ".join(Random(k).choices(WORDS, k=12)) for k in range(90)],
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_refused_alike_where_nobody_wants_the_evidence(tmp_path, name):
    path = tmp_path / "a.txt"
    path.write_text("\n".join(SOURCES[name]))
    numbered = number(path, CorpusOptions(min_count=1, layout="lines", format="plain"))
    found = evidence_of(numbered)
    assert bool(found.strong) is (name != "prose")
    said = []
    for ask in (found.refuse, lambda: refuse(numbered)):
        try:
            ask()
        except InputError as error:
            said.append(str(error))
    assert len(set(said)) <= 1
    assert len(said) == 2 * bool(found.strong)


def test_studies_that_show_no_evidence_do_not_make_it(tmp_path, monkeypatch):
    (tmp_path / "good.txt").write_text("\n".join(SOURCES["prose"]))
    (tmp_path / "bad.txt").write_text("\n".join(SOURCES["tags"]))
    monkeypatch.setattr(tokenise, "evidence_of", lambda _: pytest.fail("nobody sees it"))
    monkeypatch.setattr(page, "near_copies", lambda *_: pytest.fail("they stop nobody"))
    assert len(read_text(tmp_path / "good.txt", "en", layout="lines").words) > 10
    assert len(corpus_of([], BootstrapOptions(text=str(tmp_path / "good.txt")))) > 0
    with pytest.raises(InputError, match="words with their tags"):
        corpus_of([], BootstrapOptions(text=str(tmp_path / "bad.txt")))


def test_doubts_that_are_never_strong_are_not_asked_where_nobody_wants_them(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("\n".join(SOURCES["prose"]))
    look = look_at(number(tmp_path / "a.txt", CorpusOptions(min_count=1, layout="lines")))
    slight = [doubt for doubt in doubts_of(look) if not doubt.strong]
    kept = [doubt for doubt in doubts_of(look, without=NEVER_STRONG) if not doubt.strong]
    assert len(slight) > len(kept)
    assert all(doubt in slight for doubt in kept)


@given(st.lists(TEXT, max_size=3))
@example(["naïve ‘café’", "日本 co-\nop"])
def test_words_are_those_of_the_pattern_of_all_letters(texts):
    options = CorpusOptions()
    expected = tokeniser(options)(texts)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(words, "_EUROPEAN", 0x10FFFF)
        patched.setattr(words, "_UNUSUAL", re.compile(""))
        assert tokeniser(options)(texts) == expected


@given(st.lists(TEXT, max_size=3))
@example([f" {mark} " for mark in MARKS])
@example(["C++"])
def test_cut_words_are_counted_as_in_the_whole_text(texts):
    cuts, expected = Cuts(CorpusOptions()), {name: Counter() for name in words._KINDS}
    cuts.see(texts)
    for text in texts:
        for found in words._TOKENS.finditer(text):
            expected[found.lastgroup][found[0]] += 1
    assert {name: list(of.items()) for name, of in cuts._found.items()} == {
        name: list(of.items()) for name, of in expected.items()
    }


@pytest.mark.parametrize("mark", MARKS)
def test_every_kind_of_markup_is_seen_alone(mark):
    there = any(pattern.search(mark) for pattern in signs._MARKUP.values())
    assert signs.has_markup(mark) or not there


@given(TEXT)
def test_text_without_signs_of_markup_has_none(text):
    if not signs.has_markup(text):
        assert not [pattern for pattern in signs._MARKUP.values() if pattern.search(text)]


@given(TEXT)
@example("word, 5")
@example("5")
@example("5 ,")
@example("1\tword word")
def test_lines_that_end_with_a_number_are_found_without_cutting_them(text):
    line = text.strip()
    cells = signs._cells(line)
    there = len(cells) > 1 and (signs._is_number(cells[0]) or signs._is_number(cells[-1]))
    assert signs._ends_with_a_number(line) is bool(line and there)


@given(TEXT)
@example("presi-\r\ndent")
@example("presi–\r\ndent")
@example("presi- ")
@example("presi–\ndent")
def test_ends_of_lines_behind_hyphens_are_found(text):
    ends = tuple(f"{hyphen}{blank}" for hyphen in broken.HYPHENS for blank in ("", " ", "\r"))
    pattern = broken._AT_AN_END_OF_ASCII if text.isascii() else broken._AT_AN_END
    assert bool(pattern.search(text)) is (text.endswith(ends) or any(f"{end}\n" in text for end in ends))


@given(st.text(st.sampled_from("aé日'-–=\x7f_1"), min_size=1, max_size=8), st.booleans())
def test_a_word_of_letters_is_its_own_part(token, hyphens_part):
    pieces = (broken._PARTS if hyphens_part else broken._PARTS_OF_TOKENS).split(token)
    assert broken.taken_apart(token, hyphens_part=hyphens_part) == (tuple(pieces[::2]), tuple(pieces[1::2]))
    assert broken._core(token) == broken._AROUND.sub("", token)


def test_spans_are_what_stands_between_blanks(tmp_path):
    (tmp_path / "a.txt").write_text("b a b\n\nc b\n")
    look = look_at(number(tmp_path / "a.txt", CorpusOptions(min_count=1)))
    assert list(look.spans.items()) == [("b", 3), ("a", 1), ("c", 1)]
    assert look.spans.total() == len(look.spaced)
    assert list(replace(look, blocks=[]).spans) == []
