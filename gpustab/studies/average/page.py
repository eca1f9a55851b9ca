"""The page of average: what averaging gains, its numbers, a methods paragraph, and what to cite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpustab.report import Result
from gpustab.report.origin import embeddings, in_words
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, counted, number, percent, with_half
from gpustab.studies.average.claims import GAINS, Gain
from gpustab.studies.average.study import LEVELS, NEIGHBOURS, decisive, gain_of
from gpustab.studies.shared.wording import listed, of_list, percents, the_runs, word

CITATIONS = ("rettenmeier2020",)


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many runs were averaged."""
    runs = sum(group["runs"] for group in result.groups)
    groups = f" in {counted(len(result.groups), 'group')}" if len(result.groups) > 1 else ""
    return f"How much more stable is an average of {embeddings(result)}?", f"{counted(runs, 'run')}{groups}"


def gains(result: Content) -> Iterator[tuple[str, Gain]]:
    """Yield what averaging gained, by group; of groups of fewer than four runs nothing."""
    for group in result.groups:
        levels = list(LEVELS.rows(result.tables, group=group["name"]))
        if levels and (gain := gain_of(levels, group["loss_by_chance"])):
            yield group["name"], gain


def cards(result: Content) -> list[Card]:
    """Return the losses of runs and of averages, the part that remains, and what the order of the runs does."""
    first = next(gains(result), None)
    if first is None:
        return []
    name, gain = first
    runs, *averages = LEVELS.rows(result.tables, group=name)
    level, n = decisive(averages), min(NEIGHBOURS, result.groups[0]["words"] - 1)
    assert level  # noqa: S101  # it is the one that the gain is of
    come_back = f"of {n} neighbours come back"
    return [
        Card("Two single runs", number(n * runs.p, 2), come_back, of_list(runs.shared, n)),
        Card(f"Two averages of {gain.n} runs", number(n * level.p, 2), come_back, of_list(level.shared, n)),
        Card("The averages differ", percent(gain.part.value), "as much as runs", f"PIP loss; {percents(gain.part)}"),
        Card("The average is of", str(result.groups[0]["runs"]), "runs", counted(result.groups[0]["words"], "word")),
    ]


def may_claim(result: Content) -> str:
    """Return what a paper may say by these averages."""
    judged = {name: GAINS.judge(gain) for name, gain in gains(result)}
    if result.alarms or set(judged.values()) != {"yes"}:
        return "That you averaged, and how. These runs do not show that the average is more stable than one of them."
    drawn = {name: "bootstrap" in name.split("/") for name in judged}
    whole, bootstrap = ([name for name in judged if drawn[name] is kind] for kind in (False, True))
    said = []
    if bootstrap:
        said.append(
            f"That the average of {listed(list(map(the_runs, bootstrap)))} depends less on the "
            "draw of the documents and on the "
            "training than one run, by the numbers above. Documents that are not in this text remain unseen."
        )
    if whole:
        said.append(
            f"That the average of {listed(list(map(the_runs, whole)))} has less training noise "
            "than one run, by the numbers above. "
            "What it owes to the choice of the documents remains: averages of runs on the same "
            "documents cannot show it."
        )
    return " ".join([*said, "Not that a neighbour in the average holds: see in how many runs it is there."])


def page(result: Result) -> list[Block]:
    """Return what the file is for, the curve, and the numbers of every group."""
    blocks = [_use(result), Block("Does an average of more runs differ less?", figures=["curve"], answer=_ONE)]
    for group in result.groups:
        own = LEVELS.of(result.tables).where(group=group["name"])
        drawn = f"; neighbours of {group['targets']:,} words" if group["targets"] < group["words"] else ""
        columns = _columns(min(NEIGHBOURS, group["words"] - 1))
        levels = SmallTable.of(f"Two averages of equally many runs{drawn}", own, columns)
        title = (
            f"{in_words(group['name'])}: average of {counted(group['runs'], 'run')}, {counted(group['words'], 'word')}"
        )
        blocks.append(Block(title, [*_facts(group)], [levels]))
    return blocks


def _use(result: Result) -> Block:
    """What a scholar does with the average, and what it does not tell."""
    written = [str(group["written"]) for group in result.groups if "written" in group]
    what = f"The average ({', '.join(written)})" if written else "The average"
    drawn = any("bootstrap" in str(group["name"]).split("/") for group in result.groups)
    other = "" if drawn else " Average bootstrap runs if the choice of the documents should weigh less too."
    answer = f"{what} takes the place of one run wherever you would have used one.{other}"
    if result.alarms:
        answer = f"{what} is not to be used yet. First do what the warning says, then average again."
    return Block(
        "What is the average for?",
        [
            (
                "use it",
                "in place of a single run",
                "for neighbours, similarities, maps and whatever takes word vectors",
            ),
            ("it has", "one vector a word", _COORDINATES),
            ("it lacks", "any sign of doubt", "gpustab neighbours WORD RUNS says which neighbours hold"),
        ],
        answer=answer,
    )


_ONE = "There is only one average of all runs, so how far another would differ is not measured."
_COORDINATES = (
    "in coordinates of its own choice (near those of the last run): compare its cosines, never single numbers"
)


def _facts(group: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    yield "other order", number(group["loss_between_orders"], 2), "PIP loss to the average in the reverse order of runs"
    if "written" in group:
        yield "written to", group["written"], ""


def _columns(n: int) -> Columns:
    """Return the columns of a table of levels, whose words have ``n`` neighbours each."""
    return [
        ("runs of an average", "runs_beneath"),
        ("averages", "averages"),
        ("PIP loss of two", lambda row: with_half(row.reduced_pip, row.loss.half, 0.0) if row.averages > 1 else "–"),
        (f"of {n} neighbours shared", lambda row: f"{number(n * row.p, 2)} ({of_list(row.shared, n)})"),
    ]


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    again = ", rows scaled to unit length at every step" if result.settings.get("renormalise") else ""
    n = min(NEIGHBOURS, max(group["words"] for group in result.groups) - 1)
    return (
        f"Runs were averaged with gpustab {result.environment.get('gpustab')} in a tree (Rettenmeier 2020, section "
        "3.2): two spaces are aligned by orthogonal Procrustes and their vectors averaged, weighted by the runs they "
        f"hold, until one space is left{again}. How far two averages of equally many runs differ is measured as the "
        "reduced PIP loss, half the root mean square difference of the cosines of all pairs of words; ± is half of the "
        "95 % interval over averages (jackknife, Student's t). "
        f"p@{n} is the share of {word(n)} nearest neighbours that two averages share."
    )
