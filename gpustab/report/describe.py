"""What a result's page is made of: each study brings its own parts, everything else has plain ones.

A study is a folder ``gpustab/studies/<name>/``. Its ``page.py`` has ``page(result) -> list[Block]``.

Its optional ``paper.py``, or else its page, has any of ``heading(result) -> (title, what was looked at)``;
``cards(result) -> list[Card]``, the four numbers that a reader takes away; ``may_claim(result) -> str``, what a paper
may say by them, empty where an alarm forbids to say anything; ``methods(result) -> str``, a paragraph for who writes a
paper, which follows on how the runs were trained; ``CITATIONS``, keys of :mod:`gpustab.report.citations`; and
``WORDS``, by table of words the titles of the columns that can be searched on the page.

Its optional ``figures.py`` has ``FIGURES``: by name a caption, how to read it, and a function of the result's tables
that returns a :class:`~gpustab.report.svg.picture.Picture`, or an SVG text that is empty where the tables lack the
numbers. Among these tables is ``summaries``: the result's groups, one a row. A block of the page names the figures that
belong to it; others stand after the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any, NamedTuple

from gpustab.machine.memory import let_go
from gpustab.report.origin import called, fitting, technique, training, ways_of
from gpustab.report.svg.picture import Figures, Picture
from gpustab.report.words import Titles
from gpustab.results import Block, Card, Content, SmallTable, Table
from gpustab.results.page import number, whole

_CARDS = 4
_NOTHING_YET = "Nothing yet: what is said above in red comes first."
_ROWS = 20
"""A plain page shows so many rows of a table."""

_TEXT = re.compile(r">[^<>]+<|aria-label=\"[^\"]+\"")
"""What is read in a panel; the script of the page reads other attributes."""

SUMMARIES = "summaries"
"""Name of the table of the result's groups among those that figures are drawn from."""


def describe(result: Content) -> list[Block]:
    """Return the blocks of a result's page, in reading order."""
    module = _part(result, "page")
    blocks: list[Block] = module.page(result) if module else _plain(result)
    return [_in_words(block, ways_of(result)) for block in blocks]


def _in_words(block: Block, ways: Sequence[Mapping[str, Any]]) -> Block:
    """A block whose groups are called what people call them, with advice that fits how they were made."""
    tables = [
        replace(table, title=called(table.title), header=[*map(called, table.header)], rows=_cells(table))
        for table in block.tables
    ]

    def say(text: str) -> str:
        return called(fitting(text, ways))

    facts = [(say(name), value, say(meaning)) for name, value, meaning in block.facts]
    title, answer, aside = map(say, (block.title, block.answer, block.aside))
    return replace(block, title=title, answer=answer, aside=aside, facts=facts, tables=tables)


def plainly(about: str) -> str:
    """Return what a column is without the marks of a docstring.

    >>> plainly("``all``, or ``known``")
    'all, or known'
    """
    return about.replace("``", "")


def _cells(table: SmallTable) -> list[list[str]]:
    """The cells of a table; those of a column of techniques are the names of these."""
    named = [technique if title in ("technique", "runs of") else called for title in table.header]
    return [[called(say(cell)) for say, cell in zip(named, row, strict=True)] for row in table.rows]


_TITLES = {"train": "What was trained?", "encode": "What was encoded?", "pack": "What was packed?"}
"""Titles of the pages of commands that make something and study nothing."""


class Paper(NamedTuple):
    """What a study says beside its blocks.

    Attributes:
        title: of the page.
        about: what was looked at.
        cards: the numbers that a reader takes away, four at most.
        claim: what a paper may say by them; empty where the study does not say.
        methods: a paragraph for the methods section of a paper; empty where the study has none.
        citations: keys of what a paper that uses the result should cite.
        words: which columns of which tables of words can be searched on the page.
    """

    title: str
    about: str
    cards: Sequence[Card]
    claim: str
    methods: str
    citations: Sequence[str]
    words: Mapping[str, Titles]


def paper(result: Content) -> Paper:
    """Return what the result's study says for papers."""
    module = _part(result, "paper") or _part(result, "page")

    def said(name: str, otherwise: Any) -> Any:
        return getattr(module, name)(result) if hasattr(module, name) else otherwise

    def fit(text: str) -> str:
        return fitting(text, ways_of(result))

    title, about = said("heading", (_named(result), ""))
    methods = said("methods", "")
    return Paper(
        title,
        about,
        [type(card)(*map(fit, card)) for card in said("cards", ())[:_CARDS]],
        fit(said("may_claim", "")) or (_NOTHING_YET if result.alarms and hasattr(module, "may_claim") else ""),
        " ".join(filter(None, (training(result), methods))) if methods else "",
        getattr(module, "CITATIONS", ("gpustab",)),
        getattr(module, "WORDS", {}),
    )


def made_by(result: Content) -> str:
    """Return the command that made a result, without its arguments.

    >>> made_by(Content("change", environment={"command": "gpustab study change RUNSET"}))
    'gpustab study change'
    """
    study = str(result.environment.get("command", "")).startswith("gpustab study ")
    return f"gpustab {'study ' * study}{result.name}"


