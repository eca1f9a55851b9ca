"""The verdict: which runs the sentences are about, and which sentences are said of which groups, in which order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import pair_matrix
from gpustab.runs.joining import small_overlap
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.belonging import WORDS, belonging, said_of_apart, said_of_kinds
from gpustab.studies.shared.claims import BOOTSTRAP_IS, documents
from gpustab.studies.shared.copies import Copies, nearly_one, or_others, said_of_all_near, said_of_copies
from gpustab.studies.shared.related import said_of_related, said_of_row
from gpustab.studies.shared.spaces import chance_of, collapsed_of, equal_by_nature, means_of, same_each_time
from gpustab.studies.shared.wording import groups_in_words
from gpustab.studies.stability import claims
from gpustab.studies.stability.contrasts import HALF, mean_of

NO_VERDICT = "The page gives no verdict."
_THREE = 3


class Judged(NamedTuple):
    """What forbids to read a group's numbers as they stand, and the runs that remain.

    Attributes:
        alarms: one sentence each, after those on copies.
        kept: the runs that the verdict is about; none where there can be no verdict.
        collapsed: the mean cosine where all runs are collapsed, which is said of such groups together.
        constant: whether all runs are the same vectors though their seeds differ, which is no fault.
        notes: on a run that lies apart, though it forbids nothing.
        copies: one sentence for each run that is there several times. They come before all else: what is given twice
            is no second training, whatever it is besides.
    """

    alarms: list[str]
    kept: list[int]
    collapsed: float | None = None
    constant: bool = False
    notes: Sequence[str] = ()
    copies: tuple[str, ...] = ()

    def over(self, pairs: Tensor) -> Estimate:
        """Return the mean of an ``(R, R)`` pair matrix over the runs that remain, with its error."""
        return mean_of(pairs, self.kept)


def judge(runs: Runs, pip: engine.PipPass, found: Copies) -> Judged:
    """Return what must be said of a group before its numbers, worst first.

    Args:
        runs: the group.
        pip: its losses; the sums that they were read from are needed no more.
        found: its runs that are one space.
    """
    losses = pair_matrix(pip.reduced, len(runs)).cpu()
    joining, joint = runs.joining, int(runs.joint.sum())
    if small_overlap(joining, joint):
        return Judged([claims.little_in_common(joint, joining.seen, joining.folded)], [])
    means = means_of(pip)
    fallen = collapsed_of(means)
    kept = [r for r in range(len(runs)) if r not in fallen]
    by_nature, classes, every = equal_by_nature(runs, found.same), found.classes(), kept
    kept = [r for r in kept if not any(r in several[1:] for several in classes)]
    copies = () if by_nature else tuple(_copies(runs, found, several, losses, kept, every) for several in classes)
    alarms = []
    if fallen:
        mean = sum(means[r] for r in fallen) / len(fallen)
        if len(fallen) == len(runs):
            return Judged([], [], mean, copies=copies)
        alarms.append(claims.collapsed([runs.names[r] for r in fallen], [mean], every=False))
    if by_nature:
        return Judged(alarms, [], constant=True)
    every = kept
    near = nearly_one(losses[kept][:, kept]) if joint >= WORDS else []
    for (_, b, _), two in zip(
        near, said_of_all_near(near, [runs.names[r] for r in every], range(len(every))), strict=True
    ):
        kept = [r for r in kept if r != every[b]]
        with_it = _means(losses, kept, every)
        alarms.append(claims.nearly_one(two, runs.names[every[b]], *with_it, of_three=len(every) == _THREE))
    if len(every) == _THREE > len(kept):  # the third may be the odd one
        return Judged(alarms, [], copies=copies)
    return _among(runs, pip, losses, kept, alarms, copies)


def _among(
    runs: Runs, pip: engine.PipPass, losses: Tensor, kept: list[int], alarms: list[str], copies: tuple[str, ...]
) -> Judged:
    """Judge runs of which each is a space of its own: whether they belong together."""
    every, among = kept, belonging(losses[kept][:, kept], int(runs.joint.sum()))
    names = [runs.names[r] for r in every]
    if among.row:
        return Judged([*alarms, f"{said_of_row(among.row, names)} {NO_VERDICT}"], [], copies=copies)
    for kin in among.kin:
        kept = [r for r in kept if r != every[kin.run]]
        alarms.append(claims.nearly_one(said_of_related(kin, names), names[kin.run], *_means(losses, kept, every)))
    if among.kinds:
        kinds = [[every[k] for k in kind] for kind in among.kinds]
        said = said_of_kinds(kinds, runs.names, losses, chance_of(runs, pip))
        return Judged([*alarms, f"{said} {NO_VERDICT}"], [], copies=copies)
    notes = said_of_apart(among, names)
    if among.far:
        far = [every[k] for k, _ in among.far]
        kept = [r for r in kept if r not in far]
        alarms.append(_odd(runs, pip, losses, far, kept) + or_others(max(times for _, times in among.far)))
    return Judged(alarms, kept if len(kept) > 1 else [], notes=notes, copies=copies)


def _copies(runs: Runs, found: Copies, several: list[int], losses: Tensor, kept: list[int], every: list[int]) -> str:
    """Say of runs that they are one; what that does to the mean, unless they are collapsed and in no mean."""
    counted = several[0] in every
    means = _means(losses, kept, every) if counted else None
    return claims.copies(said_of_copies(runs.names, found, several), means)


def _means(losses: Tensor, kept: list[int], every: list[int]) -> tuple[float, float]:
    """Return the mean loss of the runs that are kept, NaN of one, and that of all."""
    return mean_of(losses, kept).value if len(kept) > 1 else math.nan, mean_of(losses, every).value


def _odd(runs: Runs, pip: engine.PipPass, losses: Tensor, far: list[int], rest: list[int]) -> str:
    without = mean_of(losses, rest).value
    share = others = None
    if (chance := chance_of(runs, pip)) is not None:
        share = float((losses / chance)[far][:, rest].mean())
        others = without / mean_of(chance, rest).value if len(rest) > 1 else None
    names = [runs.names[r] for r in far]
    return claims.odd(names, share, others, without, mean_of(losses, [*rest, *far]).value)


class Verdict:
    """Alarms and sentences of all groups, as they are measured.

    Attributes:
        judged: by group, which runs the sentences are about.
        bootstrap: mean p@n of every group of bootstrap runs.
    """

    def __init__(self, *, several: bool) -> None:
        self.judged: dict[str, Judged] = {}
        self.bootstrap: dict[str, float] = {}
        self._copies: list[tuple[str, str]] = []
        self._alarms: list[tuple[str, str]] = []
        self._collapsed: dict[str, float] = {}
        self._opposite: dict[tuple[int, int], dict[str, float]] = {}
        self._family: list[tuple[str, str, claims.Returning | None]] = []
        self._sentences: list[tuple[list[str], str]] = []
        self._constant: dict[str, list[str]] = {}
        self._last: list[str] = []
        self._several = several

    @property
    def alarms(self) -> list[str]:
        """What forbids to read the numbers; what several groups have alike is said once."""
        alarms = [([name], alarm) for name, alarm in self._copies]
        if self._collapsed:
            alarms.append((list(self._collapsed), claims.collapsed((), [*self._collapsed.values()], every=True)))
        alarms += [([name], alarm) for name, alarm in self._alarms]
        for (words, n), agreements in self._opposite.items():
            opposite = claims.Opposite([*agreements.values()], words, n)
            alarms.append((list(agreements), claims.POINTS_OPPOSITE.sentence(opposite)))
        return [self._named(names, alarm) for names, alarm in alarms]

    @property
    def sentences(self) -> list[str]:
        """What is said of every group, then what holds for all."""
        return [self._named(names, sentence) for names, sentence in self._sentences] + self._last

    def of_group(self, runs: Runs, judged: Judged, shared: Tensor, n: int, chance: float) -> None:
        """Take up what one group tells of neighbours; it is said by :meth:`of_family`.

        The p@n of its pairs, ``(R, R)``, are of lists of n; chance is that of unrelated runs.
        """
        self.judged[runs.name] = judged
        self._copies += [(runs.name, alarm) for alarm in judged.copies]
        self._alarms += [(runs.name, alarm) for alarm in judged.alarms]
        if judged.collapsed is not None:
            self._collapsed[runs.name] = judged.collapsed
        if judged.constant:
            self._constant.setdefault(same_each_time(len(runs)), []).append(runs.name)
        p = judged.over(shared) if judged.kept else None
        if p is not None and p.value != p.value:  # no two runs share a target
            p = None
        sampling = runs.key.sampling
        self._family.append(
            (
                runs.name,
                sampling,
                p and claims.Returning(p, n, chance, sampling, unit=runs.key.unit, technique=runs.key.technique),
            )
        )
        if p is None or sampling != "bootstrap":
            return
        self.bootstrap[runs.name] = p.value
        if BOOTSTRAP_IS not in self._last:
            self._last.append(BOOTSTRAP_IS)

    def of_family(self) -> None:
        """Say what the groups since the last call, which differ in sampling alone, tell of neighbours.

        Bootstrap runs come first: they hold all that fixed and shuffled ones do, and the draw of the documents as well.
        What they forbid the others do not permit.
        """
        drawn = [group for group in self._family if group[1] == "bootstrap"]
        leave: claims.Leave = ""
        if any(returning is None for *_, returning in drawn):
            leave = "permission"
        elif any(returning and not claims.may_read_one(returning.p) for *_, returning in drawn):
            leave = "advice"
        for name, sampling, returning in sorted(self._family, key=lambda group: group[1] != "bootstrap"):
            if returning is not None:
                left = returning._replace(leave="" if sampling == "bootstrap" else leave)
                self._sentences.append(([name], claims.RETURN.sentence(left)))
        self._sentences += [(names, sentence) for sentence, names in self._constant.items()]
        self._family, self._constant = [], {}

    def of_ranks(self, name: str, agreement: float, words: int, n: int) -> None:
        """Say of a group where its words' PIP loss and p@n rank them opposite ways, by Spearman's ρ over words."""
        if claims.POINTS_OPPOSITE.judge(claims.Opposite([agreement], words, n)) == "yes":
            self._opposite.setdefault((words, n), {})[name] = agreement

    def of_documents(self, name: str, shuffled: Estimate, bootstrap: Estimate) -> None:
        """Say of a family whether the choice of documents matters."""
        self._sentences.append(([name], documents(shuffled, bootstrap)[1]))

    def of_halves(self, name: str, between: Estimate, within: Estimate, n: int) -> None:
        """Say what two halves of the documents have in common; the name is that of the group without its half."""
        drawn = next((p for group, p in self.bootstrap.items() if HALF in group), None)
        self._sentences.append(([name], claims.OTHER_DOCUMENTS.sentence(claims.Halves(between, within, drawn, n))))

    def _named(self, names: Sequence[str], sentence: str) -> str:
        return f"{groups_in_words(names)}: {sentence}" if self._several else sentence
