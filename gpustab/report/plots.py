"""Figures as SVG by matplotlib: style, panels of one table, and the text of the figure.

Colours follow the page: what matplotlib writes as a colour becomes a variable of the page, with that colour where there
is no page. Series differ in marker or line too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from io import StringIO
from typing import TYPE_CHECKING, Any

from gpustab.errors import InputError
from gpustab.report.svg.colours import COLOURS, variable
from gpustab.results import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMES = ("g0", "g4", "g2", "g1", "soft", "ink", "paper")
BLUE, ORANGE, GREEN, RED, GREY, INK, PAPER = (COLOURS[name][0] for name in _NAMES)
SERIES = ((BLUE, "o", "-"), (RED, "s", "--"), (GREEN, "^", "-."), (ORANGE, "D", ":"), (GREY, "v", "-"))
"""Colour, marker and line of the series of a panel."""
_STYLE: Any = {
    "font.size": 11,
    "font.family": "sans-serif",
    "svg.fonttype": "none",  # text stays text: small, sharp, searchable
    "svg.hashsalt": "gpustab",  # the same tables give the same bytes
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "savefig.transparent": True,  # the page shines through
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
}
_PANEL = (3.9, 3.3)

Tables = Mapping[str, Table]


def by_matplotlib(draw: Callable[[Tables], str]) -> Callable[[Tables], str]:
    """Let a function draw in our style, whatever the caller's is.

    Raises:
        InputError: at the call, if matplotlib, of the extra ``study``, is missing.
    """

    @wraps(draw)
    def styled(tables: Tables) -> str:
        try:
            import matplotlib as mpl
        except ImportError:
            raise InputError("figures need matplotlib: pip install 'gpustab[study]'") from None
        with mpl.rc_context(_STYLE):
            return draw(tables)

    return styled


def panels(table: Table | None, draw: Callable[[Axes, Table], None]) -> str:
    """Draw one panel per technique and the legend beneath them; nothing without rows."""
    if not table or not table["technique"]:
        return ""
    parts = table.split("technique")
    figure = new_figure(len(parts), 1)
    axes = figure.subplots(1, len(parts), sharey=True, squeeze=False)[0]
    for here, (name, rows) in zip(axes, parts, strict=True):
        draw(here, rows)
        here.set_title(name, parse_math=False)
        if here is not axes[0]:
            here.set_ylabel("")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(3, len(labels)))
    return svg_text(figure)


def new_figure(columns: int, rows: int) -> Figure:
    """Return an empty figure for panels in columns and rows."""
    from matplotlib.figure import Figure

    return Figure(figsize=(max(columns, 1.5) * _PANEL[0], rows * _PANEL[1] + 0.5), layout="constrained")


def svg_text(figure: Figure) -> str:
    """Return a figure as SVG, without the XML head, which a page must not hold."""
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None}, dpi=150)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    for name in _NAMES:
        svg = svg.replace(COLOURS[name][0], variable(name))
    return svg
