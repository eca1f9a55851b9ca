"""Panels of lines: where their parts stand, by hand. Without names the axes have 340 units from 46, 202 from 228 up."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from gpustab.report.svg.axes import Axis, Named, at
from gpustab.report.svg.charts import (
    BAND,
    BANDED,
    HOLLOW,
    LINE,
    MARKS,
    WHISKERS,
    Bars,
    Cloud,
    Curve,
    Cuts,
    Diagonal,
    Level,
    Note,
    corner,
    curve,
    lines,
)
from gpustab.results import Table

SPACE = "{http://www.w3.org/2000/svg}"
X, Y = Axis("x", 0, 4), Axis("y", 0, 2)


def panel(*layers, x=X, y=Y, **more):
    return ElementTree.fromstring(lines(x, y, layers, "title", **more))


def numbers(path):
    return [float(number) for number in re.findall(r"-?[\d.]+", path.attrib["d"])]


def of_class(root, tag, style):
    return root.findall(f"{SPACE}{tag}[@class='{style}']")


def ends(root, style):
    """The upright lines of a class: x, and both ends of y."""
    drawn = [[float(part.attrib[name]) for name in ("x1", "x2", "y1", "y2")] for part in of_class(root, "line", style)]
    return [(x1, y1, y2) for x1, x2, y1, y2 in drawn if x1 == x2]


def test_a_curve_stands_where_its_columns_say():
    table = Table({"n": [0, 2, 4], "p": [0.0, 0.01, 0.02], "low": [-1, 0.005, 0.02], "high": [0.01, 0.01, 0.03]})
    root = panel(curve(table, "n", "p", "g0", *BANDED, WHISKERS, low="low", high="high", scale=100))
    assert numbers(*of_class(root, "path", "g0 line")) == [46, 228, 216, 127, 386, 26]
    lower, upper = [46, 228, 216, 177.5, 386, 26], [386, 26, 216, 127, 46, 127]  # cut at the axes
    assert numbers(*of_class(root, "path", "g0 area")) == lower + upper
    assert [(c.attrib["cx"], c.attrib["cy"], c.attrib["r"]) for c in of_class(root, "circle", "g0 full")] == [
        ("46", "228", "4"),
        ("216", "127", "4"),
        ("386", "26", "4"),
    ]
    assert ends(root, "g0 line thin") == [(46, 228, 127), (216, 177.5, 127), (386, 26, 26)]


def test_parts_are_drawn_in_their_order():
    drawn = lines(X, Y, [Curve([0, 1], [1, 1], "g0", 1, parts=(MARKS, LINE))], "t")
    assert drawn.index("<rect") < drawn.index('class="g0 line"')


def test_what_is_unknown_is_left_out():
    nan = math.nan
    root = panel(
        Curve([0, 1, 2], [0.5, nan, 0.6], "a"),
        Curve([0], [0.5], "a"),
        Curve([0, 1, 2, 3, 4], [nan] * 5, "b", 0, "", [0, 0, nan, 0, 0], [1] * 5, (BAND,)),
        Curve([0, nan, 1], [nan, 0.5, 0.5], "m", parts=(MARKS,)),
        Curve([0, 1, 2], [nan] * 3, "w", 0, "", [nan, 0.1, 0.2], [0.2, 3.0, nan], (WHISKERS,)),
        curve(Table({"n": [0, 1], "p": [0.5, None]}), "n", "p", "c", HOLLOW),
    )
    assert [len(of_class(root, "path", style)) for style in ("a line", "b area")] == [1, 2]
    assert [len(of_class(root, "circle", style)) for style in ("m full", "c hollow")] == [1, 1]
    assert len(ends(root, "w line thin")) == 1
    assert "nan" not in ElementTree.tostring(root, "unicode")


def test_a_logarithmic_axis_has_no_place_for_zero():
    x, y = Axis("x", 1, 100, log=True), Axis("y", 0.1, 10, log=True)
    root = panel(Curve([1, 10, 100, 0], [1, 0, 10, 1], "g0"), x=x, y=y)
    assert numbers(*of_class(root, "path", "g0 line")) == [46, 127, 386, 26]
    assert Axis("y", log=True).over([0, 2, 8])[1:3] == (2, 8)


def test_axes_end_at_what_is_drawn():
    drawn = Curve([2, 6], [0.3, 0.5], "g0", 0, "", [0.1, math.nan], [0.4, math.nan], BANDED)
    root = panel(drawn, x=Axis("x"), y=Axis("y"))
    assert numbers(*of_class(root, "path", "g0 line")) == [46, 127, 386, 26]  # y from 0.1 to 0.5
    assert numbers(*of_class(panel(drawn, x=Axis("x"), y=Axis("y", reaches=-0.3)), "path", "g0 line"))[1] == 76.5
    with_limits = panel(drawn, x=Axis("x", 0), y=Axis("y", high=0.9))
    assert numbers(*of_class(with_limits, "path", "g0 line")) == [159.3, 177.5, 386, 127]
    assert panel(x=Axis("x"), y=Axis("y")).attrib["viewBox"] == "0 0 400 270"  # with nothing to draw
    assert [Axis("y").over([value])[1:3] for value in (5, 0, -2)] == [(5, 10), (0, 1), (-2, 0)]


def test_ticks_stand_at_their_values_and_within_the_axes():
    x = Axis("runs", 0, 4, at([0, 1, 5]))
    texts = {part.text: part.attrib for part in panel(x=x).findall(f"{SPACE}text")}
    assert [float(texts[label]["x"]) for label in ("0", "1")] == [46, 131]
    assert "5" not in texts
    assert float(texts["1.5"]["y"]) == 228 - 1.5 / 2 * 202 + 4
    assert (texts["runs"]["x"], texts["y"]["x"]) == ("216", "0")


def test_names_stand_at_the_ends_of_their_lines_apart():
    one, two = (Curve([0, 4], [0, y], style, 0, name) for y, style, name in ((1, "g0", "one"), (1.05, "axis", "two")))
    root = panel(one, two, Curve([0, 4], [2, 2], "g2"), Curve([0, 4], [1, math.nan], "g3", name="none", end=0))
    names = {part.text: (part.attrib["class"], float(part.attrib["y"])) for part in root.findall(f"{SPACE}text")}
    assert names["two"] == ("soft own bold", pytest.approx(125.95, abs=0.06))  # 228 - 1.05 / 2 of 202, and 4 below
    assert names["one"] == ("g0 own bold", pytest.approx(140.95, abs=0.06))  # moved from 131
    assert names["none"] == ("g3 own bold", 228 + 4)


def test_names_stand_in_a_key_that_moves_the_panel_down():
    drawn = [Curve([0, 4], [0, 2], f"g{k}", k, "a long name of a line", parts=("line thin", MARKS)) for k in range(4)]
    root = panel(*drawn, Bars([0, 1], [1], "g0", "bars"), keyed=True, more=[Named("more", "ink line")], name="sgns")
    rows = {float(part.attrib["y"]) for part in root.findall(f"{SPACE}text") if part.text == "a long name of a line"}
    assert rows == {27, 42}
    assert root.attrib["viewBox"] == "0 0 400 315"
    assert numbers(of_class(root, "path", "g0 line thin")[0]) == [46, 273, 386, 71]
    assert {part.text for part in root.findall(f"{SPACE}text")} >= {"bars", "more", "sgns"}


def test_bars_levels_cuts_the_diagonal_and_notes_stand_at_their_values():
    root = panel(
        Bars([0, 1, 3], [1, 5], "g0"),
        Level(0.5, "chance"),
        Level(3, "beyond"),
        Cuts([2, 9], "cut"),
        Cuts([4], "tick", tall=9),
        Diagonal(),
        Note("word", 1, 1, -3, -6),
        over=[corner("name")],
    )
    boxes = [[float(box.attrib[n]) for n in ("x", "y", "width", "height")] for box in of_class(root, "rect", "g0 area")]
    assert boxes == [[46, 127, 85, 101], [131, 26, 170, 202]]  # the second is cut at the axis
    dashes = [[float(part.attrib[n]) for n in ("x1", "y1", "x2", "y2")] for part in of_class(root, "line", "axis dash")]
    assert dashes == [[46, 177.5, 386, 177.5], [46, 228, 216, 26]]
    assert (ends(root, "cut"), ends(root, "tick")) == ([(216, 26, 228)], [(386, 228, 219)])
    texts = {part.text: (float(part.attrib["x"]), float(part.attrib["y"])) for part in root.findall(f"{SPACE}text")}
    assert (texts["chance"], texts["word"], texts["name"]) == ((386, 172.5), (128, 121), (386, 11))
    assert "beyond" not in texts


def test_a_cloud_holds_every_point_once():
    draw = np.random.default_rng(0)
    unit = {"x": Axis("x", 0, 1), "y": Axis("y", 0, 1)}
    grades = of_class(panel(Cloud(draw.random((500, 2)), "g0"), **unit), "path", "g0 full")
    assert 1 <= len(grades) <= 5
    (alone,) = of_class(panel(Cloud([(0.5, 0.5), (0.5, 0.5), (2.0, 0.5)], "g0"), **unit), "path", "g0 full")
    assert alone.attrib["d"].count("z") == 1
    x, y = numbers(alone)[:2]
    assert (x, y + 4.2) == (pytest.approx(216, abs=3.7), pytest.approx(127, abs=4.2))


def test_whiskers_that_leave_the_axes_have_an_arrow_and_their_value():
    root = panel(Curve([2], [1.0], "g0", low=[-0.5], high=[3.25], parts=(WHISKERS, MARKS)))
    arrows = of_class(root, "path", "g0 full")
    assert [numbers(arrow)[:2] for arrow in arrows] == [[216, 228], [216, 26]]  # at the lower end, and at the upper one
    assert [part.text for part in of_class(root, "text", "g0 own halo")] == ["−0.50", "3.2"]
    inside = panel(Curve([2], [1.0], "g0", low=[0.0], high=[2.0], parts=(WHISKERS, MARKS)))
    assert of_class(inside, "path", "g0 full") == []


@pytest.mark.parametrize(
    ("axis", "said"),
    [
        (Axis("y", 0.7, 1.0), True),
        (Axis("y", -0.9, -0.2), True),
        (Axis("y", 0.0, 1.0), False),
        (Axis("y", -1.0, 1.0), False),
        (Axis("y", 1.0, 9.0, log=True), False),
    ],
)
def test_an_axis_that_does_not_hold_0_says_so(axis, said):
    root = panel(Curve([0, 4], [axis.low, axis.high], "g0"), y=axis)
    assert ("0 is not in view" in [part.text for part in root.iter(f"{SPACE}text")]) == said


def test_long_names_stand_in_a_key_and_none_is_cut():
    name = "the addresses of all presidents between two wars, trained with fastText"
    root = panel(Curve([0, 4], [0, 1], "g0", name=name), Curve([0, 4], [1, 2], "g1", name="b"))
    texts = [part.text for part in root.iter(f"{SPACE}text")]
    assert name in " ".join(texts)
    assert all(
        float(part.attrib["x"]) + 6.3 * len(part.text) <= 400
        for part in of_class(root, "text", "soft")
        if part.text in name
    )
