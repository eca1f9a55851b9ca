"""Figures as files: every program draws them as a browser draws the page's, in plain colours."""

import io
import re
import shutil
import subprocess
import sys
from unittest.mock import patch
from xml.etree import ElementTree

import numpy as np
import pytest

from gpustab import InputError
from gpustab.report.describe import draw
from gpustab.report.svg.axes import Axis
from gpustab.report.svg.charts import Bars, Cloud, Cuts, Diagonal, Level, Note, lines
from gpustab.report.svg.colours import figure_style
from gpustab.report.svg.elements import box, figure, line, mark, path, text, whisker
from gpustab.report.svg.rows import Listed, listed
from gpustab.report.svg.standalone import check_formats, standalone, written_as

SVG = "{http://www.w3.org/2000/svg}"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PLAIN = figure(
    120,
    [
        line(20, 10, 380, 10, "grid"),
        line(20, 100, 380, 100, "axis"),
        path([(20, 90), (200, 30), (380, 60)], "g1 line dash"),
        path([(20, 95), (200, 60), (380, 80), (380, 95)], "shuffled area", closed=True),
        *(mark(40 + 60 * k, 50, k, style) for k, style in enumerate(["g0 full", "g1 hollow", "fixed full", "g3 full"])),
        whisker(250, 330, 40, "bootstrap line thin"),
        box(300, 70, 60, 20, "heat full", 0.5, "a title"),
        text(60, 30, "chance", "soft"),
        text(120, 30, "ours", "g2 own"),
        text(330, 84, "12", "on halo", "middle"),
        text(200, 80, "bold & <b>", "bold halo"),
    ],
    "a label",
)

OTHERS = [
    lines(
        Axis("of x", 0.0, 1.0),
        Axis("of y", 0.0, 1.0),
        [
            Bars([0.0, 0.3, 0.6, 1.0], [0.9, 0.5, 0.2], "g1"),
            Level(0.7, "chance"),
            Diagonal(),
            Cuts([0.2, 0.8], "axis dash"),
            Note("a note", 0.6, 0.9),
            Cloud([(x / 40, (x * x % 41) / 41) for x in range(41)], "g2"),
        ],
        "bars and levels",
    ),
    listed([Listed("a word", "0.5", (["one", "two", "three"], ["two", "four"]), {"two"})] * 3, "lists", "Two lists"),
]
"""Kinds of drawings that no picture of the results below has."""


def every_element(svg):
    return [(element.tag.removeprefix(SVG), element.attrib) for element in ElementTree.fromstring(svg).iter()]


def test_nothing_of_a_page_is_left_and_every_mark_has_a_colour():
    svg = standalone(PLAIN)
    assert not re.search(r"var\(|class=|<style|currentColor|paint-order", svg)
    for tag, said in every_element(svg):
        if tag in {"path", "circle", "rect", "line"}:
            assert re.fullmatch(r"#[0-9a-f]{6}", said.get("stroke", "") if said.get("fill") == "none" or tag == "line"
                                else said["fill"]), (tag, said)  # fmt: skip
    assert {said["fill"] for tag, said in every_element(svg) if tag == "text" and "fill" in said} >= {
        "#59636f",  # soft
        "#00765a",  # its own
        "#ffffff",  # on an area
        "#1d2126",
    }
    assert ElementTree.fromstring(svg).get("aria-label") == "a label"


def test_later_rules_win_as_in_the_style_of_a_page():
    (found,) = (
        said for tag, said in every_element(standalone(figure(9, [text(1, 1, "x", "soft bold")], ""))) if tag == "text"
    )
    assert (found["fill"], found["font-weight"]) == ("#59636f", "600")


def as_on_a_page(svg):
    """The same figure with the style of a page, as a browser shows it on white paper."""
    style = re.sub(r"var\(--paper,#\w+\)", "#ffffff", figure_style())
    head, _, body = svg.partition(">")
    return f"{head} width='400'><style>{style}</style>{body}"


