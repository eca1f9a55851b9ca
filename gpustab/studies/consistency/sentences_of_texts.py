"""Sentences on two texts: which tells its terms apart better, and whose cosines are higher."""

from __future__ import annotations

from gpustab.results.page import counted
from gpustab.studies.consistency.limits import FEWEST, Row
from gpustab.studies.shared.wording import signed_span


def texts_part(row: Row) -> tuple[str, str]:
    """Return how two texts compare, and the sentence: the cosine's verdict and the AUC's, with a hyphen between.

    Each is ``"higher"``, ``"lower"`` or ``"open"``: the rule is that the interval of the difference, over terms and
    runs, lies on one side of 0; ``"few"`` with fewer than :data:`FEWEST` terms in a text.
    """
    one, two = row["text"], row["against"]
    if min(row["terms"], row["terms_against"]) < FEWEST:
        return (
            "few",
            f"{one} and {two} cannot be compared by so few terms; take {FEWEST} at least in each, better fifty.",
        )
    cosine, auc = _side(row, "same"), _side(row, "auc")
    high = one if cosine == "higher" else two
    said = _auc_of_texts(row, auc)
    cosines = f"{row['same']:.3f} for {one}, {row['same_against']:.3f} for {two}"
    nulls = f"{row['null']:.3f} and {row['null_against']:.3f}"
    span = signed_span(row["same_low"], row["same_high"], 3)
    if cosine == "open":
        end = f"which has the higher cosine cannot be told either ({cosines}, difference {span})"
        if auc != "open":
            end = end.replace(" either", "")
        return f"{cosine}-{auc}", f"{said}; {end}."
    higher = f"{high} has the higher cosine ({cosines}, difference {span}; of different terms {nulls})"
    if auc in ("open", cosine):
        return f"{cosine}-{auc}", f"{said}; {higher}."
    return f"{cosine}-{auc}", (
        f"{said}. Yet {higher}: a higher cosine is what all contexts of {high} have in common, and no sign of better "
        "vectors."
    )


def _auc_of_texts(row: Row, auc: str) -> str:
    """Say which of two texts tells its terms apart better, in comparisons of 100."""
    one, two = row["text"], row["against"]
    low, high = 100 * row["auc_low"], 100 * row["auc_high"]
    often = (
        f"a term's own second vector is nearer than another term's in {100 * row['auc']:.0f} of 100 comparisons for "
        f"{one}, {100 * row['auc_against']:.0f} for {two}, difference {signed_span(low, high, 0)}"
    )
    at = f"At {counted(row['words'], 'context word')} a sample"
    if auc == "open":
        return f"{at}, which of {one} and {two} tells its terms apart better cannot be told ({often}, which includes 0)"
    better, worse = (one, two) if auc == "higher" else (two, one)
    return f"{at}, {better} tells its terms apart better than {worse} ({often})"


def _side(row: Row, name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "higher" if low > 0 else "lower" if high < 0 else "open"
