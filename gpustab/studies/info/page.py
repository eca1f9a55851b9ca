"""The page of info: whether anything is odd, and what each file or corpus holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from os.path import commonpath
from pathlib import Path, PurePath
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, cell, counted, thousands

_COLUMNS: Columns = ("format", ("words", lambda row: thousands(row["words"])), "dimension")
_ODD = {
    "duplicates": "duplicate words",
    "nonfinite": "rows not finite",
    "zero_vectors": "zero vectors",
    "undecodable": "words not UTF-8",
}
"""What is counted of every file; a table has those that some file has."""
_NAMES = {"nonfinite": "rows not finite", "undecodable": "words not UTF-8"}


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and of how many files."""
    texts = [group for group in result.groups if "lines" in group]
    if len(texts) == len(result.groups) == 1:
        return f"What is {texts[0]['name']}, before it is trained?", "a corpus"
    kind = "corpora" if texts else "files of vectors"
    return f"What do these {kind} hold?", counted(len(result.groups), "corpus" if texts and len(texts) == 1 else "file")


def cards(result: Content) -> list[Card]:
    """Return how much a corpus holds, or files of vectors hold, and how much of it is odd."""
    texts = [group for group in result.groups if "lines" in group]
    if texts:
        group = texts[0]
        strong = sum(doubt["strong"] for doubt in group["doubts"])
        sizes = (
            ("Documents", "documents"),
            ("Running words that are kept", "tokens"),
            (f"Words that occur {group.get('min_count')} times or more", "words"),
        )
        made = [Card(name, f"{group[key]:,}") for name, key in sizes if isinstance(group.get(key), int)]
        return [*made, Card("Doubts", str(len(group["doubts"])), f"{strong} of them strong" if group["doubts"] else "")]
    whole = [group for group in result.groups if "error" not in group]
    odd = [group for group in whole if any(group.get(key) for key in ("duplicates", "nonfinite", "zero_vectors"))]
    words = sorted(group["words"] for group in whole) or [0]
    span = f"{words[0]:,}" if words[0] == words[-1] else f"{words[0]:,}–{words[-1]:,}"
    return [
        Card("Files that can be read", str(len(whole)), f"of {len(result.groups)}"),
        Card("Words in a file", span),
        Card("Files with something odd", str(len(odd)), "", "duplicates, rows that are not finite, zero vectors"),
    ]


def page(result: Result) -> list[Block]:
    """Return one file in full, several in a table; what cannot be read says why."""
    texts = [group for group in result.groups if "lines" in group]
    corpora = [block for group in texts for block in _of_corpus(group)]
    readable = [group for group in result.groups if "error" not in group and "lines" not in group]
    refused = [
        Block(f"{group['name']}: cannot be read", [("", group["error"], "")])
        for group in result.groups
        if "error" in group
    ]
    if len(readable) == 1:
        (group,) = readable
        facts = [
            (_NAMES.get(name, name.replace("_", " ")), _fact(value), "")
            for name, value in group.items()
            if name not in {"name", "made"} and value is not None
        ]
        return [*corpora, Block(group["name"], facts), *refused]
    return corpora + [_of_files(readable)] * bool(readable) + refused


def _of_files(readable: Sequence[dict[str, Any]]) -> Block:
    """Return many files as a table; those of several folders take turns, so that its first rows show some of each."""
    paths: list[PurePath] = [PurePath(group["name"]) for group in readable]
    if len({path.is_absolute() for path in paths}) > 1:
        paths = [Path(path).absolute() for path in paths]
    folder = PurePath(commonpath([path.parent for path in paths])) if paths else PurePath()
    turns = Counter[PurePath]()
    places = []
    for path in paths:
        places.append(turns[path.parent])
        turns[path.parent] += 1
    order = sorted(range(len(paths)), key=places.__getitem__)
    rows = [{**readable[k], "name": str(paths[k].relative_to(folder))} for k in order]
    columns: Columns = [("file", lambda row: row["name"]), *_COLUMNS]
    odd = {key: title for key, title in _ODD.items() if any(row[key] for row in readable)}
    columns = [*columns, *((title, partial(_counted, key)) for key, title in odd.items())]
    none = [title for key, title in _ODD.items() if key not in odd]
    table = SmallTable.of("", rows, columns, row=dict)
    within = f" in {folder}" if folder.name else ""
    answer = f"No file has {', '.join(none)}." if none else ""
    return Block(f"{len(readable)} files{within}", [], [table], answer=answer)


def _counted(key: str, row: dict[str, Any]) -> str:
    return thousands(row[key])


def _of_corpus(group: dict[str, Any]) -> list[Block]:
    """Return what a corpus is, and each doubt about it with examples and the way to go on."""
    told, doubts = list[tuple[str, str, str]](), False
    for label, text in group["lines"]:
        doubts = label == "doubts" and bool(group["doubts"]) if label else doubts
        told += [] if doubts else [(label, "", text)]  # doubts have blocks of their own
    strong = sum(doubt["strong"] for doubt in group["doubts"])
    answer = "gpustab train stops here, unless you go on in one of the ways below." if strong else ""
    blocks = [Block(group["name"], told, answer=answer)]
    for doubt in group["doubts"]:
        facts = [("for example", "", "; ".join(doubt["examples"]))] * bool(doubt["examples"])
        title = f"{'Strong doubt' if doubt['strong'] else 'Note'}: {doubt['says']}"
        blocks.append(Block(title, [*facts, ("to go on", "", doubt["way"])]))
    return blocks


def _fact(value: Any) -> str:
    if isinstance(value, bool | float):
        return cell(value)
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(value) if isinstance(value, list) else cell(value)
