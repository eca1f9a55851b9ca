"""Benchmarks of the kernels: each script times a kernel beside its naive twin and its peers, in one run."""
