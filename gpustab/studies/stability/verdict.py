"""The verdict of the stability study: which sentences are said of which groups, in which order."""

from __future__ import annotations

from torch import Tensor

from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.documents import documents
from gpustab.studies.shared.wording import listed
from gpustab.studies.stability import sentences
from gpustab.studies.stability.halves import HALF, Halves
from gpustab.studies.stability.judged import Judged


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
        """Say what one group tells of neighbours.

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
        if not judged.kept:
            return
        p = judged.over(shared)
        if p.value != p.value:  # no two runs share a target
            return
        if len(judged.kept) == 2:
            self._said.append((runs.name, sentences.two_runs(p.value, n, chance)))
        else:
            self._said.append((runs.name, sentences.neighbours_return(p, n, chance, runs.key.sampling)))
        if runs.key.sampling == "bootstrap":
            self.bootstrap[runs.name] = p.value
        if runs.key.sampling == "bootstrap" and sentences.BOOTSTRAP_IS not in self._last:
            self._last.append(sentences.BOOTSTRAP_IS)

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
