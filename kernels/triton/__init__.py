"""Fused twins of kernels, in Triton; the plain twin of the same name is the oracle."""
