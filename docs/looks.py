"""Write the page of what ``gpustab info`` says of ten inputs of different kinds: ``python -m docs.looks``."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from benchmarks.zoo.__main__ import Seen, table
from benchmarks.zoo.made import made
from benchmarks.zoo.specimen import Specimen
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
ZOO = Path(__file__).parents[1] / "benchmarks" / "results" / "zoo.json"
_HEAD = """# What `gpustab info` says of ten texts

The texts are made: real sentences in the forms that people have. Each block is what `gpustab info` prints of one of
them, in short; a strong doubt stops `gpustab train`. This page is written by `python -m docs.looks`.
"""
_ZOO = """
## How often doubts are right

Rules were set on the texts of the column *seen*. The *fresh* ones were written down before, and read once, after the
rules were frozen (`python -m benchmarks.zoo --fresh`); what is an ordinary text, and what is none, says
`benchmarks/zoo/__init__.py`. Of fresh texts the doubts err more often than is wanted: false ones are of HTML pages half
of which are code, and kinds that are missed have no rule yet. Below the table stands every text that came out wrong.

"""


def page() -> str:
    """Return the page in Markdown."""
    by_name = {one.name.removeprefix("made: "): one for one in made()}
    parts = (f"\n## {name.capitalize()}\n\n```text\n{_said(by_name[name])}\n```\n" for name in SHOWN)
    return _HEAD + "".join(parts) + _ZOO + figures() + "\n"


def figures() -> str:
    """Return the table of the zoo, as its last reading has it."""
    rows = json.loads(ZOO.read_text("utf-8"))
    counted, _, wrong = table(
        [Seen(**row | {"strong": tuple(row["strong"]), "weak": tuple(row["weak"])}) for row in rows]
    ).partition("\n\n")
    return "\n\n".join([counted, *(f"- `{line[:200]}`" for line in wrong.splitlines())]).replace("`\n\n-", "`\n-")


def _said(specimen: Specimen) -> str:
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
