import math
import re
import tracemalloc
from xml.etree import ElementTree

import numpy as np
import pytest

from gpustab.report.svg.axes import apart, powers, round_ticks, short
from gpustab.report.svg.colours import series
from gpustab.report.svg.elements import WIDTH, box, figure, mark, number, text
from gpustab.report.svg.matrix import Cell, by_likeness, matrix, side_of_square
from gpustab.report.svg.picture import Picture

SPACE = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    return ElementTree.fromstring(svg)


def test_words_are_text_and_never_markup():
    root = parsed(figure(10, [text(0, 0, "<b>&\x1b"), box(0, 0, 1, 1, "a", title='"<i>')], "<script>"))
    assert root.attrib["aria-label"] == "<script>"
    assert root.find(f"{SPACE}text").text == "<b>&\\x1b"
    assert root.find(f".//{SPACE}title").text == '"<i>'


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_coordinate_that_is_none_is_refused(value):
    with pytest.raises(ValueError, match="a coordinate is"):
        number(value)


@pytest.mark.parametrize(("value", "shown"), [(0, "0"), (-0.01, "0"), (1.25, "1.2"), (-3.0, "-3"), (0.06, "0.1")])
def test_coordinates_are_short(value, shown):
    assert number(value) == shown


def test_marks_differ():
    assert len({mark(5, 5, shape, "a") for shape in range(6)}) == 6
    assert mark(5, 5, 7, "a") == mark(5, 5, 1, "a")


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.016, 0.087), (-3, 40), (0, 123456), (1e-6, 2e-6), (0.5, 0.5)])
def test_ticks_are_round_few_and_within(low, high):
    ticks = round_ticks(low, high)
    assert 1 <= len(ticks) <= 7
    assert all(low - 1e-12 <= value <= high + 1e-12 for value, _ in ticks)
    assert all(float(label.replace(",", "")) == pytest.approx(value) for value, label in ticks)
    assert len({label for _, label in ticks}) == len(ticks)


@pytest.mark.parametrize(("low", "high"), [(1, 50), (5, 2_000_000), (20, 90), (3, 4)])
def test_ticks_of_logarithms_are_within(low, high):
    assert all(low <= value <= high for value, _ in powers(low, high))


def test_labels_are_moved_apart_and_stay_in_the_picture():
    found = apart(dict.fromkeys(range(4), 99.0), 15, 0, 100)
    places = sorted(found.values())
    assert np.diff(places).min() >= 15
    assert places[-1] <= 100


def test_like_runs_stand_together_and_the_odd_one_last():
    kind = np.array([0, 1, 0, 1, 0, 2])
    distances = np.where(kind[:, None] == kind, 0.2, 0.5) + np.where((kind[:, None] == 2) | (kind == 2), 0.4, 0)
    np.fill_diagonal(distances, 0)
    assert by_likeness(distances) == [0, 2, 4, 1, 3, 5]
    assert by_likeness(np.zeros((0, 0))) == []
    assert sorted(by_likeness(np.full((4, 4), math.nan))) == [0, 1, 2, 3]


def of_runs(runs, cell=lambda i, j, n: Cell(abs(i - j) / n, "9", "t"), **more):
    names = [f"run-{k}" for k in range(runs)]
    return matrix(names, ["g0"] * runs, lambda i, j: cell(i, j, runs), "m", more.pop("gaps", []), **more)


@pytest.mark.parametrize("runs", [2, 12, 40])
def test_matrices_fit_the_picture_and_have_a_scale(runs):
    root = parsed(of_runs(runs))
    boxes = [b for b in root.findall(f"{SPACE}rect") if b.find(f"{SPACE}title") is not None]
    scale = [b for b in root.findall(f"{SPACE}rect") if b.find(f"{SPACE}title") is None]
    assert len(boxes) == runs**2
    assert max(float(b.attrib["x"]) + float(b.attrib["width"]) for b in (*boxes, *scale)) <= WIDTH
    shades = [float(b.attrib.get("fill-opacity", 1)) for b in scale]
    assert len(scale) > 5
    assert shades == sorted(shades)
    texts = [part.text for part in root.findall(f"{SPACE}text")]
    assert {"0 % identical", "100 % unrelated"} <= set(texts)
    assert ("9" in texts) == (runs <= 12)  # numbers in cells


