import math
from xml.etree import ElementTree

import numpy as np
import pytest

from gpustab.report.describe import draw
from gpustab.report.html import to_html
from gpustab.report.svg.elements import WIDTH
from gpustab.studies.stability.figures import estimate
from gpustab.studies.stability.study import stability
from gpustab.studies.stability.word_figures import by_frequency
from tests.generators import named, noisy_copies, runs_of
from tests.studies.test_union import unrelated

SPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def result():
    groups = [named(f"t/{sampling}", runs=4, v=250, d=8) for sampling in ("fixed", "bootstrap")]
    made = stability(groups, neighbours=[1, 5, 10])
    table = made.tables["words"]
    table["count"] = np.tile(np.geomspace(10_000, 5, 250).astype(int), 2)
    table["word"] = [f"<b>{word}" for word in table["word"]]
    return made


def test_every_figure_is_drawn_within_its_width(result):
    pictures = draw(result)
    assert {name for name, picture in pictures.items() if picture.panels} == set(pictures)
    assert len(pictures["frequency"].panels) == 4
    for picture in pictures.values():
        assert picture.title
        assert picture.caption
        for panel in picture.panels:
            root = ElementTree.fromstring(panel)
            assert root.attrib["aria-label"]
            assert not {"fill", "stroke", "style"} & {name for part in root.iter() for name in part.attrib}
            for part in root.iter(f"{SPACE}text"):
                start = float(part.attrib["x"])
                width = 6.8 * len(part.text)
                left = start - width * {"end": 1, "middle": 0.5}.get(part.attrib.get("text-anchor"), 0)
                assert -8 <= left <= left + width <= WIDTH + 8, part.text


def test_titles_have_the_numbers_of_the_result(result):
    fixed, bootstrap = result.groups
    pictures = draw(result)
    p = fixed["neighbours"]["10"]["p"]
    assert f"fixed {10 * p:.1f} (" in pictures["neighbours"].title
    share = bootstrap["pip"]["reduced"]["mean"] / bootstrap["scale"]["chance_reduced_pip"]
    assert f"{100 * share:.0f} % (bootstrap)" in pictures["groups"].title


def test_ridges_are_as_tall_as_their_caption_says(result):
    picture = draw(result)["losses"]
    assert picture.caption.startswith("All hills have equal heights; the upright line is the median.")
    ridges = ElementTree.fromstring(picture.panels[0]).findall(f"{SPACE}path")
    ys = [[float(point.split()[1]) for point in ridge.attrib["d"].strip("MZ").split("L")] for ridge in ridges]
    tall = [max(each) - min(each) for each in ys if each[0] == max(each) == each[-1]]  # from its foot to its foot
    assert len(tall) >= 2
    assert tall == pytest.approx([tall[0]] * len(tall), abs=0.2)


def test_intervals_are_those_of_the_study(result):
    found = estimate(result.tables["pairs"].where(group="t/fixed"), "reduced_pip")
    pip = result.groups[0]["pip"]["reduced"]
    assert (found.value, found.se, found.freedom) == (pytest.approx(pip["mean"]), pytest.approx(pip["se"]), 3)


def levels(result, style):
    """The shares at which the dashed lines of one class begin and end: the panel's axis of 202 units ends at 228."""
    (panel,) = draw(result)["neighbours"].panels
    ways = [path.attrib["d"] for path in ElementTree.fromstring(panel).findall(f"{SPACE}path[@class='{style}']")]
    return [[(228 - float(way.split()[k].partition("L")[0])) / 202 for k in (1, -1)] for way in ways]


def test_chance_is_that_of_the_study_where_runs_have_different_words():
    """Pairs of runs that were drawn together have 300 words in common, the others 120; n/(v - 1) says 0.06 at 50."""
    result = stability(unrelated(runs=8), neighbours=[5, 50])
    together, apart = 299 / 299**2, 119 / 299**2
    chance = (4 * together + 24 * apart) / 28
    ((first, last),) = levels(result, "axis thin dash")
    assert (first, last) == (pytest.approx(5 * chance, abs=5e-4), pytest.approx(50 * chance, abs=5e-4))
    assert last == pytest.approx(result.groups[0]["neighbours"]["50"]["chance_p"], abs=5e-4)


