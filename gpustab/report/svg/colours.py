"""Colours of pages and figures by name, light and dark; the style of every figure; and which group has which colour.

Each has a contrast of at least 4.5 on its paper. A figure that was saved, and so has no page, takes the light ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gpustab.report.origin import in_words

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


def light(name: str) -> str:
    """Return the light colour of a name, on white paper; any other value is what it is.

    >>> light("ink"), light("paper"), light("none")
    ('#1d2126', '#ffffff', 'none')
    """
    return "#ffffff" if name == "paper" else COLOURS[name][0] if name in COLOURS else name


_CLASSES: tuple[tuple[str, dict[str, str]], ...] = (
    ("bold", {"font-weight": "600"}),
    ("grid", {"stroke": "line"}),
    ("axis", {"fill": "none", "stroke": "soft"}),
    ("line", {"fill": "none", "stroke": "currentColor", "stroke-width": "2", "stroke-linejoin": "round"}),
    ("thin", {"stroke-width": "1.25"}),
    ("dash", {"stroke-dasharray": "4 3"}),
    ("area", {"fill": "currentColor", "fill-opacity": ".16"}),
    ("full", {"fill": "currentColor"}),
    ("hollow", {"fill": "paper", "stroke": "currentColor", "stroke-width": "1.5"}),
    ("halo", {"paint-order": "stroke", "stroke": "paper", "stroke-width": "4", "stroke-linejoin": "round"}),
    *((name, {"color": name}) for name in COLOURS if name not in BACKGROUNDS),
)
LETTERS = "text"
"""The element that has a rule of its own, whatever its class."""
_OF_LETTERS = {"fill": "ink", "font-size": "12px"}
_OVER_LETTERS = (("soft", {"fill": "soft"}), ("own", {"fill": "currentColor"}), ("on", {"fill": "paper"}))
RULES = (*_CLASSES, (LETTERS, _OF_LETTERS), *_OVER_LETTERS)
"""By class, or by the element of letters, what stands there, a later rule before an earlier one; colours by name."""


def figure_style() -> str:
    """Return the rules as the CSS of a page."""
    whole = f"svg.figure{{font:12px {FONT};font-variant-numeric:tabular-nums}}"
    over = "".join(_css(f"svg.figure .{name}", said) for name, said in _OVER_LETTERS)
    # Whatever a page says of soft letters.
    return (
        whole
        + "".join(_css(f".{name}", said) for name, said in _CLASSES)
        + _css(f"svg.figure {LETTERS}", _OF_LETTERS)
        + over
    )


def _css(selector: str, said: dict[str, str]) -> str:
    rules = ";".join(f"{name}:{variable(value) if value in COLOURS else value}" for name, value in said.items())
    return f"{selector}{{{rules}}}"


_SHAPES = {"bootstrap": 0, "shuffled": 1, "fixed": 2}
_OTHERS = 7


class Series(NamedTuple):
    """How a group is drawn.

    Attributes:
        style: its class.
        shape: number of its mark, see :func:`gpustab.report.svg.elements.mark`.
    """

    style: str
    shape: int


def series(names: Iterable[str]) -> dict[str, Series]:
    """Return how every group is drawn.

    Groups whose names end in a sampling have its colour and mark, if each sampling is there once.

    >>> series(["sgns/fixed", "sgns/bootstrap"])["sgns/bootstrap"]
    Series(style='bootstrap', shape=0)
    >>> series(["a/fixed", "b/fixed"])["b/fixed"]
    Series(style='g1', shape=1)
    """
    groups = list(dict.fromkeys(names))
    samplings = [group.rpartition("/")[2] for group in groups]
    if len(set(samplings)) == len(samplings) and all(name in _SHAPES for name in samplings):
        return {group: Series(name, _SHAPES[name]) for group, name in zip(groups, samplings, strict=True)}
    return {group: nth(k) for k, group in enumerate(groups)}


def nth(k: int) -> Series:
    """Return how the k-th of several groups is drawn that have no colour of their own.

    >>> nth(8)
    Series(style='g1', shape=8)
    """
    return Series(f"g{k % _OTHERS}", k)


def called(names: Iterable[str]) -> dict[str, str]:
    """Return what groups are called within a figure: without the technique where all have the same.

    >>> called(["sgns/fixed", "sgns/bootstrap"])["sgns/fixed"], called(["sgns/fixed", "lsa/fixed"])["lsa/fixed"]
    ('fixed', 'LSA, fixed')
    """
    groups = list(dict.fromkeys(names))
    before = {group.rpartition("/")[0] for group in groups}
    alike = len(groups) > 1 and len(before) == 1
    return {group: group.rpartition("/")[2] if alike else in_words(group) for group in groups}


def listing(said: Iterable[tuple[str, str]], most: int = 4) -> str:
    """Return what is said of each group as a list for a title, the groups in brackets; of one group without its name.

    >>> listing([("fixed", "20 %"), ("bootstrap", "46 %")]), listing([("runs", "20 %")])
    ('20 % (fixed), 46 % (bootstrap)', '20 %')
    """
    rows = list(said)
    if len(rows) == 1:
        return rows[0][1]
    bracketed = any("(" in text for _, text in rows)  # no brackets beside brackets
    shown = [f"{group} {text}" if bracketed else f"{text} ({group})" for group, text in rows[:most]]
    return ", ".join(shown) + ", …" * (len(rows) > most)
