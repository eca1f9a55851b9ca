"""Colours of pages and figures, by name: one for light paper, one for dark; and the style of every figure.

Each has a contrast of at least 4.5 on its paper. A figure that was saved, and so has no page, takes the light ones.
"""

from __future__ import annotations

COLOURS = {
    "paper": ("#fcfcfa", "#15181c"),
    "ink": ("#1d2126", "#e6e8eb"),
    "soft": ("#59636f", "#a5aeb9"),
    "line": ("#dfe2e5", "#363c44"),
    "panel": ("#f3f4f1", "#1e2227"),
    "bad": ("#a3002b", "#ff8c9d"),
    "heat": ("#27508a", "#5f93e0"),
    "fixed": ("#00765a", "#45c9a2"),
    "shuffled": ("#0067a5", "#68b8f2"),
    "bootstrap": ("#b54700", "#ff9d55"),
    "g0": ("#0067a5", "#68b8f2"),
    "g1": ("#b54700", "#ff9d55"),
    "g2": ("#00765a", "#45c9a2"),
    "g3": ("#96407c", "#e39fcb"),
    "g4": ("#6f5f00", "#e6c84a"),
    "g5": ("#1d6f87", "#8fd8ee"),
    "g6": ("#1d2126", "#e6e8eb"),
}
"""Light and dark. Groups of known sampling have their own colour, others take g0, g1 ... in Okabe and Ito's order."""

BACKGROUNDS = ("paper", "line", "panel")
"""Not for text or marks."""

FONT = '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif'


def page_colours() -> str:
    """Return the variables of a page as CSS; print is always light."""
    light, dark = ("".join(f"--{name}:{pair[k]};" for name, pair in COLOURS.items()) for k in (0, 1))
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def variable(name: str) -> str:
    """Return the colour of a name as CSS: the page's, or the light one where there is no page.

    >>> variable("ink")
    'var(--ink,#1d2126)'
    """
    return f"var(--{name},{COLOURS[name][0]})"


def figure_style() -> str:
    """Return the CSS of all figures: of letters, lines and areas."""
    marks = "".join(f".{name}{{color:{variable(name)}}}" for name in COLOURS if name not in BACKGROUNDS)
    return (
        f"svg.figure{{font:12px {FONT};font-variant-numeric:tabular-nums}}"
        f"svg.figure text{{fill:{variable('ink')};font-size:12px}}"  # whatever a page says of soft letters
        f"svg.figure .soft{{fill:{variable('soft')}}}"
        f"svg.figure .own{{fill:currentColor}}svg.figure .on{{fill:{variable('paper')}}}"
        ".bold{font-weight:600}"
        f".grid{{stroke:{variable('line')}}}.axis{{fill:none;stroke:{variable('soft')}}}"
        ".line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}.thin{stroke-width:1.25}"
        ".dash{stroke-dasharray:4 3}.area{fill:currentColor;fill-opacity:.16}.full{fill:currentColor}"
        f".hollow{{fill:{variable('paper')};stroke:currentColor;stroke-width:1.5}}"
        f".halo{{paint-order:stroke;stroke:{variable('paper')};stroke-width:4;stroke-linejoin:round}}" + marks
    )
