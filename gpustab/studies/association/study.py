"""Associations of word sets with word sets over runs, after Caliskan, Bryson & Narayanan 2017 (WEAT).

The association of a word w is its mean cosine with the words of A less that with the words of B. A test asks whether it
is larger for the words of X than for those of Y. The paper measures one space; here are as many as there are runs, so
that the effect has an interval over trainings, or over draws of the documents, beside the chance of the words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
from gpustab.statistics.intervals import Estimate, jackknife_error, t_quantile
from gpustab.statistics.splits import Floats, split_test
from gpustab.studies.association.claims import CHANCE, TESTS, THERE, USED, Tested, Used, leading, shows
from gpustab.studies.association.options import AssociationOptions
from gpustab.studies.association.sets import FEWEST, Sets, read_sets
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.frame import Groups, answering, groups_of, without_copies
from gpustab.studies.shared.spaces import is_fact, look_at
from gpustab.studies.shared.wording import groups_in_words

_ONE = 1 - 1e-12
"""A correlation of 1 has no z."""
_FAR = 1e3
"""Beyond so many standard errors nobody asks for the share of runs of another sign."""


class RunRow(NamedTuple):
    """One test in one run."""

    group: str
    test: str
    run: str
    effect: Annotated[float, Column("d", 3, "effect size")]
    difference: Annotated[float, Column(about="of association, in cosine")]
    p: Annotated[float, Column(digits=2, about="two-sided, by splits of the words")]


class WordRow(NamedTuple):
    """One word of a test, and what the test is without it."""

    group: str
    test: str
    set: Annotated[str, Column(about="that the word is of")]
    word: str
    association: Annotated[float | None, Column(about="of a target with A less B, in cosine; mean over runs")]
    association_se: Annotated[float | None, Column(about="its error over runs")]
    without: Annotated[float, Column("d without it", 3, "effect size without the word, likewise over runs")]
    p_without: Annotated[float, Column("p without it", 2)]


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


RUN_ROWS = Sheet("runs", RunRow, "one row a group, test and run", long=True)
WORD_ROWS = Sheet("words", WordRow, "one row a group, test and word")
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
            own = take(runs, asked, silent=any(not is_fact(sentence) for sentence in alarms))
            notes = []
            if lost := [show(word) for word in asked if word not in own.words]:
                few = counted(len(lost), "word", "is/are", of=len(asked))
                notes = [f"{few} lacking in some run here, and so left out of all groups: {some_of(lost)}."]
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


def take(runs: Runs, asked: Sequence[bytes], *, silent: bool = False) -> Taken:
    """Return the rows of words that all runs of a group have."""
    joint = runs.joint.cpu()
    words = [word for word in asked if word in runs.vocabulary and joint[runs.vocabulary.index_of(word)]]
    chosen_ = runs.rows_of(words)
    rows = torch.stack([runs.select(r, chosen_.to(runs.device)).cpu() for r in range(len(runs))])
    rows = torch.nn.functional.normalize(rows, dim=2)
    return Taken(runs.name, runs.key, tuple(runs.names), {word: k for k, word in enumerate(words)}, rows, silent)


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


class Measured(NamedTuple):
    """A test over runs.

    Attributes:
        associations: ``(R, t)`` of the targets.
        difference: ``(R,)`` of the means of X and Y.
        effect: ``(R,)`` d, that difference by the SD over all targets.
        z: ``(R,)`` Fisher's z of the correlation of association and set, which for sets of one size is about d/2. It
            has no bound, near which d is skewed: by d 6 % of intervals of the share of turning runs lay below it.
        most: the largest d that sets of these sizes can have, at a correlation of 1.
    """

    associations: Floats
    difference: Floats
    effect: Floats
    z: Floats
    most: float

    @property
    def middle(self) -> float:
        """The effect at the mean of z over runs."""
        return self.span(0.0)[0] if len(self.z) > 1 else float(self.effect[0])

    def span(self, reach: float) -> tuple[float, float]:
        """Return d so many standard deviations of z below and above its mean; NaN of one run."""
        sd = float(self.z.std(ddof=1)) if len(self.z) > 1 else math.nan
        low, high = (self.most * math.tanh(float(self.z.mean()) + sign * reach * sd) for sign in (-1, 1))
        return low, high


def measure(cosines: Floats, sizes: Sequence[int]) -> Measured:
    """Return the effect of every run; NaN where all targets are associated alike.

    Args:
        cosines: ``(R, t, a)`` of targets and attributes.
        sizes: of X, Y, A and B.
    """
    x, y, a, _ = sizes
    own = cosines[:, :, :a].mean(2) - cosines[:, :, a:].mean(2)
    difference, spread = own[:, :x].mean(1) - own[:, x:].mean(1), own.std(1, ddof=1)
    effect = np.divide(difference, spread, out=np.full(len(own), math.nan), where=spread > 0)
    most = math.sqrt((x + y) * (x + y - 1) / (x * y))
    return Measured(own, difference, effect, np.arctanh(np.clip(effect / most, -_ONE, _ONE)), most)


def turning(effects: Floats) -> tuple[float, float]:
    """Return the 95 % interval of the share of runs of another sign than most; NaN of one run.

    Of a normal law over runs the share is Φ(−|δ|), δ = mean/SD, and ``√R`` times their ratio in R runs follows a
    noncentral t: the limits of δ are those at which it would be exceeded, or not reached, in 2.5 % of cases.

    >>> low, high = turning(np.array([0.5, -0.4, 0.1, 0.6]))
    >>> low < 0.25 < high
    True
    """
    from scipy.special import nctdtrinc, ndtr

    runs, sd = len(effects), float(effects.std(ddof=1)) if len(effects) > 1 else math.nan
    mean = float(effects.mean())
    if math.isnan(mean + sd):
        return math.nan, math.nan
    t = min(abs(mean) * math.sqrt(runs) / sd, _FAR) if sd else _FAR * (mean != 0)
    low, high = (float(nctdtrinc(runs - 1, p, t)) / math.sqrt(runs) for p in (0.975, 0.025))
    nearest = 0.0 if low < 0 < high else min(abs(low), abs(high))
    return float(ndtr(-max(abs(low), abs(high)))), float(ndtr(-nearest))


def numbers_of(
    cosines: Floats, sets: Sets, seed: int, whose: tuple[str, str], *, silent: bool = False
) -> tuple[Tested, list[tuple[float, float, float]], list[WordRow]]:
    """Return the row of a test; the effect, difference and p of every run; and a row for every word.

    Args:
        cosines: ``(R, t, a)``.
        sets: the test.
        seed: of the draw of splits.
        whose: name of the group, and what its runs differ by; see :data:`OTHERS`.
        silent: whether nothing may be judged.
    """
    found, sizes, runs = measure(cosines, sets.sizes), sets.sizes, len(cosines)
    by_mean = found.associations.mean(0)
    splits = split_test(np.vstack([by_mean, found.associations]), sizes[0], seed)
    words = list(_words(cosines, sets, seed, whose[0], found))
    strata = [[row.without for row in words if row.set == name] for name in sets.names]
    effect, difference = found.middle, _mean(found.difference)
    sd = float(found.effect.std(ddof=1)) if runs > 1 else math.nan
    reach = t_quantile(runs - 1) if runs > 1 else math.nan
    row = Tested(
        whose[0],
        sets.name,
        *sets.names,
        *sizes,
        whose[1],
        0 if silent else runs,
        effect,
        *found.span(reach / math.sqrt(runs)),
        sd,
        *found.span(reach * math.sqrt(1 + 1 / runs)),
        float(found.effect.min()),
        float(found.effect.max()),
        math.sqrt(sum(jackknife_error(own) ** 2 for own in strata)),
        difference.value,
        difference.se,
        float(splits.p[0]),
        float(splits.error[0]),
        splits.splits,
        float((np.sign(found.effect) != np.sign(effect)).mean()),
        float(((splits.p[1:] <= CHANCE) != (splits.p[0] <= CHANCE)).mean()),
        *turning(found.z),
    )
    of_runs = list(zip(found.effect.tolist(), found.difference.tolist(), splits.p[1:].tolist(), strict=True))
    return row, of_runs, words


def _mean(values: Floats) -> Estimate:
    se = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return Estimate.of_runs(float(values.mean()), se, len(values))


def _words(cosines: Floats, sets: Sets, seed: int, group: str, found: Measured) -> Iterator[WordRow]:
    """Every word with the effect without it; those of one set are tested at once."""
    targets = len(sets.targets)
    own = [_mean(found.associations[:, k]) for k in range(targets)]
    start = 0
    for s, (name, words) in enumerate(zip(sets.names, sets.words, strict=True)):
        sizes = [size - (k == s) for k, size in enumerate(sets.sizes)]
        axis, first = (1, start) if s < 2 else (2, start - targets)
        less = [measure(np.delete(cosines, first + k, axis), sizes) for k in range(len(words))]
        p = split_test(np.array([one.associations.mean(0) for one in less]), sizes[0], seed).p
        for k, word in enumerate(words):
            value, se = own[start + k][:2] if s < 2 else (None, None)
            yield WordRow(group, sets.name, name, show(word), value, se, less[k].middle, float(p[k]))
        start += len(words)


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
