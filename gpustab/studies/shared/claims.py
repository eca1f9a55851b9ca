"""What a study claims: each verdict is one object with its rule, its margins and its sentences, found by its id.

A rule has a margin and an error: *yes* if the 95 % interval lies within the margin, *no* if it lies outside,
*undecided* if it reaches across, *no test* where the rule cannot be asked of these runs: they are too few, collapsed or
too noisy. A difference that was not found is no agreement. How often each rule is wrong, and how often it says nothing,
is counted on real text and on drawn numbers (``benchmarks/placebos``). All margins of all studies are in one table
(:func:`every_margin`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from pkgutil import iter_modules
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import gpustab.studies
from gpustab.results import Sheet
from gpustab.statistics.intervals import Estimate, ratio_of
from gpustab.studies.shared.wording import capital, number_span, with_error

X = TypeVar("X")

Verdict = Literal["yes", "no", "undecided", "no test"]
"""``no test``: the rule cannot be asked of these runs, which are too few, collapsed or too noisy."""

WORD_BASED = ("sgns", "cbow", "glove")
AS_IN_THESIS = {"sgns": "word2vec", "glove": "GloVe", "fasttext": "fastText"}
"""Our names of the thesis' techniques."""


class Margin(float):
    """A number that decides between two sentences; it counts as any number does.

    Attributes:
        about: what it bounds, with its unit: the table of margins prints it.
        module: where it was made, whoever imports it; as named tuples know theirs.

    Example:
        >>> from gpustab.results.page import percent
        >>> SUFFICES = Margin(0.9, "share of ten neighbours that two averages have in common")
        >>> 0.95 > SUFFICES, percent(SUFFICES), SUFFICES.about
        (True, '90 %', 'share of ten neighbours that two averages have in common')
    """

    about: str
    module: str

    def __new__(cls, value: float, about: str) -> Margin:
        """Return the number, with what it bounds."""
        margin = super().__new__(cls, value)
        margin.about = about
        margin.module = sys._getframe(1).f_globals.get("__name__", "")
        return margin

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]  # to be copied and pickled
        return float(self), self.about


class ClaimText(str):
    """What a claim states, as it stands in a table, where it still knows the claim that it is of."""

    __slots__ = ("id",)
    id: str

    def __new__(cls, text: str, of: str = "") -> ClaimText:
        """Return the text, with the id of its claim."""
        made = super().__new__(cls, text)
        made.id = of
        return made


Sentence = str | Callable[[X], str]
"""What a verdict says: a text with ``{names}`` of what is judged, or a function of it."""


class Observation(NamedTuple):
    """One row of the table of observations.

    Attributes:
        source: section and number in the thesis.
        claim: what it states.
        technique: of whom; empty if of several.
        shows: what the runs show; ± is half the 95 % interval.
        agrees: whether the claim holds here; of an objection of ours to a paper, *yes* is not what the paper says.
            Rules with other answers than yes, no, undecided and no test name them.
        rule: by which this was decided.
        paper: what the paper found, in one clause; empty where its claim does not say.
    """

    source: str
    claim: ClaimText
    technique: str
    shows: str
    agrees: Verdict
    rule: str
    paper: str = ""


OBSERVED = Sheet("observations", Observation, "one row a claim of the paper and technique")


