"""The observations of the thesis on averaging and quality, §2.3 and 3.2, beside what the runs at hand show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from math import sqrt

from gpustab.results import Table
from gpustab.studies.instability.verdicts import AS_IN_THESIS, Observation, Verdict, rising, rows, within


def of_averaging(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield what the tables of averages and scores tell."""
    yield from _of_two(tables)
    yield from _of_trees(tables)
    yield from _of_scores(tables)


def _of_two(tables: Mapping[str, Table]) -> Iterator[Observation]:
    for row in rows(tables, "cosine_ratios", renormalised=False, runs_beneath=2):
        claim = "Averages of two have an SD of cosines smaller by 1.28 to 1.39, eq. 3.6"
        shows = f"⟨σ⟩ × {row['sd']:.3f} (1/{1 / row['sd']:.3f}); dot products × {row['dot_sd']:.3f}"
        agrees, rule = within(row["sd"], 0, 1 / 1.39, 1 / 1.28), "between 1/1.39 and 1/1.28"
        yield Observation("3.2.1", claim, row["technique"], shows, agrees, rule)
        claim = "Averages of two have larger mean cosines, eq. 3.6"
        shows = f"⟨μ⟩ × {row['mean']:.3f}; dot products × {row['dot_mean']:.4f}"
        agrees, rule = within(row["mean"], 0, 1.01, 1.22), "between 1.01 and 1.22"
        yield Observation("3.2.1", claim, row["technique"], shows, agrees, rule)
    for row in rows(tables, "alignment_term"):
        claim = "The second term of eq. 3.4 has zero mean and less variance than σ²/2"
        shows = (
            f"mean {row['mean']:.1e} ± {row['se']:.0e}, of single word pairs {row['mean_by_pair']:.1%} of σ; "
            f"variance {row['variance_of_half']:.1%} of σ²/2"
        )
        if math.isnan(row["se"] + row["mean_by_pair"] + row["variance_of_half"]):
            shows = "too few runs for a second term"
        parts = {
            within(row["mean"], 0, -2 * row["se"], 2 * row["se"]),
            within(row["mean_by_pair"], 0, 0, 0.05),
            within(row["variance_of_half"], 0, 0, 1),
        }
        verdict: Verdict = "no" if "no" in parts else "undecided" if "undecided" in parts else "yes"
        rule = "mean within 2 SE of 0, means of word pairs below 5 % of σ, variance below σ²/2"
        yield Observation("3.2.1", claim, row["technique"], shows, verdict, rule)


def _of_trees(tables: Mapping[str, Table]) -> Iterator[Observation]:
    highest = {row["technique"]: row for row in rows(tables, "figure_3_5", renormalised=False)}
    for technique, row in highest.items():
        n = row["runs_beneath"]
        if n == 1:
            continue
        excess = row["ratio_cosine"] * sqrt(n)
        shows = (
            f"n = {n}: × {row['ratio_cosine']:.3f} = {excess:.3f}/√n; dots {row['ratio_dot'] * sqrt(n):.3f}/√n, "
            f"means of cosine matrices {row['ratio_cosine_matrices'] * sqrt(n):.3f}/√n"
        )
        claim, rule = "Losses between averages fall nearly as 1/√n, figure 3.5", "within 10 % of 1/√n"
        yield Observation("3.2.3", claim, technique, shows, within(excess, 0, 0.9, 1.1), rule)
    trees = {(row["technique"], row["average"]): row for row in rows(tables, "table_tree")}
    for (technique, average), row in trees.items():
        if average != "tree":
            continue
        one = trees[technique, "one reference"]
        claim = "Averages onto one reference depend on it, more than trees on the order of runs"
        shows = (
            f"another reference {one['same_runs']:.3f}, another order {row['same_runs']:.3f} of the loss of runs; "
            f"between halves {one['between_halves']:.3f} and {row['between_halves']:.3f}"
        )
        agrees, rule = rising([(row["same_runs"], 0), (one["same_runs"], 0)]), "the loss by reference is the larger"
        yield Observation("3.2.2", claim, technique, shows, agrees, rule)


def _of_scores(tables: Mapping[str, Table]) -> Iterator[Observation]:
    for row in rows(tables, "table_3_6"):
        if row["runs_beneath"] == 1:
            continue
        claim = f"Averaging raises the score, {row['test']}"
        shows = f"n = {row['runs_beneath']}: {100 * row['gain']:+.2f} ± {100 * row['se']:.2f} points"
        agrees, rule = rising([(0.0, 0.0), (row["gain"], row["se"])]), "gain above 2 SE; no if as far below 0"
        yield Observation("3.2.3", claim, row["technique"], shows, agrees, rule)
    scores = {
        row["technique"]: row
        for row in rows(tables, "scores", test="questions-words", runs_beneath=1)
        if row["technique"] in AS_IN_THESIS and row["sd"] is not None
    }
    if "fasttext" in scores and len(scores) > 1:
        shows = ", ".join(f"{name} {100 * row['mean']:.1f} ± {100 * row['sd']:.1f}" for name, row in scores.items())
        fasttext = scores.pop("fasttext")
        best = max(scores.values(), key=lambda row: row["mean"])
        agrees = rising([(row["mean"], row["sd"] / sqrt(row["spaces"])) for row in (best, fasttext)])
        claim, rule = "fastText solves most analogies, table 2.10", "difference to the next above 2 SE"
        yield Observation("2.3, 2", claim, "", shows, agrees, rule)
