"""Every margin of every study is written down, and its rule is asked just inside and just outside of it."""

from importlib import import_module
from pathlib import Path

import pytest

from docs.claims import margin_rows
from gpustab.studies.shared.claims import every_claim, every_margin

HERE = Path(__file__).parent
MARGINS = every_margin()
EDGES = {
    name: edge
    for file in sorted(HERE.glob("edges_of_*.py"))
    for name, edge in import_module(f"tests.studies.{file.stem}").EDGES.items()
}


def test_every_margin_has_an_edge():
    assert sorted(EDGES) == sorted(MARGINS)


@pytest.mark.parametrize("name", sorted(MARGINS))
def test_a_rule_changes_its_word_at_its_margin_and_nowhere_near(name):
    edge, margin = EDGES[name], float(MARGINS[name])
    assert edge.of(margin - edge.step) == edge.below
    assert edge.of(margin + edge.step) == edge.above
    assert edge.below != edge.above


def test_the_page_of_margins_is_what_the_rules_have():
    """A margin that is changed is changed in the open: in the documentation as well."""
    page = (HERE.parent.parent / "docs" / "pages" / "reference" / "margins.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert rows == margin_rows()


def test_every_claim_says_something_by_a_rule():
    claims = every_claim()
    assert claims
    for name, claim in claims.items():
        assert name == claim.id
        assert claim.says
        assert claim.rule
        assert "." in name