@dataclass(frozen=True, kw_only=True)
class Claim(Generic[X]):
    """A verdict: what is claimed, by which rule it is judged, and what is said of it.

    Attributes:
        id: by which it is found, ``<study>.<words>``; it never changes.
        says: the claim; ``{names}`` in it are given with each observation.
        rule: in words, with its margin.
        judge: the rule: from what is judged (a row, some estimates) to a verdict. Most say yes, no, undecided or no
            test; a rule with other answers names them.
        source: paper and section.
        here: by verdict, how what is judged stands to what the paper found: "it is higher", after "here".
        sentences: by verdict.
        paper: what the paper found, in one clause: "Elekes et al. found 0.20 for skip-gram". Pages say it beside what
            these runs show.

    Example:
        >>> from gpustab.results.page import percent
        >>> LOW = Margin(0.2, "share of the list")
        >>> HARDLY = Claim(
        ...     id="doctest.hardly",
        ...     says="Lists hardly return",
        ...     rule=f"the interval lies below {percent(LOW)}",
        ...     judge=lambda share: within(share, -math.inf, LOW),
        ...     sentences={"yes": lambda share: f"Lists hardly return: {percent(share.value)} of a list."},
        ... )
        >>> HARDLY.sentence(Estimate(0.1, 0.01, 7)), HARDLY.sentence(Estimate(0.5, 0.01, 7))
        ('Lists hardly return: 10 % of a list.', '')
    """

    id: str
    says: str
    rule: str
    judge: Callable[[X], str]
    source: str = ""
    here: Mapping[str, Sentence[X]] = field(default_factory=dict)
    sentences: Mapping[str, Sentence[X]] = field(default_factory=dict)
    paper: str = ""

    def sentence(self, judged: X) -> str:
        """Return what is said of what is judged; empty where its verdict says nothing."""
        return self._said(self.sentences, judged)

    def stands(self, judged: X) -> str:
        """Return how what is judged stands to what the paper found, a clause; empty where its verdict says nothing."""
        return self._said(self.here, judged)

    def _said(self, sentences: Mapping[str, Sentence[X]], judged: X) -> str:
        says = sentences.get(self.judge(judged), "")
        if callable(says):
            return says(judged)
        return says.format(**judged._asdict()) if isinstance(judged, tuple) and hasattr(judged, "_asdict") else says

    def observed(self, judged: X, technique: str, shows: str, **names: Any) -> Observation:
        """Return the row of the table of observations."""
        claim = ClaimText(self.says.format(**names), self.id)
        verdict: Any = self.judge(judged)
        rule, paper = self.rule.format(**names), self.paper.format(**names)
        return Observation(self.source, claim, technique, shows, verdict, rule, paper)

    def open(self, why: str) -> Observation:
        """Return the row of the table of observations where nothing can be judged, with the reason."""
        return Observation(self.source, ClaimText(self.says, self.id), "", why, "no test", self.rule, self.paper)


def _modules() -> Iterator[tuple[str, Any]]:
    """The modules of all studies that hold claims, and those that studies share, with the names of their folders."""
    for study in sorted(found.name for found in iter_modules(gpustab.studies.__path__) if found.ispkg):
        package = import_module(f"gpustab.studies.{study}")
        for name in sorted(found.name for found in iter_modules(package.__path__)):
            if study == "shared" or name.startswith("claims"):
                yield study, import_module(f"{package.__name__}.{name}")


def every_margin() -> dict[str, Margin]:
    """Return the margins of all studies by id, ``<study>.<name>``."""
    return {
        f"{study}.{name.strip('_').lower().replace('_', '-')}": value
        for study, module in _modules()
        for name, value in vars(module).items()
        if isinstance(value, Margin) and value.module == module.__name__
    }


def every_claim() -> dict[str, Claim[Any]]:
    """Return the claims of all studies by id.

    Raises:
        ValueError: if two have one id.
    """
    claims: dict[str, Claim[Any]] = {}
    for _, module in _modules():
        for value in vars(module).values():
            if isinstance(value, Claim) and claims.setdefault(value.id, value) is not value:
                raise ValueError(f"two claims are called {value.id}")
    return claims


def too_noisy(p: float, runs: int) -> bool:
    """Tell whether lists are so noisy that so few runs judge no word, by p@n; NaN of it is noisy.

    >>> too_noisy(0.2, 5), too_noisy(0.2, 10), too_noisy(0.6, 3)
    (True, False, False)
    """
    return not p >= NOISY and runs < NOISY_RUNS


