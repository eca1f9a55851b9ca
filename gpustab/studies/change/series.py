"""Which groups are periods of one series, in their order.

A period of the texts is called an epoch by keys, options, and columns of tables; training has epochs of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gpustab.errors import InputError
from gpustab.machine.log import log
from gpustab.results.page import counted
from gpustab.runs.group import Group
from gpustab.runs.key import ENCODER, Key
from gpustab.runs.runs import Runs
from gpustab.studies.change.options import PERIODS_BY
from gpustab.studies.shared.wording import groups_in_words
from gpustab.trainers import NAMES

PERIOD, CONTROL, LANGUAGE = "epoch", "control", "language"
"""Names of parts of a key: the period, the number of a split of the documents at random, a language of several."""
_PERIODS = (PERIOD, "runset")
"""Groups of one key in several run sets are periods too, in the order in which these are given."""


@dataclass(frozen=True)
class Series:
    """Groups that differ in their period alone, in order of time, and what they agree in."""

    key: Key
    periods: tuple[str, ...]
    members: tuple[Runs | Group, ...]

    @property
    def name(self) -> str:
        """What they have in common."""
        return str(self.key)

    @property
    def control(self) -> bool:
        """Whether its periods are documents dealt out at random, between which nothing changed."""
        return bool(self.split)

    @property
    def split(self) -> str:
        """Number of the split of the documents at random; empty where its periods are genuine."""
        return dict(self.key.part).get(CONTROL, "")

    @property
    def genuine(self) -> Key:
        """The key of the series that a control is for; of any other series, that of the series."""
        return replace(self.key, part=tuple(pair for pair in self.key.part if pair[0] != CONTROL))

    @property
    def of(self) -> str:
        """What that series is called."""
        return str(self.genuine)

    @property
    def language(self) -> str:
        """Its language, where there are several; else nothing."""
        return dict(self.key.part).get(LANGUAGE, "")

    @property
    def family(self) -> Key:
        """What it agrees in with the same periods of another sampling."""
        return replace(self.key, sampling="")


def years_of(periods: Sequence[str]) -> list[re.Match[str] | None]:
    """Return the first and the last year of every period, as matches; ``None`` for one that is not called by them."""
    return [re.fullmatch(r"(-?\d+)-(-?\d+)", name) for name in periods]


def gaps(series: Series) -> list[str]:
    """Return sentences on years that lie between two periods and in none, or in both.

    Periods that are not called by their years are passed over.
    """
    notes = []
    for one, two in pairwise(years_of(series.periods)):
        if not (one and two):
            continue
        last, first = int(one[2]), int(two[1])
        if first > last + 1:
            notes.append(
                f"no period between {one[0]} and {two[0]}: what changed from the one to the other took longer."
            )
        elif first <= last:
            notes.append(f"{one[0]} and {two[0]} have years in common: the same documents may be in both.")
    return [f"{groups_in_words([series.name])}: {note}" for note in notes]


def series_of(groups: Sequence[Runs | Group]) -> list[Series]:
    """Return the series that groups form: by the part ``epoch`` of their keys.

    Two groups of which none has that part are the first and the second period as they were given.

    Raises:
        InputError: if every period stands alone, or for groups of which nothing tells that they are periods.
    """
    members: dict[Key, list[tuple[str, Runs | Group]]] = {}
    if not any(_period(group.key) for group in groups):
        return [_two(groups)]
    for group in groups:
        period = _period(group.key)
        if period is None:
            raise InputError(f"'{group.name}' has no period (part 'epoch' of its name), as the others have")
        common = tuple(pair for pair in group.key.part if pair[0] not in _PERIODS)
        members.setdefault(replace(group.key, part=common), []).append((period, group))
    every = [_sorted(key, groups) for key, groups in members.items()]
    complete = [series for series in every if len(series.members) > 1]
    for series in every:
        if len(series.members) < 2:
            what = f"'{series.members[0].name}' is the only period of '{series.name}'"
            if not complete:
                raise InputError(f"{what}; wanted two or more: give the whole run set, or train one: {PERIODS_BY}")
            log.warning("%s and was left out", what)  # a training that is not finished yet
    return complete


def _period(key: Key) -> str | None:
    return next((value for name, value in key.part if name in _PERIODS), None)


def _two(groups: Sequence[Runs | Group]) -> Series:
    if len(groups) != 2:
        names = ", ".join(group.name for group in groups)
        way = f"a run set that was trained by periods ({PERIODS_BY})"
        if any(group.key.technique == ENCODER for group in groups):
            way = "the texts to gpustab study usage, which compares the periods by an encoder"
        raise InputError(
            f"{counted(len(groups), 'group')} without a period ({names}): give two groups, the earlier one first, or "
            f"{way}"
        )
    first, second = (group.key for group in groups)
    techniques = {first.technique, second.technique}
    other = first.sampling != second.sampling if len(techniques) == 1 else techniques <= {*NAMES}
    if other and first.part == second.part:
        what = "samplings of one text" if len(techniques) == 1 else "techniques"
        raise InputError(
            f"'{first}' and '{second}' are two {what}, no two periods: groups of periods are called "
            f"'{first}/epoch=1850-1899' and '{first}/epoch=1900-1949', which {PERIODS_BY} trains of texts with years"
        )
    same = first.technique == second.technique and first.sampling == second.sampling
    key = replace(first, part=()) if same else Key(f"{first.technique} to {second.technique}".replace("/", " "))
    return Series(key, (str(first), str(second)), tuple(groups))


def _sorted(key: Key, members: list[tuple[str, Runs | Group]]) -> Series:
    order = sorted(members, key=lambda pair: _time(pair[0]))
    return Series(key, tuple(period for period, _ in order), tuple(group for _, group in order))


def _time(period: str) -> float:
    """First number of a period's name, by which 900-999 stands before 1000-1099; others come last, as given.

    >>> sorted(["1000-1099", "late", "900-999", "-50--1"], key=_time)
    ['-50--1', '900-999', '1000-1099', 'late']
    """
    number = re.match(r"\s*(-?\d+)", period)
    return float(number[1]) if number else float("inf")
