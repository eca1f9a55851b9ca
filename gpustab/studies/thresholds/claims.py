"""What the study claims: where thresholds lie, whether they differ, whether training moves them, and what they hang on.

Each rule has a margin and an error. How often the rules err, at 3 to 16 runs and at some hundred to a thousand words:
``benchmarks/placebos``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gpustab.results.page import counted, minus, percent
from gpustab.statistics.intervals import Estimate, sd_interval
from gpustab.studies.shared.claims import Claim, Margin, Verdict, decide
from gpustab.studies.shared.spaces import COLLAPSED
from gpustab.studies.shared.unfit import RULE, Unfit
from gpustab.studies.shared.wording import groups_in_words, number_span, the_runs, word
from gpustab.studies.thresholds.tables import OverRuns

STABLE = Margin(0.02, "standard deviation of a threshold over runs up to which it is stable")
FEW_PAIRS = Margin(1_000, "pairs of words below which nothing is said of thresholds of a hundredth")
NEAR = Margin(0.2, "cosine between a threshold and where it is proven, up to which that is an interval")

_STEP_SD = 0.01 / math.sqrt(12)
"""Standard deviation within the step in which thresholds are told."""

MANY = 4
"""Of more groups not all pairs are told, only the highest threshold and the lowest."""


def cosine(value: float | None) -> str:
    """Return a cosine for people.

    >>> cosine(-0.19), cosine(0.264)
    ('−0.19', '0.26')
    """
    return "–" if value is None else minus(f"{value:.2f}")


class Threshold(NamedTuple):
    """A group's threshold above chance, and the one clear of the lowest pairs."""

    chance: OverRuns
    clear: OverRuns

    @property
    def lacking(self) -> int:
        """Runs that have not both thresholds: a level that is reached nowhere, or everywhere, is none."""
        return self.chance.runs - min(self.chance.found, self.clear.found)

    @property
    def place(self) -> str:
        """Where it lies, in words."""
        verdict, proven = MEANINGFUL.judge(self), cosine(self.chance.proven_to)
        none = {"no": f"none in {self.lacking} of {self.chance.runs} runs", "unproven": "none that is proven"}
        return none.get(verdict, f"at most {proven}" if verdict == "far" else cosine(self.chance.mean))


def thresholds_of(rows: Sequence[OverRuns]) -> Iterator[Threshold]:
    """Yield the two thresholds of every group, from the rows of all rules."""
    by_rule = {(row.group, row.rule): row for row in rows}
    return (Threshold(row, by_rule[row.group, "clear"]) for row in rows if row.rule == "chance")


def _with_span(row: OverRuns) -> str:
    """A threshold with what the choice of words leaves open."""
    return f"{cosine(row.mean)} ({number_span(row.proven_from or 0.0, row.proven_to or 0.0, 2)})"


def proven_near(row: OverRuns) -> bool:
    """Tell whether a threshold is there in every run, and proven by the words not far from where it is."""
    if row.mean is None or row.proven_to is None or row.found < row.runs:
        return False
    return row.kind != "value" or row.proven_to - row.mean <= NEAR


def _proven(row: OverRuns) -> bool:
    """Tell whether the words prove a threshold somewhere."""
    return row.proven_to is not None and row.proven_from is not None and row.proven_to >= row.proven_from


def _meaningful(threshold: Threshold) -> str:
    if threshold.lacking:
        return "no"
    if not _proven(threshold.chance):
        return "unproven"
    return "yes" if proven_near(threshold.chance) else "far"


def _where(threshold: Threshold) -> str:
    row, clear = threshold.chance, threshold.clear
    place = (
        f"{_begin(row)} two words with a cosine above {_with_span(row)} are more closely related than the average "
        f"pair. {percent(row.below)} of all pairs lie below."
    )
    if not proven_near(clear):
        known = f"prove only above {cosine(clear.proven_to)}" if _proven(clear) else "do not prove"
        return f"{place} These words {known} that two words differ from the least similar 1 % of pairs."
    if (clear.mean or 0.0) > (row.mean or 0.0):
        return f"{place} Only above {_with_span(clear)} do they clearly differ from the least similar 1 % of pairs."
    return f"{place} Below {_with_span(clear)} they are no more related than the least similar 1 % of pairs."


def _none(threshold: Threshold) -> str:
    """That no threshold is there, or none in every run."""
    everywhere = threshold.lacking == threshold.chance.runs
    return "there is no threshold by our rule" if everywhere else "no threshold holds in every run"


def _begin(row: OverRuns) -> str:
    """Of which runs a sentence is."""
    return f"{groups_in_words([row.group])}:"


MEANINGFUL = Claim[Threshold](
    id="thresholds.meaningful",
    says="Above some cosine, two words are related.",
    paper="Elekes et al. found thresholds of −0.18 for CBOW, 0.20 for skip-gram and −0.15 for GloVe",
    source="Elekes et al. 2018, §4",
    rule=(
        "in every run some cosine separates pairs from the least similar 1 %, and from the average pair, and the words "
        f"prove it. Far: they prove it only at a cosine higher by more than {NEAR:g}"
    ),
    judge=_meaningful,
    sentences={
        "yes": _where,
        "far": lambda x: (
            f"{_begin(x.chance)} two words with a cosine above {cosine(x.chance.proven_to)} are surely more closely "
            "related than the average pair. More words in common with the baseline would prove a lower threshold."
        ),
        "unproven": lambda x: (
            f"{_begin(x.chance)} these words prove no threshold. With so few words, random vectors would show one too. "
            "Take runs with more words in common with the baseline."
        ),
        "no": lambda x: (
            f"{_begin(x.chance)} {_none(x)}. In {x.lacking} of {x.chance.runs} runs no cosine separates pairs clearly "
            "from the least similar 1 %."
        ),
    },
)


