"""Associations of word sets with word sets over runs, after Caliskan, Bryson & Narayanan 2017 (WEAT).

The association of a word w is its mean cosine with the words of A less that with the words of B. A test asks whether it
is larger for the words of X than for those of Y. The paper measures one space; here are as many as there are runs, so
that the effect has an interval over trainings, or over draws of the documents, beside the chance of the words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch

from gpustab.errors import InputError, option, some_of
from gpustab.kernels.arithmetic import product
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Column, Sheet
from gpustab.results.page import counted
from gpustab.runs.key import Key
from gpustab.runs.runs import Runs
from gpustab.spaces.words import show
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.splits import Floats
from gpustab.studies.association.claims import TESTS, THERE, USED, Tested, Used, leading, shows
from gpustab.studies.association.effects import RUN_ROWS, WORD_ROWS, RunRow, numbers_of
from gpustab.studies.association.options import AssociationOptions
from gpustab.studies.association.sets import FEWEST, Sets, read_sets, spelled, spelling
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.frame import Groups, answering, groups_of, without_copies
from gpustab.studies.shared.spaces import is_fact, look_at
from gpustab.studies.shared.wording import groups_in_words


class Documents(NamedTuple):
    """What draws of the documents do to an effect beyond training."""

    technique: str
    test: str
    shuffled: Annotated[float, Column("d, shuffled runs", 3)]
    bootstrap: Annotated[float, Column("d, bootstrap runs", 3)]
    shift: Annotated[float, Column(about="bootstrap less shuffled: bias of the bootstrap, and what rare words lose")]
    low: Annotated[float, Column(about="95 % interval over runs")]
    high: float
    sd_shuffled: Annotated[float, Column("SD, shuffled", 2, "over runs: training")]
    sd_bootstrap: Annotated[float, Column("SD, bootstrap", 2, "over runs: training and documents")]


DOCUMENTS = Sheet("documents", Documents, "one row a technique with shuffled and bootstrap runs, and test")


class Taken(NamedTuple):
    """What is kept of a group.

    Attributes:
        name: of the group.
        key: what it is.
        runs: names of its runs.
        words: the number of every word of the sets that all its runs have.
        rows: ``(R, m, d)`` unit rows of these.
        silent: whether an alarm forbids to judge.
    """

    name: str
    key: Key
    runs: tuple[str, ...]
    words: dict[bytes, int]
    rows: torch.Tensor
    silent: bool

    def cosines(self, sets: Sets) -> Floats:
        """Return the cosines of targets and attributes in every run, ``(R, t, a)``."""
        targets, attributes = (
            self.rows[:, [self.words[word] for word in own]] for own in (sets.targets, sets.attributes)
        )
        return np.asarray(product(targets, attributes.mT).numpy(), np.float64)


def association(
    groups: Groups,
    options: AssociationOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Tell how far two sets of words differ in their association with two others, over runs.

    Every group of runs has an answer of its own. A test uses the words that every run of every group has.

    Args:
        groups: from :func:`gpustab.load_groups` or :func:`gpustab.open_groups`.
        options: the file of word sets, and a seed.
        compute: device and precision; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`AssociationOptions`.

    Returns:
        Tables ``tests``, ``sets``, ``runs``, ``words``, ``documents`` and ``observations``.

    Raises:
        InputError: if no file of sets is given, it is wrong, or of no test all four sets have two words in all runs.
    """
    options = chosen(AssociationOptions, options, choices)
    if options.sets is None:
        raise InputError(f"no word sets were given; give {option('sets', ...)}")
    tests = read_sets(Path(options.sets))
    with answering("association", options, groups, compute, progress) as answer:
        given = groups_of(groups)
        asked = list(dict.fromkeys(word for sets in tests for own in sets.words for word in own))
        taken = []
        for k, group in enumerate(given):
            part = k / len(given)
            runs = without_copies(answer.take(group, part), answer, "the associations")
            answer.report(f"{runs.name}: associations", part)
            alarms = look_at(runs, answer.compute)
            joint = runs.joint_words()
            known = spelled(tests, joint, runs.vocabulary)
            own = take(runs, known, silent=any(not is_fact(sentence) for sentence in alarms))
            notes = list(spelling(known, joint, asked))
            if lost := [show(word) for word in asked if word not in own.words]:
                few = counted(len(lost), "word", "is/are", of=len(asked))
                notes.append(f"{few} lacking in some run here, and so left out of all groups: {some_of(lost)}.")
            answer.warn(runs.name, alarms, notes)
            answer.result.groups.append({"name": runs.name, "runs": list(runs.names), "words": len(own.words)})
            taken.append(own)
        kept, said = common(tests, taken)
        if not kept:
            where = f"{options.sets}: of no test every set has two words that all runs have."
            raise InputError(" ".join([where, *said, *_way_on(tests, taken, asked)]))
        answer.result.notes += said
        used = list(used_of(tests, kept))
        USED.add(answer.result.tables, used)
        answer.result.alarms += lost_sets(used)
        for own in taken:
            for sets in kept:
                _of_test(own, sets, options.seed, answer.result)
        DOCUMENTS.add(answer.result.tables, documents(taken, kept, answer.result))
        _answer(answer.result)
    return answer.result


