"""Write the page of what ``gpustab info`` says of ten inputs of different kinds: ``python -m docs.looks``."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

from typer.testing import CliRunner

from benchmarks.zoo.__main__ import Seen, table
from benchmarks.zoo.made import made
from benchmarks.zoo.specimen import Specimen
from gpustab.cli import app
from gpustab.cli.complaints import as_typed
from gpustab.corpus.evidence import evidence
from gpustab.corpus.evidence.page import lines_of
from gpustab.errors import InputError

PAGE = Path(__file__).parent / "pages" / "reference" / "looks.md"
SHOWN = (
    "sketch engine",
    "word lemma tag of coha",
    "mails in a folder",
    "subtitles",
    "wikitext",
    "chinese",
    "ocr in blocks",
    "newspapers with a masthead",
    "translation memory",
    "source code",
)
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
_HEAD = """# What `gpustab info` says of ten texts

The texts are made: real sentences in the forms that people have. Each block is what `gpustab info` prints of one of
them, in short; a strong doubt stops `gpustab train`. This page is written by `python -m docs.looks`.

No list of signatures is behind it: the 208 lines that knew 20 formats by how they begin and 12 by their signs
(`corpus/formats/marked.py`), are gone. Names of formats are left for binary files alone, which begin with them.
"""
_ZOO = """
## How often doubts are right

Rules were set on the texts of the column *seen*. The fresh sets were written down before, and read once, after the
rules were frozen. They are real texts in some 150 languages, manuals, reviews, scripture, and real files of other kinds
(treebanks, tagged corpora, word lists, data of programs). What they came to **when they were read first** is the honest
figure:

{first}

The doubts err more often on fresh texts than is wanted. Most false ones are of texts that hold what the doubt says:
logs of `git` among changelogs, indexes among manuals, references among documentation. The doubts miss data in forms
that no rule was made for. After each set the rules were mended by what it taught. **Now** the same texts come to:

{now}

What is an ordinary text, and what is none, says `benchmarks/zoo/__init__.py`; `python -m benchmarks.zoo --found CLONES`
reads all of them. Below stands every text that comes out wrong now.

{wrong}
"""


def page() -> str:
    """Return the page in Markdown."""
    by_name = {one.name.removeprefix("made: "): one for one in made()}
    parts = (f"\n## {name.capitalize()}\n\n```text\n{said(by_name[name])}\n```\n" for name in SHOWN)
    return _HEAD + "".join(parts) + figures()


def figures() -> str:
    """Return the tables of the zoo: what came of fresh texts at first, and of all texts at the last reading."""
    first, _, _ = _counted("zoo-first-reading.json")
    now, _, wrong = _counted("zoo.json")
    return _ZOO.format(first=first, now=now, wrong="\n".join(f"- `{line[:200]}`" for line in wrong.splitlines()))


def _counted(name: str) -> tuple[str, str, str]:
    """Return a table, and behind it the texts that came out wrong."""
    rows = json.loads((RESULTS / name).read_text("utf-8"))
    seen = [Seen(**row | {"strong": tuple(row["strong"]), "weak": tuple(row["weak"])}) for row in rows]
    return table(seen).partition("\n\n")


@cache
def _spell_as_info() -> None:
    """Let the command line say how its options are typed, as each call of ``gpustab info`` does first."""
    CliRunner().invoke(app, ["info", "--help"])


def said(specimen: Specimen) -> str:
    """Return what ``gpustab info`` says of a text, in short."""
    _spell_as_info()
    with tempfile.TemporaryDirectory() as folder:
        path = specimen.write(Path(folder))
        try:
            rows = list(lines_of(evidence(path, min_count=1, **specimen.options), short=True))
        except InputError as error:
            rows = [("refused", error.marked)]
        text = "\n".join(f"{label:>14}  {as_typed(InputError(said))}" for label, said in rows)
        return text.replace(f"{path}/", "").replace(f"{folder}/", "").replace(str(path), "the folder")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
