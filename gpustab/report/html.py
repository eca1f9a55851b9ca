"""A Result as one HTML page that needs no network; units stay with their numbers, and an alarm begins in bold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from gpustab.report import describe as parts
from gpustab.report.citations import bibtex
from gpustab.report.json_text import plain
from gpustab.report.listing import account, listed, size
from gpustab.report.origin import called
from gpustab.report.svg.colours import figure_style, page_colours
from gpustab.report.svg.picture import Picture
from gpustab.report.words import browser
from gpustab.results import Block, Content, SmallTable

_APART = ("inputs", "command", "date", "trained")
"""Parts of the environment that the page shows at a place of their own."""
_LABEL = 40
"""Letters of a section's name in the list of sections."""
_UNFOLDED = 22
"""Letters of a cell that is not folded."""
_WIDE = 46
"""Tables with more letters in a row take the whole width."""
_TIGHT = re.compile(r" (?=[%±×=])|(?<=[±×=]) (?=\d)")
_RANGE = re.compile(r"(?<=[\d%])\u2013(?=\d)")
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_FIRST = re.compile(r"(.+?[.:!?])\s+(.+)", re.DOTALL)


def to_html(result: Content, figures: dict[str, Picture] | None = None) -> str:
    """Return a self-contained page: alarms, verdict, blocks, all words, notes, and how it was made.

    Args:
        result: what is shown.
        figures: pictures by name; default: they are drawn.
    """
    drawn = parts.draw(result) if figures is None else figures
    blocks = parts.describe(result)
    named = {name for block in blocks for name in block.figures}
    paper, words = parts.paper(result), browser(result, parts.paper(result).words)
    others = [name for name, picture in drawn.items() if name not in named and (picture.panels or picture.missing)]
    if not any(drawn[name].panels for name in others):  # a section of sentences on pictures is none
        others = []
    environment = dict(result.environment)
    page = (
        _environment()
        .get_template("page.html")
        .render(
            result=result,
            title=paper.title,
            made_by=parts.made_by(result),
            terms=parts.terms(result, paper),
            about=paper.about,
            cards=paper.cards,
            claim=paper.claim,
            sections=list(_sections(result, blocks, pictures=bool(others), words=words is not None)),
            blocks=blocks,
            figures=drawn,
            others=others,
            words=_island(words),
            methods=paper.methods,
            bibtex=bibtex(paper.citations, str(environment.get("gpustab"))),
            date=environment.get("date", ""),
            command=environment.get("command", ""),
            inputs=environment.get("inputs", []),
            trained=account(environment.get("trained", [])),
            settings=listed(result.settings),
            environment=listed({key: value for key, value in environment.items() if key not in _APART}),
            style=page_colours() + _file("page.css"),
            figure_style=figure_style(),
            script=_file("page.js"),
        )
    )
    text: str = visible(plain(page))
    return text


def _sections(result: Content, blocks: Sequence[Block], *, pictures: bool, words: bool) -> Iterator[tuple[str, str]]:
    """Yield the id and a short name of every section of the page, in its order."""
    if pictures:
        yield "pictures", "Pictures"
    for k, block in enumerate((block for block in blocks if not block.folded), 1):
        yield f"block-{k}", label(block.title)
    if words:
        yield "words", "All words"
    for k, block in enumerate((block for block in blocks if block.folded), 1):
        yield f"folded-{k}", label(block.title)
    if result.notes:
        yield "notes", "Notes"
    yield from (("cite", "How to cite"), ("made", "How this was made"))


def label(title: str) -> str:
    """Return a heading that is short enough for the list of sections: its beginning, up to a whole word.

    >>> label("Does it matter which documents I have?")
    'Does it matter which documents I have?'
    >>> label("LSA, bootstrap: the 10 nearest neighbours of 'war' in 8 runs")
    'LSA, bootstrap: the 10 nearest…'
    """
    if len(title) <= _LABEL:
        return title
    return f"{title[:_LABEL].rpartition(' ')[0] or title[: _LABEL - 1]}…"


def to_notebook(result: Content) -> str:
    """Return the page for a notebook's cell, in a frame of its own, so that its style stays within."""
    page = escape(to_html(result), quote=True)
    return f'<iframe srcdoc="{page}" style="width:100%;height:40em;border:0" sandbox="allow-scripts"></iframe>'


@cache  # to compile the page takes longer than to fill it
def _environment() -> Any:
    from jinja2 import DictLoader, Environment

    made = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=DictLoader({"page.html": _file("page.html")})
    )
    made.filters |= {
        "keep": keep,
        "parted": parted,
        "unbroken": unbroken,
        "opening": _opening,
        "broad": _broad,
        "letters": _letters,
        "plainly": parts.plainly,
        "called": called,
        "size": size,
    }
    return made


def _broad(table: SmallTable) -> bool:
    """Whether a table takes the whole width: by the longest cell of every column, with two letters between them."""
    columns = zip(table.header, *table.rows, strict=True)
    return sum(2 + max(map(len, column)) for column in columns) > _WIDE


def _letters(table: SmallTable, k: int) -> int:
    """Return how wide a column of words stays where a page is narrow: its longest cell, but for sentences."""
    return min(max(len(row[k]) for row in table.rows), _UNFOLDED) if table.rows else 0


def _opening(table: SmallTable) -> list[bool]:
    """Which columns hold words that the table of all words opens."""
    return [k in table.opens or (not k and name in ("word", "neighbour")) for k, name in enumerate(table.header)]


def _file(name: str) -> str:
    return (files("gpustab.report") / name).read_text(encoding="utf-8")


def _island(content: Any) -> str:
    """Numbers as JSON that may stand in a script element: nothing in it can end one."""
    return "" if content is None else json.dumps(content).replace("<", "\\u003c")


def keep(text: str) -> str:
    """Return a sentence whose numbers are not parted from their units, nor ranges within.

    >>> keep("52 % ± 2").count(" ")
    0
    """
    return _RANGE.sub("\u2060\u2013\u2060", _TIGHT.sub("\u00a0", text))


def unbroken(title: str) -> str:
    r"""Return a title whose words are not parted at their hyphens.

    >>> unbroken("skip-gram of 1790-1810")
    'skip\u2011gram of 1790\u20111810'
    """
    return _HYPHEN.sub("\u2011", title)


def visible(page: str) -> str:
    r"""Return a page whose control characters are written out, those that turn the direction of reading among them.

    >>> print(visible("esc\x1b[31m"))
    esc\x1b[31m
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), page)


def parted(text: str) -> tuple[str, str]:
    """Return what leads a paragraph, up to its first full stop or colon, and the rest.

    >>> parted("Run 2 is collapsed: its loss of 0.3 % means nothing.")
    ('Run 2 is collapsed:', 'its loss of 0.3 % means nothing.')
    """
    found = _FIRST.fullmatch(text)
    return (found[1], found[2]) if found else (text, "")
