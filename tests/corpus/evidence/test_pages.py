"""Heads of pages within a book are told and left out as is told; headings, refrains and numbered lines are text."""

import re
import textwrap

import pytest

from tests.corpus.evidence.conftest import choices, prose

LINES = textwrap.wrap(" ".join(prose(400, seed=8)), 60)


def book(head, every=12, first=1):
    parts = [LINES[k : k + every] for k in range(0, len(LINES), every)]
    return "\n".join("\n".join([head(n), "", *part, ""]) for n, part in enumerate(parts, first))


HEADS = {
    "annals": lambda n: f"THE ANNALS OF THE SOCIETY            {n}",
    "number first": lambda n: f"{n}   The History of Bees",
    "within": lambda n: f"Report for 'The Hill' - page {n} - draft",
    "other scripts": lambda n: f"История одного города {n}",
    "left and right": lambda n: f"{n}  The Winter Road" if n % 2 else f"Of the Old House  {n}",
    "signs": lambda n: f"[The Book (vol. A)] p.{n}",
}


@pytest.mark.parametrize("name", HEADS)
def test_running_heads_are_left_out_as_is_told(look, name):
    text = book(HEADS[name])
    (doubt,) = (doubt for doubt in look(text, layout="files").doubts if doubt.kind == "pages")
    (choice,) = choices(doubt.way)
    left = re.sub(choice["drop"], "", text, flags=re.M)
    assert left.split() == " ".join(LINES).split()
    assert "pages" not in {doubt.kind for doubt in look(text, layout="files", **choice).doubts}


SILENT = {
    "chapters": book(lambda n: f"CHAPTER {n}"),
    "refrains": book(lambda n: "and the river went by the house"),
    "years": book(lambda n: f"In the year {1900 + 37 * n % 97}"),
    "titles": book(lambda n: f"{n}. {LINES[n]}"),
    "long parts": book(lambda n: f"Part {n} of it", every=150),
    "numbers": "\n".join(f"{line} {n}" for n, line in enumerate(LINES)),
}


@pytest.mark.parametrize("name", SILENT)
def test_other_lines_are_text(look, name):
    assert "pages" not in {doubt.kind for doubt in look(SILENT[name], layout="files").doubts}


def test_rows_of_numbers_within_texts_are_no_records(look):
    rows = "\n".join(f"{1990 + k}   {k * 37 % 97}.{k % 9}   {k * 11 % 83} %" for k in range(25))
    text = {
        f"{k}.txt": f"{LINES[4 * k]}\n\nTable {k}. Results\nYear   Sales\n{rows}\n\n{LINES[4 * k + 1]}"
        for k in range(20)
    }
    assert "names" not in {doubt.kind for doubt in look(text).doubts}
