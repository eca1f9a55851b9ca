import pytest

from gpustab.report.svg.colours import BACKGROUNDS, COLOURS, figure_style, page_colours
from gpustab.report.svg.matrix import PAPER_ABOVE


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a, b):
    """By WCAG 2.2: 1 to 21."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", [name for name in COLOURS if name not in BACKGROUNDS])
@pytest.mark.parametrize("k", [0, 1])
def test_text_and_marks_can_be_read_on_paper(name, k):
    assert contrast(COLOURS[name][k], COLOURS["paper"][k]) >= 4.5


@pytest.mark.parametrize("k", [0, 1])
def test_numbers_in_cells_can_be_read_at_every_opacity(k):
    """On a cell of a half tone numbers had a contrast of 2.7, on light and on dark paper."""
    paper, ink, heat = (COLOURS[name][k] for name in ("paper", "ink", "heat"))
    for part in range(101):
        mixed = [
            round((part * int(heat[at : at + 2], 16) + (100 - part) * int(paper[at : at + 2], 16)) / 100)
            for at in (1, 3, 5)
        ]
        letters = paper if part / 100 > PAPER_ABOVE else ink
        assert contrast(letters, "#" + "".join(f"{value:02x}" for value in mixed)) > 3.6


def test_contrast_is_that_of_the_guideline():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_every_variable_of_a_figure_has_a_colour_without_a_page():
    style = figure_style()
    assert style.count("var(--") == style.count(",#")
    assert all(f"--{name}:" in page_colours() for name in COLOURS)
