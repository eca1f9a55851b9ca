"""What the numbers say, in sentences; each has a rule with an interval over terms, and a margin.

How often the rules err, at 5 to 60 terms and 1 to 16 runs of the background: ``benchmarks/consistency_verdicts.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from gpustab.results import Table
from gpustab.results.page import counted, number
from gpustab.studies.consistency.limits import CLOSE, FEWEST, NEAR, P_VALUE, Row, as_cosine
from gpustab.studies.consistency.sentences_of_texts import texts_part
from gpustab.studies.shared.wording import number_span

_MOST = 4
"""Sentences of the verdict; the others stand in their blocks."""


def verdict(tables: Mapping[str, Table]) -> list[str]:
    """Return the answer: how texts compare, what their samples tell apart, and what the cosine hides."""
    cases = of_cases(tables)
    said = [*of_each(tables.get("texts", Table()), lambda part: " ".join(texts_part(row)[1] for row in part.records()))]
    said += [apart for apart, _ in cases]
    said += of_each(tables.get("split", Table()), lambda part: development(list(part.records()))[1])
    return [*said, *(raw for _, raw in cases)][:_MOST]


def of_cases(tables: Mapping[str, Table]) -> list[tuple[str, str]]:
    """Return for every background and text what its samples tell apart, and what the cosine hides."""
    table = tables.get("consistency", Table())
    groups = list(dict.fromkeys(table.get("group", [])))
    found = []
    for group in groups:
        row = next(table.records(group=group, model="additive"))
        middle = next(table.records(group=group, model="additive (centred)"))
        of = f"{group}: " if len(groups) > 1 else ""
        found.append((of + told_apart(row)[1], of + scale(row, middle)))
    return found


def of_each(table: Table, said: Callable[[Table], str]) -> list[str]:
    """Return a sentence on every group of a table, with its name where they are several."""
    parts = table.split("group") if "group" in table else []
    return [(f"{group}: " if len(parts) > 1 else "") + said(part) for group, part in parts]


def told_apart(row: Row) -> tuple[str, str]:
    """Return whether a term's samples are more alike than those of two terms, and the sentence.

    The rule: the 95 % interval of the AUC over terms lies above one half (``"apart"``), or below
    :data:`NEAR` (``"alike"``); else ``"open"``, and ``"few"`` with fewer than :data:`FEWEST` terms.
    """
    low, high = row["auc_low"], row["auc_high"]
    terms = counted(row["terms"], "term")
    if row["terms"] < FEWEST or math.isnan(low):
        return "few", (
            f"Whether the text gives its terms vectors of their own cannot be told from {terms} (cosine "
            f"{as_cosine(row['same'])} against {as_cosine(row['null'])}); take {FEWEST} at least, better fifty."
        )
    often = f"in {100 * row['auc']:.0f} of 100 comparisons"
    digits = 1 if "50" in (f"{100 * low:.0f}", f"{100 * high:.0f}") else 0  # on which side of chance an end lies
    span = f"{max(100 * low, 0):.{digits}f}–{min(100 * high, 100):.{digits}f}"
    if low > 0.5:
        return "apart", (
            f"Two samples of one term are more alike than samples of two terms {often} ({span}, above 50, which is "
            "chance): the text gives its terms vectors of their own."
        )
    if high < NEAR:
        return "alike", (
            f"Two samples of one term are no more alike than samples of two terms: they are {often} ({span}, below "
            f"{100 * NEAR:.0f}; 50 is chance). The vectors hold nothing of the term."
        )
    return "open", (
        f"Whether two samples of one term are more alike than samples of two terms cannot be told from {terms}: they "
        f"are {often}, and the interval, {span}, would have to be above 50, which is chance. More terms would tell."
    )


def scale(row: Row, middle: Row) -> str:
    """Return what the raw cosine is worth beside its null level."""
    raw = f"The cosine of two samples of one term is {as_cosine(row['same'])}, of two terms {as_cosine(row['null'])}"
    without = f"Without that they are {as_cosine(middle['same'])} and {as_cosine(middle['null'])}."
    if row["excess"] < CLOSE:
        return f"{raw}: almost all of it is what every context of the text has in common. {without}"
    return f"{raw}; part of both is what every context of the text has in common. {without}"


def most_frequent_rank(row: Row, ranks: Row) -> str:
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
    rows = list(table.records())
    if len(rows) < 2:
        return "none", "One size of samples: how consistency depends on it is not seen."
    first, last = rows[0], rows[-1]
    off = max(abs(row["same"] - row["law"]) for row in rows)
    law = f"a law of sums, 1 / (1 + c / words) with c = {number(last['c'], 3)}, is at most {number(off, 2)} off"
    ends = (f"{as_cosine(row['same'])} ({number_span(row['same_low'], row['same_high'])})" for row in (first, last))
    one, two = (f"{end} with {row['n']}" for end, row in zip(ends, (first, last), strict=True))
    span = f"from {one} to {two} sentences"
    if last["same_low"] > first["same_high"]:
        return "grows", f"Consistency grows with the sentences, {span}; {law}."
    return "open", f"Consistency goes {span}: the intervals overlap, so that it grows is not shown; {law}."


def development(rows: Sequence[Row]) -> tuple[str, str]:
    """Return whether the halves differ more than random parts, ``"differ"`` or ``"open"``, and the sentence.

    The rule: of the permutations, at most one in twenty has parts as unlike as the halves or more (p ≤ 0.05).
    Documents are permuted where there are enough, and then they decide: sentences of one document belong together.

    Args:
        rows: of the table ``split``, one for permuted sentences and perhaps one for permuted documents.
    """
    row = rows[-1]
    what = "parts of as many random sentences" if row["permuted"] == "sentences" else "random halves of the documents"
    said = f"halves have cosine {as_cosine(row['halves'])}, {what} {as_cosine(row['random'])}"
    few = f"{row['p']:.0%} of such parts are as unlike (p"
    if row["p"] <= P_VALUE:
        return "differ", f"The two halves use the terms differently: {said}, and only {few} ≤ {P_VALUE:.0%})."
    first = rows[0]
    but = (
        f" Of parts of random sentences only {first['p']:.0%} are: documents differ, the halves do not."
        if first["p"] <= P_VALUE < row["p"]
        else ""
    )
    return (
        "open",
        f"That the halves use the terms differently is not shown: {said}, and {few}; wanted {P_VALUE:.0%}).{but}",
    )


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
