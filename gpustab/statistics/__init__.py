"""Statistics that know no words and no runs: ranks, shares, and tests calibrated by simulated normals.

Values over runs are ``(N, R)``: N quantities, R runs. Every test of a distribution is calibrated by simulated normals
at the same R: p-values of truly normal data are not uniform (Shapiro-Wilk at R = 16, Spearman at R = 8), so that a test
against the uniform law fails them.
"""
