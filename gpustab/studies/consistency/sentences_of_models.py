"""Sentences on models of one text: which tells terms apart better, and what makes that unsure."""

from __future__ import annotations

import math

from gpustab.results.page import number, signed
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.consistency.limits import CLOSE, FEWEST, Row
from gpustab.studies.shared.wording import signed_span


def trainings_part(row: Row) -> tuple[str, str]:
    """Return what decides how sure the AUC is, ``"terms"`` or ``"trainings"``, and the sentence; none for one run.

    The rule compares standard errors: of the mean over terms, by jackknife, and of the mean over the background's
    trainings. Both are estimates, so it says which is larger only if one is twice the other; else ``"both"``.
    """
    if row["runs"] < 2 or row["terms"] < FEWEST:
        return "one", "One training of the background: what another would change is not seen." * (row["runs"] < 2)
    runs = row["auc_sd"] / math.sqrt(row["runs"])
    terms = (row["auc_high"] - row["auc_low"]) / 2 / t_quantile(row["terms"] - 1)
    said = (
        f"Another training of the background moves the AUC by {number(row['auc_sd'], 2)} (SD of {row['runs']} runs). "
        f"The mean is unsure by {number(runs, 2)} (SE) for that, and by {number(terms, 2)} for other terms: "
    )
    if terms > 2 * runs:
        return "terms", f"{said}more terms make it surer, more trainings hardly do."
    if runs > 2 * terms:
        return "trainings", f"{said}train the background more often."
    return "both", f"{said}more of both make it surer."


def models_part(contrast: Row, terms: int) -> tuple[str, str]:
    """Return whether a model's cosine and its AUC agree against another model, and the sentence.

    ``"better"``, ``"worse"``: the interval of the AUC's difference lies on one side of 0; ``"equal"``: across 0 and
    within :data:`CLOSE`; else ``"open"``. The cosine is named as misleading where it surely goes the other way, or
    differs where the AUC does not.
    """
    model, other = contrast["model"], contrast["against"]
    low, high = contrast["auc_low"], contrast["auc_high"]
    value = signed(100 * contrast["auc"], 1)
    often = f"{value} of 100 comparisons, {signed_span(100 * low, 100 * high, 1)}"
    if terms < FEWEST or not (low > 0 or high < 0 or -CLOSE < low <= high < CLOSE):
        return "open", (
            f"Whether {model} or {other} tells terms apart better cannot be told: {often}, which would have to lie on "
            f"one side of 0, or within ± {100 * CLOSE:.0f}."
        )
    if low <= 0 <= high:
        same = f"{model} and {other} tell terms apart equally well ({often}, within ± {100 * CLOSE:.0f})"
        apart = contrast["same_low"] > 0 or contrast["same_high"] < 0
        return "equal", f"{same}, though their cosines differ." if apart else f"{same}."
    better = low > 0
    against = contrast["same_high"] < 0 if better else contrast["same_low"] > 0
    said = f"{model} tells terms apart {'better' if better else 'worse'} than {other} ({often})"
    if against:
        how = "lower" if better else "higher"
        return "better" if better else "worse", f"{said}, though its cosine is {how}."
    return "better" if better else "worse", f"{said}."
