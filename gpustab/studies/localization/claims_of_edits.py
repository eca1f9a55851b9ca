"""What is claimed of edits: whether a model moves more by a change of meaning than by an edit of equal size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from gpustab.errors import option
from gpustab.results.page import counted, percent, percent_with_ends
from gpustab.statistics.intervals import ratio_interval, wilson
from gpustab.studies.localization.claims import CHANCE, EQUAL, FEWEST, Apart, share_of, told_apart
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
    "names": "the same name with its own initial",
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


_PUT_IN = {"numbers": "number", "names": "initial"}
"""What the controls of a kind put in: the test needs some different ones."""


def equally_far(row: EditScore) -> str:
    """Return what is said instead of a share where every change is as far as its control; else an empty text."""
    return f"both are equally far in all {counted(row.n, 'sentence')}" if row.equal == 1 else ""


def _share(row: EditScore) -> str:
    return share_of(row.half, row.low, row.high, row.equal, _sentences(row))


def _sentences(row: EditScore) -> str:
    what = _PUT_IN.get(row.kind)
    return counted(row.n, "sentence") + (f" with {row.groups:,} different {what}s" if what else "")


def _farther(row: EditScore, only: str = "") -> str:
    """In how many sentences the change is farther, as a sentence."""
    if ties := equally_far(row):
        return f"{capital(ties)}."
    return f"The change is farther in {only}{_share(row)}."


def _words(row: EditScore) -> str:
    """Whether the single words agree, with the probability of as many pairs by chance."""
    if not row.pairs:
        return ""
    many = row.won >= row.pairs / 2
    luck = row.luck if many else row.unluck
    so = "so many" if many else "so few"
    often = "fewer than 0.1 %" if luck < 0.001 else percent(luck, 1 if luck < 0.1 else 0)
    return (
        f" Word by word, one that negates moves sentences farther than one that does not in {row.won:g} of {row.pairs} "
        f"pairs of such words ({row.pairs / 2:g} by chance; chance gives {so} in {often} of the cases)."
    )


def _letters(row: EditScore) -> str:
    """What else tells an initial from another: it stands in the name itself."""
    said = " A model that reads single letters tells initials apart without knowing the name."
    return said if row.kind == "names" else ""


def of_the_way(row: EditScore) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return how far the change and its control go of the way to another sentence, each with its interval."""
    whole, ends = row.unrelated, (row.unrelated_low, row.unrelated_high)
    change, control = (
        (value / whole if whole else math.nan, *ratio_interval(value, own, whole, ends))
        for value, own in (
            (row.changed, (row.changed_low, row.changed_high)),
            (row.control, (row.control_low, row.control_high)),
        )
    )
    return change, control


def _way(row: EditScore) -> str:
    if not row.unrelated > 0:
        return ""
    change, control = (percent_with_ends(*part) for part in of_the_way(row))
    return f" The change goes {change} of the way to another sentence of the text, the control {control}."


def _lacking(row: EditScore) -> str:
    """What a test lacks, and what to do."""
    what = _PUT_IN.get(row.kind)
    needs = f"The test needs {FEWEST:g} sentences{f' with {GROUPS:g} different {what}s' if what else ''}"
    if not row.asked:
        return "this language has no rule that changes it"
    if row.n < row.made:
        return f"the model has vectors of {counted(row.n, 'sentence', of=row.made)} that were edited. {needs}"
    found = f"{f'only {row.n:,}' if row.n else 'none'} of {counted(row.asked, 'sentence')} could be edited so"
    if row.n and what:
        found += f", with {f'{row.groups} different {what}s' if row.groups > 1 else f'one {what}'}"
    if row.full:
        return f"{found}. {needs}: more are made by {option('each', 2 * int(FEWEST))}"
    if row.n >= FEWEST:
        return f"{found}. {needs}: give more text"
    return f"{found}. {needs}: {_more_text(row)}"