def take(runs: Runs, known: Mapping[bytes, bytes], *, silent: bool = False) -> Taken:
    """Return the rows of words that all runs of a group have, by how the sets spell them and how the runs do."""
    chosen_ = runs.rows_of([*known.values()])
    rows = torch.stack([runs.select(r, chosen_.to(runs.device)).cpu() for r in range(len(runs))])
    rows = torch.nn.functional.normalize(rows, dim=2)
    return Taken(runs.name, runs.key, tuple(runs.names), {word: k for k, word in enumerate(known)}, rows, silent)


def common(tests: Sequence[Sets], taken: Sequence[Taken]) -> tuple[list[Sets], list[str]]:
    """Return the tests over the words that every run of every group has, and what is to be said of them."""
    kept, notes = [], []
    for sets in tests:
        words = {word for own in sets.words for word in own}
        own = sets.kept(frozenset(word for word in words if not all(word in one.words for one in taken)))
        few = [name for name, size in zip(own.names, own.sizes, strict=True) if size < FEWEST]
        if few:
            have = f"{some_of(few)} {'have' if few[1:] else 'has'}"
            notes.append(f"The test '{sets.name}' is left out: {have} fewer than two words in all runs.")
            continue
        if own.sizes[0] != own.sizes[1]:
            notes.append(
                f"The test '{sets.name}' has {own.sizes[0]} words of {own.names[0]} and {own.sizes[1]} of "
                f"{own.names[1]}. The paper has equal numbers; splits keep these sizes here."
            )
        kept.append(own)
    return kept, notes


def used_of(tests: Sequence[Sets], kept: Sequence[Sets]) -> Iterator[Used]:
    """Yield which words of every set of the tests that are kept are used."""
    given = {sets.name: sets.sizes for sets in tests}
    for sets in kept:
        for name, size, words in zip(sets.names, given[sets.name], sets.words, strict=True):
            yield Used(sets.name, name, size, len(words), ", ".join(map(show, words)))


def lost_sets(used: Sequence[Used]) -> Iterator[str]:
    """Yield an alarm for every test of which a set keeps fewer than half of its words."""
    for test in dict.fromkeys(row.test for row in used):
        if few := [str(row) for row in used if row.test == test and row.lost]:
            yield (
                f"The test '{test}' has lost most words of {counted(len(few), 'set')}. Used are: {'; '.join(few)}. "
                "A test of these words is not the test that you named. Name words that all runs have, or train with a "
                f"lower {option('min_count')}."
            )


def _way_on(tests: Sequence[Sets], taken: Sequence[Taken], asked: Sequence[bytes]) -> Iterator[str]:
    """Where several techniques leave no test, which lack the words and which alone have them."""
    techniques = list(dict.fromkeys(one.key.technique for one in taken))
    if not techniques[1:]:
        return
    lacking = [
        f"{groups_in_words([one.name])}: {len(asked) - len(one.words):,} of {len(asked):,} words are lacking."
        for one in taken
    ]
    yield from lacking
    alone = [name for name in techniques if common(tests, [one for one in taken if one.key.technique == name])[0]]
    if alone:
        yield f"Measure one technique alone: give the folder {' or '.join(alone)} of the run set."


def _of_test(own: Taken, sets: Sets, seed: int, result: Result) -> None:
    whose = (own.name, differ_by(own.key))
    row, runs, words = numbers_of(own.cosines(sets), sets, seed, whose, silent=own.silent)
    TESTS.add(result.tables, [row])
    RUN_ROWS.add(
        result.tables, [RunRow(own.name, sets.name, name, *one) for name, one in zip(own.runs, runs, strict=True)]
    )
    WORD_ROWS.add(result.tables, words)


def differ_by(key: Key) -> str:
    """Return what the runs of a group differ by: training; documents, and training too; or nobody knows."""
    return {"bootstrap": "documents", "": ""}.get(key.sampling, "training")


def documents(taken: Sequence[Taken], kept: Sequence[Sets], result: Result) -> Iterator[Documents]:
    """Yield what documents do to the effect of each test, where a technique has shuffled and bootstrap runs."""
    rows = {(row.group, row.test): row for row in TESTS.rows(result.tables)}
    for one in taken:
        two = next((other for other in taken if other.key == replace(one.key, sampling="bootstrap")), None)
        if one.key.sampling != "shuffled" or two is None:
            continue
        for sets in kept:
            training, both = rows[one.name, sets.name], rows[two.name, sets.name]
            shift = _estimate(both, len(two.runs)).minus(_estimate(training, len(one.runs)))
            numbers = (training.effect, both.effect, shift.value, *shift.interval, training.sd, both.sd)
            yield Documents(one.key.technique, sets.name, *numbers)


def _estimate(row: Tested, runs: int) -> Estimate:
    return Estimate.of_runs(row.effect, row.sd / math.sqrt(runs), runs)


def _answer(result: Result) -> None:
    """Add the table of observations, and as verdict what is said of every test."""
    rows = list(TESTS.rows(result.tables))
    several = len({row.group for row in rows}) > 1
    OBSERVED.add(result.tables, [THERE.observed(row, row.group, shows(row)) for row in rows])
    for row in leading(rows):
        before = f"{groups_in_words([row.group])}: " if several else ""
        result.verdict.append(f"{before}{THERE.sentence(row)}")