def test_a_large_matrix_holds_every_cell_in_a_few_bytes():
    noise = np.random.default_rng(0).uniform(0.35, 0.45, (120, 120))
    svg = of_runs(120, lambda i, j, _: Cell(0.0 if i == j else float(noise[min(i, j), max(i, j)]), "", "t"))
    assert len(svg) / 120**2 < 10  # bytes a cell: those of 400 runs take 1.6 MB at most
    covered = [int(n) for n in re.findall(r"h(\d+)", svg)]
    assert sum(covered) == 120**2 - 120 * (0.03 * 20 < 0.5)  # an opacity that is rounded to 0 is not drawn
    size = (WIDTH - 12) / 120
    assert all(f"scale({size:.4f} " in path.attrib["transform"] for path in parsed(svg).findall(f"{SPACE}path"))


@pytest.mark.parametrize("runs", [360, 361, 500])
def test_of_very_many_runs_a_cell_is_the_mean_of_a_square(runs):
    noise = np.random.default_rng(0).uniform(0.35, 0.45, (runs, runs))
    noise[-1], noise[:, -1] = 1.0, 1.0  # an odd run, which stands last
    svg = of_runs(runs, shades=noise)
    side = side_of_square(runs)
    assert (side, len(svg) < 1.2e6) == (1 + (runs > 360), True)
    cells = -(-runs // side)
    (size,) = {float(x) for x in re.findall(r"scale\(([\d.]+) ", svg)}
    assert size * cells == pytest.approx(WIDTH - 12, abs=0.05)
    dark = [path for path in parsed(svg).findall(f"{SPACE}path") if float(path.attrib["stroke-opacity"]) > 0.6]
    assert sum(int(n) for path in dark for n in re.findall(r"h(\d+)", path.attrib["d"])) == 2 * cells - 1


def test_cells_of_a_large_matrix_are_made_one_after_another():
    """Those of a thousand runs, each with a title, took hundreds of MB at once."""
    tracemalloc.start()
    of_runs(120, lambda i, j, _: Cell((i * j % 7) / 7, f"{i} {j}", f"{i} and {j}: 0.1751, 50 % of chance"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / 120**2 < 100


def test_between_two_groups_stands_one_block_with_its_number():
    between = {(0, 1): Cell(0.5, "50", "a and b"), (1, 0): Cell(0.5, "50", "a and b")}
    root = parsed(of_runs(6, gaps=[2], block=lambda g, h: between.get((g, h))))
    blocks = [b for b in root.findall(f"{SPACE}rect") if b.findtext(f"{SPACE}title") == "a and b"]
    wide, tall = (sorted(float(b.attrib[side]) for b in blocks) for side in ("width", "height"))
    assert wide == tall  # two runs by four, and four by two
    assert wide[1] > 1.8 * wide[0]
    assert [part.text for part in root.findall(f"{SPACE}text")].count("50") == 2


def test_groups_have_their_own_colour_and_mark():
    assert {name.style for name in series(["s/fixed", "s/bootstrap"]).values()} == {"fixed", "bootstrap"}
    many = series([f"t{k}/fixed" for k in range(9)])
    assert len(set(many.values())) == 9
    assert series([]) == {}
    assert short("a" * 30, 10) == "…" + "a" * 9


def test_a_picture_of_several_panels_has_them_in_two_columns():
    panel = figure(100, [text(0, 0, "a", "soft")], "l")
    one, three = parsed(Picture("t", [panel]).svg), parsed(Picture("t", [panel] * 3).svg)
    assert one.find(f"{SPACE}text") is not None
    inner = three.findall(f"{SPACE}g")
    assert [p.attrib["transform"] for p in inner] == ["translate(0 0)", "translate(428 0)", "translate(0 128)"]
    assert all(p.find(f"{SPACE}text") is not None for p in inner)
    assert three.attrib["aria-label"] == "l; l; l"
    assert three.attrib["viewBox"] == "0 0 828 228"
    assert Picture(missing="why").panels == []
