"""What the study claims of models, of Nonce2Vec, and of terms beside the vectors of general text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpustab.results.page import counted
from gpustab.statistics.intervals import Estimate, t_quantile
from gpustab.studies.consistency.claims import FEWEST, side_of_zero
from gpustab.studies.consistency.tables import CLOSEST, Contrast, Domain, Neighbours, OwnVectors, Updates, as_cosine
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import capital, difference_span, listed, signed_span, word

EQUAL = Margin(0.05, "difference of AUC between two models that matters to nobody: five of 100 comparisons")
READ = Margin(0.5, "mean updates that a sentence of a sample must give to be read by Nonce2Vec")


def _often(row: Contrast) -> str:
    """The difference of AUC in 100 comparisons, with its interval; without signs where it has one."""
    span = difference_span(100 * row.auc_low, 100 * row.auc_high, 1)
    return f"difference {100 * abs(row.auc):.1f} of 100 comparisons, interval {span}"


def _cosine(row: Contrast) -> str:
    """Which cosine surely is the higher: ``"higher"`` or ``"lower"`` of the first model; else empty."""
    return side_of_zero(row.same_low, row.same_high, across="")


def _better(row: Contrast) -> str:
    if row.terms < FEWEST:
        return "open"
    across = "equal" if -EQUAL < row.auc_low <= row.auc_high < EQUAL else "open"
    side = side_of_zero(row.auc_low, row.auc_high, "better", "worse", across)
    if row.beyond_low is None or row.beyond_high is None or side == across:
        return side
    return side if side_of_zero(row.beyond_low, row.beyond_high, "better", "worse") == side else "documents"


def _than(row: Contrast, better: str, against: str) -> str:
    """The sentence on a difference, with the cosine where it surely goes the other way."""
    though = f" Its cosine is {against} all the same." if _cosine(row) == against else ""
    return f"{row.model} distinguishes terms {better} than {row.against} ({_often(row)}).{though}"


def _equal(row: Contrast) -> str:
    though = " Their cosines differ all the same." if _cosine(row) else ""
    return (
        f"{row.model} and {row.against} distinguish terms equally well ({_often(row)}; up to {100 * EQUAL:.0f} counts "
        f"as none).{though}"
    )


def _by_documents(row: Contrast) -> str:
    one, two = (row.model, row.against) if row.auc > 0 else (row.against, row.model)
    low, high = row.beyond_low or 0.0, row.beyond_high or 0.0
    return (
        f"{one} may distinguish only documents better than {two}, not terms. Its samples of one term are surely more "
        f"alike ({_often(row)}). But made-up words in the same documents are so too: the difference beyond them is "
        f"{signed_span(100 * low, 100 * high, 1)}."
    )


BETTER_MODEL = Claim[Contrast](
    id="consistency.better-model",
    says="One model distinguishes terms better than another.",
    rule=(
        "the interval of the difference of AUC over the same terms lies on one side of 0. So does that of what both "
        "have beyond made-up words in random sentences of the same documents, if both read any. Documents: "
        f"only the first. Equal: the first lies across 0 and within ± {EQUAL:g}. Open: under {FEWEST:g} terms, or "
        "neither"
    ),
    judge=_better,
    sentences={
        "better": lambda row: _than(row, "better", "lower"),
        "worse": lambda row: _than(row, "worse", "higher"),
        "documents": _by_documents,
        "equal": _equal,
        "open": lambda row: (
            f"These terms are too few to say whether {row.model} or {row.against} distinguishes terms better "
            f"({_often(row)})."
        ),
    },
)


def _sums_first(rows: Sequence[Contrast]) -> str:
    """Whether every model has a surely lower cosine than the sums beside it; one is higher as one of so many."""
    if not rows:
        return "neither"
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
    words = {"better": "better", "worse": "worse", "equal": "as good"}
    unsure = "better or worse"
    return f"by AUC {listed([f'{row.model} is {words.get(_better(row), unsure)}' for row in rows])}"


SUMS_FIRST = Claim[Sequence[Contrast]](
    id="consistency.sums-first",
    says="Sums have a higher cosine of one term than Nonce2Vec and SVD.",
    source="Bloem et al. 2019, tables 1, 3 and 4",
    rule=(
        "the intervals of the differences of cosines, over the same terms, all lie below 0. No: one lies above, as one "
        f"of so many. Few: under {FEWEST:g} terms. Neither: both are missing; encoders do not count"
    ),
    judge=_sums_first,
    paper=(
        "Bloem and others found the highest cosine for sums (0.919), then Nonce2Vec (0.695), then SVD (0.352), on "
        "samples of one book (tables 1, 3 and 4)"
    ),
    here={
        "neither": "there is neither Nonce2Vec nor SVD",
        "few": "there are too few terms to compare",
        "yes": lambda rows: f"sums have the higher cosine too, and {_by_auc(rows)}",
        "no": lambda rows: f"a model has a higher cosine than sums, and {_by_auc(rows)}",
        "open": lambda rows: f"sums may or may not have the higher cosine, and {_by_auc(rows)}",
    },
)


def _read_by_nonce(rows: Sequence[Updates]) -> str:
    read = sum(row.updates >= READ for row in rows)
    return "none" if not read else "all" if read == len(rows) else "first"


def _updates(rows: Sequence[Updates]) -> str:
    return f"{sum(row.updates for row in rows):.0f} updates a sample"


READ_BY_NONCE = Claim[Sequence[Updates]](
    id="consistency.read-by-nonce",
    says="Nonce2Vec learns from the first sentences of a sample only.",
    source="Bloem et al. 2019, section 5",
    rule=f"a sentence counts as read if it gives {READ:g} updates or more, on average over samples",
    judge=_read_by_nonce,
    sentences={
        "none": "Nonce2Vec makes hardly any update: its vectors are the sums that it starts from.",
        "all": lambda rows: f"Nonce2Vec learns from every sentence of a sample ({_updates(rows)}).",
        "first": lambda rows: (
            f"Nonce2Vec learns from the first {sum(row.updates >= READ for row in rows)} of {len(rows)} sentences only "
            f"({_updates(rows)}). With every sentence its window shrinks, and it leaves out more words."
        ),
    },
    paper=(
        "Bloem and others found low consistency with Nonce2Vec's defaults, whose decay may be too fast for many "
        "sentences, and 0.686 to 0.748 with tuned ones (table 3)"
    ),
    here={
        "none": "it reads hardly anything",
        "all": "it reads every sentence",
        "first": lambda rows: f"it reads {sum(row.updates >= READ for row in rows)} of {len(rows)} sentences",
    },
)


def _nearer_to_own(row: OwnVectors) -> str:
    return "few" if row.terms < FEWEST else side_of_zero(row.excess_low, row.excess_high, "nearer", "farther")


def _beside_own(row: OwnVectors, says: str) -> str:
    """What is said of both cosines and their difference, and the place of the own vector."""
    span = difference_span(row.excess_low, row.excess_high, 2)
    both = f"cosine {as_cosine(row.cosine)} against {as_cosine(row.null)}, difference {span}"
    return f"{says} ({both}). Its own vector has place {row.place:,.0f} among all words."


def _of_own(row: OwnVectors) -> str:
    return f"a cosine of {as_cosine(row.cosine)} and place {row.place:,.0f} by {row.model}"


OWN_NEARER = Claim[OwnVectors](
    id="consistency.own-nearer",
    says="A sample is nearer to its own term's background vector than to another term's.",
    source="Bloem et al. 2019, table 6",
    rule=(
        "the interval over terms of the difference of both cosines lies above 0. Farther: it lies below. Few: under "
        f"{FEWEST:g} terms that the background has"
    ),
    judge=_nearer_to_own,
    sentences={
        "few": "The background has too few of the terms to say how near a sample is to its own term's vector.",
        "nearer": lambda row: _beside_own(
            row, "A sample is nearer to its own term's background vector than to another term's"
        ),
        "farther": lambda row: _beside_own(
            row, "A sample is farther from its own term's background vector than from another term's"
        ),
        "open": lambda row: _beside_own(
            row, "These terms are too few to say whether a sample is nearer to its own term's background vector"
        ),
    },
    paper=(
        "Bloem and others found Nonce2Vec's vectors at cosines of 0.35 to 0.48 to the background's own, at places "
        "2,902 to 24,513 of 259,376 (table 6)"
    ),
    here={
        "few": "the background has too few of the terms",
        "nearer": lambda row: f"the own vectors have {_of_own(row)}, nearer than those of other terms",
        "farther": lambda row: f"the own vectors have {_of_own(row)}, farther than those of other terms",
        "open": lambda row: f"the own vectors have {_of_own(row)}, perhaps no nearer than those of other terms",
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
    if there < FEWEST:
        few = f"{capital(word(there)) if there else 'No'} {'term is' if there < 2 else 'terms are'}"
        return f"{few} frequent in the text and rare in general. The comparison needs at least {word(int(FEWEST))}."
    return f"No other group has the {word(int(FEWEST))} terms that a comparison needs."


def _closest_cosines(rows: Sequence[Domain]) -> str:
    row = next(row for row in rows if row.terms_of == CLOSEST)
    return f"cosine {as_cosine(row.cosine)}, equally frequent terms {as_cosine(row.null)}, {counted(row.terms, 'term')}"


def _not_closest(rows: Sequence[Domain]) -> str:
    name, (low, high) = Groups.of(rows).closer()[0]
    return (
        f"Terms frequent in the text and rare in general are not the closest to themselves ({_closest_cosines(rows)}). "
        f"Terms {name} are closer by {difference_span(low, high, 2)}, compared with equally frequent terms."
    )


def _closest_open(rows: Sequence[Domain]) -> str:
    name, (low, high) = min(Groups.of(rows).differences(), key=lambda one: one[1][0])
    return (
        "Terms frequent in the text and rare in general may or may not be the closest to themselves "
        f"({_closest_cosines(rows)}). Compared with equally frequent terms, they are ahead of terms {name} by "
        f"{difference_span(low, high, 2)}."
    )


CLOSEST_GROUP = Claim[Sequence[Domain]](
    id="consistency.closest",
    says="Terms frequent in the text and rare in general are the closest to themselves in the general text.",
    source="Bloem et al. 2019, table 5",
    rule=(
        "their excess over equally frequent terms is surely above that of every other group of "
        f"{FEWEST:g} terms. Not: it is surely below that of one group, as one of so many. Few: there are not "
        f"{FEWEST:g} such terms, or no other group"
    ),
    judge=_closest,
    sentences={
        "few": _too_few,
        "closest": lambda rows: (
            f"Terms frequent in the text and rare in general are the closest to themselves ({_closest_cosines(rows)})."
        ),
        "not": _not_closest,
        "open": _closest_open,
    },
    paper=(
        "Bloem and others found that terms frequent in the text and rare in general are the closest to themselves: "
        "0.735, other groups 0.417, 0.109 and 0.078 (table 5)"
    ),
    here={
        "few": "too few terms have such frequencies",
        "closest": "they are the closest too, each group compared with equally frequent terms",
        "not": "the terms of another group are closer",
        "open": "these terms are too few to decide",
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
        return f"Two samples of a term share {means[rows[0].model]} of {of} nearest words (mean over {many})."
    each = listed([f"{mean} by {model}" for model, mean in means.items()])
    return f"Two samples of a term share, of {of} nearest words, {each} (means over {many})."


TALKING = (
    "Bloem and others found that Nonce2Vec's two vectors of “talking” are nearest to each other (0.751) among "
    "unrelated words (table 7)"
)


def nearest_to_each_other(rows: Sequence[Neighbours]) -> str:
    """Return how often the other sample is the nearest of all: what is there, no estimate."""
    each = []
    for model in dict.fromkeys(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        each.append(f"in {sum(row.place == 1 for row in own)} of {len(own)} by {model}")
    return f"the other sample is the nearest of all {listed(each)}"