def _more_text(row: EditScore) -> str:
    """How much text the test needs, by how many of its sentences could be edited."""
    low, high = wilson(row.made, row.asked)
    least = rounded_up(FEWEST / high)
    if not row.made:
        return f"give at least {least:,} sentences{_reads(least, row)}, or text of another kind"
    most = rounded_up(FEWEST / low)
    need = rounded_up(FEWEST * row.asked / row.made)
    return f"give some {need:,} sentences of such text, {least:,}–{most:,}{_reads(most, row)}"


def _reads(sentences: int, row: EditScore) -> str:
    return f" ({option('sentences', sentences)} reads so many)" if sentences > row.limit else ""


def _more(row: EditScore) -> str:
    """What to do where the interval leaves it open; where the words do, more text does not help."""
    if told_apart(row.n, row.low, row.high) != "open":
        return ""
    return f" More text narrows the range ({option('sentences')}, {option('each')})."


def rounded_up(value: float) -> int:
    """Return a number rounded up to two digits.

    >>> rounded_up(5796.4), rounded_up(31.0), rounded_up(9.2)
    (5800, 31, 10)
    """
    unit = int(10 ** max(math.floor(math.log10(value)) - 1, 0))
    return math.ceil(value / unit) * unit


def _few(rows: Sequence[EditScore]) -> str:
    """What is said of the models of one kind of edits that is too rare in the text, or of one model."""
    models, see = listed([row.model for row in rows]), "see" if len(rows) > 1 else "sees"
    return f"Whether {models} {see} {CHANGES[rows[0].kind]} cannot be judged: {_lacking(rows[0])}."


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
            f"{capital(row.model)} sees {CHANGES[row.kind]}: the change moves a sentence farther than "
            f"{CONTROLS[row.kind]}. This holds in {_share(row)}.{_way(row)}{_letters(row)}{_words(row)}"
        ),
        "no": lambda row: (
            f"{capital(row.model)} does not tell {CHANGES[row.kind]} from {CONTROLS[row.kind]}. {_farther(row)}"
        ),
        "reversed": lambda row: (
            f"{capital(row.model)} moves less by {CHANGES[row.kind]} than by {CONTROLS[row.kind]}. "
            f"{_farther(row, 'only ')}{_words(row)}"
        ),
        "blind": lambda row: (
            f"{capital(row.model)} does not see {CHANGES[row.kind]}: "
            f"{percent_with_ends(row.unmoved / row.n, *wilson(row.unmoved, row.n))} of "
            f"{counted(row.n, 'sentence')} stay where they were."
        ),
        "open": lambda row: (
            f"Whether {row.model} sees {CHANGES[row.kind]} is open: it is farther in {_share(row)}.{_words(row)}"
            f"{_more(row)}"
        ),
        "few": lambda row: _few([row]),
    },
)


def said_of_edits(rows: Sequence[EditScore]) -> list[str]:
    """Return what is said of every model and kind of edit.

    Of a model that tells no change from its control it is said once, and of kinds that are rare in the text at the end.
    """
    rare = [[row for row in rows if row.kind == kind and row.made < FEWEST] for kind in CHANGES]
    rows = [row for row in rows if row.made >= FEWEST]
    said = []
    for model in dict.fromkeys(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        same = [row for row in own if SEES.judge(row) == "no"]
        if len(same) > 1 and all(SEES.judge(row) in ("no", "few") for row in own):
            said.append(
                f"{capital(model)} tells no change from an edit of equal size that keeps the meaning. {_each(same)}"
            )
            own = [row for row in own if row not in same]
        said += [SEES.sentence(row) for row in own]
    return [*said, *(_few(kind) for kind in rare if kind)]


def _each(rows: Sequence[EditScore]) -> str:
    """How often the change is farther, a sentence a kind."""
    if all(map(equally_far, rows)):
        sentences = listed([f"{row.n:,} with {CHANGES[row.kind]}" for row in rows])
        return f"Both are equally far in all sentences ({sentences})."
    return " ".join(f"{capital(CHANGES[row.kind])}: {equally_far(row) or f'farther in {_share(row)}'}." for row in rows)
