"""The observations of the thesis on word frequency, §2.3.1, beside what the runs at hand show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from gpustab.results import Table
from gpustab.studies.shared.claims import WORD_BASED, Observation, Verdict, decide, records, shown

FLAT = {"intrinsic": 0.2, "extrinsic squared": 0.4}
"""Change from rare to frequent words up to which a quantity hardly depends on frequency; of a square twice as much."""


def of_words(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield what the trends over word frequency tell."""
    frequent = {
        (row["technique"], row["quantity"]): f"; of words with {row['least_frequency']} or more "
        f"{shown(row['change'], '+.1%')}"
        for row in records(tables, "frequency")
        if row["least_frequency"]
    }
    for row in records(tables, "frequency", least_frequency=0):
        technique, quantity = row["technique"], row["quantity"]
        margin = FLAT[quantity]
        shows = (
            f"{shown(row['change'], '+.1%')} [{shown(row['low'], '+.1%')}, {shown(row['high'], '+.1%')}] from rare to "
            f"frequent; 20 batches: ρ = {shown(row['batch_correlation'], '+.2f')}, p = "
            f"{shown(max(row['batch_p'], 1e-16), '.0g')}, one of them off the mean by "
            f"{shown(row['batch_deviation'], '.0%')} or more" + frequent.get((technique, quantity), "")
        )
        flat = f"95 % interval of the change within ±{margin:.0%}, and no batch farther off the mean"
        if quantity == "intrinsic":
            claim = "The intrinsic instability hardly depends on frequency"
            yield Observation("2.3.1, 2", claim, technique, shows, is_flat(row, margin), flat)
        elif technique in WORD_BASED:
            claim = "The extrinsic instability of word-based techniques falls with frequency"
            rule = "95 % interval of the change of J² below 0, and ρ over the batches too with p < 0.05"
            yield Observation("2.3.1, 3", claim, technique, shows, is_falling(row), rule)
        elif technique == "fasttext":
            claim = "The extrinsic instability of fastText does not depend on frequency"
            yield Observation("2.3.1, 4", claim, technique, shows, is_flat(row, margin), flat)
    claim = "Curves over frequency differ between techniques and agree between languages"
    yield Observation("2.3.1, 1", claim, "", "one corpus", "no test", "wants several languages")


def is_flat(row: Mapping[str, Any], margin: float) -> Verdict:
    """Judge a trend flat if the fitted change is small, and if no batch of words stands out that a line cannot see."""
    found = decide((row["low"], row["high"]), -margin, margin)
    if found == "yes" and not row["batch_deviation"] <= margin:
        return "undecided"
    if found == "no" and not _batches_agree(row):
        return "undecided"
    return found


def is_falling(row: Mapping[str, Any]) -> Verdict:
    """Judge a trend falling if both the fitted line and the batches fall; a line through a hump decides nothing."""
    found = decide((row["low"], row["high"]), -math.inf, 0)
    return found if _batches_agree(row) else "undecided"


def _batches_agree(row: Mapping[str, Any]) -> bool:
    """Whether the batches rise or fall, at p < 0.05, as the line does."""
    return bool(row["batch_p"] < 0.05 and row["batch_correlation"] * row["change"] > 0)