_TERMS = {
    "fixed": "Fixed runs differ by the seed of their training alone.",
    "shuffled": "Shuffled runs read the texts in another order.",
    "bootstrap": "Bootstrap runs draw the texts again, some twice and some not at all.",
}
_MEASURES = {
    "neighbour": "Nearest neighbours are those whose vectors point most nearly the same way.",
    "p@": "p@n is the share of n nearest neighbours that two runs have in common.",
    "cosine": "The cosine of two vectors is 1 where they point the same way, and 0 where they have nothing in common.",
    "PIP loss": "The PIP loss says how far the cosines of all pairs of words differ between two runs.",
    "of chance": "100 % of chance is as far as in unrelated spaces.",
    "way to another sentence": "A model gives every sentence a place. 0 % of the way is where the sentence itself "
    "lies, 100 % is as far off as another sentence of the text.",
}
"""What a measure is whose name stands in the head of a page, or in what is said of another measure."""
_INTERVALS = "± and ranges in brackets hold the true value 19 times in 20 (95 % intervals), unless they say otherwise."
_RANGE = re.compile(r"± \d|\([^()]*?\b\d{1,3}(?:\.\d+)?(?: %)?(?:–| to )[+−]?\d")


def terms(result: Content, paper: Paper) -> str:
    """Return what the kinds of runs, the measures and the ranges are of which the head of a page speaks, if any.

    >>> terms(Content("x", groups=[{"name": "lsa/bootstrap-sentence"}]), Paper("", "", [], "", "", [], {}))
    'Bootstrap runs draw the texts again, some twice and some not at all.'
    """
    kinds = {part.partition("-")[0] for group in result.groups for part in str(group.get("name", "")).split("/")}
    head = " ".join([*result.verdict, paper.claim, *(part for card in paper.cards for part in card)])
    said = [fitting(sentence, ways_of(result)) for kind, sentence in _TERMS.items() if kind in kinds]
    measures = [sentence for name, sentence in _MEASURES.items() if name in head]
    if "PIP loss" in head and _MEASURES["cosine"] not in measures:
        measures.insert(0, _MEASURES["cosine"])
    return " ".join([*said, *measures, *[_INTERVALS] * bool(_RANGE.search(head))])


def _named(result: Content) -> str:
    """What a page without a study is called: what was trained, or the command."""
    corpus = result.settings.get("corpus")
    if result.name == "train" and isinstance(corpus, Mapping) and "name" in corpus:
        return f"What was trained on {PurePath(str(corpus['name'])).name}?"
    return _TITLES.get(result.name, made_by(result))


def figures_of(result: Content) -> Figures:
    """Return the captions and drawings that the result's study has, by name."""
    module = _part(result, "figures")
    figures: Figures = module.FIGURES if module else {}
    return figures


def draw(result: Content) -> dict[str, Picture]:
    """Return every figure of the result's study by name; without panels where the tables lack the numbers.

    Raises:
        InputError: if a package is missing that a figure is drawn by.
    """
    drawn, tables = {}, {SUMMARIES: summaries(result.groups), **result.tables}
    for name, (caption, function) in figures_of(result).items():
        made = function(tables)
        picture = made if isinstance(made, Picture) else Picture(panels=[made] if made else [])
        drawn[name] = replace(
            picture,
            title=called(picture.title),
            panels=[_TEXT.sub(lambda found: called(found[0]), panel) for panel in picture.panels],
            caption=called(picture.caption or caption),
        )
        let_go()  # pair matrices of the next picture need not come beside what those of this one left
    return drawn


def summaries(groups: Sequence[Mapping[str, Any]]) -> Table:
    """Return the summaries of groups as a table; a value that a group lacks is ``None`` there.

    >>> summaries([{"name": "a", "runs": 3}, {"name": "b"}])
    {'name': ['a', 'b'], 'runs': [3, None]}
    """
    names = dict.fromkeys(name for group in groups for name in group)
    return Table({name: [group.get(name) for group in groups] for name in names})


def _part(result: Content, part: str) -> Any:
    """The module of the result's study that is asked for, if there is one."""
    package = f"gpustab.studies.{result.name}"
    if not result.name.isidentifier() or find_spec(package) is None or find_spec(f"{package}.{part}") is None:
        return None
    return import_module(f"{package}.{part}")


def _plain(result: Content) -> list[Block]:
    """The plain facts of each group, unless a table has them, then the first rows of the tables."""
    blocks = []
    for group in result.groups if "groups" not in result.tables else ():
        facts = [
            (key.replace("_", " "), number(value) if isinstance(value, float) else str(value), "")
            for key, value in group.items()
            if key != "name" and not isinstance(value, dict | list)
        ]
        blocks.append(Block(str(group["name"]), facts))
    for name, table in result.tables.items():
        title = name.replace("_", " ")
        shown = whole("", table.take(range(min(_ROWS, table.height))))
        if table.height > _ROWS:
            shown.title = f"the first {_ROWS} of {table.height:,} rows; --out DIR writes all of them to {name}.parquet"
        blocks.append(Block(title, [], [shown]))
    return blocks