def pixels(png, width=992, blurred=8):
    """Means over squares of pixels, which a letter that stands a little to the side hardly changes."""
    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("RGB")
    size = width // blurred, round(image.height * width / image.width) // blurred
    return np.asarray(image.resize(size, Image.Resampling.BOX))


def by_rsvg(svg):
    command = ["rsvg-convert", "--width", "992", "--background-color", "white"]
    return subprocess.run(command, input=svg.encode(), capture_output=True, check=True).stdout


def by_chromium(svg, folder):
    wide, high = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    height = 992 * high / wide
    style = f"body{{margin:0;background:#fff}}svg{{width:992px;height:{height}px;display:block}}"
    (folder / "page.html").write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{svg}")
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--window-size=992,{round(height)}",
    ]
    command += [f"--screenshot={folder / 'shot.png'}", (folder / "page.html").as_uri()]
    subprocess.run(command, capture_output=True, check=True, timeout=120)
    return (folder / "shot.png").read_bytes()


def unlike(first, second):
    """The part that is clearly of another colour: up to 0.004 for letters; 0.05 where lines were black and thick."""
    height = min(len(first), len(second))
    return float((np.abs(first[:height].astype(int) - second[:height]).max(2) > 64).mean())


def drawings(figures):
    return [PLAIN, *OTHERS, *(picture.svg for picture in figures.values() if picture.panels)]


@pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="needs rsvg-convert (librsvg2-bin)")
def test_two_programs_draw_the_same(results):
    pytest.importorskip("cairosvg", exc_type=(ImportError, OSError))
    for svg in drawings(draw(results["stability"]) | draw(results["neighbours"])):
        ((_, png),) = written_as(svg, ["png"])
        own, other = pixels(png), pixels(by_rsvg(standalone(svg)))
        assert own.min() < 200  # something is drawn
        assert unlike(own, other) < 0.015


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_shows_the_same_on_the_page(results, tmp_path):
    pytest.importorskip("cairosvg", exc_type=(ImportError, OSError))
    for svg in drawings(draw(results["stability"]) | draw(results["neighbours"])):
        ((_, png),) = written_as(svg, ["png"])
        assert unlike(pixels(png), pixels(by_chromium(as_on_a_page(svg), tmp_path))) < 0.015


def test_a_file_has_the_size_of_a_column(results):
    pytest.importorskip("cairosvg", exc_type=(ImportError, OSError))
    written = dict(written_as(PLAIN, ["svg", "pdf", "png"]))
    assert b'width="84mm"' in written["svg"]
    assert written["pdf"].startswith(b"%PDF")
    points = float(re.search(rb"/MediaBox \[ ?0 0 ([\d.]+)", written["pdf"])[1])
    assert points / 72 * 25.4 == pytest.approx(84, abs=0.5)
    assert int.from_bytes(written["png"][16:20], "big") == 992  # of 84 mm at 300 dots an inch


def test_what_is_missing_is_named_with_the_way_to_get_it():
    check_formats(["svg"])
    with patch("gpustab.report.svg.standalone.find_spec", return_value=None):
        check_formats(["svg"])
        with pytest.raises(InputError, match=r"figures as pdf and png need cairosvg: pip install '.*\[figures\]'"):
            check_formats(["svg", "png", "pdf"])

    class Broken:
        def find_spec(self, name, path=None, target=None):
            if name == "cairosvg":
                raise OSError("no library called cairo-2 was found")

    with patch.object(sys, "meta_path", [Broken(), *sys.meta_path]), patch.dict(sys.modules):
        sys.modules.pop("cairosvg", None)
        with (
            patch("gpustab.report.svg.standalone.find_spec", return_value=True),
            pytest.raises(InputError, match="need the library cairo, which the system installs: apt install libcairo2"),
        ):
            check_formats(["pdf"])
