"""The verdict of the stability study: which sentences are said of which groups, in which order."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.documents import documents
from gpustab.studies.shared.wording import listed
from gpustab.studies.stability import sentences
from gpustab.studies.stability.halves import HALF, Halves
from gpustab.studies.stability.judged import Judged


class _Neighbours(NamedTuple):
    """What one group tells of neighbours; ``p`` is ``None`` where there is no verdict."""

    name: str
    sampling: str
    runs: int
    p: Estimate | None
    n: int
    chance: float

    def said(self, leave: sentences.Leave) -> str:
        assert self.p is not None  # noqa: S101  # else nothing is said
        if self.runs == 2:
            return sentences.two_runs(self.p.value, self.n, self.chance)
        return sentences.neighbours_return(self.p, self.n, self.chance, self.sampling, leave)


class Verdict:
    """Alarms and sentences of all groups, as they are measured.

    Attributes:
        judged: by group, which runs the sentences are about.
        bootstrap: mean p@n of every group of bootstrap runs.
    """

    def __init__(self, *, several: bool) -> None:
        self.judged: dict[str, Judged] = {}
        self.bootstrap: dict[str, float] = {}
        self._alarms: list[tuple[str, str]] = []
        self._collapsed: dict[str, float] = {}
        self._opposite: dict[tuple[int, int], dict[str, float]] = {}
        self._family: list[_Neighbours] = []
        self._said: list[tuple[str, str]] = []
        self._last: list[str] = []
        self._several = several

    @property
    def alarms(self) -> list[str]:
        """What forbids to read the numbers; what several groups have alike is said once."""
        told = []
        if self._collapsed:
            told.append((list(self._collapsed), sentences.collapsed((), [*self._collapsed.values()], every=True)))
        told += [([name], alarm) for name, alarm in self._alarms]
        for (words, n), found in self._opposite.items():
            told.append((list(found), sentences.opposite([*found.values()], words, n)))
        return [self._named(listed(names), alarm) for names, alarm in told]

    @property
    def sentences(self) -> list[str]:
        """What is said of every group, then what holds for all."""
        return [self._named(name, sentence) for name, sentence in self._said] + self._last

    def of_group(self, runs: Runs, judged: Judged, shared: Tensor, n: int, chance: float) -> None:
        """Take up what one group tells of neighbours; it is said by :meth:`of_family`.

        Args:
            runs: the group.
            judged: what of it the sentences are about.
            shared: ``(R, R)`` p@n of its pairs.
            n: length of the lists.
            chance: p@n of unrelated runs.
        """
        self.judged[runs.name] = judged
        self._alarms += [(runs.name, alarm) for alarm in judged.alarms]
        if judged.collapsed is not None:
            self._collapsed[runs.name] = judged.collapsed
        p = judged.over(shared) if judged.kept else None
        if p is not None and p.value != p.value:  # no two runs share a target
            p = None
        self._family.append(_Neighbours(runs.name, runs.key.sampling, len(judged.kept), p, n, chance))
        if p is None or runs.key.sampling != "bootstrap":
            return
        self.bootstrap[runs.name] = p.value
        if sentences.BOOTSTRAP_IS not in self._last:
            self._last.append(sentences.BOOTSTRAP_IS)

    def of_family(self) -> None:
        """Say what the groups since the last call, which differ in sampling alone, tell of neighbours.

        Bootstrap runs come first: they hold all that fixed and shuffled ones do, and the draw of the documents as well.
        What they forbid the others do not permit.
        """
        drawn = [group for group in self._family if group.sampling == "bootstrap"]
        leave: sentences.Leave = ""
        if any(group.p is None for group in drawn):
            leave = "permission"
        elif any(not sentences.may_read_one(group.p) for group in drawn if group.p is not None):
            leave = "advice"
        for group in [*drawn, *(group for group in self._family if group not in drawn)]:
            if group.p is not None:
                self._said.append((group.name, group.said("" if group in drawn else leave)))
        self._family = []

    def of_ranks(self, name: str, agreement: float, words: int, n: int) -> None:
        """Say of a group where its words' PIP loss and p@n rank them opposite ways.

        Args:
            name: of the group.
            agreement: Spearman's ρ of the two over words.
            words: how many.
            n: length of the lists.
        """
        if sentences.points_opposite(agreement, words):
            self._opposite.setdefault((words, n), {})[name] = agreement

    def of_documents(self, name: str, shuffled: Estimate, bootstrap: Estimate) -> None:
        """Say of a family whether it matters which documents there are."""
        self._said.append((name, documents(shuffled, bootstrap)[1]))

    def of_halves(self, found: Halves) -> None:
        """Say what two halves of the documents have in common."""
        drawn = [p for name, p in self.bootstrap.items() if HALF in name]
        said = sentences.halves(found.between, found.within, drawn[0] if drawn else None, found.n)[1]
        self._said.append((found.name, said))

    def _named(self, name: str, sentence: str) -> str:
        return f"{name}: {sentence}" if self._several else sentence
