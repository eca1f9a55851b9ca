"""A Result as one HTML page that needs no network."""

from __future__ import annotations

from importlib.resources import files

from gpustab.report.figures import FIGURES
from gpustab.report.json_text import plain
from gpustab.report.shown import describe
from gpustab.results import Result


def to_html(result: Result) -> str:
    """Return a self-contained page: the blocks of the terminal page, figures, notes, settings and environment."""
    from jinja2 import Environment

    template = (files("gpustab.report") / "page.html").read_text(encoding="utf-8")
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(template)
    return page.render(
        result=result,
        blocks=describe(result),
        captions={name: caption for name, (caption, _) in FIGURES.items()},
        settings=plain(result.settings),
        environment=plain(result.environment),
    )
