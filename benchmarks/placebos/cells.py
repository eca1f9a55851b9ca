"""A cell of the table: a claim, what was made so that its truth is known, and how often it was wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from gpustab.report.describe import describe
from gpustab.results.content import Content
from gpustab.studies.shared.claims import Claim, every_claim

RUNS = (3, 5, 8, 16)
DRAWN = "drawn"
"""Stands for the noise of a cell whose numbers a model drew, which the page shows apart."""


class Row(NamedTuple):
    """One cell.

    Attributes:
        claim: its id.
        placebo: what the runs or texts were made of.
        noise: what they are, with how much two runs share; :data:`DRAWN` where a model drew the numbers.
        runs: R.
        of: how often it could be wrong: sets, or the words that it was said of.
        said: how often it was.
        wrong: how often it should not have been.
        missed: how often nothing was said where something is there.
        batch: which sets they are; those of another batch are drawn anew.
    """

    claim: str
    placebo: str
    noise: str
    runs: int
    of: int
    said: int
    wrong: int
    missed: int
    batch: int = 0


class Truth(NamedTuple):
    """Which verdicts on a claim are wrong, and which one should be given, if any.

    Attributes:
        wrong: verdicts.
        right: verdicts of which one should be given.
        about: of which of the things that are judged this is the truth.
    """

    wrong: frozenset[str]
    right: frozenset[str] = frozenset()
    about: Callable[[Any], bool] = lambda _: True


def never(*verdicts: str) -> Truth:
    """Nothing is there, so that these verdicts are wrong."""
    return Truth(frozenset(verdicts))


def should(right: str, *wrong: str) -> Truth:
    """Something is there, so that a verdict is right, and others are wrong."""
    return Truth(frozenset(wrong), frozenset({right}))


NEITHER = never("yes", "no")

Said = Mapping[str, Sequence[tuple[Any, str]]]
"""What was judged, and with which verdict, by id of the claim."""


@dataclass(frozen=True)
class World:
    """What is made so that truths are known, and who is asked.

    Attributes:
        about: for the table.
        ask: asks a study, given R and a generator; the verdicts that it gives are recorded.
        truths: by id of the claim; or a function of what was judged of every set, where only many sets tell.
        runs: which R.
        part: of the sets that are drawn, where a study takes long.
        whole_to: R up to which so many sets are drawn; half of them at more.
        kinds: of what a page judges by the same claim in a sentence for each kind, which it is: what goes before
            ``about`` in the table, where every kind has its cell.
    """

    about: str
    ask: Callable[[int, np.random.Generator], object]
    truths: Mapping[str, Truth] | Callable[[Sequence[Said]], Mapping[str, Truth]]
    runs: Sequence[int] = RUNS
    part: float = 1.0
    whole_to: int = max(RUNS)
    kinds: Mapping[str, Callable[[Any], bool]] = field(default_factory=lambda: {"": lambda _: True})

    def about_of(self, kind: str) -> str:
        """What stands in the table for a kind."""
        return f"{kind}, {self.about}" if kind else self.about


class Draws(NamedTuple):
    """Which sets are drawn.

    Attributes:
        batch: another one draws other sets.
        missing: how many sets a world lacks, by what it is about, its noise and R; None for all that are wanted of it.
    """

    batch: int = 0
    missing: Callable[[str, str, int], int | None] = lambda *_: None


_draws = [Draws()]


@contextmanager
def drawing(draws: Draws) -> Iterator[None]:
    """Draw these sets in every cell."""
    _draws.append(draws)
    try:
        yield
    finally:
        _draws.pop()


def wanted(about: str, noise: str, r: int, sets: int) -> int:
    """Return how many sets of a world are drawn, where so many are wanted of one that lacks nothing known."""
    lacked = _draws[-1].missing(about, noise, r)
    return sets if lacked is None else lacked


def batch() -> int:
    """Return which sets are drawn."""
    return _draws[-1].batch


def seeds(count: int) -> range:
    """Return so many seeds, others in every batch."""
    return range(1000 * batch(), 1000 * batch() + count)


def discovered(claim: str, about: str, noise: str, found: Sequence[Mapping[bool, int]]) -> Row:
    """Return the cell of lists that hold a false discovery rate, the share that is false on average over lists.

    As Benjamini and Hochberg (1995) define it, the share of a list without a word is 0. Shares of all words found, in
    all lists together, are no such rate: where little can be found, most of what is found is false in truth.

    Args:
        claim: its id.
        about: what is planted.
        noise: of the runs or texts.
        found: of every set, how many of the words found are false (True) and how many are not.
    """
    shares = [Fraction(of.get(True, 0), total) for of in found if (total := sum(of.values()))]
    return Row(claim, about, noise, 1, len(found), len(shares), ceil(sum(shares)), len(found) - len(shares), batch())


@cache
def known() -> dict[str, Claim[Any]]:
    """Return the claims of all studies by id, looked for once: to walk through their folders takes 10 ms."""
    return every_claim()


@contextmanager
def recorded() -> Iterator[dict[str, list[tuple[Any, str]]]]:
    """Record what is judged and with which verdict, by id of the claim."""
    said: dict[str, list[tuple[Any, str]]] = defaultdict(list)
    claims = known().values()
    rules = [claim.judge for claim in claims]

    def recording(claim: Claim[Any], judge: Callable[[Any], str]) -> Callable[[Any], str]:
        def judged(x: Any) -> str:
            verdict = judge(x)
            said[claim.id].append((x, verdict))
            return verdict

        return judged

    for claim, judge in zip(claims, rules, strict=True):
        object.__setattr__(claim, "judge", recording(claim, judge))
    try:
        yield said
    finally:
        for claim, judge in zip(claims, rules, strict=True):
            object.__setattr__(claim, "judge", judge)


def cells(world: World, noise: str, sets: int, seed: int = 0) -> Iterator[Row]:
    """Yield a row for every claim that was judged, at every R; of another batch for those too that none of it judged.

    A batch whose sets all get no test is no less a batch: were it left out, one wrong verdict among many sets without a
    test would count by the sets of its own batch alone.

    Raises:
        LookupError: if a claim is asked about that no study judged at any R, since such a placebo proves nothing.
    """
    batch, missing = _draws[-1]
    lacked = {r: _most(missing(world.about_of(kind), noise, r) for kind in world.kinds) for r in world.runs}
    wanted = [r for r in world.runs if lacked[r] != 0]
    never_asked = set() if callable(world.truths) or batch else set(world.truths)
    for r in wanted:
        part = world.part / (2 if r > world.whole_to else 1)
        count = lacked[r] or max(2, round(sets * part))
        rng = np.random.default_rng([seed, r, batch][: 3 if batch else 2])
        given = []
        for _ in range(count):
            with recorded() as said:
                read(world.ask(r, rng))
            given.append(said)
        for name, truth in (world.truths(given) if callable(world.truths) else world.truths).items():
            for kind, is_of in world.kinds.items():
                asked = [{v for x, v in said.get(name, ()) if truth.about(x) and is_of(x)} for said in given]
                if any(asked) or (batch and not callable(world.truths)):
                    never_asked.discard(name)
                    yield _counted(name, world.about_of(kind), noise, r, asked, truth, batch)
    if never_asked:
        raise LookupError(f"{world.about}: nobody judged {', '.join(sorted(never_asked))}")


def _most(lacked: Iterable[int | None]) -> int | None:
    """As many sets as the kind needs that lacks most."""
    return max((sets for sets in lacked if sets is not None), default=None)


def _counted(name: str, about: str, noise: str, r: int, asked: Sequence[Set[str]], truth: Truth, batch: int) -> Row:
    wrong = sum(bool(verdicts & truth.wrong) for verdicts in asked)
    told = sum(bool(verdicts & (truth.wrong | truth.right)) for verdicts in asked)
    missed = sum(not verdicts & truth.right for verdicts in asked) if truth.right else 0
    return Row(name, about, noise, r, len(asked), told, wrong, missed, batch)


def read(answer: object) -> None:
    """Write the pages of answers, whose titles and captions judge too."""
    if isinstance(answer, Content):
        describe(answer)
    elif isinstance(answer, list | tuple):
        for each in answer:
            read(each)
