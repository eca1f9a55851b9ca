"""A Result as one HTML page that needs no network."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from gpustab.report.describe import describe, draw, figures_of
from gpustab.report.json_text import plain
from gpustab.results import Content


def to_html(result: Content, figures: dict[str, str] | None = None) -> str:
    """Return a self-contained page: the blocks of the terminal page, figures, notes, settings and environment.

    Args:
        result: what is shown.
        figures: SVG texts by name; default: they are drawn.
    """
    from jinja2 import Environment

    template = (files("gpustab.report") / "page.html").read_text(encoding="utf-8")
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(template)
    rendered: str = page.render(
        result=result,
        blocks=describe(result),
        figures=draw(result) if figures is None else figures,
        captions={name: caption for name, (caption, _) in figures_of(result).items()},
        settings=plain(result.settings),
        environment=plain(result.environment),
    )
    text: str = plain(rendered)
    return text


def to_notebook(result: Content) -> str:
    """Return the page for a notebook's cell, in a frame of its own, so that its style stays within."""
    page = escape(to_html(result), quote=True)
    return f'<iframe srcdoc="{page}" style="width:100%;height:40em;border:0" sandbox="allow-scripts"></iframe>'
