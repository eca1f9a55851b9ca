"""Vectors of terms from little text, beside a background: sums, Nonce2Vec, and PPMI-SVD (Bloem et al. 2019)."""
