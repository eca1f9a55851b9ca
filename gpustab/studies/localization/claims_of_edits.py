"""What is claimed of edits: whether a model moves more by a change of meaning than by an edit of equal size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gpustab.results.page import counted, percent
from gpustab.statistics.intervals import wilson
from gpustab.studies.localization.claims import CHANCE, EQUAL, FEWEST, Apart, told_apart
from gpustab.studies.localization.tables_of_edits import EditScore
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import capital, listed

Sees = Apart | Literal["blind"]

GROUPS = Margin(10, "different words that controls put in, below which no verdict on a kind of edit is given")
BLIND = Margin(0.9, "share of sentences that a change leaves where they were, above which a model does not see it")
LUCK = Margin(0.025, "probability that words dealt out by chance tell as much, above which no verdict is given")

CHANGES = {
    "negation": "an inserted negation",
    "roles": "who does it to whom",
    "numbers": "another number",
    "names": "another name",
}
"""What a kind of edit changes."""
CONTROLS = {
    "negation": "another word that keeps the meaning",
    "roles": "the same words in an order that keeps who does it",
    "numbers": "the same number written in the other way",
    "names": "the same name with its initial",
}
"""What its control is."""


def sees(row: EditScore) -> Sees:
    """Return whether a model tells a change from its control, by the share of sentences and by the words put in."""
    if row.groups < GROUPS:
        return "few"
    if row.n >= FEWEST and wilson(row.unmoved, row.n)[0] > BLIND:
        return "blind"
    verdict = told_apart(row.n, row.low, row.high)
    by_luck = row.luck if verdict == "yes" else row.unluck if verdict == "reversed" else 0.0
    return "open" if row.pairs and by_luck > LUCK else verdict


def _share(row: EditScore) -> str:
    what = {"numbers": "numbers", "names": "initials"}.get(row.kind)
    of = f" with {row.groups} different {what}" if what else ""
    return (
        f"{percent(row.half)} of {counted(row.n, 'sentence')}{of} ({100 * row.low:.0f}–{percent(row.high)}; "
        f"by chance {percent(CHANCE)})"
    )


def _found(row: EditScore) -> str:
    if not row.n:
        return "no sentence could be edited so for sure"
    verb = "is" if row.n == 1 else "are"
    return f"there {verb} {counted(row.n, 'edit')} with {counted(row.groups, 'different control')}"


def _words(row: EditScore) -> str:
    pairs = f"{row.won:g} of {row.pairs} pairs of a word that negates and one that does not"
    return f" In {pairs}, the former moves a sentence farther." if row.pairs else ""


def _letters(row: EditScore) -> str:
    """What else tells an initial from another: it stands in the name itself."""
    return " A model that reads single letters does so without knowing the name." if row.kind == "names" else ""


def _way(row: EditScore) -> str:
    """How far the change and its control go, of the way to another sentence."""
    if not row.unrelated > 0:
        return ""
    change, control = (percent(moved / row.unrelated, 1) for moved in (row.changed, row.control))
    return f" The change moves it {change} of the way to another sentence, the control {control}."


SEES = Claim[EditScore](
    id="localization.sees-edit",
    says="A model moves more by a change of meaning than by an edit of equal size that keeps the meaning.",
    rule=(
        f"yes if the 95 % interval of the share of sentences lies above {CHANCE + EQUAL:g}, reversed if below "
        f"{CHANCE - EQUAL:g}, no if within. Of negations words dealt out by chance must win as many pairs in "
        f"{percent(LUCK, 1)} at most. Blind if more than {percent(BLIND)} of the sentences stay where they were. "
        f"Few: under {FEWEST:g} sentences or {GROUPS:g} different words"
    ),
    judge=sees,
    sentences={
        "yes": lambda row: (
            f"{capital(row.model)} sees {CHANGES[row.kind]}: it moves a sentence farther than {CONTROLS[row.kind]}. "
            f"This holds in {_share(row)}.{_letters(row)}{_way(row)}{_words(row)}"
        ),
        "no": lambda row: (
            f"{capital(row.model)} does not tell {CHANGES[row.kind]} from {CONTROLS[row.kind]}. The change is farther "
            f"in {_share(row)}."
        ),
        "reversed": lambda row: (
            f"{capital(row.model)} moves less by {CHANGES[row.kind]} than by {CONTROLS[row.kind]}. The change is "
            f"farther in {_share(row)} only.{_words(row)}"
        ),
        "blind": lambda row: (
            f"{capital(row.model)} does not see {CHANGES[row.kind]}: {row.unmoved:,} of "
            f"{counted(row.n, 'sentence')} stay where they were."
        ),
        "open": lambda row: (
            f"Whether {row.model} sees {CHANGES[row.kind]} is open: it is farther in {_share(row)}.{_words(row)}"
        ),
        "few": lambda row: (
            f"Whether {row.model} sees {CHANGES[row.kind]} cannot be judged: {_found(row)}. The test needs {FEWEST:g} "
            f"edits with {GROUPS:g} different controls."
        ),
    },
)


def said_of_edits(rows: Sequence[EditScore]) -> list[str]:
    """Return what is said of every model and kind of edit; of a model that tells no change from its control once."""
    said = []
    for model in dict.fromkeys(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        if all(SEES.judge(row) == "no" for row in own):
            shares = listed([f"{100 * row.half:.0f}" for row in own])
            what = listed([CHANGES[row.kind] for row in own])
            said.append(
                f"{capital(model)} tells no change from an edit of equal size that keeps the meaning. The change is "
                f"farther in {shares} % of the sentences (by chance {percent(CHANCE)}), of {what}."
            )
        else:
            said += [SEES.sentence(row) for row in own]
    return said
