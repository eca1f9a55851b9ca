"""What every line has is doubted, and its way leaves the text of the lines."""

import re

import pytest

from tests.corpus.evidence.conftest import choices, leads_on, prose

LINES = prose(60, seed=5)
FORMS = {
    "verses": ("places", "{book} {n}:{k} {one}"),
    "verses of numbered books": ("places", "1 {book}. {n},{k} {one}"),
    "places in brackets": ("places", "({book} {n}:{k}) {one}"),
    "a telephone": ("ends", "{one} (sent 12:{k} from my telephone)"),
    "a bot": ("ends", "{one} -- I am a bot, ask {n}"),
    "a mailing list": ("ends", "{one} [view on the web: {k}]"),
    "languages": ("columns", "{one} ||| {other}"),
    "arrows": ("columns", "{one} => {other}"),
    "bars": ("columns", "{one} | {other}"),
}


def made(form):
    books = ("Gen", "Ex", "Sam")
    rows = enumerate(zip(LINES, reversed(LINES), strict=True))
    return "\n".join(
        form.format(book=books[k // 20], n=1 + k // 9, k=10 + k, one=one, other=other) for k, (one, other) in rows
    )


@pytest.mark.parametrize("name", FORMS)
def test_what_every_line_has_is_left_out_as_is_told(look, name):
    kind, form = FORMS[name]
    text = made(form)
    assert leads_on(look, text, kind, layout="lines")
    doubt = next(doubt for doubt in look(text, layout="lines").doubts if doubt.kind == kind)
    pattern = choices(doubt.way)[0]["drop"]
    assert [re.sub(pattern, "", line).strip() for line in text.splitlines()] == LINES


REFRAINS = ["{one} pray for us, dear", "{one} Yours ever, J. Smith", "{one} | {other} ||", "{one} ❤️ {other}"]


def test_lines_that_are_one_up_to_numbers_have_no_end_of_their_own(look):
    assert not look("\n".join(f"one two three word{k}" for k in range(60)), layout="lines", as_is=True).strong


@pytest.mark.parametrize("form", REFRAINS)
def test_refrains_closes_and_halves_of_verses_stop_nobody(look, form):
    assert not look(made(form), layout="lines").strong


@pytest.mark.parametrize(
    "form", ["{one}", "In {k} {one}", "{one} Amen.", "{one} — {other}", "{k}. {one}", "{one} he said"]
)
def test_ordinary_lines_have_none(look, form):
    assert not {doubt.kind for doubt in look(made(form), layout="lines").strong} & {"places", "ends", "columns"}
