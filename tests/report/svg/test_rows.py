"""Rows over one axis, and lists: where their parts stand, by hand."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from gpustab.report.svg.axes import Axis, Named, at
from gpustab.report.svg.elements import WIDTH
from gpustab.report.svg.matrix import Cell, Line, lattice
from gpustab.report.svg.rows import CLOSE, HEADED, NAMED, PAIRED, Dot, Listed, Ridge, Row, Upright, dots, listed, ridges

SPACE = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    return ElementTree.fromstring(svg)


def values(part, *names):
    return tuple(float(part.attrib[name]) for name in names)


def spans(root, style):
    """The level lines of a class: both ends, and their height."""
    drawn = [values(line, "x1", "x2", "y1", "y2") for line in root.findall(f"{SPACE}line[@class='{style}']")]
    return [(x1, x2, y1) for x1, x2, y1, y2 in drawn if y1 == y2]


@pytest.mark.parametrize(
    ("frame", "x", "y", "size"),
    [(HEADED, (200, 6, 394), 80, 5), (CLOSE, (200, 6, 394), 70, 5), (NAMED, (181, 8, 354), 58, 4)],
)
def test_dots_and_intervals_stand_at_their_values(frame, x, y, size):
    rows = [None, Row("a", [Dot(1.0, "g0", low=0.0, high=5.0)]), Row("b", [Dot(math.nan, "g1", low=0, high=1)])]
    root = parsed(dots(rows, Axis("loss", 0, 2), frame, "title"))
    (circle,) = root.findall(f"{SPACE}circle")
    assert values(circle, "cx", "cy", "r") == (*map(pytest.approx, (x[0], y)), size)
    assert spans(root, f"g0 {frame.whisker}") == [(x[1], x[2], y)]  # 5 is beyond the axis
    assert not spans(root, f"g1 {frame.whisker}")
    names = {part.text: values(part, "x", "y") for part in root.findall(f"{SPACE}text")}
    assert names["a"] == (frame.name[0], y + frame.name[1])
    assert names["loss"][0] == x[0]
    assert root.attrib["viewBox"] == f"0 0 400 {y + 2 * frame.row - frame.foot + frame.below[2]:g}"


def test_an_interval_without_an_end_is_not_drawn_and_spans_are():
    drawn = [Dot(1.0, "g0", low=0.5), Dot(1.0, "g1", 1, spans=((0.0, 2.0, "line thin"), (0.5, 1.5, "line")), below=6)]
    root = parsed(dots([Row("a", drawn)], Axis("x", 0, 2), NAMED, "title"))
    assert not spans(root, "g0 line thin")
    assert spans(root, "g1 line thin") == [(8, 354, 20)]
    assert spans(root, "g1 line") == [(94.5, 267.5, 20)]


def test_chance_stands_upright_with_its_name_and_what_is_beside_at_the_right():
    row = Row("a", [Upright(1.5, "axis dash", (-7, 7), "chance"), Upright(math.nan, "axis dash", (-7, 7))], aside="x")
    root = parsed(dots([row], Axis("loss", 0, 2), HEADED, "title"))
    (chance,) = root.findall(f"{SPACE}line[@class='axis dash']")
    assert values(chance, "x1", "y1", "x2", "y2") == (297, 27, 297, 41)
    texts = {part.text: values(part, "x", "y") for part in root.findall(f"{SPACE}text")}
    assert (texts["chance"], texts["x"]) == ((297, 20), (WIDTH, 20))


def test_pairs_stand_below_a_key_and_intervals_that_leave_the_frame_have_arrows():
    root = parsed(
        dots(
            [Row("1 → 2", [Dot(1.0, "g0", low=-1.0, high=3.0, below=17)])],
            Axis("change", 0, 2, at([0, 1])),
            PAIRED,
            "title",
            heading="series",
            key=[Named("change", "g0 full", 0)],
        )
    )
    assert spans(root, "g0 line thin") == [(6, 390, 76)]
    arrows = [part.attrib["d"] for part in root.findall(f"{SPACE}path[@class='g0 full']")]
    assert [arrow[:6] for arrow in arrows] == ["M6 76L", "M390 7"]  # each begins at its tip
    assert [part.text for part in root.findall(f"{SPACE}text[@class='g0 own halo']")] == ["−1.0", "3.0"]
    assert [values(line, "x1", "y1", "y2") for line in root.findall(f"{SPACE}line[@class='grid']")] == [
        (6, 47, 109),
        (198, 47, 109),
    ]


def test_ticks_at_the_edges_keep_their_numbers_within():
    root = parsed(dots([Row("a", [])], Axis("x", 0, 2, at([0, 1, 2])), CLOSE, "title"))
    anchors = {part.text: part.attrib.get("text-anchor") for part in root.findall(f"{SPACE}text")}
    assert (anchors["0"], anchors["1"], anchors["2"]) == (None, "middle", "end")


def test_ridges_have_their_median_and_the_share_of_each_bin():
    group = Ridge("a", np.array([0.0] * 3 + [30.5] * 6 + [60.0] * 2), "g0")
    root = parsed(ridges([Ridge("b", np.array([1.0]), "g1"), group], Axis("loss", 0, 60), "title"))
    (ridge,) = root.findall(f"{SPACE}path[@class='g0 line thin']")
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", ridge.attrib["d"])]
    assert (len(heights), heights[0], heights[30], heights[59], heights[1]) == (60, 156, 126, 166, 186)
    (median,) = root.findall(f"{SPACE}line[@class='g0 line thin']")
    assert values(median, "x1", "y1", "y2") == (pytest.approx(6 + 380 * 30.5 / 60, abs=0.05), 186, 126)


def test_lists_end_where_there_is_no_room_and_mark_what_both_have():
    lists = (["a", "b", *["long" * 4] * 5], ["b", "c"])
    root = parsed(listed([Listed("term", "cosine 0.50", lists, {"b"})] * 2, "title", "heading"))
    texts = [
        (part.text, part.attrib.get("class", ""), *values(part, "x", "y")) for part in root.findall(f"{SPACE}text")
    ]
    assert texts[:4] == [
        ("heading", "bold", 0, 11),
        ("term", "", 0, 36),
        ("cosine 0.50", "soft", 0, 51),
        ("a", "soft", 130, 36),
    ]
    assert [text[1:] for text in texts if text[0] == "b"][:2] == [("g0 own", 145.8, 36), ("g0 own", 130, 51)]
    cut = [text for text in texts if text[0] == "longlonglongl…"]
    assert cut
    assert max(x + 14 * 6.3 for _, _, x, _ in cut) <= WIDTH
    assert root.attrib["viewBox"] == "0 0 400 100"


def test_a_lattice_has_cells_by_column_and_a_dot_beside_each_row():
    rows = [
        Line("w", "bold", [Cell(1.0, "1", "first"), None], Dot(0.5, "g0", low=0.25, high=1.0)),
        Line("v", "", [None, Cell(0.3, "5", "second")], Dot(0.0, "g0", low=0.0, high=0.5)),
    ]
    root = parsed(lattice(rows, "group", "g0", "share of runs", "title"))
    left = 12 + 6.3 * 4
    boxes = [values(box, "x", "y", "width") for box in root.findall(f"{SPACE}rect")]
    assert [box[:2] for box in boxes] == [(pytest.approx(left + 22 * k, abs=0.05), y) for y in (44, 61) for k in (0, 1)]
    assert [box.attrib["fill-opacity"] for box in root.findall(f"{SPACE}rect")[1:]] == ["0.05", "0.05", "0.30"]
    assert [values(dot, "cx", "cy") for dot in root.findall(f"{SPACE}circle")] == [(352, 52), (304, 69)]
    assert spans(root, "g0 line thin") == [(328, 400, 52), (304, 352, 69)]
