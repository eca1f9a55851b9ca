"""The page of average: what averaging gains, its numbers, a methods paragraph, and what to cite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpustab.report import Result
from gpustab.report.origin import embeddings
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, counted, number, percent, with_half
from gpustab.statistics.intervals import Estimate
from gpustab.studies.average.claims import GAINS, Gain
from gpustab.studies.average.study import LEVELS, gain_of
from gpustab.studies.shared.wording import listed, percents, the_runs

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
    _, gain = first
    group = result.groups[0]
    return [
        Card("Two single runs differ by", number(gain.runs.value, 3), "PIP loss", _span(gain.runs)),
        Card(
            f"Two averages of {gain.n} runs differ by", number(gain.between.value, 3), "PIP loss", _span(gain.between)
        ),
        Card("That is", percent(gain.part.value), "of what runs differ", percents(gain.part)),
        Card(
            "The same runs in the reverse order",
            number(group["loss_between_orders"], 2),
            "PIP loss",
            "how far the average depends on the order",
        ),
    ]


def _span(loss: Estimate) -> str:
    return with_half(loss.value, loss.half, 0.0) if loss.freedom > 1 else "one pair: no interval"


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
    return " ".join(said)


def page(result: Result) -> list[Block]:
    """Return the curve, and the numbers of every group."""
    blocks = [Block("Does an average of more runs differ less?", figures=["curve"])]
    for group in result.groups:
        own = LEVELS.of(result.tables).where(group=group["name"])
        levels = SmallTable.of("Mean reduced PIP loss of two averages of equally many runs", own, _LEVELS)
        title = f"{group['name']}: average of {counted(group['runs'], 'run')}, {counted(group['words'], 'word')}"
        blocks.append(Block(title, [*_facts(group)], [levels]))
    return blocks


def _facts(group: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    yield "loss between runs", number(group["loss_between_runs"]), "mean reduced PIP loss of two runs"
    yield (
        "loss between orders",
        number(group["loss_between_orders"], 2),
        "of the averages in this and the reverse order",
    )
    if "written" in group:
        yield "written to", group["written"], ""


_LEVELS: Columns = [
    ("runs of an average", "runs_beneath"),
    ("averages", "averages"),
    ("PIP loss of two", lambda row: with_half(row.reduced_pip, row.loss.half, 0.0) if row.averages > 1 else "–"),
    ("SD over pairs", ("sd", 2)),
]


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    again = ", rows scaled to unit length at every step" if result.settings.get("renormalise") else ""
    return (
        f"Runs were averaged with gpustab {result.environment.get('gpustab')} in a tree (Rettenmeier 2020, section "
        "3.2): two "
        "spaces are aligned by orthogonal Procrustes and their vectors averaged, weighted by the runs they hold, until "
        f"one space is left{again}. How far two averages of equally many runs differ is measured as the reduced PIP "
        "loss, "
        "half the root mean square difference of the cosines of all pairs of words; ± is half of the 95 % interval "
        "over "
        "averages (jackknife, Student's t)."
    )
