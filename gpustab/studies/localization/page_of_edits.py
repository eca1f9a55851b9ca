"""The page of edits, and what it says for papers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import counted, number, percent, percent_with_ends, whole
from gpustab.studies.localization.claims_of_edits import CHANGES, SEES, equally_far, of_the_way, sees
from gpustab.studies.localization.edits import EDIT_KINDS
from gpustab.studies.localization.tables_of_edits import EDIT_DISTANCES, EDIT_OUTCOMES, EDIT_SCORES, EDITED, EditScore
from gpustab.studies.shared.observations import verdicts_by_chance
from gpustab.studies.shared.wording import capital, listed, number_span

_TITLES = {"negation": "negation", "roles": "who does what to whom", "numbers": "number", "names": "name"}
_HOW = {
    "negation": "a word that negates is put in (not signed); the control puts in a filler (indeed signed)",
    "roles": (
        "agent and patient are exchanged (the dog bit the man: it was the dog that was bitten by the man), "
        "in two orders; the control keeps them (it was the man that was bitten by the dog), in both orders too"
    ),
    "numbers": (
        "another number, in words if it was in digits (12 people: seventeen people); the control is the same number "
        "written so (twelve people)"
    ),
    "names": "the first name becomes another initial (John Howard: P. Howard); the control is its own (J. Howard)",
}
_VERDICTS = {
    "yes": "sees it",
    "no": "does not tell it from the control",
    "reversed": "moves more by the control",
    "blind": "does not see it",
    "open": "open",
    "few": "too few",
}
_EXAMPLES = 3
"""Of each kind."""


def blocks_of_edits(result: Content) -> list[Block]:
    """Return whether models see what edits change, how far they move, the edits, and what was left out."""
    rows = list(EDIT_SCORES.rows(result.tables))
    chance = verdicts_by_chance(sum(sees(row) != "few" and not equally_far(row) for row in rows))
    return [
        Block(
            "Does a change of meaning move a sentence more than an edit of equal size that keeps it?",
            tables=[_shares(rows)],
            figures=["edits"],
            answer=(
                "Per cent of the sentences that the change moves farther than its control, with 95 % interval. 100 is "
                "always, 0 never, and 50 as often as by chance: so stands a model that goes by form alone. Where both "
                f"are equally far, a sentence counts half. {chance}"
            ).rstrip(),
            facts=[(_TITLES[kind], "", _HOW[kind]) for kind in EDIT_KINDS],
        ),
        Block(
            "How far does an edit move a sentence?",
            tables=[_distances(rows)],
            answer=(
                "Mean distance from the sentence, in per cent of the mean distance to another sentence of the text, "
                "with 95 % interval. At 0 nothing has moved; at 100 the edited sentence lies as far off as another "
                "one. An edit of one per cent is hardly seen by a search, however often it beats its control."
            ),
        ),
        *_examples(result),
        Block(
            "How many sentences could be edited, and why not more?",
            tables=[whole("Sentences", EDIT_OUTCOMES.of(result.tables))],
            answer=(
                "Only sentences are edited in which rules say that the edit is right. A rule trusts the parse, which "
                "may be wrong, and knows no meaning: of 167 exchanges of roles in other texts 5 were wrong (3 %, "
                "with a 95 % interval of 1 to 7 %). Read some edits before you trust a share."
            ),
            folded=True,
        ),
    ]


def _shares(rows: Sequence[EditScore]) -> SmallTable:
    models = list(dict.fromkeys(row.model for row in rows))
    cells = {(row.kind, row.model): _share(row) for row in rows}
    body = [[_TITLES[kind], *(cells[kind, model] for model in models)] for kind in EDIT_KINDS]
    title = "Per cent of n sentences in which the change is farther than the control (50 by chance, 100 always)"
    return SmallTable(title, ["changed", *models], body)


def _share(row: EditScore) -> str:
    if sees(row) == "few":
        return f"too few (n {row.n:,})"
    if equally_far(row):
        return f"50 (all equally far; n {row.n:,}): {_VERDICTS[sees(row)]}"
    share = percent_with_ends(row.half, row.low, row.high, "")
    return f"{share.rstrip(')')}; n {row.n:,}): {_VERDICTS[sees(row)]}"


def _distances(rows: Sequence[EditScore]) -> SmallTable:
    body = [
        [
            row.model,
            _TITLES[row.kind],
            *(percent_with_ends(*part, unit="") for part in of_the_way(row)),
            _distance(row.unrelated, row.unrelated_low, row.unrelated_high),
        ]
        for row in rows
        if row.n and row.unrelated > 0
    ]
    header = ["model", "changed", "change, %", "control, %", "100 % is a cosine distance of"]
    return SmallTable("How far the change and its control go of the way to another sentence", header, body)


def _distance(mean: float, low: float, high: float) -> str:
    return f"{number(mean, 2)} ({number_span(low, high, 2)})"


def _examples(result: Content) -> Iterator[Block]:
    """Some edits of every kind that stand evenly over all of them, with what models make of them."""
    distances = {(row.model, row.kind, row.sentence): row for row in EDIT_DISTANCES.rows(result.tables)}
    models = list(dict.fromkeys(model for model, *_ in distances))
    body = []
    for kind in EDIT_KINDS:
        edits = list(EDITED.rows(result.tables, kind=kind))
        for edit in (edits[k * len(edits) // _EXAMPLES] for k in range(min(_EXAMPLES, len(edits)))):
            moved = [distances[model, kind, edit.sentence] for model in models]
            body.append([_TITLES[kind], "sentence", edit.base, *("" for _ in models)])
            body.append(["", "change", edit.changed, *(number(one.changed, 3) for one in moved)])
            body.append(["", "control", edit.control, *(number(one.control, 3) for one in moved)])
    yield Block(
        "What do the edits look like?",
        tables=[SmallTable("Examples, with their distances", ["", "", "text", *models], body)],
        answer=(
            "Look at them: the table edited has all. Each number is the cosine distance from the sentence above it, 0 "
            "where nothing has moved. That of another sentence stands in the last column of the table above."
        ),
        folded=True,
    )


def heading_of_edits(result: Content) -> tuple[str, str]:
    """Return the question, and what was looked at."""
    corpus, *models = result.groups
    names = [str(group["name"]) for group in models]
    looked = f"{corpus['sentences']:,} sentences of {result.settings['grammar']} · {corpus['edits']:,} edits"
    who = listed(names) if len(names) <= 3 else "these models"  # so many stand in a title
    return f"{'Does' if len(names) == 1 else 'Do'} {who} see negation, roles, numbers and names?", looked


def cards_of_edits(result: Content) -> list[Card]:
    """Return the four shares of the model that has no bag of words, or of the only one."""
    rows = list(EDIT_SCORES.rows(result.tables))
    models = list(dict.fromkeys(row.model for row in rows))
    model = next((name for name in models if name != "bag of words"), models[0])
    return [
        Card(
            f"{capital(model)}: {CHANGES[row.kind]}",
            percent(row.half),
            f"of {row.n:,}",
            "all equally far" if equally_far(row) else f"{_span(row)}; by chance 50 %",
        )
        for row in rows
        if row.model == model and sees(row) != "few"
    ]


def _span(row: EditScore) -> str:
    return f"{number_span(100 * row.low, 100 * row.high, 0)} %"


def may_claim_of_edits(result: Content) -> str:
    """Return what a paper may say of every model."""
    rows = list(EDIT_SCORES.rows(result.tables))
    return " ".join(_claims(model, rows) for model in dict.fromkeys(row.model for row in rows))


def _claims(model: str, rows: Iterable[EditScore]) -> str:
    own = [(CHANGES[row.kind], SEES.judge(row)) for row in rows if row.model == model]
    seen = [what for what, verdict in own if verdict == "yes"]
    unseen = [what for what, verdict in own if verdict in ("no", "blind", "reversed")]
    undecided = [what for what, verdict in own if verdict in ("open", "few")]
    said = []
    if seen:
        said.append(f"That {model} moves more by {listed(seen)} than by edits of equal size that keep the meaning.")
    if unseen:
        said.append(f"Not that {model} sees {listed(unseen)}.")
    if undecided and said:
        said.append(f"Nothing on whether {model} sees {listed(undecided)}.")
    return " ".join(said) or f"Nothing about {model}."


def methods_of_edits(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    corpus, sizes = result.groups[0], EDITED.of(result.tables)
    return (
        f"Of {corpus['sentences']:,} sentences ({result.settings['grammar']}) {counted(sizes.height, 'edit')} were "
        f"made with gpustab {result.environment.get('gpustab')}, each beside a control. A negation stands beside a "
        "word that leaves what is said, in the same place. Agent and patient are exchanged in two passives, beside the "
        "two passives of the same words that keep them. Another number stands beside the same number, both written "
        "otherwise; another initial beside the name's own. The share of sentences that the change moves farther by "
        "cosine distance has a 95 % interval by bootstrap over sentences, or over the words that controls put in "
        "(numbers, names). How far edits go is given as a part of the mean distance to another sentence; its interval "
        "adds both relative errors as squares. Negation is also asked word by word: the pairs that words of negation "
        "win are compared with Mann and Whitney's law."
    )
