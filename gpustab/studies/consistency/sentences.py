"""What the numbers say, in sentences; each has a rule with an interval over terms, and a margin.

How often the rules err, at 5 to 60 terms and 1 to 16 runs of the background: ``benchmarks/consistency_verdicts.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gpustab.results import Table
from gpustab.results.page import number
from gpustab.statistics.intervals import t_quantile

FEWEST = 3
"""Terms of a verdict, which a jackknife needs: at 3 to 16 terms 1 to 3 % of the draws without a difference get one."""

NEAR = 0.55
"""An AUC up to this is as good as none: of twenty pairs one more than by chance."""

CLOSE = 0.05
"""A cosine this little above its null level says nothing by itself; AUCs this near are equal."""

P_VALUE = 0.05
"""Of the test whether halves differ."""


def verdict(tables: Mapping[str, Table], contrasts: Sequence[Mapping[str, Any]] = ()) -> list[str]:
    """Return the answer of every background: what its samples tell apart, and what the cosine hides."""
    said = []
    table = tables.get("consistency", Table())
    groups = list(dict.fromkeys(table.get("group", [])))
    for group in groups:
        row = next(table.rows(group=group, model="additive"))
        middle = next(table.rows(group=group, model="additive (centred)"))
        of = f"{group}: " if len(groups) > 1 else ""
        said += [of + told_apart(row)[1], of + scale(row, middle)]
        if split := list(tables.get("split", Table()).rows(group=group)):
            said.append(of + development(split)[1])
        said += [of + models_part(one, row["terms"])[1] for one in contrasts if one["group"] == group]
    texts = list(tables.get("texts", Table()).rows())
    several = len({row["group"] for row in texts}) > 1
    return [(f"{row['group']}: " if several else "") + texts_part(row)[1] for row in texts] + said


def told_apart(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return whether a term's samples are more alike than those of two terms, and the sentence.

    The rule: the 95 % interval of the AUC over terms lies above one half (``"apart"``), or below
    :data:`NEAR` (``"alike"``); else ``"open"``, and ``"few"`` with fewer than :data:`FEWEST` terms.
    """
    auc, low, high = row["auc"], row["auc_low"], row["auc_high"]
    cosines = f"cosine {as_cosine(row['same'])} against {as_cosine(row['null'])}"
    if row["terms"] < FEWEST or math.isnan(low):
        return "few", (
            f"Whether the text gives its terms vectors of their own cannot be told from {row['terms']} terms "
            f"({cosines}); take {FEWEST} at least, better fifty."
        )
    if low > 0.5:
        span = f"{100 * low:.0f}–{min(100 * high, 100):.0f}"
        return "apart", (
            f"Two samples of one term are more alike than samples of two terms in {100 * auc:.0f} of 100 comparisons "
            f"({span}; 50 by chance): the text gives its terms vectors of their own."
        )
    if high < NEAR:
        return "alike", (
            f"Two samples of one term are no more alike than samples of two terms ({cosines}, {100 * auc:.0f} of 100 "
            "comparisons, 50 by chance): the vectors hold nothing of the term."
        )
    return "open", (
        f"Whether samples of one term are more alike than samples of two terms cannot be told from {row['terms']} "
        f"terms ({cosines}, {100 * auc:.0f} of 100 comparisons, 50 by chance). More terms would tell."
    )