def decide(interval: tuple[float, float], low: float, high: float) -> Verdict:
    """Tell whether an interval lies in ``low .. high`` (yes), outside (no), or across a bound; or is undefined.

    >>> decide((0.1, 0.2), 0, 1), decide((0.9, 1.1), 0, 1), decide((1.1, 1.2), 0, 1), decide((math.nan, 1), 0, 1)
    ('yes', 'undecided', 'no', 'undecided')
    """
    if any(map(math.isnan, interval)):
        return "undecided"
    if low <= interval[0] and interval[1] <= high:
        return "yes"
    return "no" if interval[1] < low or interval[0] > high else "undecided"


def within(estimate: Estimate, low: float, high: float) -> Verdict:
    """Tell whether a number lies in ``low .. high``, by its interval."""
    return decide(estimate.interval, low, high)


def above(estimate: Estimate, bound: float, of: int = 1) -> Verdict:
    """Tell whether a number lies above a bound, by its interval; one that is the bound itself lies on neither side.

    Runs that all say the same have no error: a difference of exactly 0 is no rise.

    Args:
        estimate: the number.
        bound: the bound.
        of: judged as one of so many numbers, 95 % for all of them.

    >>> above(Estimate(1.0, 0.1, 30), 0.5), above(Estimate(1.0, 0.1, 2), 0.7), above(Estimate(1.0, 0.1, 30), 1.5)
    ('yes', 'undecided', 'no')
    >>> above(Estimate(0.0, 0.0, 7), 0), below(Estimate(0.0, 0.0, 7), 0)
    ('undecided', 'undecided')
    """
    low, high = estimate.among(of)
    return "yes" if low > bound else "no" if high < bound else "undecided"


def below(estimate: Estimate, bound: float, of: int = 1) -> Verdict:
    """Tell whether a number lies below a bound, by its interval, as :func:`above` does.

    >>> below(Estimate(0.2, 0.1, 9), 0.5), below(Estimate(0.5, 0.1, 9), 0.5), below(Estimate(0.9, 0.1, 9), 0.5)
    ('yes', 'undecided', 'no')
    """
    opposite: dict[Verdict, Verdict] = {"yes": "no", "no": "yes"}
    verdict = above(estimate, bound, of)
    return opposite.get(verdict, verdict)


def each_above(estimates: Sequence[Estimate], bound: float) -> Verdict:
    """Tell whether numbers all lie above a bound, each by its interval; no if one lies below, as one of so many.

    That one of several lies below by chance is the more probable the more there are: of six techniques of one law one
    interval in four had been wrong.

    >>> each_above([Estimate(1.0, 0.1, 7), Estimate(-0.25, 0.1, 7)], 0), each_above([Estimate(-0.25, 0.1, 7)], 0)
    ('undecided', 'no')
    """
    if not estimates:
        return "undecided"
    if all(above(estimate, bound) == "yes" for estimate in estimates):
        return "yes"
    return "no" if any(above(estimate, bound, len(estimates)) == "no" for estimate in estimates) else "undecided"


