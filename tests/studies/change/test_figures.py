"""The figures of change, by the places of what they draw."""

import math
from xml.etree import ElementTree

import pytest

from gpustab.studies.change.figures import FIGURES
from gpustab.studies.change.tables import EXCESS, LAWS, PAIRS, Excess, Pair
from tests.studies.change.test_claims import BASE, control, law

SPACE = "{http://www.w3.org/2000/svg}"


def uprights(words):
    """Whiskers of R² = 0.2 ± 0.02 (error over so many words); the axis has 202 units, 0.375 in all, from 228 up."""
    pair = Pair(**dict.fromkeys(Pair._fields, 0.1) | {"series": "s", "of": "s", "split": "", "control": False})
    laws = [law(r2, series="s", n=n, r2_se=se, words=words) for n, r2, se in ((1, 0.3, math.nan), (2, 0.2, 0.02))]
    tables = {PAIRS.name: PAIRS.table([pair._replace(sampling_floor=None)]), LAWS.name: LAWS.table(laws)}
    (panel,) = FIGURES["laws"][1](tables).panels
    found = ElementTree.fromstring(panel).findall(f"{SPACE}line[@class='g0 line thin']")
    ends = [[float(line.attrib[name]) for name in ("x1", "x2", "y1", "y2")] for line in found]
    return [tuple((228 - y) / 202 * 0.375 for y in (y1, y2)) for x1, x2, y1, y2 in ends if x1 == x2]


def test_whiskers_of_the_law_are_intervals_by_the_words_that_their_error_is_over():
    half = 4.303 * 0.02  # t of 2 degrees of freedom: an error over three words
    assert uprights(3) == [pytest.approx((0.2 - half, 0.2 + half), abs=2e-4)]
    assert uprights(1000) == [pytest.approx((0.2 - 1.962 * 0.02, 0.2 + 1.962 * 0.02), abs=2e-4)]


def test_the_key_names_documents_at_random_where_they_are_drawn():
    unknown = {"training_floor": math.nan, "corrected": math.nan, "corrected_se": math.nan, "change_se": math.nan}
    for row, split, shown in (
        (BASE, control(1), True),
        (BASE._replace(**unknown), control(1, **unknown), True),  # by the change as it is
        (BASE, control(1, corrected=math.nan), False),
    ):
        (panel,) = FIGURES["floors"][1]({PAIRS.name: PAIRS.table([row, split])}).panels
        assert ("documents dealt out at random" in panel) == shown


def test_displacement_has_a_panel_of_points_and_the_law_for_every_pair_of_periods():
    """Ten words: the rarest one's and the most frequent one's change are in the title."""
    pair = Pair(
        **dict.fromkeys(Pair._fields, 0.1)
        | {"series": "s", "of": "s", "split": "", "control": False, "bootstrap": False}
    )
    words = [
        Excess("s", first, "c", f"w{k}", 10.0**-k, 0.1 * k, 0.09 * k, 0.0, 0.1, 3, 0.5, 0.1)
        for first in ("a", "b")
        for k in range(1, 11)
    ]
    picture = FIGURES["displacement"][1]({PAIRS.name: PAIRS.table([pair]), EXCESS.name: EXCESS.table(words)})
    assert picture.title.endswith("median: a → c 1.0 and 0.10; b → c 1.0 and 0.10")
    assert len(picture.panels) == 2
    root = ElementTree.fromstring(picture.panels[0])
    assert len(root.findall(f".//{SPACE}path")) + len(root.findall(f".//{SPACE}circle")) >= 2
    assert "Change of 10 words over their frequency, a → c" in picture.panels[0]


def test_without_a_law_there_is_no_displacement():
    assert FIGURES["displacement"][1]({PAIRS.name: PAIRS.table([]), EXCESS.name: EXCESS.table([])}).panels == []


def test_one_word_has_no_whisker():
    assert uprights(1) == []
