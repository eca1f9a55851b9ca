"""The figures: drawn within their width, with titles of the result's numbers, and absent without numbers."""

from xml.etree import ElementTree

import pytest

from gpustab.report.describe import draw
from gpustab.report.html import to_html
from gpustab.report.svg.elements import WIDTH
from gpustab.results import Table
from gpustab.studies.thresholds.claims import cosine
from gpustab.studies.thresholds.figures import FIGURES, _listed, _over_runs, _thinned, by_similarity
from gpustab.studies.thresholds.paper import heading, methods
from gpustab.studies.thresholds.study import thresholds
from tests.pages import check_page

SPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def result(wordnet, groups):
    return thresholds(groups, wordnet=str(wordnet[0]), draws=3, min_pairs=20, places=30)


def test_every_figure_is_drawn_within_its_width(result):
    pictures = draw(result)
    assert {name for name, picture in pictures.items() if picture.panels} == set(FIGURES)
    assert len(pictures["baseline_by_similarity"].panels) == 2
    for picture in pictures.values():
        assert picture.caption
        for panel in picture.panels:
            root = ElementTree.fromstring(panel)
            assert root.attrib["aria-label"]
            for part in root.iter(f"{SPACE}text"):
                start = float(part.attrib["x"])
                width = 6.8 * len(part.text)
                left = start - width * {"end": 1, "middle": 0.5}.get(part.attrib.get("text-anchor"), 0)
                assert -8 <= left <= left + width <= WIDTH + 8, part.text


@pytest.mark.parametrize(("far", "said"), [(0.1, True), (0.3, False), (None, False)])
def test_titles_say_only_what_is_proven(result, far, said):
    table = result.tables["thresholds"]
    to = [None if mean is None or far is None else mean + far for mean in table["mean"]]
    picture = by_similarity(result.tables | {"thresholds": Table({**table, "proven_to": to}, row=table.row)})
    (near,) = table.records(group="near", kind="value", rule="chance")
    assert (f"above {cosine(near['mean'])} in near" in picture.title) is said
    assert ("No cosine is proven" in picture.title) is not said
    assert ("dashed" in picture.caption) is said  # what is not drawn is not promised


def test_curves_are_means_and_ranges_over_runs(result):
    table = result.tables["groups"].where(group="near")
    xs, means, lows, highs = _over_runs(table, "similarity", "mean")
    own = [row["mean"] for row in table.records(similarity=xs[3])]
    assert len(own) == 3
    assert (means[3], lows[3], highs[3]) == (pytest.approx(sum(own) / 3), min(own), max(own))


def test_places_are_thinned_but_for_the_first_and_last():
    assert _thinned(3) == [0, 1, 2]
    kept = _thinned(5000)
    assert kept[:5] == [0, 1, 2, 3, 4]
    assert kept[-1] == 4999
    assert len(kept) <= 120


@pytest.mark.parametrize("name", list(FIGURES))
def test_without_numbers_there_is_no_figure(name):
    picture = FIGURES[name][1]({})
    assert not picture.panels


def test_the_page_has_its_title_its_methods_and_what_to_cite(result):
    page = to_html(result)
    assert heading(result) == (
        "When is the similarity of two words meaningful?",
        "6 runs in 2 groups · 110 different words",
    )
    assert "All pairs of 90 words that the baseline knows" in methods(result)
    assert "elekes2018" in page
    assert heading(result)[0] in page


def test_titles_of_many_groups_tell_the_least_and_the_largest():
    values = {f"g{k}": 0.1 * ((k + 2) % 6) for k in range(6)}
    names = {group: group.upper() for group in values}
    assert _listed(values, names, "{:.1f}".format) == "0.0 in G4 to 0.5 in G3"
    assert _listed({"g1": 0.3, "g0": 0.2}, names, "{:.1f}".format) == "0.3 in G1, 0.2 in G0"


def test_the_page_leads_with_what_may_be_claimed(result):
    check_page(result)
