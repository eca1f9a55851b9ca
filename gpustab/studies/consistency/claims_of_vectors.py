"""What the study claims of models, of Nonce2Vec, and of terms beside the vectors of general text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gpustab.results.page import counted, number, signed
from gpustab.statistics.intervals import Estimate, t_quantile
from gpustab.studies.consistency.claims import FEWEST, side_of_zero
from gpustab.studies.consistency.tables import (
    CLOSEST,
    Contrast,
    Domain,
    ModelNumbers,
    Neighbours,
    OwnVectors,
    Updates,
    as_cosine,
)
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import listed, signed_span, word

EQUAL = Margin(0.05, "difference of AUC between two models that matters to nobody: five of 100 comparisons")
READ = Margin(0.5, "mean updates that a sentence of a sample must give to be read by Nonce2Vec")
TWICE = Margin(2, "times that one of two standard errors, both estimates, is as large as the other to be called larger")


def _errors(row: ModelNumbers) -> tuple[float, float]:
    """The standard error of the mean AUC over the trainings of the background, and over terms."""
    half = (row.auc_high - row.auc_low) / 2
    return (row.auc_sd or 0.0) / math.sqrt(row.runs), half / t_quantile(row.terms - 1)


def _surer(row: ModelNumbers) -> str:
    if row.runs < 2:
        return "one"
    if row.terms < FEWEST:
        return "few"
    trainings, terms = _errors(row)
    if terms > TWICE * trainings:
        return "terms"
    return "trainings" if trainings > TWICE * terms else "both"


def _unsure(row: ModelNumbers, surer: str) -> str:
    trainings, terms = _errors(row)
    return (
        f"Another training of the background moves the AUC by {number(row.auc_sd, 2)} (SD of {row.runs} runs). The "
        f"mean is unsure by {number(trainings, 2)} (SE) for that, and by {number(terms, 2)} for other terms: "
        f"{surer}."
    )


SURER = Claim[ModelNumbers](
    id="consistency.surer",
    says="More terms, or more trainings of the background, make the AUC surer.",
    rule=(
        f"one of its two standard errors, over terms and over trainings, is more than {TWICE:g} times the other; none "
        f"with one training or under {FEWEST:g} terms"
    ),
    judge=_surer,
    sentences={
        "one": "One training of the background: what another would change is not seen.",
        "terms": lambda row: _unsure(row, "more terms make it surer, more trainings hardly do"),
        "trainings": lambda row: _unsure(row, "train the background more often"),
        "both": lambda row: _unsure(row, "more of both make it surer"),
    },
)


def _often(row: Contrast) -> str:
    """The difference of AUC in 100 comparisons, with its interval."""
    return f"{signed(100 * row.auc, 1)} of 100 comparisons, {signed_span(100 * row.auc_low, 100 * row.auc_high, 1)}"


def _cosine(row: Contrast) -> str:
    """Which cosine surely is the higher: ``"higher"`` or ``"lower"`` of the first model; else empty."""
    return side_of_zero(row.same_low, row.same_high, across="")


def _better(row: Contrast) -> str:
    across = "equal" if -EQUAL < row.auc_low <= row.auc_high < EQUAL else "open"
    return "open" if row.terms < FEWEST else side_of_zero(row.auc_low, row.auc_high, "better", "worse", across)


def _than(row: Contrast, better: str, against: str) -> str:
    """The sentence on a difference, with the cosine where it surely goes the other way."""
    though = f", though its cosine is {against}" if _cosine(row) == against else ""
    return f"{row.model} tells terms apart {better} than {row.against} ({_often(row)}){though}."


def _equal(row: Contrast) -> str:
    though = ", though their cosines differ" if _cosine(row) else ""
    return (
        f"{row.model} and {row.against} tell terms apart equally well ({_often(row)}, within ± "
        f"{100 * EQUAL:.0f}){though}."
    )


BETTER_MODEL = Claim[Contrast](
    id="consistency.better-model",
    says="One model tells terms apart better than another.",
    source="Bloem et al. 2019, tables 1, 3 and 4, which rank models by their cosines",
    rule=(
        f"the interval of the difference of AUC over the same terms lies on one side of 0; equal if it lies across 0 "
        f"and within ± {EQUAL:g}; open under {FEWEST:g} terms"
    ),
    judge=_better,
    sentences={
        "better": lambda row: _than(row, "better", "lower"),
        "worse": lambda row: _than(row, "worse", "higher"),
        "equal": _equal,
        "open": lambda row: (
            f"Whether {row.model} or {row.against} tells terms apart better cannot be told: "
            f"{_often(row)}, which would have to lie on one side of 0, or within ± {100 * EQUAL:.0f}."
        ),
    },
)


def _sums_first(rows: Sequence[Contrast]) -> str:
    """Whether every model has a surely lower cosine than the sums beside it; one is higher as one of so many."""
    sides = {_cosine(row) for row in rows}
    higher = any(_difference(row).among(len(rows))[0] > 0 for row in rows)
    return (
        "few"
        if min(row.terms for row in rows) < FEWEST
        else "yes"
        if sides == {"lower"}
        else "no"
        if higher
        else "open"
    )


def _difference(row: Contrast) -> Estimate:
    """The difference of cosines with its error over terms."""
    half = (row.same_high - row.same_low) / 2
    return Estimate((row.same_low + row.same_high) / 2, half / t_quantile(row.terms - 1), row.terms - 1)


def _by_auc(rows: Sequence[Contrast]) -> str:
    """How well every model tells terms apart beside its sums."""
    words = {"better": "better", "worse": "worse", "equal": "as good", "open": "not told apart"}
    return f"by AUC {listed([f'{row.model} is {words[_better(row)]}' for row in rows])}"


SUMS_FIRST = Claim[Sequence[Contrast]](
    id="consistency.sums-first",
    says="Sums have a higher cosine of one term than Nonce2Vec and SVD.",
    source="Bloem et al. 2019, tables 1, 3 and 4",
    rule=(
        "the intervals of the differences of cosines, over the same terms, all lie below 0; no if one lies above, as "
        "one of so many; open "
        f"else; few under {FEWEST:g} terms"
    ),
    judge=_sums_first,
    paper=(
        "Bloem and others found sums more consistent than Nonce2Vec, and that more than SVD, by cosine: 0.919, 0.695 "
        "and 0.352 on samples of one book (tables 1, 3 and 4)"
    ),
    here={
        "few": "there are too few terms to compare",
        "yes": lambda rows: f"sums have the higher cosine too, and {_by_auc(rows)}",
        "no": lambda rows: f"a model has a higher cosine than sums, and {_by_auc(rows)}",
        "open": lambda rows: f"sums have not surely the higher cosine, and {_by_auc(rows)}",
    },
)


def _read_by_nonce(rows: Sequence[Updates]) -> str:
    read = sum(row.updates >= READ for row in rows)
    return "none" if not read else "all" if read == len(rows) else "first"


def _updates(rows: Sequence[Updates]) -> str:
    return f"{sum(row.updates for row in rows):.0f} updates a sample"


READ_BY_NONCE = Claim[Sequence[Updates]](
    id="consistency.read-by-nonce",
    says="Nonce2Vec learns from the first sentences of a sample alone.",
    source="Bloem et al. 2019, section 5",
    rule=f"a sentence is read if it gives {READ:g} updates or more in the mean over samples",
    judge=_read_by_nonce,
    sentences={
        "none": "Nonce2Vec makes hardly any update: its vectors are the sums that it starts from.",
        "all": lambda rows: f"Nonce2Vec learns from every sentence of a sample: {_updates(rows)}.",
        "first": lambda rows: (
            f"Nonce2Vec learns from the first {sum(row.updates >= READ for row in rows)} of {len(rows)} sentences "
            "alone, since its window shrinks and more words are left out with every sentence: "
            f"{_updates(rows)}."
        ),
    },
    paper=(
        "Bloem and others found low consistency by Nonce2Vec's defaults, whose decay may be too fast for many "
        "sentences, and 0.686 to 0.748 by tuned ones (table 3)"
    ),
    here={
        "none": "it reads hardly anything",
        "all": "it reads every sentence",
        "first": lambda rows: f"it reads {sum(row.updates >= READ for row in rows)} of {len(rows)} sentences",
    },
)


def _nearer_to_own(row: OwnVectors) -> str:
    return "few" if row.terms < FEWEST else side_of_zero(row.excess_low, row.excess_high, "nearer", "farther")


def _beside_own(row: OwnVectors, says: str, difference: str) -> str:
    """What is said of both cosines and their difference, and the place of the own vector."""
    both = f"{as_cosine(row.cosine)} against {as_cosine(row.null)}"
    span = difference.format(signed_span(row.excess_low, row.excess_high))
    return f"{says} ({both}; {span}). The own one stands at place {row.place:,.0f} among all words."


def _of_own(row: OwnVectors) -> str:
    return f"{as_cosine(row.cosine)} and place {row.place:,.0f} by {row.model}"


OWN_NEARER = Claim[OwnVectors](
    id="consistency.own-nearer",
    says="A sample is nearer to the background's vector of its own term than to that of another.",
    source="Bloem et al. 2019, table 6",
    rule=(
        "the interval over terms of the difference of both cosines lies above 0; farther if below; few under "
        f"{FEWEST:g} terms that the background has"
    ),
    judge=_nearer_to_own,
    sentences={
        "few": "Too few of the terms are in the background to say how near they are to its vectors.",
        "nearer": lambda row: _beside_own(
            row,
            "A sample is nearer to the background's vector of its own term than to that of another",
            "difference {}, above 0",
        ),
        "farther": lambda row: _beside_own(
            row, "A sample is farther from its own term's vector than from another's", "difference {}, below 0"
        ),
        "open": lambda row: _beside_own(
            row,
            "That a sample is nearer to its own term's vector than to another's is not shown",
            "the difference, {}, would have to be above 0",
        ),
    },
    paper=(
        "Bloem and others found Nonce2Vec's vectors at cosines of 0.35 to 0.48 to the background's own, at places "
        "2,902 to 24,513 of 259,376 (table 6)"
    ),
    here={
        "few": "too few of the terms are in the background",
        "nearer": lambda row: f"they are at {_of_own(row)}, nearer than those of other terms",
        "farther": lambda row: f"they are at {_of_own(row)}, farther than those of other terms",
        "open": lambda row: f"they are at {_of_own(row)}, not surely nearer than those of other terms",
    },
)


class Groups(NamedTuple):
    """Terms frequent in the text and rare in general, if there are any, and the other groups that are large enough."""

    closest: Domain | None
    others: list[Domain]

    @classmethod
    def of(cls, rows: Sequence[Domain]) -> Groups:
        """Return the groups of one background and text."""
        closest = next((row for row in rows if row.terms_of == CLOSEST), None)
        others = [row for row in rows if row.terms >= FEWEST and row.terms_of not in ("all", CLOSEST)]
        return cls(closest, others)

    def differences(self) -> list[tuple[str, tuple[float, float]]]:
        """How much closer to themselves than those of every other group: the intervals, by name of the group."""
        return [(name, difference.interval) for name, difference in self._differences()]

    def closer(self) -> list[tuple[str, tuple[float, float]]]:
        """By how much other groups are surely closer, each as one of so many: below 0."""
        differences = self._differences()
        together = [(name, difference.among(len(differences))) for name, difference in differences]
        return [(name, interval) for name, interval in together if interval[1] < 0]

    def _differences(self) -> list[tuple[str, Estimate]]:
        if self.closest is None or self.closest.terms < FEWEST:
            return []
        return [(row.terms_of, _excess(self.closest).minus(_excess(row))) for row in self.others]


def _excess(row: Domain) -> Estimate:
    """The excess of a row with its error."""
    half = (row.excess_high - row.excess_low) / 2
    return Estimate(row.excess, half / t_quantile(row.terms - 1), row.terms - 1)


def _closest(rows: Sequence[Domain]) -> str:
    groups = Groups.of(rows)
    differences = [interval for _, interval in groups.differences()]
    if not differences:
        return "few"
    if all(low > 0 for low, _ in differences):
        return "closest"
    return "not" if groups.closer() else "open"


def _too_few(rows: Sequence[Domain]) -> str:
    groups = Groups.of(rows)
    there = groups.closest.terms if groups.closest else 0
    terms = f"there {'is' if there == 1 else 'are'} {counted(there, 'such term')}" if there else "there is no such term"
    lacking = f" (wanted {FEWEST:g})" if there < FEWEST else ""
    other = "" if groups.others else f" and no other group of {word(int(FEWEST))}"
    return (
        "Whether terms frequent in the text and rare in general are the closest to themselves cannot be told: "
        f"{terms}{lacking}{other}."
    )


def _closest_cosines(rows: Sequence[Domain]) -> str:
    row = next(row for row in rows if row.terms_of == CLOSEST)
    return (
        f"cosine {as_cosine(row.cosine)}, others of like frequency {as_cosine(row.null)}, {counted(row.terms, 'term')}"
    )


def _not_closest(rows: Sequence[Domain]) -> str:
    name, (low, high) = Groups.of(rows).closer()[0]
    return (
        f"Terms frequent in the text and rare in general are not the closest to themselves ({_closest_cosines(rows)}): "
        f"terms {name} are closer by {signed_span(-high, -low)}, each beside terms of like frequency."
    )


def _closest_open(rows: Sequence[Domain]) -> str:
    name, (low, high) = min(Groups.of(rows).differences(), key=lambda one: one[1][0])
    return (
        "That terms frequent in the text and rare in general are closer to themselves than all others is not shown "
        f"({_closest_cosines(rows)}): beside terms of like frequency, they are so by {signed_span(low, high)} more "
        f"than terms {name}, which would have to be above 0."
    )


CLOSEST_GROUP = Claim[Sequence[Domain]](
    id="consistency.closest",
    says="Terms frequent in the text and rare in general are the closest to themselves in the general text.",
    source="Bloem et al. 2019, table 5",
    rule=(
        "the interval of their excess over terms of like frequency, less that of another group, lies above 0 for every "
        f"other group of {FEWEST:g} terms; not if it lies below for one, as one of so many; few without {FEWEST:g} "
        "such terms or another group"
    ),
    judge=_closest,
    sentences={
        "few": _too_few,
        "closest": lambda rows: (
            f"Terms frequent in the text and rare in general are the closest to themselves ({_closest_cosines(rows)}), "
            "each group beside terms of like frequency."
        ),
        "not": _not_closest,
        "open": _closest_open,
    },
    paper=(
        "Bloem and others found terms frequent in the text and rare in general the closest to themselves: 0.735, "
        "other groups 0.417, 0.109 and 0.078 (table 5)"
    ),
    here={
        "few": "too few terms are of such frequencies",
        "closest": "they are so too, each group beside terms of like frequency",
        "not": "those of another group are closer",
        "open": "that is not shown",
    },
)


def neighbours_shared(rows: Sequence[Neighbours]) -> str:
    """Return how many of their nearest words the first two samples of the terms share: what is there, no estimate."""
    of, by_model = len(rows[0].nearest.split(", ")), dict[str, list[Neighbours]]()
    for row in rows[::2]:
        by_model.setdefault(row.model, []).append(row)
    means = {model: f"{sum(row.shared for row in first) / len(first):.1f}" for model, first in by_model.items()}
    many = f"the {len(by_model[rows[0].model])} most frequent terms"
    if len(means) == 1:
        return f"Of {of} nearest words two samples of a term share {means[rows[0].model]}, a mean of {many}."
    each = listed([f"{mean} by {model}" for model, mean in means.items()])
    return f"Of {of} nearest words two samples of a term share {each}, means of {many}."


TALKING = (
    "Bloem and others found Nonce2Vec's two vectors of “talking” nearest to each other (0.751) among unrelated words "
    "(table 7)"
)


def nearest_to_each_other(rows: Sequence[Neighbours]) -> str:
    """Return how often the other sample is the nearest of all: what is there, no estimate."""
    each = []
    for model in dict.fromkeys(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        each.append(f"in {sum(row.place == 1 for row in own)} of {len(own)} by {model}")
    return f"the other sample is the nearest of all {listed(each)}"