def higher(first: Estimate, second: Estimate, pairs: int = 1) -> Verdict:
    """Tell whether a threshold is higher than another, by a t interval of the difference over runs.

    Args:
        first: of one group.
        second: of another.
        pairs: how many pairs of groups these two were picked from: the interval is that of 95 % for all of them.

    >>> a, b = Estimate(0.26, 0.004, 3), Estimate(0.07, 0.004, 3)
    >>> higher(a, b), higher(b, a), higher(a, Estimate(0.25, math.nan, 0))
    ('yes', 'no', 'undecided')
    """
    return decide(first.minus(second).among(pairs), 0.0, math.inf)


class Apart(NamedTuple):
    """The higher and the lower of two thresholds, picked from the pairs of so many groups.

    Attributes:
        high: the one.
        low: the other.
        groups: how many.
        silent: what forbids to compare them; then nothing is tested.
    """

    high: OverRuns
    low: OverRuns
    groups: int = 2
    silent: Unfit = Unfit()

    @property
    def gap(self) -> str:
        """Both, in words."""
        return (
            f"{cosine(self.high.mean)} for {the_runs(self.high.group)}, {cosine(self.low.mean)} for "
            f"{the_runs(self.low.group)}"
        )

    @property
    def all_of_them(self) -> str:
        """The groups that one threshold may fit."""
        return "both groups" if self.groups == 2 else f"all {word(self.groups)} groups"


def _fits_none(apart: Apart) -> str:
    ends = "" if apart.groups == 2 else "the highest and the lowest are "
    return f"No threshold fits {apart.all_of_them}: {ends}{apart.gap}."


def _may_fit(apart: Apart) -> str:
    return f"These runs are too few to say whether one threshold fits {apart.all_of_them} ({apart.gap})."


def _one_fits(apart: Apart) -> str:
    if apart.silent:
        return "no test"
    return higher(apart.high.estimate, apart.low.estimate, apart.groups * (apart.groups - 1) // 2)


def _not_tested(apart: Apart) -> str:
    return (
        f"One threshold for {apart.all_of_them} is not tested ({apart.gap}). The reason is that {apart.silent.why}. "
        f"{apart.silent.advice}."
    )


NO_ONE_FITS = Claim[Apart](
    id="thresholds.no-one-fits",
    says="No threshold fits all models.",
    paper="Elekes et al. found 0.20 for skip-gram, far above −0.18 for CBOW and −0.15 for GloVe",
    source="Elekes et al. 2018, hypothesis 1",
    rule=(
        f"the 95 % interval over runs of the difference lies above 0, for all pairs of groups together. No test {RULE}"
    ),
    judge=_one_fits,
    sentences={"yes": _fits_none, "no": _may_fit, "undecided": _may_fit, "no test": _not_tested},
)


def stable(sd: float, runs: int) -> Verdict:
    """Tell whether a threshold stays where it is over runs: its SD is at most 0.02, by a 95 % interval.

    Thresholds are told in steps of 0.01, so that an SD of 0 is one of at most 0.003.

    >>> stable(0.005, 8), stable(0.005, 3), stable(0.1, 8)
    ('yes', 'undecided', 'no')
    """
    return decide(sd_interval(math.hypot(sd, _STEP_SD), runs), 0.0, STABLE)


def spread(row: OverRuns) -> str:
    """Return what a threshold varies by, in words."""
    return f"SD {row.sd:.3f}" if row.sd is not None and row.sd > _STEP_SD else f"SD below {_STEP_SD:.3f}"


def over(row: OverRuns) -> str:
    """Return what a threshold varies by over runs, in words."""
    return f"{spread(row)} over {counted(row.found, 'run')}"


STAYS = Claim[OverRuns](
    id="thresholds.stays",
    says="Retraining does not move the threshold.",
    source="Elekes et al. 2018, §4",
    paper="Elekes et al. give one number for each model, without an error",
    rule=f"the 95 % interval of its standard deviation over runs lies below {STABLE}; no if above",
    judge=lambda row: stable(row.sd or 0.0, row.found),
    sentences={
        "yes": lambda row: f"{_begin(row)} retraining does not move the threshold ({over(row)}).",
        "no": lambda row: f"{_begin(row)} retraining moves the threshold ({over(row)}). Do not take it from one run.",
        "undecided": lambda row: (
            f"{_begin(row)} {word(row.found)} {'run is' if row.found == 1 else 'runs are'} too few to say whether "
            f"retraining moves this threshold ({spread(row)})."
        ),
    },
)


def alarms_of(group: str, means: Mapping[str, float], pairs: float | None) -> Iterator[str]:
    """Yield what forbids to read the numbers of a group as they stand.

    Args:
        group: its name.
        means: by run the mean cosine of two words.
        pairs: how many the baseline knows; ``None`` where there is none.
    """
    collapsed = [run for run, mean in means.items() if mean > COLLAPSED]
    if collapsed:
        yield (
            f"{groups_in_words([group])}: {', '.join(collapsed)} {'is' if len(collapsed) == 1 else 'are'} "
            f"collapsed. All words point one way (mean cosine above {COLLAPSED}), so thresholds of similarity mean "
            "nothing. Train longer."
        )
    if pairs is not None and pairs < FEW_PAIRS:
        yield (
            f"{groups_in_words([group])}: the baseline knows only {counted(int(pairs), 'pair')} of words, too "
            "few for thresholds. Read nothing from them."
        )
