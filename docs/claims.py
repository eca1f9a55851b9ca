"""The pages of claims and of margins, made from the claims themselves.

``python -m docs.claims`` writes the table of margins into ``docs/pages/reference/margins.md``, where a test holds it
against the rules: no margin changes unseen. As a hook of MkDocs it puts the claims of all studies where a page asks for
them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpustab.studies.shared.claims import every_claim, every_margin

MARGINS_PAGE = Path(__file__).parent / "pages" / "reference" / "margins.md"
CLAIMS_HERE = "<!-- claims -->"
HEAD = "| margin | value | of what |\n|---|---|---|\n"


def margin_rows() -> list[str]:
    """Return one row a margin: id, value, what it bounds."""
    return [f"| `{name}` | {float(margin):.6g} | {_cell(margin.about)} |" for name, margin in every_margin().items()]


def claim_rows() -> list[str]:
    """Return one row a claim: id, claim, source, rule."""
    return [
        f"| `{claim.id}` | {_cell(claim.says)} | {_cell(claim.source)} | {_cell(claim.rule)} |"
        for claim in every_claim().values()
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the table of all claims where a page asks for it."""
    if CLAIMS_HERE not in markdown:
        return markdown
    table = "\n".join(["| claim | what it states | source | rule |", "|---|---|---|---|", *claim_rows()])
    return markdown.replace(CLAIMS_HERE, table)


def write_margins() -> None:
    """Write the table of margins below the text of its page."""
    text = MARGINS_PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    MARGINS_PAGE.write_text(text + HEAD + "\n".join(margin_rows()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_margins()
