"""Every sentence that a claim can say stands on one page of the documentation, and is written as people write."""

import re

import pytest

from docs.claims import BELOW, CLAIMS_PAGE, claim_lines, said_of
from docs.examples import examples
from gpustab.runs.key import SAMPLINGS
from gpustab.studies.shared.claims import Claim, every_claim
from gpustab.studies.shared.wording import TECHNIQUES

CLAIMS, EXAMPLES = every_claim(), examples()
SAID = {name: said_of(claim, EXAMPLES.get(name, ())) for name, claim in CLAIMS.items()}
MOST_WORDS = 35
FORBIDDEN = {
    "the id of a group": re.compile(rf"\b(?:{'|'.join(TECHNIQUES)})/|/(?:{'|'.join(SAMPLINGS)})\b"),
    "the id of a technique": re.compile(r"\b(?:sgns|ppmi_svd|lsa|glove|fasttext)\b"),
    "two spaces": re.compile("  "),
    "one of many": re.compile(r"(?<![\d,.])1 (?:are|were|have|do)\b"),
    "a sign after a colon": re.compile(r": (?:by )?[−+-]\d"),
    "a hyphen for a minus": re.compile(r"(?<![\w)])-\d"),
    "an undefined number": re.compile(r"\b(?:nan|NaN|None|inf)\b"),
    "a percent sign without its space": re.compile(r"\S%"),
    "a bracket of other kind": re.compile(r"\[\d"),
    "an empty name": re.compile(r"\(\)|\( | \)| [,.;:](?!\d)"),
}


def sentences(text):
    """The sentences of a text; a figure's point ends none."""
    return re.split(r"(?<=[.!?)]) (?=[A-Z0-9])", text)


def faults(text):
    found = [what for what, sign in FORBIDDEN.items() if sign.search(text)]
    return found + [f"{n} words" for one in sentences(text) if (n := len(one.split())) > MOST_WORDS]


def test_a_claim_with_a_source_says_what_the_paper_found():
    """A source without that leaves open how what runs show stands to the paper; a rule of ours has none."""
    assert {name: claim.source for name, claim in CLAIMS.items() if claim.source and not claim.paper} == {}


def test_every_claim_is_asked_and_nothing_else():
    assert sorted(EXAMPLES) == sorted(CLAIMS)


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_the_examples_of_a_claim_bring_out_all_that_it_says(name):
    claim, verdicts = CLAIMS[name], {one.verdict for one in SAID[name]}
    assert {*claim.sentences, *claim.here} <= verdicts
    assert len(verdicts) > 1


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_sentences_are_written_as_people_write(name):
    claim = CLAIMS[name]
    told = [claim.says, claim.rule, claim.paper, *(text for one in SAID[name] for text in (one.sentence, one.stands))]
    assert {text: found for text in told if (found := faults(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "sgns/bootstrap: all is well.",
        "The runs of lsa/shuffled differ.",
        "The most stable is sgns.",
        "Two  runs.",
        "Of 10 findings 1 are undecided.",
        "The noise falls: by −57 %.",
        "The difference is -0.03.",
        "The loss is nan.",
        "About 57% of the words.",
        "The SD is 1 % [0.5 %, 2 %].",
        "Words ( such) fit.",
        "The similarities, scaled to mean 0 ,: unclear.",
        f"A sentence {'of many words ' * 13}ends.",
    ],
)
def test_the_check_sees_what_it_looks_for(text):
    assert len(faults(text)) >= 1


def test_the_page_lists_what_the_claims_say():
    """A sentence is changed in the open: in the documentation as well."""
    page = CLAIMS_PAGE.read_text(encoding="utf-8").partition(BELOW)[2]
    assert page.splitlines() == ["", *"\n".join(claim_lines()).splitlines()]
    assert all(f"`{name}`" in page for name in CLAIMS)


def test_a_new_claim_is_listed_by_what_it_says():
    claim = Claim(
        id="new.claim", says="It is {size}", rule="above 1", judge=lambda x: "yes" if x > 1 else "no",
        sentences={"yes": lambda x: f"It is {x}."},
    )  # fmt: skip
    assert [(one.verdict, one.sentence) for one in said_of(claim, [0, 3, 2, 3])] == [
        ("no", ""), ("yes", "It is 3."), ("yes", "It is 2."),
    ]  # fmt: skip