def texts_part(row: Mapping[str, Any]) -> tuple[str, str]:
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
    cosines, nulls = (f"{row[n]:.3f} against {row[f'{n}_against']:.3f}" for n in ("same", "null"))
    aucs = f"{row['auc']:.2f} against {row['auc_against']:.2f}"
    span = f"difference {row['auc_low']:+.2f} to {row['auc_high']:+.2f}".replace("-", "−")
    high, low = (one, two) if cosine == "higher" else (two, one)
    at = f"At {row['words']} context words a sample"
    if cosine == "open":
        said = f"{at}, which of {one} and {two} has the higher cosine cannot be told ({cosines})"
    else:
        said = f"{at}, {high} has a higher cosine than {low} ({one} {cosines}; of different terms {nulls})"
    if auc == "open":
        return f"{cosine}-open", f"{said}; which tells its terms apart better cannot be told (AUC {aucs}, {span})."
    better, worse = (one, two) if auc == "higher" else (two, one)
    if cosine in ("open", auc):
        also = "also " if cosine == auc else ""
        return f"{cosine}-{auc}", f"{said}; {better} {also}tells its terms apart better (AUC {aucs}, {span})."
    return f"{cosine}-{auc}", (
        f"{said}, but {worse} tells its terms apart worse (AUC {aucs}, {span}): the higher cosine is what all its "
        "contexts have in common, and no sign of better vectors."
    )


