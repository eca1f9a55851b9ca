"""What the study says: which neighbours hold, and what drawing the documents again changes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpustab.results import Table
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.rules import is_flat, ratio
from gpustab.studies.bootstrap.tables import estimate
from gpustab.studies.neighbours.sentences import FIRM, LEAST_RUNS, PASSING
from gpustab.studies.shared.claims import above, records, within
from gpustab.studies.shared.frame import merged
from gpustab.studies.shared.wording import listed

Row = dict[str, Any]
Tables = Mapping[str, Table]

NOISE = 0.2
"""Below that share of the list in two runs of the same documents the vectors do not hold the corpus."""


def verdict(tables: Tables) -> list[str]:
    """Return the answer in sentences, the first one leads."""
    settings = {row["group"]: row for row in records(tables, "settings")}
    judged = [row for row in records(tables, "neighbours") if row["verdict"]]
    every = list(settings.values())
    groups = [name for name in dict.fromkeys(row["group"] for row in judged) if not silent(settings[name], every)]
    said = [of_neighbours([row for row in judged if row["group"] == group], settings[group]) for group in groups]
    if not judged:
        said = [
            "No bootstrap runs: whether a neighbour depends on single documents cannot be told. Train bootstrap runs."
        ]
    said += of_documents(list(settings.values()))
    if groups:
        said.append(
            "Bootstrap runs leave out and repeat these documents; they cannot tell what other documents would "
            "say, which differ far more. Runs on two halves of the documents can (train --halves, then stability)."
        )
    return said


def of_neighbours(judged: Sequence[Row], setting: Row) -> str:
    """Return how many of a group's neighbours are firm, passing and open, and which are firm.

    Args:
        judged: rows of the table of neighbours with a verdict, of one group.
        setting: the group's row of the table of settings.
    """
    group, runs, total = setting["group"], setting["runs"], len(judged)
    kind = f"{runs} bootstrap runs"
    if runs < LEAST_RUNS:
        return f"{group}: {kind} judge no neighbour; five are needed, better ten."
    firm = [row for row in judged if row["verdict"] == FIRM]
    passing = sum(row["verdict"] == PASSING for row in judged)
    queries = len({row["query"] for row in judged})
    lead = (
        f"{group}: of the {total} nearest words of {queries} query words"
        if queries > 1
        else (f"{group}: of the {total} nearest words of {judged[0]['query']}")
    )
    rest = f"{passing} {'is' if passing == 1 else 'are'} passing and {total - len(firm) - passing} open"
    if judged[0]["chosen_by"] == group:
        rest += "; the same runs chose them, so that too many look firm"
    if not firm:
        return f"{lead} none is firm over {kind}; {rest}."
    best = sorted(firm, key=lambda row: (-row["share_low"], -row["margin"], -row["mean"]))[:3]
    such = listed([f"{row['query']} – {row['word']}" for row in best])
    return f"{lead} {len(firm)} {'is' if len(firm) == 1 else 'are'} firm over {kind} (such as {such}); {rest}."


def of_documents(settings: Sequence[Row]) -> Iterator[str]:
    """Yield whether drawing the documents again changes the neighbours more than training again does."""
    for row in settings:
        if row["sampling"] != "bootstrap" or silent(row, settings):
            continue
        whole = next((other for name in ("shuffled", "fixed") for other in settings if _beside(row, other, name)), None)
        if whole is None:
            continue
        wider = ratio(row, whole)
        low, high = (math.exp(x) if x == x else math.nan for x in wider.interval)
        lists = [10 * estimate(one, "p").value for one in (whole, row)]
        shared = (
            f"two {whole['sampling']} runs share {lists[0]:.1f} of ten nearest words, two bootstrap runs {lists[1]:.1f}"
        )
        found = above(wider, 0.0)
        if found == "yes":
            yield (
                f"{_leaf(row)}: drawing the documents again changes the cosines {math.exp(wider.value):.1f} times "
                f"({low:.1f}–{high:.1f}) as much as training again; {shared}."
            )
        elif found == "no":
            yield f"{_leaf(row)}: drawing the documents again changes the cosines less than training again; {shared}."
        else:
            yield (
                f"{_leaf(row)}: whether drawing the documents again changes the cosines more than training again "
                f"cannot be told from these runs; {shared}."
            )


def alarms(settings: Sequence[Row], spaces: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield which groups do not tell near words apart, and whose runs on the very same documents do not agree.

    Args:
        settings: rows of the table of settings.
        spaces: by group, what :func:`gpustab.studies.shared.spaces.of_spaces` says; that a flat group is collapsed is
            said with the others.
    """
    level = {row["group"] for row in settings if is_flat(row)}
    rest = {name: [x for x in said if name not in level or _COLLAPSED not in x] for name, said in spaces.items()}
    yield from merged(rest)
    flat = [row for row in settings if is_flat(row)]
    if flat:
        values = sorted(f"{row['mean_value']:.3f}" for row in flat)
        span = values[0] if values[0] == values[-1] else f"{values[0]} to {values[-1]}"
        yield (
            f"{listed([row['group'] for row in flat])}: the space hardly tells near words apart: the mean cosine of a "
            f"query word with its ten closest is {span}. Lists are near-ties, and SDs small whatever happens. Train "
            "longer."
        )
    noise: dict[str, list[Row]] = {}
    for row in settings:
        if is_noise(row):
            noise.setdefault(row["technique"], []).append(row)
    for technique, rows in noise.items():
        shared = max(10 * row["p_value"] for row in rows)
        yield (
            f"{listed([row['group'] for row in rows])}: two runs of the same documents share at most {shared:.1f} of "
            "ten "
            f"nearest words: these vectors do not hold this corpus. {_HINTS.get(technique, _HINT)}"
        )


def is_noise(row: Row) -> bool:
    """Tell whether runs of the very same documents share less than a fifth of their lists."""
    whole = row["sampling"] in ("fixed", "shuffled")
    return whole and not is_flat(row) and below(estimate(row, "p"), NOISE) == "yes"


def silent(row: Row, settings: Sequence[Row]) -> bool:
    """Tell whether an alarm forbids to read a group's numbers: its own, or one on its runs of the whole corpus."""
    family = [other for name in ("shuffled", "fixed") for other in settings if _beside(row, other, name)]
    return is_flat(row) or any(is_flat(other) or is_noise(other) for other in family)


_COLLAPSED = "The space is collapsed"
_HINT = "Train longer, or with fewer dimensions."
_HINTS = {
    "ppmi_svd": "A subsampling rate of 1e-5 deletes most of a small corpus; try --set ppmi_svd.subsample=0.001.",
}


def below(found: Estimate, bound: float) -> str:
    """Tell whether a number lies below a bound; without an interval by its value alone."""
    if math.isnan(found.interval[0]):
        return "yes" if found.value < bound else "no"
    return within(found, -math.inf, bound)


def _beside(row: Row, other: Row, sampling: str) -> bool:
    fields = ("technique", "unit", "fraction", "part")
    return other["sampling"] == sampling and all(row[name] == other[name] for name in fields)


def _leaf(row: Row) -> str:
    """What a family is called: the group without its sampling."""
    parts = [row["technique"]]
    parts += [f"{row['unit']}s"] * (row["unit"] != "document") + [f"{row['fraction']:.0%}"] * (row["fraction"] != 1)
    return " ".join([*parts, row["part"]]).strip()
