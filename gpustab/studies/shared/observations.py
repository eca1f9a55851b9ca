"""Verdicts beside a paper, as a page shows them: the claim, whether it holds here, the numbers; rules are folded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gpustab.results import Block, SmallTable, Table
from gpustab.studies.shared.claims import OBSERVED, Claim, Observation
from gpustab.studies.shared.wording import capital, group_in_words

OBSERVATIONS = "Which claims of the thesis hold in these runs?"
_IN_WORDS = {"no test": "cannot be tested"}
_UNTESTED = ("no test", "few", "cannot be judged")
_SHOWN = 4
"""Of so many techniques at most a sentence tells what the runs show."""


def judged_by(tables: Mapping[str, Table], claim: Claim[Any]) -> dict[str, str]:
    """Return the verdict on a claim of everybody of whom it was judged: an alarm forbids to judge the others."""
    return {row.technique: row.agrees for row in OBSERVED.rows(tables) if row.claim.id == claim.id and row.technique}


def verdicts(observations: Table[Observation]) -> SmallTable:
    """Return one row a claim and technique: whether it holds here, by which numbers, and what a paper found, if any."""
    rows = list(observations.rows())
    columns: list[tuple[str, Callable[[Observation], str]]] = [
        ("claim", lambda row: f"{row.claim.rstrip('.')} ({row.source or 'no paper'})"),
        ("runs of", lambda row: group_in_words(row.technique) or "all techniques"),
        ("holds here?", lambda row: _IN_WORDS.get(row.agrees, row.agrees)),
        ("these runs", lambda row: capital(row.shows)),
        ("the paper", lambda row: row.paper or "–"),
    ]
    empty = {"runs of": not any(row.technique for row in rows), "the paper": not any(row.paper for row in rows)}
    return SmallTable.of("", rows, [column for column in columns if not empty.get(column[0])], Observation)


def rules(observations: Table[Observation]) -> list[Block]:
    """Return the folded block that tells by which rule every claim was judged; none where nothing was."""
    by_claim = {row.claim.rstrip("."): row.rule for row in observations.rows()}
    if not by_claim:
        return []
    table = SmallTable("", ["claim", "rule"], [[claim, capital(rule)] for claim, rule in by_claim.items()])
    return [Block("By which rules were the claims judged?", tables=[table], folded=True)]


def beside_paper(observations: Table[Observation]) -> list[tuple[str, str, str]]:
    """Return one fact for every claim of which it is said what the paper found: that, and what the runs show.

    What these runs cannot test stands in the table of observations alone.
    """
    found = []
    for claim, table in observations.split("claim"):
        rows = [row for row in table.rows() if row.paper and row.agrees != "no test"]
        if rows:
            shows = [f"{group_in_words(row.technique)} {row.shows}".strip() for row in rows[:_SHOWN]]
            more = [f"{len(rows) - _SHOWN} more in the table of observations"] * (len(rows) > _SHOWN)
            verdicts = ", ".join(dict.fromkeys(_IN_WORDS.get(row.agrees, row.agrees) for row in rows))
            said = f"{claim.rstrip('.')}. {rows[0].paper}. Here: {'; '.join([*shows, *more])}."
            found.append((rows[0].source, verdicts, said))
    return found


def by_chance(observations: Iterable[Observation]) -> str:
    """Return how many of these verdicts are wrong by chance on average; empty for one or none.

    Verdicts that say nothing are counted, since they could have been wrong; those without a test are not.
    """
    return verdicts_by_chance(sum(row.agrees not in _UNTESTED for row in observations))


def verdicts_by_chance(tested: int) -> str:
    """Return how many of so many verdicts are wrong by chance on average; empty for one or none."""
    if tested < 2:
        return ""
    return (
        f"This page gives {tested} verdicts by tests at 95 %, over claims and techniques. Open ones count too. A test "
        f"errs by chance in about one of twenty cases: {by_chance_of(tested)}."
    )


def called_by_chance(judged: int) -> str:
    """Return how many of so many firm or passing neighbours chance may make, a sentence; empty for one or none."""
    return f"Some firm or passing ones are called so by chance: {by_chance_of(judged)}." * (judged > 1)


def by_chance_of(tested: int) -> str:
    """Return how many of so many verdicts at 95 % chance makes on average.

    >>> by_chance_of(3), by_chance_of(25), by_chance_of(100)
    ('of 3, 0.15 on average', 'of 25, 1.2 on average', 'of 100, 5 on average')
    """
    return f"of {tested}, {tested / 20:.2g} on average"