def _side(row: Mapping[str, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "higher" if low > 0 else "lower" if high < 0 else "open"


def scale(row: Mapping[str, Any], middle: Mapping[str, Any]) -> str:
    """Return what the raw cosine is worth beside its null level."""
    raw = f"The cosine of two samples of one term is {as_cosine(row['same'])}, of two terms {as_cosine(row['null'])}"
    without = (
        f"without what every context of the text has: {as_cosine(middle['same'])} against {as_cosine(middle['null'])}"
    )
    if row["excess"] < CLOSE:
        return f"{raw}: almost all of it is what every context of the text has in common ({without})."
    return f"{raw} ({without})."


def most_frequent_rank(row: Mapping[str, Any], ranks: Mapping[str, Any]) -> str:
    """Return what both ranks say: among the background's words, and among the samples of other terms."""
    background = f"Among {ranks['words']:,} background words a term's other sample has place {number(ranks['both'], 3)}"
    others = f"among the samples of other terms place {number(row['rank'], 3)} of {number(row['among'], 3)}"
    if ranks["both"] < 2 <= row["rank"]:
        return (
            f"{background}, and {others}: it is near the first because both are sums, not because they are of one term."
        )
    return f"{background}, {others}."


def grows(table: Table) -> tuple[str, str]:
    """Return whether consistency grows with the sentences, ``"grows"``, ``"open"`` or ``"none"``, and how.

    The rule: the interval of the largest size lies wholly above that of the smallest.
    """
    rows = list(table.rows())
    if len(rows) < 2:
        return "none", "One size of samples: how consistency depends on it is not seen."
    first, last = rows[0], rows[-1]
    off = max(abs(row["same"] - row["law"]) for row in rows)
    law = f"a law of sums, 1 / (1 + c / words) with c = {number(last['c'], 3)}, is at most {number(off, 2)} off"
    span = f"from {as_cosine(first['same'])} with {first['n']} to {as_cosine(last['same'])} with {last['n']} sentences"
    if last["same_low"] > first["same_high"]:
        return "grows", f"Consistency grows with the sentences, {span}; {law}."
    return "open", f"Consistency goes {span}, which these terms do not prove to be a growth; {law}."


def trainings_part(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return what decides how sure the AUC is, ``"terms"`` or ``"trainings"``, and the sentence; none for one run.

    The rule compares standard errors: of the mean over terms, by jackknife, and of the mean over the background's
    trainings. Both are estimates, so it says which is larger only if one is twice the other; else ``"both"``.
    """
    if row["runs"] < 2 or row["terms"] < FEWEST:
        return "one", "One training of the background: what another would change is not seen." * (row["runs"] < 2)
    runs = row["auc_sd"] / math.sqrt(row["runs"])
    terms = (row["auc_high"] - row["auc_low"]) / 2 / t_quantile(row["terms"] - 1)
    said = f"Another training of the background moves the AUC by {number(row['auc_sd'], 2)} (SD of {row['runs']} runs)"
    if terms > 2 * runs:
        return "terms", f"{said}, other terms move it more: more terms make it surer, more trainings do not."
    if runs > 2 * terms:
        return "trainings", f"{said}, more than other terms do: train the background more often."
    return "both", f"{said}, about as much as other terms do."


def models_part(contrast: Mapping[str, Any], terms: int) -> tuple[str, str]:
    """Return whether a model's cosine and its AUC agree against another model, and the sentence.

    ``"better"``, ``"worse"``: the interval of the AUC's difference lies on one side of 0; ``"equal"``: across 0 and
    within :data:`CLOSE`; else ``"open"``. The cosine is named as misleading where it surely goes the other way, or
    differs where the AUC does not.
    """
    model, other = contrast["model"], contrast["against"]
    low, high = contrast["auc_low"], contrast["auc_high"]
    form = "+.2f" if max(abs(low), abs(high)) > 0.01 else "+.3f"
    auc = f"AUC {contrast['auc']:{form}}, {low:{form}} to {high:{form}}".replace("-", "−")
    if terms < FEWEST or not (low > 0 or high < 0 or -CLOSE < low <= high < CLOSE):
        return "open", f"Whether {model} or {other} tells terms apart better cannot be told from these terms ({auc})."
    if low <= 0 <= high:
        same = f"{model} and {other} tell terms apart equally well ({auc})"
        apart = contrast["same_low"] > 0 or contrast["same_high"] < 0
        return "equal", f"{same}, though their cosines differ: they are other scales." if apart else f"{same}."
    better = low > 0
    against = contrast["same_high"] < 0 if better else contrast["same_low"] > 0
    said = f"{model} tells terms apart {'better' if better else 'worse'} than {other} ({auc})"
    if against:
        how = "lower" if better else "higher"
        return "better" if better else "worse", f"{said}, though its cosine is {how}: the cosines are another scale."
    return "better" if better else "worse", f"{said}."


def development(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return whether the halves differ more than random parts, ``"differ"`` or ``"open"``, and the sentence.

    The rule: of the permutations, at most one in twenty has parts as unlike as the halves or more (p ≤ 0.05).
    Documents are permuted where there are enough, and then they decide: sentences of one document belong together.

    Args:
        rows: of the table ``split``, one for permuted sentences and perhaps one for permuted documents.
    """
    row = rows[-1]
    what = "parts of as many random sentences" if row["permuted"] == "sentences" else "random halves of the documents"
    said = f"halves have cosine {as_cosine(row['halves'])}, {what} {as_cosine(row['random'])} (p = {row['p']:.2f})"
    if row["p"] <= P_VALUE:
        return "differ", f"The two halves use the terms differently: {said}."
    first = rows[0]
    but = (
        f" Single sentences change places with more effect (p = {first['p']:.2f}): documents differ, the halves do not."
        if first["p"] <= P_VALUE < row["p"]
        else ""
    )
    return "open", f"That the halves use the terms differently is not shown: {said}.{but}"


def read_by_nonce(updates: Sequence[float]) -> str:
    """Return which sentences of a sample Nonce2Vec learns from: those with half an update or more on average."""
    read = [k for k, mean in enumerate(updates, 1) if mean >= 0.5]
    whole = f"{sum(updates):.0f} updates a sample"
    if not read:
        return "Nonce2Vec makes hardly any update: its vectors are the sums that it starts from."
    if len(read) == len(updates):
        return f"Nonce2Vec learns from every sentence of a sample: {whole}."
    return (
        f"Nonce2Vec learns from the first {len(read)} of {len(updates)} sentences alone, since its window shrinks and "
        f"more words are left out with every sentence: {whole}."
    )


def as_cosine(value: float) -> str:
    """Return a cosine with the digits that tell it from 1.

    >>> as_cosine(0.9852), as_cosine(0.41)
    ('0.985', '0.41')
    """
    return f"{value:.3f}" if abs(value) > 0.9 else f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
