"""What the page of every study has; whoever tests a study gives one of its results."""

import re

from gpustab.report.describe import draw, paper
from gpustab.report.html import to_html
from tests.studies.test_claims_page import faults

LEAST_CARDS = 2


def check_page(result, *, silent=False):
    """A title that names what was asked, a lead, cards, what may be claimed, pictures, and a paragraph of methods.

    Args:
        result: of a study.
        silent: whether alarms forbid to read any number.
    """
    said = paper(result)
    assert "gpustab" not in said.title
    assert said.title.endswith("?")
    assert result.verdict
    assert len(said.methods.split()) > 20
    assert silent or LEAST_CARDS <= len(said.cards) <= 4
    assert said.claim
    assert said.claim.startswith("Nothing yet") or not silent
    told = [said.claim, *(part for card in said.cards for part in card[:4])]
    assert {text: found for text in told if (found := faults(text))} == {}
    assert any(picture.panels or picture.missing for picture in draw(result).values())
    page = to_html(result)
    places = [
        page.find(part)
        for part in ('class="lead"', "What you may claim, and what not.", "A paragraph for the methods section")
    ]
    assert -1 < places[0] < places[1] < places[2]
    shown = page.partition("<body>")[2].partition("<script")[0]
    assert re.findall(r"[^<>]{,40}\b(?:nan|None)\b[^<>]{,40}", shown) == []