def rising(estimates: Sequence[Estimate]) -> Verdict:
    """Tell whether numbers from different runs rise, each step clear of 0; no if one falls, as one of so many steps.

    >>> rising([Estimate(1.0, 0.1, 7), Estimate(2.0, 0.1, 7)]), rising([Estimate(1.0, 0.5, 7), Estimate(1.2, 0.5, 7)])
    ('yes', 'undecided')
    """
    return each_above([after.minus(before) for before, after in pairwise(estimates)], 0.0)


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return no if one is no, else yes if all are yes.

    >>> all_of(["yes", "yes"]), all_of(["yes", "undecided"]), all_of(["undecided", "no"])
    ('yes', 'undecided', 'no')
    """
    if "no" in verdicts:
        return "no"
    return "yes" if all(verdict == "yes" for verdict in verdicts) else "undecided"


def shown(value: float | None, form: str) -> str:
    """Return a number in a form, ``–`` if it is undefined.

    >>> shown(0.031, ".2f"), shown(math.nan, ".2f")
    ('0.03', '–')
    """
    return "–" if value is None or math.isnan(value) else format(value, form)


NOISY = Margin(0.4, "p@n below which lists are noisy, and words are judged by so many runs only as noisy lists want")
NOISY_RUNS = Margin(10, "runs below which no word or neighbour is judged where lists are noisy")
"""Where two runs share a fifth of a list, as bootstrap runs of a small corpus do, a neighbour that is in five of five
is *firm* wrongly in 23 to 28 % of the cases, in eight of eight in 10 %, in ten in 2 %; of words that five such runs put
in the least stable tenth two of three are not there."""
MOST = Margin(0.5, "p@n of unrelated runs above which a list is most of the words, and nothing follows from it")
MATTERS = Margin(1.1, "ratio of the losses of bootstrap and shuffled runs from which documents matter: a tenth more")


BOOTSTRAP_IS = "Bootstrap runs resample these documents. Other documents may differ more."


class Losses(NamedTuple):
    """Mean reduced PIP losses of runs that differ in training alone (shuffled), and in the documents drawn as well."""

    shuffled: Estimate
    bootstrap: Estimate

    @property
    def ratio(self) -> Estimate:
        """The loss of bootstrap runs by that of shuffled ones."""
        return ratio_of(self.bootstrap, self.shuffled)

    @property
    def times(self) -> str:
        """The ratio in words."""
        ratio = self.ratio
        digits = _digits(ratio.half)
        return f"{ratio.value:.{digits}f} times ({number_span(*ratio.interval, digits)})"

    @property
    def resampling(self) -> str:
        """What resampling the documents does, a clause."""
        return (
            f"over all pairs of words, resampling the documents changes the cosines {self.times} as much as training "
            "again (ratio of PIP losses, over the words of both)"
        )


def _judge(losses: Losses) -> str:
    low, high = losses.ratio.interval
    return "matter" if low > MATTERS else "hardly" if high < MATTERS else "open"


def _open(losses: Losses) -> str:
    if math.isnan(losses.ratio.interval[0]):
        return (
            "Two runs are too few to say whether documents matter: they give no interval. Train at least three "
            "shuffled and three bootstrap runs."
        )
    return (
        "These runs are too few to say whether documents matter (reduced PIP loss of bootstrap runs "
        f"{with_error(losses.bootstrap)}, of shuffled runs {with_error(losses.shuffled)}). Train more runs."
    )


DOCUMENTS_MATTER = Claim[Losses](
    id="shared.documents-matter",
    says="The choice of documents matters.",
    source="Rettenmeier 2020, table 2.8",
    paper=(
        "Rettenmeier found losses of bootstrap runs 1.9 to 2.0 times as large as those of shuffled runs for word2vec, "
        "2.6 to 3.9 times for GloVe and 1.2 to 1.3 times for fastText"
    ),
    rule=f"the 95 % interval of bootstrap loss / shuffled loss lies above {MATTERS}; hardly: it lies below",
    judge=_judge,
    sentences={
        "matter": lambda x: f"Documents matter. {capital(x.resampling)}. Check your findings on bootstrap runs.",
        "hardly": lambda x: f"Documents hardly matter. {capital(x.resampling)}.",
        "open": _open,
    },
)


def documents(shuffled: Estimate, bootstrap: Estimate) -> tuple[str, str]:
    """Return whether documents matter, ``"matter"``, ``"hardly"`` or ``"open"``, and the sentence."""
    losses = Losses(shuffled, bootstrap)
    return DOCUMENTS_MATTER.judge(losses), DOCUMENTS_MATTER.sentence(losses)


def _digits(half: float) -> int:
    return 1 if math.isnan(half) or half >= 0.1 else 2