def test_groups_of_other_vocabularies_have_chance_levels_of_their_own():
    groups = [named("a", runs=3, v=41, d=6), named("b", runs=3, v=401, d=6)]
    result = stability(groups, neighbours=[1, 10])
    assert levels(result, "axis thin dash") == []
    assert levels(result, "g0 line thin dash") == [[pytest.approx(n / 40, abs=5e-4) for n in (1, 10)]]
    assert levels(result, "g1 line thin dash") == [[pytest.approx(n / 400, abs=5e-4) for n in (1, 10)]]
    three = stability([*groups, named("c", runs=4, v=41, d=6)], neighbours=[1, 10])
    assert levels(three, "axis thin dash") == [[pytest.approx(n / 40, abs=5e-4) for n in (1, 10)]]  # of a and c
    assert levels(three, "g1 line thin dash") == [[pytest.approx(n / 400, abs=5e-4) for n in (1, 10)]]
    assert levels(three, "g0 line thin dash") == levels(three, "g2 line thin dash") == []
    (panel,) = draw(three)["neighbours"].panels
    (name,) = (part for part in ElementTree.fromstring(panel).iter(f"{SPACE}text") if part.text == "chance")
    assert float(name.attrib["y"]) == pytest.approx(228 - 202 * 10 / 40 - 5, abs=0.06)  # above the highest
    same = stability([named("a", runs=3, v=41, d=6), named("b", runs=4, v=41, d=6)], neighbours=[1, 10])
    assert levels(same, "axis thin dash") == [[pytest.approx(n / 40, abs=5e-4) for n in (1, 10)]]


def test_lists_of_all_words_have_no_chance_level():
    all_words = stability(named("a", runs=3, v=11, d=4), neighbours=[1, 10])
    assert levels(all_words, "axis thin dash") == []
    short = stability([named("a", runs=3, v=6, d=4), named("b", runs=3, v=41, d=4)], neighbours=[1, 10])
    assert levels(short, "g0 line thin dash") == [[pytest.approx(0.2, abs=5e-4), pytest.approx(1.0, abs=5e-4)]]
    assert levels(short, "g1 line thin dash") == [[pytest.approx(n / 40, abs=5e-4) for n in (1, 10)]]


def test_figures_without_numbers_are_left_out_and_that_is_said():
    alone = draw(stability(runs_of(noisy_copies(2, 20, 4)), neighbours=[5]))
    assert not alone["neighbours"].panels
    assert "needs two list lengths" in alone["neighbours"].missing
    assert "counts" in alone["frequency"].missing
    assert (alone["groups"].panels, alone["groups"].missing) == ([], "")  # one group is none to compare
    assert not alone["runs"].panels  # and one pair no matrix
    assert "three runs" in alone["runs"].missing
    assert all(
        picture.panels == [] for picture in draw(type(stability(runs_of(noisy_copies(2, 20, 4))))("stability")).values()
    )


def test_equal_runs_are_drawn():
    same = noisy_copies(3, 30, 4, noise=0)
    pictures = draw(stability(runs_of(same), neighbours=[1, 5]))
    assert pictures["neighbours"].panels
    assert not pictures["losses"].panels


def test_the_page_names_what_it_lacks_and_holds_no_empty_figure():
    page = to_html(stability(runs_of(noisy_copies(3, 30, 4)), neighbours=[5]))
    assert "needs two list lengths" in page
    assert page.count("<figure") == page.count('<div class="panels"><svg')


def test_quantiles_over_frequency_are_those_of_batches():
    counts = np.arange(1.0, 321.0)
    band = by_frequency(counts, counts / 320)
    assert len(band.x) == 16
    assert band.middle[0] == pytest.approx(10.5 / 320)
    assert (band.rarest, band.commonest) == ((1, 20), (301, 320))
    assert band.x[-1] == pytest.approx(math.exp(np.log(np.arange(301, 321)).mean()))


def test_the_paper_says_what_was_compared(result):
    page = to_html(result)
    assert "We compared 4 runs of t/fixed (250 words, 8 dimensions) and 4 runs of t/bootstrap" in page
    assert "@mastersthesis{rettenmeier2020" in page
    assert "How stable are these word embeddings?" in page
