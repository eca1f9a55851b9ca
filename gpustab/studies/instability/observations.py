"""The observations of the thesis, §2.1.3 to 2.3.1, beside what the runs at hand show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpustab.results import Table
from gpustab.studies.instability.averaging_observations import of_averaging
from gpustab.studies.instability.verdicts import AS_IN_THESIS, WORD_BASED, Observation, Verdict, rising, rows, within

_ORDERS = {
    "fixed": ("sgns", "glove", "fasttext"),
    "shuffled": ("glove", "sgns", "fasttext"),
    "bootstrap": ("fasttext", "sgns", "glove"),
}
"""Table 2.9, from stable to unstable."""


def observation_table(tables: Mapping[str, Table]) -> Table:
    """Return the table of all observations that the other tables of the study tell something of."""
    found = [*_of_cosines(tables), *_of_neighbours(tables), *_of_spaces(tables), *_of_words(tables)]
    return Table.of([*found, *of_averaging(tables)], Observation._fields)


def _of_cosines(tables: Mapping[str, Table]) -> Iterator[Observation]:
    claims = {
        "normal": "Cosines of a word pair are normal over runs",
        "independent, disjoint": "Cosines of disjoint word pairs are independent over runs",
    }
    for row in rows(tables, "distribution"):
        if row["hypothesis"] in claims:
            shows = (
                f"p < 0.05 in {row['below_0.05']:.1%} of {row['tested']:,} (normals: {row['normals_below_0.05']:.1%}); "
                f"distance {row['distance']:.3f}, p = {row['p']:.2g}"
            )
            agrees = within(row["distance"], 0, 0, 0.03) if row["p"] < 0.01 else "yes"
            rule = "p-values as simulated normals have them: p of the distance ≥ 0.01, or distance below 0.03"
            yield Observation("2.1.3", claims[row["hypothesis"]], row["technique"], shows, agrees, rule)


def _of_neighbours(tables: Mapping[str, Table]) -> Iterator[Observation]:
    halves = {row["technique"]: row["p"] for row in rows(tables, "table_a_1", n=2)}
    for row in rows(tables, "table_2_3", metric="p", n=2):
        if row["@50"] is not None:
            claim = "p@n is inconsistent over n"
            rule = "Spearman's ρ over words of p@2 and p@50 below 0.9"
            shows = f"ρ = {row['@50']:.2f} (thesis: 0.65 word2vec, 0.42 GloVe, 0.29 fastText)"
            if row["technique"] in halves:
                shows += f"; p@2 of two halves of the runs {halves[row['technique']]:.2f}"
            yield Observation("2.2.2", claim, row["technique"], shows, within(row["@50"], 0, -1, 0.9), rule)
    for row in rows(tables, "table_a_2", n=1):
        shows = (
            f"ρ = {row['plain_pearson']:.3f}, bias {row['plain_bias']:+.3f}, RMSE {row['plain_rmse']:.3f}; corrected "
            f"{row['corrected_pearson']:.3f}, {row['corrected_bias']:+.3f}, {row['corrected_rmse']:.3f}; "
            f"were the model exact {row['exact_pearson']:.3f}, {row['exact_bias']:+.3f}, {row['exact_rmse']:.3f}"
        )
        agrees = within(row["plain_pearson"], 0, 0.95, 1)
        if agrees == "no" and row["exact_pearson"] < 0.95 and row["plain_pearson"] > row["exact_pearson"] - 0.02:
            agrees = "undecided"
        claim = "p@1 is predicted by independent normals"
        rule = "Pearson's ρ > 0.95; undecided where few runs keep an exact model below 0.95 too, at most 0.02 above"
        yield Observation("A.4", claim, row["technique"], shows, agrees, rule)
    for row in rows(tables, "table_2_5", n=1):
        shows = f"ρ = {row['pearson']:.3f}, bias {row['bias']:+.3f}"
        agrees = within(row["pearson"], 0, 0.95, 1)
        yield Observation("2.2.2", "p@1 is its structure factor", row["technique"], shows, agrees, "Pearson's ρ > 0.95")
    for row in rows(tables, "table_2_6", words="all"):
        if row["1000"] == row["1000"]:  # NaN where there are fewer words
            shows = f"ρ = {row['1000']:.3f} of 1,000 words with all (thesis: 0.974 to 0.981)"
            agrees = within(row["1000"], 0, 0.95, 1)
            claim = "The word-wise PIP loss is consistent over sampled proxies"
            yield Observation("2.2.3", claim, row["technique"], shows, agrees, "Spearman's ρ above 0.95")


def _of_spaces(tables: Mapping[str, Table]) -> Iterator[Observation]:
    losses = {(row["technique"], row["sampling"]): row for row in rows(tables, "table_2_8")}
    for (technique, sampling), row in losses.items():
        shows = (
            f"SD {row['relative_sd']:.2%} of the loss; of one word {row['word_relative_sd']:.1%}, as of "
            f"χ with {row['word_degrees_of_freedom']:.0f} degrees of freedom, not {row['words']:,}"
        )
        agrees = within(row["relative_sd"], 0, 0, 0.01)
        claim = f"Losses hardly vary between pairs, {sampling}"
        yield Observation("2.3, 1", claim, technique, shows, agrees, "SD at most 1 %")
    for sampling, order in _ORDERS.items():
        there = [losses[name, sampling] for name in order if (name, sampling) in losses]
        if len(there) > 1:
            shows = ", ".join(f"{row['technique']} {row['reduced_pip']:.5f} ± {row['se']:.1g}" for row in there)
            claim = f"{sampling}: " + " < ".join(AS_IN_THESIS[row["technique"]] for row in there)
            agrees = rising([(row["reduced_pip"], row["se"]) for row in there])
            rule = "each step larger than 2 SE; no if one is as far the other way"
            yield Observation("2.3, 2", claim, "", shows, agrees, rule)
    yield from _of_fixed_glove(losses)
    for row in rows(tables, "table_2_11"):
        shows = f"I² = {row['signed_square']:.3g} ± {row['square_se']:.1g}; {row['negative_words']} words negative"
        agrees = rising([(0.0, 0.0), (row["signed_square"], row["square_se"])])
        claim = "Bootstrap runs differ more than shuffled ones: an extrinsic part"
        yield Observation("2.3, 3", claim, row["technique"], shows, agrees, "I² above 2 SE")
    claim = "The extrinsic instability falls with corpus size and rises with vocabulary size"
    yield Observation("2.3, 4", claim, "", "one corpus", "undecided", "wants several corpora")


def _of_fixed_glove(losses: dict[tuple[str, str], dict[str, float]]) -> Iterator[Observation]:
    claim = "GloVe: fixed and shuffled do not differ"
    fixed, shuffled = losses.get(("glove", "fixed")), losses.get(("glove", "shuffled"))
    if fixed and shuffled:
        order = rising([(row["reduced_pip"], row["se"]) for row in (fixed, shuffled)])
        shows = f"{fixed['reduced_pip']:.5f} ± {fixed['se']:.1g}, {shuffled['reduced_pip']:.5f} ± {shuffled['se']:.1g}"
        agrees: Verdict = "yes" if order == "undecided" else "no"
        yield Observation("2.3, 2", claim, "glove", shows, agrees, "difference below 2 SE")
    elif shuffled:
        yield Observation("2.3, 2", claim, "glove", "no fixed runs", "undecided", "difference below 2 SE")


def _of_words(tables: Mapping[str, Table]) -> Iterator[Observation]:
    frequent = {
        (row["technique"], row["quantity"]): f"; of words with {row['least_frequency']} or more {row['change']:+.1%}"
        for row in rows(tables, "frequency")
        if row["least_frequency"]
    }
    for row in rows(tables, "frequency", least_frequency=0):
        technique, half = row["technique"], (row["high"] - row["low"]) / 2
        shows = (
            f"{row['change']:+.1%} [{row['low']:+.1%}, {row['high']:+.1%}] from rare to frequent; 20 batches: "
            f"ρ = {row['batch_correlation']:+.2f}, p = {max(row['batch_p'], 1e-16):.0g}"
            + frequent.get((technique, row["quantity"]), "")
        )
        if row["quantity"] == "intrinsic":
            claim = "The intrinsic instability hardly depends on frequency"
            agrees, rule = within(row["change"], half, -0.2, 0.2), "95 % interval of the change within ±20 %"
            yield Observation("2.3.1, 2", claim, technique, shows, agrees, rule)
        elif technique in WORD_BASED:
            claim = "The extrinsic instability of word-based techniques falls with frequency"
            agrees, rule = within(row["change"], half, float("-inf"), 0), "95 % interval of the change of J² below 0"
            yield Observation("2.3.1, 3", claim, technique, shows, agrees, rule)
        elif technique == "fasttext":
            claim = "The extrinsic instability of fastText does not depend on frequency"
            agrees, rule = within(row["change"], half, -0.4, 0.4), "95 % interval of the change of J² within ±40 %"
            yield Observation("2.3.1, 4", claim, technique, shows, agrees, rule)
    claim = "Curves over frequency differ between techniques and agree between languages"
    yield Observation("2.3.1, 1", claim, "", "one corpus", "undecided", "wants several languages")
