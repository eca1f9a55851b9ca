"""The distribution of cosines over runs: are they normal, and are those of different word pairs independent?

Rettenmeier 2020, §2.1.3. Values are ``(N, R)``: N word pairs, R runs. Every test is calibrated by simulated normals at
the same R: p-values of truly normal data are not uniform (Shapiro-Wilk at R = 16, Spearman at R = 8), so that a test
against the uniform law fails them.
"""

from gpustab.distribution.hypotheses import (
    Independence,
    Uniformity,
    independence,
    shapiro_p,
    simulated_p,
    spearman_p,
    uniformity,
)
from gpustab.distribution.normals import (
    PairSummary,
    kurtosis,
    pair_summary,
    whiten,
    whitened_density,
    whitened_kurtosis,
)
from gpustab.distribution.pairs import Distribution, cosine_distribution, draw_words

__all__ = [
    "Distribution",
    "Independence",
    "PairSummary",
    "Uniformity",
    "cosine_distribution",
    "draw_words",
    "independence",
    "kurtosis",
    "pair_summary",
    "shapiro_p",
    "simulated_p",
    "spearman_p",
    "uniformity",
    "whiten",
    "whitened_density",
    "whitened_kurtosis",
]
