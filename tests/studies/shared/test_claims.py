"""What a claim says of the paper stands beside what the runs show."""

import re

from gpustab.studies.shared.claims import DOCUMENTS_MATTER, OBSERVED, Claim, ClaimText, Observation
from gpustab.studies.shared.observations import beside_paper, by_chance, rules, verdicts
from tests.studies.instability import thesis

FOUND = Claim(
    id="test.found",
    says="Everything is {what}.",
    rule="above 0",
    source="Somebody 1999",
    judge=lambda value: "yes" if value > 0 else "no",
    paper="Somebody found 3 {what}",
)
SILENT = Claim(id="test.silent", says="Nothing is", rule="never", judge=lambda _: "no")


def test_one_sentence_a_claim_tells_what_the_paper_found_and_what_the_runs_show():
    rows = [FOUND.observed(k - 1, f"g{k}", f"{k}", what="cats") for k in range(6)]
    table = OBSERVED.table([*rows, SILENT.observed(0, "g0", "0")])
    assert beside_paper(table) == [
        (
            "Somebody 1999",
            "no, yes",
            "Everything is cats. Somebody found 3 cats. Here: g0 0; g1 1; g2 2; g3 3; 2 more in the table of "
            "observations.",
        )
    ]
    assert table["paper"][0] == "Somebody found 3 cats"
    assert beside_paper(OBSERVED.table()) == []


def test_a_verdict_is_a_row_and_the_rule_is_folded():
    table = OBSERVED.table([FOUND.observed(5, "sgns", "5 of 7", what="cats"), SILENT.observed(0, "", "0")])
    assert verdicts(table).rows == [
        ["Everything is cats (Somebody 1999)", "skip-gram", "yes", "5 of 7", "Somebody found 3 cats"],
        ["Nothing is (no paper)", "all techniques", "no", "0", "–"],
    ]
    silent = verdicts(OBSERVED.table([SILENT.observed(0, "", "0")]))  # no technique, no paper: no column of them
    assert (silent.header, silent.rows) == (
        ["claim", "holds here?", "these runs"],
        [["Nothing is (no paper)", "no", "0"]],
    )
    (block,) = rules(table)
    assert block.folded
    assert block.tables[0].rows == [["Everything is cats", "Above 0"], ["Nothing is", "Never"]]
    assert rules(OBSERVED.table()) == []


def test_a_page_says_how_many_of_its_verdicts_chance_would_make():
    def rows(tried, untried=3):
        agrees = ["yes"] * tried + ["no test"] * untried
        return [Observation("", ClaimText("x"), "", "", verdict, "") for verdict in agrees]

    assert by_chance(rows(1)) == ""
    few = [Observation("", ClaimText("x"), "", "", verdict, "") for verdict in ("few", "cannot be judged")]
    assert by_chance([*rows(1), *few]) == ""  # other words for no test
    assert by_chance(rows(8)).startswith("This page gives 8 verdicts by tests")
    # "Of these, one or none" read as a bound.
    assert by_chance(rows(8)).endswith("in about one of twenty cases: of 8, 0.4 on average.")
    assert by_chance(rows(40)).endswith("of 40, 2 on average.")


def test_what_is_said_of_the_thesis_losses_are_its_ratios():
    """Table 2.8: losses of bootstrap by those of shuffled runs, least and largest of seven languages."""
    for technique, said in (("word2vec", "1.9 to 2.0"), ("GloVe", "2.6 to 3.9"), ("fastText", "1.2 to 1.3")):
        ratios = [
            thesis.LOSSES[language, technique, "bootstrap"][0] / thesis.LOSSES[language, technique, "shuffled"][0]
            for language in thesis.LANGUAGES
        ]
        assert f"{min(ratios):.1f} to {max(ratios):.1f}" == said
        assert re.search(rf"{said} times[^0-9]* {technique}", DOCUMENTS_MATTER.paper)
