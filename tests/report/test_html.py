import re
from html import unescape
from html.parser import HTMLParser

import pytest
from markupsafe import escape

from gpustab.report import Result
from gpustab.report.describe import Paper, terms
from gpustab.report.html import keep, to_html
from gpustab.report.svg.picture import Picture


class Outline(HTMLParser):
    """Counts tags, and collects what would load something."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.loads = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [
            (tag, name)
            for name, value in attrs
            if name in {"src", "href", "srcset", "data"} and not (tag == "a" and value.startswith("#"))
        ]


def test_the_page_needs_no_network(each):
    page = to_html(each).replace("http://www.w3.org/2000/svg", "")  # the name of a language, not an address
    assert not re.search(r"https?:|@import|url\(", page)
    assert Outline(page).loads == []


def test_words_are_text_and_never_markup(each):
    outline = Outline(to_html(each))
    assert outline.tags.count("script") <= 2  # the page's own, and its numbers


def test_the_query_word_is_escaped(results):
    page = to_html(results["neighbours"])
    assert "neighbours of “&lt;script&gt;”" in page
    assert r"esc\x1b[31m" in page
    assert "\x1b" not in page


def test_the_page_holds_the_numbers_notes_settings_and_environment(result):
    page = to_html(result)
    assert page.startswith("<!doctype html>")
    assert f"{result.groups[0]['pip']['reduced']['mean']:.4f}" in page
    assert all(str(escape(keep(note))) in page for note in result.notes)
    for word in ("which words are stable?", "chance level", "backend", "torch"):
        assert word.lower() in page.lower()


def test_figures_stand_in_the_page_and_notes_are_escaped():
    page = to_html(Result("x", notes=["a < b & <b>c</b>"]), {"a": Picture(panels=["<svg></svg>"])})
    assert "<svg></svg>" in page
    assert "a &lt; b &amp; &lt;b&gt;c" in page


def test_every_section_is_in_the_navigation_and_leads_somewhere(each):
    page = to_html(each)
    nav = re.search(r'<nav aria-label="Sections">(.*?)</nav>', page, re.DOTALL)[1]
    targets = re.findall(r'href="#([\w-]+)"', nav)
    headed = re.findall(r'<(?:section|details) class="block" id="([\w-]+)"', page)
    assert set(headed) <= set(targets)
    assert all(f'id="{target}"' in page for target in targets)
    assert all(len(unescape(name)) <= 41 for name in re.findall(r">([^<]+)</a>", nav))


def test_four_numbers_and_what_they_allow_stand_under_the_lead(each):
    page = to_html(each)
    parts = ('class="lead"', 'class="cards"', "What you may claim, and what not.")
    lead, cards, claim = map(page.find, parts)
    assert len(re.findall(r'<div class="card[ "]', page)) <= 4
    assert -1 < lead < claim
    if cards > -1:
        assert lead < cards < claim


def test_what_the_kinds_of_runs_are_stands_under_the_lead_with_the_command():
    groups = [{"name": "lsa/bootstrap-sentence"}, {"name": "lsa/fixed/half=a"}]
    command = {"command": "gpustab study bootstrap R"}
    page = to_html(Result("x", groups=groups, verdict=["Lead.", "The PIP loss is 3 % of chance."], environment=command))
    (said,) = re.findall('<p class="note" id="terms">(.*?)</p>', page)
    assert page.index('class="lead"') < page.index(said) < page.index("<nav")
    assert "Bootstrap runs draw" in said
    assert "Fixed runs differ" in said
    assert "Shuffled" not in said
    assert "PIP loss says" in said
    assert '<p class="kicker">gpustab study x' in page
    assert 'id="terms"' not in to_html(Result("x", groups=[{"name": "mine"}], verdict=["Lead."]))


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("Two of ten nearest neighbours come back (2.1–2.5; by chance 0.06).", ("Nearest neighbours are", "19 times")),
        ("It moves by +0.2 (−0.1 to +0.5).", ("19 times",)),
        ("It is 0.3 ± 0.1 by p@10.", ("p@n is", "19 times")),
        ("Losses differ by PIP loss.", ("The cosine of two vectors", "The PIP loss says")),
        ("From 1790–1829 to 1830–1869 (1790–1829 first) nothing moved.", ()),
    ],
)
def test_what_a_lead_speaks_of_is_told_under_it(said, wanted):
    """Nobody told a reader what a range in brackets is, nor p@n, nor a cosine."""
    told = terms(Result("x", verdict=[said]), Paper("", "", [], "", "", [], {}))
    assert all(part in told for part in wanted)
    assert wanted or not told
    assert ("19 times" in told) is ("19 times" in wanted)


def test_the_title_of_a_wide_table_is_not_as_wide_as_it(result):
    """On a phone the end of a caption stood beyond the edge."""
    assert "<caption><span>" in to_html(result)


def test_a_table_is_as_wide_as_its_cells(result):
    page = to_html(result)
    assert '<div class="beside wide">' in page
